//go:build oracles && corpus

package oracles

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// corpusVerdicts is the part of a file of corpus verdicts that the test compares.
type corpusVerdicts struct {
	Files map[string]struct {
		XSD map[string]struct {
			Valid bool `json:"valid"`
		} `json:"xsd"`
		Rules map[string]json.RawMessage `json:"rules"`
	} `json:"files"`
}

// counts adds up the findings by rule id; ok is false when a rule set was aborted.
func counts(rules map[string]json.RawMessage) (ids map[string]int, ok bool) {
	ids = map[string]int{}
	for _, raw := range rules {
		var findings []struct {
			ID    string `json:"id"`
			Count int    `json:"count"`
		}
		if json.Unmarshal(raw, &findings) != nil {
			return nil, false
		}
		for _, f := range findings {
			ids[f.ID] += f.Count
		}
	}
	return ids, true
}

// The judge finds what another set-up of the official rules found in the XRechnung documents of the corpus, id by id.
func TestJudge_AgreesWithTheCorpusVerdicts(t *testing.T) {
	corpus := filepath.Join(cmp.Or(os.Getenv("EINVOICED_SHARED"), "../../shared"), "corpus")
	data, err := os.ReadFile(filepath.Join(corpus, "verdicts", "xr-ubl.json"))
	if err != nil {
		t.Fatal(err)
	}
	var verdicts corpusVerdicts
	if err := json.Unmarshal(data, &verdicts); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for name, verdict := range verdicts.Files {
		want, ok := counts(map[string]json.RawMessage{"cen": verdict.Rules["en16931-ubl"], "de": verdict.Rules["xrechnung-ubl"]})
		if !ok {
			continue
		}
		got, err := judge.Verdict(filepath.Join(corpus, "xr-ubl", name))
		if err != nil {
			t.Error(err)
			continue
		}
		ids, faults := map[string]int{}, 0
		for _, f := range got.Findings {
			if f.ID == "XSD" {
				faults++
			} else {
				ids[f.ID]++
			}
		}
		if len(got.RuleSets) == 2 { // a plain EN 16931 invoice: the rules of XRechnung are not bound to it
			continue
		}
		if diff := gocmp.Diff(want, ids); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for schema, x := range verdict.XSD {
			if x.Valid != (faults == 0) {
				t.Errorf("%s: %s valid = %v, the judge found %d faults", name, schema, x.Valid, faults)
			}
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("only %d documents compared", compared)
	}
	t.Logf("%d documents compared", compared)
}
