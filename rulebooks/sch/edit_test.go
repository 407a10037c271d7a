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
		Contexts: map[string]string{"a": "g"}, After: []Rule{{Context: "h", Assertions: []Assertion{{ID: "R-4", Test: "i"}}}},
	}
	got, err := edit.Apply(&base)
	want := Pattern{ID: "p", Rules: []Rule{
		{Context: "g", Assertions: []Assertion{{ID: "R-1", Flag: "fatal", Test: "f"}, {ID: "R-2", Flag: "warning", Test: "c"}}},
		{Context: "h", Assertions: []Assertion{{ID: "R-4", Test: "i"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if diff := cmp.Diff(string(before), string(base.Bytes(""))); diff != "" {
		t.Errorf("the pattern itself changed:\n%s", diff)
	}
}

// TestEdit_Revised ensures that revised assertions take the place of those with their id in the rules of their context and come
// after them otherwise, and that ids change in the end.
func TestEdit_Revised(t *testing.T) {
	base := Pattern{ID: "p", Lets: []Let{{"x", "1"}}, Rules: []Rule{
		{Context: "a", Assertions: []Assertion{{ID: "R-1", Test: "b"}, {ID: "R-2", Test: "c"}}},
		{Context: "d", Assertions: []Assertion{{ID: "R-1", Test: "e"}}},
	}}
	before := base.Bytes("")
	edit := Edit{
		IDs: map[string]string{"R-1": "r-1"}, Lets: []Let{{"y", "2"}},
		Revised: []Rule{{Context: "a", Lets: []Let{{"z", "3"}}, Assertions: []Assertion{{ID: "R-1", Test: "f"}, {ID: "R-3", Test: "g"}}}},
	}
	got, err := edit.Apply(&base)
	want := Pattern{ID: "p", Lets: []Let{{"x", "1"}, {"y", "2"}}, Rules: []Rule{
		{Context: "a", Lets: []Let{{"z", "3"}}, Assertions: []Assertion{{ID: "r-1", Test: "f"}, {ID: "R-2", Test: "c"}, {ID: "R-3", Test: "g"}}},
		{Context: "d", Assertions: []Assertion{{ID: "r-1", Test: "e"}}},
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
	edit := Edit{Without: []string{"R-9"}, Flags: map[string]string{"R-1": "warning"}, Contexts: map[string]string{"x": "y"}, IDs: map[string]string{"R-8": "r-8"}, Revised: []Rule{{Context: "v"}}}
	_, err := edit.Apply(&Pattern{ID: "p", Rules: []Rule{{Context: "a", Assertions: []Assertion{{ID: "R-1", Test: "b"}}}}})
	if err == nil || !strings.Contains(err.Error(), `["R-8" "R-9" "context v" "context x"]`) {
		t.Errorf("got %v", err)
	}
}
