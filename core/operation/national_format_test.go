package operation

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// nationalFormat is a national format as the tests that each of them has know it: what differs is data.
type nationalFormat struct {
	country, token string
	folder         string              // of inputs and goldens, below testdata
	detection      string              // what a written document is recognised as
	version        string              // the version of that; empty where it has none
	rulebook       string              // that judges it
	told           map[string][]string // of inputs that are warned of: the warnings, as code and member
	always         []string            // members that each input is warned of, since the format has none of them
	firstOnly      bool                // texts of goldens are replaced where they stand first, not everywhere
	signed         bool                // documents may carry a signature, whose leaves are none of the invoice
	warns          bool                // rule cases of the corpus may be reported as warnings
}

// inputs are the requests in the folder by name.
func (f *nationalFormat) inputs(t testing.TB) map[string][]byte {
	t.Helper()
	return inputsIn(t, "../../testdata/"+f.folder)
}

// inputsIn are the requests in a folder by name.
func inputsIn(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(folder + "/*.json")
	if err != nil || len(paths) < 12 {
		t.Fatal(len(paths), err)
	}
	inputs := map[string][]byte{}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs[strings.TrimSuffix(filepath.Base(path), ".json")] = body
	}
	return inputs
}

// names are those of the inputs.
func (f *nationalFormat) names(t testing.TB) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(f.inputs(t)))
}

// body is an input with a JSON merge patch on its invoice.
func (f *nationalFormat) body(t testing.TB, input, patch string) []byte {
	t.Helper()
	return patched(t, f.inputs(t)[input], patch)
}

// generate makes the document of a request, which is not refused.
func (f *nationalFormat) generate(t testing.TB, s *Service, body []byte) *GenerateAnswer {
	t.Helper()
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: f.country, Format: f.token, Body: body})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	return answer
}

// golden is the golden of an input on one line, with texts replaced, pair by pair.
func (f *nationalFormat) golden(t testing.TB, name string, pairs ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata", f.folder, name+".xml"))
	if err != nil {
		t.Fatal(err)
	}
	text := squeezedXML(data)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s: no %s", name, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], map[bool]int{true: 1, false: -1}[f.firstOnly])
	}
	return []byte(text)
}

// warnings are those of an answer as code and member, without what every input is warned of.
func (f *nationalFormat) warnings(list []finding.Finding) (told []string) {
	for _, w := range list {
		if w.Code != finding.FieldNotWritten || !slices.Contains(f.always, w.Field) {
			told = append(told, w.Code+" "+w.Field)
		}
	}
	return told
}

// goldens ensures the document of each input, that the rulebook has nothing against it, and what the caller is warned of.
func (f *nationalFormat) goldens(t *testing.T, more func(t *testing.T, s *Service, body []byte, answer *GenerateAnswer)) {
	s := shippedService(t, today)
	for name, body := range f.inputs(t) {
		t.Run(name, func(t *testing.T) {
			answer := f.generate(t, s, body)
			if warnings := f.warnings(answer.Warnings); !slices.Equal(warnings, f.told[name]) {
				t.Errorf("%q", warnings)
			}
			if len(answer.Rulebooks) != 1 || answer.Rulebooks[0].ID != f.rulebook {
				t.Errorf("judged by %v", answer.Rulebooks)
			}
			compareGolden(t, filepath.Join("../../testdata", f.folder, name+".xml"), answer.Data)
			if more != nil {
				more(t, s, body, answer)
			}
		})
	}
}

// comesBack ensures that a written document is recognised for sure and read without a rest, and that its invoice gives the same document again.
func (f *nationalFormat) comesBack(t *testing.T) {
	s := shippedService(t, today)
	for name, body := range f.inputs(t) {
		t.Run(name, func(t *testing.T) {
			answer := f.generate(t, s, body)
			parsed := parsedAs(t, s, answer.Data)
			d := parsed.Detection
			if parsed.Format != f.detection || len(parsed.Warnings) > 0 || d.Confidence < 90 || *d.CountryCode != f.country || f.version != "" && *d.FormatVersion != f.version {
				t.Fatalf("%+v", parsed)
			}
			again := f.generate(t, s, requestOf(t, parsed.Invoice))
			if diff := cmp.Diff(string(answer.Data), string(again.Data)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(parsed.Invoice, parsedAs(t, s, again.Data).Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// parsedAs reads a document, which is not refused.
func parsedAs(t testing.TB, s *Service, document []byte) *ParseAnswer {
	t.Helper()
	parsed, err := s.Parse(t.Context(), ParseRequest{Document: document})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	return parsed
}

// byDecimal compares numbers by value.
var byDecimal = cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) })

// brokenRule is a rule with a golden that breaks it once texts are replaced, pair by pair.
type brokenRule struct {
	rule, golden string
	pairs        []string
	warning      bool
}

// rulesFire breaks each rule in a document that is right otherwise. Each rule of the rulebook has a case, but for those that other tests try.
func (f *nationalFormat) rulesFire(t *testing.T, cases []brokenRule, elsewhere ...string) {
	s := shippedService(t, today)
	for _, id := range f.rules(t) {
		if !slices.Contains(elsewhere, id) && !slices.ContainsFunc(cases, func(c brokenRule) bool { return c.rule == id }) {
			t.Errorf("nothing makes %s fire", id)
		}
	}
	for _, c := range cases {
		answer, err := s.Validate(t.Context(), f.validation(f.golden(t, c.golden, c.pairs...)))
		if err != nil {
			t.Errorf("%s: %v", c.rule, refusalOf(err))
			continue
		}
		list := answer.Errors
		if c.warning {
			list = answer.Warnings
		}
		if !fires(list, c.rule) {
			t.Errorf("%s does not fire: %+v %+v", c.rule, answer.Errors, answer.Warnings)
		}
		before, err := s.Validate(t.Context(), f.validation(f.golden(t, c.golden)))
		if err != nil || !before.Valid || len(before.Warnings) > 0 {
			t.Errorf("%s: %v %+v", c.golden, err, before)
		}
	}
}

// rules are the ids of the rules of the rulebook.
func (f *nationalFormat) rules(t *testing.T) (ids []string) {
	t.Helper()
	book, err := registryOf(t, shipped).Current().Find(f.rulebook, "", today)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := book.Rulesets()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		for _, pattern := range set.Patterns {
			for _, rule := range pattern.Rules {
				for _, a := range rule.Assertions {
					ids = append(ids, a.Key)
				}
			}
		}
	}
	if len(ids) == 0 {
		t.Fatalf("%s has no rules", f.rulebook)
	}
	return ids
}

func (f *nationalFormat) validation(document []byte) ValidateRequest {
	return ValidateRequest{Country: f.country, Format: f.token, Document: document}
}

// fires tells whether a rule or its house code is among findings.
func fires(list []finding.Finding, rule string) bool {
	return slices.ContainsFunc(list, func(f finding.Finding) bool { return f.Code == rule || f.Rule == rule })
}

// checkDigits puts other numbers in the place of one in a golden: those with a wrong check digit are warned of, so many times.
func (f *nationalFormat) checkDigits(t *testing.T, golden, before, number string, times int, numbers map[string]bool) {
	s := shippedService(t, today)
	for other, right := range numbers {
		answer, err := s.Validate(t.Context(), f.validation(f.golden(t, golden, before+number, before+other)))
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 0, false: times}[right]; len(answer.Warnings) != want {
			t.Errorf("%s: %+v", other, answer.Warnings)
		}
	}
}
