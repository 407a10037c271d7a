//go:build corpus

package xpath

import (
	"encoding/xml"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

var update = flag.Bool("update", false, "write our section of docs/conformance.md anew")

// The share of the tests in scope that must pass, in thousandths.
const leastShare = 990

// The W3C's QT3 test suite as far as it is about XPath 2.0 without schema awareness: every test whose dependencies allow XP20
// and name no feature that is optional and missing here (see outOfScope).
func TestQT3(t *testing.T) {
	s := &suite{t: t, dir: unpackSuite(t), environments: map[string]*environment{}}
	var catalog struct {
		Environments []environment `xml:"environment"`
		Sets         []struct {
			File string `xml:"file,attr"`
		} `xml:"test-set"`
	}
	s.read("catalog.xml", &catalog)
	for i := range catalog.Environments {
		e := &catalog.Environments[i]
		e.dir = s.dir
		s.environments[e.Name] = e
	}
	var ledgers []*ledger
	for _, set := range catalog.Sets {
		if _, err := os.Stat(filepath.Join(s.dir, set.File)); err == nil {
			ledgers = append(ledgers, s.run(set.File))
		}
	}
	report(t, ledgers)
}

// suite is the unpacked suite.
type suite struct {
	t            *testing.T
	dir          string
	environments map[string]*environment
}

// unpackSuite unpacks the suite to a temporary directory and gives that.
func unpackSuite(t *testing.T) string {
	t.Helper()
	archive, err := os.Open(filepath.Join(corpus.Shared(), "w3c", "qt3tests.tar.xz"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	dir := t.TempDir()
	unpack := exec.Command("tar", "-xJf", "-", "-C", dir)
	unpack.Stdin = archive
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("unpack: %v: %s", err, out)
	}
	return dir
}

func (s *suite) read(file string, into any) {
	b, err := os.ReadFile(filepath.Join(s.dir, file))
	if err != nil {
		s.t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(string(b)))
	d.CharsetReader = asItIs
	d.Strict = false
	if err := d.Decode(into); err != nil {
		s.t.Fatalf("%s: %v", file, err)
	}
}

type dependency struct {
	Type      string `xml:"type,attr"`
	Value     string `xml:"value,attr"`
	Satisfied string `xml:"satisfied,attr"`
}

// testSet is a file of tests.
type testSet struct {
	Name         string        `xml:"name,attr"`
	Environments []environment `xml:"environment"`
	Dependencies []dependency  `xml:"dependency"`
	Cases        []testCase    `xml:"test-case"`
}

type testCase struct {
	Name         string       `xml:"name,attr"`
	Environment  *environment `xml:"environment"`
	Dependencies []dependency `xml:"dependency"`
	Modules      []struct{}   `xml:"module"`
	Test         struct {
		File string `xml:"file,attr"`
		Text string `xml:",chardata"`
	} `xml:"test"`
	Result struct {
		Assertions []assertion `xml:",any"`
	} `xml:"result"`
}

// assertion is what a result must be.
type assertion struct {
	XMLName    xml.Name
	Code       string      `xml:"code,attr"`
	Normalize  string      `xml:"normalize-space,attr"`
	File       string      `xml:"file,attr"`
	Text       string      `xml:",chardata"`
	Assertions []assertion `xml:",any"`
}

// outOfScope names the reason why a test is not for an XPath 2.0 processor like this one; empty when it is.
func outOfScope(deps []dependency, e *environment) string {
	for _, d := range deps {
		wanted := d.Satisfied != "false"
		switch d.Type {
		case "spec":
			if !strings.Contains(" "+d.Value+" ", " XP20 ") && !strings.Contains(" "+d.Value+" ", " XP20+ ") {
				return "not XPath 2.0"
			}
		case "feature":
			if wanted && missingFeatures[d.Value] {
				return "feature " + d.Value
			}
		case "xml-version":
			if wanted && strings.HasPrefix(d.Value, "1.1") {
				return "XML 1.1"
			}
		case "xsd-version":
			if wanted && d.Value == "1.1" {
				return "XML Schema 1.1"
			}
		case "unicode-version":
			if wanted && d.Value == "7.0" {
				return "Unicode 7.0"
			}
		case "unicode-normalization-form":
			if wanted && d.Value == "FULLY-NORMALIZED" {
				return "fully normalized Unicode"
			}
		}
	}
	if len(e.Schemas) > 0 {
		return "schema awareness"
	}
	for _, source := range e.Sources {
		if source.Validation != "" && source.Validation != "skip" {
			return "schema awareness"
		}
	}
	if len(e.Collections) > 0 || len(e.Collations) > 0 {
		return "collections and collations"
	}
	return ""
}

// missingFeatures are optional.
var missingFeatures = map[string]bool{
	"schemaImport": true, "schemaValidation": true, "schemaAware": true, "staticTyping": true, "namespace-axis": true,
	"infoset-dtd": true, "non_unicode_codepoint_collation": true, "non_empty_sequence_collection": true,
	"collection-stability": true, "directory-as-collection-uri": true, "moduleImport": true,
}

// ledger counts the tests of a set.
type ledger struct {
	name    string
	passed  int
	failed  []string
	reasons map[string]int // why tests are out of scope
}

func (s *suite) run(file string) *ledger {
	var set testSet
	s.read(file, &set)
	l := &ledger{name: set.Name, reasons: map[string]int{}}
	local := map[string]*environment{}
	for i := range set.Environments {
		e := &set.Environments[i]
		e.dir = filepath.Dir(filepath.Join(s.dir, file))
		local[e.Name] = e
	}
	for _, c := range set.Cases {
		e := s.environment(c.Environment, local, file)
		reason := outOfScope(append(set.Dependencies[:len(set.Dependencies):len(set.Dependencies)], c.Dependencies...), e)
		if reason == "" && c.Test.File != "" {
			reason = "the query is in a file"
		}
		if reason != "" {
			l.reasons[reason]++
			continue
		}
		if err := s.runCase(&c, e, filepath.Dir(file)); err != nil {
			l.failed = append(l.failed, fmt.Sprintf("%s: %v", c.Name, err))
			continue
		}
		l.passed++
	}
	return l
}

// environment finds the environment of a test.
func (s *suite) environment(e *environment, local map[string]*environment, file string) *environment {
	switch {
	case e == nil:
		return &environment{}
	case e.Ref == "":
		e.dir = filepath.Dir(filepath.Join(s.dir, file))
		return e
	case local[e.Ref] != nil:
		return local[e.Ref]
	case s.environments[e.Ref] != nil:
		return s.environments[e.Ref]
	}
	s.t.Fatalf("%s: no environment %q", file, e.Ref)
	return nil
}

// report fails when too few tests pass, a failure is not a known one, or the section of docs/conformance.md is out of date.
func report(t *testing.T, ledgers []*ledger) {
	passed, total := 0, 0
	known := maps.Clone(knownFailures)
	for _, l := range ledgers {
		passed, total = passed+l.passed, total+l.passed+len(l.failed)
		for _, failure := range l.failed {
			name, _, _ := strings.Cut(failure, ":")
			if known[name] == "" {
				t.Errorf("    %s", failure)
			}
			delete(known, name)
		}
	}
	for name := range known {
		t.Errorf("%s is listed as a known failure, but passes or does not run", name)
	}
	t.Logf("in scope: %d of %d pass", passed, total)
	if total == 0 || passed*1000 < leastShare*total {
		t.Errorf("%d of %d pass, which is less than %d thousandths", passed, total, leastShare)
	}
	corpus.CheckLedger(t, "xpath", ledgerText(ledgers), *update)
}

// groups of test sets, by the beginning of their names.
var groups = []struct{ prefix, title string }{
	{"fn-", "functions"}, {"op-", "operators"}, {"prod-", "expressions, by production of the grammar"}, {"xs-", "types"}, {"", "others"},
}

// ledgerText writes the results as a section of docs/conformance.md.
func ledgerText(ledgers []*ledger) string {
	counts, reasons := make([]ledger, len(groups)+1), map[string]int{}
	for _, l := range ledgers {
		g := slices.IndexFunc(groups, func(g struct{ prefix, title string }) bool { return strings.HasPrefix(l.name, g.prefix) })
		for _, into := range []*ledger{&counts[g], &counts[len(groups)]} {
			into.passed += l.passed
			into.failed = append(into.failed, l.failed...)
		}
		for reason, n := range l.reasons {
			reasons[reason] += n
		}
	}
	var b strings.Builder
	b.WriteString(ledgerHead)
	for i, c := range counts {
		title := "**all**"
		if i < len(groups) {
			title = groups[i].title
		}
		inScope := c.passed + len(c.failed)
		fmt.Fprintf(&b, "| %s | %d | %d | %.2f %% |\n", title, inScope, c.passed, 100*float64(c.passed)/float64(inScope))
	}
	b.WriteString("\n### Tests that fail, and why\n\n")
	failing := map[string][]string{}
	for name, reason := range knownFailures {
		failing[reason] = append(failing[reason], name)
	}
	for _, reason := range sortedKeys(failing) {
		slices.Sort(failing[reason])
		fmt.Fprintf(&b, "- %s (%d): %s\n", reason, len(failing[reason]), strings.Join(failing[reason], ", "))
	}
	b.WriteString("\n### Tests out of scope\n\n| reason | tests |\n|---|---|\n")
	for _, reason := range sortedKeys(reasons) {
		fmt.Fprintf(&b, "| %s | %d |\n", reason, reasons[reason])
	}
	return b.String() + departures
}

const ledgerHead = `The W3C QT3 test suite on core/engine/xpath: the tests whose dependencies allow XPath 2.0 and that need no feature which is optional and
missing here.

| test sets | tests in scope | as expected | share |
|---|---|---|---|
`

const departures = `
### Departures

- An untyped NaN compared with a literal number by =, !=, <, <=, > or >= counts as greater than the number, where IEEE 754 says that
  nothing but != holds. All releases of the processor that gives the official verdicts do so. No test of the suite asks for it.
`

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
