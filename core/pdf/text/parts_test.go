package text

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// drawnLine is what is seen of a line.
type drawnLine struct {
	text, tail string
	width      float64
	spaces     int
	last, rtl  bool
}

func seen(l *Line) drawnLine {
	d := drawnLine{width: l.Width, spaces: l.Spaces, last: l.Last, rtl: l.RTL}
	for i := range l.Pieces {
		d.text += l.Pieces[i].Text + "|"
	}
	if l.Tail != nil {
		d.tail = l.Tail.Text
	}
	return d
}

// vocabulary are words that lines, directions and scripts have rules for.
var vocabulary = map[string][]string{
	"Latin":      {"Wartung", "10\u00a0€", "je", "(siehe", "Anlage)", "«", "»", "A-1", "5,00", "%", "e\u0301t\u00e9", "office", "\n", "\n\n", "x  y"},
	"Arabic":     {"فاتورة", "رقم", "شركة", "مبلغ", "الرياض", "(INV-7 الضريبة)", "سنة 2026-11-28 م", "total is", "لا", "\u2066R-2026-17\u2069", "\n"},
	"two ways":   {"invoice", "note", "payable", "(see פה)", "שלום", "(a.b)", "\u2067אב 3 ג\u2069", "VAT", "and", "\n"},
	"ideographs": {"請求書番号", "合計", "（税込）", "10,000円", "、", "。", "です", "カード", "abc ", "\n"},
}

// TestLines_OfTextSetInPartsAreThoseOfTheWhole ensures that nobody sees where a long paragraph was parted.
func TestLines_OfTextSetInPartsAreThoseOfTheWhole(t *testing.T) {
	t.Parallel()
	library, bold := typeface.NewLibrary(nil), Style{Size: 10, Bold: true}
	for name, words := range vocabulary {
		r := rand.New(rand.NewPCG(1, 2))
		for range 25 {
			spans := []Span{{some(r, words, name == "ideographs"), Style{Size: 10}}, {some(r, words, name == "ideographs"), bold}}
			whole, parts := NewSetter(library), NewSetter(library)
			whole.longest, parts.longest = 1<<20, 400
			want := whole.Set(spans...).Lines(150)
			got := parts.Set(spans...).Lines(150)
			same := func(a, b Line) bool { return seen(&a) == seen(&b) }
			if !slices.EqualFunc(got, want, same) || string(whole.Missing()) != string(parts.Missing()) {
				i := 0
				for i < min(len(got), len(want))-1 && same(got[i], want[i]) {
					i++
				}
				t.Fatalf("%s: line %d is\n%+v, not\n%+v", name, i, seen(&got[i]), seen(&want[i]))
			}
			if a, b := parts.Set(spans...).width(), whole.Set(spans...).width(); a != b {
				t.Errorf("%s: %v wide, not %v", name, a, b)
			}
		}
	}
}

func (t *Text) width() [2]float64 {
	natural, least := t.Width()
	return [2]float64{natural, least}
}

// some is 300 words; those of a script without spaces stand side by side.
func some(r *rand.Rand, words []string, joined bool) string {
	var b strings.Builder
	for range 300 {
		if b.WriteString(words[r.IntN(len(words))]); !joined {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// TestLines_OfWhatCannotBePartedAreFull ensures that a word of any length fills its lines, though it is shaped in parts.
func TestLines_OfWhatCannotBePartedAreFull(t *testing.T) {
	t.Parallel()
	for _, word := range []string{strings.Repeat("x", 5*longest), strings.Repeat("ب", 3*longest), strings.Repeat("1", 3*longest), strings.Repeat("((", longest)} {
		lines := NewSetter(typeface.NewLibrary(nil)).Set(Span{word, Style{Size: 10}}).Lines(100)
		told := 0
		for i := range lines {
			for k := range lines[i].Pieces {
				told += len(lines[i].Pieces[k].Text)
			}
			if i < len(lines)-1 && lines[i].Width < 80 || lines[i].Width > 100.01 {
				t.Errorf("line %d of %q… is %v wide", i, word[:4], lines[i].Width)
			}
		}
		if told != len(word) {
			t.Errorf("%d bytes of %d", told, len(word))
		}
	}
}

// TestColumn_ShowsAnyRangeOfItsLines has a text whose lines are kept, one that is long, and short ones that are too many to be kept.
func TestColumn_ShowsAnyRangeOfItsLines(t *testing.T) {
	t.Parallel()
	s := NewSetter(typeface.NewLibrary(nil))
	crowd := func(n int) (list []*Column) {
		for range n {
			list = append(list, s.Set(Span{strings.Repeat("ab cd ", 600), Style{Size: 10}}).Column(100))
		}
		return list
	}
	columns := append(crowd(2*mostHeld/3600), s.Set(Span{strings.Repeat("ab cd ", 6000), Style{Size: 10}}).Column(100))
	for _, i := range []int{0, len(columns) - 2, len(columns) - 1} {
		c := columns[i]
		want := c.text.Lines(100)
		if c.Len() != len(want) {
			t.Fatalf("%d lines, not %d", c.Len(), len(want))
		}
		for _, of := range [][2]int{{0, 5}, {5, 9}, {20, 30}, {2, 4}, {0, c.Len()}, {c.Len() - 1, c.Len()}, {0, 1}} {
			var got []drawnLine
			c.Show(of[0], of[1], func(l *Line) { got = append(got, seen(l)) })
			for k := range got {
				if got[k] != seen(&want[of[0]+k]) {
					t.Errorf("column %d, line %d: %v", i, of[0]+k, got[k])
				}
			}
			if len(got) != of[1]-of[0] {
				t.Errorf("column %d: %d lines of %v", i, len(got), of)
			}
		}
	}
	if len(columns[0].lines) == 0 || len(columns[len(columns)-2].lines) > 0 {
		t.Error("the lines of all are kept, or of none")
	}
	for _, c := range columns {
		c.Show(0, c.Len(), func(*Line) {})
	}
	if s.held != 0 {
		t.Errorf("%d bytes are held that were shown", s.held)
	}
}

// TestColumn_OfALongTextAllocatesInProportion is not parallel, since it counts what all allocate.
func TestColumn_OfALongTextAllocatesInProportion(t *testing.T) {
	library := typeface.NewLibrary(nil)
	allocated := func(n int) uint64 {
		long, s := strings.Repeat("word and another ", n), NewSetter(library)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := s.Set(Span{long, Style{Size: 10}}).Column(400)
		c.Show(0, c.Len(), func(*Line) {})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(100) // reads the faces
	few, many := allocated(3_000), allocated(30_000)
	if many > 11*few {
		t.Errorf("%d bytes, then %d for ten times the text", few, many)
	}
	if per := many / (30_000 * 17); per > 100 {
		t.Errorf("%d bytes for each of the text", per)
	}
}
