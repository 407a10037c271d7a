// Package ebinterface makes the rules of ebInterface 6.1: what the documentation of the format and the Austrian law on VAT (UStG 1994) ask
// of a document and its schema does not.
package ebinterface

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

var books = []ruletext.Book{{
	Folder: "ebinterface-6.1", Title: "ebInterface 6.1",
	Namespaces: []sch.Namespace{{Prefix: "eb", URI: "http://www.ebinterface.at/schema/6p1/"}, {Prefix: "xs", URI: "http://www.w3.org/2001/XMLSchema"}},
	Messages:   []string{"messages.txt"}, Texts: []string{"rules.txt"},
	Codes: []ruletext.Codes{
		{Variable: "currencies", List: "iso-4217", Version: "en16931-1.3.16"},
		{Variable: "countries", List: "iso-3166-1", Version: "en16931-1.3.16", Variant: "ubl"},
	},
}}

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/ebinterface", texts, books)
}
