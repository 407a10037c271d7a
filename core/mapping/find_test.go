package mapping

import (
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestFindIsTheWayBackFromLocate looks for the member of every node of a document, all at once: what is found is at that member.
func TestFindIsTheWayBackFromLocate(t *testing.T) {
	m := testMapping(t)
	inv := filled()
	text, _ := write(t, m, inv, bill)
	doc := parse(t, text)
	for name, l := range map[string]*Locator{"read": m.NewLocator(doc), "written": m.NewLocatorOf(doc, inv)} {
		first := map[string]xmltree.Node{}
		var members []string
		for n := xmltree.Node(1); int(n) < doc.Len(); n++ {
			if place := l.Locate(n); l.Member(n) && (doc.Kind(n) != xmltree.KindText) {
				if _, known := first[place.Field]; !known {
					first[place.Field] = n
					members = append(members, place.Field)
				}
			}
		}
		found := l.Find(append(members, "noteEntries[1].subjectCode", "items[1]", "items", "items[7].description", "none"))
		for _, member := range members {
			if got, ok := found[member]; !ok || got.At != first[member] || got.Term != "" && got.Term != l.Locate(got.At).Term {
				t.Errorf("%s: %s is at %+v, want %d", name, member, got, first[member])
			}
		}
		if len(members) < 40 || len(found) != len(members)+3 {
			t.Errorf("%s: %d of %d members", name, len(found), len(members))
		}
		if got := l.Locate(found["items[1]"].At).Field; got != "items[1]" {
			t.Errorf("%s: the second line is at %s", name, got)
		}
		if got := found["noteEntries[1].subjectCode"]; l.Locate(got.At).Field != "noteEntries[1].text" {
			t.Errorf("%s: the code of the second note is at %+v", name, got)
		}
	}
	if found := m.NewLocator(parse(t, "<Other/>")).Find([]string{"currency"}); len(found) > 0 {
		t.Errorf("in another syntax: %+v", found)
	}
}

// TestEveryListsEachEntryThatHasNoPlace has three lines with a member that no row takes.
func TestEveryListsEachEntryThatHasNoPlace(t *testing.T) {
	m := testMapping(t)
	inv := &invoice.Invoice{Items: []invoice.Item{{GTIN: "1"}, {}, {GTIN: "2"}}}
	for every, want := range map[bool][]Unwritten{
		false: {{Field: "items[0].gtin", More: 1}},
		true:  {{Field: "items[0].gtin"}, {Field: "items[2].gtin"}},
	} {
		got, err := m.Write(t.Context(), xmltree.NewWriter(xmltree.WriterOptions{}), inv, Env{Element: bill, Every: every})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("every %t: %+v %v", every, got, err)
		}
	}
}
