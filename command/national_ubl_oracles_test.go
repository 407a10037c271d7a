//go:build oracles

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/test/oracles"
	"github.com/einvoiced/einvoiced/testdata"
)

// TestOfficial_NationalUBL ensures that the official rules accept every scenario in every specification of PINT, CIUS-PT and CIUS-RO, of
// which the goldens are some.
func TestOfficial_NationalUBL(t *testing.T) {
	requests, err := testdata.NationalUBL()
	if err != nil {
		t.Fatal(err)
	}
	service, err := operation.New(operation.Config{})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := oracles.StartJudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer judge.Close()
	judged := map[string]int{}
	for _, r := range requests {
		if r.Format != "ubl" {
			continue
		}
		answer, err := service.Generate(t.Context(), operation.GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
		if err != nil {
			t.Fatalf("%s %s: %v", r.Case, r.Scenario, err)
		}
		file := filepath.Join(t.TempDir(), r.Case+"-"+r.Scenario+".xml")
		if err := os.WriteFile(file, answer.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		verdict, err := judge.Verdict(file)
		if err != nil {
			t.Fatal(err)
		}
		judged[strings.Join(verdict.RuleSets, ", ")]++
		if !verdict.Valid || len(verdict.Fatal) > 0 {
			t.Errorf("%s %s: %v %v", r.Case, r.Scenario, verdict.Fatal, verdict.Findings)
		}
	}
	t.Logf("%v", judged)
}
