package xpath

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"einvoiced/core/xmltree"
)

// TestPatterns checks which nodes match a pattern, against the definition: those that the expression gives from any node,
// and that a selector finds the same.
func TestPatterns(t *testing.T) {
	for _, c := range [][2]string{
		{"line", "/o:order/line[1] /o:order/line[2] /o:order/group/line /o:order/group/line/line"},
		{"o:order", "/o:order"},
		{"/", "/"},
		{"/o:order", "/o:order"},
		{"/line", ""},
		{"/o:order/line", "/o:order/line[1] /o:order/line[2]"},
		{"//line/id", "/o:order/line[1]/id /o:order/line[2]/id /o:order/group/line/id /o:order/group/line/line/id"},
		{"group//id", "/o:order/group/line/id /o:order/group/line/line/id"},
		{"group/line | o:total", "/o:order/group/line /o:order/o:total"},
		{"//@cur", "/o:order/line[1]/price/@cur /o:order/line[2]/price/@cur"},
		{"line/@no[. = '2']", "/o:order/line[2]/@no"},
		{"@*[name() = 'id']", "/o:order/@id"},
		{"*[ends-with(name(), 'total')]", "/o:order/o:total"},
		{"o:order[group]/line/id", "/o:order/line[1]/id /o:order/line[2]/id"},
		{"line[@no = '2' or ../../group]/id", "/o:order/line[2]/id /o:order/group/line/id"},
		{"//*[ends-with(name(), 'ine') and @no = '2' and not(ancestor::group)]", "/o:order/line[2]"},
		{"//*[not(*) and not(normalize-space())]", "/o:order/empty"},
		{"line[id = 'B2'][qty]", "/o:order/line[2]"},
		{"line[1]", "/o:order/line[1] /o:order/group/line /o:order/group/line/line"},
		{"line[last()]/id", "/o:order/line[2]/id /o:order/group/line/id /o:order/group/line/line/id"},
		{"(line | group)[@no = '1' or line]/(id | line)/id", "/o:order/group/line/id /o:order/group/line/line/id"},
		{"(//line)[2]", "/o:order/line[2]"},
		{"text()[. = 'C']", "/o:order/group/line/line/id/text()"},
		{"comment() | processing-instruction()", "/processing-instruction(pi) /o:order/line[2]/comment()"},
		{"id/..", "/o:order/line[1] /o:order/line[2] /o:order/group/line /o:order/group/line/line"},
		{"node()[self::o:total]", "/o:order/o:total"},
		{"*:empty/self::empty", "/o:order/empty"},
		{"line except group//line", "/o:order/line[1] /o:order/line[2] /o:order/group/line /o:order/group/line/line"},
		{"*[line] except o:order", "/o:order/group /o:order/group/line"},
		{"//descendant-or-self::line[@no = '3a']", "/o:order/group/line/line"},
		{"line[$yes]", "/o:order/line[1] /o:order/line[2] /o:order/group/line /o:order/group/line/line"},
	} {
		r := newRules(t, orderXML)
		r.variable("yes", "exists(//o:total)", "", PerDocument)
		p, err := r.b.CompilePattern(c[0], r.static)
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		definition := r.compile("/descendant-or-self::node()/(" + c[0] + ")")
		selector := r.b.Select([][]*Pattern{{p}})
		m := r.machine(t, r.b.Build())
		items, err := definition.Items(m, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, i := range items {
			_, n := NodeOf(i)
			want = append(want, r.doc.Path(n))
		}
		for n := range xmltree.Node(r.doc.Len()) {
			matches, err := p.Matches(m, n)
			if err != nil {
				t.Fatal(err)
			}
			if selected, err := selector.Matches(m, n, nil); err != nil || (len(selected) == 1) != matches {
				t.Errorf("%s: selected %v, %v at %s, matches %v", c[0], selected, err, r.doc.Path(n), matches)
			}
			if matches {
				got = append(got, r.doc.Path(n))
			}
		}
		if text := strings.Join(got, " "); text != c[1] || !slices.Equal(got, want) {
			t.Errorf("%s\n got %s\nwant %s\nby definition %s", c[0], text, c[1], want)
		}
	}
}

func TestAPatternMustGiveNodes(t *testing.T) {
	r := newRules(t, orderXML)
	if _, err := r.b.CompilePattern("1", r.static); Code(err) != "XPTY0004" {
		t.Errorf("a number as pattern: %v", err)
	}
}

func TestErrorInPattern(t *testing.T) {
	r := newRules(t, orderXML)
	p, err := r.b.CompilePattern("line[xs:integer(@no) > 0]", r.static)
	if err != nil {
		t.Fatal(err)
	}
	m := r.machine(t, r.b.Build())
	codes := map[string]int{}
	for n := range xmltree.Node(r.doc.Len()) {
		matches, err := p.Matches(m, n)
		codes[fmt.Sprint(matches, Code(err))]++
	}
	if codes["true"] != 3 || codes["falseFORG0001"] != 1 {
		t.Errorf("%v", codes)
	}
}
