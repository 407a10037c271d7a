package rulebook

import (
	"slices"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// With gives the rulebooks with one in the place of another and of all its versions, in force on each day and under that one's id. Where
// the two have different ids, or the new one has no bindings, it judges the documents that the other one is bound to, or another version
// of that.
func (g *Generation) With(book, insteadOf *Book) (*Generation, error) {
	manifest := *book.Manifest
	manifest.ID, manifest.Valid, manifest.Announce = insteadOf.Manifest.ID, rulebooks.Period{}, false
	if book.Manifest.ID != insteadOf.Manifest.ID {
		manifest.Bindings = nil
	}
	for _, other := range append([]*Book{insteadOf}, g.byID[manifest.ID]...) {
		if len(manifest.Bindings) == 0 {
			manifest.Bindings = other.Manifest.Bindings
		}
	}
	stand := &Book{Manifest: &manifest, Layer: book.Layer, Digest: book.Digest, files: book.files}
	stand.adopt(book)
	books := slices.DeleteFunc(slices.Clone(g.books), func(b *Book) bool { return b.Manifest.ID == manifest.ID })
	return newGeneration(append(books, stand))
}
