package mapping

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Nationals says what of a syntax an invoice.National can hold: every element that the order names and that has nothing but a text, and
// some attributes.
type Nationals struct {
	Order      map[string]string // as that of the table: without it an element has no place
	Attributes []string          // local names of attributes
	Namespaces map[string]string // as those of the table, for names that have a prefix in Order
	Demands    map[string]string // children that an element has even if they are empty, by local name, as in Order
	Constants  bool              // these attributes are held where the table has a constant as well and the document another text
}

// Take moves leaves that no row took from an account to a National; nil where there is none. What the document computes or repeats
// stays reported, as do elements that the order does not name and texts beside elements.
func (n Nationals) Take(doc *xmltree.Document, account *Account) invoice.National {
	take := &taking{Nationals: n, doc: doc, paths: map[xmltree.Node]string{}, free: map[xmltree.Node]bool{},
		lists: map[string][]xmltree.Node{}}
	for _, leaf := range account.Leaves {
		take.free[leaf.Node] = take.holds(leaf)
	}
	var national invoice.National
	account.Leaves = slices.DeleteFunc(account.Leaves, func(leaf Leaf) bool {
		path := ""
		if take.free[leaf.Node] {
			path = take.path(leaf.Node)
		}
		if path == "" {
			return false
		}
		if national == nil {
			national = invoice.National{}
		}
		if national[path] == nil {
			national[path] = take.texts(path, leaf.Node)
		}
		account.Mapped, account.Reported = account.Mapped+1, account.Reported-1
		return true
	})
	return national
}

// taking is one run of Take.
type taking struct {
	Nationals
	doc   *xmltree.Document
	paths map[xmltree.Node]string // of elements whose parents were looked at; empty for those without a place
	free  map[xmltree.Node]bool   // leaves that a National can hold
	lists map[string][]xmltree.Node
}

// texts are those of a leaf, or of all in its list.
func (t *taking) texts(path string, leaf xmltree.Node) []string {
	all := t.lists[path]
	if all == nil {
		all = []xmltree.Node{leaf}
	}
	var texts []string
	for _, n := range all {
		texts = append(texts, trimmed(t.doc.String(n)))
	}
	return texts
}

// empty tells whether an element has nothing in it.
func (t *taking) empty(el xmltree.Node) bool {
	text, plain := t.doc.TextOf(el)
	return plain && blank(text)
}

// holds tells whether a National can hold a leaf.
func (t *taking) holds(leaf Leaf) bool {
	if t.Constants && t.doc.Kind(leaf.Node) == xmltree.KindAttribute {
		return slices.Contains(t.Attributes, t.doc.Local(leaf.Node))
	}
	if strings.HasPrefix(leaf.Reason, computesReason) || strings.HasPrefix(leaf.Reason, constantReason) {
		return false
	}
	if t.doc.Kind(leaf.Node) == xmltree.KindAttribute {
		return slices.Contains(t.Attributes, t.doc.Local(leaf.Node))
	}
	for range elements(t.doc, leaf.Node) {
		return false
	}
	return true // what interrupts the text is no part of it
}

// path is that of a leaf, empty where it has none.
func (t *taking) path(leaf xmltree.Node) string {
	if t.doc.Kind(leaf) != xmltree.KindAttribute {
		return t.element(leaf)
	}
	if t.doc.Parent(leaf) == t.doc.Root() {
		return "@" + t.doc.Local(leaf)
	}
	if parent := t.element(t.doc.Parent(leaf)); parent != "" {
		return parent + "/@" + t.doc.Local(leaf)
	}
	return ""
}

// element is the path of an element, empty where it has none. The elements beside it are named with it.
func (t *taking) element(el xmltree.Node) string {
	path, known := t.paths[el]
	if known || el == t.doc.Root() {
		return path
	}
	parent := t.doc.Parent(el)
	prefix := ""
	if parent != t.doc.Root() {
		if prefix = t.element(parent); prefix == "" {
			t.paths[el] = ""
			return ""
		}
		prefix += "/"
	}
	beside := map[string][]xmltree.Node{}
	for c := range elements(t.doc, parent) {
		beside[t.doc.Local(c)] = append(beside[t.doc.Local(c)], c)
	}
	for name, all := range beside {
		t.name(prefix, t.doc.Local(parent), name, all)
	}
	return t.paths[el]
}

// name gives the elements of one name in a parent their paths: one path for all of them where a list can hold them.
func (t *taking) name(prefix, parent, name string, all []xmltree.Node) {
	list := !slices.ContainsFunc(all, func(el xmltree.Node) bool {
		for range attributes(t.doc, el) {
			return true // a text of a list has no attributes
		}
		return !t.free[el] && !t.empty(el)
	})
	if list && len(all) > 1 {
		t.lists[prefix+name] = all
	}
	for i, el := range all {
		switch {
		case t.place(parent, name) < 0:
			t.paths[el] = ""
		case list || len(all) == 1:
			t.paths[el] = prefix + name
		default:
			t.paths[el] = prefix + name + "[" + strconv.Itoa(i+1) + "]"
		}
	}
}

// place is where the order has a child in its parent; -1 where it does not.
func (n Nationals) place(parent, child string) int {
	at := 0
	for name := range strings.FieldsSeq(n.Order[parent]) {
		for alternative := range strings.SplitSeq(name, "|") {
			if local(alternative) == child {
				return at
			}
		}
		at++
	}
	return -1
}

// local is a name without its prefix.
func local(name string) string { return name[1+strings.IndexByte(name, ':'):] }

// rewritten parses the documents that a National is added to, and keeps what they have in common.
var rewritten = newParser()

func newParser() *xmltree.Parser {
	p, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		panic(err) // the limits are the default ones
	}
	return p
}

// Write writes a document with what a National adds to it, which prevails where both have a text. It gives the paths that have no place,
// in their order. The error is a *FieldError where one of its texts is not for XML, or that of a document which is none.
//
// The document is read back and changed as a tree, because the places of elements depend on all that stand beside them, of
// which the table knows only its own.
func (n Nationals) Write(w *xmltree.Writer, document []byte, national invoice.National) ([]string, error) {
	doc, err := rewritten.Parse(document)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	tree := treeOf(doc, doc.Root())
	var unplaced []string
	for _, path := range sortedPaths(national) {
		if !n.put(tree, path, national[path]) {
			unplaced = append(unplaced, path)
		}
	}
	spaces := map[string]string{}
	for prefix, uri := range n.Namespaces {
		spaces[prefix] = uri
	}
	spaces[string(doc.Prefix(doc.Root()))] = doc.Namespace(doc.Root())
	err = tree.write(w, spaces)
	if illegal := (*xmltree.IllegalCharError)(nil); errors.As(err, &illegal) {
		err = &FieldError{Field: "countrySpecific.national", Err: err}
	}
	return unplaced, err
}

// WriteWith writes an invoice as write does, with what its countrySpecific.national adds to that; what has no place there is told as
// unwritten as well. A document has size bytes, by and large. Errors are those of write and of Write.
func (n Nationals) WriteWith(w *xmltree.Writer, inv *invoice.Invoice, size int, write func(*xmltree.Writer) ([]Unwritten, error)) ([]Unwritten, error) {
	w.Grow(size)
	if inv.CountrySpecific == nil || len(inv.CountrySpecific.National) == 0 {
		return write(w)
	}
	plain := xmltree.NewWriter(xmltree.WriterOptions{Compact: true})
	plain.Grow(size)
	unwritten, err := write(plain)
	if err == nil {
		err = plain.Finish()
	}
	if err != nil {
		return nil, err
	}
	unplaced, err := n.Write(w, plain.Bytes(), inv.CountrySpecific.National)
	for _, path := range unplaced {
		unwritten = append(unwritten, Unwritten{Field: "countrySpecific.national." + path})
	}
	return unwritten, err
}

// put puts texts at a path.
func (n Nationals) put(at *treeElement, path string, texts []string) bool {
	steps := strings.Split(path, "/")
	for i, step := range steps {
		name, index := stepOf(step)
		last := i == len(steps)-1
		switch attribute, is := strings.CutPrefix(name, "@"); {
		case is:
			return last && len(texts) == 1 && slices.Contains(n.Attributes, attribute) && at.set(attribute, texts[0])
		case last && name != step && len(texts) == 1:
			return n.insert(at, name, index, texts[0])
		case last:
			return n.putTexts(at, name, index, texts)
		}
		next := n.child(at, name, index)
		if next == nil {
			return false
		}
		at = next
	}
	return false
}

// putTexts puts texts in so many elements of a name.
func (n Nationals) putTexts(at *treeElement, name string, index int, texts []string) bool {
	for i, text := range texts {
		leaf := n.child(at, name, index+i)
		if leaf == nil || len(leaf.children) > 0 {
			return false
		}
		leaf.text = text
	}
	return true
}

// insert puts an element among those of its name: the others of them have been written, and stand around it.
func (n Nationals) insert(at *treeElement, name string, index int, text string) bool {
	found := 0
	for i, c := range at.children {
		if c.local() != name {
			continue
		}
		if found++; found == index {
			at.children, at.seen = slices.Insert(at.children, i, &treeElement{name: readyNames.of([]byte(n.named(at.local(), name))), text: text}), seenChild{}
			return true
		}
	}
	leaf := n.child(at, name, index)
	if leaf != nil {
		leaf.text = text
	}
	return leaf != nil
}

// child gives a child by its name and position, which is made where it is the next one; nil where it has no place.
func (n Nationals) child(at *treeElement, name string, index int) *treeElement {
	place := n.place(at.local(), name)
	if place < 0 || at.text != "" {
		return nil
	}
	before, found := 0, 0
	if at.seen.name == name && at.seen.index <= index { // paths come in their order: what was found last is near
		before, found = at.seen.at, at.seen.index-1
	}
	for i := before; i < len(at.children); i++ {
		c := at.children[i]
		if c.local() == name {
			if found++; found == index {
				at.seen = seenChild{name, index, i}
				return c
			}
		}
		if n.place(at.local(), c.local()) <= place {
			before = i + 1
		}
	}
	if found+1 != index {
		return nil
	}
	made := n.made(at, name)
	at.children, at.seen = slices.Insert(at.children, before, made), seenChild{}
	return made
}

// made makes an element with the children that it has even if they are empty.
func (n Nationals) made(at *treeElement, name string) *treeElement {
	made := &treeElement{name: readyNames.of([]byte(n.named(at.local(), name)))}
	for child := range strings.FieldsSeq(n.Demands[name]) {
		made.children = append(made.children, n.made(made, child))
	}
	return made
}

// named is a child's name with its prefix.
func (n Nationals) named(parent, child string) string {
	for name := range strings.FieldsSeq(n.Order[parent]) {
		if prefix, _, found := strings.Cut(name, ":"); found && local(name) == child && n.Namespaces[prefix] != "" {
			return name
		}
	}
	return child
}

// stepOf takes NAME[INDEX] apart; the index of a name alone is 1.
func stepOf(step string) (name string, index int) {
	name, rest, found := strings.Cut(step, "[")
	if !found {
		return name, 1
	}
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if err != nil {
		return "", 0
	}
	return name, index
}

// sortedPaths are the paths of a National, of elements with one name the first first. So an element is never asked for by a
// position before those with lower ones were made.
func sortedPaths(national invoice.National) []string {
	var paths []string
	for path := range national {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
			nameA, indexA := stepOf(a)
			nameB, indexB := stepOf(b)
			if nameA != nameB {
				return strings.Compare(nameA, nameB)
			}
			return indexA - indexB
		})
	})
	return paths
}
