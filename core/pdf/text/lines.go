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

// tolerance is what a line may be too wide, in points, for sums of the same widths in another order.
const tolerance = 0.001

// Lines breaks the text into lines that are at most so wide, in points. What cannot be broken and is wider is cut anywhere.
func (t *Text) Lines(width float64) (list []Line) {
	b := &t.setter.breaker
	b.begin(t, width)
	for line := b.next(); line != nil; line = b.next() {
		list = append(list, *line)
	}
	return list
}

// breaker makes lines of pieces one after the other.
type breaker struct {
	pieces   flow
	width    float64
	lines    []Line // that are ready
	given    int    // of these
	over     bool
	line     []Piece
	used     float64
	unbroken []Piece // what must not be torn apart, as far as it came
	whole    float64 // its width without the spaces at its end
	hanging  float64 // of those
	torn     bool    // it is wider than a line, and its pieces are on lines already
	joins    bool    // the next piece is the rest of the word on the line
}

// begin begins a text. Memory is used again.
func (b *breaker) begin(t *Text, width float64) {
	*b = breaker{pieces: t.flow(), width: width + tolerance, lines: b.lines[:0], line: b.line[:0], unbroken: b.unbroken[:0]}
}

// next gives the next line, nil behind the last. It stays as it is until the next one is asked for.
func (b *breaker) next() *Line {
	for b.given == len(b.lines) {
		if b.over {
			return nil
		}
		b.lines, b.given = b.lines[:0], 0
		if p := b.pieces.next(); p != nil {
			b.take(p)
		} else {
			b.finish()
		}
	}
	b.given++
	return &b.lines[b.given-1]
}

// finish ends the last line.
func (b *breaker) finish() {
	b.over = true
	b.place()
	if len(b.line) > 0 {
		b.end(true)
		b.lines[len(b.lines)-1].Tail = nil
	}
}

func (b *breaker) take(p *Piece) {
	if b.torn {
		b.tear(p)
	} else {
		b.gather(p)
	}
	if p.ends != goesOn {
		b.place()
	}
	if p.ends == mustBreak {
		b.end(true)
	}
}

// gather keeps a piece until that comes behind which a line may be broken, or it is known that a line has no room for them.
func (b *breaker) gather(p *Piece) {
	b.unbroken = append(b.unbroken, *p)
	if p.Space {
		b.hanging += p.Width()
	} else {
		b.whole, b.hanging = b.whole+b.hanging+p.Width(), 0
	}
	if b.whole <= b.width {
		return
	}
	b.torn = true
	b.room(b.whole)
	for i := range b.unbroken {
		b.tear(&b.unbroken[i])
	}
	b.unbroken = b.unbroken[:0]
}

// place puts on the line what must not be torn apart, or on the next.
func (b *breaker) place() {
	if !b.torn {
		b.room(b.whole)
		for i := range b.unbroken {
			b.add(b.unbroken[i])
		}
	}
	b.unbroken, b.whole, b.hanging, b.torn, b.joins = b.unbroken[:0], 0, 0, false, false
}

// room begins another line where this one has no room for so much.
func (b *breaker) room(width float64) {
	if b.used > 0 && b.used+width > b.width {
		b.end(false)
	}
}

// tear puts a piece on the line that is a part of what is wider than one.
func (b *breaker) tear(p *Piece) {
	if p.Space || b.used+p.Width() <= b.width {
		b.add(*p)
	} else {
		b.chop(*p)
	}
	b.joins = p.torn
}

// chop puts a piece that is wider than a line on as many as it takes.
func (b *breaker) chop(p Piece) {
	free := b.width - b.used
	if !b.joins || p.Actual || p.first()*p.Style.Size > free {
		b.room(b.width)
		free = b.width - b.used
	}
	for i, part := range p.chop(free/p.Style.Size, b.width/p.Style.Size) {
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
