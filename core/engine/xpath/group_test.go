package xpath

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

func TestGroupsGiveWhatTheirTestsGive(t *testing.T) {
	sources := []string{
		"line", "not(line)", "line/id", "not(line/absent)", "exists(group/line/line)", "empty(group/line/qty)", "boolean(o:total)",
		"not(not(line/@no))", "not(line/@absent)", "line/(id | absent)", "(group | absent)/line/@no", "exists(line/price/@cur)",
		"not(exists(empty/@x)) ", "@id", "not(@id)", "line[1]", "count(line) = 2", "xs:integer(o:total) = 42", "error()", "not(empty)",
		"line/id/text()", "not(absent) and line", "@id/x", "not(@id/x)", "*:line", "line | absent", "exists((line, 1))", "xs:integer(line[2]/qty) > 0",
		"true()", "not(./line)", "count(line) <= 1", "count(line) <= 2", "not(count(line/id) > 1)", "count((line | line)/id) < 3", "count(@id) = 0", "count(absent) != 0", "count(group) >= 1", "count(line) = 1", ".", "not(. | line)", "empty(line) or error()",
	}
	for _, want := range []bool{true, false} {
		r := newRules(t, orderXML)
		var tests []Test
		for _, s := range sources {
			tests = append(tests, Test{r.compile(s), want})
		}
		g := r.b.Group(tests)
		m := r.machine(t, r.b.Build())
		if len(g.trie.items) < 15 {
			t.Errorf("only %d tests are made in one walk", len(g.trie.items))
		}
		for n := range xmltree.Node(r.doc.Len()) {
			got, err := g.Run(m, n, nil)
			if err != nil {
				t.Fatal(err)
			}
			var expected []Outcome
			for i, test := range tests {
				value, err := test.Expr.Bool(m, n)
				if err != nil || value != want {
					expected = append(expected, Outcome{i, err})
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(expected) {
				t.Errorf("at %s, wanting %v:\n got %v\nwant %v", r.doc.Path(n), want, got, expected)
			}
		}
	}
}

func TestSmallGroupsAreEvaluatedOneByOne(t *testing.T) {
	r := newRules(t, orderXML)
	g := r.b.Group([]Test{{r.compile("line"), true}, {r.compile("o:order"), true}})
	m := r.machine(t, r.b.Build())
	if got, err := g.Run(m, 0, nil); err != nil || len(got) != 1 || got[0].Index != 0 || g.trie != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestGroupEndsWithItsContext(t *testing.T) {
	r := newRules(t, orderXML)
	g := r.b.Group([]Test{{r.compile("some $x in 1 to 100000000000 satisfies $x < 0"), true}, {r.compile("1"), false}})
	m := r.machine(t, r.b.Build())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m.Start(ctx, r.doc)
	if _, err := g.Run(m, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSelectorGivesTheFirstMatchOfEachGroup(t *testing.T) {
	groups := [][]string{
		{"line[@no = '2']", "line", "*[line]", "/", "@no"},
		{"//*[ends-with(name(), 'total')]", "o:*", "id | qty", "*[local-name() = 'price' and @cur]", "price", "node()"},
		{"line[xs:integer(@no) > 1]", "line | text()", "//line/@no", "(//id)[2]", "comment()"},
		{"/o:order/*", "group/line/descendant-or-self::*", "*:empty"},
		{"*[name() = 'o:order'][line]", "*[not(contains(name(), ':'))][string-length(name()) > 4]"},
	}
	r := newRules(t, orderXML)
	var patterns [][]*Pattern
	for _, group := range groups {
		var list []*Pattern
		for _, source := range group {
			p, err := r.b.CompilePattern(source, r.static)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, p)
		}
		patterns = append(patterns, list)
	}
	s := r.b.Select(patterns)
	m := r.machine(t, r.b.Build())
	for n := range xmltree.Node(r.doc.Len()) {
		got, err := s.Matches(m, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []Match
		for i, list := range patterns {
			for j, p := range list {
				matches, err := p.Matches(m, n)
				if err != nil {
					want = append(want, Match{i, j, err})
				}
				if matches {
					want = append(want, Match{Group: i, Index: j})
					break
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at %s:\n got %v\nwant %v", r.doc.Path(n), got, want)
		}
	}
}

func TestSelectorKnowsPrefixes(t *testing.T) {
	r := newRules(t, `<a:x xmlns:a="urn:a" xmlns:b="urn:a"><b:x/><a:x/><b:x/></a:x>`)
	p, err := r.b.CompilePattern("*[starts-with(name(), 'b:')]", r.static)
	if err != nil {
		t.Fatal(err)
	}
	s := r.b.Select([][]*Pattern{{p}})
	m := r.machine(t, r.b.Build())
	var matching []xmltree.Node
	for n := range xmltree.Node(r.doc.Len()) {
		if got, err := s.Matches(m, n, nil); err == nil && len(got) == 1 {
			matching = append(matching, n)
		}
	}
	if fmt.Sprint(matching) != "[2 4]" {
		t.Errorf("%v", matching)
	}
	var each []xmltree.Node
	err = s.Each(m, func(n xmltree.Node, _ []Match) error {
		each = append(each, n)
		return nil
	})
	if err != nil || !slices.Equal(each, matching) {
		t.Errorf("each of %v: %v", each, err)
	}
}
