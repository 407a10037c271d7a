package xsd

import (
	"slices"
	"strings"
)

// finishTypes reads the complex types announced and works out what they inherit.
func (b *builder) finishTypes() {
	var all []*pendingType
	for len(b.queue) > 0 && !b.full() {
		p := b.queue[0]
		b.queue = b.queue[1:]
		p.read(b)
		all = append(all, p)
	}
	for _, p := range all {
		if b.full() {
			return
		}
		p.finish(b, 0)
	}
}

// finish works out the content and attributes of a type from its base and its own (XML Schema part 1, clause 3.4.2). The base
// is finished first; a type that is come upon while it is being finished is an ancestor of itself.
func (p *pendingType) finish(b *builder, depth int) {
	if p.state == read {
		return
	}
	if p.state == reading || depth > maxDerivation {
		b.fail(p.at, "the type %s is derived from itself, or through too many steps", p.name.Local)
		p.base = typeRef{complex: anyType}
		return
	}
	p.state = reading
	if base := b.pending[p.base.complex]; base != nil {
		base.finish(b, depth+1)
		p.depth = base.depth + 1
	}
	if p.depth > maxDerivation {
		b.fail(p.at, "the type %s is derived through too many steps", p.name.Local)
	}
	switch {
	case p.isSimple:
		p.finishSimple(b)
	case p.base.simple != nil:
		b.fail(p.body, "complex content cannot be derived from the simple type %s", p.base.simple.describe())
	default:
		p.finishComplex(b)
	}
	p.finishAttributes(b)
	p.state = read
}

// finishSimple works out the type of simple content. A restriction may also begin with a mixed type whose elements may all be
// missing, and then has to say itself what its text is.
func (p *pendingType) finishSimple(b *builder) {
	base := p.base
	switch {
	case p.by == byExtension && base.content() != nil:
		p.simple = base.content()
	case p.by == byRestriction && base.complex != nil && base.complex.simple != nil:
		p.simple = p.restrictedContent(b, base.complex.simple)
	case p.by == byRestriction && base.complex != nil && base.complex != anyType && base.complex.mixed && base.complex.particle.emptiable() && p.within != nil:
		p.simple = p.restrictedContent(b, p.within)
	default:
		b.fail(p.body, "the base type %s has no simple content", base.name().Local)
		p.simple = anySimpleType
	}
	p.mixed = false
}

// restrictedContent is the type of simple content with the facets that the restriction adds; the type written inside must be
// derived from that of the base.
func (p *pendingType) restrictedContent(b *builder, base *simpleType) *simpleType {
	if p.within != nil {
		if !(typeRef{simple: p.within}).derivesFrom(typeRef{simple: base}, 0) {
			b.fail(p.body, "the simple type inside is not derived from that of the base type")
		}
		base = p.within
	}
	return b.numbered(b.restricted(p.body, base))
}

// finishComplex works out element content. A restriction states all of its content again, an extension what comes behind that
// of its base. An extension of anyType by nothing allows what anyType does.
func (p *pendingType) finishComplex(b *builder) {
	base := p.base.complex
	p.particle = p.own
	if p.own.empty() {
		p.particle = nil
	}
	if p.by != byExtension || base == anyType && p.particle == nil {
		if p.by == byExtension {
			p.particle, p.mixed = anyType.particle, true
		}
		return
	}
	switch {
	case base.simple != nil && p.particle == nil && !p.mixed:
		p.simple = base.simple
		return
	case base.simple != nil:
		b.fail(p.body, "the base type %s has simple content and cannot get elements", base.name.Local)
	case p.particle == nil && !p.mixed:
		p.particle, p.mixed = base.particle, base.mixed
		return
	case base.particle == nil && !base.mixed:
		return
	case base.mixed != p.mixed:
		b.fail(p.body, "the type and its base %s must both be mixed or both not", base.name.Local)
	}
	switch {
	case base.particle == nil:
	case p.particle == nil:
		p.particle = base.particle
	case base.particle.term == termAll || p.particle.term == termAll:
		b.fail(p.body, "an all group cannot be extended or be an extension")
	default:
		p.particle = &particle{min: 1, max: 1, term: termSequence, children: []*particle{base.particle, p.particle}, size: base.particle.size + p.particle.size}
		if p.particle.size > maxPositions {
			b.fail(p.body, "%s", errModelSize)
			p.particle = p.own
		}
	}
}

// finishAttributes works out the attribute uses and the attribute wildcard. No element has two attributes of type ID (clause
// 3.4.6).
func (p *pendingType) finishAttributes(b *builder) {
	own := p.attributes
	p.uses, p.any = own.uses, own.any
	if base := p.base.complex; base != nil && base != anyType {
		p.inherit(b, base)
	}
	if p.by == byExtension && p.base.complex != nil && p.base.complex.any != nil {
		p.extendWildcard(b, p.base.complex.any)
	}
	ids := 0
	for i := range p.uses {
		u := &p.uses[i]
		if u.required {
			p.required++
		}
		p.defaults = p.defaults || u.value != nil
		if u.decl.typ.special == specialID {
			ids++
		}
	}
	if ids > 1 {
		b.fail(p.at, "a type can have one attribute of type ID only")
	}
}

// extendWildcard makes the attribute wildcard of an extension: the namespaces of both (clause 3.10.6, Attribute Wildcard
// Union), and how strict the one of its own is.
func (p *pendingType) extendWildcard(b *builder, base *wildcard) {
	if p.any == nil {
		p.any = base
		return
	}
	both, ok := p.any.spaces.union(base.spaces)
	if !ok {
		b.fail(p.body, "the attribute wildcards have no common constraint that could be written")
	}
	p.any = &wildcard{process: p.any.process, spaces: both}
}

// inherit adds the attribute uses of the base type. Unlike elements they need not be repeated in a restriction, which says of
// those that it takes away that they are prohibited.
func (p *pendingType) inherit(b *builder, base *complexType) {
	if !b.mayUse(len(base.uses)) {
		b.fail(p.at, "there are too many attributes")
		return
	}
	own := p.uses
	p.uses = slices.Clone(base.uses)
	for _, u := range own {
		i := slices.IndexFunc(p.uses, func(o attributeUse) bool { return o.sym == u.sym })
		switch {
		case i < 0:
			p.checkNew(b, base, u)
			p.uses = append(p.uses, u)
		case p.by == byExtension:
			b.fail(p.body, "the attribute %s is in the base type already", u.decl.name.Local)
		default:
			p.checkRestricted(b, p.uses[i], u)
			p.uses[i] = u
		}
	}
	if p.by == byRestriction {
		p.uses = slices.DeleteFunc(p.uses, func(u attributeUse) bool {
			gone := slices.Contains(p.attributes.prohibited, u.decl.name)
			if gone && u.required {
				b.fail(p.body, "the attribute %s is required by the base type", u.decl.name.Local)
			}
			return gone
		})
		p.checkWildcard(b, base.any)
	}
}

// checkNew checks that a restriction adds attributes only where the base type has a wildcard for them (clause 3.4.6).
func (p *pendingType) checkNew(b *builder, base *complexType, u attributeUse) {
	if p.by == byRestriction && (base.any == nil || !base.any.spaces.has(u.decl.name.Space)) {
		b.fail(p.body, "the base type has no attribute %s", u.decl.name.Local)
	}
}

// checkRestricted checks that an attribute of a restriction takes no value that the base type would not take (clause 3.4.6).
func (p *pendingType) checkRestricted(b *builder, base, u attributeUse) {
	name := u.decl.name.Local
	switch {
	case base.required && !u.required:
		b.fail(p.body, "the attribute %s is required by the base type", name)
	case !(typeRef{simple: u.decl.typ}).derivesFrom(typeRef{simple: base.decl.typ}, 0) && base.decl.typ != anySimpleType:
		b.fail(p.body, "the type of the attribute %s is not derived from that in the base type", name)
	case base.value != nil && base.value.fixed && (u.value == nil || !u.value.fixed || !sameValue(b, u.decl.typ, u.value.text, base.value.text)):
		b.fail(p.body, "the attribute %s has a fixed value in the base type", name)
	}
}

func sameValue(b *builder, t *simpleType, x, y string) bool {
	k1, ok1 := b.checker.valueKey(t, []byte(x))
	k2, ok2 := b.checker.valueKey(t, []byte(y))
	return x == y || ok1 && ok2 && k1 == k2
}

func (p *pendingType) checkWildcard(b *builder, base *wildcard) {
	if p.any == nil {
		return
	}
	switch {
	case base == nil:
		b.fail(p.body, "the base type has no attribute wildcard")
	case !p.any.spaces.within(base.spaces):
		b.fail(p.body, "the attribute wildcard allows more than that of the base type (%s)", strings.Join(p.any.spaces.list, " "))
	case p.any.process > base.process:
		b.fail(p.body, "the attribute wildcard is less strict than that of the base type")
	}
}
