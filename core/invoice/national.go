package invoice

import (
	"encoding/json"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// National is what a national format holds and the invoice has no member for (supplement §3): element paths of that format to their
// texts. A path has the local names of the elements below the document element, separated by slashes; [2] after a name is the second
// element of that name in its parent, and a last step @name an attribute. A list of texts stands for as many elements of the last name.
// An empty text in a list is an empty element. In JSON a list of one text is a text. It is not changed in place.
type National map[string][]string

// MarshalJSON gives an object with the paths in their order.
func (n National) MarshalJSON() ([]byte, error) {
	texts := make(map[string]any, len(n))
	for path, list := range n {
		if len(list) == 1 {
			texts[path] = list[0]
		} else {
			texts[path] = list
		}
	}
	return json.Marshal(texts)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *National) UnmarshalJSON(text []byte) error {
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil {
		return err
	}
	*n = nil
	for path, raw := range texts {
		list := make([]string, 1)
		err := json.Unmarshal(raw, &list[0])
		if len(raw) > 0 && raw[0] == '[' {
			err = json.Unmarshal(raw, &list)
		}
		if err != nil {
			return err
		}
		if *n == nil {
			*n = National{}
		}
		(*n)[path] = list
	}
	return nil
}

// Sorted gives the paths in their order with their texts.
func (n National) Sorted() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for _, path := range slices.Sorted(maps.Keys(n)) {
			if !yield(path, n[path]) {
				return
			}
		}
	}
}

// nationalText and nationalTexts are the shapes of the values of a National.
var (
	nationalText  = &shape{kind: stringKind, typ: reflect.TypeFor[string]()}
	nationalTexts = &shape{kind: listKind, typ: reflect.TypeFor[[]string](), elem: nationalText}
)

// national reads an object of element paths. Empty texts are absent, as everywhere.
func (r *reader) national(v reflect.Value) bool {
	read := National{}
	r.skipToken()
	for r.more('}') {
		path := string(r.name())
		r.push(step{name: path})
		switch {
		case read[path] != nil:
			r.duplicate()
		case !r.room():
			r.skip()
		case r.json.PeekKind() == '[':
			var texts []string
			r.value(nationalTexts, reflect.ValueOf(&texts).Elem())
			if slices.ContainsFunc(texts, func(text string) bool { return text != "" }) {
				read[path] = texts
			}
		case r.json.PeekKind() == jsontext.Kind('n'):
			r.skip()
		default:
			var text string
			if r.value(nationalText, reflect.ValueOf(&text).Elem()); text != "" {
				read[path] = []string{text}
			}
		}
		r.pop()
	}
	r.skipToken()
	if len(read) > 0 {
		v.Set(reflect.ValueOf(read))
	}
	return len(read) > 0
}
