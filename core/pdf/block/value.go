package block

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what a Value is.
type Kind uint8

// The kinds of JSON values (RFC 8259 §3).
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Object
)

// words are what messages call the kinds.
var words = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// Value is a JSON value. Numbers keep the text that they were sent as. It may be read by several goroutines at once. Members of a value that was
// parsed are added with Set alone.
type Value struct {
	Kind    Kind
	Text    string // of numbers and strings; true or false
	List    []Value
	Members []Member
	places  *places // nil where there are few members
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// maxDepth is how deep values may nest: the 100 levels that an invoice may have below an item take two each, an object and its list, and need
// room for what stands around them and in them.
const maxDepth = 256

// ErrDepth is why a value is refused that nests too deep. The text is for whoever sent it.
var ErrDepth = fmt.Errorf("values nest deeper than %d levels", maxDepth)

// ParseValue reads JSON. Names must not come twice. The error says what is wrong, and where.
func ParseValue(data []byte) (Value, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	v, err := readValue(dec, 0)
	if err != nil {
		return v, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return v, errors.New("something follows the value")
	}
	return v, nil
}

func readValue(dec *jsontext.Decoder, depth int) (v Value, err error) {
	token, err := dec.ReadToken()
	if err != nil {
		return v, fmt.Errorf("read JSON: %w", err)
	}
	switch token.Kind() {
	case 't', 'f':
		return Value{Kind: Bool, Text: token.String()}, nil
	case '"':
		return Value{Kind: Text, Text: token.String()}, nil
	case '0':
		return Value{Kind: Number, Text: token.String()}, nil
	case '[', '{':
		if depth == maxDepth {
			return v, ErrDepth
		}
		return readContainer(dec, depth+1, token.Kind())
	}
	return v, nil
}

func readContainer(dec *jsontext.Decoder, depth int, kind jsontext.Kind) (v Value, err error) {
	v.Kind = List
	if kind == '{' {
		v.Kind = Object
	}
	for dec.PeekKind() != ']' && dec.PeekKind() != '}' {
		var m Member
		if v.Kind == Object {
			token, err := dec.ReadToken()
			if err != nil {
				return v, fmt.Errorf("read JSON: %w", err)
			}
			m.Name = token.String()
		}
		if m.Value, err = readValue(dec, depth); err != nil {
			return v, err
		}
		if v.Kind == Object {
			v.Members = append(v.Members, m)
		} else {
			v.List = append(v.List, m.Value)
		}
	}
	v.changed()
	_, err = dec.ReadToken()
	return v, err
}

// Get gives a member of an object; a null where there is none.
func (v Value) Get(name string) Value {
	if i := v.place(name); i >= 0 {
		return v.Members[i].Value
	}
	return Value{}
}

// Find follows a path such as seller.name or taxSummary[0].taxAmount; a null where it leads nowhere.
func (v Value) Find(path string) Value {
	for path != "" && v.Kind != Null {
		step, rest, _ := strings.Cut(path, ".")
		name, index, indexed := strings.Cut(step, "[")
		if name != "" {
			v = v.Get(name)
		}
		for indexed {
			var number string
			number, index, _ = strings.Cut(index, "]")
			n, err := strconv.Atoi(number)
			if err != nil || n < 0 || n >= len(v.List) {
				return Value{}
			}
			v = v.List[n]
			index, indexed = strings.CutPrefix(index, "[")
		}
		path = rest
	}
	return v
}

// Empty tells whether there is nothing to show: null, false, an empty string, array or object.
func (v Value) Empty() bool {
	switch v.Kind {
	case Bool:
		return v.Text == "false"
	case Number:
		return false
	case Text:
		return strings.TrimSpace(v.Text) == ""
	case List:
		return len(v.List) == 0
	case Object:
		return len(v.Members) == 0
	}
	return true
}

// Set puts a member into an object, in place of one of the same name.
func (v *Value) Set(name string, member Value) {
	v.Kind = Object
	if i := first(v.Members, name); i >= 0 { // an index would be made anew for each member that is put in
		v.Members[i].Value = member
		return
	}
	v.Members = append(v.Members, Member{name, member})
	v.changed()
}

// with is the object with one more member, of a name that it does not have. The object itself stays as it is.
func (v Value) with(name string, member Value) Value {
	v.Members = append(v.Members[:len(v.Members):len(v.Members)], Member{name, member})
	v.changed()
	return v
}
