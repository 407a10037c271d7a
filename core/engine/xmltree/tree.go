package xmltree

import "fmt"

// Tree writes node n of d with everything in it: an element, text, comment or instruction, or the whole document. Prefixes in
// scope at an element that the Writer does not know, or knows otherwise, are declared on it.
func (w *Writer) Tree(d *Document, n Node) {
	t := treeWriter{w: w, d: d, names: map[string]*QName{}}
	for end := d.End(n); n < end && w.err == nil; n++ {
		t.closeUpTo(n)
		t.node(n)
	}
	t.closeUpTo(None)
}

type treeWriter struct {
	w     *Writer
	d     *Document
	names map[string]*QName
	ends  []Node // of the elements that are open
}

// closeUpTo closes the elements that end before n.
func (t *treeWriter) closeUpTo(n Node) {
	for len(t.ends) > 0 && t.ends[len(t.ends)-1] <= n {
		t.w.End()
		t.ends = t.ends[:len(t.ends)-1]
	}
}

func (t *treeWriter) node(n Node) {
	switch t.d.Kind(n) {
	case KindElement:
		t.element(n)
	case KindAttribute:
		t.w.AttrBytes(t.name(n), t.d.Value(n))
	case KindText:
		t.w.TextBytes(t.d.Value(n))
	case KindComment:
		t.w.Comment(t.d.String(n))
	case KindInstruction:
		t.w.Instruction(t.d.Local(n), t.d.String(n))
	}
}

// element begins an element with its declarations. The outermost one gets those of its ancestors that hold for it as well:
// texts and values may have prefixes that no name tells.
func (t *treeWriter) element(n Node) {
	outer := len(t.w.binds)
	t.w.Start(t.name(n))
	declare := func(prefix, uri string) bool {
		if old, ok := t.w.lookup(prefix); (!ok && uri != "" || old != uri) && !t.declared(prefix, outer) {
			t.w.Namespace(prefix, uri)
		}
		return true
	}
	t.d.Declarations(n)(declare)
	if len(t.ends) == 0 {
		for a := t.d.Parent(n); a != None; a = t.d.Parent(a) {
			t.d.Declarations(a)(func(prefix, uri string) bool {
				if now, ok := t.d.LookupPrefix(n, prefix); ok && now == uri {
					return declare(prefix, uri)
				}
				return true
			})
		}
		if uri, _ := t.d.LookupPrefix(n, ""); uri == "" {
			declare("", "")
		}
	}
	t.ends = append(t.ends, t.d.End(n))
}

func (t *treeWriter) declared(prefix string, from int) bool {
	for _, b := range t.w.binds[min(from, len(t.w.binds)):] {
		if b.prefix == prefix {
			return true
		}
	}
	return false
}

func (t *treeWriter) name(n Node) *QName {
	raw := t.d.QName(n)
	if q := t.names[string(raw)]; q != nil {
		return q
	}
	q, err := NewQName(string(raw))
	if err != nil {
		t.w.fail(fmt.Errorf("write a node of a tree: %w", err))
		q = &QName{}
	}
	t.names[q.raw] = q
	return q
}
