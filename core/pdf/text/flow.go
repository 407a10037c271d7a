package text

import (
	"cmp"
	"unicode"
	"unicode/utf8"
)

// flow gives the pieces of a text one after the other. Those of a long text are made for a part of a paragraph at a time.
type flow struct {
	*Text
	span, at int // the place of the next character: a span, and a byte of it
	before   context
	done     bool
	kept     bool // pieces are all kept, and not those of one part alone
	pieces   []Piece
	read     int // of pieces
}

func (t *Text) flow() flow { return flow{Text: t, pieces: t.pieces, done: len(t.pieces) > 0} }

// next gives the next piece; nil behind the last, or where there is no time left. It stays as it is until the next one is asked for.
func (f *flow) next() *Piece {
	for f.read == len(f.pieces) {
		if !f.more() {
			return nil
		}
	}
	f.read++
	return &f.pieces[f.read-1]
}

// partEnd is where a part of a paragraph ends.
type partEnd uint8

const (
	textEnd   partEnd = iota
	lineEnd           // at a line feed
	spacedEnd         // where a line may be broken
	tornEnd           // within what must stay together
)

// more makes the pieces of the next part. It is false where there is none, or no time left.
func (f *flow) more() bool {
	if f.done || len(f.spans) == 0 || f.setter.ended() {
		f.done = true
		return false
	}
	if !f.kept {
		f.pieces, f.read = f.pieces[:0], 0
	}
	p := &f.setter.paragraph
	p.clear()
	p.before = f.before
	end := f.gather(p)
	if len(p.runes) == 0 {
		p.add(' ', &f.spans[min(f.span, len(f.spans)-1)].Style)
	}
	f.finish(p, end)
	return true
}

// gather takes the characters of a part.
func (f *flow) gather(p *paragraph) partEnd {
	for ; f.span < len(f.spans); f.span, f.at = f.span+1, 0 {
		s := &f.spans[f.span]
		for i, r := range s.Text[f.at:] {
			switch {
			case r == '\n':
				f.at += i + 1
				if n := len(p.runes); n > 0 && p.runes[n-1] != ' ' {
					p.add(' ', &s.Style)
				}
				return lineEnd
			case len(p.runes) == f.setter.longest:
				f.at += i
				return f.cut(p)
			}
			p.add(r, &s.Style)
		}
	}
	return textEnd
}

// cut ends a part where the paragraph can be parted, and gives back what is behind.
func (f *flow) cut(p *paragraph) partEnd {
	at, end := p.parted()
	for i := len(p.runes) - 1; i >= at; i-- {
		for f.at == 0 {
			f.span--
			f.at = len(f.spans[f.span].Text)
		}
		f.at -= utf8.RuneLen(p.runes[i])
	}
	p.runes, p.style = p.runes[:at], p.style[:at]
	return end
}

// finish makes the pieces of the part that was gathered.
func (f *flow) finish(p *paragraph, end partEnd) {
	p.analyse(end)
	f.setter.findFaces(p)
	for from := 0; from < len(p.runes); {
		to := from + 1
		for to < len(p.runes) && p.together(to) {
			to++
		}
		f.pieces = append(f.pieces, f.setter.piece(p, from, to))
		from = to
	}
	last := &f.pieces[len(f.pieces)-1]
	f.before = p.before
	f.before.within = true
	switch end {
	case lineEnd:
		last.ends, f.before = mustBreak, context{}
	case tornEnd:
		last.torn = true
	case textEnd:
		last.ends, f.done = goesOn, true
	}
}

func (s *Setter) piece(p *paragraph, from, to int) Piece {
	style, level, f := p.style[from], p.levels[from], p.faces[from]
	piece := Piece{Style: style, Space: p.runes[from] == ' ', level: level, base: p.before.base}
	piece.Shaped = s.shape(f, style.Bold && !f.of.Bold, level&1 == 1, p.scripts[from], p.runes[from:to])
	if p.breaks[to-1] {
		piece.ends = mayBreak
	}
	return piece
}

// parted is where the second half of what was gathered can be parted such that each part is set as in the whole; else between words, though
// brackets or marks of direction span them; else behind a space; else between any two characters that do not stand in one place.
func (p *paragraph) parted() (at int, end partEnd) {
	depth, turned := 0, p.before.base == 1 || p.rightToLeft()
	var words, spaced, torn int
	for i := 1; i < len(p.runes); i++ {
		before, r := p.runes[i-1], p.runes[i]
		depth = max(0, depth+nests(before))
		switch {
		case i <= len(p.runes)/2 || sticks(r) || invisible(before):
		case p.parts(i):
			words = i
			if depth == 0 || !turned {
				at = i
			}
		case before == ' ' && r != ' ':
			spaced = i
		default:
			torn = i
		}
	}
	if at = cmp.Or(at, words, spaced); at > 0 {
		return at, spacedEnd
	}
	return cmp.Or(torn, len(p.runes)/2), tornEnd
}

// sticks tells whether a character stands in one place with that before it.
func sticks(r rune) bool { return invisible(r) || unicode.Is(unicode.M, r) }

// nests tells whether a character opens something that lasts until another closes it, 1, or closes it, -1.
func nests(r rune) int {
	switch {
	case r == 0x202C || r == 0x2069 || unicode.Is(unicode.Pe, r):
		return -1
	case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2068 || unicode.Is(unicode.Ps, r):
		return 1
	}
	return 0
}

// parts tells whether no rule for lines (UAX #14), directions (UAX #9) or scripts looks across the place before a character: between words of
// one direction, and between two ideographs.
func (p *paragraph) parts(i int) bool {
	before, r := p.runes[i-1], p.runes[i]
	if before != ' ' || i < 2 {
		return isIdeograph(before) && isIdeograph(r)
	}
	word := p.runes[i-2]
	return isWord(word) && isWord(r) && turns(word) == turns(r)
}

func isIdeograph(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF }

func isWord(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r) }
