package pdffile

import "fmt"

// The codes of LZW that stand for no bytes, and the bits of codes (ISO 32000-1 §7.4.4.2).
const (
	lzwClear   = 256
	lzwEnd     = 257
	lzwLeast   = 9
	lzwMost    = 12
	lzwEntries = 1 << lzwMost
)

// lzwTable has for each code the piece of the output that it stands for.
type lzwTable struct {
	from, to [lzwEntries]int
	next     int // the code that is given next
	width    uint
}

// unLZWCodes decodes; codes become longer so many codes early.
func unLZWCodes(data []byte, early, most int) ([]byte, error) {
	var table lzwTable
	var out []byte
	var bits, have uint
	table.next, table.width = lzwEnd+1, lzwLeast
	last := -1 // where the piece of the code before begins
	for _, c := range data {
		bits, have = bits<<8|uint(c), have+8
		if have < table.width {
			continue
		}
		have -= table.width
		code := int(bits >> have & (1<<table.width - 1))
		switch code {
		case lzwEnd:
			return out, nil
		case lzwClear:
			table.next, table.width, last = lzwEnd+1, lzwLeast, -1
			continue
		}
		begin := len(out)
		var ok bool
		if out, ok = table.append(out, code, last); !ok {
			return out, fmt.Errorf("%w: a code of LZW is not known yet", ErrFilter)
		}
		if len(out) > most {
			return out, ErrLimit
		}
		table.learn(last, begin, early)
		last = begin
	}
	return out, nil
}

// append adds what a code stands for: a byte, a piece of the output, or the piece before and its first byte.
func (t *lzwTable) append(out []byte, code, last int) ([]byte, bool) {
	switch {
	case code < lzwClear:
		return append(out, byte(code)), true
	case code < t.next:
		return append(out, out[t.from[code]:t.to[code]]...), true
	case code == t.next && last >= 0:
		return append(append(out, out[last:]...), out[last]), true
	}
	return out, false
}

// learn gives a code to the piece before and the first byte of this one.
func (t *lzwTable) learn(last, begin, early int) {
	if last < 0 || t.next >= lzwEntries {
		return
	}
	t.from[t.next], t.to[t.next] = last, begin+1
	t.next++
	if t.next+early >= 1<<t.width && t.width < lzwMost {
		t.width++
	}
}
