package rulebook

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// ruleSet is a rule set with a variable and the rules that are given.
func ruleSet(variable, rules string) string {
	return `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><let name="known" value="` + variable + `"/><pattern>` + rules + `</pattern></schema>`
}

// compared gives the difference of two rule sets.
func compared(t *testing.T, old, now, levels string) *Diff {
	t.Helper()
	fsys := fstest.MapFS{}
	for version, rules := range map[string]string{"1": old, "2": now} {
		more := ""
		if version == "2" {
			more = levels
		}
		manifest := "manifest: 1\nid: r\nversion: \"" + version + "\"\nsyntax: ubl\nschematron: [{file: r.sch}]\n" + more + "files: {r.sch: " + hashOf([]byte(rules)) + "}\n"
		fsys["r-"+version+"/r.sch"], fsys["r-"+version+"/manifest.yaml"] = &fstest.MapFile{Data: []byte(rules)}, &fstest.MapFile{Data: []byte(manifest)}
	}
	r, err := NewRegistry(t.Context(), Config{Layers: []Layer{{Name: "test", Trusted: true, Open: func() (fs.FS, error) { return fsys, nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	books := r.Current().Books()
	d, err := Compare(books[0], books[1])
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCompare ensures that each kind of change is told in words, and that texts of messages and white space are none.
func TestCompare(t *testing.T) {
	const b = `<rule context="b">`
	assert := func(id, flag, test string) string {
		return `<assert id="` + id + `" flag="` + flag + `" test="` + test + `">text ` + flag + `</assert>`
	}
	for name, c := range map[string]struct {
		old, now, levels, added, removed, changed string
	}{
		"nothing":           {b + assert("R", "fatal", "@x  = 1") + "</rule>", b + strings.Replace(assert("R", "fatal", "@x = 1"), "text", "other", 1) + "</rule>", "", "", "", ""},
		"new and gone":      {b + assert("R-1", "fatal", "@x") + "</rule>", b + assert("R-2", "fatal", "@x") + assert("R-10", "fatal", "@x") + "</rule>", "", "R-2 R-10", "R-1", ""},
		"level":             {b + assert("R", "warning", "@x") + "</rule>", b + assert("R", "fatal", "@x") + "</rule>", "", "", "", "R: It is fatal instead of a warning."},
		"level of manifest": {b + assert("R", "fatal", "@x") + "</rule>", b + assert("R", "fatal", "@x") + "</rule>", "levels: {R: information}\n", "", "", "R: It is an information instead of fatal."},
		"codes":             {b + assert("R", "fatal", "@x = ('A', 'B')") + "</rule>", b + assert("R", "fatal", "@x = ('A', 'C', 'D')") + "</rule>", "", "", "", "R: Its condition has other codes: with C, D, and without B."},
		"codes of one text": {b + assert("R", "fatal", "contains(' A B ', @x)") + "</rule>", b + assert("R", "fatal", "contains(' A B C ', @x)") + "</rule>", "", "", "", "R: Its condition has other codes: with C."},
		"condition":         {b + assert("R", "fatal", "@x") + "</rule>", b + assert("R", "fatal", "@x or @y") + "</rule>", "", "", "", "R: Its condition is another one: `@x or @y` instead of `@x`."},
		"elements":          {b + assert("R", "fatal", "@x") + "</rule>", `<rule context="b[@y]">` + assert("R", "fatal", "@x") + "</rule>", "", "", "", "R: It judges other elements: `b[@y]` instead of `b`."},
		"a further one":     {b + assert("R", "fatal", "@x") + "</rule>", b + assert("R", "fatal", "@x") + assert("R", "fatal", "@y") + "</rule>", "", "", "", "R: It has 2 conditions instead of 1."},
		"a report":          {b + assert("R", "fatal", "@x") + "</rule>", b + strings.ReplaceAll(assert("R", "fatal", "@x"), "assert", "report") + "</rule>", "", "", "", "R: Its condition is another one: `not(@x)` instead of `@x`."},
	} {
		d := compared(t, ruleSet("1", c.old), ruleSet("1", c.now), c.levels)
		changed := ""
		for _, x := range d.Changed {
			changed += x.Rule + ": " + x.What
		}
		if diff := cmp.Diff([]string{c.added, c.removed, c.changed}, []string{strings.Join(d.Added, " "), strings.Join(d.Removed, " "), changed}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestCompare_Variables ensures that a rule has changed where a variable has that it uses, by way of another one, and that others have not.
func TestCompare_Variables(t *testing.T) {
	const rules = `<rule context="b"><let name="own" value="$known"/><assert id="R-1" flag="fatal" test="@x = $own">a</assert><assert id="R-2" flag="fatal" test="@x">b</assert></rule>`
	d := compared(t, ruleSet("('A')", rules), ruleSet("('A', 'B')", rules), "")
	if len(d.Changed) != 1 || d.Changed[0] != (Change{"R-1", "What its condition uses has other codes: with B."}) {
		t.Errorf("%+v", d)
	}
}

// TestWith ensures that a version judges in the place of another one whatever the day, with the bindings of that where it has none.
func TestWith(t *testing.T) {
	g := registry(t, layer("x", shelf(map[string]map[string]string{
		"1": smallBook("lib", "1", "valid: {from: 2020-01-01}\nbindings: [{name: a, root: a}]\n"),
		"2": smallBook("lib", "2", "valid: {from: 2030-01-01}\n"),
	}))).Current()
	books := g.Books()
	then, err := g.With(books[1], books[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range []string{"2000-01-01", "2026-01-01"} {
		plan, err := then.Plan(Kind{Root: RootOf(&books[0].Manifest.Bindings[0])}, day)
		if err != nil || len(plan.Books) != 1 || plan.Books[0].Name() != "lib@2" {
			t.Errorf("%s: %+v %v", day, plan, err)
		}
	}
	if books[1].Manifest.Bindings != nil || len(then.Books()) != 1 {
		t.Error("the rulebooks themselves have changed")
	}
}
