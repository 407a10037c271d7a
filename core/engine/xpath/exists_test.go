package xpath

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// TestExistenceIsACountAboveNone compares questions for existence with others that take the nodes in hand.
func TestExistenceIsACountAboveNone(t *testing.T) {
	paths := []string{"a", "b", "only", "absent", "a/b", "group/a/b", "group/only", "group/absent/a", "*", "group/*", "a/@n", "*[@n]/b", "."}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRules(t, familyXML(rt))
		r.static.DefaultElement = ""
		var pairs [][2]*Expr
		for _, p := range paths {
			at := rapid.SampledFrom([]string{"/doc", "/doc/*", "//b", "/doc/group", "/doc/a/@n"}).Draw(rt, "at")
			for _, form := range []string{"exists(%s)", "boolean(%s)", "not(empty(%s))", "not(not(%s))"} {
				pairs = append(pairs, [2]*Expr{
					r.compile(fmt.Sprintf("for $x in %s return $x/"+form, at, p)),
					r.compile(fmt.Sprintf("for $x in %s return sum(for $y in $x/%s return 1) gt 0", at, p)),
				})
			}
		}
		for _, inner := range []string{"*", "@n", "b", "@absent"} {
			pairs = append(pairs, [2]*Expr{r.compile("//node()[" + inner + "]"), r.compile("//node()[count(" + inner + ") ge 1]")})
		}
		compareForms(rt, r.machine(t, r.b.Build()), pairs)
	})
}

// TestTextsThatAreNotBlank compares normalize-space as a condition with the text it gives.
func TestTextsThatAreNotBlank(t *testing.T) {
	r := newRules(t, "<doc><t/><t> \n\t </t><t> x </t><t>x</t><t><b> </b></t><t>\u00a0</t></doc>")
	r.static.DefaultElement = ""
	pairs := [][2]*Expr{
		{r.compile("for $t in //t return boolean(normalize-space($t))"), r.compile("for $t in //t return concat(normalize-space($t), '') ne ''")},
		{r.compile("for $t in //t return normalize-space($t) = ''"), r.compile("for $t in //t return concat(normalize-space($t), '') = ''")},
		{r.compile("//t[normalize-space(.) != '']"), r.compile("//t[string-length(normalize-space(.)) > 0]")},
		{r.compile("for $t in //t return normalize-space($t) > ''"), r.compile("for $t in //t return not(normalize-space($t) = '')")},
		{r.compile("//t[not(normalize-space())]"), r.compile("//t[normalize-space() eq '']")},
		{r.compile("normalize-space(//absent) or false()"), r.compile("false()")},
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}

// TestLengthsAreCounted compares comparisons of lengths with constants, which bytes may decide, with those of computed numbers.
func TestLengthsAreCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "€", " ", "\n", "𝄞"}), 0, 8).Draw(rt, "text"), "")
		r := newRules(t, "<doc><t>"+text+"</t></doc>")
		r.static.DefaultElement = ""
		r.variable("nought", "count(//absent)", "", PerDocument)
		var pairs [][2]*Expr
		for _, length := range []string{"string-length(//t)", "string-length(normalize-space(//t))", "string-length(normalize-space(//absent))"} {
			for _, relation := range []string{"=", "!=", "<", "<=", ">", ">=", "eq", "le"} {
				n := rapid.IntRange(0, 9).Draw(rt, "limit")
				pairs = append(pairs, [2]*Expr{r.compile(fmt.Sprintf("%s %s %d", length, relation, n)), r.compile(fmt.Sprintf("%s %s ($nought + %d)", length, relation, n))})
			}
		}
		compareForms(rt, r.machine(t, r.b.Build()), pairs)
	})
}

// TestEmptyElements compares the conditions of rules against empty elements, which selectors ask at once, with what they say.
func TestEmptyElements(t *testing.T) {
	r := newRules(t, "<doc><e/><e> \n</e><e>x</e><e><e/></e><e> <!--c--> </e><e a=''> <?p i?>y</e><e>&#160;</e><e><e>x</e> </e></doc>")
	r.static.DefaultElement = ""
	p, err := r.b.CompilePattern("//*[not(*) and not(normalize-space())]", r.static)
	if err != nil {
		t.Fatal(err)
	}
	s, want := r.b.Select([][]*Pattern{{p}}), r.compile("//*[count(*) = 0][concat(normalize-space(), '') = '']")
	m := r.machine(t, r.b.Build())
	items, err := want.Items(m, 0, nil)
	if err != nil || len(items) != 4 {
		t.Fatalf("%d empty elements, %v", len(items), err)
	}
	for n := range xmltree.Node(r.doc.Len()) {
		matches, err := s.Matches(m, n, nil)
		isAmong := slices.ContainsFunc(items, func(i xdm.Item) bool { _, at := NodeOf(i); return at == n })
		if err != nil || (len(matches) == 1) != isAmong {
			t.Errorf("at %s: %v, %v", r.doc.Path(n), matches, err)
		}
	}
}

// TestSomeDescendantOfSeveralNames compares questions for descendants of several names, which are found name by name, with those that need
// them in their order.
func TestSomeDescendantOfSeveralNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRules(t, familyXML(rt))
		r.static.DefaultElement = ""
		var pairs [][2]*Expr
		for _, names := range []string{"(descendant::a | descendant::b)", "(.//only | .//a | .//absent)", "(descendant::absent | descendant::missing)"} {
			for _, cond := range []string{"", "[. = '3']", "[normalize-space(.) != '' and . castable as xs:decimal and xs:decimal(.) > 7]", "[local-name() != 'a']", "[b][@n = '2']"} {
				path := names + cond
				pairs = append(pairs,
					[2]*Expr{r.compile("for $x in (/doc, /doc/group, /doc/a) return $x/exists(" + path + ")"), r.compile("for $x in (/doc, /doc/group, /doc/a) return $x/(sum(for $y in " + path + " return 1) gt 0)")},
					[2]*Expr{r.compile("/doc/(., group, b)[not(" + path + ")]"), r.compile("/doc/(., group, b)[count(for $y in " + path + " return 1) = 0]")},
					[2]*Expr{r.compile("for $x in (/doc, /doc/group, /doc/a) return $x/string-join(" + path + "/string(@n), ' ')"), r.compile("for $x in (/doc, /doc/group, /doc/a) return $x/string-join(for $y in " + path + " return string($y/@n), ' ')")},
				)
			}
		}
		pairs = append(pairs, [2]*Expr{
			r.compile("for $x in (/doc, /doc/group), $v in ('', '1') return $x/string-join((.//only | .//a)/b[. = $v]/string(../@n), ' ')"),
			r.compile("for $x in (/doc, /doc/group), $v in ('', '1') return $x/string-join(for $y in (.//only | .//a), $z in $y/b return if ($z = $v) then string($y/@n) else (), ' ')"),
		})
		compareForms(rt, r.machine(t, r.b.Build()), pairs)
	})
}
