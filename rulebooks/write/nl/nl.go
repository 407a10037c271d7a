// Package nl makes the rulebooks of the Netherlands: NLCIUS on UBL, which is SI-UBL 2.0, its extension for G-accounts, and NLCIUS on
// CII. Their publisher merges the rules of EN 16931 into each of them.
package nl

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/edition"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// prefix is what the specification identifier of SI-UBL 2.0 begins with, as XPath.
const prefix = "'urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0'"

// gaccount leaves out the rules against several payment terms with references and amounts, which the extension needs.
var gaccount = edition.Edits{Use: sch.Edit{Without: []string{"UBL-CR-411", "UBL-CR-453", "UBL-CR-459"}}}

// nlciusCII has a rule of an older EN 16931: it is the buyer's tax representative that must not be there.
var nlciusCII = edition.Edits{Use: sch.Edit{Changes: map[string]sch.Assertion{"CII-SR-282": {
	ID: "CII-SR-282", Flag: "warning", Test: "not(ram:BuyerTaxRepresentativeTradeParty)",
	Text: "ram:BuyerTaxRepresentativeTradeParty is not part of EN 16931. Remove it.",
}}}}

// books lists the rulebooks without the rules of EN 16931.
func books() []ruletext.Book {
	return []ruletext.Book{
		{
			Folder: "nl-ubl-2.0.3.13", Title: "NLCIUS on UBL 2.1 (SI-UBL 2.0)", Namespaces: sch.UBL(), Definitions: map[string]string{"prefix": prefix},
			Messages: []string{"messages.txt", "messages-ubl.txt"}, Texts: []string{"si-ubl.txt", "nlcius-ubl.txt"},
		},
		{
			Folder: "nl-gaccount-1.0.13", Title: "SI-UBL 2.0 with a G-account", Namespaces: sch.UBL(), Definitions: map[string]string{"prefix": prefix},
			Messages: []string{"messages.txt", "messages-ubl.txt"}, Texts: []string{"gaccount.txt", "nlcius-ubl.txt"},
		},
		{
			Folder: "nl-cii-1.0.3.13", Title: "NLCIUS on CII D16B", Namespaces: sch.CII(),
			Messages: []string{"messages.txt", "messages-cii.txt"}, Texts: []string{"nlcius-cii.txt"},
		},
	}
}

// Files gives the Schematron of all rulebooks.
func Files() (map[string][]byte, error) {
	all := books()
	for i, e := range []struct {
		syntax string
		edits  edition.Edits
	}{{"ubl", edition.Edits{}}, {"ubl", gaccount}, {"cii", nlciusCII}} {
		base, err := e.edits.Patterns(e.syntax)
		if err != nil {
			return nil, err
		}
		all[i].Base = base
	}
	return ruletext.Files("rulebooks/write/nl", texts, all)
}
