package invoice

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// kinds says for each kind how it begins in JSON and how messages call it.
var kinds = [...]struct {
	begin jsontext.Kind
	words string
}{
	stringKind:   {'"', "a string"},
	enumKind:     {'"', "one of "},
	dateKind:     {'"', "a calendar date YYYY-MM-DD"},
	base64Kind:   {'"', "base64"},
	decimalKind:  {'0', "a number"},
	intKind:      {'0', "a whole number"},
	boolKind:     {'t', "true or false"},
	rawKind:      {0, "a value"},
	nationalKind: {'{', "an object of element paths"},
	objectKind:   {'{', "an object"},
	listKind:     {'[', "an array"},
}

// json gives the kind of the JSON values that a value of kind k comes as; for boolKind 'f' as well.
func (k kind) json() jsontext.Kind { return kinds[k].begin }

// expected says what a value must be.
func (s *shape) expected() string {
	switch {
	case s.kind == enumKind:
		return kinds[s.kind].words + strings.Join(s.words, ", ")
	case s.text != nil:
		return kinds[s.kind].words + " or a string " + s.text.name
	}
	return kinds[s.kind].words
}

// called names the kinds of JSON values.
var called = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "a number", '{': "an object", '[': "an array",
}

func (r *reader) wrongType(s *shape, got jsontext.Kind) {
	r.report(r.json.InputOffset(), finding.InvalidType, "must be %s, not %s", s.expected(), called[got])
}

// leaf reads a scalar of the right JSON kind into v. What is faulty is reported and not set.
func (r *reader) leaf(s *shape, v reflect.Value) bool {
	offset := r.json.InputOffset()
	raw := r.raw()
	if raw == nil {
		return true
	}
	switch s.kind {
	case boolKind:
		v.SetBool(raw[0] == 't')
		return true
	case decimalKind, intKind:
		r.number(s, raw, offset, v)
		return true
	case base64Kind:
		return r.base64(raw, offset, v)
	}
	text, ok := r.text(raw, offset)
	if code := s.fault(text); ok && code != "" {
		r.report(offset, code, "must be %s, not %q", s.expected(), excerpt(text))
	} else if ok {
		v.SetString(text)
	}
	return !ok || text != ""
}

// fault gives the code of what is wrong with a text of this kind; "" is always right because it means absent.
func (s *shape) fault(text string) (code string) {
	switch {
	case text == "":
	case s.kind == enumKind && !slices.Contains(s.words, text):
		return finding.InvalidValue
	case s.kind == dateKind && !Date(text).Valid():
		return finding.InvalidDate
	}
	return ""
}

// number reads a decimal or a whole number.
func (r *reader) number(s *shape, raw []byte, offset int64, v reflect.Value) {
	d, err := decimal.ParseJSON(raw)
	if err != nil {
		r.report(offset, finding.InvalidNumber, "has %v", err) // a *decimal.LimitError: the syntax was checked
		return
	}
	if s.kind == decimalKind {
		*v.Addr().Interface().(*decimal.Decimal) = d
		return
	}
	n, ok := d.Int64()
	if !ok {
		r.report(offset, finding.InvalidNumber, "must be %s of at most 64 bits, not %s", s.expected(), excerpt(string(raw)))
		return
	}
	v.SetInt(n)
}

// text reads a string; false when it was reported as faulty.
func (r *reader) text(raw []byte, offset int64) (string, bool) {
	content := raw[1 : len(raw)-1]
	if bytes.IndexByte(content, '\\') >= 0 {
		r.scratch, _ = jsontext.AppendUnquote(r.scratch[:0], raw)
		content = r.scratch
	}
	if len(content) > r.options.Limits.MaxStringBytes {
		r.report(offset, finding.StringTooLong, "is longer than %d bytes", r.options.Limits.MaxStringBytes)
		return "", false
	}
	if bad := illegalRune(content); bad >= 0 {
		r.report(offset, finding.InvalidCharacter, "has the character U+%04X, which XML cannot carry", bad)
		return "", false
	}
	return string(content), true
}

// base64 reads base64 text without copying it, unless it is escaped or not strict. The text then lies in the body, where the
// JSON decoder reads it in place: the body must not be changed as long as the invoice is in use.
func (r *reader) base64(raw []byte, offset int64, v reflect.Value) bool {
	content := raw[1 : len(raw)-1]
	if bytes.IndexByte(content, '\\') >= 0 {
		content, _ = jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	}
	if len(content) == 0 {
		return false
	}
	size, ok := base64Size(content)
	if !ok {
		content = PlainBase64(bytes.Clone(content))
		size, ok = base64Size(content)
	}
	if !ok || size == 0 {
		r.report(offset, finding.InvalidBase64, "must be base64 (RFC 4648)")
		return true
	}
	r.attachments += size
	v.SetString(unsafe.String(unsafe.SliceData(content), len(content)))
	return true
}

// objectText reads an object that comes as a string.
func (r *reader) objectText(s *shape, v reflect.Value) bool {
	offset := r.json.InputOffset()
	raw := r.raw()
	if raw == nil {
		return true
	}
	text, ok := r.text(raw, offset)
	if !ok || text == "" {
		return !ok
	}
	into := reflect.New(s.typ)
	if !s.text.set(into.Elem(), text) {
		r.report(offset, finding.InvalidValue, "must be %s, not %q", s.expected(), excerpt(text))
		return true
	}
	if s.pointer {
		v.Set(into)
	} else {
		v.Set(into.Elem())
	}
	return true
}

// illegalRune gives the first character that XML 1.0 (production 2, Char) leaves out, or -1. b is UTF-8, so only control
// characters and the two non-characters U+FFFE and U+FFFF can be.
func illegalRune(b []byte) rune {
	for i, c := range b {
		switch {
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r':
			return rune(c)
		case c == 0xEF && len(b) > i+2 && b[i+1] == 0xBF && b[i+2] >= 0xBE:
			bad, _ := utf8.DecodeRune(b[i:])
			return bad
		}
	}
	return -1
}

// excerpt shortens a value for a message.
func excerpt(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s…", s[:cut])
}
