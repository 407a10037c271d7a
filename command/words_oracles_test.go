//go:build oracles

package command

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// leastOwn is the length from which a condition has words of its own, in characters without white space: shorter ones are often
// the only way to say a fact.
const leastOwn = 61

// wordFamilies names the rulebooks that are counted together, by what their names begin with.
var wordFamilies = []struct{ name, prefixes string }{
	{"ubl", "en16931-ubl xrechnung-ubl"}, {"cii", "en16931-cii xrechnung-cii"}, {"peppol", "peppol-"}, {"factur-x", "fx-"}, {"other", ""},
}

// TestOfficial_OwnWords holds that no condition and no variable of a rulebook that ships equals one of a publisher letter for letter,
// white space apart, unless it is short or says no more than which elements there are.
func TestOfficial_OwnWords(t *testing.T) {
	folder, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	importOfficial(t, folder.Name())
	published := map[string]string{} // expression without white space to the rulebook
	for _, book := range generationOf(t, folder.FS()).Books() {
		for _, e := range expressionsOf(t, book) {
			published[letters(e.text)] = book.Name()
		}
	}
	equal, all := map[string]int{}, map[string]int{}
	for _, book := range generationOf(t, rulebooks.Books()).Books() {
		family := wordFamily(book.Manifest.ID)
		for _, e := range expressionsOf(t, book) {
			all[family]++
			if publisher, same := published[letters(e.text)]; same && hasWords(t, e.text) {
				equal[family]++
				t.Errorf("%s: %s is as in %s: %s", book.Name(), e.name, publisher, e.text)
			}
		}
	}
	for _, family := range wordFamilies {
		t.Logf("%s: %d of %d conditions and variables are the publisher's letter for letter", family.name, equal[family.name], all[family.name])
		if all[family.name] == 0 && family.prefixes != "" {
			t.Errorf("%s: no rulebook was compared", family.name)
		}
	}
}

func wordFamily(id string) string {
	for _, family := range wordFamilies {
		for _, prefix := range strings.Fields(family.prefixes) {
			if strings.HasPrefix(id, prefix) {
				return family.name
			}
		}
	}
	return "other"
}

// namedExpression is the condition of a rule or the value of a variable.
type namedExpression struct{ name, text string }

// expressionsOf gives all conditions and variables of a rulebook.
func expressionsOf(t *testing.T, book *rulebook.Book) []namedExpression {
	t.Helper()
	sets, err := book.Rulesets()
	if err != nil {
		t.Fatal(err)
	}
	var all []namedExpression
	variables := func(lets []schematron.Let) {
		for _, l := range lets {
			all = append(all, namedExpression{"$" + l.Name, l.Value.Text})
		}
	}
	for _, set := range sets {
		variables(set.Lets)
		for _, p := range set.Patterns {
			variables(p.Lets)
			for _, r := range p.Rules {
				variables(r.Lets)
				for _, a := range r.Assertions {
					all = append(all, namedExpression{a.Key, a.Test.Text})
				}
			}
		}
	}
	return all
}

// letters is a text without white space.
func letters(text string) string { return strings.Join(strings.Fields(text), "") }

// hasWords tells whether an expression is long, and more than a path or not() of one, or a list of codes.
func hasWords(t *testing.T, text string) bool {
	t.Helper()
	if len([]rune(letters(text))) < leastOwn {
		return false
	}
	e, err := syntax.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if call, ok := e.(*syntax.Call); ok && call.Name.String() == "not" && len(call.Args) == 1 {
		e = call.Args[0]
	}
	return !isBarePath(e) && !isCodes(e)
}

// isBarePath tells whether an expression only names nodes: steps without predicates, and alternatives of them.
func isBarePath(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.ContextItem:
		return true
	case *syntax.Step:
		return len(e.Predicates) == 0
	case *syntax.Path:
		return !slices.ContainsFunc(e.Steps, func(step syntax.Expr) bool { return !isBarePath(step) })
	case *syntax.Binary:
		return e.Op == syntax.Union && isBarePath(e.Left) && isBarePath(e.Right)
	}
	return false
}

// isCodes tells whether an expression is a list of constants, or one text that holds them.
func isCodes(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Literal:
		return true
	case *syntax.Sequence:
		return !slices.ContainsFunc(e.Items, func(item syntax.Expr) bool { return !isCodes(item) })
	case *syntax.Call:
		return e.Name.String() == "tokenize" && !slices.ContainsFunc(e.Args, func(arg syntax.Expr) bool { return !isCodes(arg) })
	}
	return false
}
