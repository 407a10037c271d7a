package inspect

import (
	"encoding/binary"
	"math"
	"regexp"
	"strconv"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// fontInfo is what is known of a font of the file.
type fontInfo struct {
	name    string
	unicode map[int]string
}

var (
	subsetName = regexp.MustCompile(`^[A-Z]{6}\+.+$`)
	mapping    = regexp.MustCompile(`<([0-9A-F]{4})><([0-9A-F]*)>\n`)
)

// fontOf looks at a font of the page once (ISO 19005-3 §6.2.11).
func (w *walker) fontOf(name string) *fontInfo {
	o := w.Dict(w.resources["Font"])[pdffile.Name(name)]
	ref, _ := o.(pdffile.Ref)
	if known := w.fonts[ref]; known != nil {
		return known
	}
	d := w.Dict(o)
	f := &fontInfo{name: string(w.Name(d["BaseFont"])), unicode: map[int]string{}}
	w.fonts[ref] = f
	w.check(w.Name(d["Subtype"]) == "Type0" && w.Name(d["Encoding"]) == "Identity-H", "%s is no composite font with Identity-H", f.name)
	w.check(subsetName.MatchString(f.name), "%s has no tag of a subset", f.name)
	stream, err := w.Decode(w.Stream(d["ToUnicode"]), mostStream)
	w.check(err == nil, "%s has no ToUnicode: %v", f.name, err)
	for _, m := range mapping.FindAllStringSubmatch(string(stream), -1) {
		code, _ := strconv.ParseInt(m[1], 16, 32)
		f.unicode[int(code)] = utf16Text("\xFE\xFF" + unhex(m[2]))
	}
	w.descendant(f, d)
	return f
}

// descendant looks at the CIDFont, and whether its widths are those of the embedded file.
func (w *walker) descendant(f *fontInfo, d pdffile.Dict) {
	list := w.Array(d["DescendantFonts"])
	if len(list) != 1 {
		w.fault("%s has %d descendants", f.name, len(list))
		return
	}
	cid := w.Dict(list[0])
	descriptor := w.Dict(cid["FontDescriptor"])
	w.check(w.Name(cid["Subtype"]) == "CIDFontType2" && w.Name(cid["CIDToGIDMap"]) == "Identity", "%s is no TrueType font with an identical map of glyphs", f.name)
	w.check(w.Name(cid["BaseFont"]) == pdffile.Name(f.name) && w.Name(descriptor["FontName"]) == pdffile.Name(f.name), "%s has other names in its parts", f.name)
	file, err := w.Decode(w.Stream(descriptor["FontFile2"]), mostStream)
	if err != nil {
		w.fault("%s is not embedded: %v", f.name, err)
		return
	}
	w.widths(f, file, w.Array(cid["W"]))
}

// widths compares the widths of the dictionary with those of the file, which may differ by a thousandth of the size.
func (w *walker) widths(f *fontInfo, file []byte, list pdffile.Array) {
	head, hmtx := table(file, "head"), table(file, "hmtx")
	if len(list) != 2 || len(head) < 54 {
		w.fault("%s has no list of widths, or a damaged file", f.name)
		return
	}
	all, em := w.Array(list[1]), float64(binary.BigEndian.Uint16(head[18:]))
	w.check(len(all)*4 == len(hmtx) || len(all)*4 < len(hmtx), "%s has more widths than glyphs", f.name)
	for i, o := range all {
		if 4*i+2 > len(hmtx) {
			return
		}
		want := float64(binary.BigEndian.Uint16(hmtx[4*i:])) * 1000 / em
		w.check(math.Abs(number(o)-want) <= 1, "the width of glyph %d of %s is %v, in the file it is %v", i, f.name, o, want)
	}
}

func number(o pdffile.Object) float64 {
	switch n := o.(type) {
	case pdffile.Integer:
		return float64(n)
	case pdffile.Real:
		v, _ := strconv.ParseFloat(string(n), 64)
		return v
	}
	return math.NaN()
}

// table gives a table of a TrueType file.
func table(file []byte, name string) []byte {
	if len(file) < 12 {
		return nil
	}
	for i := range int(binary.BigEndian.Uint16(file[4:])) {
		record := 12 + 16*i
		if len(file) < record+16 {
			return nil
		}
		from, size := int(binary.BigEndian.Uint32(file[record+8:])), int(binary.BigEndian.Uint32(file[record+12:]))
		if string(file[record:record+4]) == name && from+size <= len(file) {
			return file[from : from+size]
		}
	}
	return nil
}
