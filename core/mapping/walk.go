package mapping

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// source is a document with the plan of its document element.
type source struct {
	plan  *plan
	doc   *xmltree.Document
	root  xmltree.Node
	names *xmltree.Translation
	// The currencies, which predicates compare with: known before the walk, wherever the document states them.
	currency, taxCurrency string
}

// open finds the plan for a document, that of its specification before that of its element; the error is that of a document
// element that is not one of the syntax.
func (m *Mapping) open(doc *xmltree.Document) (source, error) {
	s := source{doc: doc, root: doc.Root(), names: m.words.For(doc)}
	for _, p := range m.plans {
		if s.number(s.root) == p.tree.name && s.follows(p) {
			s.plan = p
		}
	}
	if s.plan == nil {
		return s, fmt.Errorf("read <%s>: the document element is not one of this syntax", doc.QName(s.root))
	}
	s.findCurrencies()
	return s, nil
}

// follows tells whether a document with the element of a plan states the specification that the plan is for, if it is for one.
func (s *source) follows(p *plan) bool {
	want := p.table.Roots[p.root].Specification
	if want == "" {
		return true
	}
	states := func(c *node) bool { return c.constant == Specification }
	if i := slices.IndexFunc(p.tree.children, states); i >= 0 {
		for c := range elements(s.doc, s.root) {
			if s.number(c) == p.tree.children[i].name {
				return strings.TrimFunc(s.doc.String(c), isXMLSpace) == want
			}
		}
	}
	return false
}

// number is that of a node's name in the plan, 0 for a name that the plan does not know.
func (s *source) number(n xmltree.Node) uint32 { return s.names.Number(s.doc.Name(n)) }

// findCurrencies reads the members currency and taxCurrencyCode, where rows of the root have them.
func (s *source) findCurrencies() {
	members := map[string]*string{"currency": &s.currency, "taxCurrencyCode": &s.taxCurrency}
	wanted := map[uint32]*string{}
	for _, c := range s.plan.tree.children {
		if c.leaf != nil && members[c.leaf.name] != nil {
			wanted[c.name] = members[c.leaf.name]
		}
	}
	for c := range elements(s.doc, s.root) {
		if to := wanted[s.number(c)]; to != nil && *to == "" {
			*to = strings.TrimFunc(s.doc.String(c), isXMLSpace)
		}
	}
}

// children walks the children of a node.
func children(doc *xmltree.Document, n xmltree.Node) iter.Seq[xmltree.Node] {
	return func(yield func(xmltree.Node) bool) {
		for c, end := doc.Children(n); c < end; c = doc.End(c) {
			if !yield(c) {
				return
			}
		}
	}
}

// elements walks the children of a node that are elements.
func elements(doc *xmltree.Document, n xmltree.Node) iter.Seq[xmltree.Node] {
	return func(yield func(xmltree.Node) bool) {
		for c := range children(doc, n) {
			if doc.Kind(c) == xmltree.KindElement && !yield(c) {
				return
			}
		}
	}
}

// attributes walks the attributes of an element.
func attributes(doc *xmltree.Document, n xmltree.Node) iter.Seq[xmltree.Node] {
	return func(yield func(xmltree.Node) bool) {
		first, count := doc.Attributes(n)
		for a := first; a < first+xmltree.Node(count); a++ {
			if !yield(a) {
				return
			}
		}
	}
}

// match chooses the row for an element.
func (s *source) match(parent *node, el xmltree.Node) *node {
	name := s.number(el)
	if name == 0 {
		return nil
	}
	for _, c := range parent.children {
		if c.name == name && s.passes(c, el) {
			return c
		}
	}
	return nil
}

func (s *source) passes(n *node, el xmltree.Node) bool {
	for i := range n.tests {
		if !s.test(&n.tests[i], el) {
			return false
		}
	}
	return true
}

// test decides a predicate on an element.
func (s *source) test(t *test, el xmltree.Node) bool {
	found, equal := s.search(t, el, t.path)
	switch t.op {
	case '=':
		return equal
	case '!':
		return !equal
	case '?':
		return found
	}
	return !found
}

// search looks for the nodes of a predicate: whether there is one that says something, and whether one equals the value.
func (s *source) search(t *test, el xmltree.Node, path []uint32) (found, equal bool) {
	if len(path) == 0 {
		return s.compare(t, el)
	}
	for c := range elements(s.doc, el) {
		if s.number(c) == path[0] {
			f, e := s.search(t, c, path[1:])
			found, equal = found || f, equal || e
		}
	}
	return found, equal
}

func (s *source) compare(t *test, el xmltree.Node) (found, equal bool) {
	if t.attr == 0 {
		return s.holds(el, t.value)
	}
	for a := range attributes(s.doc, el) {
		if s.number(a) == t.attr {
			return s.holds(a, t.value)
		}
	}
	return false, false
}

// holds tells whether a node says something, and whether it says what a predicate wants.
func (s *source) holds(n xmltree.Node, value string) (found, equal bool) {
	text := s.doc.Value(n)
	want := s.variable(value)
	return !blank(text), want != "" && sameConstant(string(text), want)
}

// sameConstant compares with a constant of the table; codes are compared without regard to case, as the rules do it.
func sameConstant(text, want string) bool {
	text = strings.TrimFunc(text, isXMLSpace)
	if strings.EqualFold(text, want) {
		return true
	}
	a, okA := parseIndicator(text)
	b, okB := parseIndicator(want)
	return okA && okB && a == b
}

// variable resolves what a predicate or constant names.
func (s *source) variable(c string) string {
	switch c {
	case Currency:
		return s.currency
	case TaxCurrency:
		return s.taxCurrency
	}
	return c
}
