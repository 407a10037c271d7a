package xsd

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// qualified tells whether a local declaration is in the target namespace.
func (it item) qualified(defaultAttr string) bool {
	form, ok := it.attr("form")
	if !ok {
		form, _ = it.source.attr(it.root, defaultAttr)
	}
	return form == "qualified"
}

func (it item) localName(defaultAttr string) xmltree.Name {
	local, _ := it.attr("name")
	if it.qualified(defaultAttr) {
		return xmltree.Name{Space: it.target, Local: local}
	}
	return xmltree.Name{Local: local}
}

// element reads an element declaration into e.
func (b *builder) element(e *element, it item, name xmltree.Name) {
	e.name, e.sym = name, b.symbols.intern(name)
	e.nillable, e.abstract = it.flag("nillable"), it.flag("abstract")
	e.block = it.derivationsOf("block", byExtension|byRestriction|bySubstitution)
	e.final = it.derivationsOf("final", byExtension|byRestriction)
	e.value = b.valueOf(it)
	if head, ok := it.qname("substitutionGroup"); ok {
		if c := b.find(componentElement, head, it); c != nil {
			e.head = c.element
		}
	}
	e.typ = b.elementType(e, it)
	b.identityConstraints(e, it)
	b.elements = append(b.elements, elementItem{e, it})
}

// elementType is the type of an element; of one that states none, that of the head of its substitution group, else anyType
// (clause 3.3.2).
func (b *builder) elementType(e *element, it item) typeRef {
	named, isNamed := it.qname("type")
	local, isLocal := it.child("simpleType", "complexType")
	switch {
	case isNamed && isLocal:
		b.fail(it, "the element %s has both the attribute type and a type inside", e.name.Local)
	case isNamed:
		return b.typeNamed(named, it)
	case isLocal && local.name() == "simpleType":
		return typeRef{simple: b.simpleType(local, xmltree.Name{})}
	case isLocal:
		return typeRef{complex: b.complexType(local, xmltree.Name{})}
	case e.head != nil && !e.head.typ.isNone():
		return e.head.typ
	}
	return typeRef{complex: anyType}
}

// valueOf reads default and fixed.
func (b *builder) valueOf(it item) *valueConstraint {
	def, hasDefault := it.raw("default")
	fixed, hasFixed := it.raw("fixed")
	switch {
	case hasDefault && hasFixed:
		b.fail(it, "%s has both default and fixed", it.name())
	case hasDefault:
		return &valueConstraint{text: def}
	case hasFixed:
		return &valueConstraint{text: fixed, fixed: true}
	}
	return nil
}

// localElement reads an element particle's declaration: its own or the one it refers to.
func (b *builder) localElement(it item) *element {
	ref, isRef := it.qname("ref")
	_, named := it.attr("name")
	if isRef == named {
		b.fail(it, "an element needs either name or ref")
		return nil
	}
	if !isRef {
		e := &element{}
		b.element(e, it, it.localName("elementFormDefault"))
		return e
	}
	for _, local := range []string{"type", "nillable", "default", "fixed", "form", "block"} {
		if _, has := it.attr(local); has {
			b.fail(it, "an element with ref cannot have the attribute %s", local)
		}
	}
	for range it.each {
		b.fail(it, "an element with ref cannot have content")
		break
	}
	c := b.find(componentElement, ref, it)
	if c == nil {
		return nil
	}
	return c.element
}

// identityConstraints reads unique, key and keyref.
func (b *builder) identityConstraints(e *element, it item) {
	kinds := map[string]constraintKind{"unique": kindUnique, "key": kindKey, "keyref": kindKeyref}
	for c := range it.each {
		kind, ok := kinds[c.name()]
		if !ok {
			continue
		}
		local, _ := c.attr("name")
		x := &constraint{kind: kind, name: xmltree.Name{Space: it.target, Local: local}}
		if b.constraints[x.name] != nil {
			b.fail(c, "the identity constraint %s is defined twice", local)
		}
		b.constraints[x.name] = x
		for part := range c.each {
			paths := b.idPaths(part)
			if part.name() == "selector" {
				x.selector = paths
			} else {
				x.fields = append(x.fields, paths)
			}
		}
		if refer, isRef := c.qname("refer"); isRef {
			b.keyrefs = append(b.keyrefs, keyref{x, refer, c})
		}
		e.constraints = append(e.constraints, x)
	}
}

func (b *builder) idPaths(it item) []idPath {
	text, _ := it.attr("xpath")
	paths, err := parseIDPaths(text, it.name() == "field", func(prefix string) (string, bool) {
		return it.doc.LookupPrefix(it.node, prefix)
	})
	if err != nil {
		b.fail(it, "%s", err)
	}
	return paths
}
