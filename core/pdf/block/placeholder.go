package block

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
	"github.com/einvoiced/einvoiced/core/pdf/text"
)

// content is a text with placeholders, taken apart.
type content struct {
	path  string // in the template
	parts []part
}

// part is a text, or a placeholder.
type part struct {
	text     string
	holds    string // the path in the data; empty for a text
	optional bool
	format   format
}

// format is how a value is written. The zero format writes it as it is.
type format struct {
	kind   string // currency, percent, number, date
	places int    // of decimals; -1 for as many as the currency or the number has
	symbol *string
	locale string
}

var (
	placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)
	validPath   = regexp.MustCompile(`^[\pL_@][\pL\pN_-]*(\[\d{1,6}\])*(\.[\pL_@][\pL\pN_-]*(\[\d{1,6}\])*)*$`)
)

// formats are the words that a placeholder may have after a colon.
var formats = []string{"currency", "percent", "number", "date"}

// content reads a text with placeholders.
func (r *reader) content(path, written string) content {
	c := content{path: path}
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(written, -1) {
		if m[0] > at {
			c.parts = append(c.parts, part{text: written[at:m[0]]})
		}
		c.parts = append(c.parts, r.placeholder(path, written[m[2]:m[3]]))
		at = m[1]
	}
	if at < len(written) {
		c.parts = append(c.parts, part{text: written[at:]})
	}
	for _, p := range c.parts {
		if strings.Contains(p.text, "{{") {
			r.fault(path, "has {{ without the }} that ends a placeholder")
		}
	}
	return c
}

// placeholder reads what stands between the braces: a path, ? where it may be empty, and a format.
func (r *reader) placeholder(path, text string) part {
	words := strings.Split(text, ":")
	p := part{format: format{places: -1}}
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
		if rest, ok := strings.CutSuffix(words[i], "?"); ok {
			words[i], p.optional = strings.TrimSpace(rest), true
		}
	}
	p.holds = words[0]
	if !validPath.MatchString(p.holds) {
		r.fault(path, "has the placeholder {{%s}}, which is no path such as seller.name or items[0].unit", text)
		return part{text: " "}
	}
	if len(words) > 1 {
		if p.format.kind = words[1]; !isFormat(words[1]) {
			r.fault(path, "has the placeholder {{%s}}, whose format is none of %s", text, strings.Join(formats, ", "))
		}
	}
	if len(words) > 2 {
		places, err := strconv.Atoi(words[2])
		if err != nil || places < 0 || places > 10 || len(words) > 3 {
			r.fault(path, "has the placeholder {{%s}}, whose decimals are no number from 0 to 10", text)
		}
		p.format.places = places
	}
	return p
}

func isFormat(word string) bool {
	for _, f := range formats {
		if f == word {
			return true
		}
	}
	return false
}

// scope is where placeholders look: in a row, then in the whole.
type scope struct {
	*binder
	row *Value
}

// binder writes the data into the template.
type binder struct {
	ctx      context.Context
	data     Value
	pages    bool // page numbers are known
	page     int
	total    int
	currency string
	locale   locale.Locale
	faults   *reader
	shown    int // bytes of texts so far
}

// pageNumbers are the names of the number of the page, and of how many there are, in headers and footers.
var pageNumbers = map[string]bool{"pageNumber": false, "currentPage": false, "page": false, "totalPages": true, "pageCount": true, "pages": true}

func (s scope) find(path string) Value {
	if total, ok := pageNumbers[path]; ok && s.pages {
		n := s.page
		if total {
			n = s.total
		}
		return Value{Kind: Number, Text: strconv.Itoa(n)}
	}
	if s.row != nil {
		if v := s.row.Find(path); v.Kind != Null {
			return v
		}
	}
	return s.data.Find(path)
}

// filled is a content with its values.
type filled struct {
	text    string
	values  int // placeholders
	empty   int // of these without a value
	missing []string
}

// Bounds of texts with their values: a few kilobytes of placeholders for one large value would make gigabytes.
const (
	maxText  = 8 << 20 // bytes of one
	maxShown = 32 << 20
)

// between is how many parts of a text are filled before it is asked again whether there is time left: one text may have a million.
const between = 1000

// fill writes the values of placeholders into what is shown as text. Those that must have one and have none are told in missing.
func (s scope) fill(c content, otherwise format) filled {
	if s.shown > maxShown {
		return filled{} // the document is refused already
	}
	f := s.bind(c, otherwise)
	if s.shown += len(f.text); s.shown > maxShown {
		s.faults.fault(c.path, "makes the texts of the document longer than 32 MiB together")
		return filled{}
	}
	return f
}

// bind is fill for what is not shown as text.
func (s scope) bind(c content, otherwise format) filled {
	var f filled
	texts, values := make([]string, len(c.parts)), make([]bool, len(c.parts))
	rtl, size := false, 0
	for i, p := range c.parts {
		if i%between == 0 && s.ctx.Err() != nil {
			return filled{} // which nobody sees
		}
		if texts[i] = p.text; p.holds != "" {
			texts[i] = s.value(c, &p, otherwise, &f)
		}
		if size += len(texts[i]); size > maxText {
			s.faults.fault(c.path, "is longer than 8 MiB with its values")
			return filled{}
		}
		turned := text.RightToLeft(texts[i])
		rtl, values[i] = rtl || turned, p.holds != "" && !turned
	}
	if rtl {
		isolate(texts, values)
	}
	f.text = strings.Join(texts, "")
	return f
}

// value writes the value of a placeholder, and notes in f what it has none for.
func (s scope) value(c content, p *part, otherwise format, f *filled) string {
	f.values++
	v := s.find(p.holds)
	switch {
	case v.Empty() && v.Kind != Bool:
		f.empty++
		if !p.optional {
			f.missing = append(f.missing, p.holds)
		}
		return ""
	case v.Kind == List || v.Kind == Object:
		s.faults.fault(c.path, "has the placeholder {{%s}}, which is %s in the data and no single value", p.holds, words[v.Kind])
		return ""
	}
	form := p.format
	if form.kind == "" {
		form = otherwise
	}
	return s.written(v, form.under(otherwise))
}

// isolate keeps the order of values that run from left to right beside text that runs from right to left (UAX #9, LRI and PDI).
func isolate(texts []string, values []bool) {
	for i, isValue := range values {
		if isValue && texts[i] != "" && !strings.Contains(texts[i], "\n") {
			texts[i] = "\u2066" + texts[i] + "\u2069"
		}
	}
}

// under takes the symbol, locale and decimals of another where a format has none.
func (f format) under(o format) format {
	if f.symbol == nil {
		f.symbol = o.symbol
	}
	if f.locale == "" {
		f.locale = o.locale
	}
	if f.places < 0 && o.kind == f.kind {
		f.places = o.places
	}
	return f
}

// require tells of the placeholders that must have a value.
func (s scope) require(c content, f filled) {
	for _, path := range f.missing {
		s.faults.fault(c.path, "needs a value for {{%s}}, and the data has none; {{%s?}} may be empty", path, path)
	}
}

// written writes a value.
func (s scope) written(v Value, f format) string {
	l := s.locale
	if f.locale != "" {
		l, _ = locale.Of(f.locale)
	}
	if f.kind == "date" {
		return l.Date(v.Text)
	}
	d, err := decimal.Parse(v.Text)
	if f.kind == "" || err != nil || v.Kind == Bool {
		return v.Text
	}
	switch f.kind {
	case "percent":
		return l.Percent(d, f.places)
	case "number":
		if f.places < 0 {
			d = d.Trim()
		}
		return l.Number(d, f.places)
	}
	symbol, places := locale.Symbol(s.currency), f.places
	if f.symbol != nil {
		symbol = *f.symbol
	}
	if places < 0 {
		places = locale.Places(s.currency)
	}
	return l.Money(d, places, symbol)
}

// condition is a placeholder that must have a value for a block to be shown.
type condition struct{ path string }

// condition reads {{path}}, or the path alone.
func (o *object) condition() *condition {
	text := strings.TrimSpace(o.text("condition"))
	if text == "" {
		return nil
	}
	inner := text
	if m := placeholder.FindStringSubmatch(text); m != nil && m[0] == text {
		inner = m[1]
	}
	inner = strings.TrimSuffix(inner, "?")
	if !validPath.MatchString(inner) {
		o.r.fault(o.at("condition"), "must be one placeholder such as {{buyer.vatId}}, not %q", text)
		return nil
	}
	return &condition{inner}
}

func (s scope) holds(c *condition) bool { return c == nil || !s.find(c.path).Empty() }
