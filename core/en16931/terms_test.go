package en16931

import (
	"fmt"
	"testing"
)

// TestTermName ensures that every term and group of the standard has a name, and what else is asked for has none.
func TestTermName(t *testing.T) {
	for prefix, last := range map[string]int{"BT": 165, "BG": 32} {
		for i := 1; i <= last; i++ {
			if term := fmt.Sprint(prefix, "-", i); (TermName(term) == "") != (term == "BT-4") { // which the standard does not have
				t.Errorf("%s is %q", term, TermName(term))
			}
		}
	}
	for term, want := range map[string]string{"BT-10": "Buyer reference", "BT-29-1": "Seller identifier", "BT-166": "", "BT-DEX-001": "", "": ""} {
		if got := TermName(term); got != want {
			t.Errorf("%s is %q, want %q", term, got, want)
		}
	}
}
