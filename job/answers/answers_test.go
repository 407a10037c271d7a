package answers

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestKinds_EveryOneHasAStatus ensures the one table from kinds of refusals to statuses.
func TestKinds_EveryOneHasAStatus(t *testing.T) {
	for kind, k := range kinds {
		if http.StatusText(k.status) == "" || k.word == "" {
			t.Errorf("kind %d: %+v", kind, k)
		}
	}
}

// TestRefusalOf ensures status and body of errors, and that those of our own tell nothing.
func TestRefusalOf(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		body   string
	}{
		{errors.New("secret"), 500, `{"error":"Internal Server Error","message":"The request could not be completed because of an internal error",` +
			`"errors":[{"code":"INTERNAL_SERVER_ERROR","message":"The request could not be completed because of an internal error","field":""}]}`},
		{&finding.Refusal{Kind: finding.Internal, Message: "secret"}, 500, ""},
		{&finding.Refusal{Kind: 99, Message: "secret"}, 500, ""},
		{fmt.Errorf("wrapped: %w", &finding.Refusal{Kind: finding.Unprocessable, Word: "PARSE_FAILED", Message: "data: ends", Field: "data",
			Extra: []finding.Extra{{Name: "success", Value: false}, {Name: "error", Value: "never"}}}), 422,
			`{"error":"PARSE_FAILED","message":"data: ends","code":"PARSE_FAILED","field":"data",` +
				`"errors":[{"code":"PARSE_FAILED","message":"data: ends","field":"data"}],"success":false}`},
	} {
		r := RefusalOf(test.err)
		if r.Status != test.status || test.body != "" && string(r.Body()) != test.body || r.Message == "secret" {
			t.Errorf("%v: %d %s", test.err, r.Status, r.Body())
		}
	}
}

// TestRead ensures that a refusal which was answered is answered again to the byte, and that nothing else is taken for one.
func TestRead(t *testing.T) {
	for _, refusal := range []*finding.Refusal{
		{Kind: finding.BadRequest, Message: "currency: is missing", Field: "currency"},
		{Kind: finding.Unprocessable, Word: "PARSE_FAILED", Message: "data: ends", Code: "X", Field: "data", Errors: []finding.Finding{{Code: "A", Message: "a", Field: "b"}, {Code: "C"}},
			Extra: []finding.Extra{{Name: "success", Value: false}, {Name: "lineItems", Value: map[string]int{"count": 26}}, {Name: "nothing", Value: nil}}},
	} {
		first := RefusalOf(refusal)
		second := RefusalOf(Read(first.Status, first.Body()))
		if second.Status != first.Status || string(second.Body()) != string(first.Body()) {
			t.Errorf("%d %s\nbecame %d %s", first.Status, first.Body(), second.Status, second.Body())
		}
	}
	for body, status := range map[string]int{`{"error":"X"}`: 500, "[]": 400, "": 400, `{"error":7}`: 400, `{"x":`: 400} {
		if r := RefusalOf(Read(status, []byte(body))); r.Status != 500 {
			t.Errorf("%d %s: %d %s", status, body, r.Status, r.Body())
		}
	}
}

// TestJSON ensures that lists are never null, and that text which is not UTF-8 is replaced.
func TestJSON(t *testing.T) {
	if got := string(JSON(map[string][]string{"\xff": nil})); got != "{\"\uFFFD\":[]}" {
		t.Error(got)
	}
}
