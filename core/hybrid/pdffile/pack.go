package pdffile

import (
	"fmt"
	"slices"
)

// pack is a stream of objects (ISO 32000-1 §7.5.7), decoded.
type pack struct {
	data    []byte
	numbers []int
	offsets []int
	places  map[int]int // of the numbers, made for the first that cross-reference data has elsewhere
}

// place gives where the object of a number stands in the stream; false where it is not there. Cross-reference data says it too, but may be wrong.
func (p *pack) place(number, said int) (at int, ok bool) {
	if 0 <= said && said < len(p.numbers) && p.numbers[said] == number {
		return said, true
	}
	if p.places == nil {
		p.places = make(map[int]int, len(p.numbers))
		for i, n := range slices.Backward(p.numbers) {
			p.places[n] = i
		}
	}
	at, ok = p.places[number]
	return at, ok
}

// unpack reads an object out of the stream that has it.
func (f *File) unpack(number int, e entry) (Object, error) {
	p, err := f.packOf(e.offset)
	if err != nil {
		return nil, err
	}
	at, ok := p.place(number, e.index)
	if !ok {
		return nil, fmt.Errorf("object %d is not in its stream: %w", number, errSyntax)
	}
	s := &scanner{data: p.data, pos: p.offsets[at], spend: f.spend}
	return f.parse(s)
}

// packOf gives a stream of objects. Such streams are not in each other. One that is being read is not read again: its length
// may be an object that it has itself, and is then looked for in the file.
func (f *File) packOf(number int) (*pack, error) {
	if p, ok := f.packs[number]; ok && p != nil {
		return p, nil
	} else if e := f.entries[number]; ok || e.kind != plain || f.loading[-number] {
		return nil, fmt.Errorf("stream of objects %d: %w", number, errSyntax)
	}
	f.loading[-number] = true
	defer delete(f.loading, -number)
	p, err := f.readPack(number)
	f.packs[number] = p // nil where it cannot be read, so that it is not tried for each of its objects
	return p, err
}

func (f *File) readPack(number int) (*pack, error) {
	o, err := f.read(number, f.entries[number])
	if err != nil {
		return nil, err
	}
	stream, ok := o.(*Stream)
	if !ok {
		return nil, fmt.Errorf("stream of objects %d: %w", number, errSyntax)
	}
	p, err := f.newPack(stream)
	if err != nil {
		return nil, fmt.Errorf("stream of objects %d: %w", number, err)
	}
	return p, nil
}

// newPack decodes a stream of objects and reads the numbers and offsets before them.
func (f *File) newPack(stream *Stream) (*pack, error) {
	data, err := f.decode(stream, f.crypt.ofStreams(), maxDirectory)
	if err != nil {
		return nil, err
	}
	p := &pack{data: data}
	s := &scanner{data: data, spend: f.spend}
	first := min(max(0, f.Integer(stream.Dict["First"])), len(data))
	for range f.Integer(stream.Dict["N"]) {
		number, a := s.whole()
		offset, b := s.whole()
		if f.inPacks++; !a || !b || f.spend(1) != nil || f.inPacks > f.mostEntries() {
			break
		}
		p.numbers, p.offsets = append(p.numbers, number), append(p.offsets, first+min(offset, len(data)-first))
	}
	return p, nil
}
