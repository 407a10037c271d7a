package xsd

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// primitive is a primitive datatype (XML Schema part 2, clause 3.2); the zero value is that of anySimpleType.
type primitive uint8

const (
	primAny primitive = iota
	primString
	primBoolean
	primDecimal
	primFloat
	primDouble
	primDuration
	primDateTime
	primTime
	primDate
	primGYearMonth
	primGYear
	primGMonthDay
	primGDay
	primGMonth
	primHexBinary
	primBase64Binary
	primAnyURI
	primQName
	primNotation
)

// momentTypes says what the date and time types are made of.
var momentTypes = map[primitive]momentParts{
	primDateTime:   {year: true, month: true, day: true, time: true},
	primTime:       {time: true},
	primDate:       {year: true, month: true, day: true},
	primGYearMonth: {year: true, month: true},
	primGYear:      {year: true},
	primGMonthDay:  {month: true, day: true, hyphens: 2},
	primGDay:       {day: true, hyphens: 2},
	primGMonth:     {month: true, hyphens: 2},
}

// special is what a built-in derived type asks beyond its facets.
type special uint8

const (
	specialInteger special = 1 + iota
	specialLanguage
	specialNMToken
	specialName
	specialNCName
	specialID
	specialIDRef
	specialEntity
)

// value is an atomic value; which part is used depends on the primitive type.
type value struct {
	number   number
	float    float64
	moment   moment
	duration duration
	name     xmltree.Name
	size     int // in bytes, of binary data
}

// parse reads the text of an atomic value of type t into v; false where it is none.
func (c *checker) parse(t *simpleType, text []byte, v *value) (ok bool) {
	switch t.prim {
	case primAny:
		return true
	case primString:
		return t.special.allows(text)
	case primBoolean:
		return isBoolean(text)
	case primDecimal:
		if t.special == specialInteger {
			v.number, ok = parseInteger(text)
		} else {
			v.number, ok = parseNumber(text)
		}
	case primFloat:
		v.float, ok = parseFloat(text, 32)
	case primDouble:
		v.float, ok = parseFloat(text, 64)
	case primDuration:
		v.duration, ok = parseDuration(text)
	case primHexBinary:
		v.size = len(text) / 2
		return isHex(text)
	case primBase64Binary:
		v.size, ok = base64Size(text)
	case primAnyURI:
		return isURI(text)
	case primQName, primNotation:
		v.name, ok = c.qname(text)
		return ok && (t.prim == primQName || c.notations[v.name])
	default:
		v.moment, ok = momentTypes[t.prim].parse(text)
	}
	return ok
}

// compare orders two values of an ordered type: -1, 0, 1, or 2 where there is no order between them.
func (v *value) compare(p primitive, o *value) int {
	switch p {
	case primDecimal:
		return v.number.compare(o.number)
	case primFloat, primDouble:
		return compareFloats(v.float, o.float)
	case primDuration:
		return v.duration.compare(o.duration)
	}
	return v.moment.compare(o.moment)
}

// appendValueKey appends a text that two values share exactly when they are equal; values of different primitive types never
// are. The length of a namespace tells where it ends, since both parts of a name may have any characters.
func appendValueKey(dst []byte, p primitive, v *value, text []byte) []byte {
	dst = append(dst, byte(p))
	switch p {
	case primAny, primString, primAnyURI:
		return append(dst, text...)
	case primBoolean:
		return append(dst, truth(text))
	case primDecimal:
		return v.number.appendKey(dst)
	case primFloat, primDouble:
		return appendFloatKey(dst, v.float)
	case primDuration:
		return v.duration.appendKey(dst)
	case primHexBinary:
		data := make([]byte, len(text)/2)
		n, _ := hex.Decode(data, text) // checked by parse
		return append(dst, data[:n]...)
	case primBase64Binary:
		return appendBase64(dst, text)
	case primQName, primNotation:
		dst = strconv.AppendInt(dst, int64(len(v.name.Space)), 10)
		dst = append(append(dst, ':'), v.name.Space...)
		return append(dst, v.name.Local...)
	}
	return v.moment.appendKey(dst)
}

func isBoolean(b []byte) bool {
	switch string(b) {
	case "true", "false", "1", "0":
		return true
	}
	return false
}

func truth(b []byte) byte {
	if b[0] == 't' || b[0] == '1' {
		return '1'
	}
	return '0'
}

func isHex(b []byte) bool {
	for _, c := range b {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return len(b)%2 == 0
}

// base64Values maps the characters of base64 to 0 … 63, the space to 64, all others to 255.
var base64Values = makeBase64Values()

func makeBase64Values() (t [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range t {
		t[i] = 255
	}
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i)
	}
	t[' '], t['\n'], t['\r'], t['\t'] = 64, 64, 64, 64
	return t
}

// base64Size checks base64 with white space between its characters and gives the number of bytes (clause 3.2.16). The last
// character before the padding has no bits beyond those of the data.
func base64Size(b []byte) (size int, ok bool) {
	b = trimBlank(b)
	padding := 0
	for padding < 2 && len(b) > 0 && b[len(b)-1] == '=' {
		padding++
		b = trimBlank(b[:len(b)-1])
	}
	digits, last := 0, byte(0)
	for _, c := range b {
		d := base64Values[c]
		switch {
		case d < 64:
			digits, last = digits+1, d
		case d > 64:
			return 0, false
		}
	}
	switch {
	case (digits+padding)%4 != 0, padding == 2 && (digits < 2 || last&0x0F != 0), padding == 1 && last&0x03 != 0:
		return 0, false
	}
	return digits * 6 / 8, true
}

func appendBase64(dst, text []byte) []byte {
	compact := make([]byte, 0, len(text))
	for _, c := range text {
		if base64Values[c] != 64 {
			compact = append(compact, c)
		}
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(compact)))
	n, _ := base64.StdEncoding.Decode(data, compact) // checked by parse
	return append(dst, data[:n]...)
}

// qname reads a QName where it stands. A name without prefix is in the default namespace, unlike that of an attribute (part
// 2, clause 3.2.18).
func (c *checker) qname(text []byte) (xmltree.Name, bool) {
	prefix, local := []byte(nil), text
	for i, b := range text {
		if b == ':' {
			prefix, local = text[:i], text[i+1:]
			if !isNCName(prefix) {
				return xmltree.Name{}, false
			}
			break
		}
	}
	if !isNCName(local) {
		return xmltree.Name{}, false
	}
	uri, ok := c.place.scope(prefix)
	return xmltree.Name{Space: uri, Local: string(local)}, ok
}
