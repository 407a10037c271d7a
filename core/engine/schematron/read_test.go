package schematron

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
)

var update = flag.Bool("update", false, "write testdata/*/outline.txt anew")

// Each folder of testdata has a rule set, one for each part of the language, and what is read from it.
func TestRead_GivesTheOutlineOf(t *testing.T) {
	entries, err := filepath.Glob("testdata/*/rules.*")
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	for _, entry := range entries {
		folder := filepath.Dir(entry)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			set, err := Read(os.DirFS(folder), filepath.Base(entry), Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, golden := outline(set), filepath.Join(folder, "outline.txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRead_GivesTheSameFromSourceAndStylesheet(t *testing.T) {
	source, compiled := mustRead(t, os.DirFS("testdata/compiled"), "source.sch"), mustRead(t, os.DirFS("testdata/compiled"), "rules.xslt")
	if diff := cmp.Diff(common(t, source), common(t, compiled)); diff != "" {
		t.Error(diff)
	}
}

// common outlines what both forms of a rule set have: the patterns of its own phase, without places.
func common(t *testing.T, set *Ruleset) []string {
	t.Helper()
	patterns, _, err := set.Active("")
	if err != nil {
		t.Fatal(err)
	}
	o := &outliner{}
	o.ruleset(set, patterns)
	return o.lines
}

func mustRead(t *testing.T, fsys fs.FS, name string) *Ruleset {
	t.Helper()
	set, err := Read(fsys, name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// schema wraps what stands in a schema.
func schema(content string) string {
	return `<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" queryBinding="xslt2">` + content + `</schema>`
}

// stylesheet wraps what stands in a stylesheet beside the template for the document node, which applies mode M1.
func stylesheet(content string) string {
	return `<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:svrl="http://purl.oclc.org/dsdl/svrl" version="2.0">` +
		`<xsl:template match="/"><svrl:schematron-output><svrl:active-pattern/><xsl:apply-templates mode="M1" select="/"/></svrl:schematron-output></xsl:template>` +
		content + `</xsl:stylesheet>`
}

// files makes a file system of names and texts that follow each other.
func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

func TestActive_ChoosesThePatternsOfAPhase(t *testing.T) {
	set := mustRead(t, os.DirFS("testdata/phases"), "rules.sch")
	for phase, want := range map[string]string{"": "a c", "quick": "a c", "slow": "b", AllPatterns: "a b c "} {
		patterns, lets, err := set.Active(phase)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, p := range patterns {
			ids = append(ids, p.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("phase %q: patterns %q, want %q", phase, got, want)
		}
		if quick := want == "a c"; (len(lets) == 1) != quick {
			t.Errorf("phase %q: variables %v", phase, lets)
		}
	}
	if _, _, err := set.Active("none"); err == nil || !strings.Contains(err.Error(), `["quick" "slow" "#ALL"]`) {
		t.Errorf("unknown phase: %v", err)
	}
}

func TestRead_TakesTheLastParameterOfANameWhereAsked(t *testing.T) {
	fsys := files("a.sch", schema(`<pattern abstract="true" id="x"><rule context="$c"><assert test="$t"/></rule></pattern>`+
		`<pattern is-a="x"><param name="c" value="a"/><param name="t" value="first"/><param name="t" value="last"/></pattern>`))
	for last, want := range map[bool]string{false: "first", true: "last"} {
		set, err := Read(fsys, "a.sch", Options{LastParameter: last})
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Patterns[0].Rules[0].Assertions[0].Test.Text; got != want {
			t.Errorf("LastParameter %v: test %q, want %q", last, got, want)
		}
	}
}

func TestSeverity_RanksTheWordsOfRuleSets(t *testing.T) {
	for _, test := range []struct {
		flag, role, level string
		want              finding.Severity
	}{
		{"fatal", "", "fatal", finding.Fatal},
		{"fatal", "warning", "fatal", finding.Fatal},
		{"", "warning", "warning", finding.Warning},
		{"warning", "fatal", "warning", finding.Warning},
		{"warn", "", "warn", finding.Warning},
		{"information", "", "information", finding.Information},
		{"", "info", "info", finding.Information},
		{"", "", "", finding.Fatal},
		{"", "serious", "serious", finding.Fatal},
	} {
		a := &Assertion{Flag: test.flag, Role: test.role}
		if a.Level() != test.level || a.Severity() != test.want {
			t.Errorf("flag %q, role %q: %q, %v, want %q, %v", test.flag, test.role, a.Level(), a.Severity(), test.level, test.want)
		}
	}
}

func TestAnonymousID_LeavesOutWhatReportsLose(t *testing.T) {
	const want = "~8921ff3c"
	for _, test := range [][2]string{
		{"a/b", "matches(.,'{1,3}')"},
		{" a / b ", "matches ( .\n, '13' )"},
		{"a/b", "matches(.'13')"},
		{"a\u00A0/b", "matches(.'13')"},
	} {
		if got := AnonymousID(test[0], test[1]); got != want {
			t.Errorf("%q: %s, want %s", test, got, want)
		}
	}
	if a, b := AnonymousID("a", "b|c"), AnonymousID("a", "b"); a == b {
		t.Errorf("two tests, one id %s", a)
	}
}
