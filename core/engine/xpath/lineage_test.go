package xpath

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// selectorSources are patterns that names decide wholly, in part and not at all.
var selectorSources = []string{
	"/a/b/c", "a//c[not(ancestor::b/ancestor::b)]", "b[c]/a", "//*[parent::a and not(*)]", "c[@n]/b/c", "*[ends-with(name(), 'c')]/@n",
	"/a/*[name() = 'p:b']", "//b[starts-with(local-name(), 'b')][ancestor-or-self::c]", "a[b]//b[not(normalize-space())]", "text()[parent::c]",
	"b[not(ancestor::late)]", "//*[not(*) and not(normalize-space())]", "c[ancestor-or-self::late or ../../a]",
}

// agreeOnMatches compares what a selector finds in a document with each pattern by itself.
func agreeOnMatches(t *testing.T, m *Machine, s *Selector, patterns []*Pattern, doc *xmltree.Document) {
	t.Helper()
	m.Start(context.Background(), doc)
	each := map[xmltree.Node][]int{}
	err := s.Each(m, func(n xmltree.Node, list []Match) error {
		for _, match := range list {
			each[n] = append(each[n], match.Group)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range xmltree.Node(doc.Len()) {
		var want []int
		for i, p := range patterns {
			if matches, err := p.Matches(m, n); err != nil {
				t.Fatal(err)
			} else if matches {
				want = append(want, i)
			}
		}
		if !slices.Equal(each[n], want) {
			t.Fatalf("at %s of %.200s: %v, want %v", doc.Path(n), doc.Source(), each[n], want)
		}
	}
}

// selectorOf makes a selector of patterns, each a group of its own.
func selectorOf(t *testing.T, sources []string) (*Machine, *Selector, []*Pattern) {
	t.Helper()
	b := NewBuilder()
	var groups [][]*Pattern
	var patterns []*Pattern
	for _, source := range sources {
		p, err := b.CompilePattern(source, &Static{})
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		groups, patterns = append(groups, []*Pattern{p}), append(patterns, p)
	}
	s := b.Select(groups)
	m, err := b.Build().NewMachine(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m, s, patterns
}

// TestSelectorsRememberPathsNotNodes ensures that what was found for the names of one document holds in the next one, in which the same
// names stand elsewhere or with another prefix.
func TestSelectorsRememberPathsNotNodes(t *testing.T) {
	m, s, patterns := selectorOf(t, selectorSources)
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		`<a><b><c n="1"><b><c>x</c></b></c></b><c/></a>`,
		`<a><c><b><c n="2"/><b>y</b></b></c><b><c/>x</b></a>`,
		`<b><a><b><c>x</c></b></a><d><a><b/></a></d></b>`,
		`<p:a xmlns:p="urn:p"><p:b/></p:a>`,
		`<late><a><b>x</b><b><c/></b></a></late>`,
		`<a><b><c n="1"><b><c>x</c></b></c></b><c/></a>`,
	} {
		doc, err := parser.Parse([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		agreeOnMatches(t, m, s, patterns, doc)
	}
}

// TestSelectorsForgetPaths ensures that documents with more paths than are kept are searched as well, and again.
func TestSelectorsForgetPaths(t *testing.T) {
	m, s, patterns := selectorOf(t, []string{"b/c/d", "d//b[not(ancestor::c)]", "//a[@n]/b", "/a/b/c/d"})
	var b strings.Builder
	var fill func(depth int)
	fill = func(depth int) {
		for i := 0; depth > 0 && i < 4; i++ {
			fmt.Fprintf(&b, `<%c n="">`, 'a'+i)
			fill(depth - 1)
			fmt.Fprintf(&b, "</%c>", 'a'+i)
		}
	}
	b.WriteString("<a>")
	fill(6)
	b.WriteString("</a>")
	doc, err := xmltree.Parse([]byte(b.String()), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		agreeOnMatches(t, m, s, patterns, doc)
	}
	if paths := len(m.doc.words.paths[0].classes); paths > mostPaths+8 {
		t.Errorf("%d paths are kept", paths)
	}
}

// TestStepTable ensures that the table gives each key the number it was first offered, as a map does.
func TestStepTable(t *testing.T) {
	var table stepTable
	for round := range 2 {
		table.clear()
		known := map[uint64]uint32{}
		for i := range uint64(3000) {
			key := (i*i%1500+1)<<32 | i%7
			want, ok := known[key]
			if !ok {
				want = uint32(len(known))
				known[key] = want
			}
			if got, isNew := table.number(key, uint32(len(known)-1)); got != want || isNew == ok {
				t.Fatalf("round %d, key %x: %d, new %v; want %d", round, key, got, isNew, want)
			}
		}
	}
}
