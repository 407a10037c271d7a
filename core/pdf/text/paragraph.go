package text

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"
	"golang.org/x/text/unicode/norm"
)

// Text is text that was shaped, and can be broken into lines of any width.
type Text struct {
	pieces []Piece
	RTL    bool // its first paragraph runs from right to left
}

// Piece is a word, a part of one, or spaces.
type Piece struct {
	*Shaped
	Style *Style
	Space bool
	level uint8 // of embedding, odd from right to left
	base  uint8 // the level of its paragraph
	ends  ending
}

// ending is what may come after a piece.
type ending uint8

const (
	goesOn ending = iota
	mayBreak
	mustBreak
)

// Width is how wide a piece is, in points.
func (p *Piece) Width() float64 { return p.Shaped.Width * p.Style.Size }

// paragraph is what is known of each character of a paragraph; its memory is used again for the next.
type paragraph struct {
	runes   []rune
	style   []*Style
	levels  []uint8
	breaks  []bool // after the character
	scripts []language.Script
	faces   []*face
	base    uint8

	bidi  bidi.Paragraph
	lines segmenter.Segmenter
}

// Set shapes text.
func (s *Setter) Set(spans ...Span) *Text {
	t := &Text{}
	p := &s.paragraph
	p.clear()
	for i := range spans {
		style, rest := &spans[i].Style, clean(spans[i].Text)
		for {
			line, after, more := strings.Cut(rest, "\n")
			for _, r := range line {
				p.runes, p.style = append(p.runes, r), append(p.style, style)
			}
			if !more {
				break
			}
			if n := len(p.runes); n > 0 && p.runes[n-1] != ' ' {
				p.runes, p.style = append(p.runes, ' '), append(p.style, style)
			}
			if !s.finish(t, style) {
				return t
			}
			rest = after
		}
		if i == len(spans)-1 {
			s.finish(t, style)
		}
	}
	if n := len(t.pieces); n > 0 {
		t.RTL = t.pieces[0].base == 1
		t.pieces[n-1].ends = goesOn
	}
	return t
}

func (p *paragraph) clear() { p.runes, p.style = p.runes[:0], p.style[:0] }

// clean composes characters (NFC), and leaves out the control characters, of which only line feeds mean something.
func clean(text string) string {
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t', r == '\u2028', r == '\u2029', r == '\v', r == '\f':
			return ' '
		case r < ' ' || r >= 0x7F && r < 0xA0 || r == '\uFEFF' || r == '\uFFFE' || r == '\uFFFF':
			return -1
		}
		return r
	}, text)
	return norm.NFC.String(text)
}

// between is how many pieces are made before it is asked again whether there is time left.
const between = 1000

// finish makes the pieces of the paragraph that was gathered, the last of which must be followed by a new line; not where there is no time left.
func (s *Setter) finish(t *Text, style *Style) bool {
	p := &s.paragraph
	if len(p.runes) == 0 {
		p.runes, p.style = append(p.runes, ' '), append(p.style, style)
	}
	p.analyse()
	s.findFaces(p)
	for from := 0; from < len(p.runes); {
		if len(t.pieces)%between == between-1 && s.ended() {
			return false
		}
		to := from + 1
		for to < len(p.runes) && p.together(to) {
			to++
		}
		t.pieces = append(t.pieces, s.piece(p, from, to))
		from = to
	}
	t.pieces[len(t.pieces)-1].ends = mustBreak
	p.clear()
	return true
}

func (s *Setter) piece(p *paragraph, from, to int) Piece {
	style, level, f := p.style[from], p.levels[from], p.faces[from]
	piece := Piece{Style: style, Space: p.runes[from] == ' ', level: level, base: p.base}
	piece.Shaped = s.shape(f, style.Bold && !f.of.Bold, level&1 == 1, p.scripts[from], p.runes[from:to])
	if p.breaks[to-1] {
		piece.ends = mayBreak
	}
	return piece
}

// together tells whether a character belongs to the piece of the one before.
func (p *paragraph) together(i int) bool {
	return !p.breaks[i-1] && p.style[i] == p.style[i-1] && p.levels[i] == p.levels[i-1] && p.faces[i] == p.faces[i-1] &&
		p.scripts[i] == p.scripts[i-1] && (p.runes[i] == ' ') == (p.runes[i-1] == ' ')
}

// analyse finds directions, places to break and scripts.
func (p *paragraph) analyse() {
	n := len(p.runes)
	p.levels, p.breaks = append(p.levels[:0], make([]uint8, n)...), append(p.breaks[:0], make([]bool, n)...)
	p.scripts = append(p.scripts[:0], make([]language.Script, n)...)
	p.base = 0
	if p.rightToLeft() {
		p.base = p.direction()
		runs := p.bidi.Segment(p.runes, bidi.Direction(map[uint8]bidi.Direction{0: bidi.LeftToRight, 1: bidi.RightToLeft}[p.base]))
		for i := range runs.NumRuns() {
			run := runs.Run(i)
			for k := run.Start; k < run.End; k++ {
				p.levels[k] = uint8(run.Level)
			}
		}
	}
	p.lines.Init(p.runes)
	for it := p.lines.LineIterator(); it.Next(); {
		if line := it.Line(); len(line.Text) > 0 {
			p.breaks[line.Offset+len(line.Text)-1] = true
		}
	}
	p.findScripts()
}

// rightToLeft tells whether there may be anything that runs from right to left, so that directions must be looked at.
func (p *paragraph) rightToLeft() bool {
	return slices.ContainsFunc(p.runes, turns)
}

// RightToLeft tells whether a text has anything that runs from right to left.
func RightToLeft(text string) bool { return strings.ContainsFunc(text, turns) }

// turns tells whether a character runs from right to left, or makes others do so.
func turns(r rune) bool {
	return r >= 0x0590 && (r <= 0x08FF || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 ||
		r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFF || r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF)
}

// direction is the level of the paragraph: that of its first letter (UAX #9, P2 and P3).
func (p *paragraph) direction() uint8 {
	for _, r := range p.runes {
		if !unicode.IsLetter(r) {
			continue
		}
		switch language.LookupScript(r) {
		case language.Arabic, language.Hebrew, language.Syriac, language.Thaana, language.Nko:
			return 1
		}
		return 0
	}
	return 0
}

// findScripts gives characters that many scripts use the script of what is before them, or else of what comes first.
func (p *paragraph) findScripts() {
	script := language.Latin
	for _, r := range p.runes {
		if found := language.LookupScript(r); found.Strong() {
			script = found
			break
		}
	}
	for i, r := range p.runes {
		if found := language.LookupScript(r); found.Strong() {
			script = found
		}
		p.scripts[i] = script
	}
}

func (s *Setter) findFaces(p *paragraph) {
	p.faces = p.faces[:0]
	var before *face
	var of *Style
	var c *chain
	for i, r := range p.runes {
		if p.style[i] != of {
			of, before = p.style[i], nil
			c = s.chain(of)
		}
		before = s.find(c, r, before)
		p.faces = append(p.faces, before)
	}
}
