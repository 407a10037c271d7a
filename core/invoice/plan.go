package invoice

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// A plan says how a Go type looks in JSON. It is compiled once from the struct types with their json and check tags, and then
// drives the decoder, the walk over the leaves and the check for required members, so that these three cannot disagree.
//
// The tag check:"required" marks a member without which the object is refused; check:"required,calculable" one that may be
// absent where the amounts are to be calculated. What depends on where a type is used stands in requiredAt.

// kind is how a value looks in JSON.
type kind uint8

const (
	stringKind kind = iota
	enumKind
	dateKind
	base64Kind
	decimalKind
	intKind
	boolKind
	rawKind
	nationalKind
	// From here on values have members or entries, which whoever walks goes into.
	objectKind
	listKind
)

// shape is one type.
type shape struct {
	kind    kind
	typ     reflect.Type
	pointer bool      // the Go type is a pointer to the value
	words   []string  // enumKind: what is allowed
	object  *object   // objectKind
	elem    *shape    // listKind
	lines   bool      // listKind: its entries are invoice lines, which the Scanner has counted
	text    *textForm // objectKind: how the value may also come as a string; nil means not at all
}

// object is one struct type where it is used.
type object struct {
	fields     []field
	byName     map[string]int // index in fields
	required   fieldSet
	calculable fieldSet // the required ones that may be calculated
}

// field is one member.
type field struct {
	name   string
	index  int // of the struct field
	proper int // index in fields of the name that counts; another one for an alias, which loses against it
	shape  *shape
}

// textForm is the form in which an object may come as a string.
type textForm struct {
	name string                                  // for messages
	set  func(into reflect.Value, s string) bool // false when s is not of the form
}

// fieldSet is a set of indexes of fields. No type has more than 256.
type fieldSet [4]uint64

func (s *fieldSet) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *fieldSet) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// minus gives the members of s that are not in t.
func (s fieldSet) minus(t fieldSet) fieldSet {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// requiredAt names members that the contract requires only where the party stands: name and countryCode "on seller and buyer",
// identifiers' id "optional for payee".
var requiredAt = []string{
	"seller.countryCode", "buyer.countryCode", "seller.identifiers[].id", "buyer.identifiers[].id",
}

// aliases are further names of a member, by type.
var aliases = map[reflect.Type]map[string]string{
	reflect.TypeFor[ElectronicAddress](): {"value": "id"},
}

// texts are the types of objects that may also come as a string.
var texts = map[reflect.Type]*textForm{
	reflect.TypeFor[ElectronicAddress](): {name: `"scheme:value"`, set: setAddress},
}

// setAddress sets an ElectronicAddress from "scheme:value"; the value may have colons itself.
func setAddress(into reflect.Value, s string) bool {
	scheme, id, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || id == "" {
		return false
	}
	into.Set(reflect.ValueOf(ElectronicAddress{ID: id, SchemeID: scheme}))
	return true
}

// enums are the words of the contract for the types that have a closed list.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[Type](): words(TypeInvoice, TypeCreditNote, TypeProforma, TypeCorrection, TypePartial, TypePartialConstruction,
		TypePartialFinalConstruction, TypeFinalConstruction, TypeSelfBilled),
	reflect.TypeFor[Profile]():         words(ProfileXRechnung, ProfileXRechnungExtension),
	reflect.TypeFor[ServiceCategory](): words(ServiceConstruction, ServiceGeneral),
	reflect.TypeFor[PaymentMethodType](): words(PayBankTransfer, PayCreditTransfer, PayDirectDebit, PayCreditCard, PayPayPal, PayCash,
		PayDanishFIK, PayGiro, PayOther),
	reflect.TypeFor[LineSubtype]():  words(LineDetail, LineInformation, LineGroup),
	reflect.TypeFor[DiscountType](): words(DiscountPercentage, DiscountAbsolute),
}

func words[T ~string](list ...T) (out []string) {
	for _, word := range list {
		out = append(out, string(word))
	}
	return out
}

// leafKinds are the types that are no containers.
var leafKinds = map[reflect.Type]kind{
	reflect.TypeFor[string]():          stringKind,
	reflect.TypeFor[Date]():            dateKind,
	reflect.TypeFor[Base64]():          base64Kind,
	reflect.TypeFor[decimal.Decimal](): decimalKind,
	reflect.TypeFor[int]():             intKind,
	reflect.TypeFor[bool]():            boolKind,
	reflect.TypeFor[jsontext.Value]():  rawKind,
	reflect.TypeFor[National]():        nationalKind,
}

// planner compiles types; open holds the structs on the way from the root, which may contain themselves.
type planner struct{ open map[reflect.Type]*shape }

// compile gives the plan of a type. It panics on a type that has no place in a plan: that is a mistake in this package.
func compile(typ reflect.Type) *shape {
	return (&planner{open: map[reflect.Type]*shape{}}).shape(typ, "")
}

func (p *planner) shape(typ reflect.Type, path string) *shape {
	if k, ok := leafKinds[typ]; ok {
		return &shape{kind: k, typ: typ}
	}
	if list, ok := enums[typ]; ok {
		return &shape{kind: enumKind, typ: typ, words: list}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		inner := *p.shape(typ.Elem(), path)
		inner.pointer = true
		return &inner
	case reflect.Slice:
		return &shape{kind: listKind, typ: typ, elem: p.shape(typ.Elem(), path+"[]"), lines: typ.Elem() == reflect.TypeFor[Item]()}
	case reflect.Struct:
		return p.structShape(typ, path)
	}
	panic(fmt.Sprintf("invoice: no JSON shape for %v at %s", typ, path))
}

// structShape compiles a struct. It is made anew for each place that the type has, since what is required may differ there,
// but not within itself, where there would be no end.
func (p *planner) structShape(typ reflect.Type, path string) *shape {
	if s, ok := p.open[typ]; ok {
		return s
	}
	s := &shape{kind: objectKind, typ: typ, text: texts[typ], object: &object{byName: map[string]int{}}}
	p.open[typ] = s
	defer delete(p.open, typ)
	for i := range typ.NumField() {
		p.addField(s.object, typ.Field(i), path)
	}
	for name, proper := range aliases[typ] {
		f := s.object.fields[s.object.byName[proper]]
		f.name = name
		s.object.add(f)
	}
	return s
}

func (p *planner) addField(o *object, structField reflect.StructField, path string) {
	name, _, _ := strings.Cut(structField.Tag.Get("json"), ",")
	if path = strings.TrimPrefix(path+"."+name, "."); structField.Type == reflect.TypeFor[*Invoice]() {
		path = "" // the contract's fields are relative to the member invoice
	}
	at := o.add(field{name: name, index: structField.Index[0], proper: len(o.fields), shape: p.shape(structField.Type, path)})
	check := strings.Split(structField.Tag.Get("check"), ",")
	if slices.Contains(check, "required") || slices.Contains(requiredAt, path) {
		o.required.add(at)
	}
	if slices.Contains(check, "calculable") {
		o.calculable.add(at)
	}
}

func (o *object) add(f field) int {
	at := len(o.fields)
	o.fields = append(o.fields, f)
	o.byName[f.name] = at
	return at
}
