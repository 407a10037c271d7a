//go:build oracles

package clients

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// lint ensures that the linter finds nothing in the description. Errors 4xx of routes that refuse nobody are not asked for.
func (d *door) lint(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "openapi.json"), d.description)
	out := d.shell(t, folder, `"$MODULES/node_modules/.bin/redocly" lint openapi.json --format=json --skip-rule=operation-4xx-response || true`, "MODULES="+d.modules)
	var found struct {
		Totals   *struct{ Errors, Warnings int } `json:"totals"`
		Problems []struct {
			RuleID   string `json:"ruleId"`
			Message  string `json:"message"`
			Location []struct {
				Pointer string `json:"pointer"`
			} `json:"location"`
		} `json:"problems"`
	}
	if err := json.Unmarshal(out, &found); err != nil || found.Totals == nil {
		t.Fatalf("the linter said nothing of use: %v\n%s", err, out)
	}
	for _, p := range found.Problems {
		t.Errorf("%s at %v: %s", p.RuleID, p.Location, p.Message)
	}
	if n := found.Totals.Errors + found.Totals.Warnings; n != len(found.Problems) {
		t.Errorf("%d problems, of which %d were told", n, len(found.Problems))
	}
}
