// Package en16931 makes the rulebooks of EN 16931 1.3.16 from tables: the rules on the use of UBL 2.1 and CII D16B (syntax.sch),
// which are regular, and those on code lists (codes.sch). README.md explains the tables.
package en16931

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

//go:embed *.txt
var tables embed.FS

// Syntaxes are the syntaxes that EN 16931 is bound to, as the names of tables and rulebooks call them.
var Syntaxes = []string{"ubl", "cii"}

// made is what people find at the head of the files.
const made = "made from rulebooks/write/en16931 by go run ./rulebooks/write"

// Files gives the files that the tables make: path below the folder rulebooks, with slashes, to content.
func Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, syntax := range Syntaxes {
		use, err := Use(syntax)
		if err != nil {
			return nil, err
		}
		codes, err := Codes(syntax)
		if err != nil {
			return nil, err
		}
		folder := "books/en16931-" + syntax + "-1.3.16/"
		files[folder+"syntax.sch"], files[folder+"codes.sch"] = use.Bytes(made), codes.Bytes(made)
	}
	return files, nil
}

// Use gives the pattern of the rules on the use of a syntax. Errors name the line of the table.
func Use(syntax string) (*sch.Pattern, error) { return ReadUse(tables, syntax+".txt") }

// ReadUse gives the pattern of a table of use, which another rule set may have of its own. Errors name the line.
func ReadUse(files fs.FS, name string) (*sch.Pattern, error) {
	t, err := readTable(files, name)
	if err != nil {
		return nil, err
	}
	p := &sch.Pattern{ID: "syntax"}
	for t.next() {
		if err := t.rule(p); err != nil {
			return nil, fmt.Errorf("%s: %w", t.place(), err)
		}
	}
	return p, nil
}

// Codes gives the pattern of the rules on code lists of a syntax. Errors name the line of the table.
func Codes(syntax string) (*sch.Pattern, error) { return CodesWith(syntax, Lists{}) }

// CodesWith is Codes with other lists.
func CodesWith(syntax string, which Lists) (*sch.Pattern, error) {
	t, err := readTable(tables, "codes-"+syntax+".txt")
	if err != nil {
		return nil, err
	}
	c := &codeRules{pattern: &sch.Pattern{ID: "codes"}, known: map[string]bool{}, lists: which}
	for t.next() {
		if err := c.add(t); err != nil {
			return nil, fmt.Errorf("%s: %w", t.place(), err)
		}
	}
	return c.pattern, nil
}
