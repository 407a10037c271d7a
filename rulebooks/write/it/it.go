// Package it makes the rulebook of FatturaPA 1.2.3: the checks of the Sistema di Interscambio that the document alone decides, by its codes.
package it

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/it", texts, []ruletext.Book{{
		Folder: "fatturapa-1.2.3", Title: "FatturaPA 1.2.3, checks of the Sistema di Interscambio",
		Namespaces: []sch.Namespace{{Prefix: "p", URI: "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"}},
		Messages:   []string{"messages.txt"}, Texts: []string{"rules.txt"},
	}})
}
