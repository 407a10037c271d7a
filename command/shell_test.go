package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/docs"
)

// TestVersionAndHelp ensures that --version is what version prints, and help CMD what CMD --help prints.
func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"--version", "version"}, {"help", "--help"}, {"help generate", "generate --help"}, {"help keys create", "keys create --help"}} {
		one, _, code := run(t, "", strings.Fields(pair[0])...)
		other, _, _ := run(t, "", strings.Fields(pair[1])...)
		if one != other || one == "" || code != exitOK {
			t.Errorf("%s: exit code %d\n%s", pair[0], code, cmp.Diff(other, one))
		}
	}
	if _, stderr, code := run(t, "", "help", "nothing"); code != exitUsage || !strings.Contains(stderr, "unexpected argument nothing") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestComplete ensures what may stand in place of the last word of a command line.
func TestComplete(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"gen":                          "generate",
		"generate":                     "generate",
		"generate d":                   "de dk",
		"generate de xr":               "xrechnung",
		"generate de xrechnung ":       "", // a file
		"keys ":                        "create list revoke",
		"validate --j":                 "--json --junit",
		"validate --country f":         "fi fr",
		"validate --as-of 2026-01-01 ": "",
		"serve --log-level ":           "debug info warn error",
		"completion z":                 "zsh",
		"help keys c":                  "create",
		"samples de xrechnung card-":   "card-54 card-55",
		"runn":                         "", // hidden
	} {
		stdout, stderr, code := run(t, "", append([]string{"complete", "--"}, strings.Split(line, " ")...)...)
		var got []string
		for text := range strings.Lines(stdout) {
			word, _, _ := strings.Cut(text, "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want || code != exitOK || stderr != "" {
			t.Errorf("%q: exit code %d, %q, want %q\n%s", line, code, got, want, stderr)
		}
	}
}

// TestCompletion_Bash ensures that bash completes with the script as it is printed.
func TestCompletion_Bash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeProgram(t, filepath.Join(dir, "einvoiced"))
	script := `source <(einvoiced completion bash)
COMP_WORDS=(einvoiced generate de x) COMP_CWORD=3; _einvoiced; echo "${COMPREPLY[@]}"
COMP_WORDS=(einvoiced serve --log-level w) COMP_CWORD=3; _einvoiced; echo "${COMPREPLY[@]}"
complete -p einvoiced`
	shell := exec.CommandContext(t.Context(), bash, "--norc", "-c", script)
	shell.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if want := "xrechnung\nwarn\ncomplete -o default -F _einvoiced einvoiced\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s", err, cmp.Diff(want, string(out)))
	}
}

// writeProgram makes a file that starts this test as the program.
func writeProgram(t *testing.T, file string) {
	t.Helper()
	text := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", asProgram, os.Args[0])
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestCompletion_Shells ensures that each shell has a script that asks the program.
func TestCompletion_Shells(t *testing.T) {
	t.Parallel()
	for shell, registers := range map[string]string{"bash": "complete -o default -F", "zsh": "compdef _einvoiced einvoiced", "fish": "complete -c einvoiced"} {
		stdout, _, code := run(t, "", "completion", shell)
		if code != exitOK || !strings.Contains(stdout, registers) || !strings.Contains(stdout, "complete -- ") {
			t.Errorf("%s: exit code %d\n%s", shell, code, stdout)
		}
	}
	if _, stderr, code := run(t, "", "completion", "tcsh"); code != exitUsage || !strings.Contains(stderr, `"bash","zsh","fish"`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestMan ensures a page for the program and each command that people see, with all its flags and their environment.
func TestMan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, stderr, code := run(t, "", "man", "--into", dir); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	parser, err := kong.New(&commands{}, kong.Name("einvoiced"), kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\-`, "-", `\e`, `\`)
	for _, leaf := range parser.Model.Leaves(true) {
		text := unescape.Replace(readText(t, filepath.Join(dir, strings.ReplaceAll(leaf.FullPath(), " ", "-")+".1")))
		for _, f := range leaf.Flags {
			if !strings.Contains(text, ".B "+f.String()+"\n") || !strings.Contains(text, strings.Join(f.Envs, ", ")) {
				t.Errorf("%s: no %s %s", leaf.FullPath(), f, f.Envs)
			}
		}
	}
	if root := readText(t, filepath.Join(dir, "einvoiced.1")); !strings.Contains(root, "Exit codes: 0 success") || strings.Contains(root, "runner") {
		t.Errorf("the page of the program:\n%s", root)
	}
	page, _, _ := run(t, "", "man", "keys", "create")
	if page != readText(t, filepath.Join(dir, "einvoiced-keys-create.1")) {
		t.Errorf("the page that is printed:\n%s", page)
	}
	if _, stderr, code := run(t, "", "man", "nothing"); code != exitUsage || !strings.Contains(stderr, "there is no command nothing") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// terminal is a pseudo-terminal of this machine: what is written to the one end is read at the other.
func terminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatalf("there is no terminal: %v", err)
	}
	t.Cleanup(func() { _ = ours.Close() }) // its other end may be closed
	unlock, number := 0, 0
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, unlock); err != nil {
		t.Fatalf("the terminal stays locked: %v", err)
	}
	if number, err = unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN); err != nil {
		t.Fatalf("the terminal has no number: %v", err)
	}
	if theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatalf("the terminal cannot be opened: %v", err)
	}
	t.Cleanup(func() { _ = theirs.Close() }) // some tests have closed it
	return ours, theirs
}

// TestColours ensures that verdicts are coloured on a terminal, and nowhere else: not where NO_COLOR is set, and not in a file.
func TestColours(t *testing.T) {
	books, files := validateFiles(t)
	for _, environ := range [][]string{{"TERM=xterm"}, {"TERM=xterm", "NO_COLOR=1"}, {"TERM=dumb"}, {"NO_COLOR="}} {
		ours, theirs := terminal(t)
		m := &Main{Stdin: strings.NewReader(""), Stdout: theirs, Stderr: io.Discard, Environ: environ}
		err := m.Parse([]string{"validate", "--rulebooks", books, files[1]})
		if err == nil {
			err = m.Run(t.Context())
		}
		m.Close(err)
		text := make([]byte, 4096)
		n, err := ours.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		plain := slices.ContainsFunc(environ, func(s string) bool { return s == "NO_COLOR=1" || s == "TERM=dumb" })
		if got := bytes.Contains(text[:n], []byte("\x1b[31mnot valid\x1b[0m")); got == plain {
			t.Errorf("%v: coloured %v\n%q", environ, got, text[:n])
		}
	}
	stdout, stderr, _ := run(t, "", append([]string{"validate", "--rulebooks", books}, files...)...)
	if strings.Contains(stdout+stderr, "\x1b") {
		t.Errorf("coloured: %s%s", stdout, stderr)
	}
}

// TestFolders ensures that a folder stands for the documents below it, in the order of their names, and that one without is refused.
func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	document := readExample(t, "xrechnung-skonto.xml")
	for _, name := range []string{"b.xml", "a/c.XML", "a/notes.txt", ".git/d.xml", "a/.hidden.xml"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stdout, stderr, code := run(t, "", "parse", "--json", dir)
	var got []string
	for text := range strings.Lines(stdout) {
		var line struct{ File string }
		unmarshal(t, []byte(text), &line)
		got = append(got, strings.TrimPrefix(line.File, dir+"/"))
	}
	if diff := cmp.Diff([]string{"a/c.XML", "b.xml"}, got); diff != "" || code != exitOK {
		t.Errorf("exit code %d: %s\n%s", code, stderr, diff)
	}
	if _, stderr, code := run(t, "", "validate", t.TempDir()); code != exitUsage || !strings.Contains(stderr, "ends with .xml or .pdf") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestInterrupt ensures that Ctrl-C ends a command with 130 and blames no document.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	program := exec.Command(os.Args[0], "validate", "../testdata/documents/xrechnung-skonto.xml", "-", "../testdata/documents/card.xml")
	stdout, stderr := &lockedBuffer{}, &lockedBuffer{}
	program.Stdout, program.Stderr = stdout, stderr
	stdin, err := program.StdinPipe() // on which nothing comes, so that the program is at work until it is interrupted
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	startProgram(t, program)
	eventually(t, "the first document is judged", func() bool { return strings.Contains(stdout.String(), "xrechnung-skonto.xml") })
	if err := program.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // it tells the exit code below
	if code := program.ProcessState.ExitCode(); code != 130 || stderr.String() != "einvoiced: interrupt\n" || strings.Count(stdout.String(), ".xml: ") != 1 {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalled{syscall.SIGTERM})
	if f := failureOf(interrupted(ctx, context.Canceled)); f.code != 143 {
		t.Errorf("exit code %d", f.code)
	}
}

// TestJSON_OnFailures ensures that with --json what failed is one object on standard output, in the shape of the API.
func TestJSON_OnFailures(t *testing.T) {
	t.Parallel()
	wrong := edited(t, "subtotal", "101", "total", "120")
	for name, c := range map[string]struct {
		stdin string
		args  []string
		code  int
		want  string // of the message
	}{
		"an invoice that breaks rules": {wrong, []string{"generate", "de", "xrechnung", "-", "--json"}, exitInvalid, "BR-CO-10"},
		"no JSON":                      {"x", []string{"generate", "de", "xrechnung", "-", "--json"}, exitInvalid, "JSON"},
		"no file":                      {"", []string{"generate", "de", "xrechnung", "nothing.json", "--json"}, exitUsage, "nothing.json"},
		"no such flag":                 {"", []string{"generate", "--json", "--nothing"}, exitUsage, "--nothing"},
		"no such format":               {"", []string{"generate", "de", "ubll", "-", "--json"}, exitUsage, "did you mean ubl?"},
		"no folder of a service":       {"", []string{"keys", "list", "--json", "--data", "nothing"}, exitUsage, "nothing"},
	} {
		stdout, _, code := run(t, c.stdin, c.args...)
		var body struct {
			Success  *bool
			Message  string
			Findings []finding.Detail
		}
		unmarshal(t, []byte(stdout), &body)
		if code != c.code || !strings.Contains(stdout, c.want) || body.Success == nil || *body.Success || body.Message == "" || strings.Count(stdout, "\n") != 1 {
			t.Errorf("%s: exit code %d: %s", name, code, stdout)
		}
		if name == "an invoice that breaks rules" {
			found := slices.IndexFunc(body.Findings, func(d finding.Detail) bool { return d.Code == "BR-CO-10" })
			if found < 0 || body.Findings[found].Term != "BT-106" || body.Findings[found].Expected != "100.00" || body.Findings[found].Actual != "101" {
				t.Errorf("findings: %+v", body.Findings)
			}
		}
	}
}

// TestJSON_Places ensures that findings about a document have line, path, term, expected and actual as members, on the command line and
// over HTTP where details are asked for.
func TestJSON_Places(t *testing.T) {
	t.Parallel()
	document := regexp.MustCompile(`(<cbc:LineExtensionAmount[^>]*>)[0-9.]+(</cbc:LineExtensionAmount>\s*<cbc:TaxExclusiveAmount)`).
		ReplaceAllString(readExample(t, "xrechnung-skonto.xml"), "${1}1.00${2}")
	stdout, _, code := run(t, document, "validate", "-", "--json")
	check := func(door string, answer []byte) {
		var body struct {
			Errors   []map[string]any
			Findings []finding.Detail
		}
		unmarshal(t, answer, &body)
		found := slices.IndexFunc(body.Findings, func(d finding.Detail) bool { return d.Code == "BR-CO-10" })
		if found < 0 {
			t.Fatalf("%s: %s", door, answer)
		}
		d := body.Findings[found]
		if d.Severity != "error" || d.Line < 2 || !strings.HasPrefix(d.Path, "/Invoice") || d.Term != "BT-106" || d.Actual != "1.00" || d.Expected == "" || d.Expected == "1.00" {
			t.Errorf("%s: %+v", door, d)
		}
		if len(body.Errors[0]) != 3 {
			t.Errorf("%s: members of an entry: %v", door, body.Errors[0])
		}
	}
	check("command line", []byte(stdout))
	if code != exitInvalid {
		t.Errorf("exit code %d", code)
	}
	c := newContract(t)
	check("HTTP", c.ask(t, "POST", validatePath+"?details=true", document, "Content-Type", "application/xml").Body)
	if r := c.ask(t, "POST", validatePath, document, "Content-Type", "application/xml"); bytes.Contains(r.Body, []byte(`"findings"`)) {
		t.Errorf("findings that nobody asked for: %s", r.Body)
	}
}

// TestFormats ensures a line for each format of the country, or of all, with what works.
func TestFormats(t *testing.T) {
	t.Parallel()
	all, _, code := run(t, "", "formats")
	some, _, _ := run(t, "", "formats", "de")
	if row := regexp.MustCompile(`(?m)^de +xrechnung +generate parse validate +XRechnung`); code != exitOK || !row.MatchString(all) || !row.MatchString(some) {
		t.Errorf("exit code %d\n%s", code, some)
	}
	if strings.Contains(some, "\nfr ") || !strings.Contains(all, "\nfr ") {
		t.Errorf("the countries:\n%s", some)
	}
	line, _, _ := run(t, "", "formats", "de", "--json")
	var country struct{ Code string }
	if unmarshal(t, []byte(line), &country); country.Code != "DE" {
		t.Errorf("as JSON: %s", line)
	}
	if _, stderr, code := run(t, "", "formats", "xx"); code != exitInvalid || !strings.Contains(stderr, "Country XX is not supported") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestSamples ensures that each of the 83 requests for an XRechnung is there, under its name, with its answer, and of every format of each
// country one that can be generated. The short form compares every eighth.
func TestSamples(t *testing.T) {
	t.Parallel()
	want, err := filepath.Glob("../testdata/xrechnung-ubl/*.json")
	if err != nil {
		t.Fatal(err)
	}
	list, _, code := run(t, "", "samples")
	formats := 0
	for _, country := range served() {
		for _, f := range country.Formats {
			if !f.Generate {
				continue
			}
			formats++
			cc := strings.ToLower(country.Code)
			request, _, _ := run(t, "", "samples", country.Code, f.ID, cc)
			if request != readText(t, "../testdata/countries/"+cc+".json") || !strings.Contains(list, cc+" ") {
				t.Errorf("%s %s: %.100s", cc, f.ID, request)
			}
		}
	}
	if got := strings.Count(list, "\n") - 1; got != len(want)+formats || len(want) != 83 || formats < 80 || code != exitOK {
		t.Errorf("exit code %d, %d of %d requests and %d formats\n%s", code, got, len(want), formats, list)
	}
	national, _, _ := run(t, "", "samples", "it", "fatturapa", "it")
	if document, stderr, code := run(t, national, "generate", "it", "fatturapa", "-"); code != exitOK || !strings.Contains(document, "FatturaElettronica") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	dir := t.TempDir()
	run(t, "", "samples", "de", "xrechnung", "--into", dir)
	for i, file := range want {
		if testing.Short() && i%8 != 0 {
			continue
		}
		name := filepath.Base(file)
		printed, _, _ := run(t, "", "samples", "de", "xrechnung", strings.TrimSuffix(name, ".json"))
		if text := readText(t, file); printed != text || readText(t, filepath.Join(dir, name)) != text {
			t.Errorf("%s is another", name)
		}
	}
	for _, wrong := range []string{"de", "fr xrechnung", "de cii", "de xrechnung nothing"} {
		if _, stderr, code := run(t, "", append([]string{"samples"}, strings.Fields(wrong)...)...); code != exitUsage || !strings.Contains(stderr, "einvoiced samples lists what there is") {
			t.Errorf("%s: exit code %d: %s", wrong, code, stderr)
		}
	}
	if _, stderr, code := run(t, string(docs.Example()), "generate", "de", "ubll", "-"); code != exitUsage || stderr != "einvoiced: Germany has no format \"ubll\": did you mean ubl?\n" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
