package fatturapa

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes FatturaPA. It is immutable and safe for concurrent use.
type Format struct{ mapping *m.Mapping[invoice.Invoice] }

// New compiles the table.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	return &Format{mapping: compiled}, nil
}

// Read reads a document with one invoice. What the signature that it may carry says is no part of the account.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	said, err := f.mapping.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	said.Account.WithoutSignature(doc)
	takeNational(doc, said)
	return said, nil
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 6 << 10
	lineSize     = 600
)

// Write writes the canonical invoice. See mapping.Mapping.Write for the result.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice) ([]m.Unwritten, error) {
	return f.write(ctx, w, inv, m.Env{Edition: V12})
}

func (f *Format) write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, env m.Env) ([]m.Unwritten, error) {
	return nationals.WriteWith(w, inv, documentSize+len(inv.Items)*lineSize, func(w *xmltree.Writer) ([]m.Unwritten, error) {
		return f.mapping.Write(ctx, w, inv, env)
	})
}

// Uses lists where FatturaPA has a business term or group.
func (f *Format) Uses(term string) []m.Use { return f.mapping.Uses(term) }

// NewLocator gives a Locator for a document.
func (f *Format) NewLocator(doc *xmltree.Document) *m.Locator { return f.mapping.NewLocator(doc) }
