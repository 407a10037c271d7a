package block

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// tableBlock is the block table.
type tableBlock struct {
	source     string
	sourcePath string
	columns    []column
	showHeader bool
	repeat     bool
	unbroken   bool
	layout     string
	headFill   *pdf.Color
	lineColor  pdf.Color
	padding    edges
	head, body style
	detail     style
	margin     edges
	locale     string
}

// column is one column of a table.
type column struct {
	field  string
	header content
	width  width
	align  string
	text   content // what a cell shows
	detail content // what stands below it, in the style of details
	format format
	style  style
}

// MaxRows is how many rows a table may have, as invoices that are laid out have lines.
const MaxRows = 5000

// fieldWord is the placeholder that stands for the field of the column in its template.
const fieldWord = "field"

func (p *parser) table(o *object) shower {
	t := &tableBlock{source: p.source(o, "dataSource"), sourcePath: o.at("dataSource"), showHeader: o.boolean("showHeader", true),
		repeat: o.boolean("repeatHeader", true), unbroken: o.boolean("dontBreakRows", true),
		layout: o.choice("layout", "lightHorizontalLines", "noBorders", "headerLineOnly"), headFill: o.color("headerFillColor"),
		lineColor: pdf.Color{0xD5, 0xD8, 0xDC}, locale: o.text("locale")}
	t.padding = o.padding("cellPadding", edges{4, 4, 4, 4})
	t.head, t.body = o.style("headerStyle"), o.look().over(o.style("bodyStyle")).over(o.style("style"))
	if t.body.margin != nil {
		t.margin, t.body.margin = *t.body.margin, nil
	}
	if c := o.color("lineColor"); c != nil {
		t.lineColor = *c
	}
	t.detail = o.style("detailStyle").over(t.body)
	bold := true
	t.head = t.head.over(style{bold: &bold}).over(t.body)
	o.wantList("columns", func(path string, v Value) { t.columns = append(t.columns, p.column(p.object(path, v), t.locale)) })
	if len(t.columns) > 60 {
		p.fault(o.at("columns"), "has more than 60 columns")
	}
	return t
}

// source reads a path in the data, with or without braces.
func (p *parser) source(o *object, name string) string {
	text := o.wantText(name)
	if m := placeholder.FindStringSubmatch(text); m != nil && m[0] == text {
		text = m[1]
	}
	if text != "" && !validPath.MatchString(text) {
		p.fault(o.at(name), "must be the path of an array such as items, not %q", text)
	}
	return text
}

func (p *parser) column(o *object, localeTag string) column {
	c := column{field: o.wantText("field"), header: p.content(o.at("header"), o.wantText("header"))}
	if c.field != "" && !validPath.MatchString(c.field) {
		p.fault(o.at("field"), "must be the path of a member such as unitPrice, not %q", c.field)
		c.field = "_"
	}
	o.want("width")
	c.width = o.width("width", width{'*', 1})
	c.align = o.choice("align", o.choice("alignment", "", "left", "center", "right", "justify"), "left", "center", "right", "justify")
	c.format = p.format(o, "format", localeTag)
	if c.align == "" && c.format.kind != "" && c.format.kind != "date" {
		c.align = "right"
	}
	c.style = o.style("style")
	if c.text = p.content(o.at("template"), o.text("template")); len(c.text.parts) == 0 {
		c.text = content{path: o.at("field"), parts: []part{{holds: c.field, optional: true, format: format{places: -1}}}}
	}
	c.detail = p.content(o.at("detail"), o.text("detail"))
	for i := range c.text.parts {
		if c.text.parts[i].holds == fieldWord {
			c.text.parts[i].holds, c.text.parts[i].optional = c.field, true
		}
	}
	o.done()
	return c
}

// format reads how values are written: the member of that name, decimalPlaces, currencySymbol and locale.
func (p *parser) format(o *object, name, localeTag string) format {
	f := format{kind: o.choice(name, append([]string{""}, formats...)...), places: -1, locale: o.text("locale")}
	if _, ok := o.get("decimalPlaces"); ok {
		f.places = int(o.number("decimalPlaces", 2, 0, 10))
	}
	if _, ok := o.get("currencySymbol"); ok {
		symbol := o.text("currencySymbol")
		f.symbol = &symbol
	}
	if f.locale == "" {
		f.locale = localeTag
	}
	return f
}

// rows gives the rows of a data source.
func (l *layouter) rows(path, source string) []Value {
	v := l.find(source)
	if v.Kind != List && v.Kind != Null {
		l.faults.fault(path, "is %q, which is %s in the data and no array", source, words[v.Kind])
	}
	return v.List
}

func (t *tableBlock) layOut(l *layouter, whole float64, parent *pdf.Element) box {
	rows := l.rows(t.sourcePath, t.source)
	if len(rows) > MaxRows {
		l.faults.fault(t.sourcePath, "has %d rows, which is more than the %d that a table may have", len(rows), MaxRows)
		return nil
	}
	if len(rows) == 0 || len(t.columns) == 0 {
		return nil
	}
	g := &grid{l: l, tableBlock: t, rows: rows, last: len(rows), wide: t.margin.inner(whole)}
	specs := make([]width, len(t.columns))
	for i := range t.columns {
		specs[i] = t.columns[i].width
	}
	g.widths = widths(specs, g.wide, 0, g.natural)
	table := parent.New(pdf.RoleTable)
	if t.showHeader {
		g.header = g.row(table.New(pdf.RoleHead).New(pdf.RoleRow), true, func(c *column) (string, string) { return l.fill(c.header, format{places: -1}).text, "" })
	}
	g.body = table.New(pdf.RoleBody)
	return within(t.margin, g)
}

// grid is a table whose rows are laid out when they come to a page.
type grid struct {
	l *layouter
	*tableBlock
	wide     float64
	widths   []float64
	header   *tableRow
	repeated bool
	body     *pdf.Element
	rows     []Value
	from     int // of rows: those before are on pages already
	last     int
	ready    []*tableRow // laid out, but not yet on a page
	shown    []*tableRow // of a head, which is drawn
	high     float64
	finished bool // a head
}

func (g *grid) height() float64 {
	for !g.finished && g.from+len(g.ready) < g.last {
		g.next()
	}
	if g.finished {
		return g.high
	}
	sum := g.headerHeight()
	for _, r := range g.ready {
		sum += r.height()
	}
	return sum
}

func (g *grid) headerHeight() float64 {
	if g.header == nil || g.repeated && !g.repeat {
		return 0
	}
	return g.header.height()
}

// next lays out one more row.
func (g *grid) next() {
	i := g.from + len(g.ready)
	row := g.rows[i]
	if row.Kind == Object && row.Get("position").Kind == Null {
		row = row.with("position", Value{Kind: Number, Text: strconv.Itoa(i + 1)})
	}
	s := scope{g.l.binder, &row}
	g.ready = append(g.ready, g.row(g.body.New(pdf.RoleRow), false, func(c *column) (string, string) {
		f, detail := s.fill(c.text, c.format), s.fill(c.detail, format{places: -1})
		s.require(c.text, f)
		s.require(c.detail, detail)
		return f.text, detail.text
	}))
}

// split takes as many rows as fit below the header.
func (g *grid) split(height float64, force bool) (box, box) {
	if g.finished {
		return drawn{g.high, g.draw}.split(height, force)
	}
	head := &grid{l: g.l, tableBlock: g.tableBlock, wide: g.wide, widths: g.widths, header: g.header, repeated: g.repeated, finished: true, high: g.headerHeight()}
	left := height - head.high
	for g.from < g.last && g.l.ctx.Err() == nil {
		if len(g.ready) == 0 {
			g.next()
		}
		row := g.ready[0]
		first, rest := row.split(left, force && len(head.shown) == 0, g.unbroken)
		if first != nil {
			head.shown = append(head.shown, first)
			head.high, left = head.high+first.height(), left-first.height()
		}
		if rest != nil {
			g.ready[0] = rest
			return g.broken(head)
		}
		g.ready, g.from = g.ready[1:], g.from+1
	}
	return head, nil
}

// broken is a table of which a part goes to the next page.
func (g *grid) broken(head *grid) (box, box) {
	if len(head.shown) == 0 {
		return nil, g
	}
	g.repeated = true
	return head, g
}

func (g *grid) draw(c *canvas, x, y float64) {
	shown := g.shown
	if !g.finished {
		g.height()
		shown = g.ready
	}
	if g.headerHeight() > 0 {
		g.drawHeader(c, x, y)
		y += g.headerHeight()
	}
	for i, row := range shown {
		row.draw(c, x, y)
		y += row.height()
		if g.layout == "lightHorizontalLines" && i < len(shown) {
			c.decorate(func() { c.Rectangle(x, y-0.5, g.wide, 0.5, g.lineColor) })
		}
	}
}

// drawHeader draws the header, which is content once and an artifact on the pages after.
func (g *grid) drawHeader(c *canvas, x, y float64) {
	high := g.header.height()
	looks := func(on *canvas) {
		if g.headFill != nil {
			on.decorate(func() { on.Rectangle(x, y, g.wide, high, *g.headFill) })
		}
		g.header.draw(on, x, y)
		if g.layout != "noBorders" {
			on.decorate(func() { on.Rectangle(x, y+high-0.75, g.wide, 0.75, pdf.Color{0x80, 0x86, 0x8B}) })
		}
	}
	if !g.repeated || c.artifact {
		looks(c)
		return
	}
	c.Artifact(true, func() { looks(&canvas{c.Page, true}) })
}

// tableRow is the cells of one row.
type tableRow struct {
	cells []cell
	pad   edges
}

type cell struct {
	x     float64
	lines *lines
}

func (r *tableRow) height() (most float64) {
	for i := range r.cells {
		most = max(most, r.cells[i].lines.height())
	}
	return most + r.pad.top + r.pad.bottom
}

func (r *tableRow) draw(c *canvas, x, y float64) {
	for i := range r.cells {
		if cell := &r.cells[i]; cell.lines.count() > 0 {
			cell.lines.draw(c, x+cell.x, y+r.pad.top)
		}
	}
}

// split tears a row apart where rows may be torn, or where it is higher than a page.
func (r *tableRow) split(height float64, force, unbroken bool) (first, rest *tableRow) {
	if r.height() <= height+slack {
		return r, nil
	}
	if unbroken && !force {
		return nil, r
	}
	first, rest = &tableRow{pad: r.pad}, &tableRow{pad: r.pad}
	room, some := height-r.pad.top-r.pad.bottom, false
	for _, c := range r.cells {
		n := min(max(0, int((room+slack)/c.lines.line)), c.lines.count())
		if n == 0 && force {
			n = min(1, c.lines.count())
		}
		head, tail := c.lines.part(n)
		some = some || n > 0
		first.cells, rest.cells = append(first.cells, cell{c.x, head}), append(rest.cells, cell{c.x, tail})
	}
	switch {
	case !some && force:
		return r, nil
	case !some:
		return nil, r
	}
	return first, rest
}

// row lays out the cells of one row.
func (g *grid) row(e *pdf.Element, header bool, fill func(c *column) (content, detail string)) *tableRow {
	r := &tableRow{pad: g.padding, cells: make([]cell, 0, len(g.columns))}
	x := 0.0
	for i := range g.columns {
		c := &g.columns[i]
		s := c.style.over(g.look(header)).over(g.l.base)
		if c.align != "" {
			s.alignment = c.align
		}
		child := &pdf.Element{Role: pdf.RoleCell}
		if header {
			child.Role, child.Scope = pdf.RoleHeader, "Column"
		}
		inner := max(1, g.widths[i]-g.padding.left-g.padding.right)
		content, detail := fill(c)
		l := &lines{line: s.size * lead}
		if e.Add(child); content+detail != "" {
			l = g.l.paragraph(child, s, inner, g.spans(c, s, content, detail)...)
			l.heading = false
		}
		r.cells = append(r.cells, cell{x + g.padding.left, l})
		x += g.widths[i]
	}
	return r
}

// spans are the text of a cell, and the details below it.
func (g *grid) spans(c *column, s style, content, detail string) []text.Span {
	var list []text.Span
	if content != "" {
		list = append(list, text.Span{Text: content, Style: s.typeface()})
	}
	if detail != "" {
		if content != "" {
			detail = "\n" + detail
		}
		list = append(list, text.Span{Text: detail, Style: g.detail.over(c.style).over(g.l.base).typeface()})
	}
	return list
}

func (g *grid) look(header bool) style {
	if header {
		return g.tableBlock.head
	}
	return g.tableBlock.body
}

// natural is the width of the widest cell of a column. Of long tables it looks at the first rows, and cells that are wider are broken.
func (g *grid) natural(i int) float64 {
	const looked = 500
	c, widest := &g.columns[i], 0.0
	measure := func(content string, s style) {
		s = c.style.over(s).over(g.l.base)
		wide, _ := g.l.doc.Text.Set(text.Span{Text: content, Style: s.typeface()}).Width()
		widest = max(widest, wide)
	}
	if g.showHeader {
		measure(g.l.fill(c.header, format{places: -1}).text, g.head)
	}
	for k := range g.rows[:min(len(g.rows), looked)] {
		s := scope{g.l.binder, &g.rows[k]}
		measure(s.fill(c.text, c.format).text, g.tableBlock.body)
		measure(s.fill(c.detail, format{places: -1}).text, g.tableBlock.detail)
	}
	return widest + g.padding.left + g.padding.right + slack
}
