package xsd

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Validate checks a document and gives every violation in the order of the document, at most Options.MaxViolations and then
// one of KindMore. After a violation it goes on where the schema makes sense again, so that one fault is one violation where
// possible. The error is that of the context, and then the document has not been checked to the end.
//
// Documents whose parser left out white space (xmltree.Options.StripBlank) can be checked as well: white space between
// elements is never a violation where elements are allowed.
func (s *Schema) Validate(ctx context.Context, doc *xmltree.Document) ([]Violation, error) {
	v := s.begin(doc)
	defer s.end(v)
	v.ctx = ctx
	v.root()
	if v.err != nil {
		return nil, fmt.Errorf("validate against the schema: %w", v.err)
	}
	return v.report(), nil
}

// faults is Validate for documents whose size is bounded, which need no context.
func (s *Schema) faults(doc *xmltree.Document) []Violation {
	v := s.begin(doc)
	defer s.end(v)
	v.root()
	return v.report()
}

// validation checks one document. Its memory is used again for the next one.
type validation struct {
	schema  *Schema
	doc     *xmltree.Document
	names   *xmltree.Translation
	checker checker
	counts  []int32         // counters of the open elements
	budget  int             // elements until the context is asked again
	ctx     context.Context // nil where nobody waits
	err     error

	found    []Violation
	stopped  bool // as many violations as are wanted have been found
	ids      idTable
	identity identityState
	buffer   []byte
}

// contextInterval is after how many elements the context is asked.
const contextInterval = 4096

func (s *Schema) begin(doc *xmltree.Document) *validation {
	v, _ := s.scratch.Get().(*validation)
	if v == nil {
		v = &validation{schema: s}
		v.checker.notations = s.notations
	}
	v.doc, v.names = doc, s.vocabulary.For(doc)
	v.checker.place.doc = doc
	// The first element asks the context, which may have ended already.
	v.budget = 1
	return v
}

// keepScratch bounds the memory that is kept from one document to the next.
const keepScratch = 1 << 20

// end gives the memory of a validation back. The violations belong to the caller; all other memory is kept unless it is large.
func (s *Schema) end(v *validation) {
	v.ids.reset()
	v.identity.reset()
	if cap(v.buffer) > keepScratch || cap(v.checker.text) > keepScratch || cap(v.checker.key) > keepScratch {
		return
	}
	v.doc, v.ctx, v.names, v.err, v.stopped = nil, nil, nil, nil, false
	v.found, v.counts = nil, v.counts[:0]
	v.checker.place = place{}
	v.checker.fault = fault{}
	s.scratch.Put(v)
}

func (v *validation) root() {
	n := v.doc.Root()
	name := v.nameOf(n)
	switch decl := v.schema.element(name); {
	case decl != nil:
		v.element(n, decl)
	default:
		if t, ok := v.typeOf(n, typeRef{complex: anyType}, nil); ok && v.hasType(n) {
			v.typed(n, t, nil)
		} else if ok {
			v.violation(KindRoot, n, "%s cannot be the document element; %s", v.tag(n)+inSpace(v.doc.Namespace(n)), v.schema.roots(v.doc.Local(n)))
		}
	}
	v.ids.unresolved(v)
}

func (v *validation) nameOf(n xmltree.Node) sym { return sym(v.names.Number(v.doc.Name(n))) }

// tick counts an element and asks the context now and then; false means stop.
func (v *validation) tick() bool { return v.spend(1) }

// spend is tick for the work of n elements.
func (v *validation) spend(n int) bool {
	if v.budget -= n; v.budget > 0 {
		return !v.stopped
	}
	v.budget = contextInterval
	if v.ctx != nil && v.ctx.Err() != nil {
		v.err, v.stopped = v.ctx.Err(), true
	}
	return !v.stopped
}

// element checks element n by its declaration.
func (v *validation) element(n xmltree.Node, decl *element) {
	if !v.tick() {
		return
	}
	t := decl.typ
	if _, count := v.doc.Attributes(n); count > 0 && v.hasInstance(n) {
		var ok bool
		if t, ok = v.typeOf(n, t, decl); !ok {
			return
		}
		if v.nilled(n, t, decl) {
			return
		}
	}
	if decl.abstract {
		v.violation(KindElementAbstract, n, "%s itself cannot stand in a document, only elements that may replace it", v.tag(n))
		return
	}
	v.typed(n, t, decl)
}

// typed checks element n against a type; decl is its declaration, or nil.
func (v *validation) typed(n xmltree.Node, t typeRef, decl *element) {
	if decl != nil && len(decl.constraints) > 0 {
		v.identity.open(v, n, decl)
		defer v.identity.close(v, n, decl)
	}
	c := t.complex
	switch {
	case c == nil:
		v.noAttributes(n)
		v.simpleContent(n, t.simple, decl)
		return
	case c.abstract:
		v.violation(KindElementAbstract, n, "the type %s of %s is abstract; xsi:type must name one derived from it", c.name.Local, v.tag(n))
		return
	}
	v.attributes(n, c)
	switch {
	case c.simple != nil:
		v.simpleContent(n, c.simple, decl)
	case c.model == nil:
		v.emptyContent(n, c)
		v.fixedMixed(n, c, decl)
	default:
		v.children(n, c)
		v.fixedMixed(n, c, decl)
	}
}

// simpleContent checks the text of element n.
func (v *validation) simpleContent(n xmltree.Node, t *simpleType, decl *element) {
	text, ok := v.doc.TextOf(n)
	if !ok {
		text = v.pieces(n)
	}
	var value *valueConstraint
	if decl != nil {
		value = decl.value
	}
	if value != nil && len(text) == 0 {
		text = []byte(value.text)
		v.identity.defaulted(n, value)
	}
	if v.identity.depth > 0 {
		v.identity.note(n, t)
	}
	if t.plain && value == nil {
		return
	}
	v.checker.place.node = n
	switch {
	case !v.checker.check(t, text):
		f := v.checker.fault
		v.violation(f.kind, n, "%s has the value %s; %s", v.tag(n), quote(text), f.wants(text))
	case value != nil && value.fixed && !v.equals(t, text, value):
		v.violation(KindFixed, n, "%s has the value %s; only %s is allowed", v.tag(n), quote(text), quote([]byte(value.text)))
	case t.identity:
		v.ids.value(v, n, t, text)
	}
}

// equals tells whether text is the value prescribed, for values of type t.
func (v *validation) equals(t *simpleType, text []byte, value *valueConstraint) bool {
	key, ok := v.checker.valueKey(t, text)
	if !ok {
		return false
	}
	// xsi:type may have put another type in the place of the declared one, in which the value has another key.
	if value.typ == t {
		return key == value.key
	}
	want, ok := v.checker.valueKey(t, []byte(value.text))
	return ok && key == want
}

// pieces is the text of element n without what stands in child elements, which are violations.
func (v *validation) pieces(n xmltree.Node) []byte {
	v.buffer = v.buffer[:0]
	first, end := v.doc.Children(n)
	for c := first; c < end; c = v.doc.End(c) {
		switch v.doc.Kind(c) {
		case xmltree.KindText:
			v.buffer = append(v.buffer, v.doc.Value(c)...)
		case xmltree.KindElement:
			v.violation(KindElementNotAllowed, c, "%s cannot stand inside %s, which holds a plain value", v.tag(c), v.tag(n))
		}
	}
	return v.buffer
}

// emptyContent checks that n has no elements and, unless mixed, no text.
func (v *validation) emptyContent(n xmltree.Node, t *complexType) {
	first, end := v.doc.Children(n)
	text := false
	for c := first; c < end; c = v.doc.End(c) {
		switch kind := v.doc.Kind(c); {
		case kind == xmltree.KindElement:
			v.violation(KindElementNotExpected, c, "%s is not expected here: %s holds no elements", v.tag(c), v.tag(n))
		case kind == xmltree.KindText && !t.mixed && !text:
			text = true
			v.violation(KindTextNotAllowed, n, "%s must be empty, but holds text", v.tag(n))
		}
	}
}

// fixedMixed checks the prescribed value of an element with mixed content (clause 3.3.4).
func (v *validation) fixedMixed(n xmltree.Node, t *complexType, decl *element) {
	if decl == nil || decl.value == nil || !decl.value.fixed || !t.mixed {
		return
	}
	first, end := v.doc.Children(n)
	if first == end {
		return
	}
	for c := first; c < end; c = v.doc.End(c) {
		if v.doc.Kind(c) == xmltree.KindElement {
			v.violation(KindFixed, n, "%s must hold the text %s and no elements", v.tag(n), quote([]byte(decl.value.text)))
			return
		}
	}
	if text := v.pieces(n); string(text) != decl.value.text {
		v.violation(KindFixed, n, "%s has the value %s; only %s is allowed", v.tag(n), quote(text), quote([]byte(decl.value.text)))
	}
}
