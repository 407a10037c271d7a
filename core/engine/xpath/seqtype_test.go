package xpath

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

func genSeqType(t *rapid.T, name string) seqType {
	types := []xdm.Type{xdm.Node, xdm.String, xdm.UntypedAtomic, xdm.Integer, xdm.Decimal, xdm.Double, xdm.Boolean}
	typ := seqType{occurs: occurs(rapid.IntRange(1, 7).Draw(t, name+" occurs"))}
	if typ.occurs == noItem {
		return emptyType
	}
	for _, kind := range rapid.SliceOfNDistinct(rapid.SampledFrom(types), 1, 3, rapid.ID).Draw(t, name) {
		typ.kinds |= bit(kind)
	}
	return typ
}

// draw gives the kinds of the items of a value of a type.
func (t seqType) draw(rt *rapid.T, name string) []kinds {
	var counts []int
	for n, o := range []occurs{noItem, oneItem, manyItems, manyItems} {
		if t.occurs&o != 0 {
			counts = append(counts, n)
		}
	}
	items := make([]kinds, rapid.SampledFrom(counts).Draw(rt, name))
	var all []kinds
	for k := kinds(1); k != 0; k <<= 1 {
		if t.kinds.meets(k) {
			all = append(all, k)
		}
	}
	for i := range items {
		items[i] = rapid.SampledFrom(all).Draw(rt, name)
	}
	return items
}

// holds tells whether a value is of a type.
func (t seqType) holds(items []kinds) bool {
	for _, k := range items {
		if !k.within(t.kinds) {
			return false
		}
	}
	return wanted{occurs: t.occurs}.allowsCount(len(items))
}

func TestStaticTypesHoldWhateverTheValues(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := genSeqType(rt, "a"), genSeqType(rt, "b")
		x, y := a.draw(rt, "x"), b.draw(rt, "y")
		if !a.or(b).holds(x) || !a.or(b).holds(y) {
			rt.Errorf("%v or %v is %v, which excludes %v or %v", a, b, a.or(b), x, y)
		}
		if both := append(append([]kinds(nil), x...), y...); !a.then(b).holds(both) {
			rt.Errorf("%v then %v is %v, which excludes %v", a, b, a.then(b), both)
		}
		var product []kinds
		for range x {
			product = append(product, b.draw(rt, "each")...)
		}
		if !a.times(b).holds(product) {
			rt.Errorf("%v times %v is %v, which excludes %v", a, b, a.times(b), product)
		}
		if a.single() && len(x) > 1 || a.certain() && len(x) == 0 {
			rt.Errorf("%v has the value %v", a, x)
		}
	})
}

func TestKindsOfTypes(t *testing.T) {
	for _, c := range []struct {
		of, in xdm.Type
		want   bool
	}{
		{xdm.Byte, xdm.Integer, true}, {xdm.Integer, xdm.Numeric, true}, {xdm.Double, xdm.Decimal, false},
		{xdm.Node, xdm.AnyAtomic, false}, {xdm.DayTimeDuration, xdm.Duration, true}, {xdm.UntypedAtomic, xdm.String, false},
	} {
		if got := bit(c.of).within(kindsOf(c.in)); got != c.want {
			t.Errorf("%v within %v: %v", c.of, c.in, got)
		}
	}
	node := seqType{nodeKind, oneItem}.atomized()
	if node.kinds != bit(xdm.UntypedAtomic)|bit(xdm.String) || !node.atomic() || node.nodes() {
		t.Errorf("the typed value of a node is %v", node)
	}
}
