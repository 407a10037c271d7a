package block

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// textBlock is the block text.
type textBlock struct {
	content content
	style   style
	hide    string
}

func (p *parser) text(o *object) shower {
	t := &textBlock{content: p.content(o.at("content"), o.wantText("content"))}
	t.style = o.look().over(o.style("style"))
	t.hide = o.choice("hideMode", "", "anyEmpty", "allEmpty")
	return t
}

func (t *textBlock) layOut(l *layouter, width float64, parent *pdf.Element) box {
	f := l.fill(t.content, format{places: -1})
	if t.hide == "anyEmpty" && f.empty > 0 || t.hide == "allEmpty" && f.values > 0 && f.empty == f.values {
		return nil
	}
	if t.hide == "" {
		l.require(t.content, f)
	}
	if f.text == "" {
		return nil
	}
	s := t.style.over(l.base)
	s.role = l.level(s.role)
	m := s.edges()
	return within(m, l.paragraph(parent.New(s.role), s, m.inner(width), text.Span{Text: f.text, Style: s.typeface()}))
}

// headings from the highest.
var headings = []pdf.Role{pdf.RoleHeading1, pdf.RoleHeading2, pdf.RoleHeading3}

// level gives the structure type of a text: headings go down by one level at most (ISO 14289-1 §7.4.2),
// and headers and footers have none.
func (l *layouter) level(role pdf.Role) pdf.Role {
	n := slices.Index(headings, role)
	if n < 0 || l.plain {
		return pdf.RoleParagraph
	}
	l.depth = min(n, l.depth) + 1
	return headings[l.depth-1]
}

// spacer is the block spacer: so many points of room.
type spacer float64

func (s spacer) layOut(*layouter, float64, *pdf.Element) box { return space(s) }

// lineBlock is the block line: a rule across the column.
type lineBlock struct {
	color     pdf.Color
	thickness float64
	margin    edges
}

func (p *parser) line(o *object) shower {
	b := &lineBlock{color: pdf.Color{0xCC, 0xCC, 0xCC}, thickness: o.number("thickness", 0.5, 0, 100), margin: o.margin("margin", edges{}, -mostMargin)}
	if c := o.color("color"); c != nil {
		b.color = *c
	}
	return b
}

func (b *lineBlock) layOut(_ *layouter, width float64, _ *pdf.Element) box {
	inner := b.margin.inner(width)
	return within(b.margin, drawn{b.thickness, func(c *canvas, x, y float64) {
		c.decorate(func() { c.Rectangle(x, y, inner, b.thickness, b.color) })
	}})
}

// columnsBlock is the block columns.
type columnsBlock struct {
	widths []width
	blocks [][]block
	gap    float64
	margin edges
}

func (p *parser) columns(o *object) shower {
	b := &columnsBlock{gap: o.number("columnGap", 10, 0, 1000), margin: o.margin("margin", edges{}, -mostMargin)}
	o.wantList("columns", func(path string, v Value) {
		column := p.object(path, v)
		b.widths = append(b.widths, column.width("width", width{'*', 1}))
		b.blocks = append(b.blocks, p.list(column, "blocks", true))
		column.done()
	})
	return b
}

func (b *columnsBlock) layOut(l *layouter, whole float64, parent *pdf.Element) box {
	if len(b.blocks) == 0 {
		return nil
	}
	outer := b.margin.inner(whole)
	wide := widths(b.widths, outer, b.gap, func(i int) float64 { return l.natural(b.blocks[i], outer) })
	side, x := &beside{}, 0.0
	for i, blocks := range b.blocks {
		side.boxes = append(side.boxes, l.blocks(blocks, wide[i], parent.New(pdf.RoleDivision)).orNothing())
		side.at = append(side.at, x)
		x += wide[i] + b.gap
	}
	return within(b.margin, side)
}

// natural is how wide blocks are when nothing makes them narrower: the widest line of their texts, the widths of images and codes.
func (l *layouter) natural(blocks []block, most float64) (widest float64) {
	for _, b := range blocks {
		wide := most
		switch shown := b.shows.(type) {
		case *textBlock:
			s := shown.style.over(l.base)
			set := l.doc.Text.Set(text.Span{Text: l.fill(shown.content, format{places: -1}).text, Style: s.typeface()})
			wide, _ = set.Width()
			wide += s.edges().left + s.edges().right + slack
		case *imageBlock:
			if shown.width > 0 {
				wide = shown.width + shown.margin.left + shown.margin.right
			}
		case *qrBlock:
			wide = shown.size + shown.margin.left + shown.margin.right
		case spacer:
			wide = 0
		}
		widest = max(widest, wide)
	}
	return min(widest, most)
}
