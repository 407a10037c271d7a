//go:build oracles

package schematron

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// judged is a document with the official verdict of one rule set.
type judged struct {
	path     string
	findings map[string]int // "id flag" to count
	code     string         // of the error that the official processor ends with
	either   bool           // another official processor gives findings where this one ends, or the other way round
}

// verdictsOf reads the verdicts of a rule set on all documents of the corpus.
func verdictsOf(t *testing.T, set string) []judged {
	t.Helper()
	folder := filepath.Join(corpus.Shared(), "corpus")
	names, err := filepath.Glob(filepath.Join(folder, "verdicts", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus in %s", folder)
	}
	var all []judged
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Set   string
			Files map[string]struct{ Rules map[string]json.RawMessage }
		}
		if json.Unmarshal(data, &v) != nil {
			continue // a file of another family
		}
		for file, f := range v.Files {
			if raw, ok := f.Rules[set]; ok {
				all = append(all, judge(t, filepath.Join(folder, v.Set, file), raw))
			}
		}
	}
	return all
}

type firing struct {
	ID, Flag string
	Count    int
}

func judge(t *testing.T, path string, raw json.RawMessage) judged {
	t.Helper()
	j := judged{path: path, findings: map[string]int{}}
	var list []firing
	if json.Unmarshal(raw, &list) != nil {
		var aborted struct {
			Error string
			Also  *[]firing
		}
		if err := json.Unmarshal(raw, &aborted); err != nil {
			t.Fatal(err)
		}
		j.code, j.either = aborted.Error, aborted.Also != nil
		if aborted.Also != nil {
			list = *aborted.Also
		}
	}
	for _, f := range list {
		j.findings[f.ID+" "+f.Flag] += f.Count
	}
	return j
}

// TestOfficial_VerdictsAreEqual evaluates every official rule set, in both forms, on every document that the corpus has its
// verdict on: same ids, same levels, same counts; where the official processor ends with an error, an assertion with that code
// is not run.
func TestOfficial_VerdictsAreEqual(t *testing.T) {
	equal, total := 0, 0
	for _, o := range officialSets {
		verdicts := verdictsOf(t, o.Name)
		if len(verdicts) == 0 {
			continue
		}
		for _, form := range []string{o.Source, o.Compiled} {
			set, ok := o.official(t, form)
			if !ok {
				continue
			}
			p, err := Compile(set, o.lists(t, form), CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			same := 0
			for _, j := range verdicts {
				if diff := j.compare(t, p); diff != "" {
					t.Errorf("%s, %s on %s: %s", o.Name, path.Ext(form), j.path, diff)
					continue
				}
				same++
			}
			t.Logf("%s%s: %d of %d", o.Name, path.Ext(form), same, len(verdicts))
			equal, total = equal+same, total+len(verdicts)
		}
	}
	t.Logf("%d of %d verdicts are equal", equal, total)
	if total == 0 {
		t.Error("no rule set was evaluated")
	}
}

// corpusClock is the clock of the official runs.
var corpusClock = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

func (j *judged) compare(t *testing.T, p *Program) string {
	t.Helper()
	source, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := xmltree.Parse(source, xmltree.Options{})
	if err != nil {
		return "" // not well-formed: the rules have no document to judge
	}
	v, err := p.Evaluate(context.Background(), doc, EvaluateOptions{Now: corpusClock})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, f := range v.Fired {
		got[f.Assertion.Key+" "+f.Assertion.Level()] += f.Count
	}
	coded := slices.ContainsFunc(v.NotRun, func(n NotRun) bool { return n.Code == j.code })
	switch {
	case j.code == "" && len(v.NotRun) > 0:
		return "not run: " + v.NotRun[0].Assertion.Key + ": " + v.NotRun[0].Reason
	case j.code != "" && !j.either && !coded:
		return "nothing ends with " + j.code
	case j.code != "" && (!j.either || coded):
		return ""
	}
	return gocmp.Diff(j.findings, got)
}

// lists is where the code lists of a rule set stand: beside the compiled form, to which the source refers as well.
func (o *officialSet) lists(t *testing.T, form string) fs.FS {
	t.Helper()
	fsys, _ := o.folder(t, form)
	if strings.HasSuffix(form, ".sch") {
		if beside, compiled := o.folder(t, o.Compiled); beside != nil {
			return either{first: fsys, second: beside, folder: path.Dir(compiled)}
		}
	}
	return fsys
}

// either looks a file up in one file system and, where it is not there, in the folder beside it in another.
type either struct {
	first, second fs.FS
	folder        string
}

// Open implements fs.FS.
func (e either) Open(name string) (fs.File, error) {
	f, err := e.first.Open(name)
	if err != nil {
		return e.second.Open(path.Join(e.folder, path.Base(name)))
	}
	return f, nil
}
