package invoice

import (
	"bytes"
	"slices"
)

// PlainBase64 brings base64 as programs send it into its strict form (RFC 4648, section 4), in place where there is room: without white
// space and with its padding, in the standard alphabet instead of that for URLs (section 5), and without what a data URL (RFC 2397) has
// before the data. What is no base64 stays none.
func PlainBase64(text []byte) []byte {
	if head, data, found := bytes.Cut(text, []byte(",")); found && bytes.HasPrefix(head, []byte("data:")) && bytes.HasSuffix(head, []byte(";base64")) {
		text = data
	}
	plain := text[:0]
	for piece := range slices.Chunk(text, plainPiece) {
		if strict(piece) {
			plain = append(plain, piece...)
			continue
		}
		for _, c := range piece {
			switch c {
			case ' ', '\t', '\r', '\n':
			case '-':
				plain = append(plain, '+')
			case '_':
				plain = append(plain, '/')
			default:
				plain = append(plain, c)
			}
		}
	}
	if missing := -len(plain) & 3; missing < 3 {
		plain = append(plain, "=="[:missing]...)
	}
	return plain
}

// plainPiece is how much of a text is looked at at once: where nothing is to be changed, as in most, bytes are found and moved many at a time.
const plainPiece = 16 << 10

// strict tells whether nothing of a piece of base64 is to be changed.
func strict(piece []byte) bool {
	for _, c := range []byte("\n\r-_ \t") {
		if bytes.IndexByte(piece, c) >= 0 {
			return false
		}
	}
	return true
}
