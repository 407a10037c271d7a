package xpath

import (
	"math"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// positionalStep compiles a step with a predicate that asks for positions, counted along the axis from each context node.
func (k *compiler) positionalStep(e *step, sink nodeSink) nodeSink {
	stages := k.stages(e.preds, func(m *Machine, i xdm.Item) bool { return sink(m, nodeOf(i)) })
	walk := k.axis(e, wellOrdered, func(m *Machine, f node) bool { return stages.take(m, f.item()) })
	return func(m *Machine, f node) bool {
		stages.start(m)
		walk(m, f)
		return stages.end(m)
	}
}

// eachFilter walks over the items of a sequence that pass predicates.
func (k *compiler) eachFilter(e *filter, sink itemSink) walkFunc {
	if one := k.oneOfPosition(e); one != nil {
		return func(m *Machine, f node) bool {
			i := one(m, f)
			return i.Exists() && sink(m, i)
		}
	}
	stages := k.stages(e.preds, sink)
	walk := k.each(e.base, stages.take)
	return func(m *Machine, f node) bool {
		stages.start(m)
		walk(m, f)
		return stages.end(m)
	}
}

// stages is a row of predicates before a sink. start is called before the first item, take for each item (it tells whether no
// more are needed), end after the last one; end tells whether the sink stopped.
type stages struct {
	start func(m *Machine)
	take  itemSink
	end   func(m *Machine) bool
}

// What the first stage that knows it keeps in its place: whether the sink stopped.
const (
	running = iota
	stopped
)

// stages puts predicates before a sink, from the last to the first.
func (k *compiler) stages(preds []predicate, sink itemSink) stages {
	state := place(&k.layout.counts)
	s := stages{
		start: func(m *Machine) { m.frame.counts[state] = running },
		take: func(m *Machine, i xdm.Item) bool {
			if sink(m, i) {
				m.frame.counts[state] = stopped
				return true
			}
			return false
		},
		end: func(m *Machine) bool { return m.frame.counts[state] == stopped },
	}
	for i := len(preds) - 1; i >= 0; i-- {
		k.within(func() { s = k.stage(preds[i], s) })
	}
	return s
}

// stage puts one predicate before other stages.
func (k *compiler) stage(p predicate, next stages) stages {
	switch {
	case p.kind == truthPredicate:
		cond := k.truth(p.cond)
		take := next.take
		next.take = func(m *Machine, i xdm.Item) bool { return m.holds(cond, i) && take(m, i) }
		return next
	case p.kind == indexPredicate:
		n, _ := p.cond.(*literal).item.Int64()
		return k.indexStage(int(n), next)
	case p.kind == lastPredicate:
		return k.lastStage(next)
	case p.kind == numericPredicate && isSteady(p.cond):
		return k.positionStage(p.cond, next)
	}
	holds := k.placed(p)
	if p.cond.info().needs&needsLast != 0 {
		return k.sizedStage(holds, next)
	}
	return k.countedStage(holds, next)
}

// indexStage lets the item at one position pass and wants no more.
func (k *compiler) indexStage(n int, next stages) stages {
	at := place(&k.layout.counts)
	return stages{
		start: func(m *Machine) { m.frame.counts[at] = 0; next.start(m) },
		take: func(m *Machine, i xdm.Item) bool {
			m.frame.counts[at]++
			if m.frame.counts[at] < n {
				return false
			}
			next.take(m, i)
			return true
		},
		end: next.end,
	}
}

// isSteady tells whether a position is the same for all items.
func isSteady(e expr) bool {
	return isDecimal(e) && e.info().needs&(needsPlace|needsRoot) == 0
}

// positionStage lets the item at a position pass that is computed when the first item comes, and wants no more. Without items
// the position is not asked for, nor does an error in it come.
func (k *compiler) positionStage(position expr, next stages) stages {
	at, wanted, one := place(&k.layout.counts), place(&k.layout.counts), k.one(position)
	return stages{
		start: func(m *Machine) { m.frame.counts[at] = 0; next.start(m) },
		take: func(m *Machine, i xdm.Item) bool {
			here := m.frame.counts[at] + 1
			if here == 1 {
				n := wholeNumber(one(m, node{}))
				m.frame.counts[wanted] = n
			}
			m.frame.counts[at] = here
			if here == m.frame.counts[wanted] {
				next.take(m, i)
			}
			return here >= m.frame.counts[wanted]
		},
		end: next.end,
	}
}

// wholeNumber is the value of a decimal that may be a position, 0 for others.
func wholeNumber(i xdm.Item) int {
	if n, whole := i.Int64(); whole && n > 0 && n < math.MaxInt32 {
		return int(n)
	}
	return 0
}

// lastStage lets the last item pass.
func (k *compiler) lastStage(next stages) stages {
	at := place(&k.layout.items)
	return stages{
		start: func(m *Machine) { m.frame.items[at] = xdm.Item{}; next.start(m) },
		take:  func(m *Machine, i xdm.Item) bool { m.frame.items[at] = i; return false },
		end: func(m *Machine) bool {
			if i := m.frame.items[at]; i.Exists() {
				next.take(m, i)
			}
			return next.end(m)
		},
	}
}

// countedStage evaluates a condition that may ask for the position but not for the number of items.
func (k *compiler) countedStage(holds boolFunc, next stages) stages {
	at := place(&k.layout.counts)
	return stages{
		start: func(m *Machine) { m.frame.counts[at] = 0; next.start(m) },
		take: func(m *Machine, i xdm.Item) bool {
			m.frame.counts[at]++
			return m.holdsAt(holds, i, m.frame.counts[at], 0) && next.take(m, i)
		},
		end: next.end,
	}
}

// sizedStage collects the items to know their number.
func (k *compiler) sizedStage(holds boolFunc, next stages) stages {
	at := place(&k.layout.sequences)
	return stages{
		start: func(m *Machine) { m.frame.sequences[at] = m.frame.sequences[at][:0]; next.start(m) },
		take:  collect(at),
		end: func(m *Machine) bool {
			list := m.frame.sequences[at]
			for n, i := range list {
				if m.holdsAt(holds, i, n+1, len(list)) && next.take(m, i) {
					break
				}
			}
			return next.end(m)
		},
	}
}

// placed compiles the condition of a predicate that may be a number, which the position must equal.
func (k *compiler) placed(p predicate) boolFunc {
	switch p.kind {
	case placePredicate:
		return k.truth(p.cond)
	case numericPredicate:
		one := k.one(p.cond)
		return func(m *Machine, f node) bool { return m.atPosition(one(m, f)) }
	}
	return k.openCondition(p.cond)
}

// openCondition compiles a condition of which only its value shows whether it is a number.
func (k *compiler) openCondition(e expr) boolFunc {
	decisive := k.decisive(e)
	return func(m *Machine, f node) bool {
		i := decisive(m, f)
		if i.Type().IsNumeric() {
			return m.atPosition(i)
		}
		return m.truthOf(i)
	}
}

func (m *Machine) atPosition(i xdm.Item) bool {
	equal, _ := xdm.Compare(xdm.Equal, i, xdm.Int64(int64(m.pos)), 0)
	return equal
}

// holds evaluates a condition with an item as context item.
func (m *Machine) holds(cond boolFunc, i xdm.Item) bool {
	if i.Type() == xdm.Node {
		return cond(m, nodeOf(i))
	}
	outer := m.item
	m.item = i
	value := cond(m, node{})
	m.item = outer
	return value
}

// holdsAt is holds with a position and size; size is 0 where nobody asks for it.
func (m *Machine) holdsAt(cond boolFunc, i xdm.Item, pos, size int) bool {
	outerPos, outerSize := m.pos, m.size
	m.pos, m.size = pos, size
	value := m.holds(cond, i)
	m.pos, m.size = outerPos, outerSize
	return value
}
