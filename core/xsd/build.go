package xsd

import (
	"fmt"
	"io/fs"
	"strings"

	"einvoiced/core/xmltree"
)

// Compile reads the schema documents at the given paths of fsys with all that they include, import and redefine, and compiles
// them. Faults of the schema are SchemaErrors; other errors come from fsys or the options. Nothing outside fsys is read.
func Compile(fsys fs.FS, opt Options, entries ...string) (*Schema, error) {
	l, err := newLoader(fsys, opt)
	if err != nil {
		return nil, err
	}
	for _, file := range entries {
		l.entry(file)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("compile a schema: no file is named")
	}
	b := newBuilder(l)
	if len(l.faults) == 0 {
		b.all()
	}
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return b.schema, nil
}

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

// builder makes the components of a schema.
type builder struct {
	*loader
	schema      *Schema
	components  map[componentKey]*component
	constraints map[xmltree.Name]*constraint
	keyrefs     []keyref
	queue       []*pendingType
	pending     map[*complexType]*pendingType
	elements    []elementItem
	attributes  []attributeItem
	wildcards   []*wildcard
	checker     checker
	depth       int // of components that are being read
}

// elementItem and attributeItem remember where declarations stand whose values can be checked only at the end.
type elementItem struct {
	*element
	at item
}

type attributeItem struct {
	value *valueConstraint
	typ   *simpleType
	at    item
}

// keyref is a reference to a key that may be defined later.
type keyref struct {
	constraint *constraint
	refer      xmltree.Name
	at         item
}

func newBuilder(l *loader) *builder {
	b := &builder{
		loader: l, components: map[componentKey]*component{}, constraints: map[xmltree.Name]*constraint{},
		pending: map[*complexType]*pendingType{},
	}
	b.schema = &Schema{symbols: newSymbols(), types: map[xmltree.Name]typeRef{}, notations: map[xmltree.Name]bool{}, limit: l.options.MaxViolations}
	if b.schema.limit <= 0 {
		b.schema.limit = defaultViolations
	}
	b.schema.simples = builtinList()
	b.checker.notations = b.schema.notations
	return b
}

func (b *builder) fail(at item, format string, args ...any) {
	b.fault(at.path, at.line(at.node), format, args...)
}

// all makes every component, then what follows from them together.
func (b *builder) all() {
	for _, s := range b.order {
		b.register(s)
	}
	for _, r := range b.redefinitions {
		b.redefine(r)
	}
	for _, s := range b.order {
		for it := range (item{source: s, node: s.root}).each {
			if kind, ok := componentElements[it.name()]; ok {
				c := b.read(b.components[b.keyOf(it, kind)])
				if s.entry && kind == componentElement && c != nil {
					b.schema.entries = append(b.schema.entries, c.element)
				}
			}
		}
	}
	for _, c := range b.components {
		b.read(c)
	}
	b.finishTypes()
	if len(b.faults) == 0 {
		b.finish()
	}
}

func (b *builder) keyOf(it item, kind componentKind) componentKey {
	local, _ := it.attr("name")
	return componentKey{kind, xmltree.Name{Space: it.target, Local: local}}
}

// register takes note of the global components of a document.
func (b *builder) register(s *source) {
	for it := range (item{source: s, node: s.root}).each {
		kind, ok := componentElements[it.name()]
		if !ok {
			continue
		}
		key := b.keyOf(it, kind)
		if old := b.components[key]; old != nil {
			if !sameText(old.at, it) {
				b.fail(it, "the %s %s is defined twice, also in %s line %d", kind.describe(), key.name.Local, old.at.path, old.at.line(old.at.node))
			}
			continue
		}
		b.components[key] = &component{componentKey: key, at: it}
		if kind == componentNotation {
			b.schema.notations[key.name] = true
		}
	}
}

// sameText tells whether two files define the same thing in the same words, as copies of a schema in several folders do.
func sameText(a, b item) bool {
	return a.path != b.path && string(a.text()) == string(b.text())
}

func (it item) text() []byte {
	end := len(it.doc.Source())
	if n := it.doc.End(it.node); int(n) < it.doc.Len() {
		end = it.doc.Offset(n)
	}
	return trimBlank(it.doc.Source()[it.doc.Offset(it.node):end])
}

// redefine puts the components inside a redefine element in the place of those they change.
func (b *builder) redefine(r redefinition) {
	for it := range (item{source: r.in, node: r.node}).each {
		kind := componentElements[it.name()]
		key := b.keyOf(it, kind)
		old := b.components[key]
		if old == nil {
			b.fail(it, "there is no %s %s to redefine in %s", kind.describe(), key.name.Local, r.of.path)
			continue
		}
		c := &component{componentKey: key, original: old}
		c.at = item{r.in, it.node, c}
		b.components[key] = c
	}
}

// find gives the component that a reference means, or nil after a fault.
func (b *builder) find(kind componentKind, name xmltree.Name, from item) *component {
	key := componentKey{kind, name}
	if from.within != nil && from.within.componentKey == key {
		return b.read(from.within.original)
	}
	c := b.components[key]
	switch {
	case c == nil:
		b.fail(from, "there is no %s %s%s", kind.describe(), name.Local, from.whyMissing(name.Space))
		return nil
	case name.Space != from.target && !from.imports[name.Space]:
		b.fail(from, "the %s %s is used, but its namespace %q is not imported", kind.describe(), name.Local, name.Space)
	}
	return b.read(c)
}

func (s *source) whyMissing(space string) string {
	if len(s.missing) > 0 {
		return fmt.Sprintf(" in the namespace %q; files that are not there: %s", space, strings.Join(s.missing, ", "))
	}
	return inSpace(space)
}

// read makes a component, once. Types, groups and attribute groups that contain themselves are faults.
func (b *builder) read(c *component) *component {
	if c.state == read {
		return c
	}
	if c.state == reading {
		if c.kind == componentElement || c.typ.complex != nil {
			return c
		}
		b.fail(c.at, "the %s %s is made of itself", c.kind.describe(), c.name.Local)
		return nil
	}
	if b.depth++; b.depth > maxDerivation {
		b.fail(c.at, "the %s %s depends on too many others", c.kind.describe(), c.name.Local)
		return nil
	}
	defer func() { b.depth-- }()
	c.state = reading
	switch c.kind {
	case componentElement:
		c.element = &element{global: true}
		b.element(c.element, c.at, c.name)
		b.globalElement(c.element)
	case componentAttribute:
		c.attribute = b.attribute(c.at, c.name)
		b.globalAttribute(c.attribute)
	case componentType:
		b.globalType(c)
	case componentGroup:
		c.group = b.namedGroup(c)
	case componentAttributeGroup:
		c.attributes = b.attributeSet(c.at)
	}
	c.state = read
	return c
}

func (b *builder) globalElement(e *element) {
	b.schema.elements = extended(b.schema.elements, int(e.sym))
	b.schema.elements[e.sym] = e
}

func (b *builder) globalAttribute(a *attribute) {
	b.schema.attributes = extended(b.schema.attributes, int(a.sym))
	b.schema.attributes[a.sym] = a
}

// extended is s with room for index n.
func extended[T any](s []*T, n int) []*T {
	for len(s) <= n {
		s = append(s, nil)
	}
	return s
}
