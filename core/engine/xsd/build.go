package xsd

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
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

// builder makes the components of a schema.
type builder struct {
	*loader
	schema      *Schema
	symbols     *symbols
	components  map[componentKey]*component
	constraints map[xmltree.Name]*constraint
	keyrefs     []keyref
	redefined   []*component // groups
	queue       []*pendingType
	pending     map[*complexType]*pendingType
	elements    []elementItem
	attributes  []attributeItem
	checker     checker
	depth       int // of components that are being read
	uses        int // attribute uses of all types and groups so far
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
		pending: map[*complexType]*pendingType{}, symbols: newSymbols(),
	}
	b.schema = &Schema{types: map[xmltree.Name]typeRef{}, notations: map[xmltree.Name]bool{}, limit: l.options.MaxViolations}
	if b.schema.limit <= 0 {
		b.schema.limit = defaultViolations
	}
	b.schema.simples = builtinList()
	b.checker.notations = b.schema.notations
	return b
}

func (b *builder) fail(at item, format string, args ...any) {
	if b.full() {
		return
	}
	b.fault(at.path, at.line(at.node), format, args...)
}

// all makes every component, then what follows from them together. They are read in the order of the files, so that faults
// are reported in that order; what is left then has been replaced by a redefinition.
func (b *builder) all() {
	for _, s := range b.order {
		b.register(s)
		b.schema.files = append(b.schema.files, s.path)
	}
	slices.Sort(b.schema.files)
	b.schema.files = slices.Compact(b.schema.files)
	for _, r := range b.redefinitions {
		b.redefine(r)
	}
	for _, s := range b.order {
		for it := range (item{source: s, node: s.root}).each {
			if b.full() {
				return
			}
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
		from.within.extends = true
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

// read makes a component, once. Types, groups and attribute groups that contain themselves are faults. Elements and complex
// types may contain themselves: who meets one that is being read is given it as it is, to be completed.
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
		if c.original != nil {
			b.read(c.original)
			b.redefined = append(b.redefined, c)
		}
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
