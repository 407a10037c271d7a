// Package edition makes the copies of EN 16931's rules that the rule sets of other publishers hold instead of running beside them.
// They are the rules of EN 16931 1.3.16 with edits.
package edition

import (
	"fmt"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/en16931"
	"github.com/einvoiced/einvoiced/rulebooks/write/model"
)

// Edits says how a copy differs from EN 16931 1.3.16. The zero value is a copy without differences.
type Edits struct {
	Model sch.Edit      // business rules
	Use   sch.Edit      // rules on the use of the syntax
	Codes sch.Edit      // rules on code lists
	Lists en16931.Lists // that count
}

// Patterns gives the copy for a syntax, ubl or cii. Errors name the pattern, and what an edit names that is not there.
func (e *Edits) Patterns(syntax string) ([]sch.Pattern, error) {
	var all []sch.Pattern
	for _, part := range []struct {
		make func(syntax string) (*sch.Pattern, error)
		edit *sch.Edit
	}{{model.Pattern, &e.Model}, {en16931.Use, &e.Use}, {e.codes, &e.Codes}} {
		pattern, err := part.make(syntax)
		if err != nil {
			return nil, fmt.Errorf("EN 16931 on %s: %w", syntax, err)
		}
		edited, err := part.edit.Apply(pattern)
		if err != nil {
			return nil, fmt.Errorf("EN 16931 on %s: %w", syntax, err)
		}
		all = append(all, edited)
	}
	return all, nil
}

func (e *Edits) codes(syntax string) (*sch.Pattern, error) { return en16931.CodesWith(syntax, e.Lists) }
