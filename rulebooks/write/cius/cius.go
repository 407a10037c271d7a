// Package cius makes the rulebooks of XRechnung 3.0 (KoSIT, rules 2.5.0) and of Peppol BIS Billing and Self-Billing 3.0.21. They
// share rules: XRechnung has some of Peppol's, and Peppol has the German ones of XRechnung under ids of its own.
package cius

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Texts gives the texts that the rulebooks are made from, for rule sets that have some of the rules.
func Texts() fs.FS { return texts }

const en16931 = "en16931-1.3.16" // version of lists that are those of EN 16931

// The lists of XRechnung 3.0. The schemes of digital health applications count in the extension, CVD for clean vehicles; an empty
// scheme passes.
var xrechnungCodes = []ruletext.Codes{
	{Variable: "identifierSchemes", List: "iso-6523", Version: "xrechnung-2.5.0", Besides: []string{"", "XR01", "XR02", "XR03"}},
	{Variable: "addressSchemes", List: "eas", Version: "xrechnung-2.5.0", Besides: []string{"", "XR01", "XR02", "XR03"}},
	{Variable: "classificationSchemes", List: "untdid-7143", Version: en16931, Besides: []string{"", "CVD"}},
}

// The lists of Peppol BIS Billing.
var peppolCodes = []ruletext.Codes{
	{Variable: "allowanceReasons", List: "untdid-5189", Version: en16931},
	{Variable: "chargeReasons", List: "untdid-7161", Version: en16931},
	{Variable: "currencies", List: "iso-4217", Version: "peppol-2026.5"},
	{Variable: "addressSchemes", List: "eas", Version: "peppol-2026.5"},
}

// The processes of Peppol's French and billing-with-response specifications, which both Peppol rulebooks allow.
const french = ", 'urn:peppol:france:billing:regulated', 'urn:peppol:france:billing:non-regulated'"

var books = []ruletext.Book{
	{
		Folder: "xrechnung-ubl-3.0.2", Title: "XRechnung 3.0 on UBL 2.1", Namespaces: sch.UBL(), Messages: []string{"messages.txt"},
		Texts:       []string{"definitions.txt", "xrechnung-ubl.txt", "bis.txt", "german.txt"},
		Definitions: map[string]string{"german": ""}, Codes: xrechnungCodes,
	},
	{
		Folder: "xrechnung-cii-3.0.2", Title: "XRechnung 3.0 on CII D16B", Namespaces: sch.CII(), Messages: []string{"messages.txt"},
		Texts: []string{"definitions.txt", "xrechnung-cii.txt"}, Codes: xrechnungCodes,
	},
	{
		Folder: "peppol-bis-2026.5", Title: "Peppol BIS Billing 3.0.21", Namespaces: sch.UBL(), Finish: renameGerman,
		Messages: []string{"messages.txt", "messages-peppol.txt", "messages-national.txt"},
		Texts:    []string{"definitions.txt", "peppol.txt", "bis.txt", "national.txt", "german.txt"}, Codes: peppolCodes,
		Definitions: map[string]string{
			"german":         "[$bothGerman]",
			"specification":  "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0",
			"process":        "'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'",
			"boundProcesses": "('urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'" + french + ", 'urn:peppol:bis:billing_with_response')",
			"invoiceTypes": "('71', '80', '82', '84', '102', '218', '219', '326', '331', '380', '382', '383', '384', '386', '388', '393', '395', " +
				"'553', '575', '623', '780', '817', '870', '875', '876', '877')",
			"creditNoteTypes": "('381', '396', '81', '83', '532')",
			"taxAmounts":      "cac:TaxTotal[cac:TaxSubtotal]/cbc:TaxAmount | cac:TaxSubtotal/cbc:TaxAmount",
		},
	},
	{
		Folder: "peppol-sb-2026.5", Title: "Peppol BIS Self-Billing 3.0.21", Namespaces: sch.UBL(), Finish: renameGerman,
		Messages: []string{"messages.txt", "messages-peppol.txt"},
		Texts:    []string{"peppol.txt", "bis.txt"}, Codes: peppolCodes,
		Definitions: map[string]string{
			"specification":   "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0",
			"process":         "'urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0'",
			"boundProcesses":  "('urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0'" + french + ")",
			"invoiceTypes":    "('389', '527')",
			"creditNoteTypes": "('261')",
			"taxAmounts":      "cac:TaxTotal[cac:TaxSubtotal]/cbc:TaxAmount",
		},
	},
}

// Files gives the Schematron of all rulebooks.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/cius", texts, books)
}

// renameGerman gives the German rules the ids that Peppol has for them.
func renameGerman(s *sch.Schema) {
	for p := range s.Patterns {
		for r := range s.Patterns[p].Rules {
			for a := range s.Patterns[p].Rules[r].Assertions {
				id := &s.Patterns[p].Rules[r].Assertions[a].ID
				*id = peppolID(*id)
			}
		}
	}
}

var germanID = regexp.MustCompile(`^BR-(?:DE|TMP)-(\d+)(-[ab])?$`)

// peppolID is DE-R-023-1 for BR-DE-23-a; the provisional BR-TMP-2 is DE-R-T02. Other ids stay.
func peppolID(id string) string {
	parts := germanID.FindStringSubmatch(id)
	if parts == nil {
		return id
	}
	number := fmt.Sprintf("%03s", parts[1])
	if strings.HasPrefix(id, "BR-TMP") {
		number = fmt.Sprintf("T%02s", parts[1])
	}
	return "DE-R-" + number + strings.NewReplacer("a", "1", "b", "2").Replace(parts[2])
}
