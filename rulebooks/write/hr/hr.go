// Package hr makes the rulebook of the Croatian CIUS and its extension, 1.0.3: the rules of Fiskalizacija 2.0 that come after those
// of EN 16931.
package hr

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// namespaces are those of UBL, of its signatures, and of the extension.
func namespaces() []sch.Namespace {
	return append(sch.UBL(),
		sch.Namespace{Prefix: "sig", URI: "urn:oasis:names:specification:ubl:schema:xsd:CommonSignatureComponents-2"},
		sch.Namespace{Prefix: "hrextac", URI: "urn:mfin.gov.hr:schema:xsd:HRExtensionAggregateComponents-1"})
}

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/hr", texts, []ruletext.Book{{
		Folder: "hr-cius-1.0.3", Title: "HR CIUS and extension 1.0.3 on UBL 2.1", Namespaces: namespaces(),
		Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"},
		Codes: []ruletext.Codes{{Variable: "products", List: "kpd", Version: "hr-cius-1.0.3"}},
	}})
}
