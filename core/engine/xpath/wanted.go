package xpath

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// wanted is a sequence type as written: what a value must be, not what is known about one.
type wanted struct {
	occurs  occurs
	anyItem bool
	atomic  xdm.Type  // for an atomic type, abstract ones included
	test    *nodeTest // for a node
	text    string    // as written
	key     string    // the same for the same type only
}

// Occurrence indicators.
var indicators = map[byte]occurs{0: oneItem, '?': atMostOne, '*': anyNumber, '+': oneOrMore}

// seqType is what is known about a value that is as wanted.
func (w wanted) seqType() seqType {
	switch {
	case w.anyItem:
		return seqType{allKinds, w.occurs}
	case w.test != nil:
		return seqType{nodeKind, w.occurs}
	case w.atomic != xdm.None:
		return seqType{kindsOf(w.atomic), w.occurs}
	}
	return emptyType
}

// allows tells whether an item is of the item type.
func (w wanted) allows(i xdm.Item) bool {
	switch {
	case w.anyItem:
		return true
	case w.test != nil:
		return i.Type() == xdm.Node && w.test.match(nodeOf(i))
	}
	return i.Type().Is(w.atomic)
}

// allowsCount tells whether there may be n items.
func (w wanted) allowsCount(n int) bool {
	switch n {
	case 0:
		return w.occurs&noItem != 0
	case 1:
		return w.occurs&oneItem != 0
	}
	return w.occurs&manyItems != 0
}

// sequenceType resolves a sequence type (XPath 2.0, 2.5.3).
func (r *resolver) sequenceType(t syntax.SequenceType, at int) wanted {
	w := wanted{occurs: indicators[t.Occurrence], text: t.String()}
	switch {
	case t.Empty:
		w.occurs = noItem
	case t.AnyItem:
		w.anyItem = true
	case t.Test != nil:
		test := r.nodeTest(*t.Test, syntax.Child, at)
		w.test = &test
	case t.Atomic != nil:
		w.atomic = r.atomicType(*t.Atomic, at)
	}
	w.setKey()
	return w
}

// wantAtomic is an atomic type with an occurrence.
func wantAtomic(t xdm.Type, o occurs) wanted {
	w := wanted{atomic: t, occurs: o, text: t.String() + map[occurs]string{atMostOne: "?", anyNumber: "*", oneOrMore: "+"}[o]}
	w.setKey()
	return w
}

func (w *wanted) setKey() {
	w.key = fmt.Sprint(w.occurs, w.anyItem, w.atomic)
	if w.test != nil {
		w.key += w.test.key()
	}
}

// checksNodes tells whether not every node is of the item type.
func (w wanted) checksNodes() bool {
	return w.test != nil && (w.test.kinds != anyNode || !w.test.anyName())
}

// atomicType resolves the name of an atomic type; error XPST0051 when there is none.
func (r *resolver) atomicType(n syntax.Name, at int) xdm.Type {
	space := r.prefix(n.Prefix, r.static.DefaultElement, at)
	t, ok := xdm.TypeNamed(n.Local)
	if space != schemaSpace || !ok {
		r.fail("XPST0051", at, "there is no atomic type %v", n)
	}
	return t
}
