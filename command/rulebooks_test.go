package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// order is an order by testdata/rules; what is given stands in it.
func order(content string) string {
	return `<order xmlns="urn:example:orders">` + content + "</order>"
}

const (
	goodOrder = `<date>2026-01-31</date><total>3.5</total><line>3</line><line>0.5</line>`
	badOrder  = `<date>2026-01-31</date><total>4</total><line unit="XYZ">-1</line><line unit="KGM">-2</line>`
	oddOrder  = `<date>2026-01-31</date><total>much</total><line>1</line>`
)

// orderRules are the rules for orders.
const orderRules = "../testdata/rules/orders.sch"

// verdictLine is a line of rulebooks run --json.
type verdictLine struct {
	File string
	XSD  *struct {
		Valid  bool
		Errors []struct {
			Kind, Location, Message string
			Line, Column            int
		}
	}
	Schematron []struct {
		ID, Flag, Role, Location, Message string
		Count                             int
	}
	NotRun []struct{ ID, Code, Reason string }
	Error  string
}

// TestRulebooksRun ensures the verdict on one document: what fired with level, first place, message and count, and what could
// not be evaluated and why, beside what could.
func TestRulebooksRun(t *testing.T) {
	const negative = `{"id":"~c99210bf","flag":"","role":"error","location":"/order/line[1]","message":"A line is not negative.","count":2}`
	for _, c := range []struct{ name, document, want string }{
		{"nothing fires", order(goodOrder), `{"file":"-","schematron":[],"notRun":[]}`},
		{"several rules fire", order(badOrder), `{"file":"-","schematron":[` +
			`{"id":"U-1","flag":"fatal","role":"","location":"/order/line[1]","message":"The unit XYZ is in the list.","count":1},` +
			`{"id":"O-3","flag":"fatal","role":"","location":"/order","message":"The total is the sum of the lines.","count":1},` + negative +
			`,{"id":"O-4","flag":"","role":"information","location":"/order/line[1]","message":"Line 1 has a unit.","count":2}],"notRun":[]}`},
		{"a rule cannot be evaluated", order(oddOrder), `{"file":"-","schematron":[],"notRun":[{"id":"O-3","code":"FORG0001","reason":"R"}]}`},
		{"no XML", `<order`, `{"file":"-","schematron":[],"notRun":[{"id":"*","code":"NOT_WELL_FORMED","reason":"R"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, _, code := run(t, c.document, "rulebooks", "run", "--json", "--now", "2026-02-01", "--schematron", orderRules, "-")
			if want := map[bool]int{true: exitOK, false: exitInvalid}[c.name == "nothing fires"]; code != want {
				t.Errorf("exit code %d", code)
			}
			got := regexp.MustCompile(`"reason":"([^"\\]|\\.)+"`).ReplaceAllString(strings.TrimSpace(stdout), `"reason":"R"`)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRulebooksRun_Schema ensures that the schema gives its verdict beside that of the rules, which see the document all the
// same, and that the schema that declares the document element is the one that judges.
func TestRulebooksRun_Schema(t *testing.T) {
	const other = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="note" type="xs:date"/></xs:schema>`
	notes := writeFile(t, "note.xsd", other)
	for _, c := range []struct {
		name, document, kind, location string
		fired                          int
	}{
		{"valid", order(goodOrder), "", "", 0},
		{"valid, but for a rule", order(badOrder), "", "", 4},
		{"not valid", order(oddOrder), "datatype", "/order/total", 0},
		{"not valid, nor by a rule", order(`<date>2026-01-31</date><total>0</total>`), "missing-child", "/order", 1},
		{"of the other schema", `<note>2026-01-31</note>`, "", "", 0},
		{"of the other schema, not valid", `<note>today</note>`, "datatype", "/note", 0},
		{"of no schema", `<order/>`, "root", "/order", 0},
		{"no XML", `<order`, "not-well-formed", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, _, code := run(t, c.document, "rulebooks", "run", "--json", "--now", "2026-02-01", "--schematron", orderRules,
				"--xsd", "../testdata/rules/orders.xsd", "--xsd", notes, "-")
			var line verdictLine
			unmarshal(t, []byte(stdout), &line)
			valid := c.kind == ""
			if line.XSD == nil || line.XSD.Valid != valid || valid != (len(line.XSD.Errors) == 0) || len(line.Schematron) != c.fired {
				t.Fatal(stdout)
			}
			if !valid && (line.XSD.Errors[0].Kind != c.kind || line.XSD.Errors[0].Location != c.location || line.XSD.Errors[0].Line != 1 || line.XSD.Errors[0].Message == "") {
				t.Error(stdout)
			}
			if want := map[bool]int{true: exitOK, false: exitInvalid}[valid && c.fired == 0]; code != want {
				t.Errorf("exit code %d", code)
			}
		})
	}
	stdout, _, code := run(t, order(oddOrder), "rulebooks", "run", "--xsd", "../testdata/rules/orders.xsd", "-")
	if want := "-: not valid, against the schema: 1, fatal: 0,"; code != exitInvalid || !strings.HasPrefix(stdout, want) || !strings.Contains(stdout, "\n  schema: datatype at /order/total (line 1, column ") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// TestRulebooksRun_Clock ensures that rules see the time that is given, and the time of the machine otherwise.
func TestRulebooksRun_Clock(t *testing.T) {
	document := writeFile(t, "a.xml", order(goodOrder))
	for now, want := range map[string]bool{"2026-01-30": true, "2026-01-31T00:00:00Z": false, "2026-01-30T23:59:59Z": true} {
		stdout, _, code := run(t, "", "rulebooks", "run", "--schematron", orderRules, "--now", now, document)
		if got := strings.Contains(stdout, "warning: O-2 at /order: The date 2026-01-31 is not in the future."); got != want || code != exitOK {
			t.Errorf("at %s: exit code %d\n%s", now, code, stdout)
		}
	}
	ancient := writeFile(t, "b.xml", strings.Replace(order(goodOrder), "2026", "1999", 1))
	if stdout, _, _ := run(t, "", "rulebooks", "run", "--schematron", orderRules, ancient); strings.Contains(stdout, "O-2") {
		t.Errorf("without a time: %s", stdout)
	}
}

// TestRulebooksRun_ManyDocuments ensures one line for each document in the order of the arguments, and an exit code that tells
// the worst.
func TestRulebooksRun_ManyDocuments(t *testing.T) {
	good, bad := writeFile(t, "good.xml", order(goodOrder)), writeFile(t, "bad.xml", order(badOrder))
	args := []string{"rulebooks", "run", "--json", "--now", "2026-02-01", "--schematron", orderRules}
	options := len(args)
	for i := range 60 {
		args = append(args, map[bool]string{true: good, false: bad}[i%3 != 0])
	}
	stdout, stderr, code := run(t, "", args...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != exitInvalid || len(lines) != 60 || !strings.Contains(stderr, "20 of 60 documents are not valid") {
		t.Fatalf("exit code %d, %d lines: %s", code, len(lines), stderr)
	}
	for i, text := range lines {
		var line verdictLine
		unmarshal(t, []byte(text), &line)
		if line.File != args[options+i] || (len(line.Schematron) == 0) != (i%3 != 0) {
			t.Fatalf("line %d: %s", i, text)
		}
	}
	stdout, stderr, code = run(t, "", "rulebooks", "run", "--json", "--schematron", orderRules, good, "no-such.xml")
	if code != exitUsage || !strings.Contains(stdout, `{"file":"no-such.xml","error":"Bad Request"`) || !strings.Contains(stderr, "1 of 2 documents could not be judged") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

// TestRulebooksRun_ForPeople ensures a line about the document and one for each thing to know.
func TestRulebooksRun_ForPeople(t *testing.T) {
	stdout, stderr, code := run(t, order(badOrder), "rulebooks", "run", "--schematron", orderRules, "--now", "2026-02-01", "-")
	want := "-: not valid, fatal: 3, warnings: 0, information: 1, not run: 0\n" +
		"  fatal: U-1 at /order/line[1]: The unit XYZ is in the list.\n"
	if code != exitInvalid || !strings.HasPrefix(stdout, want) || !strings.Contains(stdout, "O-4 at /order/line[1] (first of 2): Line 1") || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	stdout, _, _ = run(t, order(oddOrder), "rulebooks", "run", "--schematron", orderRules, "--now", "2026-02-01", "-")
	if !strings.Contains(stdout, "not valid, fatal: 0, warnings: 0, information: 0, not run: 1\n  not run: O-3: FORG0001 ") {
		t.Error(stdout)
	}
}

// TestRulebooksRun_Usage ensures what is said of command lines and rules that are no good.
func TestRulebooksRun_Usage(t *testing.T) {
	notRules := writeFile(t, "x.sch", "<x/>")
	for _, c := range []struct {
		args   []string
		stderr string
	}{
		{[]string{"a.xml"}, `^einvoiced: there are no rules\nhint: `},
		{[]string{"--schematron", orderRules}, `hint: einvoiced rulebooks --help tells more`},
		{[]string{"--schematron", "no-such.sch", "a.xml"}, `^einvoiced: load rules of no-such.sch: .*\nhint: `},
		{[]string{"--xsd", notRules, "a.xml"}, `^einvoiced: load rules of .*x.sch: .*\nhint: `},
		{[]string{"--schematron", notRules, "a.xml"}, `expected schema of ISO Schematron`},
		{[]string{"--schematron", orderRules, "--now", "noon", "a.xml"}, `expected a date or a time such as`},
	} {
		stdout, stderr, code := run(t, "", append([]string{"rulebooks", "run"}, c.args...)...)
		if code != exitUsage || stdout != "" || !regexp.MustCompile(c.stderr).MatchString(stderr) {
			t.Errorf("%v: exit code %d: %s%s", c.args, code, stdout, stderr)
		}
	}
}

// TestRulebooksRun_FoldersAbove ensures that a rule file may refer to files of the folders above it.
func TestRulebooksRun_FoldersAbove(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../testdata/rules")); err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(filepath.Join(dir, "orders.sch"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "orders", "main", "orders.sch")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(rules), "shared/", "../../shared/", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, _ := run(t, order(badOrder), "rulebooks", "run", "--schematron", name, "-")
	if !strings.Contains(stdout, "The unit XYZ is in the list.") {
		t.Errorf("%s%s", stdout, stderr)
	}
}
