package sch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEdit_Apply ensures that an edit changes what it names and nothing else, not even in the pattern that it starts from.
func TestEdit_Apply(t *testing.T) {
	base := Pattern{ID: "p", Rules: []Rule{
		{Context: "a", Assertions: []Assertion{{ID: "R-1", Flag: "fatal", Test: "b"}, {ID: "R-2", Flag: "fatal", Test: "c"}}},
		{Context: "d", Assertions: []Assertion{{ID: "R-3", Flag: "fatal", Test: "e"}}},
	}}
	before := base.Bytes("")
	edit := Edit{
		Without: []string{"R-3"}, Tests: map[string]string{"R-1": "f"}, Flags: map[string]string{"R-2": "warning"},
		Contexts: map[string]string{"a": "g"}, Added: map[string][]Assertion{"g": {{ID: "R-5", Test: "j"}}}, After: []Rule{{Context: "h", Assertions: []Assertion{{ID: "R-4", Test: "i"}}}},
	}
	got, err := edit.Apply(&base)
	want := Pattern{ID: "p", Rules: []Rule{
		{Context: "g", Assertions: []Assertion{{ID: "R-1", Flag: "fatal", Test: "f"}, {ID: "R-2", Flag: "warning", Test: "c"}, {ID: "R-5", Test: "j"}}},
		{Context: "h", Assertions: []Assertion{{ID: "R-4", Test: "i"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if diff := cmp.Diff(string(before), string(base.Bytes(""))); diff != "" {
		t.Errorf("the pattern itself changed:\n%s", diff)
	}
}

// TestEdit_NamesWhatIsNotThere ensures that an edit of a rule or context that the pattern does not have is an error.
func TestEdit_NamesWhatIsNotThere(t *testing.T) {
	edit := Edit{Without: []string{"R-9"}, Flags: map[string]string{"R-1": "warning"}, Contexts: map[string]string{"x": "y"}, Added: map[string][]Assertion{"z": nil}}
	_, err := edit.Apply(&Pattern{ID: "p", Rules: []Rule{{Context: "a", Assertions: []Assertion{{ID: "R-1", Test: "b"}}}}})
	if err == nil || !strings.Contains(err.Error(), `["R-9" "addition to z" "context x"]`) {
		t.Errorf("got %v", err)
	}
}
