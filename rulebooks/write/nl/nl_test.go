package nl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFiles ensures that each rulebook holds the rules of EN 16931 as the publisher has them.
func TestFiles(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]bool{}
	for name, text := range files {
		for _, part := range []string{`id="BR-02"`, `id="UBL-CR-411"`, `id="BR-GA-1"`, `test="not(ram:BuyerTaxRepresentativeTradeParty)"`} {
			got[name] = append(got[name], strings.Contains(string(text), part))
		}
	}
	want := map[string][]bool{
		"books/nl-ubl-2.0.3.13/rules.sch":    {true, true, false, false},
		"books/nl-gaccount-1.0.13/rules.sch": {true, false, true, false},
		"books/nl-cii-1.0.3.13/rules.sch":    {true, false, false, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
