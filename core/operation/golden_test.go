package operation

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
)

var update = flag.Bool("update", false, "write the goldens anew; review them, and say why in the commit message")

const inputs = "../../testdata/xrechnung-ubl"

// expectation is what testdata/xrechnung-ubl-answers.json says of an input.
type expectation struct {
	About    string
	Status   int
	Query    string
	Warnings []string
	Fields   []string
	Field    string
	Rules    []string
	Computed map[string]string

	// WithRulebook is set for inputs that the rules refuse or change: until the rulebook ships they are answered, but their
	// document is no golden.
	WithRulebook *struct{ Status int }
}

func expectations(t *testing.T) map[string]expectation {
	t.Helper()
	data, err := os.ReadFile(inputs + "-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]expectation
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// TestGenerateAnswersEachInputAsExpected generates each input and compares status, warnings, errors and document.
func TestGenerateAnswersEachInputAsExpected(t *testing.T) {
	s := newService(t)
	for name, want := range expectations(t) {
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(inputs, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: body,
				Calculate: strings.Contains(want.Query, "calculate=true")})
			if want.Status != 200 {
				checkRefusal(t, err, want)
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", want.About, err)
			}
			if want.WithRulebook == nil {
				compareGolden(t, filepath.Join(inputs, name+".xml"), answer.Data)
			}
			checkWarnings(t, answer.Warnings, want.Warnings)
			checkComputed(t, answer.Warnings, want.Computed)
		})
	}
}

// leftOut tells whether a test leaves out the i-th of many inputs: the short form takes every eighth.
func leftOut(i int) bool { return testing.Short() && i%8 != 0 }

func newService(t testing.TB) *Service {
	t.Helper()
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-golden +now):\n%s", path, diff)
	}
}

// everywhere are the warnings that have inputs of their own or come with every document.
var everywhere = []string{finding.SelfCheckIncomplete, finding.FieldNotWritten}

func checkWarnings(t *testing.T, got []finding.Finding, want []string) {
	t.Helper()
	codes := map[string]bool{}
	for _, w := range got {
		codes[w.Code] = true
	}
	for _, code := range want {
		if !codes[code] {
			t.Errorf("no warning %s in %v", code, got)
		}
	}
	for code := range codes {
		if !slices.Contains(want, code) && !slices.Contains(everywhere, code) {
			t.Errorf("warning %s was not expected: %v", code, got)
		}
	}
}

func checkComputed(t *testing.T, got []finding.Finding, want map[string]string) {
	t.Helper()
	for field, value := range want {
		found := slices.ContainsFunc(got, func(f finding.Finding) bool {
			return f.Code == finding.ValueCalculated && f.Field == field && strings.HasSuffix(f.Message, " "+value)
		})
		if !found {
			t.Errorf("no %s of %s as %s in %v", finding.ValueCalculated, field, value, got)
		}
	}
}

func checkRefusal(t *testing.T, err error, want expectation) {
	t.Helper()
	var refusal *finding.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("%s: error %v, want a refusal", want.About, err)
	}
	kind := map[int]finding.Kind{400: finding.BadRequest, 422: finding.Unprocessable}[want.Status]
	if refusal.Kind != kind {
		t.Errorf("kind %d, want %d: %v", refusal.Kind, kind, refusal)
	}
	var fields, codes []string
	for _, e := range refusal.Errors {
		fields, codes = append(fields, e.Field), append(codes, e.Code)
	}
	if want.Field != "" {
		want.Fields = append(want.Fields, want.Field)
	}
	for _, field := range want.Fields {
		if !slices.Contains(fields, field) {
			t.Errorf("errors name %q, not %q", fields, field)
		}
	}
	for _, rule := range want.Rules {
		if !slices.Contains(codes, rule) {
			t.Errorf("errors have the codes %q, not %q", codes, rule)
		}
	}
}
