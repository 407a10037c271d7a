package block

import "github.com/einvoiced/einvoiced/core/pdf"

// style is how a text looks; what is zero or nil is that of what it stands in.
type style struct {
	font       string
	size       float64
	bold       *bool
	italic     *bool
	color      *pdf.Color
	alignment  string
	margin     *edges
	lineHeight float64
	role       pdf.Role
}

// roles are the structure types of texts whose style has one of these names; all others are paragraphs.
var roles = map[string]pdf.Role{
	"title": pdf.RoleHeading1, "h1": pdf.RoleHeading1, "heading": pdf.RoleHeading2, "heading1": pdf.RoleHeading1, "h2": pdf.RoleHeading2,
	"subtitle": pdf.RoleHeading2, "heading2": pdf.RoleHeading2, "h3": pdf.RoleHeading3, "heading3": pdf.RoleHeading3, "sectiontitle": pdf.RoleHeading2,
}

// over puts one style over another.
func (s style) over(under style) style {
	if s.font == "" {
		s.font = under.font
	}
	if s.size == 0 {
		s.size = under.size
	}
	if s.bold == nil {
		s.bold = under.bold
	}
	if s.italic == nil {
		s.italic = under.italic
	}
	if s.color == nil {
		s.color = under.color
	}
	if s.alignment == "" {
		s.alignment = under.alignment
	}
	if s.margin == nil {
		s.margin = under.margin
	}
	if s.lineHeight == 0 {
		s.lineHeight = under.lineHeight
	}
	if s.role == "" {
		s.role = under.role
	}
	return s
}

const (
	leastSize  = 1 // of type, in points
	mostSize   = 400
	mostMargin = 2000
)

// look reads the members that say how a text looks, which styles and blocks share.
func (o *object) look() (s style) {
	s.font = o.text("font")
	if family := o.text("fontFamily"); family != "" {
		s.font = family
	}
	s.size = o.fontSize("fontSize")
	s.bold, s.italic = o.flag("bold"), o.flag("italics")
	if italic := o.flag("italic"); italic != nil {
		s.italic = italic
	}
	s.color = o.color("color")
	s.alignment = o.choice("alignment", "", "left", "center", "right", "justify")
	s.lineHeight = o.number("lineHeight", 0, 0.5, 10)
	if _, ok := o.get("margin"); ok {
		m := o.margin("margin", edges{}, -mostMargin)
		s.margin = &m
	}
	return s
}

func (o *object) flag(name string) *bool {
	if _, ok := o.get(name); !ok {
		return nil
	}
	b := o.boolean(name, false)
	return &b
}

// fontSize reads a number of points, or a token of page.fontSizes.
func (o *object) fontSize(name string) float64 {
	v, ok := o.get(name)
	if !ok {
		return 0
	}
	if v, ok = o.token(o.at(name), v, o.r.page.sizes, "fontSizes"); !ok {
		return 0
	}
	n, _ := o.measure(o.at(name), v, leastSize, mostSize)
	return n
}

// style reads a member that names a style of the template.
func (o *object) style(member string) style {
	name := o.text(member)
	if name == "" {
		return style{}
	}
	v, known := o.r.styles[name]
	if !known {
		o.r.fault(o.at(member), "is %q, which styles does not have", name)
		return style{}
	}
	// What is wrong with the style is told where it is defined.
	quiet := &reader{page: o.r.page}
	s := quiet.object("", v).look()
	s.role = roles[lower(name)]
	return s
}
