package mapping

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"einvoiced/core/decimal"
	"einvoiced/core/invoice"
)

// field reaches one member of a struct through pointers and nested structs.
type field struct {
	name     string // as in the table, without the leading slash
	absolute bool   // counted from the invoice
	list     bool   // ends in []
	index    [][]int
	typ      reflect.Type // of the member; of the list's entries when list
}

var invoiceType = reflect.TypeFor[invoice.Invoice]()

// newField resolves a member name of the table below the struct type in.
func newField(in reflect.Type, name string) (*field, error) {
	f := &field{name: name}
	if strings.HasPrefix(name, "/") {
		f.name, f.absolute, in = name[1:], true, invoiceType
	}
	rest, list := strings.CutSuffix(f.name, "[]")
	f.list = list
	t := in
	for step := range strings.SplitSeq(rest, ".") {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		member, ok := memberOf(t, step)
		if !ok {
			return nil, fmt.Errorf("field %q: %s has no member %q", name, t, step)
		}
		f.index = append(f.index, member.Index)
		t = member.Type
	}
	if list {
		if t.Kind() != reflect.Slice {
			return nil, fmt.Errorf("field %q: %s is no list", name, t)
		}
		t = t.Elem()
	}
	f.typ = t
	return f, nil
}

// memberOf finds a struct field by its JSON name.
func memberOf(t reflect.Type, name string) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

// get gives the member's value, or the zero Value when a pointer on the way is nil.
func (f *field) get(scope reflect.Value) reflect.Value {
	v := scope
	for _, idx := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		v = v.Field(idx[0])
	}
	return v
}

// reach gives the member's value, making the structs on the way.
func (f *field) reach(scope reflect.Value) reflect.Value {
	v := scope
	for _, idx := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(idx[0])
	}
	return v
}

// present tells whether a leaf value holds something to write.
func present(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	switch v.Kind() {
	case reflect.String, reflect.Slice:
		return v.Len() > 0
	case reflect.Pointer:
		return !v.IsNil()
	}
	return v.Addr().Interface().(*decimal.Decimal).IsSet()
}

// appendText writes a leaf value as the datatype wants it. String-like values are returned by appendTo's caller without a copy.
func appendText(dst []byte, v reflect.Value, t Type) []byte {
	switch p := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		return appendDecimal(dst, *p, t)
	case **int:
		return strconv.AppendInt(dst, int64(**p), 10)
	case **bool:
		return strconv.AppendBool(dst, **p)
	}
	return append(dst, v.String()...)
}

func appendDecimal(dst []byte, d decimal.Decimal, t Type) []byte {
	if t == Amount || t == Quantity {
		d = d.WithMinScale(2)
	}
	return d.AppendText(dst)
}

// conflict says why a text could not be taken.
type conflict string

const (
	taken     conflict = ""
	duplicate conflict = "the invoice has room for one value only, and another one came first"
	malformed conflict = "the text does not have the form of its datatype"
	timezoned conflict = "the time zone of the date"
)

// set stores text in a leaf value; a second, different text is a conflict.
func set(v reflect.Value, text string, t Type) conflict {
	if t != Text {
		text = strings.TrimFunc(text, isXMLSpace)
	}
	if text == "" {
		return taken
	}
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
		text = strings.Join(strings.FieldsFunc(text, isXMLSpace), "")
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
	if !invoice.Date(date).Valid() {
		return malformed
	}
	if *p != "" && *p != invoice.Date(date) {
		return duplicate
	}
	*p = invoice.Date(date)
	if zone != "" {
		return timezoned
	}
	return taken
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

func isXMLSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }
