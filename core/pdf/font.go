package pdf

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// embedded is a face that the document uses, and the glyphs of it. Codes are the numbers of the glyphs in the subset: one for each pair
// of a glyph and what it stands for, so that what is copied from a page is exactly the text.
type embedded struct {
	face  *typeface.Loaded
	name  string
	self  ref
	codes map[slot]uint16
	slots []slot // code 1 first
	words map[*text.Shaped]string
	known int // glyphs of words
}

type slot struct {
	glyph int
	text  string
}

// maxCodes is how many codes of two bytes there are.
const maxCodes = 65535

// font gives the face as this document embeds it.
func (d *Document) font(face *typeface.Loaded) *embedded {
	f := d.fonts[face]
	if f == nil {
		f = &embedded{face: face, name: "F" + strconv.Itoa(len(d.fonts)+1), self: d.w.reserve(), codes: map[slot]uint16{}, words: map[*text.Shaped]string{}}
		d.fonts[face] = f
		d.fontOrder = append(d.fontOrder, f)
	}
	return f
}

// code gives the code of a glyph. When all codes are taken, glyphs share that of the same glyph.
func (f *embedded) code(g *text.Glyph) uint16 {
	key := slot{g.ID, g.Text}
	c := f.codes[key]
	if c == 0 && len(f.slots) < maxCodes {
		f.slots = append(f.slots, key)
		c = uint16(len(f.slots))
		f.codes[key] = c
	}
	return c
}

// word gives what shows a word: the elements of the array of TJ (ISO 32000-1 §9.4.3). Advances that differ from the width in the font
// become numbers between the glyphs. Words with glyphs that are shifted up or down cannot be shown so; for them it is empty.
func (f *embedded) word(w *text.Shaped) string {
	if known, ok := f.words[w]; ok {
		return known
	}
	var out []byte
	open, em := false, float64(f.face.UnitsPerEm)
	adjust := func(by float64) { // in thousandths, positive to the right
		if by > -0.5 && by < 0.5 {
			return
		}
		if open {
			out, open = append(out, '>'), false
		}
		out = appendNumber(out, -by)
	}
	for i := range w.Glyphs {
		g := &w.Glyphs[i]
		if g.Y != 0 {
			out = nil
			break
		}
		adjust(1000 * g.X)
		if !open {
			out, open = append(out, '<'), true
		}
		out = appendHex16(out, f.code(g))
		adjust(1000 * (g.Advance - g.X - float64(f.face.Advance(g.ID))/em))
	}
	if open {
		out = append(out, '>')
	}
	return f.know(w, string(out))
}

// mostGlyphs is how many glyphs of words are kept as they are shown; those of long texts come from the setter anew.
const mostGlyphs = 1 << 16

func (f *embedded) know(w *text.Shaped, shown string) string {
	if f.known += len(w.Glyphs) + 1; f.known > mostGlyphs {
		f.words, f.known = map[*text.Shaped]string{}, 0
	}
	f.words[w] = shown
	return shown
}

// writeFonts embeds the subsets.
func (d *Document) writeFonts() {
	for _, f := range d.fontOrder {
		d.writeFont(f)
	}
}

func (d *Document) writeFont(f *embedded) {
	glyphs := make([]int, len(f.slots))
	for i, s := range f.slots {
		glyphs[i] = s.glyph
	}
	file := f.face.Subset(glyphs)
	base := subsetTag(file) + "+" + f.face.PostScript
	data, w := d.w.reserve(), d.w
	w.stream(data, fmt.Sprintf("/Length1 %d", len(file)), file)
	scale := func(v int) string { return number(float64(v) * 1000 / float64(f.face.UnitsPerEm)) }
	b := f.face.Box
	descriptor := w.add("<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[%s %s %s %s]/ItalicAngle %d/Ascent %s/Descent %s/CapHeight %s/StemV 80/FontFile2 %v>>",
		base, scale(b[0]), scale(b[1]), scale(b[2]), scale(b[3]), f.face.Angle, scale(f.face.Ascent), scale(f.face.Descent), scale(f.face.CapHeight), data)
	descendant := w.add("<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"+
		"/FontDescriptor %v/CIDToGIDMap/Identity/DW 0/W[0[%s]]>>", base, descriptor, f.widths())
	unicode := w.reserve()
	w.stream(unicode, "", f.toUnicode())
	w.putf(f.self, "<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%v]/ToUnicode %v>>", base, descendant, unicode)
}

// widths are those of all codes, in thousandths of the size.
func (f *embedded) widths() []byte {
	var out []byte
	for _, s := range slices.Insert(slices.Clone(f.slots), 0, slot{}) {
		out = append(appendNumber(out, float64(f.face.Advance(s.glyph))*1000/float64(f.face.UnitsPerEm)), ' ')
	}
	return out
}

// subsetTag is the six letters before the name of a subset (§9.6.4), made of its bytes.
func subsetTag(file []byte) string {
	hash := sha256.Sum256(file)
	tag := hash[:6]
	for i := range tag {
		tag[i] = 'A' + tag[i]%26
	}
	return string(tag)
}

// toUnicode is the map from codes to characters (§9.10.3).
func (f *embedded) toUnicode() []byte {
	const sectionLimit = 100 // entries that one section may have
	out := []byte("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
		"/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	for from := 0; from < len(f.slots); from += sectionLimit {
		part := f.slots[from:min(from+sectionLimit, len(f.slots))]
		out = fmt.Appendf(out, "%d beginbfchar\n", len(part))
		for i, s := range part {
			out = append(appendHex16(append(out, '<'), uint16(from+i+1)), "><"...)
			out = append(appendUTF16(out, s.text), ">\n"...)
		}
		out = append(out, "endbfchar\n"...)
	}
	return append(out, "endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n"...)
}
