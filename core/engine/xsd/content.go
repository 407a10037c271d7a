package xsd

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// children checks the content of n against the content model of its type. The counters of all open elements lie on one stack.
// It may move while a child is checked, so that it is sliced anew for each step.
func (v *validation) children(n xmltree.Node, t *complexType) {
	base := len(v.counts)
	for range t.model.counters {
		v.counts = append(v.counts, 0)
	}
	walk := walk{v: v, parent: n, typ: t, base: base}
	doc := v.doc
	first, end := doc.Children(n)
	for c := first; c < end && !v.stopped; c = doc.End(c) {
		switch doc.Kind(c) {
		case xmltree.KindElement:
			walk.child(c)
		case xmltree.KindText:
			if !t.mixed && !walk.text && !allBlank(doc.Value(c)) {
				walk.text = true
				v.violation(KindTextNotAllowed, n, "%s holds elements, but no text as here: %s", v.tag(n), quote(trimBlank(doc.Value(c))))
			}
		}
	}
	walk.end()
	v.counts = v.counts[:base]
}

// allBlank tells whether a text is white space, such as most are in front of an element: a line's end and an indentation.
func allBlank(b []byte) bool {
	if n := len(b) - 1; n >= 0 && n < len(indentation) && b[0] == '\n' && string(b[1:]) == indentation[:n] {
		return true
	}
	for _, c := range b {
		if !isBlank(c) {
			return false
		}
	}
	return true
}

const indentation = "                                "

// walk is the way through the content model of one element.
type walk struct {
	v       *validation
	parent  xmltree.Node
	typ     *complexType
	base    int // of its counters
	at      int32
	text    bool // text has been reported
	excused bool // an unknown element has been reported that may stand for one that is missing

	last     sym // the element reported last, in which state, and its declaration if there is one
	lastAt   int32
	lastDecl *element
}

func (w *walk) counts() []int32 { return w.v.counts[w.base : w.base+w.typ.model.counters] }

// child takes the next child element.
func (w *walk) child(c xmltree.Node) {
	v := w.v
	name := v.nameOf(c)
	s := &w.typ.model.states[w.at]
	if e := s.find(name, v.counts[w.base:]); e != nil && name != 0 {
		e.ops.run(v.counts[w.base:])
		w.at = e.to
		v.element(c, e.decl)
		return
	}
	if len(s.wild) > 0 {
		if e := s.findWild(v.doc.Namespace(c), v.counts[w.base:]); e != nil {
			e.ops.run(v.counts[w.base:])
			w.at = e.to
			v.wild(c, name, e.wildcard.process)
			return
		}
	}
	w.unexpected(c, name)
}

// end is the end of the element.
func (w *walk) end() {
	v := w.v
	s := &w.typ.model.states[w.at]
	if s.complete(v.counts[w.base:]) || w.excused || v.stopped {
		return
	}
	v.violation(KindMissingChild, w.parent, "%s ends too early; expected is %s", v.tag(w.parent), oneOf(v.expected(s, w.counts(), w.parent, xmltree.Name{})))
	v.expects(s, w.counts(), w.parent)
}

// wild checks an element that a wildcard let through.
func (v *validation) wild(n xmltree.Node, name sym, p process) {
	if p == processSkip || !v.tick() {
		return
	}
	if decl := v.schema.element(name); decl != nil {
		v.element(n, decl)
		return
	}
	t, ok := v.typeOf(n, typeRef{complex: anyType}, nil)
	switch {
	case !ok:
	case p == processStrict && !v.hasType(n):
		v.violation(KindElementUnknown, n, "%s is not known to the schema, and only known elements are allowed here", v.tag(n))
	default:
		v.typed(n, t, nil)
	}
}
