package invoice

import (
	"iter"
	"strconv"
)

// LinePath is where a line stands. The text is made when it is asked for: there may be 25,000 lines.
type LinePath struct {
	above *LinePath // the line that holds it; nil for an entry of items
	index int
}

// String is the JSON path, e.g. items[3].subItems[0].
func (p LinePath) String() string {
	if p.above == nil {
		return "items[" + strconv.Itoa(p.index) + "]"
	}
	return p.above.String() + ".subItems[" + strconv.Itoa(p.index) + "]"
}

// Above tells which line holds the line; false for an entry of items.
func (p LinePath) Above() (LinePath, bool) {
	if p.above == nil {
		return LinePath{}, false
	}
	return *p.above, true
}

// Lines goes through the lines of an invoice, each before the lines within it.
func (inv *Invoice) Lines() iter.Seq2[LinePath, *Item] {
	return func(yield func(LinePath, *Item) bool) { walkLines(inv.Items, nil, yield) }
}

// TopLines goes through the lines of an invoice, without those within them.
func (inv *Invoice) TopLines() iter.Seq2[LinePath, *Item] {
	return func(yield func(LinePath, *Item) bool) {
		for i := range inv.Items {
			if !yield(LinePath{index: i}, &inv.Items[i]) {
				return
			}
		}
	}
}

// walkLines is false when the visitor has had enough.
func walkLines(items []Item, above *LinePath, yield func(LinePath, *Item) bool) bool {
	for i := range items {
		at := LinePath{above: above, index: i}
		if !yield(at, &items[i]) {
			return false
		}
		if len(items[i].SubItems) > 0 {
			inner := at
			if !walkLines(items[i].SubItems, &inner, yield) {
				return false
			}
		}
	}
	return true
}
