package block

import "github.com/einvoiced/einvoiced/core/pdf"

// A box is something that was laid out for a width and can be drawn. Lengths are in points.
type box interface {
	// height is how high the box is. It is asked of boxes that fit on a page.
	height() float64
	// split gives what fits into a height, and the rest. head is nil where nothing fits, rest where all does. With force, the head has
	// something in it whatever the height, since there is no emptier page. What is in a head is gone from the box, which is not used again;
	// a box that gives no head stays as it is.
	split(height float64, force bool) (head, rest box)
	draw(c *canvas, x, y float64)
}

// canvas is the page that boxes are drawn on.
type canvas struct {
	*pdf.Page
	artifact bool // what is drawn is no content, as it was on a page before
}

// in draws content of an element, or nothing but its looks.
func (c *canvas) in(e *pdf.Element, draw func()) {
	if c.artifact {
		draw()
		return
	}
	c.In(e, draw)
}

// decorate draws what is no content.
func (c *canvas) decorate(draw func()) {
	if c.artifact {
		draw()
		return
	}
	c.Artifact(false, draw)
}

// slack is by how much more than its place a box may be, for sums of the same lengths in another order.
const slack = 0.01

// stack is boxes one below the other.
type stack struct{ boxes []box }

func (s *stack) height() (sum float64) {
	for _, b := range s.boxes {
		sum += b.height()
	}
	return sum
}

func (s *stack) draw(c *canvas, x, y float64) {
	for _, b := range s.boxes {
		b.draw(c, x, y)
		y += b.height()
	}
}

func (s *stack) split(height float64, force bool) (box, box) {
	head := &stack{}
	for i, b := range s.boxes {
		first, rest := b.split(height, force && len(head.boxes) == 0)
		if first != nil {
			head.boxes = append(head.boxes, first)
			height -= first.height()
		}
		if first != nil && rest == nil {
			continue
		}
		tail := append([]box{}, s.boxes[i:]...)
		if rest != nil {
			tail[0] = rest
		}
		head, tail = keep(head, tail, first == nil)
		for len(tail) > 0 && isSpace(tail[0]) {
			tail = tail[1:]
		}
		return head.orNothing(), (&stack{tail}).orNothing()
	}
	return head, nil
}

// keep moves headings from the end of a page to the one on which that begins what they are of.
func keep(head *stack, tail []box, whole bool) (*stack, []box) {
	n := len(head.boxes)
	for whole && n > 1 && (isHeading(head.boxes[n-1]) || isSpace(head.boxes[n-1])) {
		n--
	}
	if n < len(head.boxes) && isHeading(head.boxes[n]) {
		tail = append(append([]box{}, head.boxes[n:]...), tail...)
		head.boxes = head.boxes[:n]
	}
	return head, tail
}

func (s *stack) orNothing() box {
	if len(s.boxes) == 0 {
		return nil
	}
	return s
}

// space is empty room. At the top of a page after the first there is none.
type space float64

func (s space) height() float64                { return float64(s) }
func (s space) draw(*canvas, float64, float64) {}
func (s space) split(height float64, force bool) (box, box) {
	if float64(s) > height+slack && !force {
		return nil, s
	}
	return space(min(float64(s), height)), nil
}

func isSpace(b box) bool {
	_, ok := b.(space)
	return ok
}

// indented is a box with room at its left side. Room above and below is made by spaces.
type indented struct {
	box
	left float64
}

func (i indented) draw(c *canvas, x, y float64) { i.box.draw(c, x+i.left, y) }
func (i indented) split(height float64, force bool) (box, box) {
	head, rest := i.box.split(height, force)
	if head != nil {
		head = indented{head, i.left}
	}
	if rest != nil {
		rest = indented{rest, i.left}
	}
	return head, rest
}

// whole is a box that is never torn apart where it fits on a page.
type whole struct{ box }

func (w whole) split(height float64, force bool) (box, box) {
	if force {
		return w.box.split(height, true)
	}
	if head, rest := w.box.split(height, false); rest == nil {
		return head, nil
	}
	return nil, w
}

// beside is boxes side by side, each at its left edge.
type beside struct {
	boxes []box // nil where nothing is left
	at    []float64
}

func (b *beside) height() (most float64) {
	for _, part := range b.boxes {
		if part != nil {
			most = max(most, part.height())
		}
	}
	return most
}

func (b *beside) draw(c *canvas, x, y float64) {
	for i, part := range b.boxes {
		if part != nil {
			part.draw(c, x+b.at[i], y)
		}
	}
}

// together is how high columns are at most that stay on one page where they fit on one.
const together = 220

// short gives the height of a box that is no table, up to a limit.
func short(b box, most float64) (high float64, ok bool) {
	switch b := b.(type) {
	case nil:
		return 0, true
	case *lines, drawn, space, pairRow:
		high = b.height()
	case indented:
		return short(b.box, most)
	case *stack:
		for _, part := range b.boxes {
			more, ok := short(part, most-high)
			if !ok {
				return 0, false
			}
			high += more
		}
	case *beside:
		for _, part := range b.boxes {
			one, ok := short(part, most)
			if !ok {
				return 0, false
			}
			high = max(high, one)
		}
	default:
		return 0, false
	}
	return high, high <= most
}

func (b *beside) split(height float64, force bool) (box, box) {
	if high, ok := short(b, together); ok && high > height+slack && !force {
		return nil, b
	}
	head, rest := &beside{at: b.at}, &beside{at: b.at}
	some, more := false, false
	for _, part := range b.boxes {
		var first, second box
		if part != nil {
			first, second = part.split(height, force)
			some, more = some || first != nil, more || second != nil
		}
		head.boxes, rest.boxes = append(head.boxes, first), append(rest.boxes, second)
	}
	switch {
	case !more:
		return head, nil
	case !some:
		return nil, b
	}
	return head, rest
}

// drawn is a box that draws itself and cannot be split.
type drawn struct {
	high float64
	show func(c *canvas, x, y float64)
}

func (d drawn) height() float64              { return d.high }
func (d drawn) draw(c *canvas, x, y float64) { d.show(c, x, y) }
func (d drawn) split(height float64, force bool) (box, box) {
	if d.high > height+slack && !force {
		return nil, d
	}
	return d, nil
}
