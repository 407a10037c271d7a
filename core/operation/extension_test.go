package operation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestFindingsOfTheExtensionNameTheirMember has one change of an input for each rule of the XRechnung extension, and some other
// rules that reach lines within lines, with the member that the finding names.
func TestFindingsOfTheExtensionNameTheirMember(t *testing.T) {
	s := fullService(t)
	const subLine = "items[0].subItems[0]"
	for _, c := range []struct {
		rule, field, input, is, to string
	}{
		{rule: "BR-DEX-01", field: "attachments[0].mimeType", input: "extension", is: `"application/xml"`, to: `"text/plain"`},
		{rule: "BR-DEX-02", field: subLine + ".subItems[0].netAmount", input: "extension", is: `"unitPrice": 25.00,` + taxed + net, to: `"unitPrice": 25.00,` + taxed + `"netAmount": 90.00,`},
		{rule: "BR-DEX-02", field: subLine + ".netAmount", input: "extension", is: `"netAmount": 100.00,`, to: `"netAmount": 101.00,`},
		{rule: "BR-DEX-03", field: subLine + ".subItems[0].taxCategoryCode", input: "extension",
			is: `"unitPrice": 25.00,` + taxed, to: `"unitPrice": 25.00, "lineSubtype": "INFORMATION",`},
		{rule: "BR-DEX-04", field: "seller.identifiers[0].schemeId", input: "extension-schemes", is: `"KRED-20457", "schemeId": "XR02"`, to: `"KRED-20457", "schemeId": "XR04"`},
		{rule: "BR-DEX-04", field: "buyer.identifiers[0].schemeId", input: "extension-schemes", is: `"DEB-23966", "schemeId": "XR01"`, to: `"DEB-23966", "schemeId": "XR1"`},
		{rule: "BR-DEX-05", field: "seller.registrationScheme", input: "extension-schemes", is: `"registrationScheme": "XR01"`, to: `"registrationScheme": "HRB"`},
		{rule: "BR-DEX-06", field: subLine + ".standardItemId.schemeId", input: "extension-schemes", is: `"SK-4-250", "schemeId": "XR01"`, to: `"SK-4-250", "schemeId": "XR00"`},
		{rule: "BR-DEX-07", field: "buyer.electronicAddress.schemeId", input: "extension-schemes", is: `"anlagenbau.werft", "schemeId": "XR02"`, to: `"anlagenbau.werft", "schemeId": "XR22"`},
		{rule: "BR-DEX-08", field: "delivery.locationIdScheme", input: "extension-schemes", is: `"locationIdScheme": "XR03"`, to: `"locationIdScheme": "XR33"`},
		{rule: "BR-DEX-10", field: "thirdPartyPayments[1].type", input: "extension-full-line", is: `"type": "Gutschein"`, to: `"type": " "`},
		{rule: "BR-DEX-12", field: "thirdPartyPayments[0].description", input: "extension-full-line", is: `"Fracht der Spedition Kogge, im Namen des Käufers verauslagt"`, to: `" "`},
		{rule: "BR-DEX-13", field: "thirdPartyPayments[1].paidAmount", input: "extension-full-line", is: "-20.50", to: "-20.501"},
		{rule: "BR-CL-23", field: "items[0].subItems[1].unit", input: "extension", is: `"unit": "HUR"`, to: `"unit": "Stunden"`},
		{rule: "BR-29", field: subLine + ".servicePeriod", input: "extension-full-line", is: `"2026-06-30"`, to: `"2026-05-30"`},
		{rule: "BR-E-01", field: "items[0].subItems[1]", input: "extension", is: `"unitPrice": 75.00,` + hours, to: `"unitPrice": 75.00, "taxRate": 0, "taxCategoryCode": "E",`},
		{rule: "BR-CL-15", field: subLine + ".originCountry", input: "extension-full-line", is: `"originCountry": "DK"`, to: `"originCountry": "ZZ"`},
	} {
		body, err := os.ReadFile(filepath.Join(inputs, c.input+".json"))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(body), c.is, c.to, 1)
		if changed == string(body) {
			t.Fatalf("%s: %s has no %s", c.rule, c.input, c.is)
		}
		found := findingsOf(t, s, changed)
		if !slices.Contains(found, c.rule+" "+c.field) {
			t.Errorf("%s: %q, want field %s", c.rule, found, c.field)
		}
	}
}

// taxed, hours and net are the tax of two lines and a net amount in the input of the extension.
const (
	taxed = `
                "taxRate": 19,
                "taxCategoryCode": "S",`
	hours = `
            "taxRate": 19,
            "taxCategoryCode": "S",`
	net = `
                "netAmount": 100.00,`
)

// findingsOf gives the rules that fire with their fields.
func findingsOf(t *testing.T, s *Service, body string) (list []string) {
	t.Helper()
	answer, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: []byte(body)})
	var refusal *finding.Refusal
	switch {
	case errors.As(err, &refusal):
		for _, e := range refusal.Errors {
			list = append(list, e.Code+" "+e.Field)
		}
	case err != nil:
		t.Fatal(err)
	default:
		for _, w := range answer.Warnings {
			list = append(list, w.Rule+" "+w.Field)
		}
	}
	return list
}

// TestInputsOfTheExtensionPassTheirRules ensures that what is written by the extension needs no warning.
func TestInputsOfTheExtensionPassTheirRules(t *testing.T) {
	s := fullService(t)
	for _, name := range []string{"extension", "extension-full-line", "extension-schemes"} {
		body, err := os.ReadFile(filepath.Join(inputs, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if found := slices.DeleteFunc(findingsOf(t, s, string(body)), func(f string) bool { return strings.HasSuffix(f, "lineSubtype") }); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// TestWithoutTheExtensionItsMembersAreWarnedOf lists what an invoice without the profile cannot carry.
func TestWithoutTheExtensionItsMembersAreWarnedOf(t *testing.T) {
	body, err := os.ReadFile(filepath.Join(inputs, "extension-left-out.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{" thirdPartyPayments[0].type", " thirdPartyPayments[0].paidAmount", " thirdPartyPayments[0].description", " items[0].subItems"}
	if diff := cmp.Diff(want, findingsOf(t, fullService(t), string(body))); diff != "" {
		t.Error(diff)
	}
}

// TestParsedCreditNotesCanBeGenerated ensures that a credit note which claims the extension is not read as one of it, as the
// extension has none (supplement §1, rule 15).
func TestParsedCreditNotesCanBeGenerated(t *testing.T) {
	s := newService(t)
	source := strings.Replace(string(document(t, "credit-note.xml")), "kosit:xrechnung_3.0<", "kosit:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0<", 1)
	answer, err := s.Parse(context.Background(), ParseRequest{Document: []byte(source)})
	if err != nil || !strings.Contains(source, "extension") || answer.Invoice.Profile != "" {
		t.Fatalf("%v %+v", err, answer)
	}
	if _, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: generateBody(t, answer.Invoice)}); err != nil {
		t.Error(err)
	}
}
