package operation_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
)

// printed generates the PDF of a request and holds it against the rules for its structure.
func printed(t *testing.T, country string, body []byte) (*operation.GenerateAnswer, *inspect.Report) {
	t.Helper()
	s, err := operation.New(operation.Config{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Generate(t.Context(), operation.GenerateRequest{Country: country, Format: "pdf", Body: body})
	if err != nil {
		t.Fatalf("%s: %v", country, err)
	}
	report, err := inspect.Inspect(t.Context(), a.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range report.Faults {
		t.Errorf("%s: %s", country, fault)
	}
	return a, report
}

// printRequest is the sample of a country with format options.
func printRequest(t *testing.T, path, options string) []byte {
	t.Helper()
	sample, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(sample, []byte("{"), []byte(`{"formatOptions":`+options+`,`), 1)
}

func TestGeneratePDF_EveryCountryHasAnInvoiceToLookAt(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob("../../testdata/countries/*.json")
	if err != nil || len(samples) < 37 {
		t.Fatalf("%d samples: %v", len(samples), err)
	}
	for i, path := range samples {
		if testing.Short() && i%8 != 0 {
			continue
		}
		country := strings.TrimSuffix(filepath.Base(path), ".json")
		a, report := printed(t, country, printRequest(t, path, "{}"))
		if report.Pages != 1 || report.Tables < 3 || a.MimeType != "application/pdf" || !strings.HasSuffix(a.Filename, "-pdf.pdf") {
			t.Errorf("%s: %d pages, %d tables, %s %s", country, report.Pages, report.Tables, a.MimeType, a.Filename)
		}
		if !strings.Contains(report.Text, a.Summary.InvoiceNumber) || len(a.Warnings) > 0 && strings.Contains(a.Warnings[0].Code, "NOT_SHOWN") {
			t.Errorf("%s: %q\n%v", country, report.Text, a.Warnings)
		}
	}
}

func TestGeneratePDF_SpeaksTheLanguageThatIsAskedFor(t *testing.T) {
	t.Parallel()
	sample := "../../testdata/countries/be.json"
	for options, want := range map[string]string{`{}`: "Factuurnummer", `{"language":"fr"}`: "Numéro de facture", `{"language":"DE"}`: "Rechnungsnummer"} {
		if _, report := printed(t, "be", printRequest(t, sample, options)); !strings.Contains(report.Text, want) {
			t.Errorf("%s: %q is not in %s", options, want, report.Text)
		}
	}
}

// inlineTemplate is a template with these blocks.
func inlineTemplate(blocks string) string {
	return `{"template":{"version":"1.0.0","name":"Mine","page":{"size":"A4","margins":40},"body":{"blocks":[` + blocks + `]}}}`
}

func TestGeneratePDF_TakesTheTemplateOfTheRequest(t *testing.T) {
	t.Parallel()
	options := inlineTemplate(`{"type":"text","data":{"content":"{{invoiceNumber}} of {{seller.name}} ✈","colour":"red"}}`)
	a, report := printed(t, "de", printRequest(t, "../../testdata/countries/de.json", options))
	if !strings.HasPrefix(report.Text, a.Summary.InvoiceNumber+" of ") {
		t.Errorf("%q", report.Text)
	}
	last := a.Warnings[len(a.Warnings)-1]
	if last.Code != finding.CharacterNotShown || !strings.Contains(last.Message, "✈ (U+2708)") {
		t.Errorf("%v", a.Warnings)
	}
	if len(a.Infos) != 1 || !strings.Contains(a.Infos[0].Message, "formatOptions.template.body.blocks[0].data.colour") {
		t.Errorf("%v", a.Infos)
	}
}

func TestGeneratePDF_Refusals(t *testing.T) {
	t.Parallel()
	s, err := operation.New(operation.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options, field, code string
		kind                 finding.Kind
	}{
		"a template that is wrong":   {inlineTemplate(`{"type":"text","data":{}}`), "formatOptions.template.body.blocks[0].data.content", finding.InvalidTemplate, finding.BadRequest},
		"a value that is not there":  {inlineTemplate(`{"type":"text","data":{"content":"{{gone}}"}}`), "formatOptions.template.body.blocks[0].data.content", finding.InvalidTemplate, finding.BadRequest},
		"an image of elsewhere":      {inlineTemplate(`{"type":"image","data":{"src":"https://example.org/a.png"}}`), "formatOptions.template.body.blocks[0].data.src", finding.InvalidTemplate, finding.BadRequest},
		"a language without words":   {`{"language":"tlh"}`, "formatOptions.language", "", finding.BadRequest},
		"a profile that it has not":  {`{"profile":"EN16931"}`, "formatOptions.profile", "", finding.BadRequest},
		"a template that is no JSON": {`{"template":[]}`, "formatOptions.template", finding.InvalidTemplate, finding.BadRequest},
	} {
		_, err := s.Generate(t.Context(), operation.GenerateRequest{Country: "de", Format: "pdf", Body: printRequest(t, "../../testdata/countries/de.json", c.options)})
		var refusal *finding.Refusal
		if !errors.As(err, &refusal) || refusal.Kind != c.kind || refusal.Field != c.field || c.code != "" && refusal.Errors[0].Code != c.code {
			t.Errorf("%s: %+v", name, err)
		}
	}
	body := bytes.Replace(printRequest(t, "../../testdata/countries/de.json", "{}"), []byte("{"), []byte(`{"templateId":"7",`), 1)
	_, err = s.Generate(t.Context(), operation.GenerateRequest{Country: "de", Format: "pdf", Body: body})
	var refusal *finding.Refusal
	if !errors.As(err, &refusal) || refusal.Kind != finding.NotFound || refusal.Message != "Template with ID 7 not found" {
		t.Errorf("%v", err)
	}
}

func TestGeneratePDF_TemplateOfTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "```json\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the guide has no example")
	}
	a, report := printed(t, "de", printRequest(t, "../../testdata/countries/de.json", `{"template":`+example+`}`))
	if !strings.HasPrefix(report.Text, "Invoice "+a.Summary.InvoiceNumber) || !strings.HasSuffix(report.Text, "1/1") || len(a.Infos) > 0 {
		t.Errorf("%q %v", report.Text, a.Infos)
	}
}
