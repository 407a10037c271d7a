package mapping

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// TestNearestGivesThePlaceOfATermAsSeenFromANode has the term, and the path of the node that it is seen from.
func TestNearestGivesThePlaceOfATermAsSeenFromANode(t *testing.T) {
	m := testMapping(t)
	doc := parse(t, document(`<x:No>1</x:No><x:Maker><x:Name>N</x:Name></x:Maker><x:Sum><x:Part><x:Base>1</x:Base></x:Part></x:Sum>`+
		`<x:Row><x:No>1</x:No><x:Qty>1</x:Qty></x:Row><x:Row><x:No>2</x:No><x:Qty unit="C62">2</x:Qty><x:Trait><x:Name>a</x:Name></x:Trait></x:Row>`))
	cases := []struct {
		term, from, field string
		shared            int
		present           bool
	}{
		{"BT-1", "/Bill", "invoiceNumber", 1, true},
		{"BT-10", "/Bill", "buyerReference", 1, false},
		{"BT-24", "/Bill", "profile", 1, false},
		{"BT-31", "/Bill", "seller.vatId", 1, false},
		{"BT-31", "/Bill/x:Maker/x:Name", "seller.vatId", 2, false},
		{"BG-4", "/Bill/x:Row[1]", "seller", 1, true},
		{"BT-129", "/Bill/x:Row[2]/x:No", "items[1].quantity", 2, true},
		{"BT-130", "/Bill/x:Row[1]", "items[0].unit", 2, false},
		{"BT-130", "/Bill/x:Row[2]/x:Qty", "items[1].unit", 3, true},
		{"BT-129", "/Bill", "items", 1, false},
		{"BT-130", "/Bill", "items", 1, false},
		{"BT-160", "/Bill/x:Row[2]", "items[1].attributes[0].name", 2, true},
		{"BT-161", "/Bill/x:Row[2]", "items[1].attributes[0].value", 2, false},
		{"BT-160", "/Bill/x:Row[1]", "items[0].attributes", 2, false},
		{"BG-25", "/Bill/x:Row[2]/x:Qty", "items[1]", 2, true},
	}
	l := m.NewLocator(doc)
	nodes := map[string]xmltree.Node{}
	for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
		nodes[doc.Path(n)] = n
	}
	for _, c := range cases {
		from, there := nodes[c.from]
		seen, ok := l.Nearest(c.term, from)
		if want := (Seen{Place: Place{Field: c.field, Term: c.term}, Shared: c.shared, Present: c.present}); !there || !ok || seen != want {
			t.Errorf("%s from %s: %+v, want %+v", c.term, c.from, seen, want)
		}
	}
	if seen, ok := l.Nearest("BT-999", doc.Root()); ok {
		t.Errorf("a term that is none: %+v", seen)
	}
	other := parse(t, "<Other/>")
	if seen, ok := m.NewLocator(other).Nearest("BT-1", other.Root()); ok {
		t.Errorf("in another syntax: %+v", seen)
	}
}

// TestMemberTellsMembersFromGroups has the paths of the nodes that are members.
func TestMemberTellsMembersFromGroups(t *testing.T) {
	m := testMapping(t)
	doc := parse(t, document(`<x:No>1</x:No><x:Cur>EUR</x:Cur><x:New/><x:Maker a="1"><x:Name>N</x:Name></x:Maker><x:Sum><x:Amount cur="EUR">1</x:Amount></x:Sum>`+
		`<x:Row sub="DETAIL"><x:Qty unit="C62">2</x:Qty></x:Row>`))
	members := map[string]bool{"/Bill/x:No": true, "/Bill/x:Cur": true, "/Bill/x:Maker/x:Name": true, "/Bill/x:Sum/x:Amount": true, "/Bill/x:Row/@sub": true,
		"/Bill/x:Row/x:Qty": true, "/Bill/x:Row/x:Qty/@unit": true}
	l := m.NewLocator(doc)
	for n := xmltree.Node(1); int(n) < doc.Len(); n++ {
		if kind := doc.Kind(n); kind != xmltree.KindElement && kind != xmltree.KindAttribute {
			continue
		}
		if got := l.Member(n); got != members[doc.Path(n)] {
			t.Errorf("%s: %t", doc.Path(n), got)
		}
	}
	other := parse(t, "<Other/>")
	if m.NewLocator(other).Member(other.Root()) {
		t.Error("a member in another syntax")
	}
}

// TestMissingNamesTheMemberThatASchemaAsksFor ensures that of several elements the required one counts, of one that one alone, and that
// elements without a row have no place.
func TestMissingNamesTheMemberThatASchemaAsksFor(t *testing.T) {
	m, doc := testMapping(t), parse(t, document(""))
	l := m.NewLocator(doc)
	for _, c := range []struct {
		names []string
		field string
	}{{[]string{"x:Row"}, "items"}, {[]string{"x:Means", "x:Row"}, ""}, {[]string{"x:Nothing"}, ""}, {nil, ""}} {
		if place, ok := l.Missing(doc.Root(), c.names); place.Field != c.field || ok != (c.field != "") {
			t.Errorf("%v: %+v, %t", c.names, place, ok)
		}
	}
}
