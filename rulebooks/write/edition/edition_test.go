package edition

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/en16931"
)

// TestEdits_Patterns ensures that each edit reaches its pattern, and that a copy without edits has all rules.
func TestEdits_Patterns(t *testing.T) {
	for _, syntax := range []string{"ubl", "cii"} {
		whole, err := (&Edits{}).Patterns(syntax)
		if err != nil {
			t.Fatal(err)
		}
		left := Edits{Model: sch.Edit{Without: []string{"BR-02"}}, Use: sch.Edit{Without: []string{useRule[syntax]}}, Codes: sch.Edit{Without: []string{"BR-CL-04"}}}
		edited, err := left.Patterns(syntax)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			if before, after := assertions(&whole[i]), assertions(&edited[i]); after != before-1 {
				t.Errorf("%s %s: %d rules become %d", syntax, whole[i].ID, before, after)
			}
		}
	}
}

// useRule is a rule on the use of each syntax.
var useRule = map[string]string{"ubl": "UBL-CR-411", "cii": "CII-SR-282"}

func assertions(p *sch.Pattern) int {
	count := 0
	for _, r := range p.Rules {
		count += len(r.Assertions)
	}
	return count
}

// TestEdits_Lists ensures that other code lists count where a copy has them, and that messages name whose they are.
func TestEdits_Lists(t *testing.T) {
	copied := Edits{Lists: en16931.Lists{Owner: "UBL.BE", Versions: map[string]string{"untdid-5189": "ublbe-1.31"}}}
	patterns, err := copied.Patterns("ubl")
	if err != nil {
		t.Fatal(err)
	}
	text := string(patterns[2].Bytes(""))
	for part, want := range map[string]bool{" 104', ' '": true, " 105', ' '": false, "BR-CL-19": true, "in UBL.BE. Give one": true, "in EN 16931. Give one": false} {
		if strings.Contains(text, part) != want {
			t.Errorf("%q is there: %v", part, !want)
		}
	}
}

// TestEdits_Faults ensures that an edit of what is not there, and a syntax that nobody knows, are told.
func TestEdits_Faults(t *testing.T) {
	wrong := Edits{Use: sch.Edit{Without: []string{"BR-02"}}}
	if _, err := wrong.Patterns("ubl"); err == nil || !strings.Contains(err.Error(), `EN 16931 on ubl: the pattern syntax has no ["BR-02"]`) {
		t.Errorf("got %v", err)
	}
	if got, err := (&Edits{}).Patterns("edi"); err == nil {
		t.Errorf("got %d patterns", len(got))
	}
}
