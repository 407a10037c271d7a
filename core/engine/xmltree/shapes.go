package xmltree

import "hash/maphash"

// shapes are the tags that documents had, each with the tags around it: documents of one origin are alike. All bytes of a tag, of the
// white space before it and of the start tags around it are part of what makes a shape, so what they mean, the namespaces of the
// names and how deep the tag stands included, is the same wherever the shape is met again.
type shapes struct {
	seed  maphash.Seed
	list  []shape
	keys  []shapeKey // of the same
	slots []uint32   // open addressing: number of the shape, 0 is free
	text  []byte
	attrs []node // as in the document; what is an offset in the source there is one from the beginning of the tag here
	decls []declaredThere
}

// shapeKey is what a shape is found by beside its text.
type shapeKey struct {
	around uint32 // shape of the start tag around it
	hash   uint32
	tags   uint32 // shapes inside it
}

// shape is one start or end tag, or a comment, with the white space before it. It has the size of a line of the cache.
type shape struct {
	at       uint32 // where white space and tag lie in shapes.text; behind a start tag lies the end tag that matches it
	length   uint32 // of white space and tag or comment
	blank    uint32 // of the white space
	end      uint32 // of the end tag that matches; 0 for the tag of an empty element
	tag      uint32 // of the node; 0 for an end tag
	number   uint32 // of the name of a start tag
	attrs    uint32 // where its attributes begin
	decls    uint32 // where its namespace declarations begin
	declares uint32 // how many there are
	skip     uint32 // of the white space, where its value begins: 1 after CR LF
	white    uint64 // value of the white space if that lies in the node, otherwise 0
	follow   [2]expected
}

// declaredThere is a namespace declaration of a shape. Its place counts from the beginning of the tag.
type declaredThere struct {
	declaration
	number uint32 // of the prefix
	space  uint32
}

// expected are the shapes that were last seen at a spot: the one that followed last when it was not expected, and the one
// before. Two, because optional elements make documents alternate between two ways.
type expected struct{ likely, other uint32 }

// The shape that is around the document element, and one that no source fits, for what is not known.
const (
	unknownShape = iota
	outermost
)

// Spots: inside an element with nothing read yet, and after a tag. What follows depends mostly on these.
func inside(shape uint32) (spot uint32) { return 2 * shape }

func after(shape uint32) (spot uint32) { return 2*shape + 1 }

// Bounds for what is remembered: hostile documents must not pin memory for ever. Values that differ from tag to tag, such as
// identifiers in attributes, are not worth remembering.
const (
	mostShapes   = 1 << 13
	mostTagBytes = 1 << 12
	mostComment  = 1 << 8
	mostTagsText = 1 << 19
	mostTagsIn   = 96
	mostNamed    = 32      // attributes and declarations of a tag
	mostAllNamed = 1 << 13 // and of all tags
)

func newShapes() shapes {
	x := shapes{seed: maphash.MakeSeed(), slots: make([]uint32, 512)}
	x.reset()
	return x
}

// reset forgets all shapes. The first two shapes are longer than any source, so that nothing ever begins with them.
func (x *shapes) reset() {
	clear(x.slots)
	x.text, x.attrs, x.decls = x.text[:0], x.attrs[:0], x.decls[:0]
	nothing := shape{length: ^uint32(0)}
	x.list, x.keys = append(x.list[:0], nothing, nothing), append(x.keys[:0], shapeKey{}, shapeKey{})
}

// full tells that the shapes should begin anew with the next document.
func (x *shapes) full() bool {
	return len(x.list) >= mostShapes || len(x.text) >= mostTagsText || len(x.attrs)+len(x.decls) >= mostAllNamed
}

// find gives the number of a shape, or 0, and the hash. The multiplier (2^32 by the golden ratio) spreads the numbers of
// shapes, which are small and close to each other.
func (x *shapes) find(around uint32, text []byte) (number, hash uint32) {
	hash = uint32(maphash.Bytes(x.seed, text)) ^ around*0x9E3779B1
	mask := uint32(len(x.slots) - 1)
	for slot := hash & mask; ; slot = (slot + 1) & mask {
		number = x.slots[slot]
		if number == unknownShape || x.keys[number].hash == hash && x.keys[number].around == around && string(x.textOf(number)) == string(text) {
			return number, hash
		}
	}
}

// textOf is the white space and tag of a shape.
func (x *shapes) textOf(number uint32) []byte {
	h := &x.list[number]
	return x.text[h.at : h.at+h.length]
}

// hasRoom tells whether one more tag is remembered inside a start tag.
func (x *shapes) hasRoom(around uint32) bool { return !x.full() && x.keys[around].tags < mostTagsIn }

// add remembers a shape with its text and the end tag that matches.
func (x *shapes) add(h shape, key shapeKey, text []byte, end string) (number uint32) {
	number = uint32(len(x.list))
	h.at, h.length, h.end = uint32(len(x.text)), uint32(len(text)), uint32(len(end))
	x.text = append(append(x.text, text...), end...)
	x.list, x.keys = append(x.list, h), append(x.keys, key)
	x.keys[key.around].tags++
	if x.occupy(number); len(x.list) > len(x.slots)/2 {
		x.slots = make([]uint32, 2*len(x.slots))
		for n := outermost + 1; n < len(x.list); n++ {
			x.occupy(uint32(n))
		}
	}
	return number
}

// occupy takes a slot for a shape.
func (x *shapes) occupy(number uint32) {
	mask := uint32(len(x.slots) - 1)
	slot := x.keys[number].hash & mask
	for x.slots[slot] != unknownShape {
		slot = (slot + 1) & mask
	}
	x.slots[slot] = number
}

// expected gives what is expected at a spot.
func (x *shapes) expected(spot uint32) *expected { return &x.list[spot>>1].follow[spot&1] }

// expect notes which shape was met at a spot; after tags that are not remembered nothing is expected.
func (x *shapes) expect(spot, number uint32) {
	if spot <= after(unknownShape) || number == unknownShape {
		return
	}
	if e := x.expected(spot); e.likely != number {
		e.likely, e.other = number, e.likely
	}
}
