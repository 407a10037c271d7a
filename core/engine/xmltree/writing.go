package xmltree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) top() *level { return &w.stack[len(w.stack)-1] }

// path names the open elements for errors.
func (w *Writer) path(attr *QName) string {
	var b strings.Builder
	for _, l := range w.stack {
		b.WriteString("/" + l.name.raw)
	}
	if attr != nil {
		b.WriteString("/@" + attr.raw)
	}
	return b.String()
}

// beforeNode prepares for an element, comment or instruction. Beside text nothing is indented: white space there would be a
// part of the text.
func (w *Writer) beforeNode() bool {
	if w.err != nil || w.inTag && !w.closeTag() {
		return false
	}
	indented := len(w.stack) == 0
	if !indented {
		l := w.top()
		l.nodes = true
		indented = !l.text
	}
	if indented && !w.opt.Compact && len(w.buf)+w.flushed > 0 {
		w.indent(len(w.stack))
	}
	return true
}

const indentation = "\n                                                                "

func (w *Writer) indent(depth int) {
	n := 1 + 2*depth
	w.buf = append(w.buf, indentation[:min(n, len(indentation))]...)
	for n -= len(indentation); n > 0; n-- {
		w.buf = append(w.buf, ' ')
	}
}

// tagOpen tells whether attributes may be written now.
func (w *Writer) tagOpen(what string) bool {
	if w.err == nil && !w.inTag {
		w.fail(fmt.Errorf("%s must follow the start of an element", what))
	}
	return w.err == nil
}

func (w *Writer) beginAttr(q *QName) bool {
	if w.err != nil {
		return false
	}
	if !w.inTag && !w.tagOpen("the attribute "+q.raw) {
		return false
	}
	if q.raw == "xmlns" {
		w.fail(errors.New("xmlns is no attribute: use Namespace"))
		return false
	}
	for _, a := range w.attrs {
		if a.raw == q.raw {
			w.fail(fmt.Errorf("the attribute %s stands twice on %s", q, w.path(nil)))
			return false
		}
	}
	w.attrs = append(w.attrs, q)
	w.buf = append(w.buf, q.attr...)
	return true
}

// attrValue writes a value and the closing quote; q is nil for a declaration.
func attrValue[T string | []byte](w *Writer, q *QName, value T) {
	out, bad := appendEscaped(w.buf, value, true)
	w.buf = append(out, '"')
	if bad >= 0 {
		illegal(w, q, value, bad)
	}
}

func illegal[T string | []byte](w *Writer, attr *QName, value T, at int) {
	r, _ := utf8.DecodeRuneInString(string(value[at:min(at+utf8.UTFMax, len(value))]))
	w.fail(&IllegalCharError{Rune: r, Offset: at, Path: w.path(attr)})
}

// closeTag ends the start tag once its attributes are written.
func (w *Writer) closeTag() bool {
	if !w.checkTag() {
		return false
	}
	w.buf = append(w.buf, '>')
	w.inTag = false
	return true
}

// checkTag holds the prefixes used in the start tag against the declarations in scope. It can be done no earlier:
// Namespace may be called after the name and the attributes that need it.
func (w *Writer) checkTag() bool {
	name := w.top().name
	if name.prefix != "" {
		if _, ok := w.lookup(name.prefix); !ok {
			w.fail(fmt.Errorf("the prefix of %s is not declared", w.path(nil)))
			return false
		}
	}
	for i, a := range w.attrs {
		if a.prefix != "" && !w.checkAttr(i, a) {
			return false
		}
	}
	w.attrs = w.attrs[:0]
	return true
}

// checkAttr refuses an attribute whose prefix is not declared, or that repeats an earlier one under another prefix.
func (w *Writer) checkAttr(i int, a *QName) bool {
	uri, ok := w.lookup(a.prefix)
	if !ok {
		w.fail(fmt.Errorf("the prefix of %s is not declared", w.path(a)))
		return false
	}
	for _, b := range w.attrs[:i] {
		if b.prefix == "" || b.local != a.local {
			continue
		}
		if other, _ := w.lookup(b.prefix); other == uri {
			w.fail(fmt.Errorf("the attributes %s and %s of %s are the same", b, a, w.path(nil)))
			return false
		}
	}
	return true
}

func (w *Writer) lookup(prefix string) (uri string, ok bool) {
	for i := len(w.binds) - 1; i >= 0; i-- {
		if w.binds[i].prefix == prefix {
			return w.binds[i].uri, true
		}
	}
	if prefix == "xml" {
		return XMLSpace, true
	}
	return "", false
}

func (w *Writer) beginText() bool {
	if w.err != nil || w.inTag && !w.closeTag() {
		return false
	}
	if len(w.stack) == 0 {
		w.fail(errors.New("text must stand inside the root element"))
		return false
	}
	w.top().text = true
	return true
}

func text[T string | []byte](w *Writer, value T) {
	if len(value) == 0 || !w.beginText() {
		return
	}
	out, bad := appendEscaped(w.buf, value, false)
	w.buf = out
	if bad >= 0 {
		illegal(w, nil, value, bad)
		return
	}
	w.flushFull()
}

// verbatim writes a comment or instruction, whose text cannot be escaped: a CR cannot stand in it.
func (w *Writer) verbatim(before, value, after string) {
	bad := firstIllegal([]byte(value))
	if cr := strings.IndexByte(value, '\r'); cr >= 0 && (bad < 0 || cr < bad) {
		bad = cr
	}
	if bad >= 0 {
		illegal(w, nil, value, bad)
	}
	if w.beforeNode() {
		w.buf = append(append(append(w.buf, before...), value...), after...)
		w.flushFull()
	}
}

// flushFull sends the buffer on when it is full.
func (w *Writer) flushFull() {
	if w.opt.SizeLimit > 0 && w.flushed+len(w.buf) > w.opt.SizeLimit {
		w.fail(fmt.Errorf("the document grows beyond %d bytes", w.opt.SizeLimit))
		return
	}
	if w.opt.Out != nil && len(w.buf) >= w.opt.FlushAt {
		w.flush()
	}
}

func (w *Writer) flush() {
	if w.opt.Out == nil || w.err != nil {
		return
	}
	if _, err := w.opt.Out.Write(w.buf); err != nil {
		w.fail(fmt.Errorf("write the document: %w", err))
		return
	}
	w.flushed += len(w.buf)
	w.buf = w.buf[:0]
}
