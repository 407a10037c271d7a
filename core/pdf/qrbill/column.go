package qrbill

import (
	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// item is a heading with lines of text, or with a field of a size in millimetres.
type item struct {
	heading       string
	lines         []string
	width, height float64
}

// sizes are those of heading, text and line in points; smaller ones are taken where the first have no room.
type sizes [][3]float64

// column writes items one below the other, in the largest sizes that have room. Between them is the room of a line.
func (p *pen) column(x, y, width, height float64, items []item, of sizes) {
	for i, size := range of {
		if i == len(of)-1 || p.columnHeight(width, items, size) <= height {
			p.columnIn(x, y, width, items, size)
			return
		}
	}
}

// columnHeight is how high items are, in millimetres.
func (p *pen) columnHeight(width float64, items []item, size [3]float64) float64 {
	high := 0.0
	for i, it := range items {
		if i > 0 {
			high += size[2] / mm
		}
		high += size[2] / mm
		for _, line := range it.lines {
			high += float64(len(p.set(line, width, size[1], false))) * size[2] / mm
		}
		high += it.height
	}
	return high
}

func (p *pen) columnIn(x, y, width float64, items []item, size [3]float64) {
	for i, it := range items {
		if i > 0 {
			y += size[2] / mm
		}
		p.writeAt(p.parent.New(pdf.RoleParagraph), x, y, width, size[0], size[2], true, it.heading)
		y += size[2] / mm
		if it.height > 0 {
			p.corners(x, y+0.8, it.width, it.height)
			y += it.height + 0.8
			continue
		}
		e := p.parent.New(pdf.RoleParagraph)
		for _, line := range it.lines {
			y += p.writeAt(e, x, y, width, size[1], size[2], false, line)
		}
	}
}

// set breaks a text into lines for a width in millimetres.
func (p *pen) set(value string, width, size float64, bold bool) []text.Line {
	return p.doc.Text.Set(text.Span{Text: value, Style: text.Style{Family: family, Size: size, Bold: bold}}).Lines(width * mm)
}

// write writes a text as a paragraph of its own, and gives how high it is, in millimetres.
func (p *pen) write(x, y, width, size float64, bold bool, value string) float64 {
	return p.writeAt(p.parent.New(pdf.RoleParagraph), x, y, width, size, size*1.15, bold, value)
}

// writeAt writes a text within an element; lead is the height of its lines in points.
func (p *pen) writeAt(e *pdf.Element, x, y, width, size, lead float64, bold bool, value string) float64 {
	lines := p.set(value, width, size, bold)
	ascent, _ := p.doc.Text.Metrics(text.Style{Family: family, Size: size, Bold: bold})
	p.page.In(e, func() {
		for i := range lines {
			p.page.Line(&lines[i], x*mm, p.top+y*mm+ascent+float64(i)*lead, 0)
		}
	})
	return float64(len(lines)) * lead / mm
}

// right writes a heading that ends at the right side.
func (p *pen) right(x, y, width, size float64, value string) {
	lines := p.set(value, width, size, true)
	p.writeAt(p.parent.New(pdf.RoleParagraph), x+width-lines[0].Width/mm, y, width, size, size*1.15, true, value)
}
