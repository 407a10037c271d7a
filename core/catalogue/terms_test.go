package catalogue

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/mapping"
)

// TestEveryTermIsInBothSyntaxes ensures that CII has each term of EN 16931 that UBL has, and gives it to the same members.
func TestEveryTermIsInBothSyntaxes(t *testing.T) {
	inUBL, inCII := shipped(t).Syntax("ubl").Codec, shipped(t).Syntax("cii").Codec
	seen := 0
	for n := range 166 {
		for _, form := range []string{"BT-%d", "BG-%d", "BT-%d-1", "BT-%d-2"} {
			name := fmt.Sprintf(form, n)
			theirs, ours := inUBL.Uses(name), inCII.Uses(name)
			if len(theirs) == 0 {
				continue
			}
			seen++
			if !together(theirs, ours) {
				t.Errorf("%s: UBL has %+v, CII %+v", name, theirs, ours)
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d terms", seen)
	}
}

// together tells whether two syntaxes have a term in the same group of members, of which a text may have several.
func together(theirs, ours []mapping.Use) bool {
	for _, a := range theirs {
		for _, b := range ours {
			if groupOf(a.Field) == groupOf(b.Field) || a.Field == "" || b.Field == "" || strings.HasPrefix(a.Field, b.Field) {
				return true
			}
		}
	}
	return false
}

func groupOf(field string) string { return path.Dir(strings.ReplaceAll(field, ".", "/")) }
