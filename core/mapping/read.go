package mapping

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Reading is what a document says.
type Reading[T any] struct {
	// Invoice is in canonical form: what a profile derives has not been taken back yet.
	Invoice *T
	// Element is the name of the document element as the table has it.
	Element string
	// Edition is the name of the edition that the document was read as.
	Edition string
	// Specification is the specification identifier (BT-24) as it stands in the document.
	Specification string
	// Account says what became of every leaf of the source.
	Account Account
}

// Read reads a document. The only errors are ErrElement, for a document element that is not one of the syntax, and the context's.
// A document beyond the limits on lines and entries is ErrTooManyLines.
func (m *Mapping[T]) Read(ctx context.Context, doc *xmltree.Document) (*Reading[T], error) {
	opened, err := m.open(doc)
	if err != nil {
		return nil, err
	}
	inv := new(T)
	r := &reading{source: opened, ctx: ctx, spare: map[*node]reflect.Value{}, inv: inv, into: reflect.ValueOf(inv).Elem()}
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("read <%s>: %w", doc.QName(r.root), err)
	}
	return &Reading[T]{Invoice: inv, Element: r.plan.element.Name, Edition: r.plan.edition.Name, Specification: r.values[0], Account: r.account}, nil
}

func (r *reading) read() error {
	r.element(r.plan.tree, r.root, r.into)
	if r.over {
		return ErrTooManyLines
	}
	r.settle()
	return r.ctx.Err()
}

// reading is one run of Read.
type reading struct {
	source
	ctx       context.Context
	inv       any           // pointer to the invoice
	into      reflect.Value // the invoice
	account   Account
	totals    []total
	computed  map[*row]decimal.Decimal // what the invoice computes, for rows whose totals were looked at
	waiting   []waiting
	spare     map[*node]reflect.Value // room for the entries of lists that are still empty
	pieces    []xmltree.Node          // of the text that is being read
	places    *xmltree.Locator
	leafBytes int
	entries   int  // of all lists so far
	lines     int  // entries of items and of the lists within them so far
	over      bool // there are too many
	level     int  // entries within entries that are open
	index     int  // of the entry that is read in its list
}

// total is a computed value that the document states.
type total struct {
	n      *node
	text   string
	pieces []xmltree.Node
}

// element reads one element into the scope of its group.
func (r *reading) element(n *node, el xmltree.Node, scope reflect.Value) {
	if len(n.children) == 0 {
		r.leaf(n, el, scope)
		return
	}
	mark := len(r.waiting)
	r.attributes(n, el, scope, taken)
	for c := range children(r.doc, el) {
		switch r.doc.Kind(c) {
		case xmltree.KindElement:
			if next := r.match(n, c); next != nil {
				r.enter(next, c, scope)
			} else {
				r.reportAll(c, unknownPlace)
			}
		case xmltree.KindText:
			if r.isLeaf(c) {
				r.report(c, n.term, notText)
			}
		}
	}
	if n.settles {
		r.settleElement(n, mark, scope)
	}
}

// enter reads an element into the scope that its row opens.
func (r *reading) enter(n *node, el xmltree.Node, scope reflect.Value) {
	if n.scope == nil {
		r.element(n, el, scope)
		return
	}
	switch v := n.scope.get(scope); {
	case n.again != nil:
		r.nested(n, el, scope)
	case n.scope.list:
		r.entry(n, el, scope)
	case v.IsValid() && !v.IsNil() && n.row.single:
		r.reportAll(el, string(duplicate))
	case v.IsValid() && !v.IsNil():
		r.element(n, el, v.Elem())
	default:
		r.group(n, el, scope)
	}
}

// group reads an element into a new struct, which joins the invoice when something was found for it. An element without
// content must not make a group: the invoice would say that there is one.
func (r *reading) group(n *node, el xmltree.Node, scope reflect.Value) {
	fresh := reflect.New(n.scope.typ)
	r.element(n, el, fresh.Elem())
	if !fresh.Elem().IsZero() {
		n.scope.reach(scope).Set(fresh)
	}
}

// leaf reads an element that holds a text. Attributes qualify the text: without it, or where it is not taken, they are not
// taken either.
func (r *reading) leaf(n *node, el xmltree.Node, scope reflect.Value) {
	text := r.text(el)
	if len(r.pieces) == 0 {
		r.reportAll(el, unknownPlace)
		return
	}
	why := r.take(n, text, scope)
	if n.waits() {
		r.waiting[len(r.waiting)-1].el = el
	} else {
		r.attributes(n, el, scope, why)
	}
	for c := range elements(r.doc, el) {
		r.reportAll(c, unknownPlace)
	}
}

// text gives the text of an element without that of the elements in it; r.pieces become the nodes that hold it.
func (r *reading) text(el xmltree.Node) string {
	r.pieces = r.pieces[:0]
	if text, simple := r.doc.TextOf(el); simple {
		if !blank(text) {
			r.pieces = append(r.pieces, el)
		}
		return string(text)
	}
	var all []byte
	for c := range children(r.doc, el) {
		if r.doc.Kind(c) == xmltree.KindText {
			all = append(all, r.doc.Value(c)...)
			if r.isLeaf(c) {
				r.pieces = append(r.pieces, c)
			}
		}
	}
	return string(all)
}

// take puts a text where its row wants it, and gives the reason why it cannot be there.
func (r *reading) take(n *node, text string, scope reflect.Value) conflict {
	switch {
	case n.row != nil && n.row.first && r.index > 0:
		r.reportEach(r.pieces, n.term, string(duplicate))
		return duplicate
	case n.row != nil && n.row.total != nil:
		r.totals = append(r.totals, total{n: n, text: text, pieces: append([]xmltree.Node(nil), r.pieces...)})
		return taken
	case n.part != nil, n.settler != nil:
		return r.wait(n, text)
	case n.row != nil && n.row.codec != nil:
		n.row.codec.Parse(text, scope.Addr().Interface())
		r.account.Mapped += len(r.pieces)
		return taken
	case n.row != nil && n.row.lines && r.addLine(n.leaf, text, scope):
		return taken
	case n.leaf != nil:
		return r.store(n.leaf, n.convert, n.term, text, scope, r.pieces)
	case !n.constant.isSet():
		r.reportEach(r.pieces, n.term, notText)
		return notText
	}
	return r.expect(n.term, text, n.constant, r.pieces)
}

// store puts a text into its member and says why it cannot be there. Structs on the way are made for what is taken only.
func (r *reading) store(f *field, convert *Converter, term, text string, scope reflect.Value, pieces []xmltree.Node) conflict {
	if f.absolute {
		scope = r.into
	}
	v := f.get(scope)
	absent := !v.IsValid()
	if absent {
		v = reflect.New(f.typ).Elem()
	}
	why := setConverted(v, text, convert)
	if absent && !v.IsZero() {
		f.reach(scope).Set(v)
	}
	if why == taken {
		r.account.Mapped += len(pieces)
		return taken
	}
	r.reportEach(pieces, term, string(why))
	// The day itself is taken, and with it what its attributes say.
	if why == timezoned {
		return taken
	}
	return why
}

// addLine puts a text below one that its member has already; false where it has none, or the same.
func (r *reading) addLine(f *field, text string, scope reflect.Value) bool {
	if f.absolute {
		scope = r.into
	}
	v, line := f.get(scope), trimmed(text)
	if !v.IsValid() || v.Len() == 0 || v.String() == line {
		return false
	}
	v.SetString(v.String() + "\n" + line)
	r.account.Mapped += len(r.pieces)
	return true
}

// expect compares a text with the constant that writing puts in its place.
func (r *reading) expect(term, text string, constant constant, pieces []xmltree.Node) conflict {
	want := constant.in(r.values)
	if sameConstant(text, want) {
		r.account.Derived += len(pieces)
	} else {
		r.reportEach(pieces, term, fmt.Sprintf(constantReason+"%q", want))
	}
	return taken
}

func (r *reading) reportEach(pieces []xmltree.Node, term, reason string) {
	for _, n := range pieces {
		r.report(n, term, reason)
	}
}

// attributes reads the attributes of an element; why is what spoke against its text.
func (r *reading) attributes(n *node, el xmltree.Node, scope reflect.Value, why conflict) {
	for a := range attributes(r.doc, el) {
		if !r.isLeaf(a) {
			continue
		}
		self := [1]xmltree.Node{a}
		at := n.attributeNumbered(r.number(a))
		switch {
		case at == nil:
			r.report(a, "", unknownPlace)
		case at.leaf == nil:
			r.expect("", r.doc.String(a), at.constant, self[:])
		case why != taken:
			r.report(a, at.term, string(why))
		default:
			r.store(at.leaf, at.convert, at.term, r.doc.String(a), scope, self[:])
		}
	}
}

// settle compares the totals of the document with those that the invoice gives. They are compared at the end, because a
// syntax may state them before what they add up.
func (r *reading) settle() {
	for _, t := range r.totals {
		stated, err := decimal.Parse(trimmed(t.text))
		if err != nil {
			r.reportEach(t.pieces, t.n.term, string(malformed))
			continue
		}
		want := r.totalOf(t.n.row, stated)
		if c := t.n.convert; c != nil {
			want = c.Number(want)
		}
		if stated.Cmp(want) == 0 {
			r.account.Derived += len(t.pieces)
		} else {
			r.reportEach(t.pieces, t.n.term, computesReason+cmp.Or(want.String(), "nothing"))
		}
	}
}

// totalOf gives the total that the invoice computes for a row, which adds up whole lists and is therefore done once. Where the invoice
// has none and the row says how, the stated one is kept.
func (r *reading) totalOf(of *row, stated decimal.Decimal) decimal.Decimal {
	if total, known := r.computed[of]; known {
		return total
	}
	total := of.total(r.inv)
	if of.keep != nil && !total.IsSet() {
		of.keep(r.inv, stated)
		total = of.total(r.inv)
		clear(r.computed) // others may rest on what is kept
	}
	if r.computed == nil {
		r.computed = map[*row]decimal.Decimal{}
	}
	r.computed[of] = total
	return total
}
