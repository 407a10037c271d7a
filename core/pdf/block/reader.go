package block

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/pdf"
)

// Fault is what is wrong with a template, or with it and its data. Path is that of the member in the template, as
// body.blocks[3].data.columns[0].width.
type Fault struct {
	Path    string
	Message string
}

// Faults is all that is wrong with a template.
type Faults []Fault

// Error gives the first fault, and how many more there are.
func (f Faults) Error() string {
	text := f[0].Path + " " + f[0].Message
	if len(f) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(f)-1)
	}
	return text
}

// maxFaults is how many faults are told.
const maxFaults = 50

// reader reads a template and gathers what is wrong with it.
type reader struct {
	faults  Faults
	unknown []string
	page    *page
	styles  map[string]Value
}

func (r *reader) fault(path, format string, args ...any) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, Fault{path, fmt.Sprintf(format, args...)})
	}
}

// object is an object of the template that is being read.
type object struct {
	r    *reader
	path string
	v    Value
	used []string
}

func (r *reader) object(path string, v Value) *object {
	if v.Kind != Object {
		r.fault(path, "must be an object, not %s", words[v.Kind])
	}
	return &object{r: r, path: path, v: v}
}

func (o *object) at(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// get gives a member and notes that it is known. Null is as if it were not there.
func (o *object) get(name string) (Value, bool) {
	o.used = append(o.used, name)
	v := o.v.Get(name)
	return v, v.Kind != Null
}

// want is get for a member that must be there.
func (o *object) want(name string) (Value, bool) {
	v, ok := o.get(name)
	if !ok {
		o.r.fault(o.at(name), "is required")
	}
	return v, ok
}

// done notes the members that nobody asked for.
func (o *object) done() {
	for _, m := range o.v.Members {
		if !slices.Contains(o.used, m.Name) && len(o.r.unknown) < maxFaults {
			o.r.unknown = append(o.r.unknown, o.at(m.Name))
		}
	}
}

func (o *object) text(name string) string {
	v, ok := o.get(name)
	if ok && v.Kind != Text {
		o.r.fault(o.at(name), "must be a string, not %s", words[v.Kind])
		return ""
	}
	return v.Text
}

func (o *object) wantText(name string) string {
	if _, ok := o.want(name); !ok {
		return ""
	}
	return o.text(name)
}

func (o *object) boolean(name string, otherwise bool) bool {
	v, ok := o.get(name)
	if !ok {
		return otherwise
	}
	if v.Kind != Bool {
		o.r.fault(o.at(name), "must be true or false, not %s", words[v.Kind])
	}
	return v.Text == "true"
}

// number reads a number within bounds.
func (o *object) number(name string, otherwise, least, most float64) float64 {
	v, ok := o.get(name)
	if !ok {
		return otherwise
	}
	n, ok := o.measure(o.at(name), v, least, most)
	if !ok {
		return otherwise
	}
	return n
}

// measure reads a number that is one, or a string of one.
func (o *object) measure(path string, v Value, least, most float64) (float64, bool) {
	n, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != Number && v.Kind != Text || err != nil || n != n {
		o.r.fault(path, "must be a number, not %s", shown(v))
		return 0, false
	}
	if n < least || n > most {
		o.r.fault(path, "must be from %v to %v, not %s", least, most, v.Text)
		return 0, false
	}
	return n, true
}

func shown(v Value) string {
	if v.Kind == Text {
		return strconv.Quote(v.Text)
	}
	return words[v.Kind]
}

// choice reads one of several words; the first is taken where there is none.
func (o *object) choice(name string, words ...string) string {
	v, ok := o.get(name)
	if !ok {
		return words[0]
	}
	if v.Kind == Text && slices.Contains(words, v.Text) {
		return v.Text
	}
	allowed := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	o.r.fault(o.at(name), "must be one of %s, not %s", strings.Join(allowed, ", "), shown(v))
	return words[0]
}

// list reads an array; each is called with the path and value of an entry.
func (o *object) list(name string, each func(path string, v Value)) {
	v, ok := o.get(name)
	if !ok {
		return
	}
	if v.Kind != List {
		o.r.fault(o.at(name), "must be an array, not %s", words[v.Kind])
	}
	for i, entry := range v.List {
		each(fmt.Sprintf("%s[%d]", o.at(name), i), entry)
	}
}

func (o *object) wantList(name string, each func(path string, v Value)) {
	if _, ok := o.want(name); ok {
		o.list(name, each)
	}
}

// token gives what a value stands for: {token: "name"}, or the name alone, stand for an entry of a map of the page.
func (o *object) token(path string, v Value, scheme map[string]Value, of string) (Value, bool) {
	name := v.Text
	if v.Kind == Object {
		t := o.r.object(path, v)
		name = t.wantText("token")
		t.done()
		if _, known := scheme[name]; !known && name != "" {
			o.r.fault(path+".token", "is %q, which page.%s does not have", name, of)
		}
	}
	entry, known := scheme[name]
	switch {
	case known:
		return entry, true
	case v.Kind == Object:
		return v, false
	}
	return v, true
}

// color reads a colour; nil where there is none.
func (o *object) color(name string) *pdf.Color {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	if v, ok = o.token(o.at(name), v, o.r.page.colors, "colorScheme"); !ok {
		return nil
	}
	c, ok := parseColor(v.Text)
	if v.Kind != Text || !ok {
		o.r.fault(o.at(name), "must be a colour such as #1A2B3C or a token of page.colorScheme, not %s", shown(v))
		return nil
	}
	return c
}

// named are the colours that CSS 2.1 §4.3.6 names, and grey in its two spellings.
var named = map[string]pdf.Color{
	"black": {}, "silver": {192, 192, 192}, "gray": {128, 128, 128}, "grey": {128, 128, 128}, "white": {255, 255, 255}, "maroon": {128, 0, 0},
	"red": {255, 0, 0}, "purple": {128, 0, 128}, "fuchsia": {255, 0, 255}, "green": {0, 128, 0}, "lime": {0, 255, 0}, "olive": {128, 128, 0},
	"yellow": {255, 255, 0}, "navy": {0, 0, 128}, "blue": {0, 0, 255}, "teal": {0, 128, 128}, "aqua": {0, 255, 255}, "orange": {255, 165, 0},
	"lightgray": {211, 211, 211}, "lightgrey": {211, 211, 211}, "darkgray": {169, 169, 169}, "darkgrey": {169, 169, 169},
}

// parseColor reads #RGB, #RRGGBB, a name, or transparent, which is no colour.
func parseColor(text string) (*pdf.Color, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "transparent" {
		return nil, true
	}
	if c, ok := named[text]; ok {
		return &c, true
	}
	digits, ok := strings.CutPrefix(text, "#")
	if ok && len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if !ok || len(digits) != 6 || err != nil {
		return nil, false
	}
	return &pdf.Color{byte(n >> 16), byte(n >> 8), byte(n)}, true
}

// edges are lengths at four sides, in points.
type edges struct{ left, top, right, bottom float64 }

// margin reads a number, [horizontal, vertical], [left, top, right, bottom], or an object of sides.
func (o *object) margin(name string, otherwise edges, least float64) edges {
	v, ok := o.get(name)
	if !ok {
		return otherwise
	}
	return o.sides(name, v, otherwise, least, mostMargin)
}

// padding is as margin, from 0 to 50 points.
func (o *object) padding(name string, otherwise edges) edges {
	v, ok := o.get(name)
	if !ok {
		return otherwise
	}
	return o.sides(name, v, otherwise, 0, 50)
}

func (o *object) sides(name string, v Value, otherwise edges, least, most float64) edges {
	path := o.at(name)
	if v.Kind == Object {
		sides := o.r.object(path, v)
		e := edges{sides.number("left", 0, least, most), sides.number("top", 0, least, most), sides.number("right", 0, least, most), sides.number("bottom", 0, least, most)}
		sides.done()
		return e
	}
	var n []float64
	if v.Kind == List {
		for i, entry := range v.List {
			length, _ := o.measure(fmt.Sprintf("%s[%d]", path, i), entry, least, most)
			n = append(n, length)
		}
	} else {
		length, _ := o.measure(path, v, least, most)
		n = append(n, length)
	}
	switch len(n) {
	case 1:
		return edges{n[0], n[0], n[0], n[0]}
	case 2:
		return edges{n[0], n[1], n[0], n[1]}
	case 4:
		return edges{n[0], n[1], n[2], n[3]}
	}
	o.r.fault(path, "must be a number, [horizontal, vertical] or [left, top, right, bottom]")
	return otherwise
}

// width is how wide a column is to be.
type width struct {
	kind  byte // '*' for a share of what is left, 'a' for auto, '%' of the whole, 'p' for points
	value float64
}

// width reads a number of points, *, auto or a percentage.
func (o *object) width(name string, otherwise width) width {
	v, ok := o.get(name)
	if !ok {
		return otherwise
	}
	switch text := strings.TrimSpace(v.Text); {
	case v.Kind == Text && text == "*":
		return width{'*', 1}
	case v.Kind == Text && text == "auto":
		return width{'a', 0}
	case v.Kind == Text && strings.HasSuffix(text, "%"):
		v.Text = strings.TrimSuffix(text, "%")
		n, _ := o.measure(o.at(name), v, 0, 100)
		return width{'%', n}
	}
	if n, err := strconv.ParseFloat(v.Text, 64); err != nil || v.Kind != Number && v.Kind != Text || n != n {
		o.r.fault(o.at(name), `must be a number of points, "*", "auto" or a percentage such as "30%%", not %s`, shown(v))
		return otherwise
	}
	n, _ := o.measure(o.at(name), v, 0, 5000)
	return width{'p', n}
}
