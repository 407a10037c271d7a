package text

// Column is a text in lines of one width. The lines of a long text are not kept but made anew when they are shown, since they take a hundred times
// its size. It is not safe for concurrent use, nor are several columns of one setter.
type Column struct {
	text  *Text
	width float64
	count int
	lines []Line // where they are kept
	held  int    // bytes of the text, until the lines that are kept were shown
	next  *breaker
	at    int // the line that next gives
}

// mostHeld is how many bytes of texts wait to be shown as lines, all of a document together.
const mostHeld = 128 << 10

// Column breaks the text into lines that are at most so wide, in points. What cannot be broken and is wider is cut anywhere.
func (t *Text) Column(width float64) *Column {
	c := &Column{text: t, width: width}
	if s := t.setter; !t.isLong() && s.held+t.size <= mostHeld {
		s.held, c.held = s.held+t.size, t.size
		c.lines = t.Lines(width)
		c.count = len(c.lines)
		return c
	}
	b := &t.setter.breaker
	for b.begin(t, width); b.next() != nil; {
		c.count++
	}
	c.text = &Text{setter: t.setter, spans: t.spans, size: t.size}
	return c
}

// Len is how many lines there are.
func (c *Column) Len() int { return c.count }

// Show gives the lines of a range one after the other; each is valid until the next. It is quick where ranges follow each other. Where there is no
// time left (Until) some are missing.
func (c *Column) Show(from, to int, show func(*Line)) {
	if len(c.lines) > 0 {
		c.showKept(from, to, show)
		return
	}
	if c.next == nil || c.at > from {
		c.next, c.at = &breaker{}, 0
		c.next.begin(c.text, c.width)
	}
	for ; c.at < to; c.at++ {
		line := c.next.next()
		if line == nil {
			break
		}
		if c.at >= from {
			show(line)
		}
	}
	if c.at >= c.count {
		c.next = nil
	}
}

func (c *Column) showKept(from, to int, show func(*Line)) {
	for i := from; i < to; i++ {
		show(&c.lines[i])
	}
	if to == c.count {
		c.text.setter.held -= c.held
		c.held = 0
	}
}
