package text

import (
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"

	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// Shaped is a word, or a part of one, in one face and direction, as it is drawn from left to right. It is shared by all places
// of a document that have the same word, whatever their size.
type Shaped struct {
	Face     *typeface.Loaded
	Embolden bool // the style is bold and the face is not
	Text     string
	Glyphs   []Glyph
	Width    float64 // in units of the size
	Actual   bool    // its glyphs do not stand for characters one by one, so Text has to be told beside them
	rtl      bool
}

// Glyph is one glyph of a word. Its lengths are in units of the size.
type Glyph struct {
	ID      int
	Advance float64
	X, Y    float64 // where it is drawn, seen from where the pen is
	Text    string  // the characters that it stands for
}

// noText is what a glyph stands for that no character can be told of (zero width space); the word's Text is told beside it.
const noText = "\u200b"

// shape shapes the characters of one piece.
func (s *Setter) shape(f *face, embolden, rtl bool, script language.Script, runes []rune) *Shaped {
	key := shapedKey{f, embolden, rtl, string(runes)}
	if known := s.shaped[key]; known != nil {
		return known
	}
	input := shaping.Input{Text: f.drawable(runes), RunEnd: len(runes), Face: f.shaper, Script: script, Size: fixed.I(f.UnitsPerEm),
		Language: language.NewLanguage("und")}
	if rtl {
		input.Direction = di.DirectionRTL
	}
	out := s.shaper.ShapeNoExtents(input)
	shaped := &Shaped{Face: f.Loaded, Embolden: embolden, Text: key.text, rtl: rtl}
	shaped.take(out.Glyphs, runes, float64(f.UnitsPerEm))
	s.know(key, shaped)
	return shaped
}

// mostGlyphs is how many glyphs of words are known at most, so that a text of ever other words does not hold all of them.
const mostGlyphs = 1 << 16

// know keeps a word for the next time that it comes.
func (s *Setter) know(key shapedKey, w *Shaped) {
	if s.glyphs += len(w.Glyphs) + 1; s.glyphs > mostGlyphs {
		s.shaped, s.glyphs = map[shapedKey]*Shaped{}, 0
	}
	s.shaped[key] = w
}

// drawable replaces what the face has no glyph for.
func (f *face) drawable(runes []rune) []rune {
	drawn := runes
	for i, r := range runes {
		if invisible(r) || f.has(r) {
			continue
		}
		if &drawn[0] == &runes[0] {
			drawn = append([]rune(nil), runes...)
		}
		switch {
		case unicode.Is(unicode.Zs, r):
			drawn[i] = ' '
		case f.has('\uFFFD'):
			drawn[i] = '\uFFFD'
		default:
			drawn[i] = '?'
		}
	}
	return drawn
}

// take gives each glyph the characters of its cluster. Where a cluster has fewer characters than glyphs, the word's text is told beside.
func (w *Shaped) take(glyphs []shaping.Glyph, runes []rune, em float64) {
	w.Glyphs = make([]Glyph, 0, len(glyphs))
	for i := 0; i < len(glyphs); {
		count, from := max(glyphs[i].GlyphsCount(), 1), glyphs[i].TextIndex()
		cluster := runes[from:min(from+glyphs[i].RunesCount(), len(runes))]
		for k := range count {
			g := glyphs[i+k]
			at := k // of the cluster in logical order
			if w.rtl {
				at = count - 1 - k
			}
			text := share(cluster, at, count)
			if w.rtl && at == 0 {
				text = w.spell(text)
			}
			w.add(g, text, em)
		}
		i += count
	}
	if len(w.Glyphs) == 0 {
		w.Actual = false
	}
}

func (w *Shaped) add(g shaping.Glyph, text string, em float64) {
	if steers(text) {
		return
	}
	glyph := Glyph{ID: int(g.GlyphID), Advance: units(g.Advance) / em, X: units(g.XOffset) / em, Y: units(g.YOffset) / em, Text: text}
	w.Width += glyph.Advance
	if g.GlyphID == font.EmptyGlyph || g.GlyphID == 0 {
		glyph.ID = 0
	}
	if text == "" {
		glyph.Text, w.Actual = noText, true
	}
	w.Glyphs = append(w.Glyphs, glyph)
}

// steers tells whether a text is a mark of direction alone, which has done its work and is not drawn.
func steers(text string) bool {
	return strings.Trim(text, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") == "" && text != ""
}

// spell puts the characters of a ligature but its first on blanks to the left of it, since readers of pages take what runs from right
// to left apart by glyphs and not by characters. It gives the first.
func (w *Shaped) spell(cluster string) string {
	runes := []rune(cluster)
	for i := len(runes) - 1; i > 0; i-- {
		w.Glyphs = append(w.Glyphs, Glyph{ID: typeface.Blank, Text: string(runes[i])})
	}
	return string(runes[:min(1, len(runes))])
}

// share is the part of a cluster that its glyph stands for: one character each, and what is more for the first.
func share(cluster []rune, at, count int) string {
	more := len(cluster) - count
	switch {
	case more < 0 && at == 0:
		return string(cluster)
	case more < 0:
		return ""
	case at == 0:
		return string(cluster[:more+1])
	}
	return string(cluster[more+at : more+at+1])
}

func units(v fixed.Int26_6) float64 { return float64(v) / 64 }

// first is the width of the glyph that is read first.
func (w *Shaped) first() float64 {
	if len(w.Glyphs) == 0 {
		return 0
	}
	return w.inOrder(0).Advance
}

// chop cuts a word into parts in the order of reading that are at most so wide, the first and all others, in units of the size, and have a glyph
// at least.
func (w *Shaped) chop(first, width float64) (list []*Shaped) {
	if w.Actual {
		return []*Shaped{w}
	}
	for from := 0; from < len(w.Glyphs); {
		to, sum := from, 0.0
		for to < len(w.Glyphs) && (to == from || sum+w.inOrder(to).Advance <= first || w.inOrder(to).Advance == 0) {
			sum += w.inOrder(to).Advance
			to++
		}
		list = append(list, w.part(from, to, sum))
		from, first = to, width
	}
	return list
}

// inOrder is a glyph in the order of reading.
func (w *Shaped) inOrder(i int) *Glyph {
	if w.rtl {
		i = len(w.Glyphs) - 1 - i
	}
	return &w.Glyphs[i]
}

// part is the glyphs of a range in the order of reading.
func (w *Shaped) part(from, to int, width float64) *Shaped {
	p := &Shaped{Face: w.Face, Embolden: w.Embolden, Width: width, rtl: w.rtl}
	var text strings.Builder
	for i := from; i < to; i++ {
		text.WriteString(w.inOrder(i).Text)
	}
	p.Text = text.String()
	if w.rtl {
		from, to = len(w.Glyphs)-to, len(w.Glyphs)-from
	}
	p.Glyphs = w.Glyphs[from:to]
	return p
}
