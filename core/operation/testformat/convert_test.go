package testformat

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
)

// into asks for a conversion of a document without its self-check.
func into(document []byte, country, format string) operation.ConvertRequest {
	return operation.ConvertRequest{Document: document, Options: invoice.ConvertBody{TargetCountry: country, TargetFormat: format, Validate: new(bool)}}
}

// TestLeaflet_IsConvertedIntoUBL ensures that the format is a source without being told of, and that what the target has no use for
// stands in the warnings with its place in the leaflet.
func TestLeaflet_IsConvertedIntoUBL(t *testing.T) {
	source := strings.Replace(document, "<Due>", "<Due note=\"cash\">", 1)
	answer, err := service(t).Convert(t.Context(), into([]byte(source), "DE", "xrechnung"))
	if err != nil {
		t.Fatal(err)
	}
	got := squeezed(string(answer.Data))
	for _, part := range []string{"<cbc:ID>L-1</cbc:ID>", "<cbc:IssueDate>2026-03-02</cbc:IssueDate>", "<cbc:RegistrationName>Papper AB</cbc:RegistrationName>",
		`<cbc:InvoicedQuantity unitCode="C62">2.00</cbc:InvoicedQuantity>`, "<cbc:Name>size</cbc:Name><cbc:Value>A7</cbc:Value>"} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is missing in %s", part, got)
		}
	}
	if answer.SourceFormat != "leaflet" || answer.TargetFormat != "xrechnung" || answer.Detection.Format != "LEAFLET" || answer.Filename != "L-1-xrechnung.xml" {
		t.Errorf("%+v", answer)
	}
	if w := answer.ConversionWarnings; len(w) != 2 || w[0].Code != finding.ElementNotMapped || w[0].Field != "/Leaflet/Due/@note" || !strings.HasPrefix(w[1].Message, "BT-115 at /Leaflet/Due ") {
		t.Errorf("not carried: %+v", w)
	}
}

// TestLeaflet_IsMadeOfUBL ensures that the format is a target: every term that a leaflet has no place for is listed with its place in the
// source, each entry of a list by itself, and the leaflet's rules judge it.
func TestLeaflet_IsMadeOfUBL(t *testing.T) {
	s := service(t)
	ubl, err := s.Convert(t.Context(), into([]byte(document), "DE", "xrechnung"))
	if err != nil {
		t.Fatal(err)
	}
	source := strings.NewReplacer("<cac:InvoiceLine>",
		`<cac:LegalMonetaryTotal><cbc:TaxInclusiveAmount currencyID="SEK">125.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal><cac:InvoiceLine>`, "</cac:Item>",
		"<cac:AdditionalItemProperty><cbc:Name>n</cbc:Name><cbc:Value>v</cbc:Value></cac:AdditionalItemProperty></cac:Item>",
		"<cbc:DocumentCurrencyCode>", "<cbc:Note>first</cbc:Note><cbc:Note>second</cbc:Note><cbc:DocumentCurrencyCode>",
		"<cbc:Description>Cards", "<cbc:Description>long").Replace(string(ubl.Data))
	req := into([]byte(source), "", "leaflet")
	req.Options.Validate = nil
	answer, err := s.Convert(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Rulebooks) != 1 || answer.Rulebooks[0].ID != "leaflet" || !strings.Contains(squeezed(string(answer.Data)), "<Fact><Name>n</Name><Value>v</Value></Fact>") {
		t.Errorf("judged by %v: %s", answer.Rulebooks, answer.Data)
	}
	for _, want := range []struct{ field, term string }{
		{"/Invoice/cbc:Note[1]", "BG-1 BT-21 BT-22 at "}, {"/Invoice/cbc:Note[2]", "BG-1 BT-21 BT-22 at "},
		{"/Invoice/cac:InvoiceLine/cac:Item/cbc:Description", "BT-154 at "},
	} {
		if !slices.ContainsFunc(answer.ConversionWarnings, func(w finding.Finding) bool {
			return w.Field == want.field && strings.HasPrefix(w.Message, want.term) && strings.Contains(w.Message, "Leaflet has no place for it")
		}) {
			t.Errorf("%s is not told: %+v", want.field, answer.ConversionWarnings)
		}
	}
	foreign := into([]byte(strings.Replace(source, "IdentificationCode>SE<", "IdentificationCode>DK<", 1)), "SE", "leaflet")
	foreign.Options.Validate = nil
	refusal := refusalOf(t, errorOf(s.Convert(t.Context(), foreign)))
	if refusal.Code != finding.ConversionFailed || refusal.Errors[0].Code != "LEAF-1" || refusal.Errors[0].Field != "seller.countryCode" ||
		!strings.Contains(refusal.Errors[0].Message, "(in the source: /Invoice/cac:AccountingSupplierParty/") {
		t.Errorf("%+v", refusal)
	}
}

func errorOf(_ *operation.ConvertAnswer, err error) error { return err }
