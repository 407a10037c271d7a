//go:build oracles

package xsd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// TestOfficial_ShippedSchemasHaveTheSameStructure ensures that the schemas that ship say of every element that a document can
// hold the same as the official ones: content model, attributes, values, and the types that xsi:type may name instead.
func TestOfficial_ShippedSchemasHaveTheSameStructure(t *testing.T) {
	official := newOfficialFiles(t)
	for _, name := range slices.Sorted(maps.Keys(shippedSchemas)) {
		want := official.schema(name)
		if want == nil {
			continue
		}
		c := comparison{ours: shippedSchema(t, name), official: want, seen: map[[2]typeRef]bool{}}
		c.roots()
		t.Logf("%s: %d types compared", name, len(c.seen))
		for _, d := range c.differences {
			t.Errorf("%s: %s", name, d)
		}
		if len(c.seen) < 40 {
			t.Errorf("%s: only %d types have been compared", name, len(c.seen))
		}
	}
}

// comparison walks through two schemas side by side.
type comparison struct {
	ours, official *Schema
	seen           map[[2]typeRef]bool
	differences    []string
}

func (c *comparison) differ(where, what string, ours, official any) {
	c.differences = append(c.differences, fmt.Sprintf("%s: %s: %v, want %v", where, what, ours, official))
}

// roots compares the global elements: all that ours has, and all that the official schema has in namespaces other than that of
// UBL's library, of which ours has only what an invoice or a credit note can hold.
func (c *comparison) roots() {
	official := globalElements(c.official)
	for name, ours := range globalElements(c.ours) {
		if official[name] == nil {
			c.differ(name.Local, "element", "there", "not there")
			continue
		}
		c.element(name.Local, ours, official[name])
		delete(official, name)
	}
	for name := range official {
		if !strings.HasSuffix(name.Space, "CommonAggregateComponents-2") && !strings.HasSuffix(name.Space, "CommonBasicComponents-2") {
			c.differ(name.Local, "element", "not there", "there")
		}
	}
}

func globalElements(s *Schema) map[xmltree.Name]*element {
	all := map[xmltree.Name]*element{}
	for _, e := range s.elements {
		if e != nil {
			all[e.name] = e
		}
	}
	return all
}

func (c *comparison) element(path string, ours, official *element) {
	if a, b := declaration(ours), declaration(official); a != b {
		c.differ(path, "declaration", a, b)
	}
	c.types(path, ours.typ, official.typ)
}

// declaration says what an element declaration has besides its type.
func declaration(e *element) string {
	s := fmt.Sprintf("%v global %v nillable %v abstract %v block %v head %v constraints %d", e.name, e.global, e.nillable, e.abstract, e.block, e.head != nil, len(e.constraints))
	if e.value != nil {
		s += fmt.Sprintf(" value %q fixed %v", e.value.text, e.value.fixed)
	}
	return s
}

func (c *comparison) types(path string, ours, official typeRef) {
	if c.seen[[2]typeRef{ours, official}] {
		return
	}
	c.seen[[2]typeRef{ours, official}] = true
	c.derived(path, ours, official)
	if a, b := values(ours.content()), values(official.content()); a != b {
		c.differ(path, "values", a, b)
	}
	if (ours.complex == nil) != (official.complex == nil) {
		c.differ(path, "complex type", ours.complex != nil, official.complex != nil)
	}
	if ours.complex == nil || official.complex == nil || ours.complex == official.complex {
		return
	}
	if a, b := complexFacts(ours.complex), complexFacts(official.complex); a != b {
		c.differ(path, "type", a, b)
	}
	a, b := leaves(ours.complex.particle), leaves(official.complex.particle)
	for i := range min(len(a), len(b)) {
		if a[i].element != nil && b[i].element != nil {
			c.element(path+"/"+a[i].element.name.Local, a[i].element, b[i].element)
		}
	}
}

// derived compares which named types a document may choose by xsi:type. Of types derived from a built-in type, ours may have
// fewer: those of UBL's library that no invoice can hold, and those that only stand between others.
func (c *comparison) derived(path string, ours, official typeRef) {
	if a, b := ours.name(), official.name(); a != b {
		c.differ(path, "name of the type", a, b)
	}
	a, b := derivedFrom(c.ours, ours), derivedFrom(c.official, official)
	if ours.simple != nil && ours.simple.builtin {
		b = slices.DeleteFunc(b, func(name string) bool { return !slices.Contains(a, name) })
	}
	if !slices.Equal(a, b) {
		c.differ(path, "derived types", a, b)
	}
}

func derivedFrom(s *Schema, base typeRef) []string {
	var all []string
	for name, t := range s.types {
		if base.complex != anyType && t.derivesFrom(base, 0) {
			all = append(all, fmt.Sprint(name))
		}
	}
	slices.Sort(all)
	return all
}

// complexFacts says what a complex type has besides its values and the types of its children.
func complexFacts(t *complexType) string {
	var b strings.Builder
	fmt.Fprintf(&b, "abstract %v block %v mixed %v content %s", t.abstract, t.block, t.mixed, contentFacts(t.particle))
	var uses []string
	for _, u := range t.uses {
		s := fmt.Sprintf(" @%v required %v %s", u.decl.name, u.required, values(u.decl.typ))
		if u.value != nil && u.value.fixed {
			s += fmt.Sprintf(" fixed %q", u.value.text)
		}
		uses = append(uses, s)
	}
	slices.Sort(uses)
	b.WriteString(strings.Join(uses, ""))
	if t.any != nil {
		fmt.Fprintf(&b, " @* %+v", *t.any)
	}
	return b.String()
}

// contentFacts writes a content model, without groups that say nothing.
func contentFacts(p *particle) string {
	if p == nil {
		return "empty"
	}
	return particleFacts(p.simplified())
}

func particleFacts(p *particle) string {
	var s string
	switch p.term {
	case termElement:
		s = p.element.name.Local
	case termWildcard:
		s = fmt.Sprintf("%+v", *p.wildcard)
	default:
		var parts []string
		for _, child := range p.children {
			parts = append(parts, particleFacts(child))
		}
		s = "(" + strings.Join(parts, map[term]string{termSequence: ", ", termChoice: " | ", termAll: " & "}[p.term]) + ")"
	}
	return fmt.Sprintf("%s{%d,%d}", s, p.min, p.max)
}

// leaves lists the elements and wildcards of a content model in order.
func leaves(p *particle) []*particle {
	if p == nil || !p.isGroup() {
		return slices.DeleteFunc([]*particle{p}, func(p *particle) bool { return p == nil })
	}
	var all []*particle
	for _, child := range p.children {
		all = append(all, leaves(child)...)
	}
	return all
}

// values says which values a simple type has.
func values(t *simpleType) string {
	if t == nil {
		return "none"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "variety %d primitive %d special %d white %d length %v digits %d %d", t.variety, t.prim, t.special, t.white, t.length, t.total, t.fraction)
	for name, l := range map[string]*limit{"lower": t.lower, "upper": t.upper} {
		if l != nil {
			fmt.Fprintf(&b, " %s %s %v", name, l.text, l.exclusive)
		}
	}
	fmt.Fprintf(&b, " patterns %d", len(t.patterns))
	if t.enum != nil {
		fmt.Fprintf(&b, " enumeration %q", slices.Sorted(slices.Values(t.enum.texts)))
	}
	for _, m := range t.members {
		b.WriteString(" member " + values(m))
	}
	if t.item != nil {
		b.WriteString(" item " + values(t.item))
	}
	return b.String()
}
