// Package testformat adds a format to the service without touching anything but the list of its catalogue: a proof that a format is one
// folder and its rows.
package testformat

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// service knows what ships and the leaflet.
func service(t *testing.T) *operation.Service {
	t.Helper()
	list, err := entry(catalogue.List())
	if err != nil {
		t.Fatal(err)
	}
	formats, err := format.New(list)
	if err != nil {
		t.Fatal(err)
	}
	layer := rulebook.Layer{Name: "test", Open: func() (fs.FS, error) { return os.DirFS("testdata"), nil }}
	books, err := rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{layer}})
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	s, err := operation.New(operation.Config{Formats: formats, Rulebooks: books.In, Now: func() time.Time { return day }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// body is a request to generate; pairs of texts are replaced in it.
func body(pairs ...string) []byte {
	const invoice = `{"invoice": {"type": "invoice", "invoiceNumber": "L-1", "issueDate": "2026-03-02", "currency": "SEK",
		"seller": {"name": "Papper AB", "countryCode": "SE", "street": "Gatan 1", "city": "Lund", "postalCode": "22100", "vatId": "SE123456789001"},
		"buyer": {"name": "Kund AB", "countryCode": "SE", "street": "Gatan 2", "city": "Lund", "postalCode": "22100"},
		"items": [{"description": "Cards", "quantity": 2, "unit": "C62", "unitPrice": 50.00, "taxRate": 25, "netAmount": 100.00, "taxAmount": 25.00,
			"attributes": [{"name": "colour", "value": "red"}, {"name": "size", "value": "A7"}]}],
		"taxSummary": [{"taxRate": 25, "netAmount": 100.00, "taxAmount": 25.00}], "subtotal": 100.00, "total": 125.00}}`
	return []byte(strings.NewReplacer(pairs...).Replace(invoice))
}

// document is the leaflet of body.
const document = `<?xml version="1.0" encoding="UTF-8"?>
<Leaflet xmlns="urn:example:leaflet:1"><Number>L-1</Number><Day>2026-03-02</Day><Currency>SEK</Currency>` +
	`<Seller><Name>Papper AB</Name><Country>SE</Country></Seller><Buyer><Name>Kund AB</Name><Country>SE</Country></Buyer>` +
	`<Part><Text>Cards</Text><Fact><Name>colour</Name><Value>red</Value></Fact><Fact><Name>size</Name><Value>A7</Value></Fact>` +
	`<Quantity unit="piece">2</Quantity><Amount>100.00</Amount></Part><Due>125.00</Due></Leaflet>`

// TestLeaflet_IsGenerated ensures that the document is written and judged by its own rulebook, and that the caller hears of every
// member that has no place in it.
func TestLeaflet_IsGenerated(t *testing.T) {
	answer, err := service(t).Generate(t.Context(), operation.GenerateRequest{Country: "se", Format: "leaflet", Body: body()})
	if err != nil {
		t.Fatal(err)
	}
	if got := squeezed(string(answer.Data)); got != squeezed(document) {
		t.Errorf("got %s", got)
	}
	if len(answer.Rulebooks) != 1 || answer.Rulebooks[0].ID != "leaflet" || answer.Filename != "L-1-leaflet.xml" {
		t.Errorf("judged by %v, named %s", answer.Rulebooks, answer.Filename)
	}
	var fields []string
	for _, w := range answer.Warnings {
		if w.Code != finding.FieldNotWritten {
			t.Errorf("warning %+v", w)
		}
		fields = append(fields, w.Field)
	}
	if said := strings.Join(fields, " "); !strings.Contains(said, "seller.street") || !strings.Contains(said, "items[0].unitPrice") || strings.Contains(said, "invoiceNumber") {
		t.Errorf("not written: %s", said)
	}
}

// TestLeaflet_RulesNameTheMember ensures that rule and schema findings lead back to the caller's members.
func TestLeaflet_RulesNameTheMember(t *testing.T) {
	s := service(t)
	for name, c := range map[string]struct {
		body        []byte
		code, field string
	}{
		"a rule":                   {body(`"Papper AB", "countryCode": "SE"`, `"Papper AB", "countryCode": "NO"`), "LEAF-1", "seller.countryCode"},
		"a unit beyond the list":   {body(`"unit": "C62"`, `"unit": "KGM"`), "XSD-ERROR", "items[0].quantity"},
		"a type that it lacks":     {body(`"type": "invoice"`, `"type": "proforma"`), finding.TypeNotPermitted, "type"},
		"the caller's own mistake": {body(`"invoiceNumber": "L-1", `, ``), finding.MissingField, "invoiceNumber"},
	} {
		_, err := s.Generate(t.Context(), operation.GenerateRequest{Country: "SE", Format: "LEAFLET", Body: c.body})
		refusal := refusalOf(t, err)
		if len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s: %+v", name, refusal.Errors)
		}
	}
	verdict, err := s.Validate(t.Context(), operation.ValidateRequest{Country: "SE", Format: "leaflet",
		Body: body(`"quantity": 2, `, `"quantity": 200, `, `"unitPrice": 50.00`, `"unitPrice": 0.50`)})
	if err != nil || !verdict.Valid || !warned(verdict.Warnings, "LEAF-2", "items[0].quantity") {
		t.Errorf("%v %+v", err, verdict)
	}
}

// TestLeaflet_IsParsedAndDetected ensures that a document comes back as the invoice, with nothing lost in silence, on both routes.
func TestLeaflet_IsParsedAndDetected(t *testing.T) {
	s := service(t)
	source := strings.Replace(document, "<Due>", "<Due note=\"cash\">", 1)
	for _, req := range []operation.ParseRequest{{Document: []byte(source)}, {Country: "SE", Format: "leaflet", Document: []byte(source)}} {
		answer, err := s.Parse(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		inv := answer.Invoice
		if answer.Format != "LEAFLET" || inv.InvoiceNumber != "L-1" || len(inv.Items) != 1 || inv.Items[0].Unit != "C62" || len(inv.Items[0].Attributes) != 2 ||
			inv.Items[0].Attributes[1].Value != "A7" || !inv.Items[0].NetAmount.Equal(decimal.MustParse("100")) {
			t.Errorf("%s: %+v", answer.Format, inv)
		}
		if !warned(answer.Warnings, finding.ElementNotMapped, "/Leaflet/Due/@note") {
			t.Errorf("the account: %+v", answer.Warnings)
		}
	}
	credit := strings.NewReplacer("<Leaflet ", "<LeafletCredit ", "</Leaflet>", "</LeafletCredit>").Replace(document)
	answer, err := s.Parse(t.Context(), operation.ParseRequest{Document: []byte(credit)})
	if err != nil || answer.Invoice.Type != "credit_note" || answer.Detection == nil || *answer.Detection.CountryCode != "SE" || answer.Detection.Confidence != 90 {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestLeaflet_IsValidated ensures that a document is judged under the token and by detection.
func TestLeaflet_IsValidated(t *testing.T) {
	s := service(t)
	foreign := strings.Replace(document, "<Country>SE", "<Country>DK", 1)
	for _, format := range []string{"", "leaflet"} {
		good, err := s.Validate(t.Context(), operation.ValidateRequest{Country: "SE", Format: format, Document: []byte(document)})
		if err != nil || !good.Valid || good.InvoiceNumber != "L-1" {
			t.Errorf("%v %+v", err, good)
		}
		bad, err := s.Validate(t.Context(), operation.ValidateRequest{Country: "SE", Format: format, Document: []byte(foreign)})
		if err != nil || bad.Valid || len(bad.Errors) != 1 || bad.Errors[0].Code != "LEAF-1" {
			t.Errorf("%v %+v", err, bad)
		}
	}
}

// TestLeaflet_IsToldOf ensures that formats, and what explains terms, have the format without being told.
func TestLeaflet_IsToldOf(t *testing.T) {
	s := service(t)
	sweden, err := s.Country(t.Context(), "se")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range sweden.Formats {
		if f.ID == "leaflet" {
			found = f.Generate && f.Parse && f.Validate
		}
	}
	if !found {
		said, _ := json.Marshal(sweden)
		t.Errorf("formats: %s", said)
	}
	explained, err := s.Explain(t.Context(), "BT-161")
	if err != nil || !slices.ContainsFunc(explained.Terms, func(u mapping.Use) bool { return u.Path == "/Leaflet/Part/Fact/Value" }) {
		t.Errorf("%v %+v", err, explained)
	}
	if token := s.TokenOf("LEAFLET"); token != "leaflet" {
		t.Errorf("the token is %q", token)
	}
}

func refusalOf(t *testing.T, err error) *finding.Refusal {
	t.Helper()
	refusal, ok := err.(*finding.Refusal)
	if !ok {
		t.Fatalf("got %v", err)
	}
	return refusal
}

func warned(warnings []finding.Finding, rule, field string) bool {
	for _, w := range warnings {
		if (w.Code == rule || w.Rule == rule) && w.Field == field {
			return true
		}
	}
	return false
}

// squeezed is XML without the white space between elements.
func squeezed(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}
