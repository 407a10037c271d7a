package xpath

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// parse reads an expression for a function body.
func parse(t testing.TB, source string) syntax.Expr {
	t.Helper()
	e, err := syntax.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// rules is a program in the making, with what goes wrong as test failures.
type rules struct {
	*fixture
	t testing.TB
	b *Builder
}

func newRules(t testing.TB, source string) *rules {
	x := newFixture(t, source)
	x.static.Namespaces["u"] = "urn:u"
	x.static.Variables = map[string]*Variable{}
	return &rules{x, t, NewBuilder()}
}

func (r *rules) variable(name, source, as string, option VariableOption) {
	r.t.Helper()
	v, err := r.b.Variable(name, source, as, option, r.static)
	if err != nil {
		r.t.Fatalf("$%s: %v", name, err)
	}
	r.static.Variables[name] = v
}

func (r *rules) function(name, as, body string, params ...Param) {
	r.t.Helper()
	err := r.b.Function(&Function{Name: xdm.Name{Space: "urn:u", Local: name}, Params: params, As: as, Body: parse(r.t, body), Static: r.static})
	if err != nil {
		r.t.Fatalf("u:%s: %v", name, err)
	}
}

func (r *rules) compile(source string) *Expr {
	r.t.Helper()
	e, err := r.b.Compile(source, r.static)
	if err != nil {
		r.t.Fatalf("%s: %v", source, err)
	}
	return e
}

// check evaluates an expression at the document node.
func (r *rules) check(m *Machine, e *Expr, want string) {
	r.t.Helper()
	items, err := e.Items(m, 0, nil)
	got := itemsText(items)
	if err != nil {
		got = errorText(err)
	}
	if got != want {
		r.t.Errorf("got %s, want %s", got, want)
	}
}

func TestVariablesAreEvaluatedOnlyWhenAskedFor(t *testing.T) {
	r := newRules(t, orderXML)
	r.variable("bad", "error()", "", PerDocument)
	r.variable("ids", "//id", "", PerDocument)
	r.variable("count", "count($ids)", "xs:integer", PerDocument)
	r.variable("wrong", "'x'", "xs:integer", PerDocument)
	good, lazy, bad, wrong := r.compile("$count, $ids[2]/string()"), r.compile("true() or $bad"), r.compile("$bad"), r.compile("$wrong")
	m := r.machine(t, r.b.Build())
	r.check(m, good, "(4, B2)")
	r.check(m, lazy, "true")
	r.check(m, bad, "FOER0000")
	r.check(m, wrong, "XPTY0004")
	r.check(m, good, "(4, B2)")
}

func TestVariablesFollowDocumentAndCurrentNode(t *testing.T) {
	r := newRules(t, `<n:a xmlns:n="urn:n"><n:b>1</n:b><n:b>2</n:b></n:a>`)
	r.variable("total", "sum(//b)", "", PerDocument)
	r.variable("mine", "xs:integer(.)", "", PerCurrent)
	r.variable("twice", "$mine * 2", "", PerCurrent)
	e := r.compile("concat($total, ' ', $mine, ' ', $twice, ' ', count(//b[. = $mine]), ' ', //b[. = current()])")
	m := r.machine(t, r.b.Build())
	for n, want := range map[string]string{"1": "3 1 2 1 1", "2": "3 2 4 1 2"} {
		for at := xmltree.Node(0); at < xmltree.Node(r.doc.Len()); at++ {
			if r.doc.Kind(at) != xmltree.KindElement || r.doc.String(at) != n {
				continue
			}
			m.SetCurrent(at)
			if got, err := e.Text(m, at); err != nil || got != want {
				t.Errorf("at %s: %q, %v, want %q", n, got, err, want)
			}
		}
	}
	other, err := xmltree.Parse([]byte(`<n:a xmlns:n="urn:n"><n:b>7</n:b></n:a>`), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Start(context.Background(), other)
	m.SetCurrent(2)
	if got, err := e.Text(m, 2); err != nil || got != "7 7 14 1 7" {
		t.Errorf("in the next document: %q, %v", got, err)
	}
}

func TestListsOfCodesMayBeVariables(t *testing.T) {
	r := newRules(t, `<r><a> AB </a><a>CD</a><a>CD EF</a><a/><a>X</a></r>`)
	r.variable("text", "tokenize('AB CD EF GH', ' ')", "", PerDocument)
	r.variable("gap", "tokenize('AB  EF GH', ' ')", "", PerDocument)
	r.variable("list", "('AB', 'CD', 'EF', 'GH')", "", PerDocument)
	r.variable("few", "tokenize('AB CD', ' ')", "", PerDocument)
	r.variable("nothing", "tokenize('', ' ')", "", PerDocument)
	r.variable("typed", "tokenize('AB CD EF GH', ' ')", "xs:string*", PerDocument)
	var exprs []*Expr
	var wants []string
	for _, c := range [][2]string{
		{"$text", "12"}, {"($text, 'X')", "125"}, {"$gap", "14"}, {"$list", "12"}, {"$few", "12"}, {"$nothing", ""}, {"($nothing, $list)", "12"},
		{"$typed", "12"}, {"tokenize('AB CD EF GH', '[ ]')", "12"},
	} {
		exprs = append(exprs, r.compile("string-join(/*/*[normalize-space(.) = "+c[0]+"]/string(count(preceding-sibling::*) + 1), '')"))
		wants = append(wants, c[1])
	}
	m := r.machine(t, r.b.Build())
	for i, e := range exprs {
		r.check(m, e, wants[i])
	}
}

func TestVariableThatNeedsItselfIsAnError(t *testing.T) {
	r := newRules(t, orderXML)
	r.function("loop", "", "$a")
	v, err := r.b.Variable("a", "u:loop()", "", PerDocument, r.static)
	if err != nil {
		t.Fatal(err)
	}
	r.static.Variables["a"] = v
	e := r.compile("$a")
	m := r.machine(t, r.b.Build())
	r.check(m, e, "XTDE0640")
	r.check(m, e, "XTDE0640")
}

func TestFunctionsConvertArgumentsAndResults(t *testing.T) {
	r := newRules(t, orderXML)
	r.function("slack", "xs:boolean", "$exp + xs:decimal($slack) >= $val and $exp - xs:decimal($slack) <= $val",
		Param{"exp", "xs:decimal"}, Param{"val", "xs:decimal"}, Param{"slack", "xs:decimal"})
	r.function("luhn", "xs:integer", "if (string-length($s) = 0) then 0 else xs:integer(substring($s, 1, 1)) + u:luhn(substring($s, 2))",
		Param{"s", "xs:string?"})
	r.function("twice", "item()*", "($x, $x)", Param{Name: "x"})
	r.function("even", "xs:boolean", "if ($n = 0) then true() else u:odd($n - 1)", Param{"n", "xs:integer"})
	r.function("odd", "xs:boolean", "if ($n = 0) then false() else u:even($n - 1)", Param{"n", "xs:integer"})
	r.function("here", "", ".")
	r.function("broken", "", "no-such-function()")
	r.function("none", "xs:integer", "()")
	cases := [][2]string{
		{"u:slack(10.5, (//price)[1], 0.1)", "true"},
		{"u:slack(10.5, //absent, 0.1)", "XPTY0004"},
		{"u:slack(10.5, 'x', 0.1)", "XPTY0004"},
		{"u:luhn('12345'), u:luhn(())", "(15, 0)"},
		{"u:luhn((//qty)[2])", "FORG0001"},
		{"u:twice((1, 'a')), count(u:twice(//line)), u:twice(u:twice(2))", "(1, a, 1, a, 8, 2, 2, 2, 2)"},
		{"(u:twice(//line[@no = '1']))/@no/string()", "1"},
		{"u:even(100), u:odd(7)", "(true, true)"},
		{"u:here()", "XPDY0002"},
		{"u:broken()", "XPST0017"},
		{"u:none()", "XPTY0004"},
		{"for $i in 1 to 3 return u:luhn(string($i * 11))", "(2, 4, 6)"},
		{"//line[u:luhn(replace(@no, '[^0-9]', '')) = 3]/@no/string()", "(3, 3a)"},
		{"u:even(5000)", "XPDY0130"},
	}
	var exprs []*Expr
	for _, c := range cases {
		exprs = append(exprs, r.compile(c[0]))
	}
	if err := r.b.Function(&Function{Name: xdm.Name{Space: "urn:u", Local: "here"}, Body: parse(t, "1"), Static: r.static}); err == nil {
		t.Error("a function may be declared twice")
	}
	m := r.machine(t, r.b.Build())
	for i, c := range cases {
		r.check(m, exprs[i], c[1])
	}
}

func TestFunctionBodiesOfXSLT(t *testing.T) {
	r := newRules(t, orderXML)
	seqType := func(s string) *syntax.SequenceType {
		st, err := syntax.ParseSequenceType(s)
		if err != nil {
			t.Fatal(err)
		}
		return &st
	}
	// <xsl:variable name="d" select="$v * 2" as="xs:decimal"/>
	// <xsl:choose><xsl:when test="$d > 4"><xsl:value-of select="'true'"/></xsl:when><xsl:otherwise><xsl:value-of select="$no"/>…
	body := &Let{Var: syntax.Name{Local: "d"}, Type: seqType("xs:decimal"), Value: parse(t, "$v * 2"), In: &syntax.If{
		Cond: parse(t, "$d > 4"), Then: &TextNode{Select: parse(t, "'true'")},
		Else: &Let{Var: syntax.Name{Local: "no"}, Value: parse(t, "('fal', 'se')"), In: &TextNode{Select: parse(t, "$no"), Separator: ""}},
	}}
	for name, as := range map[string]string{"flag": "xs:boolean", "open": ""} {
		if err := r.b.Function(&Function{Name: xdm.Name{Space: "urn:u", Local: name}, Params: []Param{{"v", "xs:decimal"}}, As: as, Body: body, Static: r.static}); err != nil {
			t.Fatal(err)
		}
	}
	cases := [][2]string{
		{"u:flag(3), u:flag(1)", "(true, false)"},
		{"if (u:flag(1)) then 1 else 2", "2"},
		{"if (u:open(1)) then 1 else 2", "1"},
		{"string(u:open(1)), u:open(3) instance of text(), u:open(1) = 'false'", "(false, true, true)"},
	}
	var exprs []*Expr
	for _, c := range cases {
		exprs = append(exprs, r.compile(c[0]))
	}
	m := r.machine(t, r.b.Build())
	for i, c := range cases {
		r.check(m, exprs[i], c[1])
	}
}

func TestExternalVariables(t *testing.T) {
	r := newRules(t, orderXML)
	v := r.b.External("v")
	r.static.Variables["v"] = v
	e := r.compile("count($v), $v[1] + 1")
	m := r.machine(t, r.b.Build())
	r.check(m, e, "0")
	m.Set(v, []xdm.Item{xdm.Int64(4), xdm.Text("a")})
	r.check(m, e, "(2, 5)")
}

func TestDocumentsAreLoadedOnce(t *testing.T) {
	r := newRules(t, orderXML)
	loads := 0
	r.config.Load = func(string) (*xmltree.Document, error) {
		loads++
		return r.doc, nil
	}
	e := r.compile("count(document('a.xml')//id) + count(doc('a.xml')//id)")
	m := r.machine(t, r.b.Build())
	for range 3 {
		r.check(m, e, "8")
		m.Start(context.Background(), r.doc)
	}
	if loads != 1 {
		t.Errorf("loaded %d times", loads)
	}
}

func TestLimits(t *testing.T) {
	r := newRules(t, orderXML)
	r.function("down", "xs:integer", "if ($n = 0) then 0 else 1 + u:down($n - 1)", Param{"n", "xs:integer"})
	r.config.Steps, r.config.Depth, r.config.Items = 200_000, 50, 1_000
	cases := [][2]string{
		{"count(for $a in 1 to 1000, $b in 1 to 1000, $c in 1 to 1000 return 1)", "XPDY0130"},
		{"count(//*//*//*//*//*//*//*//*)", "0"},
		{"some $x in 1 to 100000000000 satisfies $x < 0", "XPDY0130"},
		{"u:down(49)", "49"},
		{"u:down(50)", "XPDY0130"},
		{"count(reverse(1 to 1000))", "1000"},
		{"count(reverse(1 to 1001))", "XPDY0130"},
		{"1", "1"},
	}
	var exprs []*Expr
	for _, c := range cases {
		exprs = append(exprs, r.compile(c[0]))
	}
	m := r.machine(t, r.b.Build())
	for i, c := range cases {
		m.Start(context.Background(), r.doc)
		r.check(m, exprs[i], c[1])
	}
}

func TestEvaluationEndsWithItsContext(t *testing.T) {
	r := newRules(t, orderXML)
	e := r.compile("some $x in 1 to 100000000000 satisfies $x < 0")
	m := r.machine(t, r.b.Build())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m.Start(ctx, r.doc)
	if _, err := e.Bool(m, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	p := NewBuilder().Build()
	for _, c := range []Config{{Steps: -1}, {Depth: -1}, {Items: -1}} {
		if _, err := p.NewMachine(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

func TestProgramsAreSharedByGoroutines(t *testing.T) {
	r := newRules(t, orderXML)
	r.variable("sum", "sum(//price)", "", PerDocument)
	e := r.compile("concat($sum, ' ', count(//line[id = 'B2']), ' ', string-join(//id[matches(., '^[A-Z]\\d?$')], ','))")
	p := r.b.Build()
	var group sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		m := r.machine(t, p)
		group.Go(func() {
			for range 50 {
				results[i], _ = e.Text(m, 0)
			}
		})
	}
	group.Wait()
	for _, got := range results {
		if got != "20.6 2 B2,B2,C" {
			t.Errorf("%q", got)
		}
	}
}

func TestRememberedValuesBelongToTheirContext(t *testing.T) {
	r := newRules(t, orderXML)
	// The same expressions occur often enough to be remembered, for different context nodes and trees.
	e := r.compile("for $l in //line return $l/concat(sum(qty[. != 'x']), ':', sum(qty[. != 'x']), ':', count(//line), ':', count(.//id))")
	again := r.compile("for $l in //group/line return $l/concat(sum(qty[. != 'x']), ':', count(//line), ':', count(.//id))")
	m := r.machine(t, r.b.Build())
	r.check(m, e, "(3:3:4:1, 0:0:4:1, 0:0:4:2, 0:0:4:1)")
	r.check(m, again, "0:4:2")
	small, err := xmltree.Parse([]byte(`<line xmlns="urn:n"><qty>5</qty><id/></line>`), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Start(context.Background(), small)
	r.check(m, e, "5:5:1:1")
	m.Start(context.Background(), r.doc)
	r.check(m, e, "(3:3:4:1, 0:0:4:1, 0:0:4:2, 0:0:4:1)")
}

func TestSharedValuesOfLocalVariablesFollowTheirBinding(t *testing.T) {
	r := newRules(t, orderXML)
	// The sums are the same text with the same depth of binding, several times in one expression and in several expressions.
	r.variable("lines", "//line", "", PerDocument)
	sum := "sum($lines[number(@no) <= $n]/price[. castable as xs:decimal]/xs:decimal(.))"
	a := r.compile("for $n in (1, 2, 3) return (" + sum + ", " + sum + " + 1)")
	b := r.compile("for $n in (3, 1) return (" + sum + " * 2, for $m in (1, 2) return $m * " + sum + ", " + sum + ")")
	c := r.compile("some $n in (0, 3) satisfies " + sum + " > 10.5 and " + sum + " < 11")
	r.function("upTo", "xs:decimal", "if ($n > 3) then 0 else "+sum+" + u:upTo($n + 1) - "+sum+" + "+sum, Param{"n", "xs:integer"})
	d := r.compile("u:upTo(1), for $n in (1, 2) return u:upTo($n + 1) + " + sum)
	m := r.machine(t, r.b.Build())
	r.check(m, a, "(10.5, 11.5, 10.5, 11.5, 10.6, 11.6)")
	r.check(m, b, "(21.2, 10.6, 21.2, 10.6, 21, 10.5, 21, 10.5)")
	r.check(m, c, "true")
	r.check(m, d, "(31.6, 31.6, 21.1)")
}

func TestNamesThatAppearInLaterDocuments(t *testing.T) {
	r := newRules(t, orderXML)
	e := r.compile("count(//line), count(//late), count(//@late)")
	p := r.b.Build()
	m := r.machine(t, p)
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`<a xmlns="urn:n"><line/></a>`, "(1, 0, 0)"},
		{`<a xmlns="urn:n"><late/><b late=""/></a>`, "(0, 1, 1)"},
		{`<a xmlns="urn:n"><line/><late/></a>`, "(1, 1, 0)"},
	} {
		doc, err := parser.Parse([]byte(c[0]))
		if err != nil {
			t.Fatal(err)
		}
		m.Start(context.Background(), doc)
		r.check(m, e, c[1])
	}
}

func TestLongListsOfOperandsAreCompiled(t *testing.T) {
	var codes []string
	for i := range 3000 {
		codes = append(codes, fmt.Sprintf("@no = 'c%d'", i))
	}
	x := newFixture(t, orderXML)
	x.table(t, [][2]string{{"//line[" + strings.Join(codes, " or ") + " or @no = '2']/@no/string()", "2"}})
}
