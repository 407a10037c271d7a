//go:build corpus

package operation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// verifactuCase is what the official schema says of a document of the corpus, and what a rule case is to report.
type verifactuCase struct {
	Valid  bool
	Expect []string
	Level  string
}

func verifactuCases(t *testing.T) map[string]verifactuCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "verdicts", "verifactu.json"))
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Documents, Mutants, Rules map[string]verifactuCase }
	if err := json.Unmarshal(data, &said); err != nil {
		t.Fatal(err)
	}
	all := map[string]verifactuCase{}
	for _, list := range []map[string]verifactuCase{said.Documents, said.Mutants, said.Rules} {
		for name, c := range list {
			all[name] = c
		}
	}
	if len(all) < 43 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

// TestVeriFactuCorpus_Verdicts ensures that our schema says what the official one says, that every rule case reports what its name says and
// nothing besides, and that what is right is taken in silence.
func TestVeriFactuCorpus_Verdicts(t *testing.T) {
	s := shippedService(t, today)
	for name, c := range verifactuCases(t) {
		document, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "verifactu", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.parser.Parse(document); err != nil {
			if c.Valid {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		errs, warnings, judged := judgeRecords(t, s, document)
		if valid := judged && !slices.ContainsFunc(errs, func(f finding.Finding) bool { return f.Code == "XSD-ERROR" || f.Code == finding.SchemaViolation }); valid != c.Valid {
			t.Errorf("%s: valid is %v, want %v: %+v", name, valid, c.Valid, errs)
		}
		if !c.Valid || strings.HasPrefix(name, "mutants/") {
			continue
		}
		told := errs
		if c.Level == "warning" {
			told = warnings
		}
		var codes []string
		for _, f := range append(slices.Clone(errs), warnings...) {
			codes = append(codes, f.Rule+f.Code)
		}
		for _, want := range c.Expect {
			if !slices.ContainsFunc(told, func(f finding.Finding) bool { return f.Code == want || f.Rule == want }) {
				t.Errorf("%s: %s is not reported, but %v", name, want, codes)
			}
		}
		if len(c.Expect) == 0 && len(codes) > 0 {
			t.Errorf("%s: %v", name, codes)
		}
	}
}
