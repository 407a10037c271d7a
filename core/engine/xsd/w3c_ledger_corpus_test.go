//go:build corpus

package xsd

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

var update = flag.Bool("update", false, "write our section of docs/conformance.md anew")

// leastShare is the share of instance tests, in percent, below which the ledger is not accepted even when it is honest.
const leastShare = 98.0

// w3cReason explains why tests fail; pattern is matched against their names.
type w3cReason struct {
	schema  bool
	pattern string
	reason  string
}

// w3cReasons are tried in order.
var w3cReasons = []w3cReason{
	{false, "re*.i", "the suite wants characters that Unicode got with 3.1 to have no category; queried there (bug 4113)"},
	{false, "addB1??.i", "the suite wants schemas that the document names below its root to be ignored; documents name no schemas for us"},
	{false, "attP031.i", "the suite calls a document valid that has a prohibited attribute"},
	{false, "attgD003.v", "an element with 1,000 attributes; the reader of documents takes 511 at most"},
	{false, "anyURI_a004_1339.i", "the suite calls a document invalid because of locations that do not resolve; queried there (bug 4126)"},
	{false, "gMonth00*.v", "the form --MM-- is that of the first edition, before its errata"},
	{false, "particlesZ001.i", looseRestriction},
	{false, "particlesZ035_a.i", "counts nested so that counters cannot tell them apart, and too large to be written out"},
	{false, "schU?.i", "circular redefinitions, which the standard leaves open"},
	{false, "ste110.i", "a union that is a member of itself; queried there (bug 4957)"},
	{false, "e1bis.xml", "the suite names the document of another test"},
	{true, "addB194", "counts nested so that counters cannot tell them apart, and too large to be written out"},
	{true, "particlesZ035_a", "counts nested so that counters cannot tell them apart, and too large to be written out"},
	{true, "ste110", "a union that is a member of itself; queried there (bug 4957)"},
	{true, "reF56", "the pattern [a-z--[b-z]], where the grammar has no place for the first of the two hyphens"},
	{true, "particlesZ001", looseRestriction},
	{true, "elemZ027_c", "an element that blocks its own substitution stands in the middle of a chain of substitutes; queried there (bug 4680)"},
	{true, "attgC028", redefinitions},
	{true, "attgZ00[23]", redefinitions},
	{true, "mg[EO]0*", redefinitions},
	{true, "sch*", redefinitions},
	{true, "anyURI_*", "URIs are checked for the form of escapes and fragments only"},
	{true, "notatB001", "an erratum made the attribute public of notations optional"},
	{true, "publicId00201m1", "an erratum made the attribute public of notations optional"},
	{true, "annotF00[13]", "xml:lang of documentation is not checked"},
	{false, "SV-I?-atomic-g*", "the name of the file says the contrary of what schema and document do"},
}

// Reasons that many tests share.
const (
	looseRestriction = "the suite calls a schema valid with a restriction that is valid from version 1.1 on only, as it says itself"
	redefinitions    = "what a redefined group, attribute group or document may say is checked in part"
)

func reasonOf(r w3cResult) string {
	for _, x := range w3cReasons {
		if ok, _ := path.Match(x.pattern, r.name); ok && x.schema == r.schema {
			return x.reason
		}
	}
	return ""
}

// shares counts the tests of a set.
type shares struct{ instances, passedInstances, schemas, passedSchemas int }

func (s *shares) add(r w3cResult) {
	passed := 0
	if r.failure == "" {
		passed = 1
	}
	if r.schema {
		s.schemas, s.passedSchemas = s.schemas+1, s.passedSchemas+passed
	} else {
		s.instances, s.passedInstances = s.instances+1, s.passedInstances+passed
	}
}

func (s *shares) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %s | %d | %d | %s |\n", name,
		s.instances, s.passedInstances, percent(s.passedInstances, s.instances),
		s.schemas, s.passedSchemas, percent(s.passedSchemas, s.schemas))
}

func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// ledger writes the results as a document.
func ledger(results []w3cResult) (text string, official shares, unexplained []string) {
	sets := map[string]*shares{}
	reasons := map[string][]string{}
	for _, r := range results {
		for _, set := range []string{r.set, strings.Split(r.set, "/")[0]} {
			if sets[set] == nil {
				sets[set] = &shares{}
			}
			sets[set].add(r)
		}
		if !strings.HasPrefix(r.set, "nist/") {
			official.add(r)
		}
		if r.failure == "" {
			continue
		}
		reason := reasonOf(r)
		if reason == "" {
			unexplained = append(unexplained, fmt.Sprintf("%s %s, valid %v: %s", r.set, r.name, r.valid, r.failure))
		}
		kind := "Instances: "
		if r.schema {
			kind = "Schemas: "
		}
		reasons[kind+reason] = append(reasons[kind+reason], r.name)
	}
	var b strings.Builder
	b.WriteString(ledgerHead)
	names := sorted(sets)
	for _, name := range names {
		if !strings.Contains(name, "/") {
			b.WriteString(sets[name].row("**" + name + "**"))
			for _, part := range names {
				if strings.HasPrefix(part, name+"/") {
					b.WriteString(sets[part].row(strings.TrimPrefix(part, name+"/")))
				}
			}
		}
	}
	b.WriteString(official.row("**ms, sun, boeing, wg together**"))
	b.WriteString("\n### Tests that fail, and why\n\n")
	for _, reason := range sorted(reasons) {
		slices.Sort(reasons[reason])
		fmt.Fprintf(&b, "- %s (%d): %s\n", reason, len(reasons[reason]), strings.Join(reasons[reason], ", "))
	}
	return b.String(), official, unexplained
}

const ledgerHead = `The W3C XML Schema test suite on core/engine/xsd: the tests for version 1.0; tests about 1.1 and those without a certain result are
left out.

An instance test asks whether a document is valid, a schema test whether a schema is. The sets of NIST come without metadata;
what is expected is read from the names of the files.

| set | instance tests | as expected | share | schema tests | as expected | share |
|---|---|---|---|---|---|---|
`

func sorted[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestW3CSuiteGivesTheResultsOfTheLedger(t *testing.T) {
	suite := w3cSuite(t)
	results := runW3C(t, suite, readNIST(t, suite))
	for _, s := range w3cSets {
		files, err := fs.Glob(suite, s.pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no test sets at %s: %v", s.pattern, err)
		}
		for _, file := range files {
			results = append(results, runW3C(t, suite, readW3CSet(t, suite, s.contributor, file))...)
		}
	}
	slices.SortStableFunc(results, func(a, b w3cResult) int { return cmp.Compare(a.set, b.set) })
	got, official, unexplained := ledger(results)
	for _, u := range unexplained {
		t.Errorf("fails without a known reason: %s", u)
	}
	if share := 100 * float64(official.passedInstances) / float64(official.instances); share < leastShare {
		t.Errorf("%.2f %% of the instance tests pass, want %.0f %%", share, leastShare)
	}
	corpus.CheckLedger(t, "xml-schema", got, *update)
}
