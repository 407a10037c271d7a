package block

import (
	"math"
	"slices"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// layouter lays out blocks with their data.
type layouter struct {
	scope
	doc         *pdf.Document
	base        style
	images      *images
	codes       codes
	words       Words
	tallest     float64 // what a page has room for
	depth       int     // of the last heading
	plain       bool    // in a header or footer
	fetchErrors []*FetchError
}

// blocks lays out a list of blocks one below the other.
func (l *layouter) blocks(list []block, width float64, parent *pdf.Element) *stack {
	s := &stack{}
	for _, b := range list {
		if b.shows == nil || !l.holds(b.when) || l.ctx.Err() != nil {
			continue
		}
		if shown := b.shows.layOut(l, width, parent); shown != nil {
			s.boxes = flatten(s.boxes, shown)
		}
	}
	return s
}

// flatten appends the boxes of a stack one by one, so that spaces among them are known at the top of pages.
func flatten(boxes []box, b box) []box {
	if s, ok := b.(*stack); ok {
		return append(boxes, s.boxes...)
	}
	return append(boxes, b)
}

// font gives the look of text in a style.
func (s style) typeface() text.Style {
	t := text.Style{Family: s.font, Size: s.size}
	if s.bold != nil {
		t.Bold = *s.bold
	}
	if s.italic != nil {
		t.Italic = *s.italic
	}
	if s.color != nil {
		t.Color = *s.color
	}
	return t
}

// lead is how high a line of a style is, in units of its size, where it says nothing else.
const lead = 1.25

// paragraph lays out text of one style.
func (l *layouter) paragraph(e *pdf.Element, s style, width float64, spans ...text.Span) *lines {
	if l.shown > maxShown {
		spans = nil // the document is refused already
	}
	set := l.doc.Text.Set(spans...)
	return l.lines(e, s, width, set)
}

func (l *layouter) lines(e *pdf.Element, s style, width float64, set *text.Text) *lines {
	ascent, descent := l.doc.Text.Metrics(s.typeface())
	high := s.size * lead
	if s.lineHeight > 0 {
		high = s.size * s.lineHeight
	}
	column := set.Column(width)
	return &lines{element: e, column: column, to: column.Len(), width: width, align: s.alignment, line: high, base: (high-ascent-descent)/2 + ascent,
		heading: s.role == pdf.RoleHeading1 || s.role == pdf.RoleHeading2 || s.role == pdf.RoleHeading3}
}

// within puts the margin of a style around a box that was laid out for the width that it leaves.
func within(m edges, b box) box {
	if b == nil {
		return nil
	}
	if m.left != 0 {
		b = indented{b, m.left}
	}
	s := &stack{}
	if m.top != 0 {
		s.boxes = append(s.boxes, space(m.top))
	}
	s.boxes = append(s.boxes, b)
	if m.bottom != 0 {
		s.boxes = append(s.boxes, space(m.bottom))
	}
	return s
}

// inner is the width between the sides of a margin, at least a point.
func (m edges) inner(width float64) float64 { return max(1, width-m.left-m.right) }

func (s style) edges() edges {
	if s.margin == nil {
		return edges{}
	}
	return *s.margin
}

// widths shares out a width among columns: points and percentages as they are, auto by content, the rest in equal shares. Where it is
// not enough, the widest of these are made narrower, and then all in the same measure.
func widths(columns []width, whole, gap float64, auto func(i int) float64) []float64 {
	out := make([]float64, len(columns))
	whole -= gap * float64(max(len(columns)-1, 0))
	fixed, shares, wanted := 0.0, 0.0, 0.0
	for i, c := range columns {
		switch c.kind {
		case 'p':
			out[i] = c.value
			fixed += out[i]
		case '%':
			out[i] = whole * c.value / 100
			fixed += out[i]
		case 'a':
			out[i] = min(auto(i), whole)
			wanted += out[i]
		default:
			shares += c.value
		}
	}
	least := whole / float64(2*len(columns)) // what a share gets at least
	left := whole - fixed - wanted
	if left < least*shares {
		squeeze(columns, out, whole, max(whole-fixed, least*shares))
	} else if shares > 0 {
		for i, c := range columns {
			if c.kind == '*' {
				out[i] = left * c.value / shares
			}
		}
	}
	if used := sum(out); used > whole+slack {
		for i := range out {
			out[i] *= whole / used
		}
	}
	return out
}

// squeeze divides room among columns that want more: those with a share, which want all of it, and those as wide as what is in them. Who wants little keeps
// it, and the others get the same each, so that one very wide text does not squeeze all others to nothing.
func squeeze(columns []width, out []float64, whole, room float64) {
	var wanted []float64
	for i, c := range columns {
		if c.kind == '*' {
			out[i] = whole
		}
		if c.kind == '*' || c.kind == 'a' {
			wanted = append(wanted, out[i])
		}
	}
	slices.Sort(wanted)
	most := math.Inf(1)
	for i, w := range wanted {
		even := room / float64(len(wanted)-i)
		if w > even {
			most = even
			break
		}
		room -= w
	}
	for i, c := range columns {
		if c.kind == '*' || c.kind == 'a' {
			out[i] = min(out[i], most)
		}
	}
}

func sum(widths []float64) (all float64) {
	for _, w := range widths {
		all += w
	}
	return all
}
