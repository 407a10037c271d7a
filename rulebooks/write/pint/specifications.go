package pint

import (
	"regexp"

	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

// jurisdiction is what the specifications of a jurisdiction have in common.
type jurisdiction struct {
	title    string
	version  string
	revision string // of the publisher's release
	from     string // day of the publisher's release
	url      string
	book     ruletext.Book  // texts, messages and code lists of its own set
	suffixed *regexp.Regexp // ids of rules that several jurisdictions share and that end in suffix here. Default: none
	suffix   string
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
	texts        []string          // beside those of the jurisdiction
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
	title: "AE", version: "2026.5", revision: "2026.5, PINT AE 1.0.4", from: "2026-05-28", url: "https://docs.peppol.eu/poac/ae/pint-ae/",
	book: ruletext.Book{
		Messages: []string{"messages-categories.txt", "messages-ae.txt"}, Texts: []string{"definitions.txt", "categories.txt", "ae.txt"},
		Codes:       []ruletext.Codes{{Variable: "passportCountries", List: "iso-3166-1", Version: "pint-ae-2026.5", Variant: "ubl", Pattern: "ae-model"}},
		Definitions: map[string]string{"scheme": "VAT", "tolerance": "0.02"},
		Shared:      map[string]string{"ae-model": "pint/ae-model.sch", "ae-codes": "pint/ae-codes.sch"},
	},
}

// tasman is Australia and New Zealand.
var tasman = &jurisdiction{
	title: "A-NZ", version: "1.1.3", revision: "PINT A-NZ 1.1.3", from: "2026-05-21", url: "https://docs.peppol.eu/poac/aunz/pint-aunz/",
	book: ruletext.Book{
		Messages: []string{"messages-categories.txt", "messages-aunz.txt"}, Texts: []string{"definitions.txt", "categories.txt", "aunz.txt"},
		Codes:       []ruletext.Codes{{Variable: "mediaTypes", List: "mime", Version: en16931}},
		Definitions: map[string]string{"scheme": "GST", "tolerance": "1"},
	},
	suffix: "-aunz", suffixed: regexp.MustCompile(`^aligned-ibrp-(032|037|047|048|[egosz]-[0-9]+|sr-1[23])$`),
}

// japan has a specification for sellers who are not registered for its consumption tax, and no credit notes.
var japan = &jurisdiction{
	title: "JP", version: "1.1.3", revision: "PINT JP 1.1.3", from: "2026-05-18", url: "https://docs.peppol.eu/poac/jp/pint-jp/",
	book: ruletext.Book{
		Messages: []string{"messages-categories.txt", "messages-jp.txt"}, Texts: []string{"definitions.txt", "categories.txt", "jp.txt"},
		Definitions: map[string]string{"scheme": "VAT", "tolerance": "0"},
	},
}

// oman has national lists of goods and of activities. An empty value passes.
var oman = &jurisdiction{
	title: "OM", version: "1.0.1", revision: "PINT OM 1.0.1", from: "2026-07-17", url: "https://docs.peppol.eu/poac/om/pint-om/",
	book: ruletext.Book{
		Messages: []string{"messages-om.txt"}, Texts: []string{"definitions.txt", "om.txt"},
		Codes: []ruletext.Codes{
			{Variable: "goods", List: "hs-om", Version: "pint-om-1.0.1", Besides: []string{""}, Pattern: "om-codes"},
			{Variable: "activities", List: "isic-om", Version: "pint-om-1.0.1", Besides: []string{""}, Pattern: "om-codes"},
		},
		Definitions: map[string]string{},
		Shared:      map[string]string{"om-model": "pint/om-model.sch", "om-codes": "pint/om-codes.sch"},
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
	{
		id: "pint-aunz", jurisdiction: tasman, name: "billing", identifier: "urn:peppol:pint:billing-1@aunz-1", types: billed,
		definitions: map[string]string{"specification": "urn:peppol:pint:billing-1@aunz-1", "process": "urn:peppol:bis:billing"},
	},
	{
		id: "pint-aunz-sb", jurisdiction: tasman, name: "self-billing", identifier: "urn:peppol:pint:selfbilling-1@aunz-1",
		types:       documentTypes{invoices: "'389'", creditNotes: "'261'", rule: "ibr-cl-01-aunz-sb"},
		definitions: map[string]string{"specification": "urn:peppol:pint:selfbilling-1@aunz-1", "process": "urn:peppol:bis:selfbilling"},
		renamed:     map[string]string{"aligned-ibrp-001-aunz": "aligned-ibrp-001-aunz-sb", "aligned-ibrp-002": "aligned-ibrp-002-aunz-sb"},
	},
	{
		id: "pint-jp", jurisdiction: japan, name: "billing", identifier: "urn:peppol:pint:billing-1@jp-1", invoicesOnly: true, types: billed,
		texts: []string{"jp-registered.txt", "jp-billing.txt"},
		definitions: map[string]string{
			"specifications": "('urn:fdc:peppol:jp:billing:3.0', 'urn:peppol:pint:billing-1@jp-1')",
			"processes":      "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0|urn:peppol:bis:billing",
			"sellerTax":      "boolean",
		},
	},
	{
		id: "pint-jp-ntr", jurisdiction: japan, name: "non-tax-registered", identifier: "urn:peppol:pint:nontaxinvoice-1@jp-1", invoicesOnly: true,
		types: documentTypes{invoices: "'480'", creditNotes: "()", rule: "ibr-cl-01-jp-ntr"}, texts: []string{"jp-unregistered.txt"},
		definitions: map[string]string{"specifications": "'urn:peppol:pint:nontaxinvoice-1@jp-1'", "processes": "urn:peppol:bis:billing", "sellerTax": "empty"},
		renamed:     map[string]string{"aligned-ibrp-001-jp": "aligned-ibrp-001-jp-ntr", "aligned-ibr-jp-04": "aligned-ibr-jp-04-ntr"},
	},
	{
		id: "pint-jp-sb", jurisdiction: japan, name: "self-billing", identifier: "urn:peppol:pint:selfbilling-1@jp-1", invoicesOnly: true,
		types: documentTypes{invoices: "'389'", creditNotes: "()", rule: "ibr-cl-01-jp-sb"}, texts: []string{"jp-registered.txt"},
		definitions: map[string]string{"specifications": "'urn:peppol:pint:selfbilling-1@jp-1'", "processes": "urn:peppol:bis:selfbilling", "sellerTax": "boolean"},
		renamed:     map[string]string{"aligned-ibrp-001-jp": "aligned-ibrp-001-jp-sb", "aligned-ibrp-002-jp": "aligned-ibrp-002-jp-sb"},
	},
	{
		id: "pint-om", jurisdiction: oman, name: "billing", identifier: "urn:peppol:pint:billing-1@om-1", types: billed,
		definitions: map[string]string{"specification": "urn:peppol:pint:billing-1@om-1", "process": "urn:peppol:bis:billing"},
	},
	{
		id: "pint-om-sb", jurisdiction: oman, name: "self-billing", identifier: "urn:peppol:pint:selfbilling-1@om-1",
		types:       documentTypes{invoices: "'389'", creditNotes: "'261'"},
		definitions: map[string]string{"specification": "urn:peppol:pint:selfbilling-1@om-1", "process": "urn:peppol:bis:selfbilling"},
	},
}
