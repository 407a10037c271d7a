package pdf

import (
	"bytes"
	"fmt"

	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// Page is one page. Lengths are in points; y is measured from the top edge down, as people do.
type Page struct {
	Width, Height float64
	doc           *Document
	self          ref
	content       bytes.Buffer
	parts         []ref // streams of content that are finished
	marks         []*Element
	images        []*Image
	shades        []float64 // opacities in use
	color         text.Color
	colored       bool
}

// Color has red, green and blue of sRGB.
type Color = text.Color

// In draws within an element of the structure: what draw draws is its content.
func (p *Page) In(e *Element, draw func()) {
	mark := len(p.marks)
	p.marks = append(p.marks, e)
	e.kids = append(e.kids, kid{page: p, mark: mark})
	fmt.Fprintf(&p.content, "/%s<</MCID %d>>BDC\n", e.Role, mark)
	draw()
	p.content.WriteString("EMC\n")
}

// Artifact draws what is no content: lines, backgrounds, what is repeated on each page (§14.8.2.2).
func (p *Page) Artifact(pagination bool, draw func()) {
	if pagination {
		p.content.WriteString("/Artifact<</Type/Pagination>>BDC\n")
	} else {
		p.content.WriteString("/Artifact BMC\n")
	}
	draw()
	p.content.WriteString("EMC\n")
}

// op writes operands and an operator.
func (p *Page) op(operator string, operands ...float64) {
	var buf [128]byte
	out := buf[:0]
	for _, v := range operands {
		out = append(appendNumber(out, v), ' ')
	}
	p.content.Write(append(append(out, operator...), '\n'))
}

func (p *Page) fill(c Color) {
	if p.colored && p.color == c {
		return
	}
	p.color, p.colored = c, true
	p.op("rg", float64(c[0])/255, float64(c[1])/255, float64(c[2])/255)
}

// Rectangle fills a rectangle.
func (p *Page) Rectangle(x, y, width, height float64, c Color) {
	p.fill(c)
	p.op("re", x, p.Height-y-height, width, height)
	p.content.WriteString("f\n")
}

// Line draws a line of text whose baseline begins at x and y. widen is added to each space, in points.
func (p *Page) Line(line *text.Line, x, y, widen float64) {
	p.content.WriteString("BT\n")
	start := x
	open, face, size := false, (*embedded)(nil), 0.0
	end := func() {
		if open {
			p.content.WriteString("]TJ\n")
			open = false
		}
	}
	for i := range line.Pieces {
		piece := &line.Pieces[i]
		f := p.doc.font(piece.Face)
		if f != face || piece.Style.Size != size || piece.Embolden || piece.Style.Color != p.color || !p.colored {
			end()
			face, size = f, piece.Style.Size
			p.fill(piece.Style.Color)
			p.content.WriteString("/" + f.name + " ")
			p.op("Tf", size)
			p.op("Tm", 1, 0, 0, 1, x, p.Height-y)
		}
		word := f.word(piece.Shaped)
		if word == "" || piece.Actual || piece.Embolden {
			end()
			p.special(f, piece, x, y)
			face = nil
		} else {
			if !open {
				p.content.WriteByte('[')
				open = true
			}
			p.content.WriteString(word)
			if piece.Space && widen != 0 {
				p.content.Write(appendNumber(nil, -1000*widen/size))
			}
		}
		x += piece.Width()
		if piece.Space {
			x += widen
		}
	}
	end()
	if t := line.Tail; t != nil {
		if line.RTL {
			x = start - t.Width()
		}
		p.tail(t, x, y)
	}
	p.content.WriteString("ET\n")
}

// tail writes the space between a line and the next.
func (p *Page) tail(t *text.Piece, x, y float64) {
	f := p.doc.font(t.Face)
	fmt.Fprintf(&p.content, "/%s ", f.name)
	p.op("Tf", t.Style.Size)
	p.op("Tm", 1, 0, 0, 1, x, p.Height-y)
	fmt.Fprintf(&p.content, "[%s]TJ\n", f.word(t.Shaped))
}

// special shows a word whose glyphs are shifted, that has to be made bold, or whose text has to be told.
func (p *Page) special(f *embedded, piece *text.Piece, x, y float64) {
	if piece.Actual {
		p.content.WriteString("/Span<</ActualText" + textString(piece.Text) + ">>BDC\n")
	}
	if piece.Embolden {
		c := piece.Style.Color
		p.op("RG", float64(c[0])/255, float64(c[1])/255, float64(c[2])/255)
		p.op("w", piece.Style.Size*embolden)
		p.content.WriteString("2 Tr\n")
	}
	size := piece.Style.Size
	for i := range piece.Glyphs {
		g := &piece.Glyphs[i]
		p.op("Tm", 1, 0, 0, 1, x+g.X*size, p.Height-y+g.Y*size)
		p.content.Write(append(appendHex16([]byte{'<'}, f.code(g)), ">Tj\n"...))
		x += g.Advance * size
	}
	if piece.Embolden {
		p.content.WriteString("0 Tr\n")
	}
	if piece.Actual {
		p.content.WriteString("EMC\n")
	}
}

// embolden is the width of the stroke around glyphs of a face that has no bold, in units of the size.
const embolden = 0.025

// Image draws an image. What is drawn is scaled to the rectangle.
func (p *Page) Image(img *Image, x, y, width, height, opacity float64) {
	p.use(img)
	p.content.WriteString("q\n")
	if opacity < 1 {
		fmt.Fprintf(&p.content, "/G%d gs\n", p.shade(opacity))
	}
	p.op("cm", width, 0, 0, height, x, p.Height-y-height)
	fmt.Fprintf(&p.content, "/%s Do\nQ\n", img.name)
}

func (p *Page) use(img *Image) {
	for _, known := range p.images {
		if known == img {
			return
		}
	}
	p.images = append(p.images, img)
}

func (p *Page) shade(opacity float64) int {
	for i, known := range p.shades {
		if known == opacity {
			return i
		}
	}
	p.shades = append(p.shades, opacity)
	return len(p.shades) - 1
}

// Flush writes what was drawn so far to the file, so that memory does not hold it. More can be drawn afterwards.
func (p *Page) Flush() {
	if p.content.Len() == 0 {
		return
	}
	r := p.doc.w.reserve()
	p.doc.w.stream(r, "", p.content.Bytes())
	p.parts = append(p.parts, r)
	p.content = bytes.Buffer{}
	p.colored = false
}

// Rectangles fills many rectangles of one colour, each as x, y, width and height, without seams between them.
func (p *Page) Rectangles(list [][4]float64, c Color) {
	p.fill(c)
	for _, r := range list {
		p.op("re", r[0], p.Height-r[1]-r[3], r[2], r[3])
	}
	p.content.WriteString("f\n")
}

// Clip draws nothing outside of a rectangle until Unclip.
func (p *Page) Clip(x, y, width, height float64) {
	p.content.WriteString("q\n")
	p.op("re", x, p.Height-y-height, width, height)
	p.content.WriteString("W n\n")
}

// Unclip ends Clip.
func (p *Page) Unclip() { p.content.WriteString("Q\n") }
