package pdf

import (
	"fmt"
	"strconv"
)

// Role is the standard structure type of an element (ISO 32000-1 §14.8.4).
type Role string

// The roles that documents of ours have.
const (
	RoleDocument  Role = "Document"
	RoleDivision  Role = "Div"
	RoleHeading1  Role = "H1"
	RoleHeading2  Role = "H2"
	RoleHeading3  Role = "H3"
	RoleParagraph Role = "P"
	RoleFigure    Role = "Figure"
	RoleTable     Role = "Table"
	RoleHead      Role = "THead"
	RoleBody      Role = "TBody"
	RoleRow       Role = "TR"
	RoleHeader    Role = "TH"
	RoleCell      Role = "TD"
)

// Element is an element of the structure tree (§14.7). What is drawn in it stands in it in the order of drawing.
type Element struct {
	Role     Role
	Alt      string     // of figures: what they show, in words
	Language string     // where it is not that of the document, a tag of RFC 5646
	Scope    string     // of TH: Column or Row (§14.8.5.7)
	Span     int        // of TH and TD: how many columns it takes, 0 or 1 for one
	Box      [4]float64 // of figures: left, bottom, right, top on the page
	kids     []kid
	self     ref
	parent   *Element
}

// kid is marked content of a page, or another element.
type kid struct {
	element *Element
	page    *Page
	mark    int
}

// Add appends an element.
func (e *Element) Add(child *Element) *Element {
	child.parent = e
	e.kids = append(e.kids, kid{element: child})
	return child
}

// New appends an element of a role.
func (e *Element) New(role Role) *Element { return e.Add(&Element{Role: role}) }

// empty tells whether nothing is in it, so that only cells may stay.
func (e *Element) empty() bool {
	for _, k := range e.kids {
		if k.element == nil || !k.element.empty() {
			return false
		}
	}
	return e.Role != RoleCell && e.Role != RoleHeader
}

// writeStructure writes the tree and the way from marked content to its elements.
func (d *Document) writeStructure() ref {
	root, w := d.w.reserve(), d.w
	d.root.number(w)
	var tree []byte
	d.writeElement(d.root, root, nil)
	for i, p := range d.pages {
		list := []byte{'['}
		for _, e := range p.marks {
			list = append(strconv.AppendInt(append(list, ' '), int64(e.self), 10), " 0 R"...)
		}
		r := w.reserve()
		w.put(r, append(list, ']'))
		tree = fmt.Appendf(tree, "%d %v ", i, r)
	}
	parents := w.add("<</Nums[%s]>>", tree)
	w.putf(root, "<</Type/StructTreeRoot/K %v/ParentTree %v/ParentTreeNextKey %d>>", d.root.self, parents, len(d.pages))
	return root
}

// number gives the elements that have something in them their object numbers.
func (e *Element) number(w *writer) {
	e.self = w.reserve()
	for _, k := range e.kids {
		if k.element != nil && !k.element.empty() {
			k.element.number(w)
		}
	}
}

func (d *Document) writeElement(e *Element, parent ref, buf []byte) []byte {
	buf = append(append(buf[:0], "<</Type/StructElem/S/"...), e.Role...)
	buf = append(strconv.AppendInt(append(buf, "/P "...), int64(parent), 10), " 0 R"...)
	buf = e.attributes(buf)
	page := e.page()
	if page != nil {
		buf = append(strconv.AppendInt(append(buf, "/Pg "...), int64(page.self), 10), " 0 R"...)
	}
	buf = append(buf, "/K["...)
	for i, k := range e.kids {
		if k.element != nil && k.element.self == 0 {
			continue
		}
		if i > 0 {
			buf = append(buf, ' ')
		}
		switch {
		case k.element != nil:
			buf = append(strconv.AppendInt(buf, int64(k.element.self), 10), " 0 R"...)
		case k.page == page:
			buf = strconv.AppendInt(buf, int64(k.mark), 10)
		default:
			buf = fmt.Appendf(buf, "<</Type/MCR/Pg %v/MCID %d>>", k.page.self, k.mark)
		}
	}
	d.w.put(e.self, append(buf, "]>>"...))
	for _, k := range e.kids {
		if k.element != nil && k.element.self != 0 {
			buf = d.writeElement(k.element, e.self, buf)
		}
	}
	return buf
}

// page is that of the first marked content.
func (e *Element) page() *Page {
	for _, k := range e.kids {
		if k.page != nil {
			return k.page
		}
	}
	return nil
}

func (e *Element) attributes(buf []byte) []byte {
	if e.Alt != "" {
		buf = appendText(append(buf, "/Alt"...), e.Alt)
	}
	if e.Language != "" {
		buf = append(append(append(buf, "/Lang("...), e.Language...), ')')
	}
	switch {
	case e.Role == RoleFigure:
		buf = fmt.Appendf(buf, "/A<</O/Layout/Placement/Block/BBox[%s %s %s %s]>>", number(e.Box[0]), number(e.Box[1]), number(e.Box[2]), number(e.Box[3]))
	case e.Scope != "" || e.Span > 1:
		buf = append(buf, "/A<</O/Table"...)
		if e.Scope != "" {
			buf = append(append(buf, "/Scope/"...), e.Scope...)
		}
		if e.Span > 1 {
			buf = fmt.Appendf(buf, "/ColSpan %d", e.Span)
		}
		buf = append(buf, ">>"...)
	}
	return buf
}
