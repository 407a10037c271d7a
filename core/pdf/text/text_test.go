package text_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

var library = typeface.NewLibrary(nil)

// drawn gives the words of each line from left to right.
func drawn(t *testing.T, s string, width float64) (lines []string) {
	t.Helper()
	for _, line := range text.NewSetter(library).Set(text.Span{Text: s, Style: text.Style{Size: 10}}).Lines(width) {
		var words []string
		for _, p := range line.Pieces {
			words = append(words, p.Text)
		}
		lines = append(lines, strings.Join(words, ""))
		if line.Width > width+0.01 {
			t.Errorf("a line of %q is %v wide", s, line.Width)
		}
	}
	return lines
}

func TestLines_BreakWhereALanguageMay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width float64
		want  string
	}{
		{"one two three", 40, "one two|three"},
		{"one\ntwo", 400, "one|two"},
		{"one\n\ntwo", 400, "one| |two"},
		{"Nutzungs-Vertrag", 50, "Nutzungs-|Vertrag"},
		{"10\u00a0000\u00a0€ und", 45, "10\u00a0000\u00a0€|und"},
		{"請求書番号", 25, "請求|書番|号"},
		{"iiiiiiiiiiiiiiiiiiii", 25, "iiiiiiiiiii|iiiiiiiii"},
	} {
		if got := strings.Join(drawn(t, c.text, c.width), "|"); got != c.want {
			t.Errorf("%q: %q, not %q", c.text, got, c.want)
		}
	}
}

func TestLines_AreDrawnInTheirDirection(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"رقم ABC 12":                   "ABC 12 رقم",
		"total: فاتورة رقم end":        "total: رقم فاتورة end",
		"total: ماء 5 kg":              "total: 5 ماء kg",
		"total: ماء 5,2-3 kg":          "total: 3-5,2 ماء kg",
		"total ١٢ ماء end":             "total ماء ١٢ end",
		"total 12 ماء end":             "total 12 ماء end",
		"السعر 5kg فقط":                "فقط 5kg السعر",
		"رقم \u2066R-2026-17\u2069 تم": "تم R-2026-17 رقم",
	} {
		got := strings.Map(func(r rune) rune {
			if r == '\u2066' || r == '\u2069' {
				return -1
			}
			return r
		}, drawn(t, s, 500)[0])
		if got != want {
			t.Errorf("%q: %q, not %q", s, got, want)
		}
	}
}

func TestSet_KernsAndTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := text.NewSetter(library)
	width := func(of string) float64 {
		natural, _ := s.Set(text.Span{Text: of, Style: text.Style{Size: 10}}).Width()
		return natural
	}
	if width("AV") >= width("A")+width("V") {
		t.Error("A and V are not kerned")
	}
	s.Set(text.Span{Text: "𓀀", Style: text.Style{Size: 10}})
	if got := string(s.Missing()); got != "𓀀" {
		t.Errorf("%q", got)
	}
}

// TestSet_TellsEachOfVeryManyMissingCharactersOnce has nearly all characters of the private planes 15 and 16, which take half a minute to be looked up
// one by one in a list of those before.
func TestSet_TellsEachOfVeryManyMissingCharactersOnce(t *testing.T) {
	t.Parallel()
	var missing []rune
	for r := rune(0xF0000); r < 0x10FFFE; r++ {
		if r&0xFFFE != 0xFFFE {
			missing = append(missing, r)
		}
	}
	s := text.NewSetter(library)
	for range 2 {
		s.Set(text.Span{Text: string(missing), Style: text.Style{Size: 10}}).Width()
	}
	if got := s.Missing(); !slices.Equal(got, missing) {
		t.Errorf("%d of %d", len(got), len(missing))
	}
}

// TestLines_OfDirectionsThatNothingEndsAreMadeInProportion has isolates without an end, which each look for theirs in all that follows: in a paragraph that
// is not parted they take a minute.
func TestLines_OfDirectionsThatNothingEndsAreMadeInProportion(t *testing.T) {
	t.Parallel()
	isolates := strings.Repeat("\u2066a", 200_000)
	if lines := drawn(t, isolates, 500); strings.Count(strings.Join(lines, ""), "a") != 200_000 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestSet_ALigatureStandsForAllItsCharacters(t *testing.T) {
	t.Parallel()
	line := text.NewSetter(library).Set(text.Span{Text: "لا", Style: text.Style{Size: 10}}).Lines(100)[0]
	told := ""
	for _, p := range line.Pieces {
		for _, g := range p.Glyphs {
			told += g.Text
		}
	}
	if told != "ال" { // from left to right
		t.Errorf("%q", told)
	}
}
