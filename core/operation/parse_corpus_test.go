//go:build corpus

package operation

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// documentReasons are the codes of faults that a document brings with it: something missing, or a value that the invoice
// object does not take.
var documentReasons = []string{finding.MissingField, finding.TooManyDecimals, finding.InvalidValue, finding.CountryCodeMismatch,
	finding.TypeContradiction, finding.InvalidIBAN, "BR-DE-17", "BR-27"}

// TestAnyParseAnswerIsAcceptedOrRefusedForAReasonInTheDocument posts the answer on every schema-valid document to generate.
func TestAnyParseAnswerIsAcceptedOrRefusedForAReasonInTheDocument(t *testing.T) {
	s := newService(t)
	accepted, refused := 0, 0
	for _, d := range slices.Concat(corpus.UBL(t), corpus.CII(t)) {
		if !d.Valid {
			continue
		}
		source, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := s.Parse(context.Background(), ParseRequest{Country: "de", Format: strings.ToLower(d.Syntax), Document: source})
		if err != nil {
			t.Errorf("%s: %v", d.Path, err)
			continue
		}
		_, err = s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: generateBody(t, parsed.Invoice)})
		if err == nil {
			accepted++
			continue
		}
		refused++
		var refusal *finding.Refusal
		if !errors.As(err, &refusal) || len(refusal.Errors) == 0 {
			t.Errorf("%s: %v", d.Path, err)
			continue
		}
		for _, e := range refusal.Errors {
			if !slices.Contains(documentReasons, e.Code) {
				t.Errorf("%s: %s %s", d.Path, e.Code, e.Message)
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted < 1000 {
		t.Errorf("only %d documents are accepted", accepted)
	}
}
