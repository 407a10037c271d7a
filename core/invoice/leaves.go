package invoice

import (
	"iter"
	"reflect"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Leaves gives every leaf of the invoice that is set, in the order of the types, with its JSON path (items[3].taxRate) and its
// value: string, Date, Base64, an enumeration's type, decimal.Decimal, int or bool; of a National each path is a leaf, with []string. A
// zero number that was given is set.
func Leaves(inv *Invoice) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		path := make([]byte, 0, 256) // room for the deepest usual path, so that steps are appended in place
		walkLeaves(invoiceDecoder().plan, reflect.ValueOf(inv).Elem(), path, yield)
	}
}

// Members are the members that an invoice sets, of lists in any entry.
type Members map[string]bool

// SetMembers walks an invoice once for the members that it sets.
func SetMembers(inv *Invoice) Members {
	m := Members{}
	m.walk(invoiceDecoder().plan, reflect.ValueOf(inv).Elem(), make([]byte, 0, 256))
	return m
}

// walk adds what is set below v, where the entries of a list have one path.
func (m Members) walk(s *shape, v reflect.Value, path []byte) {
	if s.unset(v) {
		return
	}
	if s.pointer {
		v = v.Elem()
	}
	switch s.kind {
	case objectKind:
		for at, f := range s.object.fields {
			if f.proper == at {
				m.walk(f.shape, v.Field(f.index), step{name: f.name}.append(path))
			}
		}
	case listKind:
		for i := range v.Len() {
			m.walk(s.elem, v.Index(i), append(path, "[]"...))
		}
	case nationalKind:
		for name := range v.Interface().(National) {
			m.add(AnyEntry(string(step{name: name}.append(path))))
		}
	default:
		if !m[string(path)] {
			m.add(string(path))
		}
	}
}

// add notes a leaf and what it is in.
func (m Members) add(leaf string) {
	for path := leaf; path != "" && !m[path]; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
		m[path], m[strings.TrimSuffix(path, "[]")] = true, true
	}
}

// Has tells whether the invoice sets a leaf at a path or below it, in any entry of the lists on the way.
func (m Members) Has(path string) bool { return m[AnyEntry(path)] }

// AnyEntry is a path without the numbers that tell the entries of a list apart.
func AnyEntry(path string) string {
	index := false
	return strings.Map(func(r rune) rune {
		if index = r == '[' || index && r != ']'; index && r != '[' {
			return -1
		}
		return r
	}, path)
}

// unset tells whether a leaf, or what a pointer refers to, is not there.
func (s *shape) unset(v reflect.Value) bool { return (s.pointer || s.kind < objectKind) && v.IsZero() }

// walkLeaves visits the leaves below v; false when the visitor has had enough.
func walkLeaves(s *shape, v reflect.Value, path []byte, yield func(string, any) bool) bool {
	if s.unset(v) {
		return true
	}
	if s.pointer {
		v = v.Elem()
	}
	switch s.kind {
	case objectKind:
		for at, f := range s.object.fields {
			if f.proper == at && !walkLeaves(f.shape, v.Field(f.index), step{name: f.name}.append(path), yield) {
				return false
			}
		}
		return true
	case listKind:
		for i := range v.Len() {
			if !walkLeaves(s.elem, v.Index(i), step{index: i}.append(path), yield) {
				return false
			}
		}
		return true
	case nationalKind:
		for name, texts := range v.Interface().(National).Sorted() {
			if !yield(string(step{name: name}.append(path)), texts) {
				return false
			}
		}
		return true
	}
	return yield(string(path), v.Interface())
}

// LeafPaths lists the path of every leaf that an invoice can have, with [] for the entries of lists, in the order of the types.
// Items within items stand there once, as items[].subItems[]. The paths of a National are open, so that none of them is listed.
func LeafPaths() []string { return leafPaths(invoiceDecoder().plan, nil, 2, nil) }

// leafPaths appends the paths below s; lines says how many levels of invoice lines are still to go into.
func leafPaths(s *shape, path []byte, lines int, out []string) []string {
	switch {
	case s.kind == objectKind:
		for at, f := range s.object.fields {
			if f.proper == at {
				out = leafPaths(f.shape, step{name: f.name}.append(path), lines, out)
			}
		}
		return out
	case s.kind == listKind && s.lines && lines == 0:
		return out
	case s.kind == listKind:
		if s.lines {
			lines--
		}
		return leafPaths(s.elem, append(path, "[]"...), lines, out)
	case s.kind == nationalKind:
		return out
	}
	return append(out, string(path))
}

// Missing reports the required members that an invoice lacks which did not come from Decode, as Decode would report them.
// With calculate, amounts that can be calculated may be absent.
func Missing(inv *Invoice, calculate bool) []finding.Finding {
	var out []finding.Finding
	walkMissing(invoiceDecoder().plan, reflect.ValueOf(inv).Elem(), nil, calculate, &out)
	return out
}

func walkMissing(s *shape, v reflect.Value, path []byte, calculate bool, out *[]finding.Finding) {
	if s.pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch s.kind {
	case objectKind:
		for at, f := range s.object.fields {
			member, name := v.Field(f.index), step{name: f.name}.append(path)
			if s.object.required.has(at) && member.IsZero() && !(calculate && s.object.calculable.has(at)) {
				*out = append(*out, missing(string(name)))
			}
			if f.shape.kind >= objectKind {
				walkMissing(f.shape, member, name, calculate, out)
			}
		}
	case listKind:
		for i := range v.Len() {
			walkMissing(s.elem, v.Index(i), step{index: i}.append(path), calculate, out)
		}
	}
}

// missing is the finding of a required member that is not there.
func missing(field string) finding.Finding {
	return finding.Finding{Code: finding.MissingField, Field: field, Message: field + " is required"}
}

// at is the path of an entry of a list.
func at(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }
