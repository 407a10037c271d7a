package pdffile

import (
	"bytes"
	"cmp"
)

// readXref reads the cross-reference data from the newest section back to the oldest (ISO 32000-1 §7.5.4 to §7.5.8). Offsets count
// from base. It says whether it could.
func (f *File) readXref(base int) bool {
	const word = "startxref"
	at := bytes.LastIndex(f.data, []byte(word))
	if at < 0 {
		return false
	}
	offset, ok := f.scan(at + len(word)).whole()
	seen := map[int]bool{}
	for ok && f.err == nil {
		if seen[offset] {
			return false // the sections lead in a circle
		}
		seen[offset] = true
		trailer, read := f.section(offset, base)
		if !read {
			return false
		}
		if len(seen) == 1 {
			f.newest = section{offset: offset, base: base, stream: f.Name(trailer["Type"]) == "XRef", size: f.Integer(trailer["Size"])}
		}
		f.addTrailer(trailer)
		var previous Integer
		previous, ok = trailer["Prev"].(Integer)
		offset = int(previous)
	}
	return len(seen) > 0 && f.err == nil
}

// addTrailer keeps of an older trailer the keys that no newer one has.
func (f *File) addTrailer(older Dict) {
	for key, value := range older {
		if _, ok := f.Trailer[key]; !ok {
			f.Trailer[key] = value
		}
	}
}

// section reads one section, a table or a stream.
func (f *File) section(offset, base int) (Dict, bool) {
	s := f.scan(offset + base)
	if !s.keyword("xref") {
		return f.streamSection(offset+base, base)
	}
	freed, ok := f.table(s, base)
	if !ok || !s.keyword("trailer") {
		return nil, false
	}
	o, err := f.parse(s)
	trailer, ok := o.(Dict)
	if err != nil || !ok {
		return nil, false
	}
	// In a hybrid-reference file the stream has the objects that the table hides as free (§7.5.8.4).
	if at, ok := trailer["XRefStm"].(Integer); ok {
		f.streamSection(int(at)+base, base)
	}
	for _, number := range freed {
		f.add(number, entry{})
	}
	return trailer, true
}

// add keeps an entry, unless a newer section has one.
func (f *File) add(number int, e entry) {
	if _, ok := f.entries[number]; f.spend(1) == nil && !ok && number <= maxNumber {
		f.enter(number, e)
	}
}

// enter keeps an entry in place of what there is. More of them than a file of this length has are the limit.
func (f *File) enter(number int, e entry) {
	if f.entries[number] = e; len(f.entries) > f.mostEntries() {
		f.err = cmp.Or(f.err, ErrLimit)
	}
}

// table reads the subsections of a table, and gives the objects that they call free.
func (f *File) table(s *scanner, base int) (freed []int, ok bool) {
	for {
		first, more := s.whole()
		if !more {
			return freed, true
		}
		count, counted := s.whole()
		if !counted {
			return nil, false
		}
		f.expect(count)
		for number := first; number-first < count; number++ {
			offset, a := s.whole()
			_, b := s.whole()
			if !a || !b {
				return nil, false
			}
			switch s.word() {
			case "n":
				f.add(number, entry{kind: plain, offset: offset + base})
			case "f":
				freed = append(freed, number)
			default:
				return nil, false
			}
		}
	}
}

// expect makes room for so many entries of a table, if the file is long enough for them.
func (f *File) expect(count int) {
	const shortest = 18 // bytes of an entry
	if len(f.entries) == 0 && count > 0 {
		f.entries = make(map[int]entry, min(count, len(f.data)/shortest))
	}
}

// streamSection reads a cross-reference stream (§7.5.8).
func (f *File) streamSection(offset, base int) (Dict, bool) {
	o, _, err := f.objectAt(offset)
	stream, ok := o.(*Stream)
	if err != nil || !ok {
		return nil, false
	}
	data, err := f.decode(stream, nil, maxDirectory)
	if err != nil {
		return nil, false
	}
	return stream.Dict, f.addRows(stream.Dict, data, base)
}

// addRows reads the rows of a cross-reference stream.
func (f *File) addRows(dict Dict, data []byte, base int) bool {
	widths, ok := f.widths(dict)
	if !ok {
		return false
	}
	width := widths[0] + widths[1] + widths[2]
	index := f.Array(dict["Index"])
	if index == nil {
		index = Array{Integer(0), dict["Size"]}
	}
	for ; len(index) >= 2; index = index[2:] {
		first := f.Integer(index[0])
		for number := first; first >= 0 && number-first < f.Integer(index[1]); number++ {
			if len(data) < width || f.err != nil {
				return f.err == nil
			}
			f.add(number, rowEntry(data, widths, base))
			data = data[width:]
		}
	}
	return true
}

// widths are the bytes of the three fields of a row.
func (f *File) widths(dict Dict) (widths [3]int, ok bool) {
	const most = 8
	list, sum := f.Array(dict["W"]), 0
	if len(list) < len(widths) {
		return widths, false
	}
	for i := range widths {
		widths[i] = f.Integer(list[i])
		if widths[i] < 0 || widths[i] > most {
			return widths, false
		}
		sum += widths[i]
	}
	return widths, sum > 0
}

func rowEntry(row []byte, widths [3]int, base int) entry {
	var fields [3]int
	for i, width := range widths {
		for _, c := range row[:width] {
			fields[i] = fields[i]<<8 | int(c)
		}
		row = row[width:]
	}
	if widths[0] == 0 {
		fields[0] = 1 // the default (table 17)
	}
	switch fields[0] {
	case 1:
		return entry{kind: plain, offset: fields[1] + base}
	case 2:
		return entry{kind: packed, offset: fields[1], index: fields[2]}
	}
	return entry{}
}
