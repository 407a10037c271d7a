package mapping

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// gap is a member of the invoice object, or a struct or list with members, that no row covers.
type gap struct {
	name    string // JSON name
	pattern string // path with [] for lists
	index   int    // of the struct field
	members []*gap // empty for a leaf
}

// Unwritten is a member that holds something and has no place in the written document.
type Unwritten struct {
	Field string // JSON path of the first occurrence
	More  int    // further entries of the same list that hold it as well
}

// findUncovered compares the plan with the invoice object.
func (p *plan) findUncovered() {
	covered := map[string]bool{}
	for name := range p.table.Silent {
		covered[name] = true
	}
	p.cover(p.tree, "", covered)
	p.gaps = gapsOf(invoiceType, "", covered)
}

// cover collects the leaf members that the rows below n take, as paths with [] for lists.
func (p *plan) cover(n *node, prefix string, covered map[string]bool) {
	if n.scope != nil {
		prefix = join(base(prefix, n.scope), n.scope.name)
	}
	if n.row != nil && n.row.Codec != nil {
		for _, name := range n.row.Codec.Fields {
			covered[join(prefix, name)] = true
		}
	}
	if n.leaf != nil {
		covered[join(base(prefix, n.leaf), n.leaf.name)] = true
	}
	for _, a := range n.attrs {
		if a.leaf != nil {
			covered[join(base(prefix, a.leaf), a.leaf.name)] = true
		}
	}
	for _, c := range n.children {
		p.cover(c, prefix, covered)
	}
}

func base(prefix string, f *field) string {
	if f.absolute {
		return ""
	}
	return prefix
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// gapsOf lists the uncovered members of a struct type. A type that contains itself (sub-items) counts as one leaf there.
func gapsOf(t reflect.Type, prefix string, covered map[string]bool) []*gap {
	var gaps []*gap
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		inner, list := elementType(t.Field(i).Type)
		g := &gap{name: name, index: i, pattern: join(prefix, name)}
		if list {
			g.pattern += "[]"
		}
		if inner.Kind() == reflect.Struct && isGroup(inner) && inner != t {
			if g.members = gapsOf(inner, g.pattern, covered); len(g.members) > 0 {
				gaps = append(gaps, g)
			}
			continue
		}
		if !covered[strings.TrimSuffix(g.pattern, "[]")] && !covered[g.pattern] {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// elementType looks through pointers and lists.
func elementType(t reflect.Type) (inner reflect.Type, list bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		return t.Elem(), true
	}
	return t, false
}

// isGroup tells the structs of the invoice object from values such as decimals.
func isGroup(t reflect.Type) bool {
	return t.NumField() > 0 && t.Field(0).Tag.Get("json") != ""
}

// unwritten lists what the document could not hold.
func (r *writing) unwritten(root reflect.Value) []Unwritten {
	found := &unwritten{seen: map[*gap]int{}}
	found.members(root, r.plan.gaps, "")
	for i, f := range r.plan.direct {
		if !r.done[i] && present(f.get(root)) && !slices.ContainsFunc(found.list, func(u Unwritten) bool { return u.Field == f.name }) {
			if !r.doneElsewhere(f) {
				found.list = append(found.list, Unwritten{Field: f.name})
			}
		}
	}
	return found.list
}

// doneElsewhere tells whether another row wrote the same direct field.
func (r *writing) doneElsewhere(f *field) bool {
	for i, g := range r.plan.direct {
		if g.name == f.name && r.done[i] {
			return true
		}
	}
	return false
}

type unwritten struct {
	list []Unwritten
	seen map[*gap]int // gap to 1 + index in list
}

func (u *unwritten) members(v reflect.Value, gaps []*gap, prefix string) {
	for _, g := range gaps {
		m := v.Field(g.index)
		if m.Kind() == reflect.Pointer && m.Type().Elem().Kind() == reflect.Struct {
			if m.IsNil() {
				continue
			}
			m = m.Elem()
		}
		path := join(prefix, g.name)
		switch {
		case m.Kind() == reflect.Slice && len(g.members) > 0:
			for i := range m.Len() {
				u.members(m.Index(i), g.members, fmt.Sprintf("%s[%d]", path, i))
			}
		case len(g.members) > 0:
			u.members(m, g.members, path)
		case present(m):
			u.add(g, path)
		}
	}
}

func (u *unwritten) add(g *gap, path string) {
	if i := u.seen[g]; i > 0 {
		u.list[i-1].More++
		return
	}
	u.list = append(u.list, Unwritten{Field: path})
	u.seen[g] = len(u.list)
}
