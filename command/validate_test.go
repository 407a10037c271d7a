package command

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/einvoiced/einvoiced/core/operation"
)

// validateFiles are a folder of rulebooks and documents for the tests of validate: kept.xml keeps the rules, broken.xml breaks one
// and is warned by another, unbound.xml has no rules, and text.xml is none.
func validateFiles(t testing.TB) (books string, files []string) {
	t.Helper()
	books = t.TempDir()
	putBook(t, books, "test-rules", "7", binding("urn:test:rules", "")+"enforceFrom: [{date: 2100-01-01, rules: [T-NEW], spec: S-1}]\n", invoiceRules(`
		<assert id="T-FATAL" flag="fatal" test="not(*[2])">There is one child.</assert>
		<assert id="T-WARN" flag="warning" test="not(*[2])">There should be one child.</assert>
		<assert id="T-NEW" flag="fatal" test="not(*[3])">There are two children at most.</assert>`))
	invoice := func(specification, more string) string {
		return `<Invoice xmlns="` + ublInvoice + `" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">` + "\n<cbc:CustomizationID>" +
			specification + "</cbc:CustomizationID>" + more + "</Invoice>"
	}
	for _, f := range [][2]string{
		{"kept.xml", invoice("urn:test:rules", "")}, {"broken.xml", invoice("urn:test:rules", "<cbc:ID>1</cbc:ID><cbc:Note>2</cbc:Note>")},
		{"unbound.xml", invoice("urn:test:nobody", "")}, {"text.xml", "text"},
	} {
		files = append(files, writeFile(t, f[0], f[1]))
	}
	return books, files
}

// validateAll runs validate on the files of validateFiles.
func validateAll(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	books, files := validateFiles(t)
	return run(t, "", append(append([]string{"validate", "--rulebooks", books}, args...), files...)...)
}

// TestValidate_Text ensures what people are told: the verdict, what judged, and each finding with its place.
func TestValidate_Text(t *testing.T) {
	stdout, stderr, code := validateAll(t)
	stdout = regexp.MustCompile(`(?m)^/.*/`).ReplaceAllString(stdout, "")
	want := `kept.xml: valid, UBL, judged by test-rules 7; errors: 0, warnings: 0
broken.xml: not valid, UBL, judged by test-rules 7; errors: 1, warnings: 2
  error: T-FATAL: There is one child. (/Invoice, line 1)
  warning: T-WARN: There should be one child. (/Invoice, line 1)
  warning: T-NEW: There are two children at most. (/Invoice, line 1) (enforced from 2100-01-01)
unbound.xml: not checked in full, UBL; errors: 1, warnings: 0
  error: VALIDATION_NOT_RUN: ubl could not be checked in full: not-bound: no rulebook is for documents {` + ublInvoice + `}Invoice with specification "urn:test:nobody" on `
	if !strings.HasPrefix(stdout, want) || code != exitInvalid {
		t.Errorf("exit code %d\n%s", code, cmp.Diff(want, stdout))
	}
	if !regexp.MustCompile(`^einvoiced: .*/text\.xml: data is neither XML nor PDF.*\n4 documents: 1 valid, 1 not valid, 1 not checked in full, 1 not judged\n$`).MatchString(stderr) {
		t.Errorf("standard error: %s", stderr)
	}
}

// TestValidate_ExitCodes ensures the exit code of each kind of file, and that rules in their warning phase and days can be asked for.
func TestValidate_ExitCodes(t *testing.T) {
	books, files := validateFiles(t)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"kept":         {[]string{files[0]}, exitOK, "valid"},
		"broken":       {[]string{files[1]}, exitInvalid, "not valid"},
		"pending":      {[]string{files[1], "--enforce-pending"}, exitInvalid, "errors: 2, warnings: 1"},
		"later":        {[]string{files[1], "--as-of", "2100-01-01"}, exitInvalid, "errors: 2, warnings: 1"},
		"unbound":      {[]string{files[2]}, exitPartly, "not checked in full"},
		"some of each": {files[:3], exitInvalid, "3 documents: 1 valid, 1 not valid, 1 not checked in full, 0 not judged"},
		"a folder":     {[]string{filepath.Dir(files[0])}, exitOK, "kept.xml: valid"},
		"a format":     {[]string{files[0], "--country", "de", "--format", "ubll"}, exitUsage, "Germany has no format \"ubll\": did you mean ubl?\n"},
		"no file":      {[]string{files[0] + "x"}, exitUsage, "read input"},
		"no day":       {[]string{files[0], "--as-of", "tomorrow"}, exitInvalid, "asOf is not a calendar date"},
		"country only": {[]string{files[0], "--country", "de"}, exitUsage, "--country and --format belong together"},
		"two outputs":  {[]string{files[0], "--json", "--sarif"}, exitUsage, "--json and --sarif can't be used together"},
		"as a format":  {[]string{files[0], "--country", "de", "--format", "xrechnung"}, exitInvalid, "XSD-ERROR"},
	} {
		stdout, stderr, code := run(t, "", append([]string{"validate", "--rulebooks", books}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit code %d: %s%s", name, code, stdout, stderr)
		}
	}
}

// TestValidate_JSON ensures a line for each file in their order, with the answer of the API or the refusal.
func TestValidate_JSON(t *testing.T) {
	stdout, _, code := validateAll(t, "--json")
	var got []string
	for text := range strings.Lines(stdout) {
		var line struct {
			File, Message string
			operation.ValidateAnswer
		}
		unmarshal(t, []byte(text), &line)
		summary := filepath.Base(line.File)
		if line.Message != "" {
			summary += " refused"
		} else if line.Valid {
			summary += " valid"
		}
		for _, e := range line.Errors {
			summary += " " + e.Code
		}
		for _, b := range line.Rulebooks {
			summary += " by " + b.ID
		}
		got = append(got, summary)
	}
	want := []string{"kept.xml valid by test-rules", "broken.xml T-FATAL by test-rules", "unbound.xml VALIDATION_NOT_RUN", "text.xml refused PARSE_FAILED"}
	if diff := cmp.Diff(want, got); diff != "" || code != exitInvalid {
		t.Errorf("exit code %d\n%s\n%s", code, diff, stdout)
	}
}

// TestValidate_SARIF ensures a report that keeps the schema of SARIF, with rule, level and place of each finding.
func TestValidate_SARIF(t *testing.T) {
	stdout, _, code := validateAll(t, "--sarif")
	report, err := sarif.FromString(stdout)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Validate(); err != nil || code != exitInvalid || len(report.Runs) != 1 {
		t.Fatalf("exit code %d: %v\n%s", code, err, stdout)
	}
	run, got := report.Runs[0], map[string]string{}
	for _, r := range run.Results {
		place := r.Locations[0].PhysicalLocation
		at := *place.ArtifactLocation.URI
		if !strings.HasPrefix(at, "file:///") {
			t.Errorf("the file is %s", at)
		}
		at = filepath.Base(at)
		if place.Region != nil {
			at += ":" + string(mustMarshal(t, place.Region.StartLine))
		}
		if *run.Tool.Driver.Rules[r.RuleIndex].ID != *r.RuleID {
			t.Errorf("rule %d is not %s", r.RuleIndex, *r.RuleID)
		}
		got[*r.RuleID] = r.Level + " " + at
	}
	want := map[string]string{"T-FATAL": "error broken.xml:1", "T-WARN": "warning broken.xml:1", "T-NEW": "warning broken.xml:1",
		"VALIDATION_NOT_RUN": "error unbound.xml", "PARSE_FAILED": "error text.xml"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if location := run.Results[0].Locations[0].LogicalLocations; len(location) != 1 || *location[0].FullyQualifiedName != "/Invoice" {
		t.Errorf("logical locations: %s", mustMarshal(t, location))
	}
}

func mustMarshal(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestValidate_JUnit ensures a test case for each file that passes, fails or is an error.
func TestValidate_JUnit(t *testing.T) {
	stdout, _, code := validateAll(t, "--junit")
	var suite junitSuite
	if err := xml.Unmarshal([]byte(stdout), &suite); err != nil || code != exitInvalid {
		t.Fatalf("exit code %d: %v\n%s", code, err, stdout)
	}
	got := map[string]string{}
	for _, c := range suite.Cases {
		result := c.Class
		if c.Failure != nil {
			result += " failure " + c.Failure.Message + ": " + c.Failure.Text
		}
		if c.Error != nil {
			result += " error " + c.Error.Type
		}
		got[filepath.Base(c.Name)] = result
	}
	want := map[string]string{"kept.xml": "UBL", "broken.xml": "UBL failure not valid, errors: 1: T-FATAL: There is one child. (/Invoice, line 1)\n",
		"unbound.xml": "UBL error VALIDATION_NOT_RUN", "text.xml": "einvoiced error PARSE_FAILED"}
	if diff := cmp.Diff(want, got); diff != "" || suite.Tests != 4 || suite.Failures != 1 || suite.Errors != 2 {
		t.Errorf("%d tests, %d failures, %d errors\n%s", suite.Tests, suite.Failures, suite.Errors, diff)
	}
}

// TestFileURI ensures that names of files are URI references.
func TestFileURI(t *testing.T) {
	got := map[string]string{}
	want := map[string]string{"a b.xml": "a%20b.xml", "in/ä.xml": "in/%C3%A4.xml", "a:b.xml": "./a:b.xml", "/tmp/a#b.xml": "file:///tmp/a%23b.xml", "-": "-"}
	for file := range maps.Keys(want) {
		got[file] = fileURI(file)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
