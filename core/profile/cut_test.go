package profile

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// cutByRunes is the plain way to cut a text into parts: all that is left is taken apart for each of them.
func cutByRunes(text string, most int) (parts []string) {
	for line := range strings.Lines(text) {
		for left := []rune(strings.Join(strings.Fields(line), " ")); len(left) > 0; {
			n := min(most, len(left))
			if at := strings.LastIndexByte(string(left[:min(most+1, len(left))]), ' '); len(left) > most && at > 0 {
				n = len([]rune(string(left[:most+1])[:at]))
			}
			parts = append(parts, string(left[:n]))
			left = []rune(strings.TrimLeft(string(left[n:]), " "))
		}
	}
	return parts
}

// TestTextParts_AreThoseOfThePlainWay ensures that texts are cut at blanks, and where there are none after so many characters.
func TestTextParts_AreThoseOfThePlainWay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aé漢 \n  b")
	for range 2000 {
		text := make([]rune, random.IntN(120))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		got, want := textParts(string(text), 10), cutByRunes(string(text), 10)
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("%q: %q, want %q", string(text), got, want)
		}
	}
}

// TestLongTexts_AreCutInProportion ensures that a text of some megabytes without a blank, of which each part was once cut off all the rest, is cut.
func TestLongTexts_AreCutInProportion(t *testing.T) {
	text := strings.Repeat("x", 4<<20)
	if parts := textParts(text, 100); strings.Join(parts, "") != text {
		t.Errorf("%d parts are not the text", len(parts))
	}
	d := &Draft{Invoice: &invoice.Invoice{NoteEntries: []invoice.Note{{Text: text[:1<<20]}}}}
	d.splitNotes()
	var all strings.Builder
	for _, n := range d.Invoice.NoteEntries {
		all.WriteString(n.Text)
	}
	if all.String() != text[:1<<20] || len(d.Invoice.NoteEntries) != (1<<20+mostCausale-1)/mostCausale {
		t.Errorf("%d notes are not the text", len(d.Invoice.NoteEntries))
	}
}
