package pdffile

import "bytes"

// rebuild finds the objects of a file whose cross-reference data is missing or broken by looking through all its bytes. Of objects
// with the same number the last one counts.
func (f *File) rebuild() {
	if f.rebuilt || f.err != nil {
		return
	}
	f.rebuilt = true
	known := f.crypt
	f.reset()
	streams := f.findObjects()
	f.findTrailers()
	if f.crypt = known; known == nil {
		f.decrypted()
	}
	if f.crypt == nil || f.crypt.err == nil {
		f.findPacked(streams)
		f.findRoot()
	}
}

// findObjects enters whatever looks like the begin of an object, and gives the numbers of streams of objects. The dictionaries of
// cross-reference streams are trailers too.
func (f *File) findObjects() (packs []int) {
	word, end := []byte("obj"), 0
	for f.err == nil {
		at := bytes.Index(f.data[end:], word)
		if at < 0 {
			return packs
		}
		at += end
		end = at + len(word)
		number, begin, ok := f.numbersBefore(at)
		if !ok || f.spend(1) != nil {
			continue
		}
		f.enter(number, entry{kind: plain, offset: begin})
		switch head := f.head(end); {
		case bytes.Contains(head, []byte("/ObjStm")):
			packs = append(packs, number)
		case bytes.Contains(head, []byte("/XRef")):
			f.findTrailer(begin)
		}
	}
	return packs
}

// head is the begin of an object, which ends where that of its data does.
func (f *File) head(from int) []byte {
	const enough = 1024
	head := f.data[from:min(len(f.data), from+enough)]
	for _, end := range []string{"stream", "endobj"} {
		head, _, _ = bytes.Cut(head, []byte(end))
	}
	return head
}

// numbersBefore reads backwards the number and the generation that stand before the keyword of an object.
func (f *File) numbersBefore(at int) (number, begin int, ok bool) {
	begin = at
	for range 2 {
		end := begin
		for begin > 0 && isSpace(f.data[begin-1]) {
			begin--
		}
		digits := begin
		for begin > 0 && isDigit(f.data[begin-1]) {
			begin--
		}
		// The generation may touch the keyword, the number not the generation.
		if begin == digits || end == digits && end != at {
			return 0, 0, false
		}
	}
	number, ok = f.scan(begin).whole()
	return number, begin, ok && 0 < number && number <= maxNumber
}

// findTrailer takes the dictionary of a cross-reference stream as a trailer.
func (f *File) findTrailer(begin int) {
	o, _, err := f.objectAt(begin)
	if stream, ok := o.(*Stream); err == nil && ok && stream.Dict["Type"] == Name("XRef") {
		f.newerTrailer(stream.Dict)
	}
}

// findTrailers takes whatever follows the keyword.
func (f *File) findTrailers() {
	word, end := []byte("trailer"), 0
	for f.err == nil {
		at := bytes.Index(f.data[end:], word)
		if at < 0 {
			return
		}
		end += at + len(word)
		o, err := f.parse(f.scan(end))
		if dict, ok := o.(Dict); err == nil && ok {
			f.newerTrailer(dict)
		}
	}
}

// newerTrailer keeps of a trailer further down the file the keys that find an object.
func (f *File) newerTrailer(newer Dict) {
	for _, key := range []Name{"Root", "Encrypt", "ID", "Info"} {
		if value, ok := newer[key]; ok {
			f.Trailer[key] = value
		}
	}
}

// findPacked enters the objects of the streams of objects that stand in no other place.
func (f *File) findPacked(packs []int) {
	tried := map[int]bool{}
	for i := len(packs) - 1; i >= 0; i-- {
		if tried[packs[i]] {
			continue
		}
		tried[packs[i]] = true
		p, err := f.packOf(packs[i])
		if err != nil {
			continue
		}
		for index, number := range p.numbers {
			f.add(number, entry{kind: packed, offset: packs[i], index: index})
		}
	}
}

// findRoot looks for a catalog where the trailer names none.
func (f *File) findRoot() {
	if f.isCatalog(f.Trailer["Root"]) {
		return
	}
	last := 0
	for number := range f.entries {
		if number > last && f.Name(f.Dict(Ref{Number: number})["Type"]) == "Catalog" {
			last = number
		}
	}
	if last > 0 {
		f.Trailer["Root"] = Ref{Number: last}
	}
}
