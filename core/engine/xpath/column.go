package xpath

import (
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Of a long document a rule that goes over all lines finds nothing in the processor's caches, and many rules ask the same of each
// line. What a chain of steps, a condition, a text or a number gives for the elements of one name is kept in a column, which lies in
// memory without gaps: the next rule reads that instead of the document. The ends of chains that several rules follow are worth
// keeping in short documents, too.

// column holds what an expression gives for the elements of one name, the first one it was evaluated for that has many.
type column struct {
	t      *tree
	from   []xmltree.Node // all elements of the name
	last   int            // place of the one asked for last
	truths []kept         // of a condition; of texts and numbers, isTrue for those that are known
	ends   []xmltree.Node // of a chain
	values []xdm.Item     // of a text or number
}

// kept is a truth value that may not be known yet.
type kept uint8

const (
	notKnown kept = iota
	isFalse
	isTrue
)

// What stands in column.ends beside nodes, and xmltree.None where a chain leads nowhere.
const (
	notFollowed xmltree.Node = 0
	several                  = xmltree.None - 1
)

const (
	worthColumn    = 256 // least number of elements that have a column in a long document
	worthValue     = 4   // least cost of a text or number that is kept; that of a condition is worthSharing
	worthEndColumn = 8   // least number of elements that have one of the ends of a chain in any document
	shortText      = 8   // longest text, in bytes, of which equal ones share memory in columns
	shortTexts     = 256 // how many different ones do
)

// columnKey tells apart what has a column of its own: forms of expressions, and chains.
type columnKey struct {
	form form
	what string
}

// column gives the place of a column; what is the key of an expression, or a chain.
func (k *compiler) column(f form, what any) int {
	key := columnKey{f, fmt.Sprint(what)}
	at, known := k.columns[key]
	if !known {
		at = place(&k.program.columns)
		k.columns[key] = at
	}
	return at
}

// repeated tells whether what is compiled is evaluated for the same nodes again and again.
func (k *compiler) repeated() bool { return k.loops > 0 && !k.singly }

// worthColumn tells whether the value of an expression that costs enough is worth keeping for each node.
func (k *compiler) worthColumn(e expr, cost int) bool {
	i := e.info()
	return k.repeated() && k.uses[i.key] > 1 && isClosed(e) && i.needs&needsFocus != 0 && i.cost >= cost
}

// isKeptValue tells whether an expression is a text or number that is worth keeping for each node.
func (k *compiler) isKeptValue(e expr) bool {
	switch e := e.(type) {
	case *cast, *atomize:
	case *call:
		if e.fn.text == nil {
			return false
		}
	default:
		return false
	}
	t := e.info().typ
	return t.single() && (t.kinds.within(textKinds) || t.kinds.within(decimalKinds)) && k.worthColumn(e, worthValue)
}

// columnOf gives the column at a place with f as its last element; nil when f has no place there.
func (m *Machine) columnOf(at int, f node) *column {
	if f.t == nil || !f.t.long {
		return nil
	}
	return m.placeIn(&m.columns[at], f, worthColumn)
}

// placeIn makes f the last element of a column for elements that are many; nil when it has no place there.
func (m *Machine) placeIn(c *column, f node, many int) *column {
	if c.t != f.t && !c.begin(f, many) {
		return nil
	}
	if c.last = seek(c.from, c.last, f.n); c.last == len(c.from) || c.from[c.last] != f.n {
		return nil
	}
	m.tick(1)
	return c
}

// begin makes it a column of the elements named as f, if they are many. The memory of ends serves for the next document, since nothing is
// evaluated while they are found.
func (c *column) begin(f node, many int) bool {
	doc := f.t.doc
	if doc.Kind(f.n) != xmltree.KindElement {
		return false
	}
	from := doc.Elements(doc.Name(f.n))
	if len(from) < many {
		return false
	}
	*c = column{t: f.t, from: from, ends: c.ends[:0]}
	return true
}

// seek gives the place of the first member of a sorted list that is not before n. It is looked for from a place on, because most walks go
// through the document in its order.
func seek(list []xmltree.Node, at int, n xmltree.Node) int {
	if at < len(list) && list[at] == n {
		return at
	}
	if at+1 < len(list) && list[at+1] == n {
		return at + 1
	}
	if at == len(list) || list[at] > n {
		at, _ = slices.BinarySearch(list[:at], n)
		return at
	}
	low, step := at, 1
	for at < len(list) && list[at] < n {
		low = at + 1
		at += step
		step *= 2
	}
	found, _ := slices.BinarySearch(list[low:min(at, len(list))], n)
	return low + found
}

// truthInColumn compiles a condition that is kept for each node; fresh evaluates it.
func (k *compiler) truthInColumn(e expr, fresh boolFunc) boolFunc {
	at := k.column(truthForm, e.info().key)
	return func(m *Machine, f node) bool {
		c := m.columnOf(at, f)
		if c == nil {
			return fresh(m, f)
		}
		if c.truths == nil {
			c.truths = make([]kept, len(c.from))
		}
		known := &c.truths[c.last]
		if *known == notKnown {
			value := fresh(m, f)
			if *known = isFalse; value {
				*known = isTrue
			}
		}
		return *known == isTrue
	}
}

// oneInColumn compiles a text or number that is kept for each node. What it is made of has no columns then: it is asked for
// once for each node.
func (k *compiler) oneInColumn(e expr) oneFunc {
	at, outer := k.column(oneForm, e.info().key), k.singly
	k.singly = true
	fresh := k.freshOne(e)
	k.singly = outer
	return func(m *Machine, f node) xdm.Item {
		c := m.columnOf(at, f)
		if c == nil {
			return fresh(m, f)
		}
		if c.values == nil {
			c.truths, c.values = make([]kept, len(c.from)), make([]xdm.Item, len(c.from))
		}
		i, truths, values := c.last, c.truths, c.values // fresh may change the column
		if truths[i] == notKnown {
			values[i] = m.compact(fresh(m, f))
			truths[i] = isTrue
		}
		return values[i]
	}
}

// compact gives short texts that are equal the same memory, so that to compare them is not to look into the document.
func (m *Machine) compact(i xdm.Item) xdm.Item {
	text := i.Text()
	if text == "" || len(text) > shortText {
		return i
	}
	shared, ok := m.shared[text]
	if !ok {
		if len(m.shared) == shortTexts {
			return i
		}
		if m.shared == nil {
			m.shared = map[string]string{}
		}
		shared = text
		m.shared[text] = text
	}
	switch i.Type() {
	case xdm.String:
		return xdm.Text(shared)
	case xdm.UntypedAtomic:
		return xdm.Untyped(shared)
	}
	return i
}

// endColumn is the column of the ends of a chain.
type endColumn struct {
	chain nameChain
	at    int  // its place
	often bool // several expressions follow the chain
}

// endColumn gives the column of a chain.
func (k *compiler) endColumn(c nameChain) *endColumn {
	return &endColumn{chain: c, at: k.column(listForm, c), often: k.followed[k.builder.keyText(anys(c)...)] > 1}
}

// columnAt is Machine.columnOf, in a short document too where the chain is followed often.
func (x *endColumn) columnAt(m *Machine, f node) *column {
	switch {
	case !x.often:
		return m.columnOf(x.at, f)
	case f.t == nil:
		return nil
	}
	return m.placeIn(&m.columns[x.at], f, worthEndColumn)
}

// of gives the only node that the chain leads to, None for none; ok is false where the chain must be followed.
func (x *endColumn) of(m *Machine, f node) (end xmltree.Node, ok bool) {
	c := x.columnAt(m, f)
	if c == nil {
		return xmltree.None, false
	}
	if len(c.ends) == 0 {
		c.ends = slices.Grow(c.ends, len(c.from))[:len(c.from)]
		clear(c.ends)
	}
	to := &c.ends[c.last]
	if *to == notFollowed {
		*to = x.chain.sole(m, f)
	}
	return *to, *to != several
}

// sole follows the chain to its only end: None when there is none, several when there are more.
func (c nameChain) sole(m *Machine, f node) xmltree.Node {
	found := xmltree.None
	c.each(m, f, func(_ *Machine, end node) bool {
		if found != xmltree.None {
			found = several
			return true
		}
		found = end.n
		return false
	})
	return found
}
