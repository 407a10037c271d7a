package mapping

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// source is a document with the plan of its document element.
type source struct {
	plan   *plan
	doc    *xmltree.Document
	root   xmltree.Node
	names  *xmltree.Translation
	values []string // of the plan's variables: known before the walk, wherever the document states them
}

// ErrElement says that a document element, by its name and namespace, is not one that the table has.
var ErrElement = errors.New("the document element is not one of this syntax")

// open finds the plan for a document, that of its specification before that of its element; the error is that of a document
// element that is not one of the syntax.
func (c *compiled) open(doc *xmltree.Document) (source, error) {
	s := source{doc: doc, root: doc.Root(), names: c.words.For(doc)}
	best := noFit
	for _, p := range c.plans {
		if s.number(s.root) != p.tree.name {
			continue
		}
		if fit := s.follows(p); fit > best {
			s.plan, best = p, fit
		}
	}
	if s.plan == nil {
		return s, fmt.Errorf("read <%s>: %w", doc.QName(s.root), ErrElement)
	}
	s.values = make([]string, len(s.plan.statements))
	for i := range s.values {
		s.values[i] = s.stated(s.plan, i)
	}
	return s, nil
}

// number is that of a node's name in the plan, 0 for a name that the plan does not know.
func (s *source) number(n xmltree.Node) uint32 { return s.names.Number(s.doc.Name(n)) }

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
	for i, called := range parent.called {
		if called != name {
			continue
		}
		if c := parent.children[i]; s.passes(c, el) {
			return c
		}
	}
	return nil
}

// passes holds an element against the predicates of a row. They may ask for variables, whose values are therefore known
// before the walk.
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
func (s *source) holds(n xmltree.Node, value constant) (found, equal bool) {
	text := s.doc.Value(n)
	want := value.in(s.values)
	return !blank(text), want != "" && sameConstant(string(text), want)
}

// sameConstant compares with a constant of the table; codes are compared without regard to case, as the rules do it.
func sameConstant(text, want string) bool {
	text = trimmed(text)
	if strings.EqualFold(text, want) {
		return true
	}
	a, okA := parseIndicator(text)
	b, okB := parseIndicator(want)
	return okA && okB && a == b
}
