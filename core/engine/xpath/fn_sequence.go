package xpath

import (
	"math"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// sequenceFunctions are the functions of F&O 15.1 to 15.3 and fn:data.
var sequenceFunctions = []entry{
	{name: "data", params: "item()*", result: "xs:anyAtomicType*", each: eachDatum, refine: func(args []expr) seqType {
		return args[0].info().typ.atomized()
	}},
	{name: "index-of", params: "xs:anyAtomicType* xs:anyAtomicType", result: "xs:integer*", impl: sequenceFunc(indexOf)},
	{name: "index-of", params: "xs:anyAtomicType* xs:anyAtomicType xs:string", result: "xs:integer*", impl: sequenceFunc(indexOf)},
	{name: "distinct-values", params: "xs:anyAtomicType*", result: "1*", impl: sequenceFunc(distinctValues)},
	{name: "distinct-values", params: "xs:anyAtomicType* xs:string", result: "1*", impl: sequenceFunc(distinctValues)},
	{name: "insert-before", params: "item()* xs:integer item()*", result: "item()*", impl: sequenceFunc(insertBefore)},
	{name: "remove", params: "item()* xs:integer", result: "1*", impl: sequenceFunc(remove)},
	{name: "reverse", params: "item()*", result: "1*", impl: sequenceFunc(reverse)},
	{name: "subsequence", params: "item()* xs:double", result: "1*", impl: sequenceFunc(subsequence)},
	{name: "subsequence", params: "item()* xs:double xs:double", result: "1*", impl: sequenceFunc(subsequence)},
	{name: "unordered", params: "item()*", result: "1*", impl: sequenceFunc(same), keepsOrder: true},
	{name: "zero-or-one", params: "item()*", result: "1?", impl: cardinality(atMostOne, "FORG0003"), keepsOrder: true, refine: limited(atMostOne)},
	{name: "one-or-more", params: "item()*", result: "1+", impl: cardinality(oneOrMore, "FORG0004"), keepsOrder: true, refine: limited(oneOrMore)},
	{name: "exactly-one", params: "item()*", result: "1", impl: cardinality(oneItem, "FORG0005"), keepsOrder: true, refine: limited(oneItem)},
	{name: "deep-equal", params: "item()* item()*", result: "xs:boolean", impl: sequenceFunc(deepEqual)},
	{name: "deep-equal", params: "item()* item()* xs:string", result: "xs:boolean", impl: sequenceFunc(deepEqual)},
}

func eachDatum(k *compiler, args []expr, sink itemSink) walkFunc {
	return k.eachAtom(&atomize{facts: facts{typ: args[0].info().typ.atomized()}, operand: args[0]}, sink)
}

// equalOrNot compares two items that may be of types that cannot be compared; NaN equals NaN if asked for.
func (m *Machine) equalOrNot(a, b xdm.Item, nan bool) bool {
	equal, err := xdm.Compare(xdm.Equal, a, b, m.zone)
	return err == nil && equal || nan && isNaN(a) && isNaN(b)
}

func isNaN(i xdm.Item) bool {
	return (i.Type() == xdm.Double || i.Type() == xdm.Float) && math.IsNaN(i.Float())
}

func indexOf(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	if len(args) > 2 {
		m.collation(args[2][0].Text())
	}
	m.tick(len(args[0]))
	for n, i := range args[0] {
		if m.equalOrNot(i, args[1][0], false) {
			out = append(out, xdm.Int64(int64(n+1)))
		}
	}
	return out
}

// bucket is where equal items meet: texts, numbers and everything else by its canonical form.
type bucket struct {
	kind  xdm.Type
	text  string
	value float64
}

// bucketOf gives an item the bucket of all that it may be equal to. Numbers of two types are equal when they are after
// conversion to the coarser type (XPath 2.0, B.1), so that those that may be equal meet only under the coarsest of all,
// xs:float. What meets is compared.
func bucketOf(i xdm.Item) bucket {
	t := i.Type()
	switch {
	case t.IsText():
		return bucket{kind: xdm.String, text: i.Text()}
	case isNaN(i):
		return bucket{kind: xdm.Numeric, text: "NaN"}
	case t.IsNumeric():
		f, _ := xdm.Cast(i, xdm.Float)
		return bucket{kind: xdm.Numeric, value: f.Float()}
	case t.Is(xdm.Duration):
		return bucket{kind: xdm.Duration}
	}
	return bucket{kind: t.Primitive()}
}

// distinctValues keeps the first of equal items.
func distinctValues(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	if len(args) > 1 {
		m.collation(args[1][0].Text())
	}
	if len(args[0]) <= fewValues && !slices.ContainsFunc(args[0], func(i xdm.Item) bool { return !i.Type().IsText() }) {
		return distinctTexts(args[0], out)
	}
	seen := map[bucket][]xdm.Item{}
	for _, i := range args[0] {
		b := bucketOf(i)
		m.tick(1 + len(seen[b]))
		if b.kind == xdm.String && seen[b] != nil || slices.ContainsFunc(seen[b], func(j xdm.Item) bool { return m.equalOrNot(i, j, true) }) {
			continue
		}
		seen[b] = append(seen[b], i)
		out = append(out, i)
	}
	return out
}

// fewValues is how many texts are compared with each other rather than put into a table.
const fewValues = 8

// distinctTexts is distinctValues for few texts.
func distinctTexts(list, out []xdm.Item) []xdm.Item {
	for n, i := range list {
		if !slices.ContainsFunc(list[:n], func(j xdm.Item) bool { return i.Text() == j.Text() }) {
			out = append(out, i)
		}
	}
	return out
}

// place gives a position as an index within 0 and n.
func placeIn(i xdm.Item, n int) int {
	p, ok := i.Int64()
	switch {
	case ok && p < 1:
		return 0
	case !ok:
		if negative, _ := xdm.Compare(xdm.Less, i, xdm.Int64(0), 0); negative {
			return 0
		}
		return n
	}
	return int(min(p-1, int64(n)))
}

func insertBefore(_ *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	at := placeIn(args[1][0], len(args[0]))
	out = append(out, args[0][:at]...)
	out = append(out, args[2]...)
	return append(out, args[0][at:]...)
}

func remove(_ *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	p, ok := args[1][0].Int64()
	for n, i := range args[0] {
		if !ok || int64(n+1) != p {
			out = append(out, i)
		}
	}
	return out
}

func reverse(_ *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	out = append(out, args[0]...)
	slices.Reverse(out)
	return out
}

// subsequence takes the items whose position p has round(start) <= p < round(start) + round(length) (F&O 15.1.10).
func subsequence(_ *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	first, end := xdm.Round(args[1][0]).Float(), math.Inf(1)
	if len(args) > 2 {
		end = first + xdm.Round(args[2][0]).Float()
	}
	for n, i := range args[0] {
		if p := float64(n + 1); p >= first && p < end {
			out = append(out, i)
		}
	}
	return out
}

func same(_ *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item { return append(out, args[0]...) }

// cardinality gives its argument back if that has as many items as wanted.
func cardinality(want occurs, code string) sequenceFunc {
	w := wanted{occurs: want}
	return func(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
		if !w.allowsCount(len(args[0])) {
			m.fail(code, "the sequence has %d items", len(args[0]))
		}
		return append(out, args[0]...)
	}
}

func limited(o occurs) func(args []expr) seqType {
	return func(args []expr) seqType { return seqType{args[0].info().typ.kinds, o} }
}

// deepEqual compares two sequences item by item (F&O 15.3.1).
func deepEqual(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	if len(args) > 2 {
		m.collation(args[2][0].Text())
	}
	equal := slices.EqualFunc(args[0], args[1], func(a, b xdm.Item) bool {
		aNode, bNode := a.Type() == xdm.Node, b.Type() == xdm.Node
		switch {
		case aNode && bNode:
			return m.sameNodes(nodeOf(a), nodeOf(b))
		case aNode || bNode:
			return false
		}
		return m.equalOrNot(a, b, true)
	})
	return append(out, xdm.Bool(equal))
}

// sameNodes compares two nodes with all that is in them, comments and processing instructions below them left out.
func (m *Machine) sameNodes(a, b node) bool {
	m.tick(1)
	kind := a.t.doc.Kind(a.n)
	if kind != b.t.doc.Kind(b.n) || !sameName(a, b) {
		return false
	}
	switch kind {
	case xmltree.KindDocument:
		return m.sameContent(a, b)
	case xmltree.KindElement:
		return sameAttributes(a, b) && m.sameContent(a, b)
	}
	return a.value() == b.value()
}

func sameName(a, b node) bool {
	return a.t.doc.Local(a.n) == b.t.doc.Local(b.n) && a.t.doc.Namespace(a.n) == b.t.doc.Namespace(b.n)
}

func sameAttributes(a, b node) bool {
	first, count := a.t.doc.Attributes(a.n)
	other, otherCount := b.t.doc.Attributes(b.n)
	if count != otherCount {
		return false
	}
	for i := first; i < first+xmltree.Node(count); i++ {
		found := false
		for j := other; j < other+xmltree.Node(count) && !found; j++ {
			x, y := node{a.t, i}, node{b.t, j}
			found = sameName(x, y) && x.value() == y.value()
		}
		if !found {
			return false
		}
	}
	return true
}

// sameContent compares the elements and texts among the children.
func (m *Machine) sameContent(a, b node) bool {
	x, y := significant(a), significant(b)
	return slices.EqualFunc(x, y, m.sameNodes)
}

func significant(f node) []node {
	var list []node
	c, end := f.t.doc.Children(f.n)
	for ; c < end; c = f.t.doc.End(c) {
		if k := f.t.doc.Kind(c); k == xmltree.KindElement || k == xmltree.KindText {
			list = append(list, node{f.t, c})
		}
	}
	return list
}
