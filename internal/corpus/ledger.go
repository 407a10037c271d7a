package corpus

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ledger is docs/conformance.md: what the suites of the standards give, a section for each test that runs one.
func ledger() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "docs", "conformance.md")
}

// CheckLedger compares a section of docs/conformance.md with what a test has found and fails the test when they differ. With
// update it writes the section instead. Tests of several packages write one file: run them with -p 1 then.
func CheckLedger(t testing.TB, section, text string, update bool) {
	t.Helper()
	before, old, after := LedgerSection(t, section)
	text = "\n" + strings.TrimSpace(text) + "\n"
	if update {
		if err := os.WriteFile(ledger(), []byte(before+text+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(old, text); diff != "" {
		t.Errorf("docs/conformance.md is out of date; run make conformance and review it (-file +now):\n%s", diff)
	}
}

// LedgerSection gives a section of docs/conformance.md: what stands between the comments that name its begin and its end, and
// what stands before and after.
func LedgerSection(t testing.TB, section string) (before, text, after string) {
	t.Helper()
	data, err := os.ReadFile(ledger())
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- begin "+section+" -->", "<!-- end "+section+" -->"
	before, rest, found := strings.Cut(string(data), begin)
	text, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("docs/conformance.md has no section %s", section)
	}
	return before + begin, text, end + after
}
