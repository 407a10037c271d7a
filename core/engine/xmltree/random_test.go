package xmltree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// model is a random document: what is written, and what must be read back.
type model struct {
	kind     Kind
	prefix   string
	local    string
	space    string
	value    string
	binds    [][2]string
	attrs    []*model
	children []*model
}

func (m *model) qname() *QName {
	if m.prefix == "" {
		return MustQName(m.local)
	}
	return MustQName(m.prefix + ":" + m.local)
}

var (
	someLocals   = []string{"a", "b", "ID", "Straße", "日本", "x-1.y", "_", "aVeryLongNameThatDoesNotFitIntoOneWord"}
	somePrefixes = []string{"", "p", "q", "cbc"}
	someSpaces   = []string{"u", "v", "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"}
	somePieces   = []string{"x", " ", "\n", "\r", "\t", "&", "<", ">", "]]>", "]", `"`, "'", "ä", "😀", "\u0085", "&amp;", "<![CDATA[", "-", "?>", "1234567890"}
)

func drawValue(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(somePieces), 0, 8).Draw(t, "value"), "")
}

// drawElement draws an element under the given bindings of prefixes.
func drawElement(t *rapid.T, depth int, scope map[string]string) *model {
	m := &model{kind: KindElement, local: rapid.SampledFrom(someLocals).Draw(t, "name")}
	inner := map[string]string{}
	for p, u := range scope {
		inner[p] = u
	}
	for _, p := range somePrefixes {
		switch rapid.IntRange(0, 5).Draw(t, "declare "+p) {
		case 0:
			inner[p] = rapid.SampledFrom(someSpaces).Draw(t, "namespace")
			m.binds = append(m.binds, [2]string{p, inner[p]})
		case 1:
			if p == "" {
				delete(inner, p)
				m.binds = append(m.binds, [2]string{"", ""})
			}
		}
	}
	m.prefix = drawPrefix(t, inner)
	m.space = inner[m.prefix]
	drawAttrs(t, m, inner)
	if depth > 0 {
		drawChildren(t, m, depth, inner)
	}
	return m
}

func drawPrefix(t *rapid.T, scope map[string]string) string {
	p := rapid.SampledFrom(somePrefixes).Draw(t, "prefix")
	if scope[p] == "" {
		return ""
	}
	return p
}

func drawAttrs(t *rapid.T, m *model, scope map[string]string) {
	seen := map[Name]bool{}
	for range rapid.IntRange(0, 3).Draw(t, "attributes") {
		a := &model{kind: KindAttribute, local: rapid.SampledFrom(someLocals).Draw(t, "attribute"), prefix: drawPrefix(t, scope), value: drawValue(t)}
		if a.prefix != "" {
			a.space = scope[a.prefix]
		}
		if !seen[Name{a.space, a.local}] {
			seen[Name{a.space, a.local}] = true
			m.attrs = append(m.attrs, a)
		}
	}
}

func drawChildren(t *rapid.T, m *model, depth int, scope map[string]string) {
	for range rapid.IntRange(0, 5).Draw(t, "children") {
		var c *model
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			c = &model{kind: KindComment, value: strings.NewReplacer("-", "", "\r", "").Replace(drawValue(t))}
		case 1:
			c = &model{kind: KindInstruction, local: "p", value: strings.TrimLeft(strings.NewReplacer("?>", "", "\r", "").Replace(drawValue(t)), " \n\t")}
		case 2, 3, 4:
			c = &model{kind: KindText, value: drawValue(t)}
			if n := len(m.children); n > 0 && m.children[n-1].kind == KindText {
				m.children[n-1].value += c.value
				continue
			}
			if c.value == "" {
				continue
			}
		default:
			c = drawElement(t, depth-1, scope)
		}
		m.children = append(m.children, c)
	}
}

func (m *model) write(w *Writer) {
	switch m.kind {
	case KindElement:
		w.Start(m.qname())
		for _, b := range m.binds {
			w.Namespace(b[0], b[1])
		}
		for _, a := range m.attrs {
			w.Attr(a.qname(), a.value)
		}
		for _, c := range m.children {
			c.write(w)
		}
		w.End()
	case KindText:
		w.Text(m.value)
	case KindComment:
		w.Comment(m.value)
	case KindInstruction:
		w.Instruction(m.local, m.value)
	}
}

func (m *model) events() []event {
	e := []event{{m.kind, Name{m.space, m.local}, m.value}}
	if m.kind != KindElement {
		return e
	}
	for _, c := range append(append([]*model(nil), m.attrs...), m.children...) {
		e = append(e, c.events()...)
	}
	return append(e, event{})
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawElement(t, 4, map[string]string{})
		w := NewWriter(WriterOptions{Compact: true})
		m.write(w)
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		d, err := p.Parse(w.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, w.Bytes())
		}
		defer d.Release()
		if diff := cmp.Diff(m.events(), eventsOf(d)); diff != "" {
			t.Fatalf("%s\n%s", diff, w.Bytes())
		}
		checkRewritten(t, d)
		checkAxes(t, d)
	})
}

// checkRewritten writes a document and any element of it, and reads them back.
func checkRewritten(t *rapid.T, d *Document) {
	root := Node(rapid.IntRange(0, d.Len()-1).Draw(t, "node"))
	for root != 0 && d.Kind(root) != KindElement {
		root = d.Parent(root)
	}
	w := NewWriter(WriterOptions{Compact: true, NoDecl: true})
	w.Tree(d, root)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	again, err := Parse(w.Bytes(), Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Bytes())
	}
	want := eventsOf(d)
	if root != 0 {
		want = subtreeEvents(d, root)
	}
	if diff := cmp.Diff(want, eventsOf(again)); diff != "" {
		t.Fatalf("%s\n%s", diff, w.Bytes())
	}
	for n := root; root != 0 && n < d.End(root); n++ {
		for _, p := range somePrefixes {
			uri, ok := d.LookupPrefix(n, p)
			got, gotOK := again.LookupPrefix(n-root+1, p)
			if got != uri || gotOK != ok {
				t.Fatalf("prefix %q: got %q, %v, want %q, %v\n%s", p, got, gotOK, uri, ok, w.Bytes())
			}
		}
	}
}

func subtreeEvents(d *Document, root Node) []event {
	var events []event
	open := []Node{}
	for n := root; n <= d.End(root); n++ {
		for len(open) > 0 && d.End(open[len(open)-1]) <= n {
			events = append(events, event{})
			open = open[:len(open)-1]
		}
		if n == d.End(root) {
			break
		}
		e := event{Kind: d.Kind(n), Name: Name{d.Namespace(n), d.Local(n)}}
		if e.Kind == KindElement {
			open = append(open, n)
		} else {
			e.Value = d.String(n)
		}
		events = append(events, e)
	}
	return events
}

// checkAxes holds every axis against what the parents alone say.
func checkAxes(t *rapid.T, d *Document) {
	children := map[Node][]Node{}
	for n := Node(1); int(n) < d.Len(); n++ {
		if d.Kind(n) != KindAttribute {
			children[d.Parent(n)] = append(children[d.Parent(n)], n)
		}
	}
	at := func(list []Node, i int) Node {
		if i < 0 || i >= len(list) {
			return None
		}
		return list[i]
	}
	check := func(what string, n, got, want Node) {
		if got != want {
			t.Fatalf("%s of %d: got %d, want %d in\n%s", what, n, got, want, d.Source())
		}
	}
	for n := Node(0); int(n) < d.Len(); n++ {
		list := children[n]
		check("first child", n, d.FirstChild(n), at(list, 0))
		check("last child", n, d.LastChild(n), at(list, len(list)-1))
		for i, c := range list {
			check("next sibling", c, d.NextSibling(c), at(list, i+1))
			check("previous sibling", c, d.PrevSibling(c), at(list, i-1))
		}
		end := n + 1
		for int(end) < d.Len() && isInside(d, end, n) {
			end++
		}
		check("end", n, d.End(n), end)
		if d.Kind(n) == KindAttribute {
			check("next sibling", n, d.NextSibling(n), None)
			check("attribute", n, d.Attr(d.Parent(n), d.Name(n)), n)
		}
		if got, want := string(d.AppendString(nil, n)), stringValue(d, n); got != want {
			t.Fatalf("string value of %d: got %q, want %q", n, got, want)
		}
	}
	checkLists(t, d)
}

func isInside(d *Document, n, of Node) bool {
	for n != None && n != of {
		n = d.Parent(n)
	}
	return n == of
}

func stringValue(d *Document, n Node) string {
	if k := d.Kind(n); k != KindElement && k != KindDocument {
		return d.String(n)
	}
	s := ""
	for c := n + 1; c < d.End(n); c++ {
		if d.Kind(c) == KindText {
			s += d.String(c)
		}
	}
	return s
}

// checkLists holds the lists by name, and the steps to the first and next element of a name, against a plain walk.
func checkLists(t *rapid.T, d *Document) {
	for id := NameID(1); id < d.NameLimit(); id++ {
		var elements, attrs []Node
		for n := Node(0); int(n) < d.Len(); n++ {
			switch {
			case d.Name(n) != id:
			case d.Kind(n) == KindElement:
				elements = append(elements, n)
			case d.Kind(n) == KindAttribute:
				attrs = append(attrs, n)
			}
		}
		got := fmt.Sprint(d.Elements(id), d.AttributesNamed(id))
		if want := fmt.Sprint(elements, attrs); got != want {
			t.Fatalf("lists of %v: got %s, want %s", d.Names().Name(id), got, want)
		}
		for _, n := range elements {
			first := d.Child(d.Parent(n), id)
			for first != None && first != n {
				first = d.Next(first)
			}
			if first != n || !d.IsElement(n, id) {
				t.Fatalf("element %d is not found from its parent", n)
			}
		}
	}
}
