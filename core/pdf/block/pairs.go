package block

import (
	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// pair is a label and its value.
type pair struct {
	label, value           content
	labelStyle, valueStyle style
	mode                   string // of values that are empty
	format                 format
	when                   *condition
}

// keyValueBlock is the block keyvalue: labels with their values, in rows (vertical), side by side (horizontal) or in one line (inline).
type keyValueBlock struct {
	items      []pair
	layout     string
	labelWidth width
	valueWidth width
	gap        float64
	margin     edges
}

// Modes of empty values: an error, a label alone, or nothing.
const (
	modeRequired = "required"
	modeVisible  = "optional-visible"
	modeHidden   = "optional-hidden"
)

func (p *parser) keyValue(o *object) shower {
	b := &keyValueBlock{layout: o.choice("layout", "vertical", "horizontal", "inline"), gap: o.number("gap", 8, 0, 1000)}
	b.labelWidth, b.valueWidth = o.width("labelWidth", width{'a', 0}), o.width("valueWidth", width{'*', 1})
	look := o.look().over(o.style("style"))
	b.margin, look.margin = look.edges(), nil
	label := style{color: o.color("labelColor"), alignment: o.choice("labelAlign", "", "left", "center", "right")}.over(o.style("labelStyle")).over(look)
	value := style{color: o.color("valueColor"), alignment: o.choice("valueAlign", "", "left", "center", "right")}.over(o.style("valueStyle")).over(look)
	localeTag := o.text("locale")
	o.wantList("items", func(path string, v Value) {
		item := p.object(path, v)
		i := p.pair(item, label, value, localeTag)
		i.mode = item.choice("optionalMode", "", modeRequired, modeVisible, modeHidden)
		item.done()
		b.items = append(b.items, i)
	})
	return b
}

// pair reads a label and its value, with how they look.
func (p *parser) pair(o *object, label, value style, localeTag string) pair {
	i := pair{label: p.content(o.at("label"), o.wantText("label")), value: p.content(o.at("value"), o.wantText("value")), when: o.condition()}
	i.format = p.format(o, "format", localeTag)
	own := o.look().over(o.style("style"))
	own.margin = nil
	i.labelStyle = style{alignment: o.choice("labelAlign", "", "left", "center", "right"), color: o.color("labelColor")}.over(o.style("labelStyle")).over(own).over(label)
	i.valueStyle = style{alignment: o.choice("valueAlign", "", "left", "center", "right"), color: o.color("valueColor")}.over(o.style("valueStyle")).over(own).over(value)
	return i
}

// shownPair is a pair with its values.
type shownPair struct {
	label, value           string
	labelStyle, valueStyle style
}

// fillPair gives a pair as it is shown, or nothing.
func (l *layouter) fillPair(i *pair) (shownPair, bool) {
	if !l.holds(i.when) {
		return shownPair{}, false
	}
	label, value := l.fill(i.label, format{places: -1}), l.fill(i.value, i.format)
	empty := value.values > 0 && value.empty == value.values
	switch {
	case i.mode == modeRequired && empty:
		l.faults.fault(i.value.path, "needs a value, since its optionalMode is required, and the data has none")
	case i.mode == "":
		l.require(i.value, value)
	}
	l.require(i.label, label)
	if empty && i.mode != modeVisible {
		return shownPair{}, false
	}
	return shownPair{label.text, value.text, i.labelStyle.over(l.base), i.valueStyle.over(l.base)}, true
}

func (l *layouter) fillPairs(items []pair) (shown []shownPair) {
	for i := range items {
		if s, ok := l.fillPair(&items[i]); ok {
			shown = append(shown, s)
		}
	}
	return shown
}

func (b *keyValueBlock) layOut(l *layouter, width float64, parent *pdf.Element) box {
	shown := l.fillPairs(b.items)
	if len(shown) == 0 {
		return nil
	}
	inner := b.margin.inner(width)
	switch b.layout {
	case "horizontal":
		return within(b.margin, b.horizontal(l, shown, inner, parent))
	case "inline":
		return within(b.margin, l.paragraph(parent.New(pdf.RoleParagraph), shown[0].valueStyle, inner, inline(shown)...))
	}
	return within(b.margin, l.pairs(shown, []widthOf{{b.labelWidth}, {b.valueWidth}}, inner, b.gap, parent))
}

func inline(shown []shownPair) (spans []text.Span) {
	for i, s := range shown {
		if i > 0 {
			spans = append(spans, text.Span{Text: "   ", Style: s.valueStyle.typeface()})
		}
		spans = append(spans, text.Span{Text: s.label + " ", Style: s.labelStyle.typeface()}, text.Span{Text: s.value, Style: s.valueStyle.typeface()})
	}
	return spans
}

func (b *keyValueBlock) horizontal(l *layouter, shown []shownPair, inner float64, parent *pdf.Element) box {
	side := &beside{}
	wide := (inner - b.gap*float64(len(shown)-1)) / float64(len(shown))
	for i, s := range shown {
		e := parent.New(pdf.RoleDivision)
		side.boxes = append(side.boxes, &stack{[]box{
			l.paragraph(e.New(pdf.RoleParagraph), s.labelStyle, max(1, wide), text.Span{Text: s.label, Style: s.labelStyle.typeface()}),
			l.paragraph(e.New(pdf.RoleParagraph), s.valueStyle, max(1, wide), text.Span{Text: s.value, Style: s.valueStyle.typeface()}),
		}})
		side.at = append(side.at, float64(i)*(wide+b.gap))
	}
	return side
}

// widthOf is the width that a column of pairs is to have.
type widthOf struct{ width }

// pairRow is a row of a label and its value.
type pairRow struct{ *tableRow }

func (r pairRow) split(height float64, force bool) (box, box) {
	first, rest := r.tableRow.split(height, force, true)
	if first == nil {
		return nil, r
	}
	if rest == nil {
		return r, nil
	}
	return pairRow{first}, pairRow{rest}
}

// pairs lays out labels and values as a table of two columns, whose labels are the headers of their rows.
func (l *layouter) pairs(shown []shownPair, columns []widthOf, inner, gap float64, parent *pdf.Element) box {
	table, s := parent.New(pdf.RoleTable), &stack{}
	wide := widths([]width{columns[0].width, columns[1].width}, inner, gap, func(i int) float64 { return l.widestOf(shown, i) })
	for _, p := range shown {
		s.boxes = append(s.boxes, l.pairRow(p, wide, gap, edges{}, table))
	}
	return s
}

func (l *layouter) pairRow(p shownPair, wide []float64, gap float64, pad edges, table *pdf.Element) pairRow {
	row := table.New(pdf.RoleRow)
	header := row.Add(&pdf.Element{Role: pdf.RoleHeader, Scope: "Row"})
	cells := []cell{
		{pad.left, l.cell(header, p.label, p.labelStyle, wide[0])},
		{pad.left + wide[0] + gap, l.cell(row.New(pdf.RoleCell), p.value, p.valueStyle, wide[1])},
	}
	return pairRow{&tableRow{cells: cells, pad: pad}}
}

func (l *layouter) cell(e *pdf.Element, content string, s style, wide float64) *lines {
	if content == "" {
		return &lines{line: s.size * lead}
	}
	s.role = ""
	return l.paragraph(e, s, max(1, wide), text.Span{Text: content, Style: s.typeface()})
}

// widestOf is the width of the widest label, or value.
func (l *layouter) widestOf(shown []shownPair, column int) (widest float64) {
	for _, p := range shown {
		content, s := p.label, p.labelStyle
		if column == 1 {
			content, s = p.value, p.valueStyle
		}
		wide, _ := l.doc.Text.Set(text.Span{Text: content, Style: s.typeface()}).Width()
		widest = max(widest, wide+slack)
	}
	return widest
}
