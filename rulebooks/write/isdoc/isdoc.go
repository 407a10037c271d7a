// Package isdoc makes the rules of ISDOC 6.0.2: those of the format's own rule set, and what else a document can be held against.
package isdoc

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/isdoc", texts, []ruletext.Book{{
		Folder: "isdoc-6.0.2", Title: "ISDOC 6.0.2",
		Namespaces: []sch.Namespace{{Prefix: "i", URI: "http://isdoc.cz/namespace/2013"}, {Prefix: "xs", URI: "http://www.w3.org/2001/XMLSchema"}},
		Messages:   []string{"messages.txt"}, Texts: []string{"rules.txt"},
	}})
}
