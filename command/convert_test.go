package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/docs"
)

// TestConvert_Command ensures where results go, what is told of them, and the exit codes.
func TestConvert_Command(t *testing.T) {
	good, _, _ := run(t, string(docs.Example()), "generate", "de", "xrechnung", "-")
	folder := t.TempDir()
	for name, text := range map[string]string{"a.xml": good, "b.xml": strings.Replace(good, "2026-0117", "2026-0118", 1), "c.xml": "<Invoice>"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := filepath.Join(folder, "a.xml")
	stdout, stderr, code := run(t, "", "convert", "--to", "xrechnung", "--syntax", "cii", a)
	if code != exitOK || !strings.Contains(stdout, "<ram:ID>2026-0117</ram:ID>") || stderr != "" {
		t.Errorf("to standard output: exit code %d\n%s%s", code, stdout, stderr)
	}
	file := filepath.Join(folder, "out.txt")
	stdout, _, code = run(t, good, "convert", "--to", "zugferd", "--xml", "--profile", "BASIC", "--no-validate", "-o", file, "-")
	written, err := os.ReadFile(file)
	if code != exitOK || err != nil || !strings.Contains(string(written), "urn:factur-x.eu:1p0:basic") || !strings.HasPrefix(stdout, "-: XRECHNUNG_UBL to zugferd, "+file+"; warnings: 1, not carried: ") {
		t.Errorf("to a file: exit code %d, %v\n%s", code, err, stdout)
	}
	out := filepath.Join(t.TempDir(), "out")
	stdout, stderr, code = run(t, "", "convert", "--to", "xrechnung", "-o", out, folder, a)
	for _, name := range []string{"a-xrechnung.xml", "b-xrechnung.xml", "a-xrechnung-2.xml"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil || !strings.Contains(stdout, filepath.Join(out, name)) {
			t.Errorf("to a folder: %v\n%s", err, stdout)
		}
	}
	if code != exitInvalid || !strings.Contains(stderr, "c.xml: data cannot be read") || !strings.Contains(stderr, "1 of 4 files could not be converted") {
		t.Errorf("to a folder: exit code %d\n%s", code, stderr)
	}
	stdout, _, code = run(t, "", "convert", "--to", "xrechnung", "--json", folder)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var failed struct{ File, Error string }
	unmarshal(t, []byte(lines[len(lines)-1]), &failed)
	if code != exitInvalid || len(lines) != 3 || !strings.Contains(lines[0], `"targetFormat":"xrechnung"`) || failed.Error != "PARSE_FAILED" {
		t.Errorf("as JSON: exit code %d\n%s", code, stdout)
	}
	for want, args := range map[string][]string{
		"several results need a folder": {"convert", "--to", "xrechnung", folder},
		"missing flags: --to":           {"convert", a},
		"did you mean xrechnung?":       {"convert", "--to", "xrechnug", "--country", "de", a},
	} {
		if _, stderr, code := run(t, "", args...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d\n%s", args, code, stderr)
		}
	}
	if _, stderr, code := run(t, "", "convert", "--to", "nothing", a); code != exitInvalid || !strings.Contains(stderr, `targetFormat "nothing" is no format`) {
		t.Errorf("an unknown format: exit code %d\n%s", code, stderr)
	}
}
