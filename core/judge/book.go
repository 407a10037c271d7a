package judge

import (
	"fmt"

	"einvoiced/core/rulebook"
	"einvoiced/core/schematron"
)

// OfBook compiles what a rulebook judges by. Errors have the reason rulebook.LoadFailed.
func OfBook(b *rulebook.Book) (*Set, error) {
	rulesets, err := b.Rulesets()
	if err != nil {
		return nil, err
	}
	s := &Set{}
	for i, r := range rulesets {
		file := b.Manifest.Rules[i]
		program, err := schematron.Compile(r, b.FS(), schematron.CompileOptions{Phase: file.Phase})
		if err != nil {
			return nil, &rulebook.Error{Reason: rulebook.LoadFailed, Book: b.Name(), Cause: fmt.Errorf("compile %s: %w", file.File, err)}
		}
		s.Rules = append(s.Rules, program)
	}
	return s, nil
}
