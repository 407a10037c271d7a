package operation

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// judgingService is a service with the few rules of testdata, on a day.
func judgingService(t testing.TB, day string, change ...func(*Config)) *Service {
	t.Helper()
	layer := rulebook.Layer{Name: "test", Open: func() (fs.FS, error) { return os.DirFS("../../testdata/rulebooks"), nil }}
	return serviceOf(t, layer, day, change...)
}

// serviceOf is a service that judges by one layer of rulebooks.
func serviceOf(t testing.TB, layer rulebook.Layer, day string, change ...func(*Config)) *Service {
	t.Helper()
	registry := registryOf(t, layer)
	now, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Rulebooks: registry.In, Now: func() time.Time { return now.Add(13 * time.Hour) }}
	for _, f := range change {
		f(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// registryOf has the rulebooks of a layer.
func registryOf(t testing.TB, layer rulebook.Layer) *rulebook.Registry {
	t.Helper()
	if layer.Name == shipped.Name {
		return must(shippedRegistry())(t)
	}
	return must(rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{layer}}))(t)
}

// must gives a value, or ends the test with the error that came in its place.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// today is a day on which the first version of the few rules is in force.
const today = "2026-09-01"

// example is the documented request with texts replaced, pair by pair.
func example(t testing.TB, replace ...string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../docs/example.json")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(string(data), replace[i]) {
			t.Fatalf("the example has no %s", replace[i])
		}
		data = []byte(strings.Replace(string(data), replace[i], replace[i+1], 1))
	}
	return data
}

// noted is the example with a note.
func noted(t testing.TB, note string) []byte {
	return example(t, `"currency"`, `"notes": "`+note+`", "currency"`)
}

// noItems is the example with an empty list of lines.
func noItems(t testing.TB) []byte {
	t.Helper()
	before, rest, _ := strings.Cut(string(example(t)), `"items": [`)
	_, after, found := strings.Cut(rest, `"taxSummary"`)
	if !found {
		t.Fatal("the example has no taxSummary after items")
	}
	return []byte(before + `"items": [], "taxSummary"` + after)
}

// said is what the tests compare of a finding.
type said struct{ Code, Field, Rule string }

func saidOf(list []finding.Finding) []said {
	var out []said
	for _, f := range list {
		out = append(out, said{f.Code, f.Field, f.Rule})
	}
	return out
}

// TestValidate_Invoices ensures what is said of an invoice for each kind of outcome: as errors, warnings and the result.
func TestValidate_Invoices(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name     string
		body     []byte
		req      ValidateRequest
		valid    bool
		result   *bool
		errors   []said
		warnings []said
		rules    []string // of the result

		unwritten bool // there is no document to judge
	}{
		{name: "valid", body: example(t), valid: true, result: &yes},
		{name: "something is missing", body: example(t, `"buyerReference": "04011000-12345-03",`, ""), result: &no,
			errors: []said{{"BR-DE-15", "countrySpecific.leitwegId", ""}}, rules: []string{"BR-DE-15"}},
		{name: "a rule that the profile knows", body: example(t, `"type": "invoice"`, `"type": "proforma"`), result: &no,
			errors: []said{{"BR-DE-17", "type", ""}}, rules: []string{"BR-DE-17"}, unwritten: true},
		{name: "a rule of the contract's table, which its binding makes a warning", body: example(t, `"C62"`, `"piece"`), result: &no,
			errors: []said{{"BR-CL-23", "items[0].unit", ""}}, rules: []string{"BR-CL-23"}},
		{name: "no lines", body: noItems(t), result: &no, errors: []said{{"BR-16", "items", ""}}, rules: []string{"BR-16"}, unwritten: true},
		{name: "a Leitweg-ID of wrong form", body: example(t, `"buyerReference": "04011000-12345-03",`, `"countrySpecific": {"countryCode": "DE", "leitwegId": "4-1"},`), result: &no,
			errors: []said{{"BR-DE-15", "countrySpecific.leitwegId", ""}}, rules: []string{"BR-DE-15"}, unwritten: true},
		{name: "a level of the rulebook", body: noted(t, "TRY-LOWERED"), valid: true, result: &yes, warnings: []said{{"SPEC_RULE_FAILED", "notes", "T-LOWERED"}}},
		{name: "a warning", body: noted(t, "TRY-WARNING"), valid: true, result: &yes, warnings: []said{{"SPEC_RULE_FAILED", "notes", "T-WARNING"}}},
		{name: "information", body: noted(t, "TRY-INFORMATION"), valid: true, result: &yes},
		{name: "a rule in its warning phase", body: noted(t, "TRY-PENDING"), valid: true, result: &yes, warnings: []said{{"SPEC_RULE_PENDING", "notes", "T-PENDING"}}},
		{name: "the same, to be enforced", body: noted(t, "TRY-PENDING"), req: ValidateRequest{EnforcePending: true}, result: &no,
			errors: []said{{"T-PENDING", "notes", ""}}, rules: []string{"T-PENDING"}},
		{name: "the same, enforced by the body", body: append([]byte(`{"enforcePending":true,`), noted(t, "TRY-PENDING")[1:]...), result: &no,
			errors: []said{{"T-PENDING", "notes", ""}}, rules: []string{"T-PENDING"}},
		{name: "the same, when the phase is over", body: noted(t, "TRY-PENDING"), req: ValidateRequest{AsOf: "2027-06-01"}, result: &no,
			errors: []said{{"T-PENDING", "notes", ""}}, rules: []string{"T-PENDING"}},
		{name: "a rule without id", body: noted(t, "TRY-NAMELESS-ASSERT"), result: &no,
			errors: []said{{"SCHEMATRON_ASSERT_WITHOUT_ID", "notes", ""}}, rules: []string{"SCHEMATRON_ASSERT_WITHOUT_ID"}},
		{name: "a report without id", body: noted(t, "TRY-NAMELESS-REPORT"), result: &no,
			errors: []said{{"SCHEMATRON_REPORT_WITHOUT_ID", "notes", ""}}, rules: []string{"SCHEMATRON_REPORT_WITHOUT_ID"}},
		{name: "a rule that cannot be evaluated", body: noted(t, "TRY-NUMBER x"),
			errors: []said{{"VALIDATION_NOT_RUN", "", ""}}, rules: []string{"VALIDATION_NOT_RUN"}},
		{name: "the same, and another fails", body: example(t, `"currency"`, `"notes":"TRY-NUMBER x","currency"`, `"buyerReference": "04011000-12345-03",`, ""), result: &no,
			errors: []said{{"BR-DE-15", "countrySpecific.leitwegId", ""}}, warnings: []said{{"VALIDATION_NOT_RUN", "", ""}}, rules: []string{"BR-DE-15", "VALIDATION_NOT_RUN"}},
		{name: "the rulebook of another day", body: noted(t, "TRY-NEW"), req: ValidateRequest{AsOf: "2027-01-01"}, result: &no,
			errors: []said{{"T-NEW", "notes", ""}}, rules: []string{"T-NEW"}},
		{name: "the body's day wins", body: append([]byte(`{"asOf":"2026-01-01",`), noted(t, "TRY-NEW")[1:]...), req: ValidateRequest{AsOf: "2027-01-01"}, valid: true, result: &yes},
		{name: "a VAT identifier without prefix", body: example(t, "DE123456789", "123456789"), valid: true, result: &yes,
			warnings: []said{{"VAT_ID_COUNTRY_PREFIX_ADDED", "seller.vatId", ""}}},
		{name: "a VAT identifier that no prefix mends", body: example(t, "DE123456789", "x123456789"), result: &no,
			errors: []said{{"BR-CO-09", "seller.vatId", ""}}, rules: []string{"BR-CO-09"}},
		{name: "input warnings are told", body: example(t, `"Bremen"`, `"`+strings.Repeat("x", 101)+`"`), valid: true, result: &yes,
			warnings: []said{{"FIELD_TOO_LONG", "seller.city", ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := judgingService(t, today)
			req := c.req
			req.Country, req.Format, req.Body = "DE", "XRechnung", c.body
			a, err := s.Validate(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			var rules []string
			for _, e := range a.Results[0].Errors {
				rules = append(rules, e.RuleID)
			}
			got := []any{a.Valid, a.Results[0].Valid, saidOf(a.Errors), saidOf(a.Warnings), rules, a.Results[0].Format, len(a.Results)}
			want := []any{c.valid, c.result, c.errors, c.warnings, c.rules, "xrechnung-3.0.2", 1}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("differs (-want +got):\n%s", diff)
			}
			version := "1"
			if cmp.Or(req.AsOf, today) > "2026-12-31" && !strings.Contains(string(c.body), "asOf") {
				version = "2"
			}
			if diff := gocmp.Diff([]Rulebook{{"a-few", version}}, a.Rulebooks); diff != "" && !c.unwritten {
				t.Error(diff)
			}
		})
	}
}

// TestValidate_Refusals ensures what counts as no invoice at all.
func TestValidate_Refusals(t *testing.T) {
	s := judgingService(t, today)
	for name, c := range map[string]struct {
		req           ValidateRequest
		code, message string
	}{
		"a member is missing":       {ValidateRequest{Country: "de", Format: "xrechnung", Body: example(t, `"currency": "EUR",`, "")}, "MISSING_FIELD", "currency"},
		"no JSON":                   {ValidateRequest{Country: "de", Format: "xrechnung", Body: []byte("{")}, "INVALID_JSON", "JSON"},
		"another country":           {ValidateRequest{Country: "xy", Body: example(t)}, "", "Country XY is not supported"},
		"another format":            {ValidateRequest{Country: "de", Format: "ksef", Body: example(t)}, "", "ksef"},
		"a format that is not made": {ValidateRequest{Country: "gr", Format: "cii", Body: example(t)}, "", "invoices can be validated as: mydata"},
		"a day that is none":        {ValidateRequest{Country: "de", Body: example(t), AsOf: "2026-02-30"}, "INVALID_DATE", "asOf"},
		"a day of the body":         {ValidateRequest{Country: "de", Body: append([]byte(`{"asOf":"soon",`), example(t)[1:]...)}, "INVALID_DATE", "asOf"},
		"a PDF":                     {ValidateRequest{Country: "de", Document: []byte("%PDF-1.7")}, "", "PDF"},
		"no document":               {ValidateRequest{Country: "de", Document: []byte("hello")}, "PARSE_FAILED", "neither"},
		"broken XML":                {ValidateRequest{Country: "de", Document: []byte("<a>\n<b>")}, "PARSE_FAILED", "line 2"},
		"a document type":           {ValidateRequest{Country: "de", Document: []byte("<!DOCTYPE a><a/>")}, "PARSE_FAILED", "data"},
		"unknown XML":               {ValidateRequest{Country: "de", Document: []byte("<a/>")}, "FORMAT_NOT_DETECTED", "data"},
		"a document of another format": {ValidateRequest{Country: "de", Format: "xrechnung",
			Document: []byte(`<FatturaElettronica xmlns="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"/>`)}, "", "FATTURAPA, not XRechnung"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Validate(t.Context(), c.req)
			r, ok := errors.AsType[*finding.Refusal](err)
			if !ok || r.Kind != finding.BadRequest || !strings.Contains(r.Message, c.message) {
				t.Fatalf("%v", err)
			}
			if c.code != "" && r.Code != c.code && (len(r.Errors) == 0 || r.Errors[0].Code != c.code) {
				t.Errorf("code %q, errors %v: want %s", r.Code, r.Errors, c.code)
			}
		})
	}
}

// documentOf is the document of an invoice.
func documentOf(t testing.TB, body []byte) string {
	t.Helper()
	a, err := newService(t).Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	return string(a.Data)
}

// TestValidate_Documents ensures that findings in a document name business term, XPath and line.
func TestValidate_Documents(t *testing.T) {
	s := judgingService(t, today)
	good := documentOf(t, example(t))
	without := strings.Replace(good, "<cbc:BuyerReference>04011000-12345-03</cbc:BuyerReference>", "\n", 1)
	refused := strings.Replace(without, "<Invoice ", "\n<Invoice wrong='1' ", 1)
	gross := strings.Replace(good, "<cbc:TaxableAmount currencyID=\"EUR\">100.00", "<cbc:TaxableAmount currencyID=\"EUR\">119.00", 1)
	other := strings.Replace(without, "#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", "", 1)
	for name, c := range map[string]struct {
		document, format string
		label            string
		errors           []said
		message          string
	}{
		"valid":               {document: good, label: "xrechnung-3.0"},
		"a rule":              {document: without, label: "xrechnung-3.0", errors: []said{{"BR-DE-15", "/Invoice", ""}}, message: "(BT-10, /Invoice, line 2)"},
		"the schema alone":    {document: refused, label: "xrechnung-3.0", errors: []said{{"XSD-ERROR", "/Invoice/@wrong", ""}}, message: "(/Invoice/@wrong, line 3)"},
		"gross amounts":       {document: gross, label: "xrechnung-3.0", errors: []said{{"BR-S-08", "/Invoice/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", ""}}, message: "equals the gross amount"},
		"not bound":           {document: other, label: "ubl", errors: []said{{"VALIDATION_NOT_RUN", "", ""}}, message: "not-bound"},
		"another token":       {document: good, format: "ubl", label: "ubl"},
		"another one's rules": {document: other, format: "xrechnung", label: "xrechnung", errors: []said{{"BR-DE-15", "/Invoice", ""}}, message: "BT-10"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := s.Validate(t.Context(), ValidateRequest{Country: "de", Format: c.format, Document: []byte(c.document)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(c.errors, saidOf(a.Errors)); diff != "" || a.Valid != (c.errors == nil) || a.Results[0].Format != c.label || a.Detection == nil {
				t.Errorf("%+v\n%s", a, diff)
			}
			if c.message != "" && !strings.Contains(a.Errors[0].Message, c.message) {
				t.Errorf("message %q, want %q", a.Errors[0].Message, c.message)
			}
		})
	}
}

// TestValidate_Skips ensures that formats that the caller may not create are skipped, and that nothing checked is not valid.
func TestValidate_Skips(t *testing.T) {
	s := judgingService(t, today)
	a, err := s.Validate(t.Context(), ValidateRequest{Country: "de", Body: example(t), Entitled: func(string) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	want := []ValidateResult{
		{Format: "xrechnung-3.0.2", Errors: []RuleError{}, Skipped: "not entitled"}, {Format: "zugferd-2.4-en16931", Errors: []RuleError{}, Skipped: "not entitled"},
	}
	if diff := gocmp.Diff(want, a.Results); diff != "" || a.Valid || len(a.Errors) != 1 || a.Errors[0].Code != finding.ValidationNotRun {
		t.Errorf("%+v\n%s", a, diff)
	}
}

// TestValidate_ManyFindings ensures that what is listed stays small, and that the rest is counted.
func TestValidate_ManyFindings(t *testing.T) {
	s := judgingService(t, today)
	body := strings.ReplaceAll(string(generateRequest(3_000)), `"C62"`, `"piece"`)
	a, err := s.Validate(t.Context(), ValidateRequest{Country: "de", Format: "xrechnung", Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	last := a.Errors[len(a.Errors)-1]
	if a.Valid || len(a.Errors) != 101 || last.Code != finding.FindingsOmitted || !strings.HasPrefix(last.Message, "2900 ") || a.Errors[7].Field != "items[7].unit" {
		t.Errorf("%d errors, the last %+v", len(a.Errors), last)
	}
}

// TestValidate_WithoutRulebooks ensures that a check which cannot be run is no verdict.
func TestValidate_WithoutRulebooks(t *testing.T) {
	a, err := newService(t).Validate(t.Context(), ValidateRequest{Country: "de", Format: "xrechnung", Body: example(t)})
	if err != nil || a.Valid || len(a.Errors) != 1 || a.Errors[0].Code != finding.ValidationNotRun || a.Results[0].Valid != nil || !strings.Contains(a.Errors[0].Message, "missing") {
		t.Errorf("%+v %v", a, err)
	}
}

// FuzzValidate ensures that any bytes are judged or refused, as document and as request.
func FuzzValidate(f *testing.F) {
	document, err := os.ReadFile("../../testdata/xrechnung-ubl/minimal.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(document)
	f.Add(example(f))
	f.Add([]byte("<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'/>"))
	s := judgingService(f, today)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, req := range []ValidateRequest{{Country: "de", Document: slices.Clone(data)}, {Country: "de", Format: "xrechnung", Body: slices.Clone(data)}} {
			a, err := s.Validate(t.Context(), req)
			if _, refused := errors.AsType[*finding.Refusal](err); err != nil && !refused {
				t.Fatalf("not a refusal: %v", err)
			}
			if err != nil {
				continue
			}
			if a.Valid == (len(a.Errors) > 0) || len(a.Results) == 0 {
				t.Fatalf("%+v", a)
			}
			if _, err := json.Marshal(a); err != nil {
				t.Fatal(err)
			}
		}
	})
}
