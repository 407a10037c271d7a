// Package pt makes the rulebook of CIUS-PT 2.1.1. It holds the publisher's edited copy of the rules of EN 16931 on the use of UBL,
// and their own business rules, formats and sums in the place of those of EN 16931.
package pt

import (
	"embed"
	"fmt"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	syntax, err := syntax()
	if err != nil {
		return nil, fmt.Errorf("use of UBL in CIUS-PT: %w", err)
	}
	formats, err := formats()
	if err != nil {
		return nil, fmt.Errorf("formats of CIUS-PT: %w", err)
	}
	return ruletext.Files("rulebooks/write/pt", texts, []ruletext.Book{{
		Folder: "cius-pt-2.1.1", Title: "CIUS-PT 2.1.1 on UBL 2.1", Namespaces: sch.UBL(), Base: []sch.Pattern{syntax, formats},
		Messages: []string{"messages.txt", "messages-notes.txt"}, Texts: []string{"business.txt", "notes.txt", "amounts.txt"},
		Codes: []ruletext.Codes{{Variable: "currencies", List: "iso-4217", Version: listVersion}},
	}})
}
