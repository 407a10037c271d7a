package ubl

import (
	"context"
	"strings"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes UBL documents. It is immutable and safe for concurrent use.
type Format struct {
	mapping *m.Mapping[invoice.Invoice]
	tasman  *m.Mapping[invoice.Invoice] // of PINT A-NZ
}

// New compiles the table.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	tasman, err := m.Compile(tasmanTable())
	if err != nil {
		return nil, err
	}
	return &Format{mapping: compiled, tasman: tasman}, nil
}

// by gives the mapping of documents with a specification identifier (BT-24).
func (f *Format) by(specification string) *m.Mapping[invoice.Invoice] {
	if strings.Contains(specification, "@aunz-") {
		return f.tasman
	}
	return f.mapping
}

// of gives the mapping of a document.
func (f *Format) of(doc *xmltree.Document) *m.Mapping[invoice.Invoice] {
	root := doc.Root()
	for c, end := doc.Children(root); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && doc.Local(c) == "CustomizationID" {
			return f.by(doc.String(c))
		}
	}
	return f.mapping
}

// Read reads a document whose root is Invoice or CreditNote of UBL 2.1.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	return f.of(doc).Read(ctx, doc)
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 8 << 10
	lineSize     = 1_200
)

// Write writes the canonical invoice with the given specification identifier (BT-24); a credit note of UNTDID 1001 gets the
// root CreditNote. Sub lines and payments of third parties are written by the extension of XRechnung only. See mapping.Mapping.Write for the result.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, specification string) ([]m.Unwritten, error) {
	return f.write(ctx, w, inv, m.Env{Specification: specification})
}

func (f *Format) write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, env m.Env) ([]m.Unwritten, error) {
	w.Grow(documentSize + len(inv.Items)*lineSize)
	env.Element = elementOf(inv)
	return f.by(env.Specification).Write(ctx, w, inv, env)
}

// Locate tells which member of the invoice made a node of a document; NewLocator is for many nodes of one document.
func (f *Format) Locate(doc *xmltree.Document, at xmltree.Node) m.Place {
	return f.of(doc).Locate(doc, at)
}

// Uses lists where UBL has a business term or group.
func (f *Format) Uses(term string) []m.Use { return f.mapping.Uses(term) }

// NewLocator gives a Locator for a document.
func (f *Format) NewLocator(doc *xmltree.Document) *m.Locator {
	return f.of(doc).NewLocator(doc)
}

// elementOf is the document element of an invoice.
func elementOf(inv *invoice.Invoice) string {
	if en16931.IsCreditNote(inv) {
		return CreditNote
	}
	return Invoice
}
