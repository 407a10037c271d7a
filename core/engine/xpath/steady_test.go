package xpath

import (
	"context"
	"fmt"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// TestComputedPositionsSelectTheItemThere compares positions computed beside the sequence with the same condition on position().
func TestComputedPositionsSelectTheItemThere(t *testing.T) {
	r := newRules(t, `<doc><line><n>3</n></line><line><n>1</n></line><line><n>2</n></line></doc>`)
	r.static.DefaultElement = ""
	r.variable("list", "for $i in 1 to 5 return $i * 10", "", PerDocument)
	var pairs [][2]*Expr
	for _, n := range []string{"1 + 1", "xs:decimal(2.0)", "2.5 + 0", "1 - 1", "1 - 5", "5 + 1", "last() - 1", "count(//line) + 0", "xs:integer(//line[1]/n)"} {
		for _, list := range []string{"$list", "(for $x in //line return $x/n)", "//line", "//line/n", "()"} {
			pairs = append(pairs, [2]*Expr{
				r.compile(fmt.Sprintf("for $z in (1, 2) return %s[%s]", list, n)),
				r.compile(fmt.Sprintf("for $z in (1, 2) return %s[position() = (%s)]", list, n)),
			})
		}
	}
	pairs = append(pairs,
		[2]*Expr{r.compile("for $i in 0 to 6 return $list[$i]"), r.compile("for $i in 0 to 6 return $list[position() = $i]")},
		[2]*Expr{r.compile("for $i in 1 to 4 return $list[$i + 1][1]"), r.compile("subsequence($list, 2)")},
		[2]*Expr{r.compile("for $i in 1 to 3 return $list[. > 20][$i]"), r.compile("subsequence($list, 3)")},
		[2]*Expr{r.compile("()[1 idiv 0]"), r.compile("()")},
	)
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}

// compareForms evaluates both expressions of each pair, which must give the same or fail alike.
func compareForms(t interface {
	Helper()
	Errorf(format string, args ...any)
}, m *Machine, pairs [][2]*Expr) {
	t.Helper()
	for i, pair := range pairs {
		got, err := pair[0].Items(m, 0, nil)
		text := itemsText(got) + fmt.Sprint(Code(err))
		want, err := pair[1].Items(m, 0, nil)
		if wanted := itemsText(want) + fmt.Sprint(Code(err)); text != wanted {
			t.Errorf("pair %d\n got %s\nwant %s", i, text, wanted)
		}
	}
}

func TestComputedPositionsFailAsTheirExpressionDoes(t *testing.T) {
	r := newRules(t, `<doc/>`)
	r.variable("none", "count(//absent)", "", PerDocument)
	e := r.compile("(1, 2)[1 idiv $none]")
	if _, err := e.Items(r.machine(t, r.b.Build()), 0, nil); Code(err) != "FOAR0001" {
		t.Errorf("error %v", err)
	}
}

// TestMembersOfKeptListsAreThoseFoundOneByOne compares some $v in list satisfies value = $v with a form that is no comparison with
// the list as a whole.
func TestMembersOfKeptListsAreThoseFoundOneByOne(t *testing.T) {
	r := newRules(t, `<doc><c a="B">X</c><c a="">J</c><c>B</c><c a="K"> K </c><list>L M</list></doc>`)
	r.static.DefaultElement = ""
	r.variable("codes", `tokenize('A B C D E F G H I J K', '\s')`, "", PerDocument)
	r.variable("few", `('B', 'K')`, "", PerDocument)
	r.variable("read", `tokenize(//list, '\s')`, "", PerDocument)
	r.variable("none", `tokenize('', '\s')`, "", PerDocument)
	r.variable("numbers", `(1, 2, 3)`, "", PerDocument)
	var pairs [][2]string
	for _, list := range []string{"$codes", "$few", "$read", "$none", "$numbers", "//c", "tokenize('X Y', ' ')"} {
		for _, value := range []string{"@a", ".", "normalize-space(.)", "('L', 'Q')", "upper-case(@a)"} {
			pairs = append(pairs,
				[2]string{list, value + " = $v"}, [2]string{list, "$v = " + value})
		}
	}
	var exprs [][2]*Expr
	for _, p := range pairs {
		exprs = append(exprs, [2]*Expr{
			r.compile(fmt.Sprintf("//c/(some $v in %s satisfies %s)", p[0], p[1])),
			r.compile(fmt.Sprintf("//c/(some $v in %s satisfies boolean(%s))", p[0], p[1])),
		})
	}
	compareForms(t, r.machine(t, r.b.Build()), exprs)
}

// TestVariablesThatNeedNoDocumentAreEvaluatedOnce counts the steps that a second document takes.
func TestVariablesThatNeedNoDocumentAreEvaluatedOnce(t *testing.T) {
	r := newRules(t, "<doc>7</doc>")
	r.static.DefaultElement = ""
	r.variable("long", "for $i in 1 to 5000 return string($i)", "", PerDocument)
	r.variable("own", "string(/doc)", "", PerDocument)
	e := r.compile("$own = $long")
	m := r.machine(t, r.b.Build())
	steps := func() int { return m.spent + slice - m.fuel }
	if holds, err := e.Bool(m, 0); err != nil || !holds || steps() < 5000 {
		t.Fatalf("%v, %v in %d steps", holds, err, steps())
	}
	next, err := xmltree.Parse([]byte("<doc>x</doc>"), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Start(context.Background(), next)
	if holds, err := e.Bool(m, 0); err != nil || holds || steps() > 100 {
		t.Errorf("%v, %v in %d steps for another document", holds, err, steps())
	}
}
