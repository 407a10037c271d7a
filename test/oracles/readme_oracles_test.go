//go:build oracles

package oracles

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What the command line makes of the README's example is valid by the official rules.
func TestJudge_AcceptsTheExampleOfTheREADME(t *testing.T) {
	generate := exec.CommandContext(t.Context(), "go", "run", ".", "generate", "de", "xrechnung", "docs/example.json")
	generate.Dir = "../.."
	generate.Stderr = os.Stderr
	document, err := generate.Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "example.xml")
	if err := os.WriteFile(path, document, 0o600); err != nil {
		t.Fatal(err)
	}
	verdict, err := judge.Verdict(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range verdict.Findings {
		if f.Level != Information {
			t.Errorf("%s %s at %s: %s", f.Level, f.ID, f.Place, f.Text)
		}
	}
}
