package command

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"context"

	"github.com/einvoiced/einvoiced/docs"
)

// write puts a file into a folder of the test.
func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCommandLine ensures exit codes, and that standard output has nothing but results.
func TestCommandLine(t *testing.T) {
	request := string(docs.Example())
	bare := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(request), `{`)), "}")
	_, bare, _ = strings.Cut(bare, ":")
	dir := made(t)
	for _, c := range []struct {
		name   string
		stdin  string
		args   []string
		code   int
		stdout string // a pattern; empty for nothing at all
		stderr string // a pattern
	}{
		{"help", "", []string{"--help"}, exitOK, `(?s)^Usage: einvoiced <command>.*Exit codes:.*serve .*keys revoke`, `^$`},
		{"help of a command", "", []string{"serve", "--help"}, exitOK, `(?s)^Usage: einvoiced serve.*--listen=ADDR.*EINVOICED_LISTEN`, `^$`},
		{"version", "", []string{"version"}, exitOK, `^einvoiced \S+.*, interface 1\.4\.0, go1\S+\n$`, `^$`},
		{"version as JSON", "", []string{"version", "--json"}, exitOK, `^\{"version":"`, `^$`},
		{"no command", "", nil, exitUsage, ``, `^einvoiced: expected .*\nhint: einvoiced --help tells more\n$`},
		{"unknown command", "", []string{"transform"}, exitUsage, ``, `^einvoiced: unexpected argument transform`},
		{"unknown flag", "", []string{"serve", "--port=1"}, exitUsage, ``, `hint: einvoiced serve --help tells more`},
		{"missing argument", "", []string{"generate", "de"}, exitUsage, ``, `hint: einvoiced generate --help tells more`},
		{"generate from standard input", request, []string{"generate", "de", "xrechnung", "-"}, exitOK, `(?s)^<\?xml .*<cbc:ID>2026-0117</cbc:ID>`, ``},
		{"generate from a bare invoice", bare, []string{"generate", "DE", "XRechnung", "-"}, exitOK, `(?s)^<\?xml .*<cbc:ID>2026-0117</cbc:ID>`, ``},
		{"generate as JSON", request, []string{"generate", "de", "xrechnung", "-", "--json"}, exitOK, `^\{"success":true,"format":"xrechnung",.*\}\n$`, ``},
		{"generate of no JSON", "<a/>", []string{"generate", "de", "xrechnung", "-"}, exitInvalid, ``, `^einvoiced: .*JSON`},
		{"generate of nothing", "", []string{"generate", "de", "xrechnung", "-"}, exitInvalid, ``, `^einvoiced: .*JSON`},
		{"generate of half an invoice", `{"invoice":{"type":"invoice"}}`, []string{"generate", "de", "xrechnung", "-"}, exitInvalid, ``,
			`(?s)^error: MISSING_FIELD: .*error: MISSING_FIELD: .*\neinvoiced: `},
		{"generate for an unsupported country", request, []string{"generate", "xy", "xrechnung", "-"}, exitInvalid, ``, `^einvoiced: Country XY is not supported`},
		{"generate from no file", "", []string{"generate", "de", "xrechnung", "no-such.json"}, exitUsage, ``, `(?s)^einvoiced: read input: .*\nhint: `},
		{"generate into no folder", request, []string{"generate", "de", "xrechnung", "-", "-o", "no-such/a.xml"}, exitUsage, ``, `(?s)einvoiced: write output: .*\nhint: `},
		{"parse of no XML", "{}", []string{"parse", "-"}, exitInvalid, ``, `^einvoiced: -: data`},
		{"parse of no file", "", []string{"parse", "no-such.xml"}, exitUsage, ``, `^einvoiced: no-such.xml: read input: `},
		{"parse with half a format", "", []string{"parse", "-", "--country", "de"}, exitUsage, ``, `belong together`},
		{"keys with a bad entitlement", "", []string{"keys", "create", "--data", dir, "--entitlement", "e-invoice:DE"}, exitUsage, ``, `hint: entitlements are e-invoice:`},
		{"keys with a bad mode", "", []string{"keys", "create", "--data", dir, "--mode", "prod"}, exitUsage, ``, `--mode must be one of`},
		{"keys of an unknown account", "", []string{"keys", "create", "--data", dir, "--account", "acc_1"}, exitUsage, ``, `there is no account acc_1\nhint: einvoiced accounts list`},
		{"revoke an unknown key", "", []string{"keys", "revoke", "key_1", "--data", dir}, exitUsage, ``, `hint: einvoiced keys list shows the ids`},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code := run(t, c.stdin, c.args...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if c.stdout == "" && stdout != "" || !regexp.MustCompile(c.stdout).MatchString(stdout) {
				t.Errorf("standard output:\n%s", stdout)
			}
			if !regexp.MustCompile(c.stderr).MatchString(stderr) {
				t.Errorf("standard error:\n%s", stderr)
			}
		})
	}
}

// TestGenerateAndParse ensures that a document written to a file comes back, for people and as JSON.
func TestGenerateAndParse(t *testing.T) {
	document := filepath.Join(t.TempDir(), "a.xml")
	if stdout, stderr, code := run(t, string(docs.Example()), "generate", "de", "xrechnung", "-", "-o", document); code != exitOK || stdout != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, _, code := run(t, "", "parse", document)
	want := document + ": XRECHNUNG_UBL invoice 2026-0117 of 2026-03-02, Weserhandel GmbH to Amt Nord, 119.00 EUR, lines: 1\n"
	if code != exitOK || stdout != want {
		t.Errorf("exit code %d\ngot  %swant %s", code, stdout, want)
	}
	stdout, _, code = run(t, "", "parse", "--json", document)
	var line struct {
		File    string
		Success bool
		Invoice struct{ InvoiceNumber string }
	}
	unmarshal(t, []byte(stdout), &line)
	if code != exitOK || !line.Success || line.File != document || line.Invoice.InvoiceNumber != "2026-0117" {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// TestParse_ManyFiles ensures one line for each file in the order of the arguments, whatever came of it, and an exit code
// that tells the worst.
func TestParse_ManyFiles(t *testing.T) {
	good, _, _ := run(t, string(docs.Example()), "generate", "de", "xrechnung", "-")
	goodFile, badFile := writeFile(t, "good.xml", good), writeFile(t, "bad.xml", "<Invoice>")
	args := []string{"parse", "--json"}
	var want []bool
	for i := range 60 {
		args, want = append(args, map[bool]string{true: goodFile, false: badFile}[i%3 != 0]), append(want, i%3 != 0)
	}
	stdout, stderr, code := run(t, "", args...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != exitInvalid || len(lines) != len(want) || !strings.Contains(stderr, "20 of 60 files could not be parsed") {
		t.Fatalf("exit code %d, %d lines: %s", code, len(lines), stderr)
	}
	for i, text := range lines {
		var line struct {
			File, Error string
			Success     bool
			Errors      []any
		}
		unmarshal(t, []byte(text), &line)
		if line.File != args[i+2] || line.Success != want[i] || !want[i] && (line.Error != "PARSE_FAILED" || len(line.Errors) == 0) {
			t.Fatalf("line %d: %s", i, text)
		}
	}
	if _, _, code := run(t, "", "parse", goodFile, badFile, "no-such.xml"); code != exitUsage {
		t.Errorf("exit code %d with a file that is not there", code)
	}
}

// TestInOrder ensures that results come in the order of the items, and that an error or the end of the context stops the work.
func TestInOrder(t *testing.T) {
	items := make([]int, 1000)
	for i := range items {
		items[i] = i
	}
	square := func(_ context.Context, i int) int { return i * i }
	var got []int
	if err := inOrder(t.Context(), 7, items, square, func(r int) error { got = append(got, r); return nil }); err != nil || len(got) != len(items) {
		t.Fatalf("%d results, %v", len(got), err)
	}
	for i, r := range got {
		if r != i*i {
			t.Fatalf("result %d is %d", i, r)
		}
	}
	enough, n := errors.New("enough"), 0
	err := inOrder(t.Context(), 3, items, square, func(int) error {
		if n++; n == 10 {
			return enough
		}
		return nil
	})
	if err != enough || n != 10 {
		t.Errorf("stopped after %d results with %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = inOrder(ctx, 3, items, square, func(int) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: %v", err)
	}
}

// TestProgress_OnlyOnATerminal ensures that pipes and files get no bar.
func TestProgress_OnlyOnATerminal(t *testing.T) {
	var out strings.Builder
	p := newProgress(&Main{Stdout: &out, Stderr: &out}, 10)
	p.step()
	p.finish()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(file) || isTerminal(&out) || out.String() != "" {
		t.Errorf("printed %q", out.String())
	}
}

// TestQuote ensures that any text is one word of the shell.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a b", "it's", `"$HOME" \ ; |`} {
		if got := quote(s); strings.ReplaceAll(got[1:len(got)-1], `'\''`, "'") != s {
			t.Errorf("%q became %s", s, got)
		}
	}
}

// TestLoopback ensures which addresses count as this machine alone.
func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true, "0.0.0.0:1": false, "[::]:1": false, "192.0.2.1:1": false, "x": false} {
		if got := loopback(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
