package operation

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// plainTemplate is a template with the number of the invoice alone.
const plainTemplate = `{"version":"1.0.0","name":"Mine","page":{"size":"A4","margins":40},"body":{"blocks":[{"type":"text","data":{"content":"Mine {{invoiceNumber}}"}}]}}`

// manyLines is a document in UBL with so many lines.
func manyLines(n int) []byte {
	line := `<cac:InvoiceLine><cbc:ID>1</cbc:ID></cac:InvoiceLine>`
	return []byte(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"` +
		` xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>` +
		strings.Repeat(line, n) + `</Invoice>`)
}

// sound opens a hybrid of ours, which has to keep the rules for its structure, and gives its text.
func sound(t *testing.T, data []byte, xml string) *inspect.Report {
	t.Helper()
	report, err := inspect.Inspect(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range report.Faults {
		t.Error(fault)
	}
	inside, err := Extract(t.Context(), data)
	if err != nil || string(inside.XML) != xml || inside.Name != "factur-x.xml" {
		t.Errorf("%v: another invoice is inside: %+v", err, inside)
	}
	return report
}

// TestGenerate_HybridsHavePagesAndTheInvoice makes a hybrid of every country, profile and version, and takes the invoice out again: it is the
// one that is given alone.
func TestGenerate_HybridsHavePagesAndTheInvoice(t *testing.T) {
	s := shippedService(t, "2026-03-02")
	for _, c := range []struct{ country, format, options, profile, version string }{
		{"de", "zugferd", `{}`, "EN16931", "2.4"},
		{"DE", "ZUGFeRD", `{"profile":"BASIC","version":"2.3"}`, "BASIC", "2.3"},
		{"de", "zugferd", `{"profile":"EXTENDED","version":"2.5","language":"en"}`, "EXTENDED", "2.5"},
		{"ch", "zugferd", `{"language":"it"}`, "EN16931", "2.4"},
		{"fr", "facturx", `{"profile":"EXTENDED"}`, "EXTENDED", "1.08"},
		{"be", "facturx", `{"zugferdProfile":"BASIC","version":"1.0"}`, "BASIC", "1.0"},
	} {
		country := strings.ToLower(c.country)
		ask := func(options string) *GenerateAnswer {
			a, err := s.Generate(t.Context(), GenerateRequest{Country: c.country, Format: c.format, Body: withOptions(t, repositoryRoot+"/"+samples, country, options)})
			if err != nil {
				t.Fatalf("%s %s: %v%s", country, options, err, entriesOf(err))
			}
			return a
		}
		a := ask(c.options)
		alone := ask(strings.Replace(strings.Replace(c.options, `}`, `,"output":"xml"}`, 1), `{,`, `{`, 1))
		report := sound(t, a.Data, a.EmbeddedXML)
		if a.EmbeddedXML != string(alone.Data) || alone.EmbeddedXML != "" || alone.MimeType != "application/xml" || a.MimeType != "application/pdf" ||
			!strings.HasSuffix(a.Filename, "-"+strings.ToLower(c.format)+".pdf") || a.AppliedFormatOptions != (AppliedFormatOptions{c.version, c.profile}) {
			t.Errorf("%s %s: %s %+v", country, c.options, a.Filename, a.AppliedFormatOptions)
		}
		if !strings.Contains(report.Text, a.Summary.InvoiceNumber) || report.Pages != 1 {
			t.Errorf("%s: %q", country, report.Text)
		}
		level := strings.Replace(c.profile, "EN16931", "EN 16931", 1)
		if !bytes.Contains(a.Data, []byte("<fx:ConformanceLevel>"+level+"</fx:ConformanceLevel>")) {
			t.Errorf("%s: the metadata does not name the profile %s", country, level)
		}
		if again := ask(c.options); again.Hash != a.Hash {
			t.Errorf("%s: other bytes of the same request", country)
		}
		read, err := s.Parse(t.Context(), ParseRequest{Document: a.Data})
		if err != nil || read.Invoice.InvoiceNumber != a.Summary.InvoiceNumber {
			t.Errorf("%s: %v", country, err)
		}
	}
}

// TestGenerate_HybridsTakeTemplateAndAttachments ensures that a hybrid has the pages of the template, the attachments of the invoice as files as
// well, and that what cannot be laid out is refused with the most lines that can.
func TestGenerate_HybridsTakeTemplateAndAttachments(t *testing.T) {
	s := newService(t)
	plain := bytes.TrimPrefix(bytes.TrimSpace(generateRequest(1)), []byte(`{"invoice":{`))
	body := append([]byte(`{"formatOptions":{"template":`+plainTemplate+`},"invoice":{"attachments":[{"filename":"factur-x.xml","mimeType":"text/csv","content":"YSxi","description":"Figures"}],`), plain...)
	// The attachment has the name of the invoice: in a hybrid it gets another one, in a PDF alone it is taken for the invoice.
	for format, others := range map[string][]string{"zugferd": {"factur-x-2.xml"}, "pdf": nil} {
		xml := func(a *GenerateAnswer) string { return cmp.Or(a.EmbeddedXML, "a,b") }
		a, err := s.Generate(t.Context(), GenerateRequest{Country: "de", Format: format, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		if report := mustInspect(t, a.Data); report.Text != "Mine B-1" || len(report.Faults) > 0 {
			t.Errorf("%s: the template was not taken: %+v", format, report)
		}
		pdf, err := hybrid.Open(t.Context(), a.Data)
		if err != nil {
			t.Fatal(err)
		}
		inside, err := pdf.Invoice()
		if err != nil || string(inside.XML) != xml(a) || !slices.Equal(inside.Other, others) {
			t.Errorf("%s: %v %+v", format, err, inside)
		}
	}
	for _, format := range []string{"pdf", "zugferd"} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "de", Format: format, Body: generateRequest(maxPrinted + 1)})
		r, ok := errors.AsType[*finding.Refusal](err)
		if !ok || r.Kind != finding.BadRequest || r.Field != "items" || !slices.Contains(r.Extra, finding.Extra{Name: "maximum", Value: maxPrinted}) {
			t.Errorf("%s: %+v", format, err)
		}
	}
}

// TestConvert_WritesPagesAndHybrids ensures that documents become PDFs with and without the invoice inside, that a hybrid source keeps its bytes
// where no template is asked for, and what is told as lost.
func TestConvert_WritesPagesAndHybrids(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	goods, cii := sample(t, "xrechnung-ubl/goods.xml"), sample(t, "cii/zugferd-2.4-en16931/goods.xml")
	carrier := pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: cii}, {Name: "else.txt", Data: []byte("x")}}}.Bytes()
	template := &invoice.FormatOptions{Template: []byte(plainTemplate)}
	for name, c := range map[string]struct {
		document []byte
		options  invoice.ConvertBody
		kept     bool // the pages of the source
		text     string
	}{
		"XML into a hybrid":                    {goods, invoice.ConvertBody{TargetFormat: "zugferd"}, false, "Rechnungsnummer"},
		"XML into a hybrid in English":         {goods, invoice.ConvertBody{TargetFormat: "zugferd", FormatOptions: &invoice.FormatOptions{Language: "en"}}, false, "Invoice number"},
		"a hybrid into a hybrid":               {carrier, invoice.ConvertBody{TargetFormat: "zugferd", FormatOptions: &invoice.FormatOptions{Profile: "EXTENDED"}}, true, ""},
		"a hybrid into one with other pages":   {carrier, invoice.ConvertBody{TargetFormat: "zugferd", FormatOptions: template}, false, "Mine "},
		"a hybrid into one of another country": {carrier, invoice.ConvertBody{TargetFormat: "facturx", TargetCountry: "FR"}, true, ""},
		"XML into a PDF":                       {goods, invoice.ConvertBody{TargetFormat: "pdf"}, false, "Rechnungsnummer"},
		"a hybrid into a PDF of ours":          {carrier, invoice.ConvertBody{TargetFormat: "pdf", FormatOptions: template}, false, "Mine "},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := s.Convert(t.Context(), ConvertRequest{Document: c.document, Options: c.options})
			if err != nil {
				t.Fatal(err, entriesOf(err))
			}
			if a.MimeType != "application/pdf" || !strings.HasSuffix(a.Filename, ".pdf") || bytes.HasPrefix(a.Data, carrier) != c.kept {
				t.Errorf("%s, %s; begins with the source: %t", a.Filename, a.MimeType, bytes.HasPrefix(a.Data, carrier))
			}
			inside, err := Extract(t.Context(), a.Data)
			if alone := c.options.TargetFormat == "pdf"; alone != (err != nil) || alone != (a.EmbeddedXML == "") || !alone && string(inside.XML) != a.EmbeddedXML {
				t.Errorf("%v, %q", err, a.EmbeddedXML)
			}
			if !c.kept {
				if report, err := inspect.Inspect(t.Context(), a.Data); err != nil || len(report.Faults) > 0 || !strings.Contains(report.Text, c.text) {
					t.Errorf("%v %+v", err, report)
				}
			}
		})
	}
}

// TestConvert_TellsWhatPagesDoNotShow ensures that each member of the source that is not on the pages is told with its place, that a template of the
// caller's is the caller's to judge, and that the source is a file in the PDF where that is asked for.
func TestConvert_TellsWhatPagesDoNotShow(t *testing.T) {
	s, full := newService(t), sample(t, "xrechnung-ubl/full.xml")
	a, err := s.Convert(t.Context(), ConvertRequest{Document: full, Filename: "factur-x.xml", Options: invoice.ConvertBody{TargetFormat: "pdf", AttachSource: &yes}})
	if err != nil {
		t.Fatal(err)
	}
	told := slices.IndexFunc(a.ConversionWarnings, func(w finding.Finding) bool {
		return w.Code == finding.FieldNotWritten && strings.Contains(w.Field, "AccountingCustomerParty") && strings.Contains(w.Field, "EndpointID")
	})
	if told < 0 {
		t.Errorf("the electronic address of the buyer is not told: %+v", a.ConversionWarnings)
	}
	if inside, err := Extract(t.Context(), a.Data); err != nil || !bytes.Equal(inside.XML, full) || len(mustInspect(t, a.Data).Faults) > 0 {
		t.Errorf("the source is not attached: %v", err)
	}
	b, err := s.Convert(t.Context(), ConvertRequest{Document: full, Options: invoice.ConvertBody{TargetFormat: "pdf", FormatOptions: &invoice.FormatOptions{Template: []byte(plainTemplate)}}})
	if err != nil || slices.ContainsFunc(b.ConversionWarnings, func(w finding.Finding) bool { return w.Code == finding.FieldNotWritten }) {
		t.Errorf("%v", err)
	}
}

func mustInspect(t *testing.T, data []byte) *inspect.Report {
	t.Helper()
	report, err := inspect.Inspect(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestConvert_RefusesACarrierThatCannotBeUsed ensures that the failure of an embedding is told as what it is.
func TestConvert_RefusesACarrierThatCannotBeUsed(t *testing.T) {
	if err := unusable(t.Context(), &notRechecked{errors.New("another")}); errors.As(err, new(*finding.Refusal)) {
		t.Errorf("the failure of the service blames the caller: %v", err)
	}
	inv := &invoice.Invoice{Attachments: []invoice.Attachment{{Filename: "a", Content: "!"}}}
	if _, err := supplementsOf(inv.Attachments); err == nil {
		t.Error("what is no base64 became a file")
	}
	inv.Attachments[0].Content = invoice.Base64(base64.StdEncoding.EncodeToString([]byte("x")))
	if list, err := supplementsOf(inv.Attachments); err != nil || string(list[0].Data) != "x" {
		t.Errorf("%v", err)
	}
}
