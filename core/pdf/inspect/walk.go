package inspect

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// walker follows the operators of a page.
type walker struct {
	*inspector
	resources pdffile.Dict
	page      page
	open      []int // marked contents: the identifier, -1 for artifacts, -2 within another
	saved     int
	font      *fontInfo
	hidden    int // marked contents within which the text is told otherwise
}

const (
	artifact = -1
	inner    = -2
)

func (w *walker) take(op operation) {
	switch op.operator {
	case "BDC", "BMC":
		w.begin(op)
	case "EMC":
		if len(w.open) == 0 {
			w.fault("EMC without a beginning")
			return
		}
		w.open = w.open[:len(w.open)-1]
		if w.hidden > len(w.open) {
			w.hidden = 0
		}
	case "q":
		w.saved++
		w.check(w.saved <= mostMarkedDepth, "graphics states nest deeper than %d", mostMarkedDepth)
	case "Q":
		w.saved--
	case "Tf":
		w.font = w.fontOf(strings.TrimPrefix(op.operands[0], "/"))
	case "Tj", "TJ":
		w.check(len(w.open) > 0, "text is shown outside of marked content")
		w.show(shown(op.operands[len(op.operands)-1]))
	case "f", "S", "B", "Do":
		w.check(len(w.open) > 0, "something is drawn outside of marked content")
	}
}

func (w *walker) begin(op operation) {
	mark := artifact
	tag, properties := op.operands[0], ""
	if len(op.operands) > 1 {
		properties = op.operands[1]
	}
	switch {
	case len(w.open) > 0:
		mark = inner
		if _, text, ok := strings.Cut(properties, "/ActualText<"); ok && w.hidden == 0 {
			digits, _, _ := strings.Cut(text, ">")
			w.add(utf16Text(unhex(digits)))
			w.hidden = len(w.open) + 1
		}
		w.check(tag != "/Artifact", "an artifact within content")
	case tag != "/Artifact":
		_, number, _ := strings.Cut(properties, "/MCID ")
		n, err := strconv.Atoi(strings.TrimRight(number, "> "))
		_, there := w.page.marked[n]
		w.check(err == nil && !there, "marked content without an identifier, or with one that was there")
		mark = n
		w.page.marked[n] = ""
	}
	w.open = append(w.open, mark)
}

// add adds text to the marked content that is open.
func (w *walker) add(text string) {
	if len(w.open) > 0 && w.open[0] >= 0 {
		w.page.marked[w.open[0]] += text
	}
}

func (w *walker) show(codes []int) {
	if w.font == nil {
		w.fault("text is shown without a font")
		return
	}
	for _, code := range codes {
		text, known := w.font.unicode[code]
		w.check(code != 0, "the glyph for what a face has not is shown")
		w.check(known && text != "", "code %04X of %s has no way back to text", code, w.font.name)
		if w.hidden == 0 {
			w.add(text)
		}
	}
}

// utf16Text reads a text string in UTF-16 with its mark, or as it is.
func utf16Text(s string) string {
	rest, ok := strings.CutPrefix(s, "\xFE\xFF")
	if !ok {
		return s
	}
	var units []uint16
	for i := 0; i+1 < len(rest); i += 2 {
		units = append(units, uint16(rest[i])<<8|uint16(rest[i+1]))
	}
	return string(utf16.Decode(units))
}

func unhex(digits string) string {
	var out []byte
	for i := 0; i+1 < len(digits); i += 2 {
		n, _ := strconv.ParseUint(digits[i:i+2], 16, 8)
		out = append(out, byte(n))
	}
	return string(out)
}
