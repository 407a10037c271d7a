// Package fr makes the rulebooks of France CTC 1.4 (FNFE-MPE): BR-FR, what French law and the French platforms ask of an invoice.
package fr

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

const version = "1.4.0.03"

var books = []ruletext.Book{
	{
		Folder: "fr-br-ubl-" + version, Title: "France CTC 1.4, BR-FR on UBL 2.1", Namespaces: sch.UBL(),
		Messages: []string{"messages-form.txt", "messages.txt"}, Texts: []string{"definitions.txt", "br-ubl.txt"},
		Definitions: map[string]string{"process": "(/ubl:Invoice | /cn:CreditNote)/cbc:ProfileID"},
	},
	{
		Folder: "fr-br-cii-" + version, Title: "France CTC 1.4, BR-FR on CII D16B", Namespaces: sch.CII(),
		Messages: []string{"messages-form.txt", "messages.txt"}, Texts: []string{"definitions.txt", "br-cii.txt"},
		Definitions: map[string]string{
			"process": "/rsm:CrossIndustryInvoice/rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID",
		},
	},
}

// Files gives the Schematron of all rulebooks.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/fr", texts, books)
}
