package nav

import (
	"context"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

type mapped = m.Mapping[invoice.Invoice]

// Format reads and writes InvoiceData. It is immutable and safe for concurrent use.
type Format struct {
	newest, older           *mapped // of documents with one invoice, in 3.0 and 2.0
	batchNewest, batchOlder *mapped // of documents that modify several invoices
}

// New compiles the tables.
func New() (*Format, error) {
	f := &Format{}
	for _, t := range []struct {
		into **mapped
		path string
		of   edition
	}{{&f.newest, invoicePath, newest}, {&f.older, invoicePath, older}, {&f.batchNewest, batchPath, newest}, {&f.batchOlder, batchPath, older}} {
		table := table(t.path, t.of)
		compiled, err := m.Compile(&table)
		if err != nil {
			return nil, err
		}
		*t.into = compiled
	}
	return f, nil
}

// of gives the mapping of a document.
func (f *Format) of(doc *xmltree.Document) *mapped {
	older, batch := doc.Namespace(doc.Root()) == Namespace2, batched(doc)
	switch {
	case older && batch:
		return f.batchOlder
	case older:
		return f.older
	case batch:
		return f.batchNewest
	}
	return f.newest
}

// batched tells whether a document modifies several invoices, one of which is left of it.
func batched(doc *xmltree.Document) bool {
	return doc.ChildNamed(doc.ChildNamed(doc.Root(), "invoiceMain"), "batchInvoice") != xmltree.None
}

// nationals is what the invoice holds in countrySpecific.national: all of InvoiceData that no row takes.
var nationals = m.Nationals{Order: elementorder.NAV(), Namespaces: map[string]string{"base": baseNamespace}}

// olderNationals has what 2.0 has in other places; the hash of an electronic invoice has none in 3.0, and is reported.
var olderNationals = m.Nationals{Order: olderOrder()}

// Read reads a document whose root is InvoiceData of 3.0 or 2.0. What no row takes, and amounts that are others than computed, is in
// countrySpecific.national.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	reading, err := f.of(doc).Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	of, renamed := nationals, func(path string) string { return path }
	if doc.Namespace(doc.Root()) == Namespace2 {
		of, renamed = olderNationals, renewed
	}
	for path, texts := range of.Take(doc, &reading.Account) {
		put(made(&reading.Invoice.CountrySpecific), listed(renamed(path)), texts)
	}
	return reading, nil
}

// listed gives the only line of an invoice its position, as others have it.
func listed(path string) string {
	for _, main := range []string{invoicePath, batchPath} {
		list := main + "/invoiceLines/line"
		if rest, only := strings.CutPrefix(path, list+"/"); only {
			return list + "[1]/" + rest
		}
	}
	return path
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 4 << 10
	lineSize     = 1_500
)

// Write writes the canonical invoice; every lists each entry of a list that has no place. The error is a *mapping.FieldError where a member
// holds what XML does not allow; others are those of the writer and of the context.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, every bool) ([]m.Unwritten, error) {
	of := f.newest
	if cs := inv.CountrySpecific; cs != nil && cs.National["invoiceMain/batchInvoice/batchIndex"] != nil {
		of = f.batchNewest
	}
	return nationals.WriteWith(w, inv, documentSize+len(inv.Items)*lineSize, func(w *xmltree.Writer) ([]m.Unwritten, error) {
		return of.Write(ctx, w, inv, m.Env{Every: every})
	})
}

// put puts texts into national.
func put(cs *invoice.CountrySpecific, path string, texts []string) {
	if cs.National == nil {
		cs.National = invoice.National{}
	}
	cs.National[path] = texts
}
