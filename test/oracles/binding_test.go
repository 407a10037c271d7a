package oracles

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func document(root, namespace, specification string) []byte {
	return []byte(`<?xml version="1.0"?><!-- c --><a:` + root + ` xmlns:a="urn:oasis:names:specification:ubl:schema:xsd:` + namespace + `">
		<UBLVersionID>2.1</UBLVersionID><CustomizationID> ` + specification + ` </CustomizationID></a:` + root + `>`)
}

func inCII(specification string) []byte {
	return []byte(`<a:CrossIndustryInvoice xmlns:a="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:b="urn:b"><a:ExchangedDocumentContext>
		<b:BusinessProcessSpecifiedDocumentContextParameter><b:ID>A1</b:ID></b:BusinessProcessSpecifiedDocumentContextParameter>
		<b:GuidelineSpecifiedDocumentContextParameter><b:ID>` + specification + `</b:ID></b:GuidelineSpecifiedDocumentContextParameter></a:ExchangedDocumentContext></a:CrossIndustryInvoice>`)
}

func TestBindingOf_ChoosesByRootAndSpecification(t *testing.T) {
	for name, test := range map[string]struct {
		document []byte
		layers   []string
		raised   Level // of UBL-CR-646
		folder   string
	}{
		"XRechnung invoice":     {document("Invoice", "Invoice-2", xrechnung), []string{xsdInvoice.Layer, cenInvoice.Layer, deInvoice.Layer}, Fatal, ""},
		"XRechnung credit note": {document("CreditNote", "CreditNote-2", xrechnung), []string{xsdCreditNote.Layer, cenCreditNote.Layer, deCreditNote.Layer}, "", ""},
		"XRechnung extension":   {document("Invoice", "Invoice-2", xrechnungExtension), []string{xsdInvoice.Layer, cenInvoice.Layer, deInvoice.Layer}, Information, ""},
		"XRechnung CVD":         {document("CreditNote", "CreditNote-2", xrechnungCVD), []string{xsdCreditNote.Layer, cenCreditNote.Layer, deCreditNote.Layer}, Fatal, ""},
		"plain EN 16931":        {document("Invoice", "Invoice-2", "urn:cen.eu:en16931:2017"), []string{xsdInvoice.Layer, cenInvoice.Layer}, "", ""},
		"no specification":      {[]byte(`<CreditNote xmlns="urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"/>`), []string{xsdCreditNote.Layer, cenCreditNote.Layer}, "", ""},
		"Peppol BIS": {document("Invoice", "Invoice-2", peppolBIS), []string{xsdInvoice.Layer, "eu.peppol.bis3:invoice:2026.5#CEN-EN16931-UBL",
			"eu.peppol.bis3:invoice:2026.5#PEPPOL-EN16931-UBL."}, "", "be"},
		"Peppol self-billing": {document("CreditNote", "CreditNote-2", peppolSelfBilling), []string{xsdCreditNote.Layer,
			"eu.peppol.bis3:creditnote-self-billing:2026.5#CEN-EN16931-UBL", "eu.peppol.bis3:creditnote-self-billing:2026.5#PEPPOL-EN16931-UBL-SB"}, "", "be"},
		"NLCIUS":                {document("Invoice", "Invoice-2", nlcius), []string{xsdInvoice.Layer, "org.simplerinvoicing:invoice:2.0.3-12#si-ubl"}, "", "nl"},
		"XRechnung in CII":      {inCII(xrechnung), []string{xsdCII.Layer, cenCII.Layer, deCII.Layer}, "", ""},
		"plain EN 16931 in CII": {inCII("urn:cen.eu:en16931:2017"), []string{xsdCII.Layer, cenCII.Layer}, "", "documents"},
		"a profile of ZUGFeRD":  {inCII("urn:cen.eu:en16931:2017"), []string{"fr.factur-x:en16931:1.0.8#.xsd", "fr.factur-x:en16931:1.0.8#.xslt"}, "", "zugferd-2.4-en16931"},
		"the newest Factur-X":   {inCII("urn:cen.eu:en16931:2017"), []string{"fr.factur-x:en16931:1.0.9-2#.xsd", "fr.factur-x:en16931:1.0.9-2#.xslt"}, "", "facturx-1.09-en16931"},
	} {
		b, err := bindingOf(test.document, test.folder)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.layers, b.layers()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if b.Levels["UBL-CR-646"] != test.raised {
			t.Errorf("%s: UBL-CR-646 is %q, want %q", name, b.Levels["UBL-CR-646"], test.raised)
		}
	}
}

// A document whose official schema no package registry has is noted as one that fetched files have to judge, and is no valid one before.
func TestBindingOf_NamesSchemasThatAreElsewhere(t *testing.T) {
	old := []byte(`<p:FatturaElettronica xmlns:p="http://www.fatturapa.gov.it/sdi/fatturapa/v1.1"/>`)
	b, err := bindingOf(old, "fatturapa-1.1")
	if err != nil || len(b.layers()) != 0 {
		t.Fatal(b, err)
	}
	v := b.verdict(old, nil)
	if diff := cmp.Diff([]string{"fatturapa-1.1-xsd 1.1"}, v.missing()); diff != "" {
		t.Error(diff)
	}
	v.Accepted("fatturapa-1.1-xsd")
	if missing := v.missing(); missing != nil {
		t.Errorf("accepted, but not judged by %v", missing)
	}
	file := filepath.Join(t.TempDir(), "old.xml")
	if err := os.WriteFile(file, old, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := new(Judge).Verdict(file); err == nil || !strings.Contains(err.Error(), "make fetched") {
		t.Errorf("a verdict without a schema: %v", err)
	}
}

// Documents come in other encodings too; what they declare must not hide which rules are theirs.
func TestBindingOf_ReadsOtherEncodings(t *testing.T) {
	text := strings.Replace(string(document("Invoice", "Invoice-2", xrechnung)), `<?xml version="1.0"?><!-- c -->`, "", 1)
	latin := []byte(`<?xml version="1.0" encoding="ISO-8859-1"?><!-- ` + "\xfc" + ` -->` + text)
	wide := utf16.Encode([]rune("\ufeff" + `<?xml version="1.0" encoding="UTF-16"?><!-- ü -->` + text))
	for name, data := range map[string][]byte{
		"Latin-1":              latin,
		"UTF-16 big endian":    inOrder(binary.BigEndian, wide),
		"UTF-16 little endian": inOrder(binary.LittleEndian, wide),
	} {
		b, err := bindingOf(data, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if b.Specification != xrechnung {
			t.Errorf("%s: bound as %q", name, b.Specification)
		}
	}
}

func inOrder(order binary.AppendByteOrder, units []uint16) []byte {
	var data []byte
	for _, u := range units {
		data = order.AppendUint16(data, u)
	}
	return data
}

func TestBindingOf_RefusesWhatNoRulesAreBoundTo(t *testing.T) {
	for _, document := range []string{"", "no XML", "<Invoice/>", `<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>`} {
		if b, err := bindingOf([]byte(document), ""); err == nil {
			t.Errorf("%q: bound to %v", document, b.layers())
		}
	}
}

// Levels follow KoSIT's configuration, and what has no id is told apart: a schema fault is the document's, a rule set that
// could not be evaluated is never taken for a valid document.
func TestBinding_VerdictPutsLevelsRight(t *testing.T) {
	b, err := bindingOf(document("Invoice", "Invoice-2", xrechnung), "")
	if err != nil {
		t.Fatal(err)
	}
	var layers []layerAnswer
	answer := `[{"findings":[{"id":"","level":"error","text":"cvc","line":3}]},
		{"findings":[{"id":"BR-CL-21","level":"fatal_error"},{"id":"BR-CL-21","level":"fatal_error"},{"id":"UBL-CR-646","level":"warn"},{"id":"BR-02","level":"fatal_error"}]},
		{"findings":[{"id":"BR-DE-TMP-32","level":"info"},{"id":"","level":"error"}]}]`
	if err := json.Unmarshal([]byte(answer), &layers); err != nil {
		t.Fatal(err)
	}
	got := b.verdict([]byte("x"), layers)
	got.Findings = nil
	want := Verdict{
		SHA256:      "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
		RuleSets:    []string{"ubl-invoice-xsd 2.1", "en16931-ubl 1.3.16", "xrechnung-ubl 3.0.2"},
		Fatal:       map[string]int{"XSD": 1, "UBL-CR-646": 1, "BR-02": 1, "NOT-EVALUATED": 1},
		Warning:     map[string]int{"BR-CL-21": 2},
		Information: map[string]int{"BR-DE-TMP-32": 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLevel_RefusesUnknownNames(t *testing.T) {
	var l Level
	if err := l.UnmarshalText([]byte("severe")); err == nil {
		t.Errorf("level = %q, want an error", l)
	}
}
