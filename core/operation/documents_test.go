package operation

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestParseGivesTheInvoiceWrittenByHand parses our own source documents; the JSON beside each was written by hand.
func TestParseGivesTheInvoiceWrittenByHand(t *testing.T) {
	s := newService(t)
	files, err := filepath.Glob("../../testdata/documents/*.xml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d documents, want at least 12 (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".xml"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := s.Parse(context.Background(), ParseRequest{Document: source})
			if err != nil {
				t.Fatal(err)
			}
			expected, err := os.ReadFile(strings.TrimSuffix(file, ".xml") + ".json")
			if err != nil {
				t.Fatal(err)
			}
			want, faults, err := invoice.DecodeInvoice(expected, invoice.Options{})
			if err != nil || len(faults) > 0 {
				t.Fatal(err, faults)
			}
			if diff := cmp.Diff(want, answer.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
				t.Errorf("the invoice differs (-by hand +parsed):\n%s", diff)
			}
		})
	}
}

// refusedFor are the documents that XRechnung cannot carry, with the reason in the document.
var refusedFor = map[string]string{
	"factored-credit-note.xml": "document type code 396 is not one of",
	"not-subject.xml":          "document type code 386 is not one of",
}

// TestAnyParsedInvoiceCanBeGenerated posts what parse answers to generate.
func TestAnyParsedInvoiceCanBeGenerated(t *testing.T) {
	s := newService(t)
	files, _ := filepath.Glob("../../testdata/documents/*.xml")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := s.Parse(context.Background(), ParseRequest{Document: source})
		if err != nil {
			t.Fatal(err)
		}
		body := generateBody(t, parsed.Invoice)
		_, err = s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: body})
		if want := refusedFor[filepath.Base(file)]; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", file, err, want)
		}
	}
}

// generateBody is the request that posts an invoice as parse answered it.
func generateBody(t *testing.T, inv *invoice.Invoice) []byte {
	t.Helper()
	body, err := json.Marshal(invoice.GenerateBody{Invoice: inv})
	if err != nil {
		t.Fatal(err)
	}
	return body
}
