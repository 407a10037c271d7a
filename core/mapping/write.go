package mapping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Env is what a document needs beside the invoice.
type Env struct {
	// Element is the name of the document element to write. Default: the first of the table.
	Element string
	// Edition is the name of the edition to write. Default: that of documents with the specification.
	Edition string
	// Specification is the specification identifier (BT-24).
	Specification string
	// Every lists each entry of a list that has no place, instead of the first with the number of the others, as long as there are no
	// more than LeafLimit of them.
	Every bool
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
// Errors are those of the writer and of the context; one that a member is to blame for is a *FieldError. An element or edition that the table does not
// have is an error, too.
func (m *Mapping[T]) Write(ctx context.Context, w *xmltree.Writer, inv *T, env Env) ([]Unwritten, error) {
	p, err := m.planOf(env)
	if err != nil {
		return nil, err
	}
	r := newWriting(p, w, inv, env.Specification)
	r.ctx, r.every = ctx, env.Every
	return r.write()
}

// planOf finds the plan to write.
func (c *compiled) planOf(env Env) (*plan, error) {
	var found *plan
	for _, p := range c.plans {
		switch {
		case env.Element != p.element.Name && (env.Element != "" || p.position != 0):
		case env.Edition != p.edition.Name && (env.Edition != "" || p.edition.ByName):
		case env.Edition != "", slices.Contains(p.edition.Specifications, env.Specification):
			return p, nil
		case len(p.edition.Specifications) == 0:
			found = p
		}
	}
	if found == nil {
		return nil, fmt.Errorf("write: the table has no element %q in the edition %q with the specification %q", env.Element, env.Edition, env.Specification)
	}
	return found, nil
}

// newWriting prepares a run of Write; inv points to the invoice.
func newWriting(p *plan, w *xmltree.Writer, inv any, specification string) *writing {
	r := &writing{plan: p, w: w, inv: inv, root: reflect.ValueOf(inv).Elem(), done: make([]bool, len(p.direct)), values: make([]string, 1+len(p.variables))}
	r.values[0], r.ask = specification, r.once
	for i, f := range p.variables {
		if v := f.get(r.root); v.IsValid() {
			r.values[1+i] = v.String()
		}
	}
	return r
}

func (r *writing) write() ([]Unwritten, error) {
	p := r.plan
	r.w.Start(p.tree.tag)
	for _, d := range p.declared {
		r.w.Namespace(d.prefix, d.uri)
	}
	r.attributes(p.tree, r.root)
	for _, c := range p.tree.children {
		r.child(c, r.root, 0)
	}
	r.w.End()
	if err := r.w.Err(); err != nil {
		return nil, r.blame(err)
	}
	if err := r.ctx.Err(); err != nil {
		return nil, fmt.Errorf("write <%s>: %w", p.element.Name, err)
	}
	return r.unwritten(), nil
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
	ctx     context.Context // nil where nothing is written
	plan    *plan
	w       *xmltree.Writer
	inv     any           // pointer to the invoice
	root    reflect.Value // the invoice
	values  []string      // of the plan's variables
	done    []bool        // direct fields that found an element
	groups  []group       // that are open
	refused string        // the first member that the writer refused
	every   bool          // see Env
	latest  latest
	ask     func(name string, find func() int) int // once, made once
	buf     []byte
	found   map[string]int // what conditions have asked for once, by name
}

// once gives what is found by a name, which is looked for when it is first asked for.
func (r *writing) once(name string, find func() int) int {
	at, known := r.found[name]
	if !known {
		if r.found == nil {
			r.found = map[string]int{}
		}
		at = find()
		r.found[name] = at
	}
	return at
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
	case c.leaf != nil:
		r.member(c, scope, index)
	case c.static:
		if r.allowed(c, scope, index) && (!c.constant.isSet() || c.constant.in(r.values) != "") {
			r.element(c, scope, index)
		}
	case r.present(c, scope, index):
		r.element(c, scope, index)
	case c.fills && r.allowed(c, scope, index):
		r.fill(c, scope, index)
	}
}

// member writes the element of a member that holds something. The member is looked up once, for it may be one of 25,000 lines.
func (r *writing) member(c *node, scope reflect.Value, index int) {
	if !r.allowed(c, scope, index) {
		return
	}
	v := c.leaf.get(r.base(c.leaf, scope))
	text, says := "", present(v)
	if says && c.translates() {
		text, says = outText(v, c.typ, c.convert, c.part)
	}
	switch {
	case says && c.row != nil && c.row.separate:
		r.elements(c, v.String())
	case says:
		r.w.Start(c.tag)
		r.attributes(c, scope)
		r.mark(c)
		r.leaf(c, v, text)
		r.w.End()
	case c.fills:
		r.fill(c, scope, index)
	}
}

// mark keeps account of a direct field that found an element.
func (r *writing) mark(n *node) {
	if n.direct > 0 {
		r.done[n.direct-1] = true
	}
}

// fill writes an element that the schema demands without what the row has to say.
func (r *writing) fill(c *node, scope reflect.Value, index int) {
	r.w.Start(c.tag)
	r.attributes(c, scope)
	if text := cmp.Or(c.row.fill, c.constant.in(r.values)); text != "" {
		r.w.Text(text)
	}
	for _, inner := range c.children {
		r.child(inner, scope, index)
	}
	r.w.End()
}

// group writes an element for the group's struct, or for each entry of its list.
func (r *writing) group(c *node, scope reflect.Value, index int) {
	if c.led {
		return
	}
	v := c.scope.get(scope)
	depth, wrote := len(r.groups), false
	r.groups = append(r.groups, group{scope: c.scope})
	if c.scope.list && v.IsValid() {
		for i := 0; i < v.Len() && r.w.Err() == nil && r.ctx.Err() == nil; i++ {
			r.groups[depth].index = i
			entry := v.Index(i)
			if n := r.rowOf(c, entry, i); n != nil && r.present(n, entry, i) {
				r.element(n, entry, i)
				wrote = true
			}
		}
	} else if v.IsValid() && !v.IsNil() && r.present(c, v.Elem(), index) {
		r.element(c, v.Elem(), index)
		wrote = true
	}
	if !wrote && c.required() && r.allowed(c, c.empty, index) {
		r.fill(c, c.empty, index)
	}
	r.groups = r.groups[:depth]
}

func (r *writing) element(n *node, scope reflect.Value, index int) {
	r.w.Start(n.tag)
	r.attributes(n, scope)
	r.text(n, scope, index)
	for _, c := range n.children {
		r.child(c, scope, index)
	}
	r.w.End()
}

// elements writes an element for each line of a text.
func (r *writing) elements(n *node, text string) {
	r.mark(n)
	for line := range strings.SplitSeq(text, "\n") {
		if trimmed(line) == "" {
			continue
		}
		r.w.Start(n.tag)
		r.w.Text(line)
		r.check(n)
		r.w.End()
	}
}

// check notes the first member that the writer refused.
func (r *writing) check(n *node) {
	if r.refused == "" && r.w.Err() != nil {
		r.refused = n.place(r.prefix())
	}
}

// text writes the element's own text, which may be a member of the group that the element opens.
func (r *writing) text(n *node, scope reflect.Value, index int) {
	switch {
	case n.leaf != nil:
		r.mark(n)
		v, text := n.leaf.get(r.base(n.leaf, scope)), ""
		if n.translates() {
			text, _ = outText(v, n.typ, n.convert, n.part)
		}
		r.leaf(n, v, text)
		return
	case n.constant.isSet():
		r.w.Text(n.constant.in(r.values))
	case n.row != nil && n.row.total != nil:
		r.buf = appendDecimal(r.buf[:0], n.row.total(r.inv), n.typ, n.convert)
		r.w.TextBytes(r.buf)
	case n.row != nil && n.row.computed != nil:
		r.w.Text(r.compute(n, scope, index))
	case n.row != nil && n.row.codec != nil:
		r.w.Text(n.row.codec.Format(scope.Addr().Interface()))
	default:
		return
	}
	r.check(n)
}

// leaf writes the text of a member: the one that it was translated to, or what it holds.
func (r *writing) leaf(n *node, v reflect.Value, translated string) {
	switch {
	case n.translates():
		r.w.Text(translated)
	case v.Kind() == reflect.String:
		r.w.Text(v.String())
	case n.leaf.isNumber():
		r.buf = appendDecimal(r.buf[:0], number(v), n.typ, n.convert)
		r.w.TextBytes(r.buf)
	default:
		r.buf = appendText(r.buf[:0], v, n.typ)
		r.w.TextBytes(r.buf)
	}
	r.check(n)
}

// translates tells whether the document has another text for the member than the invoice. Numbers are only rounded.
func (n *node) translates() bool {
	return n.part != nil || n.convert != nil && n.convert.Number == nil
}

func (r *writing) attributes(n *node, scope reflect.Value) {
	for i := range n.attrs {
		if a := &n.attrs[i]; a.leaf != nil {
			r.attribute(a, scope)
		} else if value := a.constant.in(r.values); value != "" {
			r.w.Attr(a.tag, value)
		}
	}
}

func (r *writing) attribute(a *attribute, scope reflect.Value) {
	v := a.leaf.get(r.base(a.leaf, scope))
	switch {
	case !present(v):
		return
	case a.convert != nil:
		text, says := outText(v, Text, a.convert, nil)
		if !says {
			return
		}
		r.w.Attr(a.tag, text)
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
