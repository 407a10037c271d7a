package text

import "slices"

// Line is one line: its pieces from left to right.
type Line struct {
	Pieces []Piece
	Width  float64 // in points
	Spaces int     // how many pieces are spaces, which justification widens
	Last   bool    // of a paragraph
	RTL    bool
	Tail   *Piece // the space at the end of a line that another follows: it is written, so that words stay apart, but has no place
}

// Width is how wide the text is when it is broken only where it must be, and the widest of what cannot be broken, in points.
func (t *Text) Width() (natural, least float64) {
	line, word := 0.0, 0.0
	for i := range t.pieces {
		p := &t.pieces[i]
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

// tolerance is what a line may be too wide, in points, for sums of the same widths in another order.
const tolerance = 0.001

// Lines breaks the text into lines that are at most so wide, in points. What cannot be broken and is wider is cut anywhere.
func (t *Text) Lines(width float64) []Line {
	b := breaker{width: width + tolerance}
	for from := 0; from < len(t.pieces); {
		to := from
		for to < len(t.pieces)-1 && t.pieces[to].ends == goesOn {
			to++
		}
		b.place(t.pieces[from : to+1])
		if t.pieces[to].ends == mustBreak {
			b.end(true)
		}
		from = to + 1
	}
	if len(b.line) > 0 {
		b.end(true)
	}
	if n := len(b.lines); n > 0 {
		b.lines[n-1].Tail = nil
	}
	return b.lines
}

type breaker struct {
	width float64
	lines []Line
	line  []Piece
	used  float64
}

// place puts pieces on the line that must not be torn apart, or on the next.
func (b *breaker) place(pieces []Piece) {
	whole, hanging := 0.0, 0.0
	for i := range pieces {
		if pieces[i].Space {
			hanging += pieces[i].Width()
		} else {
			whole, hanging = whole+hanging+pieces[i].Width(), 0
		}
	}
	if b.used > 0 && b.used+whole > b.width {
		b.end(false)
	}
	for _, p := range pieces {
		if p.Space || whole <= b.width || b.used+p.Width() <= b.width {
			b.add(p)
			continue
		}
		if b.used > 0 {
			b.end(false)
		}
		b.chop(p)
	}
}

// chop puts a piece that is wider than a line on as many as it takes.
func (b *breaker) chop(p Piece) {
	for i, part := range p.chop(b.width / p.Style.Size) {
		if i > 0 {
			b.end(false)
		}
		p.Shaped = part
		b.add(p)
	}
}

func (b *breaker) add(p Piece) {
	b.line = append(b.line, p)
	b.used += p.Width()
}

// end finishes the line: without spaces at its end, and in the order of drawing.
func (b *breaker) end(last bool) {
	pieces := b.line
	for len(pieces) > 1 && pieces[len(pieces)-1].Space {
		pieces = pieces[:len(pieces)-1]
	}
	line := Line{Pieces: slices.Clone(pieces), Last: last}
	if len(pieces) < len(b.line) {
		tail := b.line[len(pieces)]
		line.Tail = &tail
	}
	for i := range pieces {
		line.Width += pieces[i].Width()
		if pieces[i].Space {
			line.Spaces++
		}
	}
	if len(pieces) > 0 {
		line.RTL = pieces[0].base == 1
	}
	reorder(line.Pieces)
	b.lines, b.line, b.used = append(b.lines, line), b.line[:0], 0
}

// reorder brings pieces from the order of reading into that of drawing (UAX #9, L2).
func reorder(pieces []Piece) {
	highest, lowest := uint8(0), uint8(255)
	for i := range pieces {
		highest = max(highest, pieces[i].level)
		if pieces[i].level&1 == 1 {
			lowest = min(lowest, pieces[i].level)
		}
	}
	for level := highest; level >= lowest && level > 0; level-- {
		for from := 0; from < len(pieces); from++ {
			to := from
			for to < len(pieces) && pieces[to].level >= level {
				to++
			}
			if to > from {
				slices.Reverse(pieces[from:to])
				from = to
			}
		}
	}
}
