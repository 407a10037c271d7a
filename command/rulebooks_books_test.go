package command

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// orderBooks gives a folder with a rulebook of the rules for orders.
func orderBooks(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rulebooks")
	stdout, stderr, code := run(t, "", "rulebooks", "import", "../testdata/rules", "--into", dir, "--id", "orders", "--version", "1.2", "--syntax", "orders")
	if code != exitOK || stdout != "orders-1.2: orders 1.2, files: 4\n" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	return dir
}

// TestRulebooksImport ensures that an archive gives the same rulebook as a folder, and that what was there stays unless it is to
// be replaced.
func TestRulebooksImport(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	if err := z.AddFS(os.DirFS("../testdata/rules")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	source, dir := writeFile(t, "orders-1.2.zip", archive.String()), orderBooks(t)
	args := []string{"rulebooks", "import", source, "--into", dir, "--id", "orders", "--version", "1.2", "--syntax", "orders"}
	if _, stderr, code := run(t, "", args...); code != exitInvalid || !strings.Contains(stderr, "orders-1.2") {
		t.Errorf("a second time: exit code %d: %s", code, stderr)
	}
	before, err := os.ReadFile(filepath.Join(dir, "orders-1.2", "manifest.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := run(t, "", append(args, "--replace")...); code != exitOK {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	after, err := os.ReadFile(filepath.Join(dir, "orders-1.2", "manifest.yaml"))
	if diff := cmp.Diff(string(before), string(after)); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestRulebooksImport_Refusals ensures what is said of sources that are no good.
func TestRulebooksImport_Refusals(t *testing.T) {
	into := t.TempDir()
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"no source", []string{"no-such.zip", "--into", into}, exitUsage, `^einvoiced: open source: .*\nhint: `},
		{"no archive", []string{writeFile(t, "a.zip", "text"), "--into", into}, exitUsage, `^einvoiced: open source: `},
		{"no folder", []string{"../testdata/rules", "--into", writeFile(t, "a", "")}, exitUsage, `^einvoiced: open rulebooks: `},
		{"nothing named", []string{"../testdata/rules"}, exitUsage, `missing flags: --into=DIR`},
		{"no version", []string{"../testdata/rules", "--into", into}, exitInvalid, `--version`},
		{"no such entry", []string{"../testdata/rules", "--into", into, "--version", "1", "--schematron", "../orders.sch"}, exitInvalid, `not in the source`},
		{"nothing inside", []string{t.TempDir(), "--into", into}, exitInvalid, `neither a Schematron rule set nor`},
	} {
		stdout, stderr, code := run(t, "", append([]string{"rulebooks", "import"}, c.args...)...)
		if code != c.code || stdout != "" || !regexp.MustCompile(c.stderr).MatchString(stderr) {
			t.Errorf("%s: exit code %d: %s%s", c.name, code, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir(into); len(entries) > 0 || err != nil {
		t.Errorf("something was written: %v %v", entries, err)
	}
}

// TestRulebooksList ensures a line for each rulebook, for people and as JSON.
func TestRulebooksList(t *testing.T) {
	dir := orderBooks(t)
	stdout, stderr, code := run(t, "", "rulebooks", "list", "--rulebooks", dir)
	if !regexp.MustCompile(`(?m)^ID .*\n(.*\n)*orders +1\.2 +orders +- +- .*orders\.xsd orders\.sch$`).MatchString(stdout) || code != exitOK {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, _, _ = run(t, "", "rulebooks", "list", "--rulebooks", dir, "--json")
	found := false
	for text := range strings.Lines(stdout) {
		var line listedBook
		unmarshal(t, []byte(text), &line)
		found = found || line.ID == "orders" && line.Version == "1.2" && line.Layer == dir && len(line.Digest) == 64 && cmp.Equal(line.Schematron, []string{"orders.sch"}) && cmp.Equal(line.XSD, []string{"orders.xsd"})
	}
	if !found {
		t.Error(stdout)
	}
}

// TestRulebooks_BrokenFolder ensures that a broken folder of rulebooks is refused as a whole, with the file that is to blame.
func TestRulebooks_BrokenFolder(t *testing.T) {
	dir := orderBooks(t)
	if err := os.WriteFile(filepath.Join(dir, "orders-1.2", "orders.sch"), []byte("<x/>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, filepath.Join(dir, "no-such")} {
		stdout, stderr, code := run(t, "", "rulebooks", "list", "--rulebooks", folder)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, "hint: --rulebooks") || !regexp.MustCompile(`orders\.sch|no-such`).MatchString(stderr) {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
	}
}

// officialOrders are verdicts as official processors would give them, and what differs from ours.
const officialOrders = `{"set": "orders", "syntax": "X", "rulesets": {"orders": {"version": "1.2", "ids": 5}}, "files": {
"good.xml": {"rules": {"orders": []}},
"bad.xml": {"rules": {"orders": [{"id":"O-3","flag":"fatal","count":1},{"id":"U-1","flag":"fatal","count":1},{"id":"O-4","flag":"information","count":2,"report":true},{"id":"~c99210bf","flag":"error","count":2}]}},
"odd.xml": {"rules": {"orders": {"error":"FORG0001","message":"cannot convert"}}}%s}}`

// orderDocuments gives a folder with documents.
func orderDocuments(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"good.xml": goodOrder, "bad.xml": badOrder, "odd.xml": oddOrder} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(order(content)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRulebooksAgree ensures the lines and the exit code when all verdicts are equal, an aborted run among them.
func TestRulebooksAgree(t *testing.T) {
	verdicts := writeFile(t, "orders.json", strings.Replace(officialOrders, "%s", "", 1))
	args := []string{"rulebooks", "agree", "--rulebooks", orderBooks(t), "--now", "2026-09-01", "--verdicts", verdicts, "--diff", orderDocuments(t)}
	stdout, stderr, code := run(t, "", args...)
	want := "orders  documents: 3  equal: 3  100.00 %  version: 1.2\n" + "total   documents: 3  equal: 3  100.00 %\n"
	if diff := cmp.Diff(want, stdout); diff != "" || code != exitOK || stderr != "" {
		t.Errorf("exit code %d: %s\n%s", code, stderr, diff)
	}
	stdout, _, code = run(t, "", append(args, "--json")...)
	want = `{"ruleset":"orders","version":"1.2","documents":3,"equal":3,"share":1}` + "\n" + `{"total":true,"documents":3,"equal":3,"share":1}` + "\n"
	if diff := cmp.Diff(want, stdout); diff != "" || code != exitOK {
		t.Errorf("exit code %d:\n%s", code, diff)
	}
}

// TestRulebooksAgree_Differences ensures that each difference is told, and that rule sets that are not loaded and documents
// that are not there count as disagreeing.
func TestRulebooksAgree_Differences(t *testing.T) {
	more := `,"good.xml": {"rules": {"orders": [{"id":"O-1","flag":"fatal","count":1}], "invoices": []}}, "gone.xml": {"rules": {"orders": []}}`
	verdicts := writeFile(t, "orders.json", strings.Replace(officialOrders, "%s", more, 1))
	args := []string{"rulebooks", "agree", "--rulebooks", orderBooks(t), "--now", "2026-09-01", "--verdicts", verdicts, orderDocuments(t)}
	stdout, stderr, code := run(t, "", append(args, "--diff")...)
	want := `gone.xml: orders: openat gone.xml: no such file or directory
good.xml: invoices: not loaded
good.xml: orders: O-1 fatal: official count 1, ours 0
invoices  documents: 1  equal: 0  0.00 %   not loaded: rulebook invoices: is not there
orders    documents: 4  equal: 2  50.00 %  version: 1.2
total     documents: 5  equal: 2  40.00 %
`
	if diff := cmp.Diff(want, stdout); diff != "" || code != exitInvalid || !strings.Contains(stderr, "3 of 5 verdicts differ") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, diff)
	}
	stdout, _, code = run(t, "", append(args, "--diff", "--json")...)
	if !strings.Contains(stdout, `{"file":"good.xml","ruleset":"orders","difference":"O-1 fatal: official count 1, ours 0"}`+"\n") || code != exitInvalid {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if stdout, _, _ = run(t, "", args...); strings.Count(stdout, "\n") != 3 {
		t.Errorf("without --diff:\n%s", stdout)
	}
}

// TestRulebooksAgree_Schemas ensures that the verdicts of schemas are compared where a rulebook has their name, and that those
// left out are named.
func TestRulebooksAgree_Schemas(t *testing.T) {
	verdicts := writeFile(t, "orders.json", `{"set": "orders", "rulesets": {"orders": {"version": "1.2"}}, "files": {
"good.xml": {"xsd": {"orders": {"valid": true}}, "rules": {"orders": []}},
"bad.xml": {"xsd": {"orders": {"valid": false, "first": "facet"}}, "rules": {}},
"odd.xml": {"xsd": {"orders": {"valid": true}, "invoices": {"valid": true}}, "rules": {}},
"cut.xml": {"xsd": {"orders": {"valid": false}}, "rules": {}}}}`)
	documents := orderDocuments(t)
	if err := os.WriteFile(filepath.Join(documents, "cut.xml"), []byte("<order"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"rulebooks", "agree", "--rulebooks", orderBooks(t), "--now", "2026-09-01", "--verdicts", verdicts, "--diff", documents}
	stdout, stderr, code := run(t, "", args...)
	want := `bad.xml: xsd:orders: officially not valid, ours valid
odd.xml: xsd:orders: officially valid, ours not: line 1: R
xsd:orders  documents: 4  equal: 2  50.00 %   version: 1.2
orders      documents: 1  equal: 1  100.00 %  version: 1.2
total       documents: 5  equal: 3  60.00 %
`
	got := regexp.MustCompile(`line 1: .+`).ReplaceAllString(stdout, "line 1: R")
	if diff := cmp.Diff(want, got); diff != "" || code != exitInvalid || !strings.Contains(stderr, "schemas without a rulebook were not compared: invoices\n") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, diff)
	}
	stdout, _, _ = run(t, "", append(args, "--json")...)
	if !strings.Contains(stdout, `{"file":"bad.xml","schema":"orders","difference":"officially not valid, ours valid"}`+"\n") ||
		!strings.Contains(stdout, `{"schema":"orders","version":"1.2","documents":4,"equal":2,"share":0.5}`+"\n") {
		t.Error(stdout)
	}
}

// TestRulebooksAgree_PublishersIDs ensures that rules are compared by the ids that the publisher's rules report.
func TestRulebooksAgree_PublishersIDs(t *testing.T) {
	dir := orderBooks(t)
	name := filepath.Join(dir, "orders-1.2", "manifest.yaml")
	manifest, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(manifest, "standsFor:\n  O-3: ~00c0ffee\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	verdicts := writeFile(t, "orders.json", strings.NewReplacer("%s", "", "O-3", "~00c0ffee").Replace(officialOrders))
	stdout, stderr, code := run(t, "", "rulebooks", "agree", "--rulebooks", dir, "--now", "2026-09-01", "--verdicts", verdicts, "--diff", orderDocuments(t))
	if code != exitOK {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

// TestRulebooksAgree_Usage ensures what is said of command lines that are no good.
func TestRulebooksAgree_Usage(t *testing.T) {
	verdicts := writeFile(t, "orders.json", strings.Replace(officialOrders, "%s", "", 1))
	for _, c := range []struct {
		args   []string
		stderr string
	}{
		{[]string{t.TempDir()}, `name a file with --verdicts`},
		{[]string{"--verdicts", verdicts, "no-such"}, `^einvoiced: open documents: .*\nhint: `},
		{[]string{"--verdicts", "no-such", t.TempDir()}, `^einvoiced: read input: .*\nhint: `},
		{[]string{"--verdicts", writeFile(t, "x.json", "{}"), t.TempDir()}, `expected an object with rulesets and files`},
	} {
		stdout, stderr, code := run(t, "", append([]string{"rulebooks", "agree"}, c.args...)...)
		if code != exitUsage || stdout != "" || !regexp.MustCompile(c.stderr).MatchString(stderr) {
			t.Errorf("%v: exit code %d: %s%s", c.args, code, stdout, stderr)
		}
	}
}

// TestRulebooksAgree_ShippedSchemas ensures that the schemas that ship judge documents by their manifests: what we write is valid
// by the schema of its kind, and only by that.
func TestRulebooksAgree_ShippedSchemas(t *testing.T) {
	verdicts := writeFile(t, "v.json", `{"set": "s", "rulesets": {"none": {"version": "1"}}, "files": {
		"peppol-bis.xml": {"xsd": {"ubl-invoice": {"valid": true}, "ubl-creditnote": {"valid": false}, "cii-d16b": {"valid": false}}},
		"credit-note.xml": {"xsd": {"ubl-creditnote": {"valid": true}, "ubl-invoice": {"valid": false}}}}}`)
	stdout, stderr, code := run(t, "", "rulebooks", "agree", "--verdicts", verdicts, "--diff", "../testdata/documents")
	want := `xsd:cii-d16b        documents: 1  equal: 1  100.00 %  version: D16B
xsd:ubl-creditnote  documents: 2  equal: 2  100.00 %  version: 2.1
xsd:ubl-invoice     documents: 2  equal: 2  100.00 %  version: 2.1
total               documents: 5  equal: 5  100.00 %
`
	if diff := cmp.Diff(want, stdout); diff != "" || code != exitOK {
		t.Errorf("exit code %d: %s\n%s", code, stderr, diff)
	}
}
