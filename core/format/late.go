package format

import (
	"context"
	"sync"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Late gives the codec of a table that is compiled when it is first used: a table takes milliseconds and megabytes, and a process uses few
// of them. Its methods panic where compile fails, which the tests of the catalogue rule out for what ships.
func Late(compile func() (Codec, error)) Codec {
	return &late{sync.OnceValue(func() Codec {
		codec, err := compile()
		if err != nil {
			panic(err)
		}
		return codec
	})}
}

type late struct{ codec func() Codec }

// Read implements Codec.
func (l *late) Read(ctx context.Context, doc *xmltree.Document) (*Reading, error) {
	return l.codec().Read(ctx, doc)
}

// Write implements Codec.
func (l *late) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as Edition) ([]mapping.Unwritten, error) {
	return l.codec().Write(ctx, w, inv, as)
}

// Locator implements Codec.
func (l *late) Locator(doc *xmltree.Document, inv *invoice.Invoice) Locator {
	return l.codec().Locator(doc, inv)
}

// Uses implements Codec.
func (l *late) Uses(term string) []mapping.Use { return l.codec().Uses(term) }
