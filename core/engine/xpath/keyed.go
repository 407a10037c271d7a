package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// A sum like sum(../../line[category = 'S'][rate = $rate]/amount) is asked for at every group of a document, and depends on little of
// it: where ../.. leads to, and the value of $rate. Once it has been asked for a few times in a document, its values are kept by these.

// aggregates are the functions whose values are kept: they look at many items and give one.
var aggregates = []string{"sum", "count", "avg", "min", "max"}

// worthKeeping is how often an aggregate is computed in a document before its values are kept.
const worthKeeping = 16

// keptValues are the values of one aggregate in one document.
type keptValues struct {
	stamp    uint64
	computed int
	values   map[valueKey]xdm.Item
}

// valueKey is all that a value depends on.
type valueKey struct {
	nodes [mostAnchors]node
	texts string
}

// mostAnchors is from how many nodes an aggregate may start.
const mostAnchors = 2

// input is something that a value depends on: a node, or an atomic item.
type input struct {
	e         expr
	anchor    bool // a node
	ofCurrent bool // evaluated at the current node
}

// inputs collects what an aggregate depends on.
type inputs struct {
	list    []input
	locals  uint64 // the variables that are bound outside of the aggregate
	cost    int    // of the variables in whose values they were found
	unknown bool   // it depends on something else as well
}

// keyed compiles an aggregate whose values are kept by what it depends on; nil for other calls.
func (k *compiler) keyed(e *call) oneFunc {
	i := e.info()
	if !slices.Contains(aggregates, e.fn.name) || i.key == 0 || i.needs&(needsPosition|needsLast) != 0 ||
		i.needs&(needsFocus|needsCurrent) == 0 && i.locals == 0 {
		return nil
	}
	in := &inputs{locals: i.locals}
	for _, arg := range e.args {
		in.collect(arg, true, false)
	}
	if in.unknown || in.anchors() > mostAnchors || i.cost+in.cost < worth {
		return nil
	}
	fresh, keyOf, at := k.oneOfCall(e), k.keyOf(in.list), place(&k.program.kept)
	return func(m *Machine, f node) xdm.Item {
		kept := &m.kept[at]
		if kept.stamp != m.stamp {
			kept.stamp, kept.computed = m.stamp, 0
			clear(kept.values)
		}
		if kept.computed++; kept.computed < worthKeeping {
			return fresh(m, f)
		}
		key, ok := keyOf(m, f)
		if !ok {
			return fresh(m, f)
		}
		value, known := kept.values[key]
		if m.tick(1); !known {
			value = fresh(m, f)
			if kept.values == nil {
				kept.values = map[valueKey]xdm.Item{}
			}
			kept.values[key] = value
		}
		return value
	}
}

func (in *inputs) anchors() (count int) {
	for _, i := range in.list {
		if i.anchor {
			count++
		}
	}
	return count
}

// collect finds the inputs of an expression. focus tells whether its context item is that of the aggregate, or the current node where
// ofCurrent is set.
func (in *inputs) collect(e expr, focus, ofCurrent bool) {
	switch i := e.info(); {
	case in.unknown, i.needs&^(needsRoot|needsDocument) == 0 && i.locals == 0 && !(focus && i.needs&needsRoot != 0):
		return
	case focus && isAbove(e):
		in.add(input{e, true, ofCurrent})
		return
	case in.isValue(e):
		in.add(input{e, false, ofCurrent})
		return
	}
	switch e := e.(type) {
	case *contextItem:
		in.unknown = in.unknown || focus
	case *rootNode:
		if focus {
			in.add(input{e, true, ofCurrent})
		}
	case *varRef:
		in.collectVariable(e.v)
	case *step:
		in.collect(e.in, focus, ofCurrent)
		in.collectAll(conditions(e.preds))
	case *slash:
		in.collect(e.left, focus, ofCurrent)
		in.collectAll([]expr{e.right})
	case *filter:
		in.collect(e.base, focus, ofCurrent)
		in.collectAll(conditions(e.preds))
	case *call:
		in.unknown = in.unknown || e.fn.needs != 0
		in.collectParts(e, focus, ofCurrent)
	case *userCall:
		in.unknown = in.unknown || e.needs&needsCurrent != 0
		in.collectParts(e, focus, ofCurrent)
	default:
		in.collectParts(e, focus, ofCurrent)
	}
}

func (in *inputs) collectParts(e expr, focus, ofCurrent bool) {
	for _, p := range parts(e) {
		in.collect(p, focus, ofCurrent)
	}
}

// collectAll finds the inputs of expressions with context items of their own.
func (in *inputs) collectAll(list []expr) {
	for _, e := range list {
		in.collect(e, false, false)
	}
}

// collectVariable finds the inputs of a variable that is no input itself: those of its value.
func (in *inputs) collectVariable(v *variable) {
	switch {
	case v.scope == scopeCurrent && v.value != nil:
		in.cost += v.value.info().cost
		in.collect(v.value, true, true)
	case v.scope == scopeLocal && v.depthBit()&in.locals == 0: // bound within the aggregate
	default:
		in.unknown = true
	}
}

// isValue tells whether an expression is a variable that is bound outside of the aggregate and has one number or text.
func (in *inputs) isValue(e expr) bool {
	ref, ok := e.(*varRef)
	if !ok || !ref.typ.single() || !ref.typ.kinds.within(textKinds|numericKinds) {
		return false
	}
	return ref.v.scope == scopeCurrent || ref.v.scope == scopeLocal && ref.v.direct && ref.v.depthBit()&in.locals != 0
}

// isAbove tells whether an expression is a parent of the context item, or one of that.
func isAbove(e expr) bool {
	s, ok := e.(*step)
	if !ok || s.axis != syntax.Parent || len(s.preds) > 0 {
		return false
	}
	_, here := s.in.(*contextItem)
	return here || isAbove(s.in)
}

func (in *inputs) add(i input) {
	same := func(other input) bool {
		return other.e.info().key == i.e.info().key && other.anchor == i.anchor && other.ofCurrent == i.ofCurrent && i.e.info().key != 0
	}
	if !slices.ContainsFunc(in.list, same) {
		in.list = append(in.list, i)
	}
}

// keyOf compiles the key of what an aggregate depends on; ok is false where something of it cannot be evaluated, which the aggregate
// may not ask for.
func (k *compiler) keyOf(list []input) func(m *Machine, f node) (key valueKey, ok bool) {
	values := make([]oneFunc, len(list))
	for i, in := range list {
		values[i] = k.one(in.e)
	}
	return func(m *Machine, f node) (key valueKey, ok bool) {
		before := suspended{m.frame, m.item, m.pos, m.size}
		ok = m.attempt(before, func() {
			anchors, texts := 0, make([]byte, 0, 32)
			for i, in := range list {
				at := f
				if in.ofCurrent {
					at = m.current
				}
				value := values[i](m, at)
				if in.anchor && value.Exists() {
					key.nodes[anchors] = nodeOf(value)
				}
				if in.anchor {
					anchors++
					continue
				}
				texts = append(texts, byte(value.Type()))
				texts = append(append(texts, value.String()...), 0)
			}
			key.texts = string(texts)
		})
		return key, ok
	}
}
