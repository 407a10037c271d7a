// Package text sets text: it finds faces for characters, shapes words, orders what runs from right to left (UAX #9) and breaks lines
// where a language may break them (UAX #14).
package text

import (
	"slices"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"

	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// Style is how text looks. Size is in points.
type Style struct {
	Family       string // of a face; empty for the usual one
	Bold, Italic bool
	Size         float64
	Color        Color
}

// Color has red, green and blue of sRGB.
type Color [3]uint8

// Span is text in one style. A line feed in it ends a line.
type Span struct {
	Text  string
	Style Style
}

// Setter sets the text of one document. It is not safe for concurrent use.
type Setter struct {
	library   *typeface.Library
	shaper    shaping.HarfbuzzShaper
	chains    map[chainKey]*chain
	faces     map[*typeface.Face]*face
	shaped    map[shapedKey]*Shaped
	glyphs    int // of shaped
	held      int // bytes of texts whose lines are kept
	longest   int
	missing   []rune
	told      map[rune]bool // what is in missing, since a text may have hundreds of thousands of such characters
	unusable  []string
	ended     func() bool
	paragraph paragraph
	breaker   breaker // of texts that are broken at once
}

type chainKey struct {
	family       string
	bold, italic bool
}

type shapedKey struct {
	face     *face
	embolden bool
	rtl      bool
	text     string
}

// chain is the faces that a style looks in.
type chain struct {
	bold  bool
	faces []*typeface.Face
	ready []*face // the first of faces, as far as they were needed
}

// face is a face in use by one document, since faces of the shaper are not safe for concurrent use.
type face struct {
	*typeface.Loaded
	of     *typeface.Face
	shaper *font.Face
	known  map[rune]bool
}

// NewSetter makes a setter that takes its faces from the library.
func NewSetter(library *typeface.Library) *Setter {
	s := &Setter{library: library, chains: map[chainKey]*chain{}, faces: map[*typeface.Face]*face{}, shaped: map[shapedKey]*Shaped{}, told: map[rune]bool{},
		ended: func() bool { return false }, longest: longest}
	s.shaper.SetFontCacheSize(32)
	return s
}

// Until lets the setting of a text stop within it when ended says so. What it then gives is a part of the text, and not to be shown.
func (s *Setter) Until(ended func() bool) { s.ended = ended }

// Missing gives the characters that no face has, in the order in which they were first met; those of a long text are met when it is measured or
// broken into lines. They are shown as a replacement, and can be copied from the page as what they are.
func (s *Setter) Missing() []rune { return slices.Clone(s.missing) }

// Unusable tells which faces could not be used, and why.
func (s *Setter) Unusable() []string { return slices.Clone(s.unusable) }

func (s *Setter) chain(style *Style) *chain {
	key := chainKey{style.Family, style.Bold, style.Italic}
	c := s.chains[key]
	if c == nil {
		c = &chain{bold: style.Bold, faces: s.library.Chain(style.Family, style.Bold, style.Italic)}
		s.chains[key] = c
	}
	return c
}

// at gives the face at a place of the chain, nil behind its end. Faces that cannot be read are taken out.
func (s *Setter) at(c *chain, i int) *face {
	for len(c.ready) <= i {
		if len(c.faces) == len(c.ready) {
			return nil
		}
		next := c.faces[len(c.ready)]
		if f := s.open(next); f != nil {
			c.ready = append(c.ready, f)
		} else {
			c.faces = slices.Delete(slices.Clone(c.faces), len(c.ready), len(c.ready)+1)
		}
	}
	return c.ready[i]
}

func (s *Setter) open(of *typeface.Face) *face {
	if f := s.faces[of]; f != nil {
		return f
	}
	loaded, err := of.Load()
	if err != nil {
		s.unusable = append(s.unusable, err.Error())
		return nil
	}
	f := &face{Loaded: loaded, of: of, shaper: font.NewFace(loaded.Font), known: map[rune]bool{}}
	s.faces[of] = f
	return f
}

// find gives the face for a character: that of the character before if it has it too, else the first of the chain that has it, else the
// first, with a note that the character is missing.
func (s *Setter) find(c *chain, r rune, before *face) *face {
	if before != nil && (invisible(r) || unicode.Is(unicode.M, r) && before.has(r)) {
		return before
	}
	for i := 0; ; i++ {
		f := s.at(c, i)
		if f == nil {
			break
		}
		if f.has(r) {
			return f
		}
	}
	if !invisible(r) && !s.told[r] {
		s.missing, s.told[r] = append(s.missing, r), true
	}
	if before != nil {
		return before
	}
	return s.at(c, 0)
}

func (f *face) has(r rune) bool {
	known, asked := f.known[r]
	if !asked {
		glyph, ok := f.Font.NominalGlyph(r)
		known = ok && glyph != 0
		f.known[r] = known
	}
	return known
}

// invisible tells whether a character only steers others: joiners, marks of direction, selectors of variants, soft hyphens.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// Metrics are those of the first face of a style, in points: above the baseline and below it, both positive.
func (s *Setter) Metrics(style Style) (ascent, descent float64) {
	f := s.at(s.chain(&style), 0)
	if f == nil {
		return 0.9 * style.Size, 0.2 * style.Size
	}
	em := float64(f.UnitsPerEm)
	return float64(f.Ascent) / em * style.Size, -float64(f.Descent) / em * style.Size
}
