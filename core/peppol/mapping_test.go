package peppol

import (
	"strings"
	"testing"
)

// TestMappingReads_EachPartOnce ensures that an answer is taken apart once, however many places of a mapping lead through the same parts of it.
func TestMappingReads_EachPartOnce(t *testing.T) {
	body := []byte(`{"a":[{"b":{"c":"d","x":"` + strings.Repeat("x", 10_000) + `"}}]}`)
	in := newAnswer(body)
	for range 100 {
		if got := in.valueAt(strings.Repeat("y a.7 a.0.z ", 10) + "a.0.b.c"); got != "d" {
			t.Fatalf("%q, want d", got)
		}
	}
	if depth := 4; in.decoded > depth*len(body) {
		t.Errorf("%d bytes were taken apart of an answer of %d, which is %d deep", in.decoded, len(body), depth)
	}
}
