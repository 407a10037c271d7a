package xdm

import (
	"cmp"
	"strings"
)

// Relation is a comparison.
type Relation uint8

// The comparisons.
const (
	Equal Relation = iota
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
)

// relationText are the relations as value comparisons are written.
var relationText = [...]string{"eq", "ne", "lt", "le", "gt", "ge"}

// String is the operator of the value comparison.
func (r Relation) String() string { return relationText[r] }

// Mirrored is the relation that holds between b and a exactly when r holds between a and b.
func (r Relation) Mirrored() Relation {
	switch r {
	case Less:
		return Greater
	case LessOrEqual:
		return GreaterOrEqual
	case Greater:
		return Less
	case GreaterOrEqual:
		return LessOrEqual
	}
	return r
}

// Holds tells whether the relation holds for the result of a three-way comparison.
func (r Relation) Holds(order int) bool {
	switch r {
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case Less:
		return order < 0
	case LessOrEqual:
		return order <= 0
	case Greater:
		return order > 0
	}
	return order >= 0
}

// ordered tells whether the relation asks for more than equality.
func (r Relation) ordered() bool { return r >= Less }

// HoldsFloat compares two floats after IEEE 754: NaN is equal to nothing.
func (r Relation) HoldsFloat(a, b float64) bool {
	switch r {
	case Equal:
		return a == b
	case NotEqual:
		return a != b
	case Less:
		return a < b
	case LessOrEqual:
		return a <= b
	case Greater:
		return a > b
	}
	return a >= b
}

// Compare is a value comparison of two atomic items (XPath 2.0, 3.5.1 and appendix B.2): untyped values are strings, strings
// are compared by code point. zone is the implicit timezone in minutes. The error is XPTY0004.
func Compare(r Relation, a, b Item, zone int) (bool, error) {
	switch {
	case a.typ.IsText() && b.typ.IsText():
		return r.Holds(strings.Compare(a.Text(), b.Text())), nil
	case a.typ.IsDecimal() && b.typ.IsDecimal():
		return r.Holds(compareDecimals(a, b)), nil
	case a.typ.IsNumeric() && b.typ.IsNumeric():
		if a.typ == Double || b.typ == Double {
			return r.HoldsFloat(a.AsFloat(), b.AsFloat()), nil
		}
		return r.HoldsFloat(a.asFloat32(), b.asFloat32()), nil
	case a.typ.Is(Duration) && b.typ.Is(Duration):
		return compareSpans(r, a, b)
	case a.typ.Primitive() != b.typ.Primitive():
		return false, incomparable(r, a, b)
	}
	return compareSame(r, a, b, zone)
}

func incomparable(r Relation, a, b Item) error {
	return Errorf("XPTY0004", "values of the types %v and %v cannot be compared with %v", a.typ, b.typ, r)
}

// compareSame compares items of one primitive type.
func compareSame(r Relation, a, b Item, zone int) (bool, error) {
	switch a.typ {
	case Boolean:
		return r.Holds(int(a.num - b.num)), nil
	case Date:
		if a.isDay() && b.isDay() {
			return r.Holds(cmp.Compare(a.num, b.num)), nil
		}
		return r.Holds(compareMoments(a.Moment(), b.Moment(), zone)), nil
	case DateTime, Time:
		return r.Holds(compareMoments(a.Moment(), b.Moment(), zone)), nil
	}
	if r.ordered() {
		return false, incomparable(r, a, b)
	}
	switch a.typ {
	case GYearMonth, GYear, GMonthDay, GDay, GMonth:
		return r.Holds(compareMoments(a.Moment(), b.Moment(), zone)), nil
	case HexBinary, Base64Binary:
		return r.Holds(strings.Compare(a.Text(), b.Text())), nil
	case QName, NOTATION:
		x, y := a.Name(), b.Name()
		return (x.Local == y.Local && x.Space == y.Space) == (r == Equal), nil
	}
	return false, incomparable(r, a, b)
}

// compareSpans compares durations: any two for equality, two of the same subtype for order. Months have no fixed length, so
// that durations as such have no order (F&O 10.4).
func compareSpans(r Relation, a, b Item) (bool, error) {
	if r.ordered() && (a.typ != b.typ || a.typ == Duration) {
		return false, incomparable(r, a, b)
	}
	x, y := a.Span(), b.Span()
	if x.Months != y.Months {
		return r.Holds(compareInts(x.Months, y.Months)), nil
	}
	return r.Holds(x.Seconds.Cmp(y.Seconds)), nil
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// GeneralCompare is a general comparison of two atomic items (XPath 2.0, 3.5.2): an untyped value becomes a double beside a
// number, a string beside a string or another untyped value, and else what the other one is. Errors are XPTY0004 and FORG0001.
func GeneralCompare(r Relation, a, b Item, zone int) (bool, error) {
	if a.typ == UntypedAtomic && !b.typ.IsText() || b.typ == UntypedAtomic && !a.typ.IsText() {
		var err error
		if a, b, err = likeOther(a, b); err != nil {
			return false, err
		}
	}
	return Compare(r, a, b, zone)
}

// likeOther casts the untyped one of two items to suit the other.
func likeOther(a, b Item) (Item, Item, error) {
	if b.typ == UntypedAtomic {
		b, a, err := likeOther(b, a)
		return a, b, err
	}
	t := b.typ.Primitive()
	if b.typ.IsNumeric() {
		t = Double
	}
	if t == QName || t == NOTATION {
		return a, b, incomparable(Equal, a, b)
	}
	a, err := Cast(a, t)
	return a, b, err
}
