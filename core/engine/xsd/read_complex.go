package xsd

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// pendingType is a complex type that is being made: announced, then read, then finished once its base is.
type pendingType struct {
	*complexType
	at         item
	body       item // the restriction or extension, or the definition itself
	isSimple   bool // simpleContent
	own        *particle
	attributes *attributeSet
	within     *simpleType // the type inside a restriction of simple content
	state      readState
}

// complexType announces a complex type definition; its content is read later, since types may contain themselves.
func (b *builder) complexType(it item, name xmltree.Name) *complexType {
	p := &pendingType{complexType: &complexType{name: name}, at: it}
	b.pending[p.complexType] = p
	b.queue = append(b.queue, p)
	return p.complexType
}

// body reads a complex type definition.
func (p *pendingType) read(b *builder) {
	it, t := p.at, p.complexType
	t.abstract = it.flag("abstract")
	t.block = it.derivationsOf("block", byExtension|byRestriction)
	t.final = it.derivationsOf("final", byExtension|byRestriction)
	t.mixed = it.flag("mixed")
	t.base, t.by, p.body = typeRef{complex: anyType}, byRestriction, it
	if content, ok := it.child("simpleContent", "complexContent"); ok {
		p.isSimple = content.name() == "simpleContent"
		if _, says := content.attr("mixed"); says {
			t.mixed = content.flag("mixed")
		}
		p.derivation(b, content)
	}
	if group, ok := p.body.child("group", "all", "choice", "sequence"); ok {
		p.own = b.particle(group, true)
	}
	p.attributes = b.attributeSet(p.body)
}

func (p *pendingType) derivation(b *builder, content item) {
	t := p.complexType
	p.body, _ = content.child("restriction", "extension")
	if p.body.name() == "extension" {
		t.by = byExtension
	}
	name, _ := p.body.qname("base")
	t.base = b.typeNamed(name, p.body)
	if local, has := p.body.child("simpleType"); has {
		p.within = b.simpleType(local, xmltree.Name{})
	}
	self := p.at.within != nil && p.at.within.typ.complex == t
	switch {
	case self && t.base != p.at.within.original.typ:
		b.fail(p.at, "a type that is redefined must be derived from itself")
	case t.base.finals()&t.by != 0:
		b.fail(p.body, "the type %s does not allow this derivation", name.Local)
	}
}

// particle reads a part of a content model with its occurrence; nil when it may not occur. top says that it is the whole model.
func (b *builder) particle(it item, top bool) *particle {
	p := &particle{min: it.count("minOccurs"), max: it.count("maxOccurs")}
	if p.max != unbounded && p.min > p.max {
		b.fail(it, "minOccurs is larger than maxOccurs")
	}
	switch it.name() {
	case "element":
		p.term = termElement
		if p.element = b.localElement(it); p.element == nil {
			return nil
		}
	case "any":
		p.term, p.wildcard = termWildcard, it.wildcard()
	case "group":
		name, _ := it.qname("ref")
		c := b.find(componentGroup, name, it)
		if c == nil || c.group == nil {
			return nil
		}
		p.term, p.children = c.group.term, c.group.children
		if it.within != nil && c == it.within.original && (p.min != 1 || p.max != 1) {
			b.fail(it, "the group %s that is redefined can only occur once in its redefinition", name.Local)
		}
	default:
		p.term, p.children = b.group(it)
	}
	p.size = 1
	for _, c := range p.children {
		p.size += c.size
	}
	if p.size > maxPositions {
		b.fail(it, "%s", errModelSize)
		return nil
	}
	if p.term == termAll && (!top || p.max > 1) && p.max != 0 {
		b.fail(it, "an all group can only be the whole content, and occur once")
	}
	if p.max == 0 {
		return nil
	}
	return p
}

// count reads minOccurs or maxOccurs.
func (it item) count(local string) int {
	text, ok := it.attr(local)
	switch {
	case !ok:
		return 1
	case text == "unbounded":
		return unbounded
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > maxCount {
		return maxCount
	}
	return n
}

// group reads the members of a model group.
func (b *builder) group(it item) (term, []*particle) {
	var children []*particle
	for c := range it.each {
		if p := b.particle(c, false); p != nil {
			children = append(children, p)
		}
	}
	switch it.name() {
	case "all":
		return termAll, children
	case "choice":
		return termChoice, children
	}
	return termSequence, children
}

func (b *builder) namedGroup(c *component) *particle {
	model, _ := c.at.child("all", "choice", "sequence")
	return b.particle(model, true)
}
