package xmltree

import "unicode/utf8"

// Escapes of text and attribute values. CR, and in attributes the other white space, is written as a reference, because a
// reader would turn it into something else. > is written &gt; everywhere, so that ]]> cannot come about.
func textEscape(c byte) string {
	switch c {
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '&':
		return "&amp;"
	case '\r':
		return "&#13;"
	}
	return ""
}

func attrEscape(c byte) string {
	switch c {
	case '"':
		return "&quot;"
	case '\t':
		return "&#9;"
	case '\n':
		return "&#10;"
	}
	return textEscape(c)
}

// plainText is the length of the start of b that can be written into text as it is: everything from the space on except < > &
// and bytes from 0x80 on, and line feeds and tabs.
func plainText[T string | []byte](b T, i int) int {
	for i < len(b) && textPlain[b[i]] {
		i++
	}
	return i
}

func plainAttr[T string | []byte](b T, i int) int {
	for i < len(b) && attrPlain[b[i]] {
		i++
	}
	return i
}

var textPlain, attrPlain = plainTables()

func plainTables() (text, attr [256]bool) {
	for c := ' '; c < 0x80; c++ {
		text[c] = textEscape(byte(c)) == ""
		attr[c] = attrEscape(byte(c)) == ""
	}
	text['\n'], text['\t'] = true, true
	return text, attr
}

// appendEscaped appends b escaped for text, or for an attribute value. bad is the offset of the first illegal character, or -1.
func appendEscaped[T string | []byte](dst []byte, b T, attr bool) (out []byte, bad int) {
	plain, escape := plainText[T], textEscape
	if attr {
		plain, escape = plainAttr[T], attrEscape
	}
	for i := 0; i < len(b); {
		j := plain(b, i)
		dst = append(dst, b[i:j]...)
		if i = j; i == len(b) {
			break
		}
		if e := escape(b[i]); e != "" {
			dst = append(dst, e...)
			i++
			continue
		}
		n := charLen([]byte(b[i:min(i+utf8.UTFMax, len(b))]))
		if n == 0 {
			return dst, i
		}
		dst = append(dst, b[i:i+n]...)
		i += n
	}
	return dst, -1
}
