package mapping

import (
	"errors"
	"reflect"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// list is what the rows of a list have in common.
type list struct {
	rows []*node        // in the order of the table
	way  map[*node]bool // elements between that of the enclosing group and theirs
}

// listed is a list of the invoice or of a group.
type listed struct {
	owner *node
	name  string
}

// addToList notes that a row has entries of a list of its owner.
func (p *plan) addToList(n, owner *node) {
	key := listed{owner, n.scope.name}
	l := p.lists[key]
	if l == nil {
		l = &list{way: map[*node]bool{}}
		p.lists[key] = l
		p.inOrder = append(p.inOrder, l)
	}
	l.rows = append(l.rows, n)
	n.list = l
	for at := n.parent; at != owner; at = at.parent {
		l.way[at] = true
	}
}

var (
	errNotLast = errors.New("without a condition it takes every entry of the list, and the rows after it get none")
	errLast    = errors.New("the last row of a list takes what the others leave, so it cannot have a condition")
)

// checkLists holds that each entry of a list finds its row.
func (p *plan) checkLists() error {
	for _, l := range p.inOrder {
		for i, n := range l.rows[:len(l.rows)-1] {
			if n.row.when == nil {
				return l.rows[i].row.fault(errNotLast)
			}
		}
		if last := l.rows[len(l.rows)-1]; len(l.rows) > 1 && last.row.when != nil {
			return last.row.fault(errLast)
		}
	}
	return nil
}

// enter gives the group's struct, or the entry of its list; invalid where there is none.
func (f *field) enter(group reflect.Value, index int) reflect.Value {
	if !group.IsValid() {
		return group
	}
	v := f.get(group)
	switch {
	case !v.IsValid():
		return v
	case !f.list:
		return v.Elem()
	case index < v.Len():
		return v.Index(index)
	}
	return reflect.Value{}
}

// index is the position of an element's entry in its list; group is the struct that the list is a member of, if it is known.
func (l *Locator) index(owner, at traced, group reflect.Value) int {
	if !at.row.scope.list {
		return 0
	}
	o := l.ordinal(owner, at)
	if !group.IsValid() {
		return o.inList
	}
	if entries := l.writtenEntries(owner, at, group); o.inRow < len(entries) {
		return entries[o.inRow]
	}
	return o.inList
}

// writtenEntries lists the entries that a row has written.
func (l *Locator) writtenEntries(owner, at traced, group reflect.Value) []int {
	key := written{owner.el, at.row}
	entries, known := l.entries[key]
	if known {
		return entries
	}
	if v := at.row.scope.get(group); v.IsValid() {
		for i := range v.Len() {
			if entry := v.Index(i); l.written.rowOf(at.row, entry, i) == at.row && l.written.present(at.row, entry, i) {
				entries = append(entries, i)
			}
		}
	}
	l.entries[key] = entries
	return entries
}

// ordinal counts the elements of a list, in the order of the document.
func (l *Locator) ordinal(owner, at traced) ordinal {
	key := counted{owner.el, at.row.list}
	if !l.counted[key] {
		l.counted[key] = true
		inRow, inList := map[*node]int{}, 0
		l.count(owner, at.row.list, func(row *node, el xmltree.Node) {
			l.ordinals[el] = ordinal{inList, inRow[row]}
			inList++
			inRow[row]++
		})
	}
	return l.ordinals[at.el]
}

// count visits the elements of a list below one.
func (l *Locator) count(at traced, list *list, visit func(row *node, el xmltree.Node)) {
	for el := range elements(l.doc, at.el) {
		switch n := l.match(at.row, el); {
		case n == nil:
		case n.list == list:
			visit(n, el)
		case list.way[n]:
			l.count(traced{n, el}, list, visit)
		}
	}
}
