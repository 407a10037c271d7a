package mydata

import (
	"context"
	"maps"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes documents of myDATA. It is immutable and safe for concurrent use.
type Format struct{ mapping *m.Mapping[invoice.Invoice] }

// New compiles the table.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	return &Format{mapping: compiled}, nil
}

// Read reads a document with one invoice. What no row takes is in countrySpecific.national.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	reading, err := f.mapping.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	kept := nationals.Take(doc, &reading.Account)
	kept = takeAmounts(doc, &reading.Account, kept)
	if len(kept) > 0 {
		cs := countryOf(reading.Invoice)
		if cs.National == nil {
			cs.National = invoice.National{}
		}
		maps.Copy(cs.National, kept)
	}
	return reading, nil
}

// takeAmounts keeps the amounts of payments that are others than computed.
func takeAmounts(doc *xmltree.Document, account *m.Account, kept invoice.National) invoice.National {
	left := account.Leaves[:0]
	for _, leaf := range account.Leaves {
		_, path, _ := strings.Cut(strings.TrimPrefix(leaf.Path, "/"), "/")
		if !strings.HasPrefix(path, "invoice/paymentMethods/paymentMethodDetails") || !strings.HasSuffix(path, "/amount") {
			left = append(left, leaf)
			continue
		}
		if kept == nil {
			kept = invoice.National{}
		}
		kept[path] = append(kept[path], strings.TrimSpace(doc.String(leaf.Node)))
		account.Mapped, account.Reported = account.Mapped+1, account.Reported-1
	}
	account.Leaves = left
	return kept
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 3 << 10
	lineSize     = 600
)

// Write writes the canonical invoice in a version; every lists each entry of a list that has no place. The error is a *mapping.FieldError where
// a member holds what XML does not allow; others are those of the writer and of the context.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, version string, every bool) ([]m.Unwritten, error) {
	into, known := nationalsOf[version]
	if !known {
		into = nationalsOf[Version2]
	}
	return into.WriteWith(w, inv, documentSize+len(inv.Items)*lineSize, func(w *xmltree.Writer) ([]m.Unwritten, error) {
		return f.mapping.Write(ctx, w, inv, m.Env{Every: every})
	})
}
