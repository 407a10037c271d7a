// Package block lays out documents by templates of blocks (BlockTemplate): texts, tables, sums, images, codes, and columns of them, with
// placeholders for the data. What is wrong with a template is told with the path of the member.
package block

import (
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/pdf"
)

// Template is a layout that was read and found right.
type Template struct {
	Version string
	Name    string
	page    page
	header  *section
	footer  *section
	body    []block
	unknown []string
}

// page is what the member page says.
type page struct {
	width, height float64
	margins       edges
	font          string
	colors        map[string]Value
	sizes         map[string]Value
	background    *background
}

type background struct {
	path     string
	image    content
	opacity  float64
	position string
}

// section is a header or a footer.
type section struct {
	blocks []block
	high   float64 // zero for as high as its blocks
	repeat bool
}

// block is one block: what it shows, and when.
type block struct {
	path  string
	when  *condition
	shows shower
}

// shower lays out a block of one of the types for a width. A nil box is nothing to show.
type shower interface {
	layOut(l *layouter, width float64, parent *pdf.Element) box
}

const millimetre = 72 / 25.4

// sizes of pages, in millimetres (ISO 216, ANSI/ASME Y14.1).
var sizes = map[string][2]float64{
	"A4": {210, 297}, "A3": {297, 420}, "A5": {148, 210}, "LETTER": {215.9, 279.4}, "LEGAL": {215.9, 355.6},
}

// MaxBytes is how large a template may be.
const MaxBytes = 8 << 20

// MaxBlocks is how many blocks a template may have, and maxNesting how deep columns may nest.
const (
	MaxBlocks  = 2000
	maxNesting = 8
)

var semver = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// Parse reads a template. The error is Faults when something in it is wrong.
func Parse(data []byte) (*Template, error) {
	if len(data) > MaxBytes {
		return nil, Faults{{"", "the template is larger than 8 MiB"}}
	}
	v, err := ParseValue(data)
	if err != nil {
		return nil, Faults{{"", "the template is no JSON: " + err.Error()}}
	}
	if v.Kind != Object {
		return nil, Faults{{"", "the template must be an object, not " + words[v.Kind]}}
	}
	t := &Template{}
	p := &parser{reader: &reader{page: &t.page, styles: map[string]Value{}}}
	p.template(t, p.object("", v))
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	t.unknown = p.unknown
	return t, nil
}

// Unknown gives the paths of the members that mean nothing here.
func (t *Template) Unknown() []string { return t.unknown }

// parser reads templates.
type parser struct {
	*reader
	blocks  int
	nesting int
}

func (p *parser) template(t *Template, o *object) {
	t.Version, t.Name = o.wantText("version"), o.wantText("name")
	if t.Version != "" && !semver.MatchString(t.Version) {
		p.fault("version", "must be a semantic version such as 1.0.0, not %q", t.Version)
	}
	if v, ok := o.want("page"); ok {
		p.readPage(p.object("page", v))
	}
	if v, ok := o.get("styles"); ok {
		p.readStyles(p.object("styles", v))
	}
	t.header, t.footer = p.section(o, "header"), p.section(o, "footer")
	if v, ok := o.want("body"); ok {
		body := p.object("body", v)
		t.body = p.list(body, "blocks", true)
		body.done()
	}
	o.done()
}

func (p *parser) readPage(o *object) {
	o.want("size")
	size := o.choice("size", "A4", "A3", "A5", "LETTER", "LEGAL", "CUSTOM")
	const least, most = 20, 5000 // millimetres
	if size == "CUSTOM" {
		o.want("customWidth")
		o.want("customHeight")
	}
	custom := [2]float64{o.number("customWidth", 210, least, most), o.number("customHeight", 297, least, most)}
	if known, ok := sizes[size]; ok {
		custom = known
	}
	p.page.width, p.page.height = custom[0]*millimetre, custom[1]*millimetre
	if o.choice("orientation", "", "portrait", "landscape") == "landscape" && size != "CUSTOM" {
		p.page.width, p.page.height = p.page.height, p.page.width
	}
	if v, ok := o.want("margins"); ok {
		if v.Kind == Object {
			sides := p.object(o.at("margins"), v)
			for _, side := range []string{"top", "right", "bottom", "left"} {
				sides.want(side)
			}
		}
		p.page.margins = o.margin("margins", edges{}, 0)
	}
	if m := p.page.margins; m.left+m.right > p.page.width-36 || m.top+m.bottom > p.page.height-36 {
		p.fault(o.at("margins"), "leave less than 36 points of the page")
	}
	p.page.font = o.text("defaultFont")
	p.page.colors, p.page.sizes = p.tokens(o, "colorScheme"), p.tokens(o, "fontSizes")
	p.readBackground(o)
	o.done()
}

// tokens reads a map of names to colours or sizes, and holds that they are such.
func (p *parser) tokens(o *object, name string) map[string]Value {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	all := map[string]Value{}
	entries := p.object(o.at(name), v)
	for _, m := range v.Members {
		all[m.Name] = m.Value
		if name == "fontSizes" {
			entries.measure(entries.at(m.Name), m.Value, leastSize, mostSize)
		} else if _, ok := parseColor(m.Value.Text); !ok || m.Value.Kind != Text {
			p.fault(entries.at(m.Name), "must be a colour such as #1A2B3C, not %s", shown(m.Value))
		}
	}
	return all
}

func (p *parser) readBackground(o *object) {
	v, ok := o.get("background")
	if !ok {
		return
	}
	b := p.object(o.at("background"), v)
	p.page.background = &background{path: b.at("image"), image: p.content(b.at("image"), b.wantText("image")),
		opacity: b.number("opacity", 1, 0, 1), position: b.choice("position", "stretch", "center", "tile")}
	b.done()
}

// readStyles reads the named styles once, for what is wrong with them.
func (p *parser) readStyles(o *object) {
	for _, m := range o.v.Members {
		s := p.object(o.at(m.Name), m.Value)
		s.look()
		s.done()
		p.styles[m.Name] = m.Value
	}
}

func (p *parser) section(o *object, name string) *section {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	s := p.object(name, v)
	out := &section{blocks: p.list(s, "blocks", true), high: s.number("height", 0, 0, 2000), repeat: s.boolean("repeatOnAllPages", false)}
	s.done()
	if limit := p.page.height - p.page.margins.top - p.page.margins.bottom - 36; out.high > limit {
		p.fault(s.at("height"), "leaves less than 36 points of the page between its margins")
	}
	return out
}

// list reads the blocks of a member.
func (p *parser) list(o *object, name string, required bool) (blocks []block) {
	p.nesting++
	defer func() { p.nesting-- }()
	if p.nesting > maxNesting {
		p.fault(o.at(name), "nests deeper than %d levels", maxNesting)
		return nil
	}
	if required {
		o.want(name)
	}
	o.list(name, func(path string, v Value) {
		if p.blocks++; p.blocks == MaxBlocks+1 {
			p.fault(path, "is one block more than the %d that a template may have", MaxBlocks)
		}
		if p.blocks <= MaxBlocks {
			blocks = append(blocks, p.block(p.object(path, v)))
		}
	})
	return blocks
}

// types are the kinds of blocks.
var types = []string{"text", "spacer", "line", "image", "keyvalue", "table", "summary", "qrcode", "columns"}

// block reads one block.
func (p *parser) block(o *object) block {
	b := block{path: o.path, when: o.condition()}
	kind := o.wantText("type")
	v, ok := o.want("data")
	if !ok || kind == "" {
		return b
	}
	d := p.object(o.at("data"), v)
	switch kind {
	case "text":
		b.shows = p.text(d)
	case "spacer":
		b.shows = spacer(d.number("height", 10, 0, 5000))
	case "line":
		b.shows = p.line(d)
	case "image":
		b.shows = p.image(d)
	case "keyvalue":
		b.shows = p.keyValue(d)
	case "table":
		b.shows = p.table(d)
	case "summary":
		b.shows = p.summary(d)
	case "qrcode":
		b.shows = p.qrCode(d)
	case "columns":
		b.shows = p.columns(d)
	default:
		p.fault(o.at("type"), "must be one of %s, not %q", strings.Join(types, ", "), kind)
		return b
	}
	d.done()
	o.done()
	return b
}

func lower(s string) string { return strings.ToLower(s) }
