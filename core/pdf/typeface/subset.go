package typeface

import (
	"encoding/binary"
	"slices"
)

// Subset gives a TrueType font file with these glyphs alone, numbered in their order: the first is glyph 1, and glyph 0 is that for
// what a face has not. A glyph may come more than once. Parts of composite glyphs follow after them. The file has the tables that a
// CIDFontType2 needs (ISO 32000-1 §9.9, table 126).
func (l *Loaded) Subset(glyphs []int) []byte {
	order := append([]int{0}, glyphs...)
	number := map[int]int{}
	var glyf []byte
	var offsets []uint32
	for i := 0; i < len(order); i++ {
		offsets = append(offsets, uint32(len(glyf)))
		outline := slices.Clone(l.outline(order[i]))
		for _, at := range parts(outline) {
			part := int(binary.BigEndian.Uint16(outline[at:]))
			if _, known := number[part]; !known {
				number[part] = len(order)
				order = append(order, part)
			}
			binary.BigEndian.PutUint16(outline[at:], uint16(number[part]))
		}
		glyf = append(glyf, outline...)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
	}
	offsets = append(offsets, uint32(len(glyf)))
	return l.file(order, offsets, glyf)
}

// outline is the data of one glyph; empty where it draws nothing.
func (l *Loaded) outline(glyph int) []byte {
	if glyph < 0 || glyph+1 >= len(l.offsets) {
		return nil
	}
	return l.glyphs[l.offsets[glyph]:l.offsets[glyph+1]]
}

// Flags of the parts of composite glyphs (OpenType, table glyf).
const (
	wordArguments = 0x0001
	oneScale      = 0x0008
	moreParts     = 0x0020
	twoScales     = 0x0040
	fourScales    = 0x0080
)

// parts gives where the glyph numbers of the parts of a composite glyph are.
func parts(outline []byte) (at []int) {
	if len(outline) < 10 || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return nil
	}
	for i := 10; i+4 <= len(outline); {
		flags := binary.BigEndian.Uint16(outline[i:])
		at = append(at, i+2)
		i += 6
		if flags&wordArguments != 0 {
			i += 2
		}
		switch {
		case flags&oneScale != 0:
			i += 2
		case flags&twoScales != 0:
			i += 4
		case flags&fourScales != 0:
			i += 8
		}
		if flags&moreParts == 0 {
			break
		}
	}
	return at
}

// file puts the tables together.
func (l *Loaded) file(order []int, offsets []uint32, glyf []byte) []byte {
	head, hhea, maxp := slices.Clone(l.head), slices.Clone(l.hhea), slices.Clone(l.maxp)
	binary.BigEndian.PutUint32(head[8:], 0)  // checkSumAdjustment, set at the end
	binary.BigEndian.PutUint16(head[50:], 1) // long offsets
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(order)))
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(order)))
	var loca, hmtx []byte
	for _, o := range offsets {
		loca = binary.BigEndian.AppendUint32(loca, o)
	}
	for _, g := range order {
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(l.Advance(g)))
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(l.left(g)))
	}
	tables := map[string][]byte{"glyf": glyf, "head": head, "hhea": hhea, "hmtx": hmtx, "loca": loca, "maxp": maxp}
	for name, table := range l.hinting {
		tables[name] = table
	}
	return pack(tables)
}

// left is the left side of a glyph, which stands in its outline too.
func (l *Loaded) left(glyph int) int16 {
	if outline := l.outline(glyph); len(outline) >= 4 {
		return int16(binary.BigEndian.Uint16(outline[2:]))
	}
	return 0
}

// pack writes a font file of tables (OpenType, chapter "Organization of an OpenType font").
func pack(tables map[string][]byte) []byte {
	names := make([]string, 0, len(tables))
	for name := range tables {
		names = append(names, name)
	}
	slices.Sort(names)
	file := binary.BigEndian.AppendUint32(nil, 0x00010000)
	power, log := 1, 0
	for power*2 <= len(names) {
		power, log = power*2, log+1
	}
	for _, n := range []int{len(names), power * 16, log, (len(names) - power) * 16} {
		file = binary.BigEndian.AppendUint16(file, uint16(n))
	}
	at, adjust := len(file)+16*len(names), 0
	var body []byte
	for _, name := range names {
		table := tables[name]
		if name == "head" {
			adjust = at + len(body) + 8
		}
		file = append(file, name...)
		file = binary.BigEndian.AppendUint32(file, checksum(table))
		file = binary.BigEndian.AppendUint32(file, uint32(at+len(body)))
		file = binary.BigEndian.AppendUint32(file, uint32(len(table)))
		body = append(body, table...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	file = append(file, body...)
	binary.BigEndian.PutUint32(file[adjust:], 0xB1B0AFBA-checksum(file))
	return file
}

func checksum(table []byte) (sum uint32) {
	for len(table) >= 4 {
		sum += binary.BigEndian.Uint32(table)
		table = table[4:]
	}
	var rest [4]byte
	copy(rest[:], table)
	return sum + binary.BigEndian.Uint32(rest[:])
}
