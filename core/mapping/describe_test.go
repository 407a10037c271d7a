package mapping

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUsesTellWhereATermStands ensures member, path and cardinality, once where both document elements have them alike.
func TestUsesTellWhereATermStands(t *testing.T) {
	m := testMapping(t)
	for term, want := range map[string][]Use{
		"BT-1":   {{"BT-1", "invoiceNumber", "/Bill/x:No", "0..1"}, {"BT-1", "invoiceNumber", "/Memo/x:No", "0..1"}},
		"BT-9":   {{"BT-9", "dueDate", "/Bill/x:Due", "0..1"}, {"BT-9", "dueDate", "/Memo/x:Means/x:Due", "0..1"}},
		"BT-130": {{"BT-130", "items[].unit", "/Bill/x:Row/x:Qty/@unit", ""}, {"BT-130", "items[].unit", "/Memo/x:Row/x:Qty/@unit", ""}},
		"BT-999": nil,
	} {
		if diff := cmp.Diff(want, m.Uses(term)); diff != "" {
			t.Errorf("%s:\n%s", term, diff)
		}
	}
	if uses := m.Uses("BT-161"); len(uses) != 2 || uses[0].Field != "items[].attributes[].value" {
		t.Errorf("%+v", uses)
	}
}
