//go:build corpus

package operation

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_EbInterfaceComesBack ensures that every valid ebInterface document is read with all of its leaves, and that what is generated
// from it is read as the same invoice.
func TestCorpus_EbInterfaceComesBack(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	for _, d := range corpus.Nationals(t, "ebinterface") {
		if !d.Valid {
			continue
		}
		source, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(d.Name, func(t *testing.T) { comesBack(t, s, source) })
	}
}

// TestCorpus_EbInterfaceIsJudgedAsOfficially ensures that our schema accepts what the official one accepts, and nothing else, and that
// documents of the publisher break no rule that refuses them.
func TestCorpus_EbInterfaceIsJudgedAsOfficially(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	for _, d := range corpus.Nationals(t, "ebinterface") {
		source, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "AT", Format: "ebinterface", Document: source})
		if valid := err == nil && answer.Valid; valid != d.Valid {
			t.Errorf("%s: %v %+v", d.Name, err, answer)
		}
	}
}

// reportedInEbInterface are the leaves that no invoice holds, each with the reason. Those of extensions, which are in namespaces that
// nobody but sender and recipient knows, are others.
var reportedInEbInterface = map[string]string{
	"@GeneratingSystem": "it names the program that made the document",
}

// comesBack reads a document, writes its invoice and reads it again.
func comesBack(t *testing.T, s *Service, source []byte) {
	t.Helper()
	first, err := s.Parse(t.Context(), ParseRequest{Document: source})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range first.Warnings {
		if reportedInEbInterface[w.Field[strings.LastIndexByte(w.Field, '/')+1:]] == "" && !strings.Contains(w.Field, "/Extension/") {
			t.Errorf("reported: %s", w.Message)
		}
	}
	made, err := s.Generate(t.Context(), GenerateRequest{Country: "AT", Format: "ebinterface", Body: requestOf(t, first.Invoice)})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range made.Warnings {
		if isLoss(w) {
			t.Errorf("lost: %+v", w)
		}
	}
	second, err := s.Parse(t.Context(), ParseRequest{Document: made.Data})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.Invoice, second.Invoice); diff != "" {
		t.Errorf("%s\n%s", diff, made.Data)
	}
}

// TestCorpus_UBLBecomesEbInterface ensures that every valid UBL document becomes one in ebInterface, or is refused with a reason; what is made
// states the same total and the same amount due.
func TestCorpus_UBLBecomesEbInterface(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	var all tally
	eachUBL(t, func(path string, source []byte) {
		answer, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetFormat: "ebinterface"}})
		if refusal, is := errors.AsType[*finding.Refusal](err); is && refusal.Kind != finding.Unprocessable {
			t.Errorf("%s: %v", path, err)
		}
		if !all.count(t, path, err) {
			return
		}
		before, err := s.Parse(t.Context(), ParseRequest{Country: "AT", Format: "ubl", Document: source})
		if err != nil {
			t.Fatal(err)
		}
		after, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := before.Invoice.Total.Abs(), after.Invoice.Total.Abs(); a.Cmp(b) != 0 {
			t.Errorf("%s: the total is %s, was %s", path, b, a)
		}
	})
	all.check(t, 500)
}
