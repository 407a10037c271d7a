// Package typeface has the faces that documents are set in: those of an operator's folder, and those that ship, which come from modules
// and are read when they are first needed. It makes the subsets of faces that PDF files embed.
package typeface

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
)

// Face is one face: a family in one weight and slope. It is safe for concurrent use.
type Face struct {
	Name   string // as messages call it
	Bold   bool
	Italic bool
	data   func() ([]byte, error)
	once   sync.Once
	loaded *Loaded
	err    error
}

// Loaded is a face that was read. Its lengths are in units of the face, of which UnitsPerEm make the size of the type.
type Loaded struct {
	Font       *font.Font
	UnitsPerEm int
	PostScript string // its name for PDF, without the tag of a subset
	Ascent     int    // above the baseline
	Descent    int    // below the baseline, negative
	CapHeight  int
	Box        [4]int // left, bottom, right, top of all glyphs
	Angle      int    // of italics, in degrees, negative to the right
	advances   []uint16
	offsets    []uint32 // of glyphs in glyf, one more than there are glyphs
	glyphs     []byte
	head       []byte
	hhea       []byte
	maxp       []byte
	hinting    map[string][]byte
}

// Load reads the face once. The error says why it cannot be used.
func (f *Face) Load() (*Loaded, error) {
	f.once.Do(func() {
		data, err := f.data()
		if err == nil {
			f.loaded, err = read(data)
		}
		if err != nil {
			f.err = fmt.Errorf("read the face %s: %w", f.Name, err)
		}
	})
	return f.loaded, f.err
}

// Blank is a glyph that draws nothing and has no width. Subsets of any face can have it.
const Blank = -1

// Advance is how far a glyph moves the pen.
func (l *Loaded) Advance(glyph int) int {
	if glyph >= 0 && glyph < len(l.advances) {
		return int(l.advances[glyph])
	}
	return 0
}

var (
	errOutlines  = errors.New("it has no TrueType outlines")
	errForbidden = errors.New("its licence bits do not let it be embedded")
	errTables    = errors.New("its tables are damaged")
)

// read takes the tables that setting and embedding need (OpenType 1.9, chapters of the same names).
func read(data []byte) (*Loaded, error) {
	if !whole(data) {
		return nil, errTables
	}
	loader, err := ot.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	l := &Loaded{hinting: map[string][]byte{}}
	if !loader.HasTable(ot.MustNewTag("glyf")) {
		return nil, errOutlines
	}
	if l.Font, err = font.NewFont(loader); err != nil {
		return nil, err
	}
	tables := map[string][]byte{}
	for _, name := range []string{"head", "hhea", "hmtx", "maxp", "loca", "glyf", "OS/2", "name", "post", "cvt ", "fpgm", "prep"} {
		tables[name], _ = loader.RawTable(ot.MustNewTag(name))
	}
	if err := l.measures(tables); err != nil {
		return nil, err
	}
	return l, l.outlines(tables)
}

// whole tells whether the tables of a file lie in it (OpenType 1.9, Table Directory). Their reader makes room for as many bytes as the directory promises, up
// to 4 GiB for each.
func whole(file []byte) bool {
	const header, record = 12, 16
	if len(file) < header || !slices.Contains([]string{"\x00\x01\x00\x00", "true", "OTTO"}, string(file[:4])) {
		return false
	}
	records := int(binary.BigEndian.Uint16(file[4:]))
	if len(file) < header+records*record {
		return false
	}
	for r := range slices.Chunk(file[header:header+records*record], record) {
		offset, length := binary.BigEndian.Uint32(r[8:]), binary.BigEndian.Uint32(r[12:])
		if uint64(offset)+uint64(length) > uint64(len(file)) {
			return false
		}
	}
	return true
}

// measures reads what the descriptor of a font in a PDF says (ISO 32000-1 §9.8).
func (l *Loaded) measures(tables map[string][]byte) error {
	head, hhea, os2 := tables["head"], tables["hhea"], tables["OS/2"]
	if len(head) < 54 || len(hhea) < 36 || len(tables["maxp"]) < 6 {
		return errTables
	}
	if len(os2) >= 10 && binary.BigEndian.Uint16(os2[8:])&0xF == 2 {
		return errForbidden
	}
	l.head, l.hhea, l.maxp = head, hhea, tables["maxp"]
	l.UnitsPerEm = int(binary.BigEndian.Uint16(head[18:]))
	if l.UnitsPerEm < 16 {
		return errTables
	}
	for i := range l.Box {
		l.Box[i] = signed(head, 36+2*i)
	}
	l.Ascent, l.Descent = signed(hhea, 4), signed(hhea, 6)
	l.CapHeight = l.Ascent * 7 / 10
	if len(os2) >= 90 {
		l.CapHeight = signed(os2, 88)
	}
	if post := tables["post"]; len(post) >= 8 {
		l.Angle = signed(post, 4)
	}
	l.PostScript = postScriptName(tables["name"])
	for _, name := range []string{"cvt ", "fpgm", "prep"} {
		if len(tables[name]) > 0 {
			l.hinting[name] = tables[name]
		}
	}
	return nil
}

// outlines reads where each glyph is, and how wide.
func (l *Loaded) outlines(tables map[string][]byte) error {
	count := int(binary.BigEndian.Uint16(l.maxp[4:]))
	long := signed(l.head, 50) == 1
	loca, size := tables["loca"], 2
	if long {
		size = 4
	}
	if len(loca) < size*(count+1) {
		return errTables
	}
	l.glyphs, l.offsets = tables["glyf"], make([]uint32, count+1)
	for i := range l.offsets {
		if long {
			l.offsets[i] = binary.BigEndian.Uint32(loca[4*i:])
		} else {
			l.offsets[i] = 2 * uint32(binary.BigEndian.Uint16(loca[2*i:]))
		}
		if int(l.offsets[i]) > len(l.glyphs) || i > 0 && l.offsets[i] < l.offsets[i-1] {
			return errTables
		}
	}
	return l.widths(tables["hmtx"], count)
}

func (l *Loaded) widths(hmtx []byte, count int) error {
	full := int(binary.BigEndian.Uint16(l.hhea[34:]))
	if full == 0 || full > count || len(hmtx) < 4*full {
		return errTables
	}
	l.advances = make([]uint16, count)
	for i := range l.advances {
		l.advances[i] = binary.BigEndian.Uint16(hmtx[4*min(i, full-1):])
	}
	return nil
}

func signed(table []byte, at int) int { return int(int16(binary.BigEndian.Uint16(table[at:]))) }

// postScriptName reads name 6 of the table of names, without what a name in a PDF cannot have.
func postScriptName(table []byte) string {
	if len(table) < 6 {
		return "Face"
	}
	count, storage := int(binary.BigEndian.Uint16(table[2:])), int(binary.BigEndian.Uint16(table[4:]))
	for i := range count {
		record := 6 + 12*i
		if len(table) < record+12 {
			break
		}
		if binary.BigEndian.Uint16(table[record+6:]) != 6 {
			continue
		}
		length, offset := int(binary.BigEndian.Uint16(table[record+8:])), int(binary.BigEndian.Uint16(table[record+10:]))
		if from := storage + offset; from+length <= len(table) {
			if name := letters(table[from : from+length]); name != "" {
				return name
			}
		}
	}
	return "Face"
}

// letters keeps letters, digits and hyphens of a name in any encoding.
func letters(raw []byte) string {
	var name []byte
	for _, b := range raw {
		if b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b == '-' {
			name = append(name, b)
		}
	}
	return string(name)
}
