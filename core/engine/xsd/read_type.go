package xsd

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// derivationWords are the words of final and block.
var derivationWords = map[string]derivations{
	"extension": byExtension, "restriction": byRestriction, "substitution": bySubstitution, "list": byList, "union": byUnion,
}

// derivationsOf reads final or block, else the default of the document; of stands for #all and bounds the default.
func (it item) derivationsOf(local string, of derivations) derivations {
	text, ok := it.attr(local)
	if !ok {
		text, _ = it.source.attr(it.root, local+"Default")
	}
	if text == "#all" {
		return of
	}
	set := derivations(0)
	for word := range strings.FieldsSeq(text) {
		set |= derivationWords[word]
	}
	return set & of
}

// typeNamed gives the type that a reference means; anyType after a fault.
func (b *builder) typeNamed(name xmltree.Name, from item) typeRef {
	if _, own := b.components[componentKey{componentType, name}]; !own || name.Space == schemaSpace {
		if t, ok := builtinType(name); ok {
			return t
		}
	}
	c := b.find(componentType, name, from)
	if c == nil {
		return typeRef{complex: anyType}
	}
	return c.typ
}

// simpleTypeNamed is typeNamed where only simple types are allowed.
func (b *builder) simpleTypeNamed(name xmltree.Name, from item) *simpleType {
	t := b.typeNamed(name, from)
	if t.simple != nil {
		return t.simple
	}
	b.fail(from, "%s is no simple type", name.Local)
	return anySimpleType
}

// globalType reads a named type. Complex types are announced before they are read, since they may contain themselves.
func (b *builder) globalType(c *component) {
	if c.at.name() == "simpleType" {
		c.typ.simple = b.simpleType(c.at, c.name)
	} else {
		c.typ.complex = b.complexType(c.at, c.name)
	}
	if t := c.typ.simple; t != nil && c.original != nil && t.base != c.original.typ.simple {
		b.fail(c.at, "a type that is redefined must be derived from itself")
	}
	if b.components[c.componentKey] == c {
		b.schema.types[c.name] = c.typ
	}
}

// simpleType reads a simple type definition.
func (b *builder) simpleType(it item, name xmltree.Name) *simpleType {
	def, _ := it.child("restriction", "list", "union")
	var t *simpleType
	switch def.name() {
	case "restriction":
		t = b.simpleRestriction(def)
	case "list":
		t = b.listType(def)
	default:
		t = b.unionType(def)
	}
	t.name = name
	t.final = it.derivationsOf("final", byRestriction|byList|byUnion)
	return b.numbered(t)
}

// numbered gives a new type its number in the schema.
func (b *builder) numbered(t *simpleType) *simpleType {
	b.schema.simples = append(b.schema.simples, t)
	t.number = uint32(len(b.schema.simples))
	return t
}

// baseOf gives the simple type that the attribute names or the child simpleType defines.
func (b *builder) baseOf(it item, attr string) *simpleType {
	name, named := it.qname(attr)
	local, has := it.child("simpleType")
	switch {
	case named && has || !named && !has:
		b.fail(it, "%s needs either the attribute %s or a simpleType inside", it.name(), attr)
		return anySimpleType
	case named:
		return b.simpleTypeNamed(name, it)
	}
	return b.simpleType(local, xmltree.Name{})
}

func (b *builder) simpleRestriction(it item) *simpleType {
	base := b.baseOf(it, "base")
	switch {
	case base == anySimpleType:
		b.fail(it, "anySimpleType cannot be restricted")
	case base.depth >= maxDerivation:
		b.fail(it, "the type is derived through too many steps")
	case base.final&byRestriction != 0:
		b.fail(it, "the type %s does not allow restriction", base.describe())
	}
	return b.restricted(it, base)
}

// restricted applies the facets inside it to base. Patterns and enumerated values are taken as they stand, for white space
// counts in them.
func (b *builder) restricted(it item, base *simpleType) *simpleType {
	var facets []facetValue
	for c := range it.each {
		f, ok := facetNames[c.name()]
		if !ok {
			continue
		}
		text, _ := c.attr("value")
		if f == facetPattern || f == facetEnumeration {
			text, _ = c.raw("value")
		}
		facets = append(facets, facetValue{f, c.name(), text, c.flag("fixed"), place{c.doc, c.node}})
	}
	t, err := restrict(base, facets, &b.checker)
	if err != nil {
		b.fail(it, "%s", err)
		return base.copied()
	}
	return t
}

// copied is a type that says the same, for use after a fault.
func (t *simpleType) copied() *simpleType {
	c := *t
	c.base, c.by = t, byRestriction
	return &c
}

// listType reads a list, whose items are of an atomic type or of a union of such (part 2, clause 2.5.1.2).
func (b *builder) listType(it item) *simpleType {
	of := b.baseOf(it, "itemType")
	switch {
	case of.final&byList != 0:
		b.fail(it, "the type %s does not allow lists of it", of.describe())
	case of.variety == varietyList, of.variety == varietyUnion && containsList(of):
		b.fail(it, "a list cannot have lists as items")
	}
	return listOf(of)
}

func containsList(t *simpleType) bool {
	for _, m := range t.members {
		if m.variety == varietyList || containsList(m) {
			return true
		}
	}
	return false
}

// maxMembers bounds the members of a union, those of its members included.
const maxMembers = 5_000

func (b *builder) unionType(it item) *simpleType {
	var members []*simpleType
	names, _ := it.attr("memberTypes")
	for name := range strings.FieldsSeq(names) {
		members = append(members, b.simpleTypeNamed(it.resolveName(name), it))
	}
	for c := range it.each {
		members = append(members, b.simpleType(c, xmltree.Name{}))
	}
	for _, m := range members {
		if m.final&byUnion != 0 {
			b.fail(it, "the type %s does not allow unions of it", m.describe())
		}
	}
	t := unionOf(members...)
	switch {
	case len(members) == 0:
		b.fail(it, "a union needs members")
	case t.weight > maxMembers:
		b.fail(it, "the union has too many members")
		return anySimpleType.copied()
	}
	return t
}

// builtinList is the built-in types in the order of their numbers.
func builtinList() []*simpleType {
	all := make([]*simpleType, len(builtins))
	for _, t := range builtins {
		all[t.number-1] = t
	}
	return all
}
