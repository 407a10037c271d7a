package xsd

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// componentKind tells apart what has names of its own (XML Schema part 1, clause 2.5).
type componentKind uint8

const (
	componentElement componentKind = iota
	componentAttribute
	componentType
	componentGroup
	componentAttributeGroup
	componentNotation
)

// componentElements are the elements that define global components.
var componentElements = map[string]componentKind{
	"element": componentElement, "attribute": componentAttribute, "simpleType": componentType, "complexType": componentType,
	"group": componentGroup, "attributeGroup": componentAttributeGroup, "notation": componentNotation,
}

// describe names a kind in a message.
func (k componentKind) describe() string {
	return [...]string{"element", "attribute", "type", "group", "attribute group", "notation"}[k]
}

type componentKey struct {
	kind componentKind
	name xmltree.Name
}

// component is a global component: where it is defined and, once read, what it is.
type component struct {
	componentKey
	at       item
	original *component // of a redefinition
	extends  bool       // the redefinition refers to the original
	state    readState

	element    *element
	attribute  *attribute
	typ        typeRef
	group      *particle
	attributes *attributeSet
}

type readState uint8

const (
	unread readState = iota
	reading
	read
)

// item is an element of a schema document.
type item struct {
	*source
	node   xmltree.Node
	within *component // the redefinition that it is part of
}

func (it item) at(n xmltree.Node) item { return item{it.source, n, it.within} }

func (it item) name() string { return it.doc.Local(it.node) }

func (it item) attr(local string) (string, bool) { return it.source.attr(it.node, local) }

// raw is an attribute as it stands, with its white space.
func (it item) raw(local string) (string, bool) {
	b, ok := it.doc.AttrValue(it.node, local)
	return string(b), ok
}

func (it item) flag(local string) bool {
	s, _ := it.attr(local)
	return s == "true" || s == "1"
}

// each gives the child elements but annotations.
func (it item) each(yield func(item) bool) {
	first, end := it.doc.Children(it.node)
	for c := first; c < end; c = it.doc.End(c) {
		if it.doc.Kind(c) == xmltree.KindElement && it.doc.Local(c) != "annotation" && !yield(it.at(c)) {
			return
		}
	}
}

// child gives the first child element with one of the names.
func (it item) child(names ...string) (item, bool) {
	for c := range it.each {
		for _, name := range names {
			if c.name() == name {
				return c, true
			}
		}
	}
	return item{}, false
}

// qname gives the name that a QName attribute means; "" when it is not there.
func (it item) qname(local string) (xmltree.Name, bool) {
	text, ok := it.attr(local)
	if !ok {
		return xmltree.Name{}, false
	}
	return it.resolveName(text), true
}

func (it item) resolveName(text string) xmltree.Name {
	prefix, name, prefixed := strings.Cut(text, ":")
	if !prefixed {
		prefix, name = "", text
	}
	uri, _ := it.doc.LookupPrefix(it.node, prefix) // declared, since the document is valid
	if uri == "" && it.chameleon {
		uri = it.target
	}
	return xmltree.Name{Space: uri, Local: name}
}
