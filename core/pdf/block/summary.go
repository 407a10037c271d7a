package block

import "github.com/einvoiced/einvoiced/core/pdf"

// summaryBlock is the block summary: sums, one for each row of a list among them.
type summaryBlock struct {
	before, after []pair
	footer        []pair
	dynamic       *dynamicRows
	width         width
	alignment     string
	separator     bool
	lineColor     pdf.Color
	padding       edges
	margin        edges
}

// dynamicRows are rows that are made of a list, such as a sum of each tax rate.
type dynamicRows struct {
	source     string
	sourcePath string
	row        pair
}

func (p *parser) summary(o *object) shower {
	b := &summaryBlock{width: o.width("width", width{'%', 45}), alignment: o.choice("alignment", "right", "left", "center"),
		separator: o.boolean("separatorBeforeFooter", false), lineColor: pdf.Color{0x80, 0x86, 0x8B}}
	if c := o.color("lineColor"); c != nil {
		b.lineColor = *c
	}
	b.padding, b.margin = o.padding("cellPadding", edges{0, 2, 0, 2}), o.margin("margin", edges{}, -mostMargin)
	look := style{font: o.text("fontFamily"), size: o.fontSize("fontSize"), color: o.color("color")}.over(o.style("style"))
	label, value := o.style("labelStyle").over(look), style{alignment: "right"}.over(o.style("valueStyle")).over(look)
	localeTag := o.text("locale")
	rows := func(name string, label, value style) (list []pair) {
		o.list(name, func(path string, v Value) {
			row := p.object(path, v)
			list = append(list, p.pair(row, label, value, localeTag).orCurrency())
			row.done()
		})
		return list
	}
	bold := true
	b.before, b.after = rows("headerRows", label, value), rows("rows", label, value)
	b.footer = rows("footerRows", style{bold: &bold}.over(label), style{bold: &bold}.over(value))
	if v, ok := o.get("dynamicRows"); ok {
		b.dynamic = p.dynamicRows(p.object(o.at("dynamicRows"), v), label, value, localeTag)
	}
	if len(b.before)+len(b.after)+len(b.footer) == 0 && b.dynamic == nil {
		p.fault(o.at("rows"), "is required where there are no headerRows, dynamicRows or footerRows")
	}
	return b
}

// orCurrency makes amounts of values that say nothing else.
func (i pair) orCurrency() pair {
	if i.format.kind == "" {
		i.format.kind = "currency"
	}
	return i
}

func (p *parser) dynamicRows(o *object, label, value style, localeTag string) *dynamicRows {
	d := &dynamicRows{source: p.source(o, "dataSource"), sourcePath: o.at("dataSource")}
	field := o.wantText("valueField")
	if field != "" && !validPath.MatchString(field) {
		p.fault(o.at("valueField"), "must be the path of a member such as taxAmount, not %q", field)
		field = "_"
	}
	d.row = pair{label: p.content(o.at("labelTemplate"), o.text("labelTemplate")), labelStyle: o.style("labelStyle").over(label), valueStyle: o.style("valueStyle").over(value)}
	d.row.value = content{path: o.at("valueField"), parts: []part{{holds: field, optional: true, format: format{places: -1}}}}
	d.row.format = p.format(o, "valueFormat", localeTag)
	d.row = d.row.orCurrency()
	o.done()
	return d
}

func (b *summaryBlock) layOut(l *layouter, room float64, parent *pdf.Element) box {
	shown := append(l.fillPairs(b.before), l.fillPairs(b.after)...)
	if d := b.dynamic; d != nil {
		rows := l.rows(d.sourcePath, d.source)
		for i := range rows {
			inner := *l
			inner.row = &rows[i]
			if s, ok := inner.fillPair(&d.row); ok {
				shown = append(shown, s)
			}
			l.depth, l.fetchErrors = inner.depth, inner.fetchErrors
		}
	}
	footer := l.fillPairs(b.footer)
	if len(shown)+len(footer) == 0 {
		return nil
	}
	outer := b.margin.inner(room)
	wide := widths([]width{b.width}, outer, 0, func(int) float64 {
		all := append(append([]shownPair{}, shown...), footer...)
		return l.widestOf(all, 0) + l.widestOf(all, 1) + pairGap + b.padding.left + b.padding.right
	})[0]
	at := (outer - wide) * share[b.alignment]
	return within(b.margin, whole{indented{b.table(l, shown, footer, wide, parent), at}})
}

// pairGap is between a label and its value, in points.
const pairGap = 12

// table lays out the rows, with a rule above the footer.
func (b *summaryBlock) table(l *layouter, shown, footer []shownPair, wide float64, parent *pdf.Element) *stack {
	table, s := parent.New(pdf.RoleTable), &stack{}
	all := append(append([]shownPair{}, shown...), footer...)
	inner := b.padding.inner(wide)
	value := min(l.widestOf(all, 1), inner*0.6)
	columns := []float64{max(1, inner-value-pairGap), value}
	for i, p := range all {
		if i == len(shown) && b.separator && i > 0 {
			s.boxes = append(s.boxes, drawn{0.75, func(c *canvas, x, y float64) {
				c.decorate(func() { c.Rectangle(x, y, wide, 0.75, b.lineColor) })
			}})
		}
		s.boxes = append(s.boxes, l.pairRow(p, columns, pairGap, b.padding, table))
	}
	return s
}
