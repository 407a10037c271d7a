package schema

import (
	"fmt"
	"strings"
)

// unbounded is the max of what may occur any number of times.
const unbounded = -1

// standard is the prefix of XML Schema's own types.
const standard = "xs:"

// table is what the text files say of a schema. Names are qualified: prefix:local.
type table struct {
	spaces   []*space
	types    map[string]*typ
	order    []*typ
	elements map[string]string // global ones: name to type
	// identities are the constraints on what must be unique in documents of an element, by its name
	identities map[string][]identity
}

// identity is such a constraint: unique, key or keyref, which refers to one of the others.
type identity struct{ kind, name, selector, field, refer string }

// space is a namespace with a file of its own, PREFIX.xsd.
type space struct {
	prefix, uri string
	with        []string // prefixes of namespaces that belong to it, though it does not use their names
	unqualified bool     // its elements are in no namespace, but for those of documents
}

// typ is a type: simple, or complex with simple content or with elements.
type typ struct {
	name                    string // TYPE/ELEMENT for one without name inside the declaration of an element
	simple, mixed, abstract bool
	base                    string // of a simple type, of simple content or, where restricts is set, of content with elements
	restricts               bool
	facets                  []facet
	content                 *particle
	attributes              []attribute
}

// facet is a constraint of a simple type, such as an enumeration's value.
type facet struct{ name, value string }

// attribute is an attribute of a complex type, or a wildcard for them.
type attribute struct {
	name, typ string
	wildcard  *wildcard
	required  bool
	fixed     string // empty: any value
}

// wildcard lets elements or attributes of namespaces through: any, other or one by its URI, checked strict, lax or skip.
type wildcard struct{ spaces, process string }

// particle is a part of a content model: one of its fields says what.
type particle struct {
	min, max int
	name     string // element: qualified where it is declared elsewhere
	typ      string // of an element that is declared here
	value    string // of such an element where it is empty
	wildcard *wildcard
	children []*particle // group
	choice   bool        // of the children, not all of them in order
	bars     int         // between the alternatives
}

// isGroup tells whether the particle holds others.
func (p *particle) isGroup() bool { return p.name == "" && p.wildcard == nil }

// isReference tells whether the particle is an element that is declared elsewhere.
func (p *particle) isReference() bool { return p.name != "" && p.typ == "" }

// anonymous tells whether the type stands inside the declaration of its element.
func anonymous(name string) bool { return strings.Contains(name, "/") }

// split gives prefix and local name.
func split(name string) (prefix, local string) {
	prefix, local, _ = strings.Cut(name, ":")
	return prefix, local
}

// reach finds what the elements of the table lead to: only that is written. Names that the table does not have are errors.
func (t *table) reach() (map[string]bool, error) {
	seen := map[string]bool{}
	var visit func(name, from string) error
	visit = func(name, from string) error {
		x := t.types[name]
		switch {
		case anonymous(name) && name[:strings.LastIndexByte(name, '/')] != from:
			return fmt.Errorf("the type %s that %s uses belongs to an element of another type", name, from)
		case seen[name] || strings.HasPrefix(name, standard):
			return nil
		case x == nil:
			return fmt.Errorf("the type %s that %s uses is not in the table", name, from)
		}
		seen[name] = true
		for p := range x.content.each {
			if p.isReference() && t.elements[p.name] == "" {
				return fmt.Errorf("the element %s that %s uses is not in the table", p.name, x.name)
			}
		}
		for _, next := range x.uses() {
			if err := visit(next, x.name); err != nil {
				return err
			}
		}
		return nil
	}
	for name, typ := range t.elements {
		if err := visit(typ, "element "+name); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// uses lists the types that a type names.
func (x *typ) uses() []string {
	var all []string
	if x.base != "" {
		all = append(all, x.base)
	}
	for _, a := range x.attributes {
		if a.wildcard == nil {
			all = append(all, a.typ)
		}
	}
	for p := range x.content.each {
		if p.typ != "" {
			all = append(all, p.typ)
		}
	}
	return all
}

// each gives the particle and all inside it.
func (p *particle) each(yield func(*particle) bool) { p.walk(yield) }

func (p *particle) walk(yield func(*particle) bool) bool {
	if p == nil {
		return true
	}
	if !yield(p) {
		return false
	}
	for _, c := range p.children {
		if !c.walk(yield) {
			return false
		}
	}
	return true
}
