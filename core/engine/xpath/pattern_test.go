package xpath

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
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

// TestPatternsFollowTheDefinition matches random patterns, alone and by a Selector, and compares with the definition.
func TestPatternsFollowTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawDocument(t)
		b := NewBuilder()
		var sources []string
		var group []*Pattern
		var definitions []*Expr
		for range 3 {
			source := rapid.SampledFrom([]string{"", "/", "//"}).Draw(t, "start")
			for i := range rapid.IntRange(1, 3).Draw(t, "steps") {
				if i > 0 {
					source += rapid.SampledFrom([]string{"/", "//"}).Draw(t, "slash")
				}
				source += stepText(genAxis.Draw(t, "axis"), genTest.Draw(t, "test"),
					rapid.SampledFrom([]string{"", "", "", "[@x]", "[1]", "[name() = 'a']", "[.//b]", "[string(@x) = '1']", "[string(@x) = '2'][@y]",
						"[not(ancestor::a)]", "[parent::b or self::a]", "[exists(../ancestor-or-self::b)][@x]", "[ends-with(name(), 'b')]"}).Draw(t, "predicate"))
			}
			p, err := b.CompilePattern(source, &Static{})
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			e, err := b.Compile("/descendant-or-self::node()/("+source+")", &Static{NodeContext: true})
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			sources, group, definitions = append(sources, source), append(group, p), append(definitions, e)
		}
		selector := b.Select([][]*Pattern{group})
		m, err := b.Build().NewMachine(Config{})
		if err != nil {
			t.Fatal(err)
		}
		m.Start(context.Background(), doc)
		first := make([]int, doc.Len())
		for i := len(group) - 1; i >= 0; i-- {
			items, err := definitions[i].Items(m, 0, nil)
			if err != nil {
				t.Fatalf("%s: %v", sources[i], err)
			}
			for n := range xmltree.Node(doc.Len()) {
				want := slices.ContainsFunc(items, func(i xdm.Item) bool { _, at := NodeOf(i); return at == n })
				if got, err := group[i].Matches(m, n); err != nil || got != want {
					t.Fatalf("%s at %d of %s: %v, %v, want %v", sources[i], n, doc.Source(), got, err, want)
				}
				if want {
					first[n] = i + 1
				}
			}
		}
		for n, want := range first {
			got, err := selector.Matches(m, xmltree.Node(n), nil)
			if err != nil || len(got) != min(want, 1) || want > 0 && got[0].Index != want-1 {
				t.Fatalf("%q at %d of %s: %v, %v, want %d", sources, n, doc.Source(), got, err, want-1)
			}
		}
	})
}

// TestSelectorsTellKindsOfNodesApart pins that an attribute, an element and an instruction of one name are matched each by its own
// patterns, whichever comes first, and that prefixes count only for patterns that ask for them.
func TestSelectorsTellKindsOfNodesApart(t *testing.T) {
	r := newRules(t, `<a id="" xmlns:p="urn:p" xmlns:q="urn:p"><id/><?id x?><p:b/><q:b/><p:b/><c><id/></c></a>`)
	r.static.Namespaces["p"], r.static.DefaultElement = "urn:p", ""
	sources := []string{"@id", "id", "processing-instruction('id')", "p:b", "*[starts-with(name(), 'q:')]", "c/id"}
	var groups [][]*Pattern
	for _, s := range sources {
		p, err := r.b.CompilePattern(s, r.static)
		if err != nil {
			t.Fatal(err)
		}
		groups = append(groups, []*Pattern{p})
	}
	selector := r.b.Select(groups)
	m := r.machine(t, r.b.Build())
	var got []string
	for n := range xmltree.Node(r.doc.Len()) {
		matches, err := selector.Matches(m, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range matches {
			got = append(got, r.doc.Path(n)+" "+sources[match.Group])
		}
	}
	want := []string{"/a/@id @id", "/a/id id", "/a/processing-instruction(id) processing-instruction('id')", "/a/p:b[1] p:b",
		"/a/q:b[2] p:b", "/a/q:b[2] *[starts-with(name(), 'q:')]", "/a/p:b[3] p:b", "/a/c/id id", "/a/c/id c/id"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
