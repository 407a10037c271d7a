package text

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Text is text that can be broken into lines of any width.
type Text struct {
	setter *Setter
	spans  []Span  // cleaned
	size   int     // of them together, in bytes
	pieces []Piece // of a short text; those of a long one are made anew whenever they are needed, since they take a hundred times its size
}

// Piece is a word, a part of one, or spaces.
type Piece struct {
	*Shaped
	Style *Style
	Space bool
	torn  bool  // the next piece is more of the same word
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

// longest is how many characters of a paragraph are shaped at a time, and how many bytes a text may have whose pieces are kept.
const longest = 4096

// Set takes text, and shapes it unless it is long.
func (s *Setter) Set(spans ...Span) *Text {
	t := &Text{setter: s, spans: make([]Span, len(spans))}
	for i, span := range spans {
		t.spans[i] = Span{clean(span.Text), span.Style}
		t.size += len(t.spans[i].Text)
	}
	if t.isLong() {
		return t
	}
	f := flow{Text: t, kept: true}
	for f.more() {
	}
	t.pieces = f.pieces
	return t
}

func (t *Text) isLong() bool { return t.size > t.setter.longest }

// Width is how wide the text is when it is broken only where it must be, and the widest of what cannot be broken, in points.
func (t *Text) Width() (natural, least float64) {
	line, word := 0.0, 0.0
	f := t.flow()
	for p := f.next(); p != nil; p = f.next() {
		line += p.Width()
		if !p.Space {
			word += p.Width()
		}
		natural, least = max(natural, line), max(least, word)
		if p.ends != goesOn {
			word = 0
		}
		if p.ends == mustBreak {
			line = 0
		}
	}
	return natural, least
}

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
