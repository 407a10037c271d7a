package schematron

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// The namespaces of the languages that rule sets are written in.
const (
	schNamespace  = "http://purl.oclc.org/dsdl/schematron" // ISO/IEC 19757-3, 5.1
	oldNamespace  = "http://www.ascc.net/xml/schematron"   // Schematron before ISO
	xslNamespace  = "http://www.w3.org/1999/XSL/Transform" // XSLT 2.0, 3.1
	svrlNamespace = "http://purl.oclc.org/dsdl/svrl"       // ISO/IEC 19757-3, annex D
)

// source is one file of a rule set at one place of inclusion. The chain of those that include it is what finds an
// inclusion of a file in itself.
type source struct {
	*file
	from *source // the file that includes it, nil for the entry file
}

// file is one file of a rule set.
type file struct {
	name  string // path within the file system
	doc   *xmltree.Document
	lines []int // where each line after the first begins
}

func newFile(name string, doc *xmltree.Document) *file {
	f := &file{name: name, doc: doc}
	for i, c := range doc.Source() {
		if c == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// line gives the line of a node, from 1. Document.Position counts columns as well, which costs much in long lines.
func (f *file) line(n xmltree.Node) int {
	after, _ := slices.BinarySearch(f.lines, f.doc.Offset(n)+1)
	return after + 1
}

// depth counts the files around this one.
func (s *source) depth() int {
	n := 0
	for f := s.from; f != nil; f = f.from {
		n++
	}
	return n
}

// within tells whether the file, or one that includes it, is that path.
func (s *source) within(name string) bool {
	for f := s; f != nil; f = f.from {
		if f.name == name {
			return true
		}
	}
	return false
}

// element is an element of a source file.
type element struct {
	file *source
	node xmltree.Node
}

func (e element) is(space, local string) bool {
	return e.file.doc.Local(e.node) == local && e.file.doc.Namespace(e.node) == space
}

func (e element) space() string { return e.file.doc.Namespace(e.node) }
func (e element) local() string { return e.file.doc.Local(e.node) }

// name is the name as written, for messages.
func (e element) name() string { return string(e.file.doc.QName(e.node)) }

func (e element) place() Place { return e.placeOf(e.node) }

func (e element) placeOf(n xmltree.Node) Place {
	return Place{File: e.file.name, Line: e.file.line(n)}
}

func (e element) fault(format string, args ...any) error { return e.place().fault(format, args...) }

// attribute gives the node of an attribute in no namespace.
func (e element) attribute(local string) (xmltree.Node, bool) {
	first, count := e.file.doc.Attributes(e.node)
	for n := first; n < first+xmltree.Node(count); n++ {
		if e.file.doc.Local(n) == local && e.file.doc.Namespace(n) == "" {
			return n, true
		}
	}
	return xmltree.None, false
}

// attr gives the value of an attribute in no namespace, empty when it is absent.
func (e element) attr(local string) string {
	if n, ok := e.attribute(local); ok {
		return e.file.doc.String(n)
	}
	return ""
}

// token is attr without white space around it.
func (e element) token(local string) string { return trim(e.attr(local)) }

// required gives an attribute that must have a value.
func (e element) required(local string) (string, error) {
	if value := e.token(local); value != "" {
		return value, nil
	}
	return "", e.fault("%s has no attribute %s: expected one that is not empty", e.name(), local)
}

// only refuses attributes in no namespace that are not in the list: what is not known might change the meaning.
func (e element) only(allowed ...string) error {
	first, count := e.file.doc.Attributes(e.node)
	for n := first; n < first+xmltree.Node(count); n++ {
		if e.file.doc.Namespace(n) == "" && !slices.Contains(allowed, e.file.doc.Local(n)) {
			return e.placeOf(n).fault("%s has the attribute %s: expected %s", e.name(), e.file.doc.Local(n), noOther(allowed))
		}
	}
	return nil
}

func noOther(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return "no other than " + strings.Join(names, ", ")
}

// nodes gives the child nodes.
func (e element) nodes(yield func(xmltree.Node) bool) {
	doc := e.file.doc
	first, end := doc.Children(e.node)
	for n := first; n < end; n = doc.End(n) {
		if !yield(n) {
			return
		}
	}
}

// elements gives the child elements as they stand, inclusions not followed.
func (e element) elements(yield func(element) bool) {
	for n := range e.nodes {
		if e.file.doc.Kind(n) == xmltree.KindElement && !yield(element{e.file, n}) {
			return
		}
	}
}

// find gives the first descendant, or e itself, for which test holds.
func (e element) find(test func(element) bool) (element, bool) {
	doc := e.file.doc
	for n := e.node; n < doc.End(e.node); n++ {
		if found := (element{e.file, n}); doc.Kind(n) == xmltree.KindElement && test(found) {
			return found, true
		}
	}
	return element{}, false
}

// cutName splits a lexical name at its colon.
func cutName(name string) (prefix, local string, qualified bool) {
	if prefix, local, qualified = strings.Cut(name, ":"); qualified {
		return prefix, local, true
	}
	return "", name, false
}
