package xpath

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// operand is a source of items for comparisons: expressions of different static types and numbers of items.
var operands = []string{"a", "b/@x", "'1'", "'k'", "1", "2.5", "1e0", "()", "(1, 2)", "('k', '1', 'm')", "('k', 1)", "true()", "//a", "a[1]",
	"string(a[1])", "count(a)", "xs:decimal(b[1])", "(b, a)", "a/number(.)", "normalize-space(a[2])", "xs:untypedAtomic('1')", "b/xs:decimal(.)",
	"('q', 'r', 's', 't', 'k')", "//b/string(.)", "string-length(a[1])"}

const comparedXML = `<d><a>k</a><a>1</a><a/><b x="k">1</b><b x="2.5">2.5</b></d>`

// TestComparisonsFollowTheDefinition compares general comparisons, in all the forms they are compiled to, with the definition:
// some item of the left side and some of the right side must compare.
func TestComparisonsFollowTheDefinition(t *testing.T) {
	doc, err := xmltree.Parse([]byte(comparedXML), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range operands {
		for _, right := range operands {
			for sign, relation := range map[string]xdm.Relation{"=": xdm.Equal, "!=": xdm.NotEqual, "<": xdm.Less, "<=": xdm.LessOrEqual, ">": xdm.Greater, ">=": xdm.GreaterOrEqual} {
				b := NewBuilder()
				source := fmt.Sprintf("%s %s %s", left, sign, right)
				var exprs []*Expr
				for _, s := range []string{source, "data((" + left + "))", "data((" + right + "))", "every $i in (1, 2) satisfies " + source} {
					e, err := b.Compile(s, &Static{NodeContext: true})
					if err != nil {
						t.Fatalf("%s: %v", s, err)
					}
					exprs = append(exprs, e)
				}
				m, err := b.Build().NewMachine(Config{})
				if err != nil {
					t.Fatal(err)
				}
				m.Start(context.Background(), doc)
				checkComparison(t, m, source, relation, exprs, doc.Root())
			}
		}
	}
}

// checkComparison compares a comparison, alone and in a loop, with the definition. An error is right if some pair of items has
// it, and a result even then, since not all pairs need be looked at.
func checkComparison(t *testing.T, m *Machine, source string, relation xdm.Relation, exprs []*Expr, at xmltree.Node) {
	t.Helper()
	left, errLeft := exprs[1].Items(m, at, nil)
	right, errRight := exprs[2].Items(m, at, nil)
	if errLeft != nil || errRight != nil {
		t.Fatal(errLeft, errRight)
	}
	want, codes := false, ""
	for _, a := range left {
		for _, b := range right {
			holds, err := xdm.GeneralCompare(relation, a, b, 0)
			want = want || holds
			codes += Code(err) + " "
		}
	}
	for _, e := range []*Expr{exprs[0], exprs[3]} {
		got, err := e.Bool(m, at)
		switch failed := strings.TrimSpace(codes) != ""; {
		case err != nil && (!failed || !strings.Contains(codes, Code(err))):
			t.Errorf("%s: %v", source, err)
		case err == nil && got != want && !failed, err == nil && got && !want:
			t.Errorf("%s: %v, want %v", source, got, want)
		}
	}
}

// TestKeptTextsFollowTheDocument compares texts with many texts that are kept for the document.
func TestKeptTextsFollowTheDocument(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := NewBuilder()
		e, err := b.Compile("//a[. = //b]", &Static{NodeContext: true})
		if err != nil {
			t.Fatal(err)
		}
		again, err := b.Compile("//a[boolean(. = reverse(//b))]", &Static{NodeContext: true})
		if err != nil {
			t.Fatal(err)
		}
		m, err := b.Build().NewMachine(Config{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var text strings.Builder
			for _, v := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 40).Draw(rt, "values") {
				fmt.Fprintf(&text, "<%[1]s>%[2]d</%[1]s>", rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "name"), v)
			}
			doc, err := xmltree.Parse([]byte("<d>"+text.String()+"</d>"), xmltree.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m.Start(context.Background(), doc)
			got, err := e.Items(m, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := again.Items(m, 0, nil)
			if err != nil || itemsText(got) != itemsText(want) {
				rt.Fatalf("%s: %s, want %s", text.String(), itemsText(got), itemsText(want))
			}
		}
	})
}

func TestNeeds(t *testing.T) {
	for source, want := range map[string]Needs{
		"1 + 2":                             {},
		"contains(' A B ', 'A')":            {},
		".":                                 {Context: true},
		"position()":                        {Context: true},
		"//a":                               {Document: true},
		"//a[. = current()]":                {Document: true, Current: true},
		"//a[position() = last()]":          {Document: true},
		"a[1]":                              {Context: true},
		"for $x in //a return $x/b":         {Document: true},
		"every $x in (1, 2) satisfies a":    {Context: true},
		"current-date()":                    {Document: true},
		"name(//a[1])":                      {Document: true},
		"name()":                            {Context: true},
		"(1, 2)[. = 2]":                     {},
		"document('x.xml')//a[@id = 1]":     {},
		"document('x.xml')//a[@id = //b/c]": {},
	} {
		e, err := NewBuilder().Compile(source, &Static{XSLT: true})
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := e.Needs(); got != want {
			t.Errorf("%s: %+v, want %+v", source, got, want)
		}
	}
}

// TestValueComparisonsFollowTheDefinition compares value comparisons, in all the forms they are compiled to, with the definition: of two
// items the comparison of both, false where one is missing, and an error where there are several.
func TestValueComparisonsFollowTheDefinition(t *testing.T) {
	r := newRules(t, comparedXML)
	r.static.DefaultElement = ""
	type asked struct {
		source, sign string
		sides        [2]*Expr
		forms        [2]*Expr
	}
	var all []asked
	for _, left := range operands {
		for _, right := range operands {
			for sign := range valueRelations {
				source := fmt.Sprintf("%s %s %s", left, sign, right)
				all = append(all, asked{source, sign, [2]*Expr{r.compile("data((" + left + "))"), r.compile("data((" + right + "))")},
					[2]*Expr{r.compile("boolean(" + source + ")"), r.compile("every $i in (1, 2) satisfies " + source)}})
			}
		}
	}
	m := r.machine(t, r.b.Build())
	for _, a := range all {
		want, code := definedValue(t, m, a.sides, valueRelations[a.sign])
		for _, e := range a.forms {
			if got, err := e.Bool(m, 1); got != want || Code(err) != code {
				t.Errorf("%s: %v, error %v, want %v %s", a.source, got, err, want, code)
			}
		}
	}
}

var valueRelations = map[string]xdm.Relation{"eq": xdm.Equal, "ne": xdm.NotEqual, "lt": xdm.Less, "le": xdm.LessOrEqual, "gt": xdm.Greater, "ge": xdm.GreaterOrEqual}

// definedValue is what the definition gives for the items of two sides: a truth value, or the code of an error.
func definedValue(t *testing.T, m *Machine, sides [2]*Expr, relation xdm.Relation) (value bool, code string) {
	t.Helper()
	var items [2][]xdm.Item
	for i, side := range sides {
		var err error
		if items[i], err = side.Items(m, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case len(items[0]) > 1 || len(items[1]) > 1:
		return false, "XPTY0004"
	case len(items[0]) == 0 || len(items[1]) == 0:
		return false, ""
	}
	value, err := xdm.Compare(relation, items[0][0], items[1][0], 0)
	return value && err == nil, Code(err)
}
