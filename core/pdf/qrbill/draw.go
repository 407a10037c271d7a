package qrbill

import (
	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// mm is a millimetre in points. All places are in millimetres from the upper left corner of the slip (style guide, chapters 2 to 4).
const mm = 72 / 25.4

// The size of a slip: as wide as A4, the receipt at its left side.
const (
	Width        = 210 * mm
	Height       = 105 * mm
	receiptWidth = 62.0
)

// The margin, and what stands where.
const (
	margin     = 5.0
	titleLine  = 7.0 // height of a title
	codeLeft   = receiptWidth + margin
	codeTop    = 17.0
	codeSize   = 46.0
	crossSize  = 7.0
	amountTop  = 68.0
	infoLeft   = 118.0
	infoWidth  = 87.0
	otherTop   = 90.0
	cornerSide = 3.0  // length of a corner mark
	cornerWide = 0.75 // its width in points
)

// Height is how high the slip is, in points.
func (b *Bill) Height() float64 { return Height }

// Width is how wide the slip is, in points.
func (b *Bill) Width() float64 { return Width }

// family is one of the typefaces that the style guide allows.
const family = "Liberation Sans"

// pen draws on a page, at places in millimetres from the corner of the slip.
type pen struct {
	doc    *pdf.Document
	page   *pdf.Page
	parent *pdf.Element
	top    float64 // of the slip, in points
}

// Draw draws the slip with its upper edge at a place in points; what it says is in elements below the parent.
func (b *Bill) Draw(doc *pdf.Document, page *pdf.Page, parent *pdf.Element, top float64) {
	p := &pen{doc, page, parent, top}
	p.edges(b.words.detach)
	b.receipt(p)
	b.payment(p)
}

// edges draws the lines along which the slip is cut, and says so above.
func (p *pen) edges(hint string) {
	p.page.Artifact(false, func() {
		p.line(0, 0, 210, 0, 0.5)
		p.line(receiptWidth, 0, receiptWidth, 105, 0.5)
	})
	style := text.Style{Family: family, Size: 6}
	line := p.doc.Text.Set(text.Span{Text: hint, Style: style}).Lines(Width)[0]
	p.page.In(p.parent.New(pdf.RoleParagraph), func() { p.page.Line(&line, (Width-line.Width)/2, p.top-3, 0) })
}

// receipt draws the receipt.
func (b *Bill) receipt(p *pen) {
	const width = receiptWidth - 2*margin
	p.write(margin, margin, width, 11, true, b.words.receipt)
	items := []item{{heading: b.words.account, lines: append([]string{b.account}, b.creditor...)}}
	if b.reference != "" {
		items = append(items, item{heading: b.words.reference, lines: []string{b.reference}})
	}
	p.column(margin, margin+titleLine, width, 56, append(items, b.payer(52, 20)), sizes{{6, 8, 9}, {6, 7, 8}, {5, 6, 7}, {5, 5, 6}})
	b.money(p, margin, amountTop, 6, 8, 9, 22, 30, 10)
	p.right(margin, 82, width, 6, b.words.acceptance)
}

// payment draws the payment part.
func (b *Bill) payment(p *pen) {
	p.write(codeLeft, margin, 51, 11, true, b.words.part)
	b.swissCode(p)
	b.money(p, codeLeft, amountTop, 8, 10, 13, 20, 40, 15)
	items := []item{{heading: b.words.account, lines: append([]string{b.account}, b.creditor...)}}
	if b.reference != "" {
		items = append(items, item{heading: b.words.reference, lines: []string{b.reference}})
	}
	if len(b.information) > 0 {
		items = append(items, item{heading: b.words.information, lines: b.information})
	}
	p.column(infoLeft, margin, infoWidth, 85, append(items, b.payer(65, 25)), sizes{{8, 10, 11}, {7, 9, 10}, {6, 8, 9}, {6, 7, 8}, {6, 6, 7}})
	y := otherTop
	for _, scheme := range b.schemes {
		y += p.write(codeLeft, y, 138, 7, false, scheme)
	}
}

// payer is the debtor, or a field of a size in which people write one.
func (b *Bill) payer(width, height float64) item {
	if len(b.debtor) == 0 {
		return item{heading: b.words.payableByBlank, width: width, height: height}
	}
	return item{heading: b.words.payableBy, lines: b.debtor}
}

// money draws currency and amount, side by side with a distance; without an amount, a field of a size in which people write one.
func (b *Bill) money(p *pen, x, y, heading, size, lead, distance, width, height float64) {
	p.labelled(x, y, distance, heading, size, lead, b.words.currency, b.currency)
	if b.amount != "" {
		p.labelled(x+distance, y, 40, heading, size, lead, b.words.amount, b.amount)
		return
	}
	left := x + distance - 8
	if height > 10 {
		left = x + 11
	}
	p.write(x+distance, y, 40, heading, true, b.words.amount)
	below := y + heading*1.2/mm + 1
	if height == 10 { // of the receipt stands beside its heading
		below = y
		left = x + 52 - width
		below += 3.5
	}
	p.corners(left, below, width, height)
}

func (p *pen) labelled(x, y, width, heading, size, lead float64, label, value string) {
	p.write(x, y, width, heading, true, label)
	p.writeAt(p.parent.New(pdf.RoleParagraph), x, y+lead/mm, width, size, lead, false, value)
}

// swissCode draws the code with the Swiss cross in its middle.
func (b *Bill) swissCode(p *pen) {
	e := p.parent.New(pdf.RoleFigure)
	e.Alt = b.words.code
	x, y := codeLeft*mm, p.top+codeTop*mm
	e.Box = [4]float64{x, p.page.Height - y - codeSize*mm, x + codeSize*mm, p.page.Height - y}
	p.page.In(e, func() {
		p.page.Rectangles(b.code.Rectangles(x, y, codeSize*mm), pdf.Color{})
		middle := codeSize/2 - crossSize/2
		square := func(inset, width, height float64, c pdf.Color) {
			p.page.Rectangle(x+(middle+inset)*mm+(crossSize-2*inset-width)/2*mm, y+(middle+inset)*mm+(crossSize-2*inset-height)/2*mm, width*mm, height*mm, c)
		}
		white := pdf.Color{255, 255, 255}
		square(0, crossSize, crossSize, white)
		square(0.5, crossSize-1, crossSize-1, pdf.Color{})
		square(0, crossSize/6, crossSize*5/9, white)
		square(0, crossSize*5/9, crossSize/6, white)
	})
}

// corners draws the marks of a field that people write in.
func (p *pen) corners(x, y, width, height float64) {
	p.page.Artifact(false, func() {
		for _, c := range [][2]float64{{x, 1}, {x + width, -1}} {
			for _, r := range [][2]float64{{y, 1}, {y + height, -1}} {
				p.line(c[0], r[0], c[0]+c[1]*cornerSide, r[0], cornerWide)
				p.line(c[0], r[0], c[0], r[0]+r[1]*cornerSide, cornerWide)
			}
		}
	})
}

// line draws a line that is level or upright; its width is in points.
func (p *pen) line(x1, y1, x2, y2, wide float64) {
	x, y := min(x1, x2)*mm, p.top+min(y1, y2)*mm
	w, h := max(x1, x2)*mm-x, p.top+max(y1, y2)*mm-y
	p.page.Rectangle(x-wide/2, y-wide/2, w+wide, h+wide, pdf.Color{})
}
