// Package mutant makes mutants of XML invoices: documents that differ from their parent in a few places that rules look at.
// It serves tests that compare two judges; what it makes is the same for the same parents, seed and number.
package mutant

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Document is an XML document with the places of its elements.
type Document struct {
	Name     string
	text     []byte
	root     *element
	elements []*element        // in document order
	prefixes map[string]string // namespace declarations of the document element
}

// element is an element with its offsets in the text: [start, open) is the start tag, [open, close) the content and
// [close, end) the end tag; the last three are the same in <a/>.
type element struct {
	parent                  *element
	children                []*element
	prefix, name            string
	attributes              []attribute
	start, open, close, end int
	comments                bool // has children that are no elements and no text
}

// attribute is an attribute that is no namespace declaration: [start, end) includes the white space before it, [value, end-1)
// is its value.
type attribute struct {
	name              string
	start, value, end int
}

// Read finds the elements of a document. It answers an error for what is not well-formed, or not UTF-8.
func Read(name string, text []byte) (*Document, error) {
	r := &reader{document: &Document{Name: name, text: text, prefixes: map[string]string{}}, decoder: xml.NewDecoder(bytes.NewReader(text))}
	for {
		from := int(r.decoder.InputOffset())
		token, err := r.decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.take(token, from, int(r.decoder.InputOffset()))
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	if r.current != nil || r.document.root == nil {
		return nil, fmt.Errorf("read %s: the document element has no end", name)
	}
	return r.document, nil
}

// reader is the state of Read.
type reader struct {
	document *Document
	decoder  *xml.Decoder
	current  *element
}

func (r *reader) take(token xml.Token, from, to int) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.open(t, from, to)
	case xml.EndElement:
		if r.current == nil || r.current.prefix != t.Name.Space || r.current.name != t.Name.Local {
			return fmt.Errorf("the end tag %s closes nothing", t.Name.Local)
		}
		r.current.close, r.current.end = from, to
		r.current = r.current.parent
	case xml.Comment, xml.ProcInst:
		if r.current != nil {
			r.current.comments = true
		}
	}
	return nil
}

func (r *reader) open(t xml.StartElement, from, to int) error {
	e := &element{parent: r.current, prefix: t.Name.Space, name: t.Name.Local, start: from, open: to}
	d := r.document
	switch {
	case r.current != nil:
		r.current.children = append(r.current.children, e)
	case d.root != nil:
		return errors.New("there are two document elements")
	default:
		d.root = e
		for _, a := range t.Attr {
			if prefix, ok := declared(a.Name); ok {
				d.prefixes[prefix] = a.Value
			}
		}
	}
	d.elements = append(d.elements, e)
	e.attributes = attributes(d.text[from:to], from)
	r.current = e
	return nil
}

// declared gives the prefix that an attribute declares.
func declared(name xml.Name) (prefix string, ok bool) {
	if name.Space == "" && name.Local == "xmlns" {
		return "", true
	}
	return name.Local, name.Space == "xmlns"
}

// attributes finds the attributes in a well-formed start tag that begins at an offset.
func attributes(tag []byte, offset int) []attribute {
	var all []attribute
	at := bytes.IndexAny(tag, " \t\r\n")
	for at >= 0 && at < len(tag) {
		equals := bytes.IndexByte(tag[at:], '=')
		if equals < 0 {
			break
		}
		name := strings.TrimSpace(string(tag[at : at+equals]))
		open := at + equals + bytes.IndexAny(tag[at+equals:], `"'`)
		end := open + 1 + bytes.IndexByte(tag[open+1:], tag[open]) + 1
		if name != "xmlns" && !strings.HasPrefix(name, "xmlns:") {
			all = append(all, attribute{name, offset + at, offset + open + 1, offset + end})
		}
		at = end
	}
	return all
}

func (e *element) leaf() bool { return len(e.children) == 0 }

// empty tells that the element is written as <a/>.
func (e *element) empty() bool { return e.open == e.end }

// path gives the names from the document element on, with positions where they are needed.
func (e *element) path() string {
	if e.parent == nil {
		return "/" + e.name
	}
	same, position := 0, 0
	for _, c := range e.parent.children {
		if c.name == e.name {
			same++
		}
		if c == e {
			position = same
		}
	}
	if same > 1 {
		return fmt.Sprintf("%s/%s[%d]", e.parent.path(), e.name, position)
	}
	return e.parent.path() + "/" + e.name
}

// value is the text of a leaf as it stands in the document.
func (d *Document) value(e *element) string { return string(d.text[e.open:e.close]) }

func (d *Document) source(e *element) string { return string(d.text[e.start:e.end]) }

func (d *Document) attribute(a attribute) string { return string(d.text[a.value : a.end-1]) }
