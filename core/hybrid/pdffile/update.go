package pdffile

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrCrossReferences is of a file that cannot be updated, because nothing can refer back to its cross-reference data.
var ErrCrossReferences = errors.New("its cross-reference data is broken")

// section is the newest section of cross-reference data, to which that of an update refers back.
type section struct {
	offset, base int // as startxref gives it, and what it counts from
	stream       bool
	size         int // of the trailer
}

// Update is an incremental update (ISO 32000-1 §7.5.6): objects that are new or replace others, which stand behind the file. It is not safe
// for concurrent use.
type Update struct {
	file   *File
	out    printer
	placed map[int]place
	next   int  // number of the next new object
	whole  bool // the cross-reference data is to tell all objects of the file
}

// place is where an object stands after an update, as a row of a cross-reference stream tells it (ISO 32000-1 table 18).
type place struct {
	kind       entryKind
	offset     int // in the updated file; number of the stream that has it; of free ones the next
	generation int // index in that stream
}

// Update begins an update. The error wraps ErrCrossReferences, or is that of the limits.
func (f *File) Update() (*Update, error) {
	u := &Update{file: f, placed: map[int]place{}, next: f.newest.size}
	for number := range f.entries {
		u.next = max(u.next, number+1)
	}
	if n := len(f.data); n > 0 && f.data[n-1] != '\n' && f.data[n-1] != '\r' {
		u.out.WriteByte('\n')
	}
	return u, u.err()
}

// UpdateDamaged begins an update of a file whose cross-reference data is broken: the objects that were found by looking through the file get
// new cross-reference data, in a stream, which refers to nothing before it.
func (f *File) UpdateDamaged() (*Update, error) {
	f.rebuild()
	f.newest = section{stream: true}
	u, err := f.Update()
	u.whole = true
	if errors.Is(err, ErrCrossReferences) {
		err = u.err()
	}
	return u, err
}

func (u *Update) err() error {
	switch {
	case u.file.err != nil:
		return u.file.Err()
	case u.file.rebuilt && !u.whole:
		return ErrCrossReferences
	case u.next > maxNumber-16:
		return fmt.Errorf("update the PDF: %w", ErrLimit)
	}
	return nil
}

// Add adds an object.
func (u *Update) Add(o Object) Ref {
	ref := u.reserve()
	u.Replace(ref, o)
	return ref
}

func (u *Update) reserve() Ref {
	u.next++
	return Ref{Number: u.next - 1}
}

// Replace writes an object in place of the one that a reference leads to.
func (u *Update) Replace(ref Ref, o Object) {
	u.begin(ref)
	u.out.object(o)
	u.out.WriteString("\nendobj\n")
}

// begin begins an object, whose strings are encrypted as the file's are.
func (u *Update) begin(ref Ref) {
	u.placed[ref.Number] = place{plain, len(u.file.data) + u.out.Len(), ref.Generation}
	u.out.of, u.out.way = ref, nil
	if c := u.file.crypt; c != nil {
		u.out.way = c.ways[c.strings]
	}
	fmt.Fprintf(&u.out, "%d %d obj\n", ref.Number, ref.Generation)
}

// AddStream adds a stream with its data, which is compressed.
func (u *Update) AddStream(dict Dict, data []byte) Ref {
	return u.stream(packedDict(dict), compressed(data), u.file.crypt.ofStreams())
}

// AddEmbedded adds a stream whose data is an embedded file. Such may be encrypted in a way of their own.
func (u *Update) AddEmbedded(dict Dict, data []byte) Ref {
	return u.stream(packedDict(dict), compressed(data), u.file.crypt.ofFiles())
}

// AddMetadata adds a stream whose data is metadata. It is not compressed, so that programs find it which do not know PDF. A filter in the dictionary
// has to be that of a stream that is Plain.
func (u *Update) AddMetadata(dict Dict, data []byte) Ref {
	way := u.file.crypt.ofStreams()
	if c := u.file.crypt; c != nil && !c.metadata || dict["Filter"] != nil {
		way = nil
	}
	return u.stream(maps.Clone(dict), data, way)
}

func packedDict(dict Dict) Dict {
	dict = maps.Clone(dict)
	dict["Filter"] = Name("FlateDecode")
	return dict
}

// compressed is the data as FlateDecode has it.
func compressed(data []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write(data) // a buffer takes everything
	_ = z.Close()
	return out.Bytes()
}

// stream writes a stream. The end of its data stands on a line of its own (ISO 19005-3 §6.1.7.1).
func (u *Update) stream(dict Dict, data []byte, way *cipherWay) Ref {
	ref := u.reserve()
	data = way.seal(data, ref)
	dict["Length"] = Integer(len(data))
	u.begin(ref)
	u.out.object(dict)
	u.out.WriteString("\nstream\n")
	u.out.Write(data)
	u.out.WriteString("\nendstream\nendobj\n")
	return ref
}

// Finish writes the cross-reference data and gives what is to stand behind the bytes of the file. The error is ErrCrossReferences where
// the file has turned out to be damaged meanwhile, or that of the limits.
func (u *Update) Finish() ([]byte, error) {
	if err := u.err(); err != nil {
		return nil, err
	}
	trailer := u.trailer()
	if u.file.newest.stream {
		u.xrefStream(trailer)
	} else {
		u.xrefTable(trailer)
	}
	return u.out.Bytes(), nil
}

// trailer is that of the update: as the file has it, with a new second identifier (§14.4).
func (u *Update) trailer() Dict {
	trailer := Dict{}
	if !u.whole {
		trailer["Prev"] = Integer(u.file.newest.offset)
	}
	for _, key := range []Name{"Root", "Info", "Encrypt"} {
		if o, ok := u.file.Trailer[key]; ok {
			trailer[key] = o
		}
	}
	id, had := u.file.Array(u.file.Trailer["ID"]), true
	if len(id) != 2 {
		had = false
		id = Array{u.digest(), nil}
	}
	// The first identifier is part of the key that some files are encrypted with; where there is none it stays so.
	if had || u.file.crypt == nil {
		trailer["ID"] = Array{id[0], u.digest()}
	}
	return trailer
}

// digest is an identifier that follows from the file and what is added to it; of long files it takes begin and end.
func (u *Update) digest() String {
	const enough = 64 << 10
	data := u.file.data
	hash := md5.New()
	hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
	hash.Write(data[:min(len(data), enough)])
	hash.Write(data[max(0, len(data)-enough):])
	hash.Write(u.out.Bytes())
	return String(hash.Sum(nil))
}

// runs gives the numbers of the objects, as stretches of neighbours.
func (u *Update) runs() (list [][]int) {
	for _, number := range slices.Sorted(maps.Keys(u.placed)) {
		if n := len(list); n > 0 && list[n-1][len(list[n-1])-1] == number-1 {
			list[n-1] = append(list[n-1], number)
		} else {
			list = append(list, []int{number})
		}
	}
	return list
}

// xrefTable writes the cross-reference data as a table (§7.5.4) and ends the file.
func (u *Update) xrefTable(trailer Dict) {
	at := len(u.file.data) + u.out.Len() - u.file.newest.base
	trailer["Size"] = Integer(u.next)
	u.out.WriteString("xref\n")
	for _, run := range u.runs() {
		fmt.Fprintf(&u.out, "%d %d\n", run[0], len(run))
		for _, number := range run {
			p := u.placed[number]
			fmt.Fprintf(&u.out, "%010d %05d n \n", p.offset-u.file.newest.base, p.generation)
		}
	}
	u.out.WriteString("trailer\n")
	u.plain(trailer)
	fmt.Fprintf(&u.out, "\nstartxref\n%d\n%%%%EOF\n", at)
}

// plain writes an object that is never encrypted.
func (u *Update) plain(o Object) {
	u.out.way = nil
	u.out.object(o)
}

// placeAll places the objects of the file that the update leaves as they are.
func (u *Update) placeAll() {
	u.placed[0] = place{free, 0, maxGeneration}
	for number, e := range u.file.entries {
		if _, replaced := u.placed[number]; replaced || e.kind == free {
			continue
		}
		p := place{e.kind, e.offset, e.index}
		if e.kind == plain {
			s := u.file.scan(e.offset)
			_, _ = s.whole()
			p.generation, _ = s.whole()
		}
		u.placed[number] = p
	}
}

// xrefStream writes the cross-reference data as a stream (§7.5.8) and ends the file.
func (u *Update) xrefStream(dict Dict) {
	ref := u.reserve()
	u.placed[ref.Number] = place{kind: plain, offset: len(u.file.data) + u.out.Len()}
	if u.whole {
		u.placeAll()
	}
	var index Array
	var rows []byte
	for _, run := range u.runs() {
		index = append(index, Integer(run[0]), Integer(len(run)))
		for _, number := range run {
			p := u.placed[number]
			at := p.offset - u.file.newest.base
			if p.kind != plain {
				at = p.offset
			}
			rows = binary.BigEndian.AppendUint32(append(rows, byte(p.kind)), uint32(at))
			rows = binary.BigEndian.AppendUint16(rows, uint16(p.generation))
		}
	}
	rows = compressed(rows)
	dict["Type"], dict["W"], dict["Index"], dict["Size"] = Name("XRef"), Array{Integer(1), Integer(4), Integer(2)}, index, Integer(u.next)
	dict["Filter"], dict["Length"] = Name("FlateDecode"), Integer(len(rows))
	fmt.Fprintf(&u.out, "%d 0 obj\n", ref.Number)
	u.plain(dict)
	u.out.WriteString("\nstream\n")
	u.out.Write(rows)
	fmt.Fprintf(&u.out, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", u.placed[ref.Number].offset-u.file.newest.base)
}
