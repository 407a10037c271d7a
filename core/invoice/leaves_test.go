package invoice

import (
	"maps"
	"strings"
	"testing"
)

// TestSetMembersAreThoseOfTheLeaves ensures that the members that an invoice sets are its leaves, and what they are in.
func TestSetMembersAreThoseOfTheLeaves(t *testing.T) {
	inv := &Invoice{InvoiceNumber: "1", Notes: "a", Seller: &Party{Identifiers: []Identifier{{ID: "7"}}},
		Items:           []Item{{Description: "x"}, {Attributes: []Attribute{{Name: "n"}}, SubItems: []Item{{Note: "y"}}}},
		CountrySpecific: &CountrySpecific{National: National{"A/B[2]": {"1"}}}}
	want := Members{}
	for leaf := range Leaves(inv) {
		for path := AnyEntry(leaf); path != ""; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
			want[path], want[strings.TrimSuffix(path, "[]")] = true, true
		}
	}
	if got := SetMembers(inv); !maps.Equal(got, want) || !got.Has("items[3].subItems[0].note") || !got.Has("countrySpecific.national.A/B") {
		t.Errorf("got %v, want %v", got, want)
	}
}
