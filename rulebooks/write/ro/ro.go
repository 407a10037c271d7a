// Package ro makes the rulebook of CIUS-RO 1.0.9, the rules of RO e-Factura that come after those of EN 16931.
package ro

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

var books = []ruletext.Book{{
	Folder: "cius-ro-1.0.9", Title: "CIUS-RO 1.0.1 on UBL 2.1, rules 1.0.9", Namespaces: sch.UBL(),
	Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"},
	Codes: []ruletext.Codes{{Variable: "counties", List: "iso-3166-2-ro", Version: "cius-ro-1.0.9"}},
}}

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) { return ruletext.Files("rulebooks/write/ro", texts, books) }
