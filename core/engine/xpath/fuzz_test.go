package xpath

import (
	"context"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// effective is the effective boolean value of items, by the letter of the standard; false when there is none.
func effective(m *Machine, items []xdm.Item) (value, ok bool) {
	if len(items) > 1 && items[0].Type() != xdm.Node {
		return false, false
	}
	if len(items) == 0 {
		return false, true
	}
	t := items[0].Type()
	if t != xdm.Node && t != xdm.Boolean && !t.IsText() && !t.IsNumeric() {
		return false, false
	}
	return m.truthOf(items[0]), true
}

// FuzzEvaluate evaluates any expression within small limits, in all forms, which must agree with each other.
func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{
		"//line[id = 'B2'][2]/../@no", "for $x in (1, 2)[. > 1] return $x + last()", "some $l in //line satisfies $l/id = //id",
		"every $i in //line[@no = '1' or @no = '2' or @no = '3' or @no = '4'] satisfies sum($i/price) > 1", "tokenize('a b', '\\s')[2]",
		"(//line | //id)[position() = last()] except //group//*", "if (//qty castable as xs:integer) then 1 to 3 else ()",
		"contains(' A B C D E ', concat(' ', normalize-space((//id)[2]), ' '))", "xs:date('2026-01-01') + xs:dayTimeDuration('P1D')",
		"count(//line) <= 3", "not(exists(//line/absent)) and //line/following::id[1]", "document('x')//a", "(//line/id treat as item()+)[1] cast as xs:string?",
		"sum(//price[. != '1e1']/xs:decimal(.)) div 3", "-//qty[1] idiv 0", "string-join(reverse(//id), ',')", "//line/(id, 1)", "error()", "./.",
		"tokenize(' " + strings.Repeat("&", 1100) + "', '\\s')[2]", // of which some forms pass the limit of steps and others do not
	} {
		f.Add(s)
	}
	doc, err := xmltree.Parse([]byte(orderXML), xmltree.Options{})
	if err != nil {
		f.Fatal(err)
	}
	static := &Static{Namespaces: map[string]string{"o": "urn:o"}, DefaultElement: "urn:n", XSLT: true}
	f.Fuzz(func(t *testing.T, source string) {
		b := NewBuilder()
		e, err := b.Compile(source, static)
		if err != nil {
			if Code(err) == "" {
				t.Fatalf("%q: %v", source, err)
			}
			return
		}
		pattern, patternErr := b.CompilePattern(source, static)
		g := b.Group([]Test{{e, true}, {e, false}, {e, true}})
		m, err := b.Build().NewMachine(Config{Steps: 20_000, Depth: 20, Items: 2_000})
		if err != nil {
			t.Fatal(err)
		}
		m.Start(context.Background(), doc)
		for n := range xmltree.Node(12) {
			agree(t, m, e, g, n, source)
			if patternErr == nil {
				if _, err := pattern.Matches(m, n); err != nil && Code(err) == "" {
					t.Fatalf("%q as pattern: %v", source, err)
				}
			}
		}
	})
}

// agree checks that the forms of an expression agree at a node.
func agree(t *testing.T, m *Machine, e *Expr, g *Group, n xmltree.Node, source string) {
	t.Helper()
	items, err := e.Items(m, n, nil)
	if err == nil {
		if err := contradiction(e, items); err != nil {
			t.Fatalf("%q at %d: %v", source, n, err)
		}
	}
	truth, truthErr := e.Bool(m, n)
	if want, ok := effective(m, items); err == nil && (!ok && truthErr == nil || ok && (truthErr != nil || truth != want)) {
		if Code(truthErr) != "XPDY0130" {
			t.Fatalf("%q at %d: %s, but as truth value %v, %v", source, n, itemsText(items), truth, truthErr)
		}
	}
	if _, textErr := e.Text(m, n); (textErr == nil) != (err == nil) && Code(textErr) != "XPDY0130" && Code(err) != "XPDY0130" {
		t.Fatalf("%q at %d: items %v, text %v", source, n, err, textErr)
	}
	outcomes, err := g.Run(m, n, nil)
	if err != nil {
		t.Fatalf("%q at %d: %v", source, n, err)
	}
	fails := truthErr != nil
	for _, o := range outcomes {
		if (o.Err != nil) != fails && Code(o.Err) != "XPDY0130" && Code(truthErr) != "XPDY0130" {
			t.Fatalf("%q at %d: group %v, alone %v", source, n, outcomes, truthErr)
		}
		if o.Err == nil && truthErr == nil && (o.Index == 1) != truth {
			t.Fatalf("%q at %d: group %v, alone %v", source, n, outcomes, truth)
		}
	}
}
