package xsd

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// finish makes what needs all components: values, substitution groups, keys and the automata of content models. Types come
// from a map and are sorted by their places, so that the same schema has the same faults each time. Those that add nothing to
// their base have its particle, and share its automaton. The substitution groups are known before the automata are built,
// which have an edge for each element that may stand for another.
func (b *builder) finish() {
	b.schema.vocabulary = xmltree.NewVocabulary(b.symbols.names)
	b.finishValues()
	b.finishKeyrefs()
	groups := b.substitutionGroups()
	types := make([]*pendingType, 0, len(b.pending))
	for _, p := range b.pending {
		types = append(types, p)
	}
	slices.SortFunc(types, func(x, y *pendingType) int {
		return cmp.Or(cmp.Compare(x.at.path, y.at.path), cmp.Compare(x.at.node, y.at.node))
	})
	a, r := newAssembler(groups), newRestriction(groups)
	models := map[*particle]*model{}
	for _, p := range types {
		if b.full() {
			return
		}
		m, done := models[p.particle]
		if !done {
			var err error
			if m, err = a.model(p.particle); err != nil {
				b.fail(p.at, "%s", err)
			}
			b.checkConsistent(p)
			models[p.particle] = m
		}
		p.model = m
		b.checkRestriction(r, p)
	}
	b.checkRedefined(r)
}

// finishValues checks default and fixed values and prepares them for comparing. Text between elements can be a default only
// where the elements may all be missing (clause 3.3.6, Element Default Valid).
func (b *builder) finishValues() {
	for _, a := range b.attributes {
		b.checkValue(a.value, a.typ, a.at)
	}
	for _, e := range b.elements {
		t := e.typ.content()
		switch {
		case e.value == nil:
		case t != nil:
			b.checkValue(e.value, t, e.at)
		case e.typ.complex.mixed && e.typ.complex.particle.emptiable():
		default:
			b.fail(e.at, "the element %s cannot have a value, since it holds elements", e.name.Local)
		}
	}
}

// checkValue checks a default or fixed value, which must not be of type ID (clauses 3.2.6 and 3.3.6).
func (b *builder) checkValue(value *valueConstraint, t *simpleType, at item) {
	b.checker.place = place{at.doc, at.node}
	switch {
	case t.identity && t.special == specialID:
		b.fail(at, "a value of type ID cannot be prescribed")
	case !b.checker.check(t, []byte(value.text)):
		b.fail(at, "the value %s is not of its type; %s", quote([]byte(value.text)), b.checker.fault.wants([]byte(value.text)))
	default:
		value.typ = t
		value.key, _ = b.checker.valueKey(t, []byte(value.text)) // just checked
	}
}

// finishKeyrefs finds the key of each keyref. Only a key that one refers to keeps its values for the elements around it.
func (b *builder) finishKeyrefs() {
	for _, k := range b.keyrefs {
		to := b.constraints[k.refer]
		switch {
		case to == nil || to.kind == kindKeyref:
			b.fail(k.at, "there is no key %s", k.refer.Local)
		case k.refer.Space != k.at.target && !k.at.imports[k.refer.Space]:
			b.fail(k.at, "the key %s is used, but its namespace %q is not imported", k.refer.Local, k.refer.Space)
		case len(to.fields) != len(k.constraint.fields):
			b.fail(k.at, "the key %s has another number of fields", k.refer.Local)
		default:
			to.referred, k.constraint.refer = true, to
		}
	}
}

// substitutionGroups gives, for each head, the elements that may stand for it (clause 3.3.6). Each element counts for every
// head above it, so that a chain makes a number of entries that grows with its square: hence the bound.
func (b *builder) substitutionGroups() map[*element][]*element {
	groups := map[*element][]*element{}
	total := 0
	for _, e := range b.elements {
		if !e.global || e.head == nil {
			continue
		}
		if !e.typ.derivesFrom(e.head.typ, e.head.final) {
			b.fail(e.at, "the type of %s is not derived from that of %s, the head of its substitution group, or that is final", e.name.Local, e.head.name.Local)
		}
		for head, steps := e.head, 0; head != nil; head, steps = head.head, steps+1 {
			if head == e.element || steps > maxDerivation {
				b.fail(e.at, "the element %s is in its own substitution group", e.name.Local)
				break
			}
			if total++; total > maxEdges {
				b.fail(e.at, "the substitution groups are too large")
				return nil
			}
			if maySubstitute(e.element, head) {
				groups[head] = append(groups[head], e.element)
			}
		}
	}
	return groups
}

// maySubstitute tells whether nothing blocks e from standing for head (clause 3.3.6, Substitution Group OK).
func maySubstitute(e, head *element) bool {
	if head.block&bySubstitution != 0 {
		return false
	}
	blocked := head.block
	used := derivations(0)
	for t := e.typ; t != head.typ && !t.isNone(); {
		up, by := t.base()
		used |= by
		t = up
		blocked |= t.blockedOrNone()
	}
	return used&blocked == 0
}

func (t typeRef) blockedOrNone() derivations {
	if t.isNone() {
		return 0
	}
	return t.blocked()
}

// checkConsistent checks that elements of one name have one type within a content model (clause 3.8.6).
func (b *builder) checkConsistent(p *pendingType) {
	types := map[xmltree.Name]typeRef{}
	var visit func(*particle)
	visit = func(q *particle) {
		if q == nil {
			return
		}
		if q.term == termElement {
			if t, ok := types[q.element.name]; ok && t != q.element.typ {
				b.fail(p.at, "the content model has two elements %s of different types", q.element.name.Local)
			}
			types[q.element.name] = q.element.typ
		}
		for _, c := range q.children {
			visit(c)
		}
	}
	visit(p.particle)
}
