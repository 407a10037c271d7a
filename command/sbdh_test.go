package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSBDHCheck ensures that the command names the broken rules with their line, and ends with the code of invalid input.
func TestSBDHCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "envelope.xml")
	if err := os.WriteFile(file, []byte("<a/>"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := run(t, "", "sbdh", "check", file)
	if code != exitInvalid || !strings.Contains(out, "envelope.xml:1: no-sbd: ") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if out, _, code = run(t, "", "sbdh", "check", "--json", file); code != exitInvalid || !strings.Contains(out, `"rule":"no-sbd"`) {
		t.Errorf("%d %q", code, out)
	}
	if _, errs, code = run(t, "", "sbdh", "unwrap", file); code != exitInvalid || !strings.Contains(errs, "is no envelope") {
		t.Errorf("%d %q", code, errs)
	}
}
