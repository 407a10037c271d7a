package mapping

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// present tells whether a leaf value holds something to write.
func present(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() > 0
	case reflect.Pointer:
		return !v.IsNil()
	}
	return number(v).IsSet()
}

// number is the decimal that a leaf value is.
func number(v reflect.Value) decimal.Decimal {
	d, _ := reflect.TypeAssert[decimal.Decimal](v)
	return d
}

// appendText writes a leaf value that is no string as the datatype wants it.
func appendText(dst []byte, v reflect.Value, t Type) []byte {
	switch p := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		return appendDecimal(dst, *p, t, nil)
	case **int:
		return strconv.AppendInt(dst, int64(**p), 10)
	}
	return strconv.AppendBool(dst, **v.Addr().Interface().(**bool))
}

func appendDecimal(dst []byte, d decimal.Decimal, t Type, convert *Converter) []byte {
	if t == InvoicedQuantity {
		d = d.WithMinScale(2)
	}
	d = withoutZeros(d, t)
	if convert != nil && convert.Number != nil {
		d = convert.Number(withoutZeros(convert.Number(d), t))
	}
	return d.AppendText(dst)
}

// withoutZeros gives an amount without zeros at its end, which are no decimals: 119.000 has two (supplement §1b, amounts). Rounding makes zeros as well.
func withoutZeros(d decimal.Decimal, t Type) decimal.Decimal {
	if t == Amount && d.Scale() > 2 {
		return d.Trim().WithMinScale(2)
	}
	return d
}

// conflict says why a text could not be taken.
type conflict string

const (
	taken     conflict = ""
	duplicate conflict = "the invoice has room for one value only, and another one came first"
	malformed conflict = "the text does not have the form of its datatype"
	unknown   conflict = "the syntax has no such text in this place"
	unjoined  conflict = "the pieces make no value of the invoice"
	timezoned conflict = "the invoice holds the day without its time zone"
)

// setConverted is set for a text of the document.
func setConverted(v reflect.Value, text string, convert *Converter) conflict {
	if convert == nil || convert.Read == nil {
		return set(v, text)
	}
	converted, ok := convert.Read(trimmed(text))
	if !ok {
		return unknown
	}
	return set(v, converted)
}

// set stores text, without the white space around it, in a leaf value; a second, different text is a conflict.
func set(v reflect.Value, text string) conflict {
	text = trimmed(text)
	switch p := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		return setDecimal(p, text)
	case **int:
		return setInt(p, text)
	case **bool:
		return setBool(p, text)
	case *invoice.Date:
		return setDate(p, text)
	case *invoice.Base64:
		text = withoutSpace(text)
	}
	if v.Len() > 0 {
		return duplicateUnless(v.String() == text)
	}
	v.SetString(text)
	return taken
}

func duplicateUnless(same bool) conflict {
	if same {
		return taken
	}
	return duplicate
}

func setDecimal(p *decimal.Decimal, text string) conflict {
	d, err := decimal.Parse(text)
	if err != nil {
		return malformed
	}
	if p.IsSet() {
		return duplicateUnless(p.Cmp(d) == 0)
	}
	*p = d
	return taken
}

func setInt(p **int, text string) conflict {
	n, err := strconv.Atoi(text)
	if err != nil {
		return malformed
	}
	if *p != nil {
		return duplicateUnless(**p == n)
	}
	*p = &n
	return taken
}

func setBool(p **bool, text string) conflict {
	b, ok := parseIndicator(text)
	if !ok {
		return malformed
	}
	if *p != nil {
		return duplicateUnless(**p == b)
	}
	*p = &b
	return taken
}

func setDate(p *invoice.Date, text string) conflict {
	date, zone := text, ""
	if len(text) > 10 {
		date, zone = text[:10], text[10:]
	}
	switch day := invoice.Date(date); {
	case !day.Valid() || !isZone(zone):
		return malformed
	case *p != "" && *p != day:
		return duplicate
	default:
		*p = day
	}
	if zone != "" {
		return timezoned
	}
	return taken
}

// isZone tells whether a text is the time zone of an xs:date, or none.
func isZone(text string) bool {
	if text == "" || text == "Z" {
		return true
	}
	if len(text) != 6 || text[0] != '+' && text[0] != '-' || text[3] != ':' {
		return false
	}
	hours, err1 := strconv.ParseUint(text[1:3], 10, 8)
	minutes, err2 := strconv.ParseUint(text[4:], 10, 8)
	return err1 == nil && err2 == nil && (hours < 14 && minutes < 60 || hours == 14 && minutes == 0)
}

// parseIndicator reads the lexical forms of xs:boolean.
func parseIndicator(text string) (value, ok bool) {
	switch text {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}

// trimmed gives a text without the white space around it. White space is of one byte each (XML 1.0, 2.3), so that no runes have to be decoded.
func trimmed(text string) string {
	start, end := 0, len(text)
	for start < end && isXMLSpace(rune(text[start])) {
		start++
	}
	for start < end && isXMLSpace(rune(text[end-1])) {
		end--
	}
	return text[start:end]
}

func isXMLSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// withoutSpace drops white space, of which base64 text may have some in each line.
func withoutSpace(text string) string {
	if !strings.ContainsFunc(text, isXMLSpace) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for part := range strings.FieldsFuncSeq(text, isXMLSpace) {
		b.WriteString(part)
	}
	return b.String()
}

func blank(text []byte) bool {
	for _, b := range text {
		if !isXMLSpace(rune(b)) {
			return false
		}
	}
	return true
}

// sayable tells whether the document has a text for a leaf value that is present. An element is opened only where it has, so
// the question comes before the writing.
func sayable(v reflect.Value, t Type, convert *Converter, piece *part) bool {
	if convert == nil && piece == nil {
		return true
	}
	_, ok := outText(v, t, convert, piece)
	return ok
}

// outText gives the text of a document for a value that is present; false where the syntax has none.
func outText(v reflect.Value, t Type, convert *Converter, piece *part) (string, bool) {
	switch {
	case piece != nil:
		text := piece.in(v.String())
		return text, text != ""
	case convert.Number != nil:
		return string(appendDecimal(nil, *v.Addr().Interface().(*decimal.Decimal), t, convert)), true
	case v.Kind() == reflect.String:
		return convert.Write(v.String())
	}
	return convert.Write(string(appendText(nil, v, t)))
}
