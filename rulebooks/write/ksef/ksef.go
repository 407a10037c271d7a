// Package ksef makes the rulebook of the Polish structured invoice FA(3): what the ministry's schema cannot say and KSeF or the law
// (ustawa o VAT, art. 106e) asks of a document.
package ksef

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/ksef", texts, []ruletext.Book{{
		Folder: "ksef-fa3-1-0E", Title: "KSeF FA(3) 1-0E", Namespaces: []sch.Namespace{{Prefix: "fa", URI: "http://crd.gov.pl/wzor/2025/06/25/13775/"}},
		Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"},
	}})
}
