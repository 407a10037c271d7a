package mapping

import "testing"

// TestAgrees ensures when a document states what is computed: the same text or flag, or the same number as far as the document has digits.
func TestAgrees(t *testing.T) {
	for _, c := range []struct {
		stated, computed string
		want             bool
	}{
		{"A", "a", true}, {"1", "true", true}, {"12.5", "12.50", true}, {"12.50", "12.4956", true}, {"12", "12.4", false}, {"12", "12.00", true},
		{"1.305", "1.30520", true}, {"1.3052", "1.30529", false}, {"x", "1", false}, {"", "1", false},
	} {
		if got := agrees(c.stated, c.computed); got != c.want {
			t.Errorf("%q, %q: %t", c.stated, c.computed, got)
		}
	}
}
