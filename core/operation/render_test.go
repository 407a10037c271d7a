package operation

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// TestRender_MakesAnyDocumentReadable ensures that documents, whole and poor ones, and hybrids become pages in the language of their country or of who
// reads them, and that the same document gives the same bytes.
func TestRender_MakesAnyDocumentReadable(t *testing.T) {
	s, goods := newService(t), sample(t, "xrechnung-ubl/goods.xml")
	hybrid := pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: sample(t, "cii/zugferd-2.4-en16931/goods.xml")}}}.Bytes()
	elsewhere := bytes.ReplaceAll(goods, []byte("<cbc:IdentificationCode>DE<"), []byte("<cbc:IdentificationCode>US<"))
	for name, c := range map[string]struct {
		document       []byte
		language, text string
	}{
		"UBL":                    {goods, "", "Rechnungsnummer"},
		"UBL for an Italian":     {goods, "IT", "Numero fattura"},
		"a hybrid":               {hybrid, "", "Rechnungsnummer"},
		"one with nothing in it": {manyLines(1), "fr", "Facture"},
		"of a seller elsewhere":  {bytes.ReplaceAll(elsewhere, []byte("urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"), []byte("urn:cen.eu:en16931:2017")), "", "Invoice number"},
	} {
		a, err := s.Render(t.Context(), RenderRequest{Document: c.document, Language: c.language})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		report := mustInspect(t, a.Data)
		if !strings.Contains(report.Text, c.text) || len(report.Faults) > 0 || a.Detection == nil || !strings.HasSuffix(a.Filename, "-pdf.pdf") {
			t.Errorf("%s: %q in %q, %v", name, c.text, report.Text, report.Faults)
		}
		if again, err := s.Render(t.Context(), RenderRequest{Document: c.document, Language: c.language}); err != nil || again.Hash != a.Hash {
			t.Errorf("%s: other bytes of the same document", name)
		}
	}
}

// TestRender_Refuses has a row for each document that does not become pages.
func TestRender_Refuses(t *testing.T) {
	s := newService(t)
	for name, c := range map[string]struct {
		document []byte
		language string
		kind     finding.Kind
		field    string
	}{
		"no document":         {[]byte("hello"), "", finding.BadRequest, "data"},
		"no invoice":          {[]byte("<a/>"), "", finding.BadRequest, "data"},
		"a PDF without":       {pdfmaker.PDF{}.Bytes(), "", finding.Unprocessable, "data"},
		"too many lines":      {manyLines(maxPrinted + 1), "", finding.BadRequest, "data"},
		"an unknown language": {manyLines(1), "tlh", finding.BadRequest, "language"},
		"what is cut off":     {manyLines(1)[:300], "", finding.Unprocessable, "data"},
	} {
		_, err := s.Render(t.Context(), RenderRequest{Document: c.document, Language: c.language})
		if r, ok := errors.AsType[*finding.Refusal](err); !ok || r.Kind != c.kind || r.Field != c.field {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// TestFill_MakesAPDFOfATemplateAndItsData ensures that a template is filled with whatever data, and that files come along.
func TestFill_MakesAPDFOfATemplateAndItsData(t *testing.T) {
	s := newService(t)
	body := `{"template":{"version":"1.0.0","name":"Delivery note","page":{"size":"A4","margins":40},"body":{"blocks":[{"type":"text","data":{"content":"{{no}} for {{who.name}}: {{sum:number:2}}","odd":1}}]}},
		"data":{"no":"L-1","who":{"name":"Ann"},"sum":1234.5},"language":"de","attachments":[{"filename":"a.xml","mimeType":"text/xml","content":"PGEvPg=="}]}`
	a, err := s.Fill(t.Context(), FillRequest{Body: []byte(body)})
	if err != nil {
		t.Fatal(err, entriesOf(err))
	}
	report := mustInspect(t, a.Data)
	if report.Text != "L-1 for Ann: 1.234,50" || len(report.Faults) > 0 || a.Filename != "Delivery-note-pdf.pdf" || a.Detection != nil ||
		len(a.Infos) != 1 || !strings.Contains(a.Infos[0].Message, "template.body.blocks[0].data.odd") {
		t.Errorf("%+v %q %+v", report, a.Filename, a.Infos)
	}
	if inside, err := Extract(t.Context(), a.Data); err != nil || string(inside.XML) != "<a/>" || inside.Name != "a.xml" {
		t.Errorf("the file is not in the PDF: %v %+v", err, inside)
	}
}

// TestFill_Refuses has a row for each request that is none.
func TestFill_Refuses(t *testing.T) {
	s := newService(t)
	file := `{"filename":"a","mimeType":"text/plain","content":"YQ=="}`
	for name, c := range map[string]struct {
		body, field string
		kind        finding.Kind
	}{
		"nothing":             {`{}`, "template", finding.BadRequest},
		"no data":             {`{"template":` + plainTemplate + `}`, "data", finding.BadRequest},
		"data that is a list": {`{"template":` + plainTemplate + `,"data":[]}`, "data", finding.BadRequest},
		"data that is deep":   {`{"template":` + plainTemplate + `,"data":{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`, "data", finding.BadRequest},
		"a missing value":     {`{"template":` + plainTemplate + `,"data":{}}`, "template.body.blocks[0].data.content", finding.BadRequest},
		"a wrong template":    {`{"template":{"page":7},"data":{}}`, "template.version", finding.BadRequest},
		"two templates":       {`{"template":{},"templateId":"1","data":{}}`, "templateId", finding.BadRequest},
		"an unknown template": {`{"templateId":"1","data":{}}`, "templateId", finding.NotFound},
		"too many files":      {`{"template":` + plainTemplate + `,"data":{},"attachments":[` + strings.Repeat(file+",", maxFiles) + file + `]}`, "attachments", finding.BadRequest},
		"a file without name": {`{"template":` + plainTemplate + `,"data":{},"attachments":[{"mimeType":"a/b","content":"YQ=="}]}`, "attachments[0].filename", finding.BadRequest},
		"another language":    {`{"template":` + plainTemplate + `,"data":{"invoiceNumber":1},"language":"tlh"}`, "language", finding.BadRequest},
		"no JSON":             {`{`, "", finding.BadRequest},
	} {
		_, err := s.Fill(t.Context(), FillRequest{Body: []byte(c.body)})
		r, ok := errors.AsType[*finding.Refusal](err)
		if !ok || r.Kind != c.kind || r.Field != c.field && !slices.ContainsFunc(r.Errors, func(f finding.Finding) bool { return f.Field == c.field }) {
			t.Errorf("%s: %+v%s", name, err, entriesOf(err))
		}
	}
}
