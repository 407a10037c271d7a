package operation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestGenerate_TellsWhatWasAskedFor ensures that the summary has the amounts of the request, also where the document has others: a
// credit note with negative amounts is written with positive ones.
func TestGenerate_TellsWhatWasAskedFor(t *testing.T) {
	s := newService(t)
	negative := []string{`"netAmount": 100.00, "taxAmount": 19.00 }`, `"netAmount": -100.00, "taxAmount": -19.00 }`, `"type": "invoice"`, `"type": "credit_note"`, `"quantity": 4`, `"quantity": -4`, `"netAmount": 100.00`, `"netAmount": -100.00`,
		`"taxAmount": 19.00`, `"taxAmount": -19.00`, `"subtotal": 100.00`, `"subtotal": -100.00`, `"total": 119.00`, `"total": -119.00`}
	for name, c := range map[string]struct {
		replace []string
		want    string
	}{
		"an invoice":    {nil, "2026-0117 EUR 100.00 119.00 [100.00 19.00]"},
		"a credit note": {negative, "2026-0117 EUR -100.00 -119.00 [-100.00 -19.00]"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := s.Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: example(t, c.replace...)})
			if err != nil {
				t.Fatal(err)
			}
			m := a.Summary
			got := fmt.Sprint(m.InvoiceNumber, " ", m.Currency, " ", m.Subtotal, " ", m.Total, " [", m.TaxSummary[0].NetAmount, " ", m.TaxSummary[0].TaxAmount, "]")
			if got != c.want || len(m.TaxSummary) != 1 {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestGenerate_TellsCalculatedAmounts ensures that the summary has the amounts that were filled in.
func TestGenerate_TellsCalculatedAmounts(t *testing.T) {
	body := example(t, `"subtotal": 100.00,`, "", `"total": 119.00,`, "")
	a, err := newService(t).Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Calculate: true, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a.Summary.Subtotal, " ", a.Summary.Total); got != "100.00 119.00" {
		t.Errorf("%s", got)
	}
}

// TestValidate_TellsTheInvoiceNumber ensures that it is told of invoices and of documents in both syntaxes, and that there may be none.
func TestValidate_TellsTheInvoiceNumber(t *testing.T) {
	s := judgingService(t, today)
	cii := `<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
		xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100">
		<rsm:ExchangedDocument><ram:ID> C-7 </ram:ID></rsm:ExchangedDocument></rsm:CrossIndustryInvoice>`
	for name, c := range map[string]struct {
		req  ValidateRequest
		want string
	}{
		"an invoice":         {ValidateRequest{Body: example(t)}, "2026-0117"},
		"UBL":                {ValidateRequest{Document: []byte(documentOf(t, example(t)))}, "2026-0117"},
		"CII":                {ValidateRequest{Document: []byte(cii)}, "C-7"},
		"UBL without number": {ValidateRequest{Document: []byte(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.req.Country = "de"
			a, err := s.Validate(t.Context(), c.req)
			if err != nil || a.InvoiceNumber != c.want {
				t.Errorf("%+v, %v; want %q", a, err, c.want)
			}
		})
	}
}

// TestValidate_LimitsTheLinesOfADocument ensures that the caller's limit counts where it is the lower one.
func TestValidate_LimitsTheLinesOfADocument(t *testing.T) {
	document := documentOf(t, example(t))
	line := document[strings.Index(document, "<cac:InvoiceLine>"):strings.Index(document, "</Invoice>")]
	document = strings.Replace(document, line, strings.Repeat(line, 3), 1)
	for _, c := range []struct{ service, caller, limit int }{{10, 0, 0}, {10, 3, 0}, {10, 2, 2}, {2, 0, 2}, {2, 10, 2}, {2, 1, 1}} {
		s := judgingService(t, today, func(cfg *Config) { cfg.MaxItems = c.service })
		_, err := s.Validate(t.Context(), ValidateRequest{Country: "de", Document: []byte(document), MaxItems: c.caller})
		r, refused := errors.AsType[*finding.Refusal](err)
		switch {
		case c.limit == 0 && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.limit > 0 && (!refused || r.Word != finding.TooManyLineItems || r.Extra[0].Value != (invoice.LineItems{Count: 3, Limit: c.limit})):
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestOpenTellsWhatParseWould ensures that a document is detected, or refused, as an automatic parse of it would, and that a parse which is
// given what was opened answers the same, to the last byte of a refusal.
func TestOpenTellsWhatParseWould(t *testing.T) {
	s := newService(t)
	files, err := filepath.Glob("../../testdata/documents/*.xml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	documents := map[string][]byte{"text": []byte("hello"), "PDF": []byte("%PDF-1.7"), "unknown": []byte("<a/>"), "cut off": []byte("<Invoice"), "nothing": nil}
	for _, file := range files {
		if documents[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, document := range documents {
		opened := s.Open(t.Context(), document)
		got, refused := opened.Detection, opened.Err
		a, err := s.Parse(t.Context(), ParseRequest{Document: document})
		if (refused == nil) != (err == nil) || err != nil && refused.Error() != err.Error() {
			t.Errorf("%s: %v, but parse says %v", name, refused, err)
		}
		b, again := s.Parse(t.Context(), ParseRequest{Document: document, Opened: opened})
		if !reflect.DeepEqual(err, again) || !bytes.Equal(mustJSON(t, a), mustJSON(t, b)) {
			t.Errorf("%s: %v, but with the opened document %v", name, err, again)
		}
		opened.Release() // again, which does nothing
		if err == nil {
			if diff := cmp.Diff(a.Detection, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
