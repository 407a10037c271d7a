package mapping

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// field reaches one member of a struct through pointers and nested structs.
type field struct {
	index    []int
	absolute bool         // counted from the invoice
	list     bool         // ends in []
	typ      reflect.Type // of the member; of the list's entries when list; of the struct when a group
	name     string       // as in the table, without the leading slash
}

// newField resolves a member name of the table below the struct type in, or below that of the invoice.
func (s *syntax) newField(in reflect.Type, name string) (*field, error) {
	f := &field{name: name}
	if strings.HasPrefix(name, "/") {
		f.name, f.absolute, in = name[1:], true, s.invoice
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
		f.index = append(f.index, member.Index[0])
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

// newGroup is newField for a list of structs or a pointer to one; typ becomes the struct.
func (s *syntax) newGroup(in reflect.Type, name string) (*field, error) {
	f, err := s.newField(in, name)
	if err != nil {
		return nil, err
	}
	group := f.typ
	if !f.list && group.Kind() == reflect.Pointer {
		group = group.Elem()
	}
	if f.absolute || group.Kind() != reflect.Struct || !isGroup(group) || !f.list && group == f.typ {
		return nil, fmt.Errorf("field %q: %s is no group of members of its parent", name, f.typ)
	}
	f.typ = group
	return f, nil
}

// newLeaf is newField for a member that an element's text or an attribute can hold. The plans of a table share their leaves.
func (s *syntax) newLeaf(in reflect.Type, name string) (*field, error) {
	key := leafName{in, name}
	if known := s.leaves[key]; known != nil {
		return known, nil
	}
	f, err := s.newField(in, name)
	if err != nil {
		return nil, err
	}
	switch f.typ {
	case reflect.TypeFor[decimal.Decimal](), reflect.TypeFor[*int](), reflect.TypeFor[*bool]():
	default:
		if f.list || f.typ.Kind() != reflect.String {
			return nil, fmt.Errorf("field %q: a text cannot hold %s", name, f.typ)
		}
	}
	s.leaves[key] = f
	return f, nil
}

// leafName names a leaf of a struct, as a table does.
type leafName struct {
	in   reflect.Type
	name string
}

// memberOf finds a struct field by its JSON name.
func memberOf(t reflect.Type, name string) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name && tag != "" {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

// isNumber tells whether the member is a decimal.
func (f *field) isNumber() bool { return f.typ == reflect.TypeFor[decimal.Decimal]() }

// get gives the member's value, or the zero Value when a pointer on the way is nil. It makes none: a group in which nothing
// was found must stay the zero value, by which it is left out.
func (f *field) get(scope reflect.Value) reflect.Value {
	v := scope.Field(f.index[0])
	for _, i := range f.index[1:] {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// reach gives the member's value, making the structs on the way.
func (f *field) reach(scope reflect.Value) reflect.Value {
	v := scope
	for _, i := range f.index {
		v = made(v).Field(i)
	}
	return v
}

// made is the struct that v is or points to; where it points to nothing yet, a new one.
func made(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return v.Elem()
}
