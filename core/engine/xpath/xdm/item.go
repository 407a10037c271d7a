package xdm

import (
	"math"
	"unsafe"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Item is an atomic value, a node, or nothing: the zero Item stands for the empty sequence where at most one item is
// possible. Items are values; copy them freely. Strings are not copied, so an Item made of a document's text lives only as
// long as the document.
//
// An Item is as small as it is because evaluation consists of handing them on: two of them fit the registers of a call. What ref
// points to follows from the type.
type Item struct {
	typ   Type
	scale uint8          // of a decimal: digits after the point; octets where there is a string
	num   int64          // boolean, decimal without its point, bits of a float64, number of a node, length of a string
	ref   unsafe.Pointer // a string; a decimal.Decimal, Moment, Span, Name, or the tree of a node; nil for what num holds
}

// octets in Item.scale says that num and ref are a string: what is text, or the octets of the binary types.
const octets = 0xFF

// binary marks, in Item.ref, a decimal that is the exact value of the float64 whose bits are in num. Its fifty digits are computed
// only when they are asked for, which a comparison seldom does.
var binary = unsafe.Pointer(new(int64))

// stringItem is an item of a type of strings or octets.
func stringItem(t Type, s string) Item {
	return Item{typ: t, scale: octets, num: int64(len(s)), ref: unsafe.Pointer(unsafe.StringData(s))}
}

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
func Text(s string) Item { return stringItem(String, s) }

// Untyped is a string as xs:untypedAtomic.
func Untyped(s string) Item { return stringItem(UntypedAtomic, s) }

// URI is a string as xs:anyURI.
func URI(s string) Item { return stringItem(AnyURI, s) }

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
func QualifiedName(n Name) Item { return Item{typ: QName, ref: unsafe.Pointer(&n)} }

// NodeItem is a node: its number in a tree, of which only who made the item knows the type.
func NodeItem(tree unsafe.Pointer, number uint32) Item {
	return Item{typ: Node, num: int64(number), ref: tree}
}

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
	return Item{typ: t, ref: unsafe.Pointer(&d)}
}

// Longer tells whether a decimal has more than that many bits, of which there are at least 128; see decimal.Decimal.
func (i Item) Longer(bits int) bool {
	return i.ref != nil && i.typ.IsDecimal() && !i.isBinary() && (*decimal.Decimal)(i.ref).Longer(bits)
}

// Text gives the string of an item whose type IsText, the octets of a binary one.
func (i Item) Text() string {
	if i.scale != octets {
		return ""
	}
	return unsafe.String((*byte)(i.ref), i.num)
}

// Bool gives the value of a boolean.
func (i Item) Bool() bool { return i.num != 0 }

// Float gives the value of an xs:double or xs:float.
func (i Item) Float() float64 { return math.Float64frombits(uint64(i.num)) }

// Node gives the tree and the number of a node.
func (i Item) Node() (tree unsafe.Pointer, number uint32) {
	i.must(i.typ == Node)
	return i.ref, uint32(i.num)
}

// Name gives the value of an xs:QName or xs:NOTATION.
func (i Item) Name() Name {
	i.must(i.typ == QName || i.typ == NOTATION)
	return *(*Name)(i.ref)
}

// must ends the program where it takes ref for what it is not: a mistake in the program, whatever documents and rules say.
func (i Item) must(be bool) {
	if !be {
		panic("xdm: a value of type " + i.typ.String() + " is taken for another")
	}
}

// small tells whether num and scale hold the value of a decimal.
func (i Item) small() bool { return i.ref == nil }

// isBinary tells whether a decimal is the exact value of a float64.
func (i Item) isBinary() bool { return i.ref == binary }

// Decimal gives the value of an xs:decimal or xs:integer.
func (i Item) Decimal() decimal.Decimal {
	switch i.ref {
	case nil:
		return decimal.New(i.num, int(i.scale))
	case binary:
		return exactDecimal(i.Float())
	}
	i.must(i.typ.IsDecimal())
	return *(*decimal.Decimal)(i.ref)
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
