package xpath

import (
	"fmt"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// compareSources evaluates pairs of expressions, which must give the same or fail alike.
func (r *rules) compareSources(t *testing.T, sources [][2]string) {
	t.Helper()
	var pairs [][2]*Expr
	for _, s := range sources {
		pairs = append(pairs, [2]*Expr{r.compile(s[0]), r.compile(s[1])})
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}

// TestTextsPutTogetherAsTheyCome compares string-join, string and string-to-codepoints where they need no sequence with forms that do.
func TestTextsPutTogetherAsTheyCome(t *testing.T) {
	r := newRules(t, "<doc><t>GB82 WEST</t><t/><t>é€𝄞</t></doc>")
	r.static.DefaultElement = ""
	r.variable("dash", "concat('-', //absent)", "", PerDocument)
	r.compareSources(t, [][2]string{
		{"for $t in //t return string-join(for $c in string-to-codepoints($t) return if ($c > 64) then string($c - 55) else string($c), '-')",
			"for $t in //t return string-join(for $c in reverse(reverse(string-to-codepoints($t))) return concat('', if ($c > 64) then $c - 55 else $c), $dash)"},
		{"string-join(('a', string-join(('b', 'c'), '-'), 'd'), '-')", "string-join(('a', string-join(('b', 'c'), $dash), 'd'), $dash)"},
		{"string-join((), '-')", "''"},
		{"string-join(//t, '-')", "string-join(//t, $dash)"},
		{"string-join(('a', error()), '-')", "error()"},
		{"string-join(('a', 'b'), '-')", "'a-b'"},
		{"string-to-codepoints(())", "()"},
		{"string(9223372036854775807 + 1)", "'9223372036854775808'"},
		{"string(count(//t) - 5)", "'-2'"},
		{"xs:integer(string-join(for $i in 1 to 30 return string(9), '')) mod 97", "(for $i in 1 to 1 return xs:integer('999999999999999999999999999999') mod 97)"},
	})
}

// TestDistinctTexts compares distinct values of few texts with those of many, among which they are found in a table.
func TestDistinctTexts(t *testing.T) {
	r := newRules(t, "<doc><t>a</t><t>b</t><t>a</t><t/><t/></doc>")
	r.static.DefaultElement = ""
	r.compareSources(t, [][2]string{
		{"distinct-values(//t)", "distinct-values((//t, //t, //t))"},
		{"distinct-values(('a', xs:anyURI('a'), //t))", "('a', 'b', '')"},
		{"distinct-values(())", "()"},
	})
}

// TestNodesCastable compares castable as of nodes with that of their typed values.
func TestNodesCastable(t *testing.T) {
	r := newRules(t, "<doc><t>1</t><t> 2.50 </t><t>x</t><t/><t>2026-01-31</t><!--1--></doc>")
	r.static.DefaultElement = ""
	var sources [][2]string
	for _, what := range []string{"xs:decimal", "xs:decimal?", "xs:date", "xs:integer?", "xs:double"} {
		for _, path := range []string{"//t[1]", "//t[2]", "//t[3]", "//t[4]", "//t[5]", "//t", "//absent", "/doc/comment()"} {
			sources = append(sources, [2]string{fmt.Sprintf("%s castable as %s", path, what), fmt.Sprintf("(for $x in %s return data($x)) castable as %s", path, what)})
		}
	}
	r.compareSources(t, sources)
}

// TestParametersWithoutType ensures that what functions make of any argument is what they make of its conversion to xs:string.
func TestParametersWithoutType(t *testing.T) {
	r := newRules(t, "<doc><t>ab</t><t>cd</t><u>ef</u><!--gh--></doc>")
	r.static.DefaultElement = ""
	r.function("f", "xs:string", "substring($x, 2)", Param{Name: "x"})
	r.function("g", "xs:string", "substring($x, 2)", Param{Name: "x", As: "xs:string?"})
	var sources [][2]string
	for _, arg := range []string{"//u", "'xy'", "xs:anyURI('xy')", "()", "//t", "/doc/comment()", "12", "//u/text()", "true()"} {
		sources = append(sources, [2]string{"u:f(" + arg + ")", "u:g(" + arg + ")"})
	}
	r.compareSources(t, sources)
}

// TestTruthInText ensures that a condition that a function writes as text is read back as it was, and that other texts are read.
func TestTruthInText(t *testing.T) {
	r := newRules(t, "<doc><t>1</t></doc>")
	r.static.DefaultElement = ""
	for name, body := range map[string]string{"yes": "$x = 1", "number": "$x", "none": "()", "several": "(true(), false())"} {
		err := r.b.Function(&Function{Name: xdm.Name{Space: "urn:u", Local: name}, Params: []Param{{Name: "x"}}, As: "xs:boolean", Static: r.static,
			Body: &Let{Var: syntax.Name{Local: "y"}, Value: parse(t, "$x"), In: &TextNode{Select: parse(t, body), Separator: " "}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.compareSources(t, [][2]string{
		{"u:yes(1)", "true()"}, {"u:yes(2)", "false()"}, {"not(u:yes(2))", "true()"}, {"u:number(1)", "true()"}, {"u:number(0)", "false()"},
		{"u:number(7)", "xs:boolean('7')"}, {"u:none(1)", "xs:boolean('')"}, {"u:several(1)", "xs:boolean('true false')"},
		{"if (//t = '1') then true() else false()", "//t = '1'"}, {"if (//t = '2') then false() else true()", "not(//t = '2')"},
		{"for $x in (1, 2) return if (if ($x = 1) then //t else ()) then 'a' else 'b'", "('a', 'b')"},
	})
}

// TestConstantVariables ensures that patterns and code lists in variables are those that literals would be.
func TestConstantVariables(t *testing.T) {
	r := newRules(t, "<doc><t>AB</t><t>B</t><t>A B</t><t/></doc>")
	r.static.DefaultElement = ""
	r.variable("pattern", "'^[A-Z]{2}$'", "", PerDocument)
	r.variable("wrong", "'('", "", PerDocument)
	r.variable("codes", "' A AB B C D '", "", PerDocument)
	r.variable("computed", "concat(' A AB B C D ', //absent)", "", PerDocument)
	r.compareSources(t, [][2]string{
		{"//t[matches(., $pattern)]", "//t[matches(., '^[A-Z]{2}$')]"},
		{"//t[matches(., $wrong)]", "//t[matches(., '(')]"},
		{"//t[contains($codes, concat(' ', ., ' '))]", "//t[contains($computed, concat(' ', ., ' '))]"},
	})
}
