package operation

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

func document(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/documents/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestParseRefusesWhatItCannotRead has a row for each way in which bytes are no invoice that can be read today.
func TestParseRefusesWhatItCannotRead(t *testing.T) {
	s := newService(t)
	ubl := string(document(t, "basic-default.xml"))
	older := `<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:13"/>`
	austrian := `<Invoice xmlns="http://www.ebinterface.at/schema/4p2/"/>`
	simplified := `<FatturaElettronicaSemplificata xmlns="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0"/>`
	noCountry := `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>`
	manyLines := strings.Replace(noCountry, "/>", ` xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">`+
		strings.Repeat("<cac:InvoiceLine><cbc:ID>1</cbc:ID></cac:InvoiceLine>", 25_001)+"</Invoice>", 1)
	rows := []struct {
		name, country, format, document string
		kind                            finding.Kind
		word, says                      string
	}{
		{"text, automatic", "", "", "hello", finding.BadRequest, finding.FormatNotDetected, "neither XML nor PDF"},
		{"text, explicit", "de", "xrechnung", "hello", finding.Unprocessable, finding.ParseFailed, "neither XML nor PDF"},
		{"nothing", "", "", "", finding.BadRequest, finding.FormatNotDetected, "neither XML nor PDF"},
		{"PDF", "", "", "%PDF-1.7", finding.Unprocessable, finding.ParseFailed, "damaged"},
		{"unknown root, automatic", "", "", "<a/>", finding.BadRequest, finding.FormatNotDetected, "document element"},
		{"unknown root, explicit", "DE", "XRECHNUNG", "<a/>", finding.Unprocessable, finding.ParseFailed, "document element"},
		{"no country", "", "", noCountry, finding.BadRequest, finding.CountryNotDetected, "BT-40"},
		{"version that is not read", "", "", austrian, finding.Unprocessable, finding.ParseFailed, "4.2"},
		{"simplified invoice of Italy", "", "", simplified, finding.Unprocessable, finding.ParseFailed, "FATTURAPA of version simplified 1.0"},
		{"another version of a syntax", "de", "cii", older, finding.Unprocessable, finding.ParseFailed, "version of CII"},
		{"too many lines", "de", "ubl", manyLines, finding.BadRequest, finding.TooManyInvoiceLines, "25000 lines"},
		{"cut off", "", "", ubl[:len(ubl)/2], finding.Unprocessable, finding.ParseFailed, "line "},
		{"document type", "de", "ubl", "<!DOCTYPE a>" + ubl, finding.Unprocessable, finding.ParseFailed, "DOCTYPE"},
		{"country that is not served", "us", "ubl", ubl, finding.BadRequest, "Bad Request", "Country US is not supported"},
		{"format of another country", "de", "fatturapa", ubl, finding.BadRequest, "Bad Request", "xrechnung"},
		{"token that is judged only", "hr", "hr-fisk", ubl, finding.BadRequest, "Bad Request", "cannot be parsed"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := s.Parse(context.Background(), ParseRequest{Country: row.country, Format: row.format, Document: []byte(row.document)})
			var refusal *finding.Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("error %v, want a refusal", err)
			}
			if refusal.Kind != row.kind || refusal.Word != row.word || !strings.Contains(refusal.Message, row.says) {
				t.Errorf("kind %d %s %q, want %d %s …%s…", refusal.Kind, refusal.Word, refusal.Message, row.kind, row.word, row.says)
			}
			if automatic := row.country == ""; automatic != extra(refusal, "detection") || automatic != extra(refusal, "success") {
				t.Errorf("members beside the contract's: %v", refusal.Extra)
			}
		})
	}
}

func extra(r *finding.Refusal, name string) bool {
	for _, e := range r.Extra {
		if e.Name == name {
			return true
		}
	}
	return false
}

// TestRefusalsOfPathsListWhatThereIs ensures that the entry for an unknown country lists the countries, that for an unknown format the
// formats of the country, and that both name their field.
func TestRefusalsOfPathsListWhatThereIs(t *testing.T) {
	s := newService(t)
	for _, c := range []struct{ country, format, field, message, entry string }{
		{"us", "xrechnung", "countryCode", "Country US is not supported", "Country US is not supported; these are: AE, AT, AU,"},
		{"de", "nothing", "format", "", "xrechnung"},
	} {
		for name, ask := range map[string]func() error{
			"generate": func() error {
				_, err := s.Generate(t.Context(), GenerateRequest{Country: c.country, Format: c.format, Body: example(t)})
				return err
			},
			"validate": func() error {
				_, err := s.Validate(t.Context(), ValidateRequest{Country: c.country, Format: c.format, Body: example(t)})
				return err
			},
			"parse": func() error {
				_, err := s.Parse(t.Context(), ParseRequest{Country: c.country, Format: c.format, Document: []byte("<a/>")})
				return err
			},
		} {
			r, ok := errors.AsType[*finding.Refusal](ask())
			if !ok || r.Field != c.field || c.message != "" && r.Message != c.message {
				t.Fatalf("%s %s: %+v", name, c.country, r)
			}
			entry := r.Message
			if len(r.Errors) > 0 {
				entry = r.Errors[0].Message
			}
			if !strings.Contains(entry, c.entry) {
				t.Errorf("%s %s: %q", name, c.country, entry)
			}
		}
	}
}

// TestParseTellsWhatADocumentIs compares format and detection of our own documents.
func TestParseTellsWhatADocumentIs(t *testing.T) {
	s := newService(t)
	rows := []struct {
		name, format, version, country, method, source string
	}{
		{"xrechnung-skonto.xml", "XRECHNUNG_UBL", "3.0", "DE", "CUSTOMIZATION_ID", "FORMAT_MAPPING"},
		{"peppol-bis.xml", "PEPPOL_BIS_UBL", "3.0", "NL", "CUSTOMIZATION_ID", "DOCUMENT"},
	}
	for _, row := range rows {
		answer, err := s.Parse(context.Background(), ParseRequest{Document: document(t, row.name)})
		if err != nil {
			t.Fatal(err)
		}
		d := answer.Detection
		version := ""
		if d.FormatVersion != nil {
			version = *d.FormatVersion
		}
		if answer.Format != row.format || d.Format != row.format || version != row.version || *d.CountryCode != row.country || d.FormatMethod != row.method || d.CountrySource != row.source {
			t.Errorf("%s: %+v of country %s", row.name, d, *d.CountryCode)
		}
	}
}

// TestParseNamesWhatItCannotRead ensures that the refusal of an automatic parse says what the document is, with its version.
func TestParseNamesWhatItCannotRead(t *testing.T) {
	s := newService(t)
	for _, c := range []struct{ document, format, version string }{
		{`<Faktura xmlns="http://crd.gov.pl/wzor/2021/11/29/11089/"/>`, "KSEF_FA3", "2021/11/29/11089/"},
		{`<Invoice xmlns="http://www.ebinterface.at/schema/4p2/"/>`, "EBINTERFACE_4_2", "4.2"},
		{`<FatturaElettronicaSemplificata xmlns="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0"/>`, "FATTURAPA", "simplified 1.0"},
	} {
		_, err := s.Parse(t.Context(), ParseRequest{Document: []byte(c.document)})
		var refusal *finding.Refusal
		if !errors.As(err, &refusal) {
			t.Errorf("%s: %v", c.document, err)
			continue
		}
		i := slices.IndexFunc(refusal.Extra, func(e finding.Extra) bool { return e.Name == "detection" })
		d, ok := refusal.Extra[max(i, 0)].Value.(*Detection)
		if !ok || d.Format != c.format || d.FormatVersion == nil || *d.FormatVersion != c.version || !strings.Contains(refusal.Message, c.format) {
			t.Errorf("%s: %+v %s", c.document, d, refusal.Message)
		}
	}
}

// TestParseObeysItsContext stops when the caller has gone.
func TestParseObeysItsContext(t *testing.T) {
	s := newService(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Parse(ctx, ParseRequest{Document: document(t, "basic-default.xml")}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if _, err := s.Generate(ctx, GenerateRequest{Country: "de", Format: "xrechnung", Body: generateRequest(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestRefusalsOfFormatsListWhatCanBeGenerated ensures that who asks for a format that is only read, or for a syntax that the format does not
// have, is told what there is.
func TestRefusalsOfFormatsListWhatCanBeGenerated(t *testing.T) {
	s := newService(t)
	for _, c := range []struct{ country, format, options, want string }{
		{"de", "ubl", `{}`, "format ubl of Germany can be read and not generated; these can be generated: pdf, xrechnung, zugferd"},
		{"hr", "hr-fisk", `{}`, "format hr-fisk is for validation only: POST /api/v1/invoice/hr/hr-fisk/validate"},
		{"de", "xrechnung", `{"syntax":"edifact"}`, `formatOptions.syntax "edifact" cannot be generated as XRechnung; it can be ubl, cii`},
	} {
		body := strings.Replace(string(generateRequest(1)), `{"invoice":`, `{"formatOptions":`+c.options+`,"invoice":`, 1)
		_, err := s.Generate(t.Context(), GenerateRequest{Country: c.country, Format: c.format, Body: []byte(body)})
		if r, ok := errors.AsType[*finding.Refusal](err); !ok || r.Message != c.want {
			t.Errorf("%s/%s: %v", c.country, c.format, err)
		}
	}
}

// TestRefusalsOfFormatsListWhatJudgesInvoices ensures that every country judges invoices in some format, and that who asks for one that does not
// is told so.
func TestRefusalsOfFormatsListWhatJudgesInvoices(t *testing.T) {
	s := newService(t)
	for _, country := range s.formats.Countries() {
		if len(s.judgedAs(country)) == 0 {
			t.Errorf("%s judges no invoices", country.Name)
		}
	}
	for path, want := range map[string]string{
		"pdf": "format pdf of Germany has no rules; invoices can be validated as: xrechnung, zugferd",
		"ubl": "format ubl of Germany is not generated, so documents of it can be validated and no invoices; invoices can be validated as: xrechnung, zugferd",
	} {
		_, err := s.Validate(t.Context(), ValidateRequest{Country: "de", Format: path, Body: generateRequest(1)})
		if r, ok := errors.AsType[*finding.Refusal](err); !ok || r.Message != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestGenerateRefusesOptionsThatTheFormatDoesNotHave has a row for each option of formatOptions.
func TestGenerateRefusesOptionsThatTheFormatDoesNotHave(t *testing.T) {
	s := newService(t)
	rows := []struct{ options, code, field string }{
		{`{}`, "", ""},
		{`{"version":"3.0"}`, "", ""},
		{`{"version":"3.0.2","syntax":"ubl"}`, "", ""},
		{`{"version":"2.4"}`, finding.UnsupportedFormatVersion, "formatOptions.version"},
		{`{"profile":"EN16931"}`, finding.UnsupportedFormatProfile, "formatOptions.profile"},
		{`{"profile":"EN16931","zugferdProfile":"BASIC"}`, finding.ConflictingFormatOptions, "formatOptions.zugferdProfile"},
		{`{"version":"3.0","syntax":"cii"}`, "", ""},
		{`{"syntax":"edifact"}`, "", "formatOptions.syntax"},
		{`{"output":"xml"}`, "", "formatOptions.output"},
	}
	for _, row := range rows {
		body := strings.Replace(string(generateRequest(1)), `{"invoice":`, `{"formatOptions":`+row.options+`,"invoice":`, 1)
		_, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: []byte(body)})
		var refusal *finding.Refusal
		if errors.As(err, &refusal) != (row.field != "") {
			t.Errorf("%s: error %v", row.options, err)
			continue
		}
		if refusal != nil && (refusal.Kind != finding.BadRequest || refusal.Code != row.code || refusal.Field != row.field) {
			t.Errorf("%s: %+v", row.options, refusal)
		}
	}
}

// TestFilenameIsSafe holds rule 7 of the supplement for numbers of every kind.
func TestFilenameIsSafe(t *testing.T) {
	rows := map[string]string{
		"2026-0117":              "2026-0117-xrechnung.xml",
		"R/2026/…/7":             "R-2026---7-xrechnung.xml",
		"../../etc/passwd":       "etc-passwd-xrechnung.xml",
		"..":                     "invoice-xrechnung.xml",
		"ä":                      "invoice-xrechnung.xml",
		"a..b...c":               "a.b.c-xrechnung.xml",
		strings.Repeat("9", 200): strings.Repeat("9", 100) + "-xrechnung.xml",
	}
	s := newService(t)
	for number, want := range rows {
		body := strings.Replace(string(generateRequest(1)), `"B-1"`, `"`+number+`"`, 1)
		answer, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Filename != want {
			t.Errorf("%q gives %q, want %q", number, answer.Filename, want)
		}
	}
}
