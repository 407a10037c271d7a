package pdffile

import "fmt"

// pack is a stream of objects (ISO 32000-1 §7.5.7), decoded.
type pack struct {
	data    []byte
	numbers []int
	offsets []int
}

// unpack reads an object out of the stream that has it.
func (f *File) unpack(number int, e entry) (Object, error) {
	p, err := f.packOf(e.offset)
	if err != nil {
		return nil, err
	}
	at := e.index
	if at >= len(p.numbers) || p.numbers[at] != number {
		for at = range p.numbers {
			if p.numbers[at] == number {
				break
			}
		}
	}
	if at >= len(p.numbers) || p.numbers[at] != number {
		return nil, fmt.Errorf("object %d is not in its stream: %w", number, errSyntax)
	}
	s := &scanner{data: p.data, pos: p.offsets[at], spend: f.spend}
	return f.parse(s)
}

// packOf gives a stream of objects. Such streams are not in each other. One that is being read is not read again: its length
// may be an object that it has itself, and is then looked for in the file.
func (f *File) packOf(number int) (*pack, error) {
	if p, ok := f.packs[number]; ok {
		return p, nil
	}
	e := f.entries[number]
	if e.kind != plain || f.loading[-number] {
		return nil, fmt.Errorf("stream of objects %d: %w", number, errSyntax)
	}
	f.loading[-number] = true
	defer delete(f.loading, -number)
	o, err := f.read(number, e)
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
	f.packs[number] = p
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
	first := f.Integer(stream.Dict["First"])
	for range f.Integer(stream.Dict["N"]) {
		number, a := s.whole()
		offset, b := s.whole()
		if !a || !b || f.spend(1) != nil {
			break
		}
		p.numbers, p.offsets = append(p.numbers, number), append(p.offsets, min(max(0, first)+offset, len(data)))
	}
	return p, nil
}
