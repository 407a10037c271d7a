package xdm

import (
	"math"

	"einvoiced/core/decimal"
)

// Item is an atomic value, a node, or nothing: the zero Item stands for the empty sequence where at most one item is
// possible. Items are values; copy them freely. Strings are not copied, so an Item made of a document's text lives only as
// long as the document.
type Item struct {
	typ   Type
	scale uint8  // of a decimal: digits after the point
	num   int64  // boolean, decimal without its point, bits of a float64, number of a node
	str   string // what is text; the octets of the binary types
	ref   any    // *decimal.Decimal, *Moment, *Span, *Name, or the tree of a node; nil for decimals that num and scale hold
}

// binary marks a decimal that is the exact value of the float64 whose bits are in num. Its fifty digits are computed only when
// they are asked for, which a comparison seldom does.
type binary struct{}

// Name is an expanded name with the prefix it was written with.
type Name struct{ Space, Local, Prefix string }

// String is the name as written.
func (n Name) String() string {
	if n.Prefix == "" {
		return n.Local
	}
	return n.Prefix + ":" + n.Local
}

// Type is the item's type; None for nothing.
func (i Item) Type() Type { return i.typ }

// Exists tells whether there is an item.
func (i Item) Exists() bool { return i.typ != None }

// Text is a string as xs:string.
func Text(s string) Item { return Item{typ: String, str: s} }

// Untyped is a string as xs:untypedAtomic.
func Untyped(s string) Item { return Item{typ: UntypedAtomic, str: s} }

// URI is a string as xs:anyURI.
func URI(s string) Item { return Item{typ: AnyURI, str: s} }

// True and False are the two booleans.
var (
	True  = Item{typ: Boolean, num: 1}
	False = Item{typ: Boolean}
)

// Bool is a boolean.
func Bool(b bool) Item {
	if b {
		return True
	}
	return False
}

// Int64 is an xs:integer.
func Int64(n int64) Item { return Item{typ: Integer, num: n} }

// Float64 is an xs:double.
func Float64(f float64) Item { return Item{typ: Double, num: int64(math.Float64bits(f))} }

// Float32 is an xs:float.
func Float32(f float32) Item { return Item{typ: Float, num: int64(math.Float64bits(float64(f)))} }

// QualifiedName is an xs:QName.
func QualifiedName(n Name) Item { return Item{typ: QName, ref: &n} }

// NodeItem is a node: its number in a tree, which must be a pointer.
func NodeItem(tree any, number uint32) Item { return Item{typ: Node, num: int64(number), ref: tree} }

// maxSmallScale is the largest scale that an Item holds without a decimal.Decimal.
const maxSmallScale = 18

// Dec is an xs:decimal.
func Dec(d decimal.Decimal) Item { return number(Decimal, d) }

// number makes a decimal or integer, in the small form if it fits.
func number(t Type, d decimal.Decimal) Item {
	scale := d.Scale()
	if scale > maxSmallScale {
		d = d.Trim()
		scale = d.Scale()
	}
	if scale <= maxSmallScale {
		if n, ok := d.Mul(decimal.New(1, -scale)).Int64(); ok {
			return Item{typ: t, num: n, scale: uint8(scale)}
		}
	}
	return Item{typ: t, ref: &d}
}

// Longer tells whether a decimal has more than that many bits, of which there are at least 128; see decimal.Decimal.
func (i Item) Longer(bits int) bool {
	d, ok := i.ref.(*decimal.Decimal)
	return ok && d.Longer(bits)
}

// Text gives the string of an item whose type IsText, the octets of a binary one.
func (i Item) Text() string { return i.str }

// Bool gives the value of a boolean.
func (i Item) Bool() bool { return i.num != 0 }

// Float gives the value of an xs:double or xs:float.
func (i Item) Float() float64 { return math.Float64frombits(uint64(i.num)) }

// Node gives the tree and the number of a node.
func (i Item) Node() (tree any, number uint32) { return i.ref, uint32(i.num) }

// Name gives the value of an xs:QName or xs:NOTATION.
func (i Item) Name() Name { return *i.ref.(*Name) }

// small tells whether num and scale hold the value of a decimal.
func (i Item) small() bool { return i.ref == nil }

// isBinary tells whether a decimal is the exact value of a float64.
func (i Item) isBinary() bool { return i.ref == any(binary{}) }

// Decimal gives the value of an xs:decimal or xs:integer.
func (i Item) Decimal() decimal.Decimal {
	switch ref := i.ref.(type) {
	case *decimal.Decimal:
		return *ref
	case binary:
		return exactDecimal(i.Float())
	}
	return decimal.New(i.num, int(i.scale))
}

// Int64 gives the value of a decimal that is a whole number; false when it is none or does not fit.
func (i Item) Int64() (int64, bool) {
	if i.small() && i.scale == 0 {
		return i.num, true
	}
	return i.Decimal().Int64()
}

// as gives the item with another type of the same representation.
func (i Item) as(t Type) Item {
	i.typ = t
	return i
}
