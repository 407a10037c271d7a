package xsd

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// derivations is a set of ways to derive a type, and of substitution (XML Schema part 1, clauses 3.3.1 and 3.4.1).
type derivations uint8

const (
	byExtension derivations = 1 << iota
	byRestriction
	bySubstitution
	byList
	byUnion
)

// typeRef is a type definition, simple or complex; the zero value is none.
type typeRef struct {
	simple  *simpleType
	complex *complexType
}

func (t typeRef) isNone() bool { return t == typeRef{} }

// content is the simple type of values: of a simple type itself and of a complex type with simple content; nil for others.
func (t typeRef) content() *simpleType {
	if t.complex != nil {
		return t.complex.simple
	}
	return t.simple
}

// base is the type that t is derived from, none for anyType, and how.
func (t typeRef) base() (typeRef, derivations) {
	switch {
	case t.complex != nil:
		return t.complex.base, t.complex.by
	case t.simple.base == nil:
		return typeRef{complex: anyType}, byRestriction
	}
	return typeRef{simple: t.simple.base}, t.simple.by
}

// blocked is what the type itself does not allow in place of it.
func (t typeRef) blocked() derivations {
	if t.complex != nil {
		return t.complex.block
	}
	return 0
}

func (t typeRef) finals() derivations {
	if t.complex != nil {
		return t.complex.final
	}
	return t.simple.final
}

func (t typeRef) name() xmltree.Name {
	if t.complex != nil {
		return t.complex.name
	}
	return t.simple.name
}

// derivesFrom tells whether t is base or derived from it without the ways in blocked (clauses 3.4.6 and 3.14.6, Type
// Derivation OK).
func (t typeRef) derivesFrom(base typeRef, blocked derivations) bool {
	for steps := 0; !t.isNone() && steps < maxDerivation; steps++ {
		if t == base {
			return true
		}
		if base.simple != nil && base.simple.isPlainUnion() && t.simple != nil && blocked&byRestriction == 0 {
			for _, m := range base.simple.members {
				if t.derivesFrom(typeRef{simple: m}, blocked) {
					return true
				}
			}
		}
		up, by := t.base()
		if by&blocked != 0 {
			return false
		}
		t = up
	}
	return false
}

// isPlainUnion tells whether t is a union whose members' values are all its values.
func (t *simpleType) isPlainUnion() bool {
	return t.variety == varietyUnion && len(t.patterns) == 0 && t.enum == nil
}

// maxDerivation bounds how many steps a type may be away from anyType.
const maxDerivation = 1000

// element is an element declaration (clause 3.3).
type element struct {
	name        xmltree.Name
	sym         sym
	typ         typeRef
	nillable    bool
	abstract    bool
	global      bool
	value       *valueConstraint
	constraints []*constraint
	block       derivations
	final       derivations
	head        *element // of its substitution group
}

// valueConstraint is a default or fixed value (clauses 3.2.1 and 3.3.1). key is that of the value in type typ.
type valueConstraint struct {
	text  string
	fixed bool
	typ   *simpleType
	key   string
}

// attribute is an attribute declaration (clause 3.2).
type attribute struct {
	name  xmltree.Name
	sym   sym
	typ   *simpleType
	value *valueConstraint
}

// attributeUse is an attribute of a complex type (clause 3.5).
type attributeUse struct {
	sym      sym
	decl     *attribute
	required bool
	value    *valueConstraint // of the use, else that of the declaration
}

// complexType is a complex type definition (clause 3.4).
type complexType struct {
	name     xmltree.Name
	base     typeRef
	by       derivations
	depth    int // derivations away from anyType
	abstract bool
	block    derivations
	final    derivations

	mixed    bool
	simple   *simpleType // of simple content, nil otherwise
	particle *particle   // of element content, nil when empty
	model    *model      // of particle, nil when no element is allowed

	uses     []attributeUse
	required int // how many of them are
	defaults bool
	any      *wildcard // attribute wildcard
}

// use gives the attribute use of that name.
func (t *complexType) use(name sym) *attributeUse {
	for i := range t.uses {
		if t.uses[i].sym == name {
			return &t.uses[i]
		}
	}
	return nil
}

// anyType is the ur-type definition (clause 3.4.7): any content and any attributes, checked where declarations are known.
var anyType = makeAnyType()

func makeAnyType() *complexType {
	lax := &wildcard{process: processLax, spaces: spaceSet{kind: everySpace}}
	t := &complexType{
		name:     xmltree.Name{Space: schemaSpace, Local: "anyType"},
		by:       byRestriction,
		mixed:    true,
		particle: &particle{min: 0, max: unbounded, term: termWildcard, wildcard: lax},
		any:      lax,
	}
	t.model = &model{states: []state{{wild: []wildEdge{{wildcard: lax}}, accepts: true}}}
	return t
}
