package xsd

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// attributeSet is what attribute declarations, groups and wildcards of a type or attribute group add up to.
type attributeSet struct {
	uses       []attributeUse
	prohibited []xmltree.Name
	any        *wildcard
}

// xmlAttributes are the attributes of the namespace xml, for schemas that import it without a file. Their types are those of
// the schema that W3C has for it.
var xmlAttributes = map[string]*simpleType{
	"lang": unionOf(builtins["language"], wordType("")), "space": wordType("default", "preserve"),
	"base": builtins["anyURI"], "id": builtins["ID"],
}

// attribute reads an attribute declaration.
func (b *builder) attribute(it item, name xmltree.Name) *attribute {
	a := &attribute{name: name, sym: b.symbols.intern(name), value: b.valueOf(it), typ: anySimpleType}
	named, isNamed := it.qname("type")
	local, isLocal := it.child("simpleType")
	switch {
	case isNamed && isLocal:
		b.fail(it, "the attribute %s has both the attribute type and a type inside", name.Local)
	case isNamed:
		a.typ = b.simpleTypeNamed(named, it)
	case isLocal:
		a.typ = b.simpleType(local, xmltree.Name{})
	}
	switch {
	case name.Local == "xmlns":
		b.fail(it, "an attribute cannot be called xmlns")
	case name.Space == instanceSpace:
		b.fail(it, "the namespace of instances cannot get attributes")
	}
	b.checkLater(a.value, a.typ, it)
	return a
}

func (b *builder) checkLater(value *valueConstraint, t *simpleType, it item) {
	if value != nil {
		b.attributes = append(b.attributes, attributeItem{value, t, it})
	}
}

// attributeSet gathers the attributes inside it. Its wildcard lets through what its own and those of its groups all let
// through, as strictly as its own says (clause 3.4.2).
func (b *builder) attributeSet(it item) *attributeSet {
	set := &attributeSet{}
	var groups []*wildcard
	for c := range it.each {
		switch c.name() {
		case "attribute":
			b.addUse(set, c)
		case "attributeGroup":
			name, _ := c.qname("ref")
			if g := b.find(componentAttributeGroup, name, c); g != nil && g.attributes != nil {
				b.addGroup(set, g.attributes, c)
				if g.attributes.any != nil {
					groups = append(groups, g.attributes.any)
				}
			}
		case "anyAttribute":
			set.any = c.wildcard()
		}
	}
	for _, g := range groups {
		if set.any == nil {
			set.any = g
			continue
		}
		both, ok := set.any.spaces.intersection(g.spaces)
		if !ok {
			b.fail(it, "the attribute wildcards have no common constraint that could be written")
		}
		set.any = &wildcard{process: set.any.process, spaces: both}
	}
	return set
}

func (b *builder) addGroup(set, group *attributeSet, at item) {
	for _, u := range group.uses {
		b.add(set, u, at)
	}
}

func (b *builder) add(set *attributeSet, u attributeUse, at item) {
	if slices.ContainsFunc(set.uses, func(o attributeUse) bool { return o.sym == u.sym }) {
		b.fail(at, "the attribute %s is declared twice", u.decl.name.Local)
		return
	}
	if len(set.uses) >= maxAttributes || !b.mayUse(1) {
		b.fail(at, "there are too many attributes")
		return
	}
	set.uses = append(set.uses, u)
}

// Bounds for the attributes of one type, and of all types and attribute groups together.
const (
	maxAttributes = 2_000
	maxUses       = 1 << 20
)

// mayUse counts attribute uses and tells whether there may be so many. They count each time that a group or a base type
// brings them, since groups within groups multiply.
func (b *builder) mayUse(n int) bool {
	b.uses += n
	return b.uses <= maxUses
}

// addUse reads an attribute of a type or group.
func (b *builder) addUse(set *attributeSet, it item) {
	decl, value := b.usedAttribute(it)
	if decl == nil {
		return
	}
	use, _ := it.attr("use")
	if value != nil && !value.fixed && use != "" && use != "optional" {
		b.fail(it, "an attribute with a default must be optional")
	}
	// It takes away an attribute that a restriction would inherit, and says nothing elsewhere (part 1, clause 3.4.2).
	if use == "prohibited" {
		set.prohibited = append(set.prohibited, decl.name)
		return
	}
	if value == nil {
		value = decl.value
	}
	b.add(set, attributeUse{sym: decl.sym, decl: decl, required: use == "required", value: value}, it)
}

// usedAttribute gives the declaration of an attribute use, own or referred to, and the value constraint of the use.
func (b *builder) usedAttribute(it item) (*attribute, *valueConstraint) {
	ref, isRef := it.qname("ref")
	_, named := it.attr("name")
	if isRef == named {
		b.fail(it, "an attribute needs either name or ref")
		return nil, nil
	}
	if !isRef {
		a := b.attribute(it, it.localName("attributeFormDefault"))
		return a, a.value
	}
	_, hasForm := it.attr("form")
	_, hasType := it.attr("type")
	if _, hasLocal := it.child("simpleType"); hasForm || hasType || hasLocal {
		b.fail(it, "an attribute with ref cannot have form or a type")
	}
	decl := b.attributeNamed(ref, it)
	if decl == nil {
		return nil, nil
	}
	value := b.valueOf(it)
	b.checkLater(value, decl.typ, it)
	if decl.value != nil && decl.value.fixed && value != nil && (!value.fixed || value.text != decl.value.text) {
		b.fail(it, "the attribute %s has another fixed value already", ref.Local)
	}
	return decl, value
}

func (b *builder) attributeNamed(name xmltree.Name, from item) *attribute {
	known := b.components[componentKey{componentAttribute, name}] != nil
	if t := xmlAttributes[name.Local]; name.Space == xmltree.XMLSpace && t != nil && !known {
		a := &attribute{name: name, sym: b.symbols.intern(name), typ: t}
		b.globalAttribute(a)
		return a
	}
	if c := b.find(componentAttribute, name, from); c != nil {
		return c.attribute
	}
	return nil
}

// wildcard reads any or anyAttribute.
func (it item) wildcard() *wildcard {
	spaces, ok := it.attr("namespace")
	if !ok {
		spaces = "##any"
	}
	process, _ := it.attr("processContents")
	w := &wildcard{spaces: newSpaceSet(spaces, it.target)}
	switch process {
	case "lax":
		w.process = processLax
	case "skip":
		w.process = processSkip
	}
	return w
}
