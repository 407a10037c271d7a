package webhook

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/storage/ledger"
)

// MaxPayload is the most bytes of a body that is sent.
const MaxPayload = 20_000

// payloadOf gives the body of an event: {id, type, created, data: {object}}. An object that is too large is made thinner; one that
// is no JSON object is left out, with an error.
func payloadOf(eventID string, e ledger.Event, created time.Time) ([]byte, error) {
	head := fmt.Appendf(nil, `{"id":%q,"type":%q,"created":%q,"data":{"object":`, eventID, e.Type, created.UTC().Format("2006-01-02T15:04:05.000Z"))
	object, err := thin(e.Object, MaxPayload-len(head)-2)
	if err != nil {
		object, err = []byte("{}"), fmt.Errorf("object of %s: %w", e.Type, err)
	}
	return append(append(head, object...), "}}"...), err
}

// member is a member of an object.
type member struct {
	name  string
	value jsontext.Value
}

func (m member) size() int { return len(m.name) + len(m.value) + 4 }

// thin gives the object in at most most bytes. While it is larger, its largest member loses the second half of its entries where
// it is a list, and goes where it is none; the member truncated names them all.
func thin(object []byte, most int) ([]byte, error) {
	value := jsontext.Value(object).Clone()
	if err := value.Compact(); err != nil {
		return nil, err
	}
	if value.Kind() != '{' {
		return nil, fmt.Errorf("is %s, not an object", value.Kind())
	}
	if len(value) <= most {
		return value, nil
	}
	members, err := membersOf(value)
	if err != nil {
		return nil, err
	}
	var truncated []string
	for out := []byte(nil); ; {
		if out, err = join(members, truncated); err != nil || len(out) <= most {
			return out, err
		}
		largest := slices.IndexFunc(members, func(m member) bool {
			return m.size() == slices.MaxFunc(members, func(a, b member) int { return a.size() - b.size() }).size()
		})
		if largest < 0 {
			return []byte("{}"), nil
		}
		if !slices.Contains(truncated, members[largest].name) {
			truncated = append(truncated, members[largest].name)
		}
		if !halve(&members[largest]) {
			members = slices.Delete(members, largest, largest+1)
		}
	}
}

// halve leaves a list the first half of its entries and tells whether anything is left.
func halve(m *member) bool {
	var entries []jsontext.Value
	if m.value.Kind() != '[' || json.Unmarshal(m.value, &entries) != nil || len(entries) < 2 {
		return false
	}
	half, err := json.Marshal(entries[:len(entries)/2])
	m.value = half
	return err == nil
}

func membersOf(object jsontext.Value) (members []member, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		m.value = value.Clone()
		members = append(members, m)
	}
	return members, nil
}

// join writes the members as an object, with the names of those that lost something.
func join(members []member, truncated []string) ([]byte, error) {
	var buf bytes.Buffer
	e := jsontext.NewEncoder(&buf)
	write := func(name string, value jsontext.Value) error {
		if err := e.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		return e.WriteValue(value)
	}
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for _, m := range members {
		if err := write(m.name, m.value); err != nil {
			return nil, err
		}
	}
	if truncated != nil {
		names, err := json.Marshal(truncated)
		if err != nil {
			return nil, err
		}
		if err := write("truncated", names); err != nil {
			return nil, err
		}
	}
	if err := e.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}
