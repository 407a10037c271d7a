package answers

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Read is the inverse of RefusalOf and Body: it gives the refusal that was answered, without its private half. What is no refusal
// gives an error that says so.
func Read(status int, body []byte) error {
	r := &finding.Refusal{}
	for kind, k := range kinds {
		if k.status == status {
			r.Kind = finding.Kind(kind)
		}
	}
	known := map[string]any{"error": &r.Word, "message": &r.Message, "code": &r.Code, "field": &r.Field, "errors": &r.Errors}
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' || r.Kind == finding.Internal {
		return fmt.Errorf("read an answer with status %d: it is no refusal", status)
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return fmt.Errorf("read a refusal: %w", err)
		}
		member := name.String()
		into, ok := known[member]
		if !ok {
			r.Extra = append(r.Extra, finding.Extra{Name: member, Value: new(jsontext.Value)})
			into = r.Extra[len(r.Extra)-1].Value
		}
		if err := json.UnmarshalDecode(dec, into); err != nil {
			return fmt.Errorf("read member %s of a refusal: %w", member, err)
		}
	}
	return r
}
