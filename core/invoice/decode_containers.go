package invoice

import (
	"bytes"
	"math/bits"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
)

// knownUnknown is how many names of unknown members of one object are kept to find doubled ones. In an object with more of
// them, which no client sends, the others are not compared: time and memory stay bounded.
const knownUnknown = 100

// value reads the next value into v, which is settable. It tells whether a value was there: null and "" are not, what is
// faulty is.
func (r *reader) value(s *shape, v reflect.Value) bool {
	k := r.json.PeekKind()
	switch {
	case k == 'n':
		r.skip()
		return false
	case k == 0: // a syntax error, which reading gives
		r.skip()
		return true
	case s.kind == rawKind:
		v.SetBytes(r.raw())
		return true
	case s.text != nil && k == '"':
		return r.objectText(s, v)
	case k != s.kind.json() && !(s.kind == boolKind && k == 'f'):
		r.wrongType(s, k)
		r.skip()
		return true
	}
	if s.pointer {
		v.Set(reflect.New(s.typ))
		v = v.Elem()
	}
	switch s.kind {
	case nationalKind:
		return r.national(v)
	case objectKind:
		r.object(s, v)
		return true
	case listKind:
		r.list(s, v)
		return true
	}
	return r.leaf(s, v)
}

// object reads an object into a struct.
func (r *reader) object(s *shape, v reflect.Value) {
	if s.typ == reflect.TypeFor[Invoice]() {
		defer func(base int) { r.base = base }(r.base)
		r.base = len(r.path)
	}
	start, unknown := r.json.InputOffset(), len(r.unknown)
	var seen, present fieldSet
	r.skipToken()
	for r.more('}') {
		name := r.name()
		at, ok := s.object.byName[string(name)]
		if !ok {
			r.unknownMember(s.object, name, unknown)
			continue
		}
		f := &s.object.fields[at]
		r.push(step{name: f.name})
		if seen.has(at) {
			r.duplicate()
		} else if r.value(f.shape, f.target(v, at, present)) {
			present.add(f.proper)
		}
		seen.add(at)
		r.pop()
	}
	r.skipToken()
	r.missing(s.object, present, start, r.unknown[unknown:])
	r.unknown = r.unknown[:unknown]
}

// target gives where the value of a member goes: that of an alias nowhere once the proper one was there.
func (f *field) target(v reflect.Value, at int, present fieldSet) reflect.Value {
	into := v.Field(f.index)
	if at != f.proper && present.has(f.proper) {
		return reflect.New(into.Type()).Elem()
	}
	return into
}

// missing reports the required members that were not there, with the unknown name that may have been meant for one.
func (r *reader) missing(o *object, present fieldSet, offset int64, unknown [][]byte) {
	absent := o.required.minus(present)
	if r.options.Calculate {
		absent = absent.minus(o.calculable)
	}
	for i, word := range absent {
		for ; word != 0 && !r.stopped(); word &= word - 1 {
			name := o.fields[i*64+bits.TrailingZeros64(word)].name
			r.push(step{name: name})
			r.report(offset, finding.MissingField, "is required%s", r.meant(o, name, unknown))
			r.pop()
		}
	}
}

func (r *reader) duplicate() {
	r.report(r.json.InputOffset(), finding.DuplicateMember, "is given twice")
	r.skip()
}

// unknownMember passes over a member that is not ours; names[from:] are those of the same object.
func (r *reader) unknownMember(o *object, name []byte, from int) {
	known := r.unknown[from:]
	if len(known) == knownUnknown {
		r.skip()
		return
	}
	for _, other := range known {
		if bytes.Equal(name, other) {
			r.push(step{name: excerpt(string(name))})
			r.duplicate()
			r.pop()
			return
		}
	}
	r.unknown = append(r.unknown, name)
	r.resembles(o, name)
	r.skip()
}

// askedAfter is after how many entries of a list it is asked whether reading is to stop.
const askedAfter = 32

// list reads an array into a slice; an empty one is not nil.
func (r *reader) list(s *shape, v reflect.Value) {
	if s.lines {
		v.Grow(r.items)
		r.items = 0 // items comes first; only its entries are counted on their own
	}
	n := 0
	r.skipToken()
	for ; r.more(']'); n++ {
		if n%askedAfter == askedAfter-1 && r.options.Ended != nil {
			if r.ended = r.options.Ended(); r.ended != nil {
				return
			}
		}
		if most := r.options.Limits.MaxItems; n == most && !s.lines {
			r.refusal = listTooLong(r.field(), most)
			return
		}
		r.push(step{index: n})
		if s.lines || r.room() {
			v.Grow(1)
			v.SetLen(n + 1)
			r.element(s.elem, v.Index(n))
		} else {
			r.skip()
		}
		r.pop()
	}
	r.skipToken()
	if n == 0 {
		v.Set(reflect.MakeSlice(s.typ, 0, 0))
	}
}

// room counts an entry of a list that is not of lines; false when there are too many, which is said once.
func (r *reader) room() bool {
	r.entries++
	if r.entries == r.options.Limits.MaxEntries+1 {
		r.report(r.json.InputOffset(), finding.TooManyEntries,
			"is beyond the %d entries that all lists together may have", r.options.Limits.MaxEntries)
	}
	return r.entries <= r.options.Limits.MaxEntries
}

// element reads an entry of a list, where null has no meaning.
func (r *reader) element(s *shape, v reflect.Value) {
	if r.json.PeekKind() == 'n' {
		r.wrongType(s, 'n')
		r.skip()
		return
	}
	r.value(s, v)
}

// more tells whether another member or entry comes before the end bracket.
func (r *reader) more(end jsontext.Kind) bool {
	if r.stopped() {
		return false
	}
	k := r.json.PeekKind()
	if k == 0 {
		r.skip() // fails
		return false
	}
	return k != end
}

// name reads the name of a member, unescaped. It stays valid: it is part of the body or a copy.
func (r *reader) name() []byte {
	raw := r.raw()
	if len(raw) < 2 {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	name, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		r.fail(err)
	}
	return name
}

// raw reads a whole value as it is; nil after a syntax error.
func (r *reader) raw() jsontext.Value {
	if r.stopped() {
		return nil
	}
	raw, err := r.json.ReadValue()
	if err != nil {
		r.fail(err)
		return nil
	}
	return raw
}

func (r *reader) skip() {
	if r.stopped() {
		return
	}
	if err := r.json.SkipValue(); err != nil {
		r.fail(err)
	}
}

// skipToken passes over a bracket.
func (r *reader) skipToken() {
	if r.stopped() {
		return
	}
	if _, err := r.json.ReadToken(); err != nil {
		r.fail(err)
	}
}
