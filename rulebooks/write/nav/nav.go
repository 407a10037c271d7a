// Package nav makes the rulebook of InvoiceData of NAV Online Számla 3.0: what the schema cannot say and the business validation of the
// Hungarian tax authority asks of a document, as far as the document alone decides it.
package nav

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/nav", texts, []ruletext.Book{{
		Folder: "nav-3.0", Title: "NAV Online Számla 3.0",
		Namespaces: []sch.Namespace{{Prefix: "nav", URI: "http://schemas.nav.gov.hu/OSA/3.0/data"}, {Prefix: "base", URI: "http://schemas.nav.gov.hu/OSA/3.0/base"},
			{Prefix: "xs", URI: "http://www.w3.org/2001/XMLSchema"}},
		Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"},
	}})
}
