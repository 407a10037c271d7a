// Package fr makes the rulebooks of France CTC 1.4 (FNFE-MPE): BR-FR, what French law and the French platforms ask of an invoice,
// and EXTENDED-CTC-FR, the rules of EN 16931 as the French extension has them.
package fr

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// version is the publisher's, of all rulebooks.
const version = "1.4.0.03"

// on is what differs between the syntaxes.
type on struct {
	syntax, title string
	namespaces    []sch.Namespace
	process       string // where BT-23 stands
}

var syntaxes = []on{
	{"ubl", "UBL 2.1", sch.UBL(), "(/ubl:Invoice | /cn:CreditNote)/cbc:ProfileID"},
	{"cii", "CII D16B", sch.CII(), "/rsm:CrossIndustryInvoice/rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"},
}

// The lists of EXTENDED-CTC-FR. It takes XML for attachments, and terms of delivery that are empty.
var extendedCodes = []ruletext.Codes{
	{Variable: "partySchemes", List: "iso-6523", Version: "factur-x-parties-1.09"},
	{Variable: "chargeReasons", List: "untdid-7161", Version: "en16931-1.3.16"},
	{Variable: "allowanceReasons", List: "untdid-5189", Version: "en16931-1.3.16"},
	{Variable: "referenceTypes", List: "untdid-1153", Version: "en16931-1.3.16"},
	{Variable: "taxTypes", List: "untdid-5153", Version: "factur-x-charges-1.09"},
	{Variable: "mediaTypes", List: "mime", Version: "en16931-1.3.16", Besides: []string{"application/xml", "text/xml"}},
	{Variable: "deliveryTerms", List: "untdid-4053", Version: "factur-x-1.07", Besides: []string{""}},
	{Variable: "characteristics", List: "untdid-6313", Version: "factur-x-1.07"},
}

// Files gives the Schematron of all rulebooks.
func Files() (map[string][]byte, error) {
	var books []ruletext.Book
	for _, s := range syntaxes {
		extended, err := base(s.syntax)
		if err != nil {
			return nil, err
		}
		books = append(books, ruletext.Book{
			Folder: "fr-br-" + s.syntax + "-" + version, Title: "France CTC 1.4, BR-FR on " + s.title, Namespaces: s.namespaces,
			Messages: []string{"messages-form.txt", "messages.txt"}, Texts: []string{"definitions.txt", "br-" + s.syntax + ".txt"},
			Definitions: map[string]string{"process": s.process},
		}, ruletext.Book{
			Folder: "fr-ext-" + s.syntax + "-" + version, Title: "France CTC 1.4, EXTENDED-CTC-FR on " + s.title, Namespaces: s.namespaces,
			Base: extended, Messages: []string{"messages-ext.txt", "messages-ext-syntax.txt"}, Texts: []string{"ext-" + s.syntax + ".txt"},
			Codes: extendedCodes, Finish: finish,
		})
	}
	return ruletext.Files("rulebooks/write/fr", texts, books)
}
