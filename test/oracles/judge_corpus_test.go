//go:build oracles && corpus

package oracles

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

// The judge finds what another set-up of the official rules found in the XRechnung documents of the corpus, id by id.
func TestJudge_AgreesWithTheCorpusVerdicts(t *testing.T) {
	compared := 0
	for _, document := range corpus.UBL(t) {
		if document.Set != "xr-ubl" || len(document.Errors) > 0 {
			continue
		}
		verdict, err := judge.Verdict(document.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.ContainsFunc(verdict.RuleSets, func(set string) bool { return strings.HasPrefix(set, "xrechnung") }) {
			continue // the rules of XRechnung are not bound to it
		}
		want := map[string]int{}
		for _, findings := range document.Rules {
			for _, f := range findings {
				want[f.ID] += f.Count
			}
		}
		got, valid := map[string]int{}, true
		for _, f := range verdict.Findings {
			if f.ID == "XSD" {
				valid = false
			} else {
				got[f.ID]++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", document.Name, diff)
		}
		if valid != document.Valid {
			t.Errorf("%s: valid against the schema = %v, want %v", document.Name, valid, document.Valid)
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("only %d documents compared", compared)
	}
	t.Logf("%d documents compared", compared)
}
