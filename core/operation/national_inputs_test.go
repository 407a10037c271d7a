package operation

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestNationalInputs_HaveEveryKind ensures that each format has twelve inputs of its own at least, and among them those of every kind, by their names. The tests of each
// format have them judged and read back.
func TestNationalInputs_HaveEveryKind(t *testing.T) {
	kinds := strings.Fields("credit-note reverse-charge exempt foreign-currency discounts long-texts retention small-business")
	for _, folder := range strings.Fields("ebinterface facturae fatturapa isdoc ksef mydata nav") {
		inputs, err := filepath.Glob("../../testdata/" + folder + "/*.json")
		if err != nil || len(inputs) < 12 {
			t.Fatalf("%s: %d inputs: %v", folder, len(inputs), err)
		}
		for _, kind := range kinds {
			if !strings.Contains(strings.Join(inputs, "\n"), kind) {
				t.Errorf("%s has no input of the kind %s", folder, kind)
			}
		}
	}
}
