// Package pdffile reads the objects of PDF files (ISO 32000-1): classic and compressed cross-reference data, object streams, updates,
// linearised files, files with something before or after them, and damaged ones, whose objects are found by looking through all bytes.
// Files that are encrypted are read where the user password is empty. What comes from outside is bounded: depth, objects, work and
// inflated bytes.
package pdffile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Why a file cannot be read. The texts are for whoever sent it.
var (
	ErrNotPDF     = errors.New("it does not begin as a PDF file does")
	ErrDamaged    = errors.New("it is damaged or cut off: no document catalog could be found in it")
	ErrPassword   = errors.New("it is encrypted and cannot be opened without a password")
	ErrEncryption = errors.New("it is encrypted in a way that is not supported")
	ErrLimit      = errors.New("it takes more work to read than any invoice does")
)

// File is an open file. It is not safe for concurrent use.
type File struct {
	Trailer Dict // the newest of each key (§7.5.5)

	ctx     context.Context
	data    []byte
	entries map[int]entry
	packs   map[int]*pack // streams of objects that were read
	loading map[int]bool
	crypt   *crypt // nil where the file is not encrypted
	newest  section

	opening, rebuilt           bool
	values, inflated, searched int
	inPacks                    int   // objects that streams of objects tell of
	mostInflated               int   // bytes
	err                        error // a limit, or the end of the context; nothing is read from then on
}

// entry is where an object is (§7.5.4, §7.5.8.3).
type entry struct {
	kind   entryKind
	offset int // of the object in the file; number of the stream that has it
	index  int // in that stream
}

type entryKind uint8

const (
	free entryKind = iota
	plain
	packed
)

// Open reads the cross-reference data of a file; the objects are read when they are asked for. The errors wrap those above, or
// that of the context. With something before the header, offsets may count from the begin of the file or from the header:
// both are tried.
func Open(ctx context.Context, data []byte) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read the PDF: %w", err)
	}
	header := bytes.Index(data[:min(len(data), headerWithin)], []byte("%PDF-"))
	if header < 0 {
		return nil, ErrNotPDF
	}
	f := &File{ctx: ctx, data: data, opening: true, mostInflated: min(maxInflated, allInflated+perByte*len(data))}
	for _, base := range slices.Compact([]int{0, header}) {
		f.reset()
		if f.readXref(base) && f.decrypted() && f.isCatalog(f.Trailer["Root"]) {
			f.opening = false
			return f, f.Err()
		}
	}
	f.opening = false
	if f.crypt == nil || f.crypt.err == nil {
		f.rebuild()
	}
	return f, f.opened()
}

// opened is what speaks against the file once all was tried.
func (f *File) opened() error {
	switch {
	case f.err != nil:
		return f.Err()
	case f.crypt != nil && f.crypt.err != nil:
		return f.crypt.err
	case !f.isCatalog(f.Trailer["Root"]):
		return cmp.Or(f.Err(), ErrDamaged)
	}
	return nil
}

// isCatalog tells whether an object is the document catalog (§7.7.2). Some writers forget its type.
func (f *File) isCatalog(o Object) bool {
	dict := f.Dict(o)
	return f.Name(dict["Type"]) == "Catalog" || f.Dict(dict["Pages"]) != nil
}

func (f *File) reset() {
	f.Trailer, f.entries, f.packs, f.loading, f.crypt = Dict{}, map[int]entry{}, map[int]*pack{}, map[int]bool{}, nil
	f.inPacks = 0
}

// Err is the limit that the reading has met, or the error of the context; objects are missing from then on.
func (f *File) Err() error {
	if f.err != nil {
		return fmt.Errorf("read the PDF: %w", f.err)
	}
	return nil
}

// Encrypted tells whether the file is encrypted.
func (f *File) Encrypted() bool { return f.crypt != nil }

// Rebuilt tells whether the cross-reference data was broken, so that the objects were found by looking through the file.
func (f *File) Rebuilt() bool { return f.rebuilt }

// scan begins to read at an offset; one outside of the file is its end.
func (f *File) scan(offset int) *scanner {
	if offset < 0 || offset > len(f.data) {
		offset = len(f.data)
	}
	return &scanner{data: f.data, pos: offset, spend: f.spend}
}

// Resolve gives the object that a reference leads to, anything else as it is. What is missing or broken is nil (§7.3.10).
func (f *File) Resolve(o Object) Object {
	for range maxChain {
		ref, ok := o.(Ref)
		if !ok {
			return o
		}
		o = f.load(ref.Number)
	}
	return nil
}

// load reads an object. One that is not where it should be makes the file look for all objects, once. While the file is
// opened that is for Open to decide, which has other ways to try first. An object that is needed to read another, which is needed to read
// another, and so on, is missing once they are more than any file has: a stream has its length in one, which may be in a stream of objects.
func (f *File) load(number int) Object {
	e, ok := f.entries[number]
	if !ok || e.kind == free || f.err != nil || f.loading[number] || len(f.loading) > maxChain {
		return nil
	}
	f.loading[number] = true
	defer delete(f.loading, number)
	o, err := f.read(number, e)
	if err == nil || f.err != nil || f.rebuilt || f.opening {
		return o
	}
	f.rebuild()
	if e = f.entries[number]; e.kind != free {
		o, _ = f.read(number, e) // what is still broken counts as missing
	}
	return o
}

func (f *File) read(number int, e entry) (Object, error) {
	if e.kind == packed {
		return f.unpack(number, e)
	}
	o, of, err := f.objectAt(e.offset)
	if err != nil {
		return nil, err
	}
	if of.Number != number {
		return nil, fmt.Errorf("object %d stands where %d should: %w", of.Number, number, errSyntax)
	}
	return f.decryptStrings(o, of, 0), nil
}

// objectAt reads the indirect object that begins at an offset (§7.3.10).
func (f *File) objectAt(offset int) (Object, Ref, error) {
	s := f.scan(offset)
	begin := s.pos
	number, numbered := s.whole()
	generation, generated := s.whole()
	begins := numbered && generated && number <= maxNumber && generation <= maxGeneration && s.keyword("obj")
	if err := f.passed(s.pos - begin); err != nil || !begins {
		return nil, Ref{}, cmp.Or(err, errSyntax)
	}
	of := Ref{number, generation}
	if s.keyword("endobj") {
		return nil, of, nil
	}
	o, err := f.parse(s)
	if err != nil {
		return nil, of, err
	}
	if dict, ok := o.(Dict); ok && s.keyword("stream") {
		return f.streamAt(s.pos, dict, of), of, nil
	}
	return o, of, nil
}

// streamAt finds the data of a stream whose keyword ends at an offset: as long as its dictionary says if the end is there, else up to
// where the end is.
func (f *File) streamAt(from int, dict Dict, of Ref) *Stream {
	switch rest := f.data[from:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		from += len("\r\n")
	case bytes.HasPrefix(rest, []byte("\n")), bytes.HasPrefix(rest, []byte("\r")):
		from++
	}
	if length, ok := f.Resolve(dict["Length"]).(Integer); ok && length >= 0 && int64(length) <= int64(len(f.data)-from) {
		end := &scanner{data: f.data, pos: from + int(length)}
		if end.keyword("endstream") && f.passed(end.pos-from-int(length)) == nil {
			return &Stream{Dict: dict, raw: f.data[from : from+int(length)], of: of}
		}
	}
	return &Stream{Dict: dict, raw: f.upToEnd(from), of: of}
}

// upToEnd gives the bytes before the next end of a stream, without the end of the line before it; none once a limit was met.
func (f *File) upToEnd(from int) []byte {
	if f.err != nil {
		return nil
	}
	end := bytes.Index(f.data[from:], []byte("endstream"))
	if end < 0 {
		end = len(f.data) - from
	}
	if f.searched += end; f.searched > maxSearched {
		f.err = cmp.Or(f.err, ErrLimit)
	}
	raw := f.data[from : from+end]
	if bytes.HasSuffix(raw, []byte("\r\n")) {
		return raw[:len(raw)-2]
	}
	if n := len(raw); n > 0 && (raw[n-1] == '\n' || raw[n-1] == '\r') {
		raw = raw[:n-1]
	}
	return raw
}

// Dict gives the dictionary that an object is, or that a stream has; nil where it is none.
func (f *File) Dict(o Object) Dict {
	switch o := f.Resolve(o).(type) {
	case Dict:
		return o
	case *Stream:
		return o.Dict
	}
	return nil
}

// Array gives the array that an object is; nil where it is none.
func (f *File) Array(o Object) Array {
	list, _ := f.Resolve(o).(Array)
	return list
}

// Name gives the name that an object is; empty where it is none.
func (f *File) Name(o Object) Name {
	name, _ := f.Resolve(o).(Name)
	return name
}

// Stream gives the stream that an object is; nil where it is none.
func (f *File) Stream(o Object) *Stream {
	stream, _ := f.Resolve(o).(*Stream)
	return stream
}

// Integer gives the whole number that an object is; zero where it is none.
func (f *File) Integer(o Object) int {
	n, _ := f.Resolve(o).(Integer)
	return int(n)
}

// MayHave tells whether an object of the file may have the name. It is false only where all objects can be looked at as they stand in the file, and
// none has the name, as writers write it.
func (f *File) MayHave(name Name) bool {
	for _, e := range f.entries {
		if e.kind == packed {
			return true
		}
	}
	return bytes.Contains(f.data, []byte("/"+name))
}

// Version is the version of PDF that the header names, such as 1.4; a later one may stand in the catalog.
func (f *File) Version() string {
	header := bytes.Index(f.data[:min(len(f.data), headerWithin)], []byte("%PDF-"))
	s := f.scan(header + len("%PDF-"))
	return s.word()
}
