package facturae

import (
	"context"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes Facturae. It is immutable and safe for concurrent use.
type Format struct {
	mappings []*m.Mapping[invoice.Invoice] // of the versions
}

// New compiles the tables.
func New() (*Format, error) {
	f := &Format{}
	for _, v := range versions {
		table := tableOf(v)
		compiled, err := m.Compile(&table)
		if err != nil {
			return nil, fmt.Errorf("version %s: %w", v.name, err)
		}
		f.mappings = append(f.mappings, compiled)
	}
	return f, nil
}

func (f *Format) newest() *m.Mapping[invoice.Invoice] { return f.mappings[0] }

// of is the mapping of a document, by its namespace.
func (f *Format) of(doc *xmltree.Document) *m.Mapping[invoice.Invoice] {
	for i, v := range versions {
		if doc.Namespace(doc.Root()) == v.namespace {
			return f.mappings[i]
		}
	}
	return f.newest()
}

// Read reads a document with one invoice. What the invoice has no member for is in its countrySpecific.national; what the signature says is no
// part of the account.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	said, err := f.of(doc).Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	said.Account.WithoutSignature(doc)
	tellCharges(doc, said.Invoice)
	takeNational(doc, said)
	return said, nil
}

// tellCharges says of the discounts and surcharges of the document which they are: discounts come first.
func tellCharges(doc *xmltree.Document, inv *invoice.Invoice) {
	discounts := 0
	for range nodesAt(doc, body+"InvoiceTotals/GeneralDiscounts/Discount") {
		discounts++
	}
	for i := range inv.AllowancesCharges {
		charge := i >= discounts
		inv.AllowancesCharges[i].IsCharge = &charge
	}
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 5 << 10
	lineSize     = 900
)

// Write writes the canonical invoice in a version, 3.2.2 where it is empty; every lists each entry of a list that has no place. The error is a
// *mapping.FieldError where a member holds what XML does not allow; others are those of the writer and of the context.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as string, every bool) ([]m.Unwritten, error) {
	at := max(0, slices.IndexFunc(versions, func(v version) bool { return v.name == as }))
	return nationals.WriteWith(w, inv, documentSize+len(inv.Items)*lineSize, func(w *xmltree.Writer) ([]m.Unwritten, error) {
		return f.mappings[at].Write(ctx, w, inv, m.Env{Every: every})
	})
}
