package mapping

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Env is what a document needs beside the invoice.
type Env struct {
	// Root is the index of the document element to write.
	Root int
	// Specification is the specification identifier (BT-24).
	Specification string
}

// FieldError says which member of the invoice holds a character that XML cannot. Err is an *xmltree.IllegalCharError.
type FieldError struct {
	Field string // JSON path
	Err   error
}

// Error gives the path and the reason.
func (e *FieldError) Error() string { return fmt.Sprintf("%s: %v", e.Field, e.Err) }

// Unwrap gives the reason.
func (e *FieldError) Unwrap() error { return e.Err }

// Write writes the invoice as a document. It returns what holds something and has no place in the syntax, as JSON paths in
// the order of the members. The invoice is in canonical form: what a profile derives has been derived.
//
// Errors are those of the writer; one that a member is to blame for is a *FieldError.
func (m *Mapping) Write(w *xmltree.Writer, inv *invoice.Invoice, env Env) ([]Unwritten, error) {
	p := m.plans[env.Root]
	root := reflect.ValueOf(inv).Elem()
	run := &writing{plan: p, w: w, inv: inv, root: root, env: env, done: make([]bool, len(p.direct))}
	w.Start(p.tree.tag)
	w.Namespace("", p.table.Roots[p.root].Namespace)
	for _, prefix := range slices.Sorted(maps.Keys(p.table.Namespaces)) {
		w.Namespace(prefix, p.table.Namespaces[prefix])
	}
	for _, c := range p.tree.children {
		run.child(c, root, 0)
	}
	w.End()
	if err := w.Err(); err != nil {
		return nil, run.blame(err)
	}
	return run.unwritten(root), nil
}

// blame names the member that an illegal character came from.
func (r *writing) blame(err error) error {
	var illegal *xmltree.IllegalCharError
	if r.refused == "" || !errors.As(err, &illegal) {
		return err
	}
	return &FieldError{Field: r.refused, Err: err}
}

// writing is one run of Write.
type writing struct {
	plan    *plan
	w       *xmltree.Writer
	inv     *invoice.Invoice
	root    reflect.Value // of inv
	env     Env
	done    []bool  // direct fields that found an element
	groups  []group // that are open
	refused string  // the first member that the writer refused
	buf     []byte
}

// group is a group that is open, with the position where it is an entry of a list.
type group struct {
	scope *field
	index int
}

// base is where a field is counted from.
func (r *writing) base(f *field, scope reflect.Value) reflect.Value {
	if f.absolute {
		return r.root
	}
	return scope
}

// child writes what stands at c in its parent: an element for each place where the row has something to say, one where
// the schema demands it, or nothing.
func (r *writing) child(c *node, scope reflect.Value, index int) {
	switch {
	case c.scope != nil:
		r.group(c, scope, index)
	case c.static:
		if r.allowed(c, scope, index) && (c.constant == "" || r.variable(c.constant) != "") {
			r.element(c, scope, index)
		}
	case r.present(c, scope, index):
		r.element(c, scope, index)
	case c.row != nil && c.row.Fill != "" && r.allowed(c, scope, index):
		r.w.Start(c.tag)
		r.attributes(c, scope)
		r.w.Text(c.row.Fill)
		r.w.End()
	}
}

// group writes an element for the group's struct, or for each entry of its list.
func (r *writing) group(c *node, scope reflect.Value, index int) {
	v := c.scope.get(scope)
	if !v.IsValid() {
		return
	}
	depth := len(r.groups)
	r.groups = append(r.groups, group{scope: c.scope})
	if c.scope.list {
		for i := 0; i < v.Len() && r.w.Err() == nil; i++ {
			r.groups[depth].index = i
			if entry := v.Index(i); r.present(c, entry, i) {
				r.element(c, entry, i)
			}
		}
	} else if v = v.Elem(); v.IsValid() && r.present(c, v, index) {
		r.element(c, v, index)
	}
	r.groups = r.groups[:depth]
}

// allowed asks the row's condition.
func (r *writing) allowed(n *node, scope reflect.Value, index int) bool {
	return n.row == nil || n.row.When == nil ||
		n.row.When(Scope{Invoice: r.inv, Group: scope.Addr().Interface(), Index: index, Root: r.env.Root})
}

// present tells whether an element would hold more than constants. The scope is the element's own.
func (r *writing) present(n *node, scope reflect.Value, index int) bool {
	switch {
	case n.static || !r.allowed(n, scope, index):
		return false
	case n.leaf != nil:
		return present(n.leaf.get(r.base(n.leaf, scope)))
	case n.row != nil && n.row.Total != nil:
		return n.row.Total(r.inv).IsSet()
	case n.row != nil && n.row.Codec != nil:
		return n.row.Codec.Format(scope.Addr().Interface()) != ""
	}
	for i := range n.attrs {
		if f := n.attrs[i].leaf; f != nil && present(f.get(r.base(f, scope))) {
			return true
		}
	}
	for _, c := range n.children {
		if c.scope == nil && r.present(c, scope, index) || c.scope != nil && r.groupPresent(c, scope, index) {
			return true
		}
	}
	return false
}

func (r *writing) groupPresent(c *node, scope reflect.Value, index int) bool {
	v := c.scope.get(scope)
	if !v.IsValid() {
		return false
	}
	if !c.scope.list {
		v = v.Elem()
		return v.IsValid() && r.present(c, v, index)
	}
	for i := range v.Len() {
		if r.present(c, v.Index(i), i) {
			return true
		}
	}
	return false
}

func (r *writing) element(n *node, scope reflect.Value, index int) {
	r.w.Start(n.tag)
	r.attributes(n, scope)
	if n.direct > 0 {
		r.done[n.direct-1] = true
	}
	r.text(n, scope)
	for _, c := range n.children {
		r.child(c, scope, index)
	}
	r.w.End()
}

// text writes the element's own text.
func (r *writing) text(n *node, scope reflect.Value) {
	switch {
	case n.leaf != nil:
		r.leaf(n, n.leaf.get(r.base(n.leaf, scope)))
	case n.constant != "":
		r.w.Text(r.variable(n.constant))
	case n.row != nil && n.row.Total != nil:
		r.buf = appendDecimal(r.buf[:0], n.row.Total(r.inv), n.typ)
		r.w.TextBytes(r.buf)
	case n.row != nil && n.row.Codec != nil:
		r.w.Text(n.row.Codec.Format(scope.Addr().Interface()))
	default:
		return
	}
	if r.refused == "" && r.w.Err() != nil {
		r.refused = n.place(r.prefix())
	}
}

func (r *writing) leaf(n *node, v reflect.Value) {
	if v.Kind() == reflect.String {
		r.w.Text(v.String())
		return
	}
	r.buf = appendText(r.buf[:0], v, n.typ)
	r.w.TextBytes(r.buf)
}

func (r *writing) attributes(n *node, scope reflect.Value) {
	for i := range n.attrs {
		if a := &n.attrs[i]; a.leaf != nil {
			r.attribute(a, scope)
		} else if value := r.variable(a.constant); value != "" {
			r.w.Attr(a.tag, value)
		}
	}
}

func (r *writing) attribute(a *attribute, scope reflect.Value) {
	v := a.leaf.get(r.base(a.leaf, scope))
	switch {
	case !present(v):
		return
	case v.Kind() == reflect.String:
		r.w.Attr(a.tag, v.String())
	default:
		r.buf = appendText(r.buf[:0], v, Text)
		r.w.AttrBytes(a.tag, r.buf)
	}
	if r.refused == "" && r.w.Err() != nil {
		r.refused = a.leaf.below(r.prefix())
	}
}

// prefix is the path of the innermost group that is open.
func (r *writing) prefix() string {
	path := ""
	for _, g := range r.groups {
		path = g.scope.entry(path, g.index)
	}
	return path
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
