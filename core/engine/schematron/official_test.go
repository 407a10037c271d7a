//go:build oracles

package schematron

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/internal/official"
)

// officialSet is a rule set with what it holds.
type officialSet struct {
	official.Set
	Want counts
}

// officialSets lists the official rule sets.
var officialSets = func() (all []officialSet) {
	for _, set := range official.Sets {
		all = append(all, officialSet{set, officialCounts[set.Name]})
	}
	return all
}()

// counts are what can be counted about a rule set, patterns without rules left out.
type counts struct {
	Assertions, Fatal, Warning, Information, Unmarked, Reports, IDs, Anonymous, Patterns, Rules int
}

// count counts the patterns that are active by default.
func count(t *testing.T, set *Ruleset) counts {
	t.Helper()
	patterns, _, err := set.Active("")
	if err != nil {
		t.Fatal(err)
	}
	c, ids := counts{}, map[string]bool{}
	for _, p := range patterns {
		if len(p.Rules) > 0 {
			c.Patterns++
		}
		c.Rules += len(p.Rules)
		for _, r := range p.Rules {
			for _, a := range r.Assertions {
				c.add(a)
				ids[a.ID] = true
			}
		}
	}
	delete(ids, "")
	c.IDs = len(ids)
	return c
}

func (c *counts) add(a *Assertion) {
	c.Assertions++
	switch a.Level() {
	case "fatal":
		c.Fatal++
	case "warning":
		c.Warning++
	case "information":
		c.Information++
	case "":
		c.Unmarked++
	}
	if a.Report {
		c.Reports++
	}
	if a.ID == "" {
		c.Anonymous++
	}
}

// folder finds one form of an official rule set in the folders of EINVOICED_RULES, and the name in it; nil where none of them has
// it.
func (o *officialSet) folder(t *testing.T, form string) (fs.FS, string) {
	t.Helper()
	folders := os.Getenv("EINVOICED_RULES")
	if folders == "" {
		t.Fatal("no official rule sets: set EINVOICED_RULES to the folder that go run ./oracles/cmd/rules prints")
	}
	file := official.Find(folders, form)
	if file == "" {
		return nil, ""
	}
	fsys, name, err := official.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return fsys, name
}

// official reads one form of an official rule set; ok is false where it is not to be had.
func (o *officialSet) official(t *testing.T, form string) (set *Ruleset, ok bool) {
	t.Helper()
	fsys, name := o.folder(t, form)
	if fsys == nil {
		return nil, false
	}
	set, err := Read(fsys, name, Options{LastParameter: o.Last})
	if err != nil {
		t.Fatalf("%s: %v", form, err)
	}
	return set, true
}

func TestOfficial_HoldsWhatItsPublisherWrote(t *testing.T) {
	read := map[string]int{}
	for _, o := range officialSets {
		for _, form := range []string{o.Source, o.Compiled} {
			set, ok := o.official(t, form)
			if !ok {
				if form == o.Compiled && o.Published {
					t.Errorf("%s: %s is in none of the folders", o.Name, form)
				}
				continue
			}
			read[path.Ext(form)]++
			if diff := gocmp.Diff(o.Want, count(t, set)); diff != "" {
				t.Errorf("%s, %s: %s", o.Name, form, diff)
			}
		}
	}
	t.Logf("of %d rule sets: %v", len(officialSets), read)
}

// The compiled form of each rule set is what its source says, white space and the listed exceptions apart.
func TestOfficial_SourceAndStylesheetAgree(t *testing.T) {
	compared := 0
	for _, o := range officialSets {
		source, ok := o.official(t, o.Source)
		compiled, ok2 := o.official(t, o.Compiled)
		if !ok || !ok2 {
			continue
		}
		compared++
		if diff := gocmp.Diff(o.comparable(t, source), o.comparable(t, compiled)); diff != "" {
			t.Errorf("%s: %s", o.Name, diff)
		}
	}
	t.Logf("%d of %d rule sets compared", compared, len(officialSets))
}

// comparable gives the outline without white space, and without the line that is known to differ.
func (o *officialSet) comparable(t *testing.T, set *Ruleset) []string {
	var lines []string
	for _, line := range common(t, set) {
		if o.Differs == "" || !strings.HasPrefix(strings.TrimSpace(line), o.Differs) {
			lines = append(lines, strings.Join(strings.Fields(line), ""))
		}
	}
	return lines
}
