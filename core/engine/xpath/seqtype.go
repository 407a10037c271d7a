package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// kinds is a set of concrete item types, a bit for each.
type kinds uint64

// occurs says how many items there can be: any of the three bits.
type occurs uint8

const (
	noItem occurs = 1 << iota
	oneItem
	manyItems
)

const (
	atMostOne = noItem | oneItem
	anyNumber = noItem | oneItem | manyItems
	oneOrMore = oneItem | manyItems
)

// seqType is what is known statically about the value of an expression.
type seqType struct {
	kinds  kinds
	occurs occurs
}

func bit(t xdm.Type) kinds { return 1 << t }

// kindsOf is the set of the concrete types that are t.
func kindsOf(t xdm.Type) kinds {
	var set kinds
	for c := xdm.Node; c <= xdm.NOTATION; c++ {
		if c != xdm.AnyAtomic && c != xdm.Numeric && c.Is(t) {
			set |= bit(c)
		}
	}
	return set
}

// Sets of kinds that are asked for often.
var (
	nodeKind     = bit(xdm.Node)
	atomicKinds  = kindsOf(xdm.AnyAtomic)
	numericKinds = kindsOf(xdm.Numeric)
	stringKinds  = kindsOf(xdm.String)
	decimalKinds = kindsOf(xdm.Decimal)
	integerKinds = kindsOf(xdm.Integer)
	textKinds    = stringKinds | bit(xdm.UntypedAtomic) | bit(xdm.AnyURI)
	allKinds     = nodeKind | atomicKinds
)

// within tells whether all of k is in set; nothing is in no set.
func (k kinds) within(set kinds) bool { return k&^set == 0 }

// meets tells whether k and set have something in common.
func (k kinds) meets(set kinds) bool { return k&set != 0 }

func exactly(t xdm.Type) seqType { return seqType{kindsOf(t), oneItem} }

var (
	anyItems    = seqType{allKinds, anyNumber}
	emptyType   = seqType{0, noItem}
	booleanType = exactly(xdm.Boolean)
)

// single tells whether there is at most one item.
func (t seqType) single() bool { return t.occurs&manyItems == 0 }

// certain tells whether there is at least one item.
func (t seqType) certain() bool { return t.occurs&noItem == 0 }

// nodes tells whether all items are nodes.
func (t seqType) nodes() bool { return t.kinds.within(nodeKind) }

// atomic tells whether no item is a node.
func (t seqType) atomic() bool { return !t.kinds.meets(nodeKind) }

// or is what holds for a value of either type.
func (t seqType) or(u seqType) seqType { return seqType{t.kinds | u.kinds, t.occurs | u.occurs} }

// then is what holds for a value of one type followed by one of the other.
func (t seqType) then(u seqType) seqType {
	r := seqType{kinds: t.kinds | u.kinds}
	if t.occurs&noItem != 0 {
		r.occurs |= u.occurs
	}
	if u.occurs&noItem != 0 {
		r.occurs |= t.occurs
	}
	if t.occurs&oneOrMore != 0 && u.occurs&oneOrMore != 0 {
		r.occurs |= manyItems
	}
	return r
}

// times is what holds for as many values of u as t has items.
func (t seqType) times(u seqType) seqType {
	r := seqType{kinds: u.kinds, occurs: noItem}
	switch {
	case t.occurs == noItem:
		return emptyType
	case t.occurs == oneItem:
		return u
	case t.certain() && u.certain():
		r.occurs = 0
	}
	if t.occurs&oneItem != 0 {
		r.occurs |= u.occurs
	}
	if t.occurs&manyItems != 0 && u.occurs&oneOrMore != 0 {
		r.occurs |= manyItems
		if u.occurs&noItem != 0 {
			r.occurs |= oneItem
		}
	}
	return r
}

// atomized is what holds after atomization of an untyped document: an element or attribute gives an untyped value, a comment
// or processing instruction a string.
func (t seqType) atomized() seqType {
	if t.kinds.meets(nodeKind) {
		t.kinds = t.kinds&^nodeKind | bit(xdm.UntypedAtomic) | bit(xdm.String)
	}
	return t
}
