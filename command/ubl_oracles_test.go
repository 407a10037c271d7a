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

// TestOfficial_UBLInEveryCountry ensures that the official rules accept every scenario in every country, of which the goldens are a few.
func TestOfficial_UBLInEveryCountry(t *testing.T) {
	requests, err := testdata.UBL()
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
		answer, err := service.Generate(t.Context(), operation.GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
		if err != nil {
			t.Fatalf("%s %s: %v", r.Country, r.Scenario, err)
		}
		file := filepath.Join(t.TempDir(), r.Country+"-"+r.Scenario+".xml")
		if err := os.WriteFile(file, answer.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		verdict, err := judge.Verdict(file)
		if err != nil {
			t.Fatal(err)
		}
		judged[strings.Join(verdict.RuleSets, ", ")]++
		if !verdict.Valid || len(verdict.Fatal) > 0 {
			t.Errorf("%s %s: %v", r.Country, r.Scenario, verdict.Fatal)
		}
	}
	t.Logf("%d documents: %v", len(requests), judged)
}
