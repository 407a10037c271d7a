package mapping

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// gap is a member of the invoice object that no row covers, or that only qualifies another one; or a struct or list with such
// members.
type gap struct {
	name    string // JSON name
	pattern string // path with [] for lists
	index   int    // of the struct field
	text    int    // of the struct field whose text the member qualifies as an attribute: with that it is written. -1 without
	writers []writer
	members []*gap // empty for a leaf
}

// Unwritten is a member that holds something and has no place in the written document.
type Unwritten struct {
	Field   string // JSON path of the first occurrence
	More    int    // further entries of the same list of which the same is true
	Rounded bool   // it is written, but with fewer decimals than it has
}

// below is the path of the field in the group with that path.
func (f *field) below(prefix string) string {
	if f.absolute {
		return f.name
	}
	return join(prefix, f.name)
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// gapsOf lists the gaps of a struct type. A type that contains itself (sub-items) counts as one leaf there, or has the same gaps
// again where a row takes it.
func gapsOf(t reflect.Type, prefix string, covered coverage) []*gap {
	var gaps []*gap
	var nested *gap
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		inner, list := elementType(t.Field(i).Type)
		g := &gap{name: name, index: i, pattern: join(prefix, name), text: -1}
		if list {
			g.pattern += "[]"
		}
		if inner.Kind() == reflect.Struct && isGroup(inner) && inner != t {
			if g.members = gapsOf(inner, g.pattern, covered); len(g.members) > 0 {
				gaps = append(gaps, g)
			}
			continue
		}
		taken := covered[g.pattern]
		if taken != nil && inner == t {
			nested = g
			continue
		}
		if g.qualify(t, prefix, taken) {
			gaps = append(gaps, g)
		}
	}
	if nested != nil && len(gaps) > 0 {
		gaps = append(gaps, nested)
		nested.members = gaps
	}
	return gaps
}

// qualify says how rows take a leaf member, and tells whether it is a gap.
func (g *gap) qualify(t reflect.Type, prefix string, taken *cover) bool {
	if taken == nil {
		return true
	}
	if member, ok := memberOf(t, strings.TrimPrefix(taken.text, prefix+".")); ok {
		g.text = member.Index[0]
	}
	if !taken.whole {
		g.writers = taken.writers
	}
	return g.text >= 0 || len(g.writers) > 0
}

// loses tells what is lost of a leaf that holds something: of several rows the one counts that loses least. A row whose conditions do not
// hold loses all.
func (g *gap) loses(group, v reflect.Value, hold func([]given) bool) loss {
	switch {
	case g.text >= 0 && !present(group.Field(g.text)):
		return lost
	case g.text < 0 && len(g.writers) == 0:
		return lost
	}
	least := lossless
	for i, w := range g.writers {
		loses := lost
		if hold(w.conditions) {
			loses = w.loses(v)
		}
		if i == 0 || loses < least {
			least = loses
		}
	}
	return least
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
func (r *writing) unwritten() []Unwritten {
	found := &unwritten{of: r, seen: map[occurrence]int{}, every: r.every}
	found.below(r.root, 0, r.plan.gaps(), make([]byte, 0, 128))
	for _, f := range r.plan.direct {
		if present(f.get(r.root)) && !r.wrote(f) && !r.plan.outside[f.name] && !found.lists(f.name) {
			found.list = append(found.list, Unwritten{Field: f.name})
		}
	}
	return found.list
}

// wrote tells whether some row has written a direct field.
func (r *writing) wrote(f *field) bool {
	for i, other := range r.plan.direct {
		if r.done[i] && other.name == f.name {
			return true
		}
	}
	return false
}

// unwritten walks over an invoice along the gaps.
type unwritten struct {
	of    *writing
	way   []waypoint
	list  []Unwritten
	seen  map[occurrence]int // to 1 + index in list
	every bool               // each entry is listed
}

// waypoint is a struct on the way, with its position in its list.
type waypoint struct {
	group reflect.Value
	index int
}

// hold tells whether conditions hold. One that is asked of a group that is not on the way counts as held.
func (u *unwritten) hold(conditions []given) bool {
	for _, g := range conditions {
		for i := len(u.way) - 1; i >= 0; i-- {
			at := u.way[i]
			if at.group.Type() != g.group {
				continue
			}
			if !g.takes(u.of, at.group, at.index) {
				return false
			}
			break
		}
	}
	return true
}

// below visits the gaps of a struct on the way.
func (u *unwritten) below(group reflect.Value, index int, gaps []*gap, prefix []byte) {
	u.way = append(u.way, waypoint{group, index})
	u.members(group, gaps, prefix)
	u.way = u.way[:len(u.way)-1]
}

// occurrence is a gap with what is lost in it.
type occurrence struct {
	gap  *gap
	loss loss
}

func (u *unwritten) lists(field string) bool {
	return slices.ContainsFunc(u.list, func(w Unwritten) bool { return w.Field == field })
}

// members visits the gaps of a struct whose path is prefix; paths are made for what is found only.
func (u *unwritten) members(v reflect.Value, gaps []*gap, prefix []byte) {
	for _, g := range gaps {
		m := v.Field(g.index)
		switch {
		case len(g.members) > 0:
			u.group(m, g, prefix)
		case present(m) && m.Kind() == reflect.Map:
			u.national(m.Interface().(invoice.National), appendStep(prefix, g.name))
		case present(m):
			if loss := g.loses(v, m, u.hold); loss > lossless {
				u.add(occurrence{g, loss}, prefix)
			}
		}
	}
}

// national lists each path, for they have nothing in common but their member.
func (u *unwritten) national(national invoice.National, prefix []byte) {
	for path := range national.Sorted() {
		u.list = append(u.list, Unwritten{Field: string(appendStep(prefix, path))})
	}
}

func (u *unwritten) group(m reflect.Value, g *gap, prefix []byte) {
	if m.Kind() == reflect.Pointer {
		if m.IsNil() {
			return
		}
		m = m.Elem()
	}
	path := appendStep(prefix, g.name)
	if m.Kind() != reflect.Slice {
		u.below(m, 0, g.members, path)
		return
	}
	for i := range m.Len() {
		u.below(m.Index(i), i, g.members, appendIndex(path, i))
	}
}

func (u *unwritten) add(o occurrence, prefix []byte) {
	if i := u.seen[o]; i > 0 && (!u.every || len(u.list) >= LeafLimit) {
		u.list[i-1].More++
		return
	}
	u.list = append(u.list, Unwritten{Field: string(appendStep(prefix, o.gap.name)), Rounded: o.loss == rounded})
	u.seen[o] = len(u.list)
}

func appendStep(path []byte, name string) []byte {
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, name...)
}

func appendIndex(path []byte, i int) []byte {
	return append(strconv.AppendInt(append(path, '['), int64(i), 10), ']')
}
