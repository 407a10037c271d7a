//go:build corpus

package operation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// isdocVerdicts are what the publisher's schema says of the documents of the corpus.
func isdocVerdicts(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "verdicts", "isdoc.json"))
	if err != nil {
		t.Fatal(err)
	}
	type verdict struct{ Valid bool }
	var said struct{ Documents, Mutants map[string]verdict }
	if err := json.Unmarshal(data, &said); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, list := range []map[string]verdict{said.Documents, said.Mutants} {
		for name, v := range list {
			all[name] = v.Valid
		}
	}
	if len(all) < 31 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

func isdocDocument(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "isdoc", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestISDOCCorpus_VerdictsAreThoseOfTheSchema holds our schema against the official one, and the ministry's examples against our rules.
func TestISDOCCorpus_VerdictsAreThoseOfTheSchema(t *testing.T) {
	s := shippedService(t, today)
	for name, valid := range isdocVerdicts(t) {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Format: "isdoc", Document: isdocDocument(t, name)})
		if err != nil {
			if valid {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		schema := !slices.ContainsFunc(answer.Errors, func(f finding.Finding) bool {
			return f.Code == finding.SchemaViolation || f.Code == finding.ValidationNotRun
		})
		if schema != valid {
			t.Errorf("%s: valid is %v, want %v: %+v", name, schema, valid, answer.Errors)
		}
		if strings.HasPrefix(name, "off-") && !answer.Valid {
			t.Errorf("%s: %+v", name, answer.Errors)
		}
	}
}

// TestISDOCCorpus_ComesBack parses every valid document, writes its invoice and parses that: nothing is reported, and the invoice is the
// same, numbers by value.
func TestISDOCCorpus_ComesBack(t *testing.T) {
	s := shippedService(t, today)
	for name, valid := range isdocVerdicts(t) {
		if !valid {
			continue
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: isdocDocument(t, name)})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		if len(parsed.Warnings) > 0 && !strings.Contains(name, "unknown") {
			t.Errorf("%s: %+v", name, parsed.Warnings)
		}
		written, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: generateBody(t, parsed.Invoice)})
		if err != nil {
			if !strings.HasPrefix(name, "neg-") && !strings.HasPrefix(name, "mutants/") {
				t.Errorf("%s: %v", name, refusalOf(err))
			}
			continue
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		byValue := cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) })
		if diff := cmp.Diff(parsed.Invoice, again.Invoice, byValue, cmpopts.EquateEmpty(), cmp.AllowUnexported(invoice.Invoice{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
