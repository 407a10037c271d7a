package peppol

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Mapping says where in the JSON of an answer things are, and which values of the state mean what. A place is names joined by points, with numbers for the
// items of lists; of several, separated by blanks, the first counts that is there.
type Mapping struct {
	State     string   `json:"state,omitzero"`     // where the state is; default: a status of 2xx means sent
	Sent      []string `json:"sent,omitzero"`      // the values that mean: handed over, no receipt yet
	Delivered []string `json:"delivered,omitzero"` // that there is a receipt
	Failed    []string `json:"failed,omitzero"`    // that it will not be delivered
	Message   string   `json:"message,omitzero"`   // where the reason is
	Receipt   string   `json:"receipt,omitzero"`   // where the receipt is
	MessageID string   `json:"messageId,omitzero"` // where the message id is; it is needed for call-backs, default there: messageId
}

// Told is what an answer or a call-back says.
type Told struct {
	State     string // sent, delivered or failed; empty where nothing is said
	Message   string // the reason, at most 500 characters
	Receipt   string // as it stood; empty without one
	MessageID string
}

// ErrAnswer says that an answer is no JSON, or has a state that the mapping does not know.
var ErrAnswer = errors.New("the answer of the provider cannot be understood")

// Read reads the body of an answer of success. The error wraps ErrAnswer.
func (m Mapping) Read(body []byte) (Told, error) {
	in := newAnswer(body)
	if m.State == "" {
		return Told{State: "sent", Receipt: in.valueAt(m.Receipt), MessageID: in.valueAt(m.MessageID)}, nil
	}
	if !jsontext.Value(body).IsValid() {
		return Told{}, fmt.Errorf("%w: it is no JSON", ErrAnswer)
	}
	state := in.valueAt(m.State)
	t := Told{Message: shorten(in.valueAt(m.Message)), Receipt: in.valueAt(m.Receipt), MessageID: in.valueAt(m.MessageID)}
	for _, known := range []struct {
		values []string
		state  string
	}{{m.Sent, "sent"}, {m.Delivered, "delivered"}, {m.Failed, "failed"}} {
		if slices.Contains(known.values, state) {
			t.State = known.state
			return t, nil
		}
	}
	return Told{}, fmt.Errorf("%w: its state %q is in none of the lists", ErrAnswer, shorten(state))
}

func shorten(s string) string {
	runes := []rune(s)
	return string(runes[:min(len(runes), 500)])
}

// answer is the body of an answer. Each object and list in it is taken apart once, however many places lead through it.
type answer struct {
	body    []byte
	members map[string]map[string]jsontext.Value // of objects, by their places
	items   map[string][]jsontext.Value          // of lists
	decoded int                                  // bytes that were taken apart
}

func newAnswer(body []byte) *answer {
	return &answer{body: body, members: map[string]map[string]jsontext.Value{}, items: map[string][]jsontext.Value{}}
}

// valueAt is the value at the first of some places that is there: a string without its quotes, anything else as its JSON; empty where there is none.
func (a *answer) valueAt(places string) string {
	for place := range strings.FieldsSeq(places) {
		value, rest, at := jsontext.Value(a.body), place, ""
		for more := true; more && value != nil; {
			var name string
			name, rest, more = strings.Cut(rest, ".")
			value = a.memberOf(value, at, name)
			at += "." + name
		}
		var text string
		switch {
		case value.Kind() == '"' && json.Unmarshal(value, &text) == nil:
			return text
		case value != nil && value.Kind() != 'n':
			return strings.TrimSpace(string(value))
		}
	}
	return ""
}

// memberOf is a member of an object, or an item of a list, that stands at a place; nil where there is none.
func (a *answer) memberOf(value jsontext.Value, at, name string) jsontext.Value {
	switch value.Kind() {
	case '{':
		return once(a, a.members, value, at)[name]
	case '[':
		if i, err := strconv.Atoi(name); err == nil && i >= 0 {
			if items := once(a, a.items, value, at); i < len(items) {
				return items[i]
			}
		}
	}
	return nil
}

// once takes the value at a place apart, where it was not yet; into nothing where it is none.
func once[T any](a *answer, known map[string]T, value jsontext.Value, at string) T {
	parts, ok := known[at]
	if !ok {
		a.decoded += len(value)
		if json.Unmarshal(value, &parts) != nil {
			var none T
			parts = none
		}
		known[at] = parts
	}
	return parts
}
