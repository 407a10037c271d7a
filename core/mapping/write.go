package mapping

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"einvoiced/core/invoice"
	"einvoiced/core/xmltree"
)

// Env is what a document needs beside the invoice.
type Env struct {
	// Root is the index of the document element to write.
	Root int
	// Specification is the specification identifier (BT-24).
	Specification string
}

// Write writes the invoice as a document. It returns what holds something and has no place in the syntax, as
// JSON paths in the order of the members. The invoice is in canonical form: what
// a profile derives has been derived.
//
// The error is an *xmltree.WriteError inside a *FieldError where a text holds a character that XML forbids.
func (m *Mapping) Write(w *xmltree.Writer, inv *invoice.Invoice, env Env) ([]Unwritten, error) {
	p := m.plans[env.Root]
	run := &writing{plan: p, w: w, inv: inv, env: env, done: make([]bool, len(p.direct))}
	root := reflect.ValueOf(inv).Elem()
	root0 := p.table.Roots[env.Root]
	w.Start(p.tree.tag)
	w.Namespace("", root0.Namespace)
	for _, prefix := range p.prefixes() {
		w.Namespace(prefix, p.table.Namespaces[prefix])
	}
	for _, c := range p.tree.children {
		run.node(c, root, 0)
	}
	w.End()
	if err := w.Err(); err != nil {
		return nil, &FieldError{Field: run.at, Err: err}
	}
	return run.unwritten(root), nil
}

// prefixes are those of the table but the root's own, sorted.
func (p *plan) prefixes() []string {
	return slices.Sorted(maps.Keys(p.table.Namespaces))
}

// FieldError says which member of the invoice could not be written.
type FieldError struct {
	Field string // JSON path
	Err   error
}

// Error gives the path and the reason.
func (e *FieldError) Error() string { return fmt.Sprintf("%s: %v", e.Field, e.Err) }

// Unwrap gives the reason.
func (e *FieldError) Unwrap() error { return e.Err }

var errNoRoot = errors.New("the document element is not one of this syntax")

// writing is one run of Write.
type writing struct {
	plan  *plan
	w     *xmltree.Writer
	inv   *invoice.Invoice
	env   Env
	done  []bool // direct fields that found an element
	at    string // the first member that the writer refused
	buf   []byte
	index int
}

// node writes an element for each place where the row has something to say.
func (r *writing) node(n *node, scope reflect.Value, index int) {
	if n.scope == nil {
		if r.present(n, scope, index) {
			r.element(n, scope, index)
		}
		return
	}
	v := n.scope.get(r.base(n.scope, scope))
	switch {
	case !v.IsValid():
	case n.scope.list:
		for i := range v.Len() {
			if entry := v.Index(i); r.present(n, entry, i) {
				r.element(n, entry, i)
			}
		}
	case v.Kind() != reflect.Pointer || !v.IsNil():
		if entry := reflect.Indirect(v); r.present(n, entry, index) {
			r.element(n, entry, index)
		}
	}
}

// base is where a field is counted from.
func (r *writing) base(f *field, scope reflect.Value) reflect.Value {
	if f.absolute {
		return reflect.ValueOf(r.inv).Elem()
	}
	return scope
}

// present tells whether an element would hold more than constants. The scope is the element's own.
func (r *writing) present(n *node, scope reflect.Value, index int) bool {
	if n.row != nil {
		if n.row.When != nil && !n.row.When(r.scope(scope, index)) {
			return false
		}
		if n.row.Total != nil {
			return n.row.Total(r.inv).IsSet()
		}
		if n.row.Const != "" && n.row.Const[0] == '$' {
			return r.variable(n.row.Const) != ""
		}
		if n.row.Codec != nil {
			return n.row.Codec.Format(scope.Addr().Interface()) != ""
		}
	}
	if n.leaf != nil && present(n.leaf.get(r.base(n.leaf, scope))) {
		return true
	}
	for _, c := range n.children {
		if r.childPresent(c, scope, index) {
			return true
		}
	}
	return false
}

func (r *writing) childPresent(c *node, scope reflect.Value, index int) bool {
	if c.scope == nil {
		return r.present(c, scope, index)
	}
	v := c.scope.get(r.base(c.scope, scope))
	switch {
	case !v.IsValid():
		return false
	case c.scope.list:
		for i := range v.Len() {
			if r.present(c, v.Index(i), i) {
				return true
			}
		}
		return false
	}
	return (v.Kind() != reflect.Pointer || !v.IsNil()) && r.present(c, reflect.Indirect(v), index)
}

func (r *writing) scope(group reflect.Value, index int) Scope {
	return Scope{Invoice: r.inv, Group: group.Addr().Interface(), Index: index, Root: r.env.Root}
}

func (r *writing) element(n *node, scope reflect.Value, index int) {
	r.w.Start(n.tag)
	for i := range n.attrs {
		r.attribute(n, &n.attrs[i], scope)
	}
	if n.direct > 0 {
		r.done[n.direct-1] = true
	}
	r.text(n, scope)
	for _, c := range n.children {
		switch {
		case c.constant != "" && c.constant[0] != '$' && c.leaf == nil && len(c.children) == 0:
			r.fixed(c)
		case c.row != nil && c.row.Fill != "" && !r.present(c, scope, index):
			r.w.Start(c.tag)
			r.w.Text(c.row.Fill)
			r.w.End()
		case r.constantOnly(c) && !r.childPresent(c, scope, index):
			r.element(c, scope, index)
		default:
			r.node(c, scope, index)
		}
	}
	r.w.End()
}

// fixed writes an element that holds a constant.
func (r *writing) fixed(c *node) {
	r.w.Start(c.tag)
	r.w.Text(c.constant)
	r.w.End()
}

// constantOnly tells whether everything below a node is constant, as in cac:TaxScheme/cbc:ID = VAT.
func (r *writing) constantOnly(n *node) bool {
	if n.leaf != nil || n.scope != nil || len(n.children) == 0 {
		return false
	}
	for _, c := range n.children {
		fixed := c.constant != "" && c.constant[0] != '$' && c.leaf == nil && len(c.children) == 0
		if !fixed && !r.constantOnly(c) {
			return false
		}
	}
	return true
}

// text writes the element's own text.
func (r *writing) text(n *node, scope reflect.Value) {
	switch {
	case n.row != nil && n.row.Total != nil:
		r.buf = appendDecimal(r.buf[:0], n.row.Total(r.inv), n.typ)
		r.w.TextBytes(r.buf)
	case n.row != nil && n.row.Codec != nil:
		r.w.Text(n.row.Codec.Format(scope.Addr().Interface()))
	case n.leaf != nil:
		r.leaf(n.leaf, n.leaf.get(r.base(n.leaf, scope)), n.typ)
	case n.constant != "":
		r.w.Text(r.variable(n.constant))
	}
	if r.at == "" && r.w.Err() != nil && n.leaf != nil {
		r.at = n.leaf.name
	}
}

func (r *writing) leaf(f *field, v reflect.Value, t Type) {
	if !v.IsValid() {
		return
	}
	if v.Kind() == reflect.String {
		r.w.Text(v.String())
		return
	}
	r.buf = appendText(r.buf[:0], v, t)
	r.w.TextBytes(r.buf)
}

func (r *writing) attribute(n *node, a *attribute, scope reflect.Value) {
	if a.leaf == nil {
		if value := r.variable(a.constant); value != "" {
			r.w.Attr(a.tag, value)
		}
		return
	}
	if v := a.leaf.get(r.base(a.leaf, scope)); present(v) {
		r.w.Attr(a.tag, v.String())
		if r.at == "" && r.w.Err() != nil {
			r.at = a.leaf.name
		}
	}
}

// variable resolves a constant.
func (r *writing) variable(c string) string {
	switch c {
	case Specification:
		return r.env.Specification
	case Currency:
		return r.inv.Currency
	case TaxCurrency:
		return r.inv.TaxCurrencyCode
	}
	return c
}
