package mapping

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"einvoiced/core/decimal"
	"einvoiced/core/invoice"
	"einvoiced/core/xmltree"
)

// Reading is what a document says.
type Reading struct {
	// Invoice is in canonical form: what a profile derives has not been taken back yet.
	Invoice *invoice.Invoice
	// Root is the index of the document element.
	Root int
	// Specification is the specification identifier (BT-24) as it stands in the document.
	Specification string
	// Account says what became of every leaf of the source.
	Account Account
}

// Account counts the leaves of a source document: every text of an element and every attribute with a value.
type Account struct {
	Mapped   int    // taken into the invoice
	Derived  int    // constants, and totals that come out the same when computed
	Reported int    // neither; the first of them stand in Leaves
	Leaves   []Leaf // at most Limit
}

// LeafLimit caps Account.Leaves; Reported counts on.
const LeafLimit = 10_000

// Leaf is one piece of the source that the invoice does not hold.
type Leaf struct {
	Node   xmltree.Node
	Path   string // XPath with positions, as doc.Path gives it
	Line   int
	Term   string // the business term, where a row knows the place
	Value  string // at most 200 bytes
	Reason string // why it was not taken
}

const unknownPlace = "EN 16931 and the invoice object have no place for it"

// Read reads a document. The only errors are a document element that is not one of the syntax and the context's.
func (m *Mapping) Read(ctx context.Context, doc *xmltree.Document) (*Reading, error) {
	root := rootElement(doc)
	for i, p := range m.plans {
		if doc.Names().Name(doc.Name(root)) != p.names[p.tree.name] {
			continue
		}
		r := &reading{plan: p, doc: doc, ctx: ctx, out: &Reading{Root: i, Invoice: &invoice.Invoice{}}}
		r.inv = reflect.ValueOf(r.out.Invoice).Elem()
		r.names = p.remap(doc)
		r.element(p.tree, root, r.inv)
		r.settle()
		return r.out, ctx.Err()
	}
	return nil, fmt.Errorf("read <%s>: %w", doc.QName(root), errNoRoot)
}

// reading is one run of Read.
type reading struct {
	plan   *plan
	doc    *xmltree.Document
	ctx    context.Context
	out    *Reading
	inv    reflect.Value
	names  []int // document's name id to the plan's, or -1
	totals []total
}

// total is a computed value that the document states.
type total struct {
	node xmltree.Node
	n    *node
	text string
}

// element reads one element into the scope of its group.
func (r *reading) element(n *node, el xmltree.Node, scope reflect.Value) {
	r.attributes(n, el, scope)
	structured := len(n.children) > 0
	for c := range children(r.doc, el) {
		switch r.doc.Kind(c) {
		case xmltree.KindElement:
			if next := r.match(n, c, r.names[r.doc.Name(c)]); next != nil {
				r.enter(next, c, scope)
			} else {
				r.reportAll(c, n.term)
			}
		case xmltree.KindText:
			if structured && !blank(r.doc.Value(c)) {
				r.report(c, n, "the element has no text of its own")
			}
		}
	}
	if !structured {
		r.leaf(n, el, scope)
	}
}

// match chooses the row for an element.
func (r *reading) match(parent *node, el xmltree.Node, name int) *node {
	if name < 0 {
		return nil
	}
	for _, c := range parent.byName[name] {
		if r.passes(c, el) {
			return c
		}
	}
	return nil
}

func (r *reading) passes(n *node, el xmltree.Node) bool {
	for i := range n.tests {
		if !r.test(&n.tests[i], el) {
			return false
		}
	}
	return true
}

// test decides a predicate on an element.
func (r *reading) test(t *test, el xmltree.Node) bool {
	found, equal := r.search(t, el, t.path)
	switch t.op {
	case '=':
		return equal
	case '!':
		return !equal
	case '?':
		return found
	}
	return !found
}

// search looks for the nodes of a predicate: whether there is one, and whether one equals the value.
func (r *reading) search(t *test, el xmltree.Node, path []int) (found, equal bool) {
	if len(path) == 0 {
		return r.compare(t, el)
	}
	for c := range children(r.doc, el) {
		if r.doc.Kind(c) != xmltree.KindElement || r.names[r.doc.Name(c)] != path[0] {
			continue
		}
		f, e := r.search(t, c, path[1:])
		found, equal = found || f, equal || e
	}
	return found, equal
}

func (r *reading) compare(t *test, el xmltree.Node) (found, equal bool) {
	want := r.variable(t.value)
	if t.attr < 0 {
		return true, want != "" && sameConstant(r.doc.String(el), want)
	}
	for a := range attributes(r.doc, el) {
		if r.names[r.doc.Name(a)] == t.attr {
			return true, want != "" && sameConstant(string(r.doc.Value(a)), want)
		}
	}
	return false, false
}

// sameConstant compares with a constant of the table; codes are compared without regard to case, as the rules do it.
func sameConstant(text, want string) bool {
	text = strings.TrimFunc(text, isXMLSpace)
	if strings.EqualFold(text, want) {
		return true
	}
	a, okA := parseIndicator(text)
	b, okB := parseIndicator(want)
	return okA && okB && a == b
}

// enter reads an element into the scope that its row opens.
func (r *reading) enter(n *node, el xmltree.Node, scope reflect.Value) {
	if n.scope == nil {
		r.element(n, el, scope)
		return
	}
	at := scope
	if n.scope.absolute {
		at = r.inv
	}
	if n.scope.list {
		if r.ctx.Err() != nil {
			return
		}
		entry := reflect.New(n.scope.typ).Elem()
		r.element(n, el, entry)
		if !entry.IsZero() {
			list := n.scope.reach(at)
			list.Set(reflect.Append(list, entry))
		}
		return
	}
	if v := n.scope.get(at); v.IsValid() && v.Kind() == reflect.Pointer && v.IsNil() {
		entry := reflect.New(v.Type().Elem())
		r.element(n, el, entry.Elem())
		if !entry.Elem().IsZero() {
			v.Set(entry)
		}
		return
	}
	r.element(n, el, reflect.Indirect(n.scope.reach(at)))
}

// leaf takes the text of an element.
func (r *reading) leaf(n *node, el xmltree.Node, scope reflect.Value) {
	text := r.doc.String(el)
	if text == "" {
		return
	}
	switch {
	case n.row != nil && n.row.Total != nil:
		r.totals = append(r.totals, total{node: el, n: n, text: text})
	case n.row != nil && n.row.Codec != nil:
		n.row.Codec.Parse(text, scope.Addr().Interface())
		r.out.Account.Mapped++
	case n.leaf != nil:
		r.store(n, el, n.leaf, scope, text, n.typ)
	case n.constant == Specification && r.out.Specification == "":
		r.out.Specification = strings.TrimFunc(text, isXMLSpace)
		r.out.Account.Derived++
	default:
		r.expect(n, el, text, n.constant)
	}
}

// store puts a text into its member, or reports why it cannot be there.
func (r *reading) store(n *node, at xmltree.Node, f *field, scope reflect.Value, text string, t Type) {
	if f.absolute {
		scope = r.inv
	}
	why := set(f.reach(scope), text, t)
	if why == taken || why == timezoned {
		r.out.Account.Mapped++
	}
	if why != taken {
		r.report(at, n, string(why))
	}
}

// expect compares a text with the constant that writing puts in its place.
func (r *reading) expect(n *node, at xmltree.Node, text, constant string) {
	want := r.variable(constant)
	if sameConstant(text, want) {
		r.out.Account.Derived++
		return
	}
	r.report(at, n, fmt.Sprintf("written as %q", want))
}

// attributes reads the attributes of an element.
func (r *reading) attributes(n *node, el xmltree.Node, scope reflect.Value) {
	for a := range attributes(r.doc, el) {
		text := string(r.doc.Value(a))
		if text == "" || r.doc.Namespace(a) == schemaInstance {
			continue
		}
		at := n.attributeNamed(r.names[r.doc.Name(a)])
		switch {
		case at == nil:
			r.report(a, nil, unknownPlace)
		case at.leaf != nil:
			r.store(n, a, at.leaf, scope, text, Identifier)
		default:
			r.expect(nil, a, text, at.constant)
		}
	}
}

// schemaInstance is the namespace of schema locations, which say nothing about the invoice.
const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

func (n *node) attributeNamed(name int) *attribute {
	for i := range n.attrs {
		if n.attrs[i].name == name {
			return &n.attrs[i]
		}
	}
	return nil
}

// settle compares the totals of the document with those that the invoice gives.
func (r *reading) settle() {
	for _, t := range r.totals {
		stated, err := decimal.Parse(strings.TrimFunc(t.text, isXMLSpace))
		if err != nil {
			r.report(t.node, t.n, string(malformed))
			continue
		}
		if keep := t.n.row.Keep; keep != nil {
			keep(r.out.Invoice, stated)
		}
		if want := t.n.row.Total(r.out.Invoice); stated.Cmp(want) == 0 {
			r.out.Account.Derived++
		} else {
			r.report(t.node, t.n, "the invoice computes "+cmp.Or(want.String(), "nothing"))
		}
	}
}

func (r *reading) variable(c string) string {
	switch c {
	case Specification:
		return r.out.Specification
	case Currency:
		return r.out.Invoice.Currency
	case TaxCurrency:
		return r.out.Invoice.TaxCurrencyCode
	}
	return c
}

// reportAll reports every leaf of a subtree.
func (r *reading) reportAll(el xmltree.Node, term string) {
	for n := el; n < r.doc.End(el); n++ {
		switch r.doc.Kind(n) {
		case xmltree.KindText:
			if !blank(r.doc.Value(n)) {
				r.report(n, nil, unknownPlace)
			}
		case xmltree.KindAttribute:
			if len(r.doc.Value(n)) > 0 {
				r.report(n, nil, unknownPlace)
			}
		}
	}
}

func (r *reading) report(at xmltree.Node, n *node, reason string) {
	r.out.Account.Reported++
	if len(r.out.Account.Leaves) >= LeafLimit {
		return
	}
	leaf := Leaf{Node: at, Reason: reason, Value: clip(r.doc.String(at), 200)}
	if r.doc.Kind(at) == xmltree.KindText {
		at = r.doc.Parent(at)
	}
	leaf.Path = r.doc.Path(at)
	leaf.Line, _ = r.doc.Position(at)
	if n != nil {
		leaf.Term = n.term
	}
	r.out.Account.Leaves = append(r.out.Account.Leaves, leaf)
}

// clip cuts a text at a rune boundary.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && s[max]&0xC0 == 0x80 {
		max--
	}
	return s[:max]
}

func blank(text []byte) bool {
	for _, b := range text {
		if !isXMLSpace(rune(b)) {
			return false
		}
	}
	return true
}
