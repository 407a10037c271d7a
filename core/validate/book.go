package validate

import "github.com/einvoiced/einvoiced/core/rulebook"

// OfBook gives what a rulebook judges by; it is compiled when first asked for, once for each rulebook. Errors have the reason
// rulebook.LoadFailed.
func OfBook(b *rulebook.Book) (*Set, error) {
	programs, err := b.Programs()
	if err != nil {
		return nil, err
	}
	schemas, err := b.Schemas()
	if err != nil {
		return nil, err
	}
	return &Set{Rules: programs, Schemas: schemas}, nil
}
