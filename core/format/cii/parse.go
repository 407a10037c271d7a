package cii

import (
	"cmp"
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes Cross Industry Invoices. It is immutable and safe for concurrent use.
type Format struct{ mapping *m.Mapping[invoice.Invoice] }

// New compiles the table.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	return &Format{mapping: compiled}, nil
}

// Read reads a document whose root is CrossIndustryInvoice of the version 100, which D16B and D22B have.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	return f.mapping.Read(ctx, doc)
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 8 << 10
	lineSize     = 1_800
)

// Write writes the canonical invoice with the given specification identifier (BT-24) in one of the editions, EN 16931 where none is
// named. See mapping.Mapping.Write for the result.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, specification, edition string) ([]m.Unwritten, error) {
	return f.write(ctx, w, inv, m.Env{Edition: edition, Specification: specification})
}

func (f *Format) write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, env m.Env) ([]m.Unwritten, error) {
	w.Grow(documentSize + len(inv.Items)*lineSize)
	env.Edition = cmp.Or(env.Edition, EN16931)
	return f.mapping.Write(ctx, w, inv, env)
}

// Uses lists where CII has a business term or group.
func (f *Format) Uses(term string) []m.Use { return f.mapping.Uses(term) }

// NewLocator gives a Locator for a document, and for the invoice that it was written from where that is known: CII has the
// identifiers of a party in another order than the invoice.
func (f *Format) NewLocator(doc *xmltree.Document, inv *invoice.Invoice) *m.Locator {
	if inv == nil {
		return f.mapping.NewLocator(doc)
	}
	return f.mapping.NewLocatorOf(doc, inv)
}
