package block

import (
	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/qrcode"
)

// qrBlock is the block qrcode.
type qrBlock struct {
	content    content
	size       float64
	alignment  string
	foreground pdf.Color
	background *pdf.Color
	level      string
	alt        content
	margin     edges
}

func (p *parser) qrCode(o *object) shower {
	b := &qrBlock{content: p.content(o.at("content"), o.wantText("content")), size: o.number("size", 85, 20, 1000)}
	b.alignment = o.choice("alignment", "left", "center", "right")
	if c := o.color("foreground"); c != nil {
		b.foreground = *c
	}
	b.background = o.color("background")
	b.level = o.choice("eccLevel", "M", "L", "Q", "H")
	b.alt, b.margin = p.content(o.at("alt"), o.text("alt")), o.margin("margin", edges{}, -mostMargin)
	return b
}

func (b *qrBlock) layOut(l *layouter, width float64, parent *pdf.Element) box {
	f := l.fill(b.content, format{places: -1})
	l.require(b.content, f)
	if f.text == "" {
		return nil
	}
	code, err := l.codes.of(f.text, b.level)
	if err != nil {
		l.faults.fault(b.content.path, "has %d bytes, which is more than a QR code of this eccLevel holds", len(f.text))
		return nil
	}
	e := parent.New(pdf.RoleFigure)
	if e.Alt = l.fill(b.alt, format{places: -1}).text; e.Alt == "" {
		e.Alt = l.words.Code
	}
	inner := b.margin.inner(width)
	size := min(b.size, inner, l.tallest)
	return within(b.margin, figure(e, inner, b.alignment, size, size, func(c *canvas, x, y float64) { b.show(c, code, x, y, size) }))
}

// codes are the symbols of one document, since headers and footers are laid out anew for each page and most have the same on all.
type codes map[codeOf]*qrcode.Code

type codeOf struct{ text, level string }

// maxCodes is how many symbols are remembered, with 31 KB each at most. The first are kept: those of headers and footers, which are measured
// before the body is laid out.
const maxCodes = 500

// of gives the symbol of a text. The error is qrcode.ErrTooLong.
func (c codes) of(text, level string) (*qrcode.Code, error) {
	key := codeOf{text, level}
	if known := c[key]; known != nil {
		return known, nil
	}
	code, err := qrcode.Encode(text, level)
	if err == nil && len(c) < maxCodes {
		c[key] = code
	}
	return code, err
}

// show draws the modules.
func (b *qrBlock) show(c *canvas, code *qrcode.Code, x, y, size float64) {
	if b.background != nil {
		c.Rectangle(x, y, size, size, *b.background)
	}
	c.Rectangles(code.Rectangles(x, y, size), b.foreground)
}
