package pdf

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/klauspost/compress/zlib"
)

// ref is the number of an indirect object.
type ref int

func (r ref) String() string { return strconv.Itoa(int(r)) + " 0 R" }

// writer writes the objects of a file (ISO 32000-1 §7.5): streams as they come, all others in compressed object streams, and a
// cross-reference stream at the end.
type writer struct {
	out     bytes.Buffer
	where   []place // by number of the object
	packed  []ref   // waiting for an object stream
	bodies  bytes.Buffer
	starts  []int
	deflate *zlib.Writer
	small   bytes.Buffer
}

// place is where an object is: at an offset, or at an index of an object stream.
type place struct {
	kind   byte // 0 for none, 1 at an offset, 2 in an object stream
	offset int  // or the number of the stream
	index  int
}

const (
	objectsPerStream = 200
	compression      = 3 // of zlib; more makes files a little smaller and takes much longer
)

func newWriter() *writer {
	w := &writer{where: make([]place, 1)}
	w.out.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	return w
}

// reserve gives the number of an object that is written later.
func (w *writer) reserve() ref {
	w.where = append(w.where, place{})
	return ref(len(w.where) - 1)
}

// put writes an object that is no stream.
func (w *writer) put(r ref, body []byte) {
	w.packed, w.starts = append(w.packed, r), append(w.starts, w.bodies.Len())
	w.bodies.Write(body)
	w.bodies.WriteByte('\n')
	if len(w.packed) == objectsPerStream {
		w.flush()
	}
}

func (w *writer) putf(r ref, format string, args ...any) {
	w.put(r, fmt.Appendf(nil, format, args...))
}

// add writes an object under the next number.
func (w *writer) add(format string, args ...any) ref {
	r := w.reserve()
	w.putf(r, format, args...)
	return r
}

// flush writes the objects that wait as an object stream (§7.5.7).
func (w *writer) flush() {
	if len(w.packed) == 0 {
		return
	}
	stream := w.reserve()
	var index []byte
	for i, r := range w.packed {
		w.where[r] = place{2, int(stream), i}
		index = fmt.Appendf(index, "%d %d ", r, w.starts[i])
	}
	dict := fmt.Sprintf("/Type/ObjStm/N %d/First %d", len(w.packed), len(index))
	body := append(index, w.bodies.Bytes()...)
	w.packed, w.starts = w.packed[:0], w.starts[:0]
	w.stream(stream, dict, body)
	w.bodies.Reset()
}

// stream writes a stream, compressed. dict is the inside of its dictionary without Length and Filter.
func (w *writer) stream(r ref, dict string, data []byte) {
	w.streamOf(r, dict, func(write func([]byte)) { write(data) })
}

// streamOf is stream for data that fill writes part by part, so that memory never holds all of it.
func (w *writer) streamOf(r ref, dict string, fill func(write func(part []byte))) {
	w.raw(r, dict+"/Filter/FlateDecode", w.compress(fill))
}

// compress deflates what fill writes; the result is valid until the next call.
func (w *writer) compress(fill func(write func(part []byte))) []byte {
	w.small.Reset()
	if w.deflate == nil {
		w.deflate, _ = zlib.NewWriterLevel(&w.small, compression) // the level is one that there is
	} else {
		w.deflate.Reset(&w.small)
	}
	fill(func(part []byte) { w.deflate.Write(part) }) // a bytes.Buffer takes everything
	w.deflate.Close()
	return w.small.Bytes()
}

// raw writes a stream as it is.
func (w *writer) raw(r ref, dict string, data []byte) {
	w.where[r] = place{kind: 1, offset: w.out.Len()}
	fmt.Fprintf(&w.out, "%d 0 obj\n<<%s/Length %d>>\nstream\n", r, dict, len(data))
	w.out.Write(data)
	w.out.WriteString("\nendstream\nendobj\n")
}

// finish writes the cross-reference stream (§7.5.8) and gives the file. Its identifier is made of what the file holds.
func (w *writer) finish(catalog, info ref) []byte {
	w.flush()
	hash := sha256.Sum256(w.out.Bytes())
	self, start := w.reserve(), w.out.Len()
	w.where[self] = place{kind: 1, offset: start}
	var rows []byte
	for i, p := range w.where {
		index := p.index
		if i == 0 {
			index = 65535
		}
		rows = append(rows, p.kind, byte(p.offset>>24), byte(p.offset>>16), byte(p.offset>>8), byte(p.offset), byte(index>>8), byte(index))
	}
	dict := fmt.Sprintf("/Type/XRef/Size %d/W[1 4 2]/Root %v/Info %v/ID[<%x><%x>]", len(w.where), catalog, info, hash[:16], hash[:16])
	w.stream(self, dict, rows)
	fmt.Fprintf(&w.out, "startxref\n%d\n%%%%EOF\n", start)
	return w.out.Bytes()
}

// appendNumber writes a number as PDF does: at most 4 decimals, no exponent.
func appendNumber(dst []byte, v float64) []byte {
	if v < 0 {
		if v > -0.00005 {
			return append(dst, '0')
		}
		dst, v = append(dst, '-'), -v
	}
	n := int64(v*10000 + 0.5)
	dst = strconv.AppendInt(dst, n/10000, 10)
	if rest := n % 10000; rest != 0 {
		dst = append(dst, '.', byte('0'+rest/1000), byte('0'+rest/100%10), byte('0'+rest/10%10), byte('0'+rest%10))
		dst = bytes.TrimRight(dst, "0")
	}
	return dst
}

func number(v float64) string { return string(appendNumber(nil, v)) }

// textString writes a string for people (§7.9.2.2): UTF-16, in hexadecimal digits.
func textString(text string) string {
	return string(appendText(nil, text))
}

func appendText(dst []byte, text string) []byte {
	dst = append(dst, "<FEFF"...)
	dst = appendUTF16(dst, text)
	return append(dst, '>')
}

const hexDigits = "0123456789ABCDEF"

func appendHex16(dst []byte, v uint16) []byte {
	return append(dst, hexDigits[v>>12], hexDigits[v>>8&15], hexDigits[v>>4&15], hexDigits[v&15])
}

func appendUTF16(dst []byte, text string) []byte {
	for _, r := range text {
		if r >= 0x10000 {
			r -= 0x10000
			dst = appendHex16(dst, uint16(0xD800+(r>>10)))
			dst = appendHex16(dst, uint16(0xDC00+(r&0x3FF)))
			continue
		}
		dst = appendHex16(dst, uint16(r))
	}
	return dst
}

// name writes a name (§7.3.5) with the characters escaped that need it.
func name(text string) string {
	out := []byte{'/'}
	for i := range len(text) {
		b := text[i]
		if b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b == '-' || b == '_' || b == '.' || b == '+' {
			out = append(out, b)
		} else {
			out = append(out, '#', hexDigits[b>>4], hexDigits[b&15])
		}
	}
	return string(out)
}
