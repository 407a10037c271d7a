package schematron

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

func compiled(t testing.TB, fsys fs.FS, name string) *Program {
	t.Helper()
	set, err := Read(fsys, name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(set, fsys, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parsed(t testing.TB, text string) *xmltree.Document {
	t.Helper()
	doc, err := xmltree.Parse([]byte(text), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// said puts a verdict in words: each finding with count and messages, each assertion that was not run with its code.
func said(v *Verdict) []string {
	var words []string
	for _, f := range v.Fired {
		words = append(words, fmt.Sprintf("%s ×%d: %s", f.Assertion.Key, f.Count, strings.Join(f.Messages, " | ")))
	}
	for _, n := range v.NotRun {
		words = append(words, fmt.Sprintf("%s not run: %s", n.Assertion.Key, n.Code))
	}
	return words
}

const order = `<order no="7"><line qty="2" price="3"/><line qty="0" price="5"/><total>6</total><empty/></order>`

// TestEvaluate_DoesWhatSchematronSays has a row for each construct: rules in a schema, and what they say of the order.
func TestEvaluate_DoesWhatSchematronSays(t *testing.T) {
	rows := map[string]struct {
		schema string
		want   []string
	}{
		"the same test means in each rule what its variables are there, and the rule set's elsewhere": {
			`<let name="x" value="1"/><pattern><rule context="line"><assert id="A" test="$x = 1">{$x}</assert><let name="x" value="2"/><assert id="B" test="$x = 1"><value-of select="$x"/></assert></rule>
			<rule context="total"><assert id="C" test="$x = 2"><value-of select="$x"/></assert></rule><rule context="empty"><report id="D" test="$x = 1"><value-of select="$x"/></report></rule></pattern>`,
			[]string{"B ×2: 2 | 2", "C ×1: 1", "D ×1: 1"},
		},
		"an assertion fires when it is false, a report when it is true": {
			`<pattern><rule context="line"><assert id="a" test="@qty > 0">no</assert><report id="r" test="@qty = 0">yes</report></rule></pattern>`,
			[]string{"a ×1: no", "r ×1: yes"}},
		"a node fires the first rule that matches, in each pattern": {
			`<pattern><rule context="line[@qty = 0]"><assert id="a" test="false()">zero</assert></rule><rule context="line"><assert id="b" test="false()">other</assert></rule></pattern>
			 <pattern><rule context="line"><assert id="c" test="false()">all</assert></rule></pattern>`,
			[]string{"a ×1: zero", "b ×1: other", "c ×2: all | all"}},
		"contexts are attributes, the root and unions, too": {
			`<pattern><rule context="/"><assert id="d" test="false()">root</assert></rule><rule context="@no | total"><assert id="u" test="false()"><name/></assert></rule></pattern>`,
			[]string{"d ×1: root", "u ×2: no | total"}},
		"variables are evaluated where they are declared": {
			`<let name="n" value="count(//line)"/><pattern><let name="m" value="$n * 10"/><rule context="line"><let name="q" value="@qty"/>
			 <assert id="v" test="false()"><value-of select="$n"/>/<value-of select="$m"/>/<value-of select="$q"/></assert></rule></pattern>`,
			[]string{"v ×2: 2/20/2 | 2/20/0"}},
		"a variable that is an error and that nobody asks for is none": {
			`<let name="bad" value="xs:date('x')"/><pattern><rule context="total"><assert id="f" test="false()">fires</assert></rule></pattern>`,
			[]string{"f ×1: fires"}},
		"what cannot be evaluated hides nothing else": {
			`<pattern><rule context="line"><assert id="x" test="xs:decimal(@qty) div 0 = 1">x</assert><assert id="y" test="false()">y</assert></rule></pattern>`,
			[]string{"y ×2: y | y", "x not run: FOAR0001"}},
		"what cannot be compiled hides nothing else": {
			`<pattern><rule context="line"><assert id="x" test="$nowhere">x</assert><assert id="y" test="false()">y</assert></rule></pattern>`,
			[]string{"y ×2: y | y", "x not run: XPST0008"}},
		"a context that cannot be evaluated matches nothing": {
			`<pattern><rule context="line[xs:date(@qty)]"><assert id="x" test="false()">x</assert></rule><rule context="line"><assert id="y" test="false()">y</assert></rule></pattern>`,
			[]string{"y ×2: y | y"}},
		"a message that cannot be made leaves the finding and is told": {
			`<pattern><rule context="total"><assert id="x" test="false()">of <value-of select="xs:date(.)"/>.</assert></rule></pattern>`,
			[]string{"x ×1: of .", "x not run: FORG0001"}},
		"functions are called with conversion of arguments and results": {
			`<ns prefix="u" uri="urn:u"/><xsl:function name="u:twice" as="xs:integer" xmlns:xs="http://www.w3.org/2001/XMLSchema"><xsl:param name="n" as="xs:integer"/><xsl:variable name="d" select="$n * 2"/><xsl:value-of select="$d"/></xsl:function>
			 <pattern><rule context="total"><assert id="x" test="u:twice(.) = 13"><value-of select="u:twice(.) + 1"/></assert></rule></pattern>`,
			[]string{"x ×1: 13"}},
		"functions see the variables of the rule set, wherever they are declared": {
			`<ns prefix="u" uri="urn:u"/><let name="first" value="count(//line)"/>
			 <xsl:function name="u:more"><xsl:param name="n"/><xsl:sequence select="$n + $first + $second"/></xsl:function>
			 <let name="second" value="10"/><let name="third" value="u:more(100)"/>
			 <pattern><let name="own" value="1"/><rule context="total"><assert id="x" test="u:more(1) = 0"><value-of select="u:more(1)"/> and <value-of select="$third"/></assert></rule></pattern>`,
			[]string{"x ×1: 13 and 112"}},
		"a variable that a function needs for its value is an error, and no other": {
			`<ns prefix="u" uri="urn:u"/><let name="a" value="u:f()"/><xsl:function name="u:f"><xsl:sequence select="$a"/></xsl:function>
			 <pattern><rule context="total"><assert id="x" test="$a">x</assert><assert id="y" test="false()">y</assert></rule></pattern>`,
			[]string{"y ×1: y", "x not run: XTDE0640"}},
		"current() is the node of the rule": {
			`<pattern><rule context="line"><assert id="x" test="not(//line[@qty = current()/@qty][@price = 5])">x</assert></rule></pattern>`,
			[]string{"x ×1: x"}},
		"code lists are looked up beside the rules": {
			`<pattern><rule context="order"><assert id="x" test="document('codes.xml')/codes/code[@v = current()/@no]">no code</assert>
			 <assert id="y" test="document('codes.xml')/codes/code[@v = '9']">no nine</assert></rule></pattern>`,
			[]string{"y ×1: no nine"}},
		"nothing outside the rules is read": {
			`<pattern><rule context="order"><assert id="x" test="document('../outside.xml')">x</assert></rule></pattern>`,
			[]string{"x not run: FODC0002"}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, files("rules.sch", schema(row.schema), "codes.xml", `<codes><code v="7"/></codes>`), "rules.sch")
			v, err := p.Evaluate(context.Background(), parsed(t, order), EvaluateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(row.want, said(v)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestEvaluate_CountsAllAndKeepsSome ensures that every firing counts and that only so many nodes are kept.
func TestEvaluate_CountsAllAndKeepsSome(t *testing.T) {
	p := compiled(t, files("r.sch", schema(`<pattern><rule context="a"><assert id="x" test="false()">no</assert></rule></pattern>`)), "r.sch")
	v, err := p.Evaluate(context.Background(), parsed(t, "<b>"+strings.Repeat("<a/>", 500)+"</b>"), EvaluateOptions{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	if f := v.Fired[0]; f.Count != 500 || len(f.Nodes) != 3 || len(f.Messages) != 3 || f.Nodes[0] >= f.Nodes[1] {
		t.Errorf("%d firings, nodes %v, messages %q", f.Count, f.Nodes, f.Messages)
	}
}

// TestEvaluate_TakesItsClockFromOutside ensures that today is what the caller says, also in memory that was used before.
func TestEvaluate_TakesItsClockFromOutside(t *testing.T) {
	p := compiled(t, files("r.sch", schema(`<pattern><rule context="a"><assert id="x" test="false()"><value-of select="current-date()"/></assert></rule></pattern>`)), "r.sch")
	for _, day := range []int{1, 2, 2} {
		now := time.Date(2026, 9, day, 0, 0, 0, 0, time.UTC)
		v, err := p.Evaluate(context.Background(), parsed(t, "<a/>"), EvaluateOptions{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Fired[0].Messages[0], fmt.Sprintf("2026-09-%02dZ", day); got != want {
			t.Errorf("today is %s, want %s", got, want)
		}
	}
}

// TestEvaluate_EndsWithItsContext ensures that a caller who has gone does not keep a processor busy.
func TestEvaluate_EndsWithItsContext(t *testing.T) {
	p := compiled(t, files("r.sch", schema(`<pattern><rule context="a"><assert id="x" test="count(for $i in 1 to 1000000, $j in 1 to 1000000 return $i) = 1">x</assert></rule></pattern>`)), "r.sch")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Evaluate(ctx, parsed(t, "<a/>"), EvaluateOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if v, err := p.Evaluate(context.Background(), parsed(t, "<b/>"), EvaluateOptions{}); err != nil || len(v.Fired)+len(v.NotRun) > 0 {
		t.Errorf("afterwards: %v, error %v", v, err)
	}
}

// TestEvaluate_BoundsWhatARuleMayCost ensures that endless recursion and endless work make a rule not run.
func TestEvaluate_BoundsWhatARuleMayCost(t *testing.T) {
	p := compiled(t, files("r.sch", schema(`<ns prefix="u" uri="urn:u"/><xsl:function name="u:f"><xsl:param name="n"/><xsl:sequence select="u:f($n + 1)"/></xsl:function>
		<pattern><rule context="a"><assert id="deep" test="u:f(1)">x</assert><assert id="wide" test="count(for $i in 1 to 100000000, $j in 1 to 100000000 return $j) = 1">x</assert><assert id="ok" test="false()">ok</assert></rule></pattern>`)), "r.sch")
	v, err := p.Evaluate(context.Background(), parsed(t, "<a/>"), EvaluateOptions{Steps: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Fired) != 1 || v.Fired[0].Assertion.ID != "ok" || len(v.NotRun) != 2 {
		t.Errorf("verdict %q", said(v))
	}
}

// TestEvaluate_IsSafeForConcurrentUse ensures that one program judges many documents at a time.
func TestEvaluate_IsSafeForConcurrentUse(t *testing.T) {
	p := compiled(t, files("r.sch", schema(`<let name="n" value="count(//line)"/><pattern><rule context="line"><assert id="x" test="$n = 0"><value-of select="$n"/></assert></rule></pattern>`)), "r.sch")
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			doc := parsed(t, "<o>"+strings.Repeat("<line/>", worker+1)+"</o>")
			for range 50 {
				v, err := p.Evaluate(context.Background(), doc, EvaluateOptions{})
				if err != nil || v.Fired[0].Count != worker+1 || v.Fired[0].Messages[0] != fmt.Sprint(worker+1) {
					t.Errorf("worker %d: %v, error %v", worker, v, err)
					return
				}
			}
		})
	}
	group.Wait()
}
