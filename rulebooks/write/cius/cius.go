// Package cius makes the rulebooks of XRechnung 3.0 (KoSIT, rules 2.5.0) and of Peppol BIS Billing and Self-Billing 3.0.21. They
// share rules: XRechnung has some of Peppol's, and Peppol has the German ones of XRechnung under ids of its own.
package cius

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/lists"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// book is a rulebook and the texts that it is made from.
type book struct {
	Folder, Title string
	Namespaces    []sch.Namespace
	Messages      []string // of several for one rule the last counts
	Texts         []string
	Definitions   map[string]string
	Codes         []codes
}

// codes is a variable of a rulebook that holds a code list.
type codes struct {
	Variable      string
	List, Version string   // of package lists
	Besides       []string // further values that count
}

const en16931 = "en16931-1.3.16" // version of lists that are those of EN 16931

// The lists of XRechnung 3.0. The schemes of digital health applications count in the extension, CVD for clean vehicles; an empty
// scheme passes.
var xrechnungCodes = []codes{
	{"identifierSchemes", "iso-6523", "xrechnung-2.5.0", []string{"", "XR01", "XR02", "XR03"}},
	{"addressSchemes", "eas", "xrechnung-2.5.0", []string{"", "XR01", "XR02", "XR03"}},
	{"classificationSchemes", "untdid-7143", en16931, []string{"", "CVD"}},
}

// The lists of Peppol BIS Billing.
var peppolCodes = []codes{
	{"allowanceReasons", "untdid-5189", en16931, nil},
	{"chargeReasons", "untdid-7161", en16931, nil},
	{"currencies", "iso-4217", "peppol-2026.5", nil},
	{"addressSchemes", "eas", "peppol-2026.5", nil},
}

// The processes of Peppol's French and billing-with-response specifications, which both Peppol rulebooks allow.
const french = ", 'urn:peppol:france:billing:regulated', 'urn:peppol:france:billing:non-regulated'"

var books = []book{
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
		Folder: "peppol-bis-2026.5", Title: "Peppol BIS Billing 3.0.21", Namespaces: sch.UBL(),
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
		Folder: "peppol-sb-2026.5", Title: "Peppol BIS Self-Billing 3.0.21", Namespaces: sch.UBL(),
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
	files := map[string][]byte{}
	words := map[string]ruletext.Message{}
	var schemas []*sch.Schema
	for _, b := range books {
		own, err := b.messages()
		if err != nil {
			return nil, err
		}
		schema, err := b.schema(own)
		if err != nil {
			return nil, fmt.Errorf("rules of %s: %w", b.Folder, err)
		}
		maps.Copy(words, own)
		schemas = append(schemas, schema)
		files["books/"+b.Folder+"/rules.sch"] = schema.Bytes()
	}
	if unused := ruletext.Unused(words, schemas...); len(unused) > 0 {
		return nil, fmt.Errorf("there are messages for rules that are not there: %q", unused)
	}
	return files, nil
}

func (b *book) messages() (map[string]ruletext.Message, error) {
	words := map[string]ruletext.Message{}
	for _, name := range b.Messages {
		text, err := texts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		read, err := ruletext.Messages(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s, %w", name, err)
		}
		maps.Copy(words, read)
	}
	return words, nil
}

func (b *book) schema(words map[string]ruletext.Message) (*sch.Schema, error) {
	s := &sch.Schema{
		Comment:    "made by go run ./rulebooks/write from the texts in rulebooks/write/cius",
		Title:      b.Title,
		Namespaces: b.Namespaces,
	}
	for _, c := range b.Codes {
		value, err := c.value()
		if err != nil {
			return nil, err
		}
		s.Lets = append(s.Lets, sch.Let{Name: c.Variable, Value: value})
	}
	source := ruletext.Source{Files: texts, Messages: words, Definitions: b.Definitions}
	if err := source.Read(s, b.Texts...); err != nil {
		return nil, err
	}
	if strings.HasPrefix(b.Folder, "peppol") {
		renameGerman(s)
	}
	return s, nil
}

// value gives the codes as an XPath sequence of strings.
func (c *codes) value() (string, error) {
	list, err := lists.Open(c.List, c.Version)
	if err != nil {
		return "", err
	}
	values, err := list.Variant("")
	if err != nil {
		return "", err
	}
	return "('" + strings.Join(slices.Concat(c.Besides, values), "', '") + "')", nil
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
