package api

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
)

// FuzzMembers ensures that the scanner of members finds the template that decoding the whole body finds, refuses what is no object, and that
// an example put into a body leaves an object with all that was there.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{"invoice":{"templateId":"a"},"templateId":"b"}`, `{"templateId":7}`, `{"template\u0049d":"c"}`, "\uFEFF" + `{"templateId":"d"} `,
		`{"templateId":"e"`, `{"x":[{}],"templateId":"f","templateId":"g"}`, `[]`, ``, `{}`, `{"data":{"a":1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		named := templateNamed(body)
		members := map[string]jsontext.Value{}
		decoded := json.Unmarshal(withoutMark(body), &members)
		err := eachMember(body, func(_ string, dec *jsontext.Decoder) error { return dec.SkipValue() })
		if _, refused := errors.AsType[*finding.Refusal](err); err != nil && !refused {
			t.Fatalf("not a refusal: %v", err)
		}
		if decoded != nil || members == nil {
			return
		}
		want := ""
		if value := members["templateId"]; value.Kind() == '"' {
			if err := json.Unmarshal(value, &want); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil || named != want {
			t.Fatalf("%q of %q, want %q: %v", named, body, want, err)
		}
		filled, err := exampleIn(body)
		after := map[string]jsontext.Value{}
		if err != nil || json.Unmarshal(filled, &after) != nil || after["invoice"] == nil {
			t.Fatalf("%v: %q", err, filled)
		}
		for name := range members {
			if after[name] == nil {
				t.Fatalf("%q is lost", name)
			}
		}
	})
}
