package xmltree

import (
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// WriterOptions say how a Writer writes.
type WriterOptions struct {
	Out       io.Writer // where full buffers go; nil keeps the whole document for Bytes. Default: nil
	FlushAt   int       // bytes buffered before they go to Out. Default: 64 KiB
	Compact   bool      // no indentation; otherwise two spaces per level, none inside an element that has text. Default: false
	NoDecl    bool      // no XML declaration. Default: false
	SizeLimit int       // bytes after which writing fails. Default: no limit
}

// Writer writes one document as UTF-8. It cannot write ill-formed XML: elements are closed in order, names and prefixes are
// checked, text is escaped, and characters that XML 1.0 cannot hold are an error, never dropped. The first error stays: all
// later calls do nothing, and Finish reports it. A Writer is not safe for concurrent use.
type Writer struct {
	opt     WriterOptions
	buf     []byte
	flushed int
	err     error
	stack   []level
	binds   []binding
	attrs   []*QName // of the start tag that is still open
	inTag   bool
	rooted  bool
}

// level is an open element.
type level struct {
	name  *QName
	binds int  // length of binds before its declarations
	text  bool // it has text: no indentation from here on
	nodes bool // it has child elements, comments or instructions
}

type binding struct{ prefix, uri string }

// IllegalCharError says which character a document cannot hold and where it was to be written.
type IllegalCharError struct {
	Rune   rune   // utf8.RuneError for a byte that is not UTF-8
	Offset int    // bytes into the value
	Path   string // the open elements, e.g. /Invoice/cbc:Note, with /@name for an attribute
}

// Error names character and place.
func (e *IllegalCharError) Error() string {
	if e.Rune == utf8.RuneError {
		return fmt.Sprintf("write %s: invalid UTF-8 at byte %d of the value", e.Path, e.Offset)
	}
	return fmt.Sprintf("write %s: the character U+%04X at byte %d of the value is not allowed in XML", e.Path, e.Rune, e.Offset)
}

// NewWriter gives a Writer that begins a document.
func NewWriter(opt WriterOptions) *Writer {
	w := &Writer{}
	w.Reset(opt)
	return w
}

// Reset begins a new document and keeps the memory; what Bytes gave before is overwritten.
func (w *Writer) Reset(opt WriterOptions) {
	if opt.FlushAt <= 0 {
		opt.FlushAt = 64 << 10
	}
	*w = Writer{opt: opt, buf: w.buf[:0], stack: w.stack[:0], binds: w.binds[:0], attrs: w.attrs[:0]}
	if !opt.NoDecl {
		w.buf = append(w.buf, `<?xml version="1.0" encoding="UTF-8"?>`...)
	}
}

// Grow makes room for n bytes more when the document is kept for Bytes; who can tell its size spares the copies.
func (w *Writer) Grow(n int) {
	if w.opt.Out == nil {
		w.buf = slices.Grow(w.buf, n)
	}
}

// Start opens an element. Declarations and attributes follow, then content, then End.
func (w *Writer) Start(q *QName) {
	if !w.beforeNode() {
		return
	}
	if len(w.stack) == 0 && w.rooted {
		w.fail(errors.New("a document has one root element"))
		return
	}
	w.rooted = true
	w.buf = append(w.buf, q.open...)
	w.stack = append(w.stack, level{name: q, binds: len(w.binds)})
	w.inTag = true
}

// Namespace declares a prefix, or with the empty prefix the default namespace, on the element just opened.
func (w *Writer) Namespace(prefix, uri string) {
	if !w.tagOpen("the namespace declaration of prefix " + prefix) {
		return
	}
	e := entry{raw: "xmlns"}
	if prefix != "" {
		e.raw = "xmlns:" + prefix
		e.prefix = map[string]uint32{"xml": prefixXML, "xmlns": prefixXMLNS}[prefix]
	}
	if _, message := checkDeclaration(&e, uri); message != "" || prefix != "" && !isWritableName(prefix) {
		w.fail(fmt.Errorf("the prefix %q cannot stand for %q", prefix, uri))
		return
	}
	for _, b := range w.binds[w.top().binds:] {
		if b.prefix == prefix {
			w.fail(fmt.Errorf("the prefix %q is declared twice on %s", prefix, w.top().name))
			return
		}
	}
	w.binds = append(w.binds, binding{prefix, uri})
	w.buf = append(append(append(w.buf, ' '), e.raw...), `="`...)
	attrValue(w, nil, uri)
}

// Attr writes an attribute of the element just opened.
func (w *Writer) Attr(q *QName, value string) {
	if w.beginAttr(q) {
		attrValue(w, q, value)
	}
}

// AttrBytes is Attr for bytes.
func (w *Writer) AttrBytes(q *QName, value []byte) {
	if w.beginAttr(q) {
		attrValue(w, q, value)
	}
}

// Text writes text into the open element. Several calls make one text.
func (w *Writer) Text(value string) { text(w, value) }

// TextBytes is Text for bytes.
func (w *Writer) TextBytes(value []byte) { text(w, value) }

// TextFrom writes the text that a appends, a decimal for example, without a copy in between. It is escaped afterwards
// where it turns out to need it, which numbers and dates do not.
func (w *Writer) TextFrom(a encoding.TextAppender) {
	if !w.beginText() {
		return
	}
	from := len(w.buf)
	out, err := a.AppendText(w.buf)
	if err != nil {
		w.fail(fmt.Errorf("write %s: %w", w.path(nil), err))
		return
	}
	w.buf = out
	if plainText(out[from:], 0) < len(out)-from {
		value := append([]byte(nil), out[from:]...)
		w.buf = out[:from]
		text(w, value)
	}
	w.flushFull()
}

// Base64 writes data in base64 (RFC 4648 clause 4, without line breaks) as text.
func (w *Writer) Base64(data []byte) {
	// Only the last chunk may be padded, or the text would not be base64 any more.
	const chunk = 48 << 10 // a multiple of three
	if !w.beginText() {
		return
	}
	for w.err == nil && len(data) > 0 {
		n := min(len(data), chunk)
		w.buf = base64.StdEncoding.AppendEncode(w.buf, data[:n])
		data = data[n:]
		w.flushFull()
	}
}

// Leaf writes an element that holds nothing but text.
func (w *Writer) Leaf(q *QName, value string) {
	w.Start(q)
	w.Text(value)
	w.End()
}

// End closes the element opened last.
func (w *Writer) End() {
	if w.err != nil {
		return
	}
	if len(w.stack) == 0 {
		w.fail(errors.New("no element is open"))
		return
	}
	l := w.top()
	switch {
	case w.inTag:
		if !w.checkTag() {
			return
		}
		w.buf = append(w.buf, "/>"...)
		w.inTag = false
	default:
		if l.nodes && !l.text && !w.opt.Compact {
			w.indent(len(w.stack) - 1)
		}
		w.buf = append(w.buf, l.name.close...)
	}
	w.binds = w.binds[:l.binds]
	w.stack = w.stack[:len(w.stack)-1]
	w.flushFull()
}

// Comment writes a comment, which must not hold two hyphens in a row nor end with one (XML 1.0 clause 2.5).
func (w *Writer) Comment(value string) {
	if strings.Contains(value, "--") || strings.HasSuffix(value, "-") {
		w.fail(errors.New("a comment must not hold two hyphens in a row, nor end with a hyphen"))
	}
	w.verbatim("<!--", value, "-->")
}

// Instruction writes a processing instruction; data must not hold ?> nor begin with white space, the target must be a name
// without colon other than xml.
func (w *Writer) Instruction(target, data string) {
	if !isWritableName(target) || strings.EqualFold(target, "xml") || strings.Contains(data, "?>") || data != "" && isSpace(data[0]) {
		w.fail(fmt.Errorf("<?%s …?> is not a processing instruction", target))
	}
	if data != "" {
		data = " " + data
	}
	w.verbatim("<?"+target, data, "?>")
}

// Err is the first error so far.
func (w *Writer) Err() error { return w.err }

// Finish ends the document and sends the rest to Out. It gives the first error, and one when elements are open or none was
// written.
func (w *Writer) Finish() error {
	switch {
	case w.err != nil:
	case len(w.stack) > 0:
		w.fail(fmt.Errorf("the element %s is still open", w.top().name))
	case !w.rooted:
		w.fail(errors.New("a document needs a root element"))
	default:
		if !w.opt.Compact {
			w.buf = append(w.buf, '\n')
		}
		w.flush()
	}
	return w.err
}

// Bytes is the document written so far, without Out; it is valid until the next call.
func (w *Writer) Bytes() []byte { return w.buf }
