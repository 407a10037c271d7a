package profile

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// open stands for any entry of a list.
const open = -1

// place is a path of the invoice object apart from its indexes.
type place struct {
	pattern string // with [] for lists
	index   []int  // of each list, or open
}

// parsePlace takes a path such as items[3].allowances[].amount apart.
func parsePlace(path string) place {
	var at place
	var pattern strings.Builder
	for {
		before, rest, found := strings.Cut(path, "[")
		pattern.WriteString(before)
		if !found {
			break
		}
		digits, after, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(digits)
		if err != nil {
			i = open
		}
		at.index = append(at.index, i)
		pattern.WriteString("[]")
		path = after
	}
	at.pattern = pattern.String()
	return at
}

// String is the path with its indexes.
func (p place) String() string {
	var b strings.Builder
	parts := strings.Split(p.pattern, "[]")
	for i, part := range parts {
		b.WriteString(part)
		switch {
		case i == len(parts)-1:
		case i < len(p.index) && p.index[i] >= 0:
			b.WriteString("[" + strconv.Itoa(p.index[i]) + "]")
		default:
			b.WriteString("[]")
		}
	}
	return b.String()
}

// entry is the index in the first list of the path: 0 without a list.
func (p place) entry() int {
	if len(p.index) == 0 {
		return 0
	}
	return p.index[0]
}

// list is the path of the first list.
func (p place) list() string {
	name, _, found := strings.Cut(p.pattern, "[]")
	if !found {
		return ""
	}
	return name
}

// member reaches one member of the invoice, or the same one of each entry of a list.
type member struct {
	id       int
	pattern  string
	listName string
	list     []int // struct indexes on the way to the list
	way      []int // from the invoice or the entry on
	inner    []int // from the entry to a list in it, of whose entries the member is; those are not looked into
}

// newMember resolves a path by the JSON names of the invoice object. It panics where there is no such member: paths stand in
// the program, and a test resolves them all.
func newMember(at place) *member {
	m := &member{pattern: at.pattern, listName: at.list()}
	lists := strings.Split(at.pattern, "[]")
	t := reflect.TypeFor[invoice.Invoice]()
	if len(lists) > 1 {
		m.list, t = resolve(t, lists[0])
		t, lists = t.Elem(), lists[1:]
	}
	m.way, t = resolve(t, lists[0])
	if len(lists) > 1 {
		m.inner, m.way = m.way, nil
		resolve(t.Elem(), lists[1])
	}
	return m
}

// resolve follows JSON names through structs and pointers.
func resolve(t reflect.Type, path string) (way []int, at reflect.Type) {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if name == "" {
			continue
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		i := fieldNamed(t, name)
		if i < 0 {
			panic("profile: " + t.String() + " has no member " + strconv.Quote(name))
		}
		way, t = append(way, i), t.Field(i).Type
	}
	return way, t
}

func fieldNamed(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return i
		}
	}
	return -1
}

// reach follows struct indexes; the zero Value where a pointer on the way is nil.
func reach(v reflect.Value, way []int) reflect.Value {
	for _, i := range way {
		if v.Kind() == reflect.Pointer {
			if v = v.Elem(); !v.IsValid() {
				return v
			}
		}
		v = v.Field(i)
	}
	return v
}

// marks tells which entries set the member; those of items count on with the lines below them.
func (m *member) marks(root reflect.Value, below []*invoice.Item) marks {
	out := marks{count: 1}
	if m.list == nil {
		if isSet(root, m.way) {
			out.set(0)
		}
		return out
	}
	list := reach(root, m.list)
	if !list.IsValid() || m.inner != nil {
		return marks{}
	}
	if m.listName != lineList {
		below = nil
	}
	out.count = list.Len() + len(below)
	for i := range list.Len() {
		if isSet(list.Index(i), m.way) {
			out.set(i)
		}
	}
	for i, it := range below {
		if isSet(reflect.ValueOf(it).Elem(), m.way) {
			out.set(list.Len() + i)
		}
	}
	return out
}

// lineList is the list of the lines.
const lineList = "items"

// entry is an entry of the member's list, or the zero Value. After the lines of the invoice those below them count on.
func (m *member) entry(list reflect.Value, below []*invoice.Item, i int) reflect.Value {
	switch at := i - list.Len(); {
	case at < 0:
		return list.Index(i)
	case m.listName == lineList && at < len(below):
		return reflect.ValueOf(below[at]).Elem()
	}
	return reflect.Value{}
}

func isSet(v reflect.Value, way []int) bool {
	v = reach(v, way)
	return v.IsValid() && !v.IsZero()
}

// holds tells whether the invoice sets the member, in the entry i where it is of a list.
func (m *member) holds(d *Draft, i int) bool {
	v := reflect.ValueOf(d.Invoice).Elem()
	if m.list != nil {
		if v = reach(v, m.list); v.IsValid() {
			v = m.entry(v, d.traces().below, i)
		}
	}
	return v.IsValid() && isSet(v, m.way)
}

// innerLen is the length of the list inside an entry.
func (m *member) innerLen(d *Draft, i int) int {
	v := reach(reflect.ValueOf(d.Invoice).Elem(), m.list)
	if v.IsValid() {
		v = m.entry(v, d.traces().below, i)
	}
	if !v.IsValid() {
		return 0
	}
	if v = reach(v, m.inner); v.IsValid() {
		return v.Len()
	}
	return 0
}
