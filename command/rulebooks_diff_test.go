package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRulebooksDiff ensures what is said of two versions, for people and as JSON, and of documents that pass by the one and fail by the
// other.
func TestRulebooksDiff(t *testing.T) {
	dir, documents := t.TempDir(), t.TempDir()
	bound := binding("urn:example:diff", "")
	putBook(t, dir, "a", "1", "", invoiceRules(`<assert id="R-1" flag="warning" test="@x">x</assert>`))
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "a-1")); err != nil {
		t.Fatal(err)
	}
	putBook(t, dir, "a", "2", "valid: {from: '2099-01-01'}\n"+bound, invoiceRules(`<assert id="R-1" flag="fatal" test="@x">x</assert><assert id="R-2" flag="fatal" test="@y">y</assert>`))
	for name, attributes := range map[string]string{"good.xml": ` x="1" y="1"`, "bad.xml": ` x="1"`, "sub/worse.xml": ""} {
		text := `<Invoice xmlns="` + ublInvoice + `" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"` + attributes +
			`><cbc:CustomizationID>urn:example:diff</cbc:CustomizationID></Invoice>`
		file := filepath.Join(documents, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(documents, "note.txt"), []byte("no invoice"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"rulebooks", "diff", "a@1", "a@2", "--rulebooks", dir, "--documents", documents}
	stdout, stderr, code := run(t, "", args...)
	for _, want := range []string{
		"a@1 to a@2: new: 1, gone: 0, changed: 1\n", "  new: R-2\n", "  changed: R-1: It is fatal instead of a warning.\n",
		"documents: 3 judged, 3 pass today, 2 of these would fail; 1 others\n", "bad.xml: R-2\n", filepath.Join("sub", "worse.xml") + ": R-1, R-2\n",
	} {
		if !strings.Contains(stdout, want) || code != exitOK {
			t.Errorf("exit code %d, no %q: %s%s", code, want, stdout, stderr)
		}
	}
	stdout, _, _ = run(t, "", append(args, "--json")...)
	var line struct {
		From      string
		Added     []string
		Changed   []struct{ Rule, What string }
		Documents struct{ Failing []struct{ Rules []string } }
	}
	unmarshal(t, []byte(stdout), &line)
	if line.From != "a@1" || len(line.Added) != 1 || line.Changed[0].Rule != "R-1" || len(line.Documents.Failing) != 2 {
		t.Errorf("%s", stdout)
	}
}

// TestRulebooksDiff_Refusals ensures what is said of rulebooks and folders that are not there.
func TestRulebooksDiff_Refusals(t *testing.T) {
	for _, args := range [][]string{
		{"none@1", "en16931-ubl@1.3.16"}, {"en16931-ubl@1.3.16", "en16931-ubl@0"}, {"en16931-ubl", "en16931-ubl", "--documents", filepath.Join(t.TempDir(), "none")},
		{"en16931-ubl", "en16931-ubl", "--documents", t.TempDir()},
	} {
		stdout, stderr, code := run(t, "", append([]string{"rulebooks", "diff"}, args...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%v: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

// TestRulebooksAgree_Rulebooks ensures that two rulebooks are compared on documents without a file of verdicts, and that the differences
// are printed.
func TestRulebooksAgree_Rulebooks(t *testing.T) {
	args := []string{"rulebooks", "agree", orderDocuments(t), "--rulebooks", orderBooks(t), "--now", "2026-09-01", "--diff"}
	stdout, stderr, code := run(t, "", append(args, "--official", "orders", "--ours", "orders@1.2")...)
	if code != exitOK || !strings.Contains(stdout, "documents: 3") || !strings.Contains(stdout, "equal: 3") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, _, code = run(t, "", append(args, "--official", "orders", "--ours", "en16931-ubl")...)
	if code != exitInvalid || !strings.Contains(stdout, "bad.xml: en16931-ubl: O-3 fatal: official count 1, ours 0") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	for _, pair := range [][]string{nil, {"--official", "orders"}, {"--official", "none", "--ours", "orders"}, {"--official", "orders", "--ours", "orders", "--verdicts", "x"}} {
		if _, stderr, code := run(t, "", append(args, pair...)...); code != exitUsage || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%q: exit code %d: %s", pair, code, stderr)
		}
	}
}

// TestRulebooksImport_InThePlaceOfAnother ensures that a rulebook which is imported under the id of one that ships judges the same
// documents, with its house codes and what its rules are about.
func TestRulebooksImport_InThePlaceOfAnother(t *testing.T) {
	source, into := t.TempDir(), t.TempDir()
	rules := `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><ns prefix="u" uri="` + ublInvoice +
		`"/><pattern><rule context="/u:Invoice"><assert id="BR-DE-15" flag="fatal" test="false()">never</assert></rule></pattern></schema>`
	if err := os.WriteFile(filepath.Join(source, "rules.sch"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := run(t, "", "rulebooks", "import", source, "--into", into, "--id", "xrechnung-ubl", "--version", "9"); code != exitOK {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	document := writeFile(t, "invoice.xml", `<Invoice xmlns="`+ublInvoice+`" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:CustomizationID>`+
		xrechnung30+`</cbc:CustomizationID></Invoice>`)
	stdout, _, _ := run(t, "", "validate", "--json", "--rulebooks", into, document)
	if !strings.Contains(stdout, `{"id":"xrechnung-ubl","version":"9"}`) || !strings.Contains(stdout, `{"id":"en16931-ubl","version":"1.3.16"}`) {
		t.Errorf("judged by others: %.600s", stdout)
	}
	manifest, err := os.ReadFile(filepath.Join(into, "xrechnung-ubl-9", "manifest.yaml"))
	if err != nil || !strings.Contains(string(manifest), "DE_SELLER_CITY_001") || !strings.Contains(string(manifest), "publisher: KoSIT") {
		t.Errorf("%s %v", manifest, err)
	}
	subjects, err := os.ReadFile(filepath.Join(into, "xrechnung-ubl-9", "einvoiced-subjects.yaml"))
	if err != nil || !strings.Contains(string(subjects), "BR-DE-15: countrySpecific.leitwegId") {
		t.Errorf("%s %v", subjects, err)
	}
	if _, stderr, code := run(t, "", "rulebooks", "import", source, "--into", into, "--like", "none", "--version", "1", "--syntax", "ubl"); code != exitUsage || !strings.Contains(stderr, "hint: ") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
