package mapping

import (
	"fmt"
	"reflect"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// entry reads an element into a new entry of a list, which stays when something was found for it. It is read at the place
// where it is to stand, which spares copying it, and taken off again where nothing was found. The room of a list that stays
// empty is kept for the next one of its row.
func (r *reading) entry(n *node, el xmltree.Node, scope reflect.Value) {
	list := n.scope.get(scope)
	if !list.IsValid() {
		list = reflect.New(reflect.SliceOf(n.scope.typ)).Elem()
	}
	at := list.Len()
	if r.ctx.Err() != nil || r.full(n) {
		return
	}
	if at == list.Cap() {
		r.makeRoom(list, n, el)
	}
	list.SetLen(at + 1)
	around := r.index
	r.index = at
	r.element(n, el, list.Index(at))
	r.index = around
	switch {
	case !list.Index(at).IsZero() && at == 0:
		n.scope.reach(scope).Set(list)
	case !list.Index(at).IsZero():
	case at == 0:
		r.spare[n] = list.Slice(0, 0)
		list.SetZero()
	default:
		list.SetLen(at)
	}
}

// nested reads an entry within an entry.
func (r *reading) nested(n *node, el xmltree.Node, scope reflect.Value) {
	if r.level == NestLimit {
		r.reportAll(el, tooDeep)
		return
	}
	r.level++
	r.entry(n, el, scope)
	r.level--
}

// The most that an invoice holds, so that small documents cannot take much memory: lines (contract, limits), and entries of all
// lists.
const (
	lineLimit  = 25_000
	entryLimit = 500_000
)

// ErrTooManyLines says that a document has more than 25,000 lines, or more than 500,000 entries in all its lists.
var ErrTooManyLines = fmt.Errorf("an invoice has at most %d lines, and at most %d entries in all its lists", lineLimit, entryLimit)

// full tells whether a list may not have another entry.
func (r *reading) full(n *node) bool {
	r.entries++
	if n.lines {
		r.lines++
	}
	if r.entries > entryLimit || r.lines > lineLimit {
		r.over = true
	}
	return r.over
}

// makeRoom makes room for an entry and those that seem to follow. An empty list takes the room that an earlier one left.
func (r *reading) makeRoom(list reflect.Value, n *node, el xmltree.Node) {
	if room, ok := r.spare[n]; ok && list.Len() == 0 {
		list.Set(room)
		delete(r.spare, n)
	}
	if list.Len() == list.Cap() {
		list.Grow(r.like(el))
	}
}

// room is for how many entries a list is made in advance at most: documents promise more than they hold.
const room = 25_000

// like counts an element and those of the same name after it.
func (r *reading) like(el xmltree.Node) int {
	count, name := 0, r.doc.Name(el)
	for end := r.doc.End(r.doc.Parent(el)); el < end && count < room; el = r.doc.End(el) {
		if r.doc.IsElement(el, name) {
			count++
		}
	}
	return count
}
