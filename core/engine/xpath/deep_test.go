package xpath

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyVariablesInEachOther ensures that what depends on an outer one of them is computed for each of its values, however deep both are.
func TestManyVariablesInEachOther(t *testing.T) {
	for _, around := range []int{0, 61, 62, 63, 64, 70} {
		for inner, want := range map[string]string{
			"for $o in (1, 2, 3) return (for $i in 1 return $o * 10 + $i)":                         "11 21 31",
			"for $o in (1, 2, 3) return (for $i in 1 return count(//Line[number(ID) le $o + $i]))": "3 4 5",
			"some $o in (1, 2, 3) satisfies (every $i in 1 satisfies $o + $i eq 4)":                "true",
		} {
			var b strings.Builder
			for i := range around {
				fmt.Fprintf(&b, "for $v%d in 1 return ", i)
			}
			r := newRules(t, invoiceXML(10))
			e := r.compile(b.String() + "string-join(for $r in (" + inner + ") return string($r), ' ')")
			r.check(r.machine(t, r.b.Build()), e, want)
		}
	}
}
