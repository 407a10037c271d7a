package pint

import "github.com/einvoiced/einvoiced/rulebooks/write/ruletext"

// jurisdiction is what the specifications of a jurisdiction have in common.
type jurisdiction struct {
	title    string
	version  string
	revision string // of the publisher's release
	url      string
	book     ruletext.Book // texts, messages and code lists of its own set
}

// documentTypes are the codes of IBT-3 that a base set allows, as XPath sequences, and the id of the rule about them.
type documentTypes struct {
	invoices, creditNotes string
	rule                  string // default: ibr-cl-01
}

// specification is a PINT specification of a jurisdiction.
type specification struct {
	id           string // of its own rulebook
	jurisdiction *jurisdiction
	name         string // after that of the jurisdiction
	identifier   string // of the specification (IBT-24)
	invoicesOnly bool   // there are no credit notes
	types        documentTypes
	definitions  map[string]string // for the texts
	renamed      map[string]string // ids that differ from those in the texts
}

func (s *specification) title() string { return "PINT " + s.jurisdiction.title + " " + s.name }

// billed are the types of a seller's documents, of UNTDID 1001.
var billed = documentTypes{
	invoices: "('71', '80', '82', '84', '102', '218', '219', '331', '380', '382', '383', '386', '388', '393', '395', '480', '553', '575', '623', " +
		"'780', '817', '870', '875', '876', '877')",
	creditNotes: "('81', '83', '381', '396', '532')",
}

// emirates is the United Arab Emirates. The publisher calls its release 2026.5, the specification 1.0.4.
var emirates = &jurisdiction{
	title: "AE", version: "2026.5", revision: "2026.5, PINT AE 1.0.4", url: "https://docs.peppol.eu/poac/ae/pint-ae/",
	book: ruletext.Book{
		Messages: []string{"messages-categories.txt", "messages-ae.txt"}, Texts: []string{"definitions.txt", "categories.txt", "ae.txt"},
		Codes:       []ruletext.Codes{{Variable: "passportCountries", List: "iso-3166-1", Version: "pint-ae-2026.5", Variant: "ubl", Pattern: "ae-model"}},
		Definitions: map[string]string{"scheme": "VAT", "tolerance": "0.02"},
		Shared:      map[string]string{"ae-model": "pint/ae-model.sch", "ae-codes": "pint/ae-codes.sch"},
	},
}

// specifications lists all of them.
var specifications = []specification{
	{
		id: "pint-ae", jurisdiction: emirates, name: "billing", identifier: "urn:peppol:pint:billing-1@ae-1",
		types: documentTypes{invoices: "('380', '480')", creditNotes: "('381', '81')"},
	},
	{
		id: "pint-ae-sb", jurisdiction: emirates, name: "self-billing", identifier: "urn:peppol:pint:selfbilling-1@ae-1",
		types: documentTypes{invoices: "('389', '480')", creditNotes: "('261', '81')"},
	},
}
