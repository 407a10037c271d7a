package profile

import (
	"reflect"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// Original gives the caller's name of a member of the canonical invoice, which may have indexes, or [] for any entry of a list:
// the member that a step took it from, else the same name. It holds what the caller had set against what is left of it; a
// Draft that Derive did not make gives every name back.
func (d *Draft) Original(field string) string {
	name, _ := d.origin(field)
	return name
}

// Repeated tells whether a member of the canonical invoice only repeats another one that the caller had set and that is still there.
func (d *Draft) Repeated(field string) bool {
	_, copied := d.origin(field)
	return copied
}

// origin gives the caller's name of a member, and whether a step copied it from there.
func (d *Draft) origin(field string) (name string, copied bool) {
	if d.given == nil || d.Profile.trails == nil {
		return field, false
	}
	at := parsePlace(field)
	if at.list() == lineList && at.entry() >= len(d.Invoice.Items) {
		return field, false
	}
	at = d.flat(at)
	for _, t := range d.Profile.trails().list {
		if from, ok := d.follow(t, at); ok {
			return d.named(from), t.copied
		}
	}
	if d.inserted[at.list()] && at.entry() > 0 {
		at.index[0]--
	}
	return d.named(at), false
}

// flat takes a member of a line within a line for one of a further entry of items: those lines count on after the invoice's own.
func (d *Draft) flat(at place) place {
	pattern, inner := strings.CutPrefix(at.pattern, lineList+"[].subItems[]")
	if !inner || len(d.traces().below) == 0 || at.index[0] < 0 || at.index[0] >= len(d.Invoice.Items) {
		return at
	}
	items, used := d.Invoice.Items[at.index[0]].SubItems, 1
	for {
		i := at.index[used]
		if used++; i < 0 || i >= len(items) {
			return at
		}
		deeper, more := strings.CutPrefix(pattern, ".subItems[]")
		if !more {
			n := len(d.Invoice.Items) + slices.Index(d.traces().below, &items[i])
			return place{pattern: lineList + "[]" + pattern, index: append([]int{n}, at.index[used:]...)}
		}
		pattern, items = deeper, items[i].SubItems
	}
}

// named is the path of a place that may be flat.
func (d *Draft) named(at place) string {
	path := at.String()
	rest := at.entry() - len(d.Invoice.Items)
	if at.list() != lineList || rest < 0 {
		return path
	}
	for line := range d.lines() {
		if _, within := line.Above(); !within {
			continue
		}
		if rest == 0 {
			_, member, _ := strings.Cut(path, "]")
			return line.String() + member
		}
		rest--
	}
	return path
}

// inserts notes that a step puts an entry in front of a list.
func (d *Draft) inserts(list string) {
	if d.inserted == nil {
		d.inserted = map[string]bool{}
	}
	d.inserted[list] = true
}

// follow goes a move back to its origin, when that is what filled the place. Within one list a move keeps the entry; from one
// list to another, any entry that has lost the member may be the one.
func (d *Draft) follow(t trail, at place) (place, bool) {
	if t.to.pattern != at.pattern || t.first && at.entry() > 0 || d.own(t, at) {
		return place{}, false
	}
	alike := t.from.listName != "" && t.from.listName == t.to.listName
	first, end := 0, d.traces().before[t.from.id].count
	if alike && at.entry() >= 0 {
		first, end = at.entry(), min(at.entry()+1, end)
	}
	for i := first; i < end; i++ {
		if d.moved(t, i) && (alike || d.belongs(t, i, at.entry())) {
			if alike {
				i = at.entry()
			}
			return place{pattern: t.from.pattern, index: []int{i}}, true
		}
	}
	return place{}, false
}

// own tells whether the caller had set the place himself. Of an entry in a list inside a list only the last can come from a
// move.
func (d *Draft) own(t trail, at place) bool {
	if t.to.inner != nil {
		return at.entry() >= 0 && at.index[1] >= 0 && at.index[1] != t.to.innerLen(d, at.entry())-1
	}
	entry := at.entry()
	if d.inserted[t.to.listName] && entry >= 0 {
		entry--
	}
	return d.traces().before[t.to.id].has(entry, at.entry() == open)
}

// moved tells whether an origin was set, and is not any more unless the step only copies.
func (d *Draft) moved(t trail, i int) bool {
	return d.traces().before[t.from.id].has(i, false) && (t.copied || !t.from.holds(d, i))
}

// belongs tells whether an entry of one list can have filled one of another: a line its own tax group.
func (d *Draft) belongs(t trail, from, to int) bool {
	if t.from.listName != "items" || t.to.listName != "taxSummary" || to < 0 || to >= len(d.Invoice.TaxSummary) {
		return true
	}
	line, group := d.line(from), &d.Invoice.TaxSummary[to]
	return invoice.TaxKeyOf(line.TaxCategoryCode, line.TaxRate) == invoice.TaxKeyOf(group.TaxCategoryCode, group.TaxRate)
}

// line is a line by its number: after those of the invoice the lines within them count on.
func (d *Draft) line(i int) *invoice.Item {
	if at := i - len(d.Invoice.Items); at >= 0 {
		return d.traces().below[at]
	}
	return &d.Invoice.Items[i]
}

// trails are the moves of a profile, made ready once.
type trails struct {
	list    []trail
	members []*member
}

// trail is a move or copy.
type trail struct {
	from, to *member
	copied   bool
	first    bool // to is the first entry of its list
}

func newTrails(steps []Step) *trails {
	t := &trails{}
	for _, s := range steps {
		for _, m := range s.Moves {
			t.add(m, false)
		}
		for _, m := range s.Copies {
			t.add(m, true)
		}
	}
	return t
}

func (t *trails) add(m Move, copied bool) {
	to := parsePlace(m.To)
	t.list = append(t.list, trail{from: t.member(parsePlace(m.From)), to: t.member(to), copied: copied, first: to.entry() == 0})
}

func (t *trails) member(at place) *member {
	for _, m := range t.members {
		if m.pattern == at.pattern {
			return m
		}
	}
	m := newMember(at)
	m.id = len(t.members)
	t.members = append(t.members, m)
	return m
}

// traces are what a draft needs to find the caller's members again.
type traces struct {
	before []marks         // by member of the profile's trails: where the caller had set it
	below  []*invoice.Item // the lines within lines of the canonical invoice, in their order
}

// traces compares what the caller gave with what became of it. Most drafts are never asked for a name.
func (d *Draft) traces() *traces {
	if d.traced == nil {
		d.traced = &traces{before: d.Profile.trails().record(d.given, d.within(d.given)), below: d.within(d.Invoice)}
	}
	return d.traced
}

// within lists the lines within lines of an invoice, in their order.
func (d *Draft) within(inv *invoice.Invoice) []*invoice.Item {
	var below []*invoice.Item
	for at, it := range d.linesOf(inv) {
		if _, within := at.Above(); within {
			below = append(below, it)
		}
	}
	return below
}

// record marks for each member where the invoice sets it.
func (t *trails) record(inv *invoice.Invoice, below []*invoice.Item) []marks {
	before := make([]marks, len(t.members))
	root := reflect.ValueOf(inv).Elem()
	for i, m := range t.members {
		before[i] = m.marks(root, below)
	}
	return before
}

// marks say which entries of a list set a member; a member without a list counts as one entry. There are some for each member
// of the trails, of as many entries as there are lines, hence bits.
type marks struct {
	bits  []uint64
	count int
}

func (m *marks) has(i int, any bool) bool {
	if any {
		return m.bits != nil
	}
	return i >= 0 && i < m.count && m.bits != nil && m.bits[i/64]&(1<<(i%64)) != 0
}

func (m *marks) set(i int) {
	if m.bits == nil {
		m.bits = make([]uint64, (m.count+63)/64)
	}
	m.bits[i/64] |= 1 << (i % 64)
}
