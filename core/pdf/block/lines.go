package block

import (
	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// lines is a paragraph.
type lines struct {
	element *pdf.Element
	column  *text.Column // nil where there is no text
	from    int          // of its lines
	to      int
	width   float64
	align   string
	line    float64 // the height of one line
	base    float64 // of its baseline below its top
	heading bool
}

func isHeading(b box) bool {
	if i, ok := b.(indented); ok {
		b = i.box
	}
	l, ok := b.(*lines)
	return ok && l.heading
}

func (l *lines) count() int      { return l.to - l.from }
func (l *lines) height() float64 { return float64(l.count()) * l.line }

// part gives the first n lines, and the rest.
func (l *lines) part(n int) (head, rest *lines) {
	first, second := *l, *l
	first.to, second.from = l.from+n, l.from+n
	return &first, &second
}

// fewest is how many lines of a paragraph stand together at least at the end of a page and at the top of the next.
const fewest = 2

func (l *lines) split(height float64, force bool) (box, box) {
	n := int((height + slack) / l.line)
	if n >= l.count() {
		return l, nil
	}
	if rest := l.count() - n; rest < fewest {
		n = l.count() - fewest
	}
	if n < fewest || l.heading {
		n = 0
	}
	if n <= 0 {
		if !force {
			return nil, l
		}
		n = max(1, int((height+slack)/l.line))
	}
	head, rest := l.part(n)
	return head, rest
}

func (l *lines) draw(c *canvas, x, y float64) {
	c.in(l.element, func() {
		l.column.Show(l.from, l.to, func(line *text.Line) {
			at, widen := place(line, l.align, l.width)
			c.Line(line, x+at, y+l.base, widen)
			y += l.line
		})
	})
}

// place is where a line begins, and what each of its spaces is widened by.
func place(line *text.Line, align string, width float64) (at, widen float64) {
	free := width - line.Width
	if align == "" && line.RTL || align == "justify" && line.RTL && line.Last {
		align = "right"
	}
	switch {
	case align == "right":
		return free, 0
	case align == "center":
		return free / 2, 0
	case align == "justify" && !line.Last && line.Spaces > 0:
		return 0, free / float64(line.Spaces)
	}
	return 0, 0
}
