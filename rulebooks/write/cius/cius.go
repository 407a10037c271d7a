// Package cius makes the rulebooks of XRechnung 3.0 (KoSIT, rules 2.5.0) and of Peppol BIS Billing and Self-Billing 3.0.21. They
// share rules: XRechnung has some of Peppol's, and Peppol has the German ones of XRechnung under ids of its own.
package cius

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"einvoiced/rulebooks/sch"
	"einvoiced/rulebooks/write/ruletext"
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
}

// The processes of Peppol's French and billing-with-response specifications, which both Peppol rulebooks allow.
const french = ", 'urn:peppol:france:billing:regulated', 'urn:peppol:france:billing:non-regulated'"

var books = []book{
	{
		Folder: "xrechnung-ubl-3.0.2", Title: "XRechnung 3.0 on UBL 2.1", Namespaces: sch.UBL(), Messages: []string{"messages.txt"},
		Texts:       []string{"definitions.txt", "xrechnung-codes.txt", "xrechnung-ubl.txt", "bis.txt", "german.txt"},
		Definitions: map[string]string{"german": ""},
	},
	{
		Folder: "xrechnung-cii-3.0.2", Title: "XRechnung 3.0 on CII D16B", Namespaces: sch.CII(), Messages: []string{"messages.txt"},
		Texts: []string{"definitions.txt", "xrechnung-codes.txt", "xrechnung-cii.txt"},
	},
	{
		Folder: "peppol-bis-2026.5", Title: "Peppol BIS Billing 3.0.21", Namespaces: sch.UBL(),
		Messages: []string{"messages.txt", "messages-peppol.txt", "messages-national.txt"},
		Texts:    []string{"definitions.txt", "peppol-codes.txt", "peppol.txt", "bis.txt", "national.txt", "german.txt"},
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
		Texts:    []string{"peppol-codes.txt", "peppol.txt", "bis.txt"},
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
	source := ruletext.Source{Files: texts, Messages: words, Definitions: b.Definitions}
	if err := source.Read(s, b.Texts...); err != nil {
		return nil, err
	}
	if strings.HasPrefix(b.Folder, "peppol") {
		renameGerman(s)
	}
	return s, nil
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
