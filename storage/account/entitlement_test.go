package account

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEntitledComparesSegmentBySegment(t *testing.T) {
	for _, c := range []struct {
		patterns string // joined by spaces
		needed   string
		want     bool
	}{
		{"e-invoice:de:xrechnung:create", "e-invoice:de:xrechnung:create", true},
		{"e-invoice:de:xrechnung:create", "e-invoice:de:xrechnung:parse", false},
		{"e-invoice:*:xrechnung:create", "e-invoice:de:xrechnung:create", true},
		{"e-invoice:*:*:create", "e-invoice:fr:facturx:create", true},
		{"e-invoice:*:*:create", "e-invoice:fr:facturx:parse", false},
		{"*:*:*:*", "e-invoice:de:xrechnung:create", true},
		{"*", "e-invoice:de:xrechnung:create", false},
		{"e-invoice:*", "e-invoice:de:xrechnung:create", false},
		{"e-invoice:de:xrechnung:create:x", "e-invoice:de:xrechnung:create", false},
		{"e-invoice:de:xrechnung:create", "e-invoice:de:xrechnung:create:x", false},
		{"e-invoice:d*:xrechnung:create", "e-invoice:de:xrechnung:create", false},
		{"E-INVOICE:de:xrechnung:create", "e-invoice:de:xrechnung:create", false},
		{"pdf:de:generate e-invoice:*:*:parse", "e-invoice:at:ebinterface:parse", true},
		{"admin:*", "admin:keys", true},
		{"*", "admin", true},
		{"", "admin", false},
		{"admin:keys", "", false},
		{"*", "", false},
		{"a:*", "a:", false},
		{":", ":", false},
		// What is needed may be a pattern: a key may give away only what it has.
		{"e-invoice:*:*:create", "e-invoice:*:xrechnung:create", true},
		{"e-invoice:de:*:create", "e-invoice:*:xrechnung:create", false},
		{"*:*", "*:*", true},
	} {
		if got := Entitled(strings.Split(c.patterns, " "), c.needed); got != c.want {
			t.Errorf("Entitled(%q, %q) = %t, want %t", c.patterns, c.needed, got, c.want)
		}
	}
	if Entitled(nil, "admin") {
		t.Error("no patterns entitle")
	}
}

func TestEntitledAgreesWithSplitSegments(t *testing.T) {
	segment := rapid.SampledFrom([]string{"*", "a", "b", "de"})
	path := rapid.SliceOfN(segment, 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		pattern, needed := path.Draw(t, "pattern"), path.Draw(t, "needed")
		want := len(pattern) == len(needed)
		for i := 0; want && i < len(pattern); i++ {
			want = pattern[i] == "*" || pattern[i] == needed[i]
		}
		if got := Entitled([]string{strings.Join(pattern, ":")}, strings.Join(needed, ":")); got != want {
			t.Fatalf("%v for %v: %t, want %t", pattern, needed, got, want)
		}
	})
}

func TestCheckPatternRefusesWhatCouldNeverMatch(t *testing.T) {
	for _, good := range []string{"admin:keys", "*", "e-invoice:*:*:create", "pdf:*:generate", "a:b:c:d:e:f"} {
		if err := CheckPattern(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", ":", "a:", "a::b", "A", "a b", "d*", "**", "a:b:c:d:e:f:g", strings.Repeat("a", 201), "ä"} {
		if err := CheckPattern(bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.20q: error %v, want ErrInvalid", bad, err)
		}
	}
}
