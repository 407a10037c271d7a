package xmltree

import (
	"bytes"
	"hash/maphash"
)

// lexicon knows the names as documents write them. It outlives the document, so that a name costs its checks and its place in
// the Names table once and afterwards a hash and a comparison. The seed is random: who writes documents cannot choose
// names that collide.
type lexicon struct {
	names    *Names
	seed     maphash.Seed
	entries  []entry
	slots    []uint32 // open addressing: number of the entry, 0 is free
	prefixes map[string]uint32
	xmlSpace uint32 // number of XMLSpace
	bytes    int
	shapes   shapes
}

// entry is one qualified name as written.
type entry struct {
	raw    string
	hash   uint32
	prefix uint32 // number of the prefix, 0 for none
	local  uint32 // where the local part begins
	space  uint32 // namespace for which id holds, or noSpace
	id     NameID // expanded name of an element so named, and of an attribute with a prefix
	bare   NameID // expanded name in no namespace, for attributes without prefix and targets; 0 until asked
	decl   bool   // xmlns or xmlns:p; prefix is then the declared one
	seen   uint32 // serial of the last document that used it
	bound  *binds // of a declaration: what it said last; nil before

	// nextAttr is the first attribute that followed last time, or for an attribute the next one: what followed last time is what
	// follows mostly. 0 is an entry that nothing equals.
	nextAttr uint32
}

// binds is what a namespace declaration said last time, which it says mostly.
type binds struct {
	uri   string
	space uint32
	tag   uint64 // serial of the document and node of the element on which it said so
}

const noSpace = ^uint32(0)

// Numbers of prefixes that have a meaning of their own.
const (
	prefixNone = iota
	prefixXML
	prefixXMLNS
)

func newLexicon(names *Names) lexicon {
	return lexicon{
		names:    names,
		seed:     maphash.MakeSeed(),
		entries:  make([]entry, 1),
		slots:    make([]uint32, 512),
		prefixes: map[string]uint32{"": prefixNone, "xml": prefixXML, "xmlns": prefixXMLNS},
		xmlSpace: names.space([]byte(XMLSpace)),
		shapes:   newShapes(),
	}
}

// full tells that the lexicon should begin anew with the next document.
func (x *lexicon) full() bool { return len(x.entries) > fullNames || x.bytes > fullBytes }

// find gives the number of the entry of raw, or 0 and the slot where it belongs.
func (x *lexicon) find(raw []byte) (number, hash, slot uint32) {
	hash = uint32(maphash.Bytes(x.seed, raw))
	mask := uint32(len(x.slots) - 1)
	for slot = hash & mask; ; slot = (slot + 1) & mask {
		number = x.slots[slot]
		if e := &x.entries[number]; number == 0 || e.hash == hash && e.raw == string(raw) {
			return number, hash, slot
		}
	}
}

// add makes an entry of raw; false when raw is no QName (Namespaces in XML 1.0 clause 4).
func (x *lexicon) add(raw []byte, hash, slot uint32) bool {
	e := entry{raw: string(raw), hash: hash, space: noSpace}
	prefix, local := "", e.raw
	if c := bytes.IndexByte(raw, ':'); c >= 0 {
		prefix, local = e.raw[:c], e.raw[c+1:]
		e.local = uint32(c + 1)
		if !isNCName(prefix) {
			return false
		}
	}
	if !isNCName(local) {
		return false
	}
	switch {
	case prefix == "xmlns":
		e.decl, e.prefix = true, x.prefix(local)
	case e.raw == "xmlns":
		e.decl = true
	default:
		e.prefix = x.prefix(prefix)
	}
	x.entries = append(x.entries, e)
	x.bytes += len(raw)
	x.slots[slot] = uint32(len(x.entries) - 1)
	if len(x.entries) > len(x.slots)/2 {
		x.grow()
	}
	return true
}

func (x *lexicon) prefix(p string) uint32 {
	n, ok := x.prefixes[p]
	if !ok {
		n = uint32(len(x.prefixes))
		x.prefixes[p] = n
	}
	return n
}

func (x *lexicon) grow() {
	x.slots = make([]uint32, 2*len(x.slots))
	mask := uint32(len(x.slots) - 1)
	for i := 1; i < len(x.entries); i++ {
		slot := x.entries[i].hash & mask
		for x.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.slots[slot] = uint32(i)
	}
}

// attrName reads the name of an attribute at i, one that follows the name with number after, and gives the number of its entry and
// the position after it, -1 after an error. Attributes of one element mostly come in the same order, so that the one
// expected is compared before anything is hashed.
func (s *scanner) attrName(i int, after uint32) (number uint32, next int) {
	number = s.lex.entries[after].nextAttr
	if next = s.guess(number, i); next == 0 {
		number, next = s.name(i)
		s.lex.entries[after].nextAttr = number
	}
	return number, next
}

// guess gives the end of the name at i when it is the one expected, 0 otherwise.
func (s *scanner) guess(number uint32, i int) int {
	e := &s.lex.entries[number]
	next := i + len(e.raw)
	if number != 0 && next < len(s.src) && string(s.src[i:next]) == e.raw && endsName[s.src[next]] {
		if e.seen != s.serial {
			return s.firstUse(number, i, next)
		}
		return next
	}
	return 0
}

// firstUse notes that the document uses a name.
func (s *scanner) firstUse(number uint32, i, next int) int {
	s.lex.entries[number].seen = s.serial
	if !s.another(&s.distinct, number, i) {
		return -1
	}
	return next
}

// another counts one more name that is different from those before it in the document; false when there are too many. Names have
// numbers from 1. Those in foreseen tags are not counted: they came here when the tags were met first, so that their numbers are within
// the limit, and as long as all others are, too, there are not too many.
func (s *scanner) another(counter *int, number uint32, at int) bool {
	*counter++
	if s.foresight && int(number) > s.limits.Names {
		s.doubt = true
	}
	if s.doubt || *counter > s.limits.Names {
		s.tooManyNames(at)
		return false
	}
	return true
}

// name reads any name.
func (s *scanner) name(i int) (number uint32, next int) {
	next = nameEnd(s.src, i)
	raw := s.src[i:next]
	number, hash, slot := s.lex.find(raw)
	if number == 0 {
		if len(raw) > s.limits.NameBytes {
			return 0, s.fail(LimitName, i, "a name has more than %d bytes", s.limits.NameBytes)
		}
		if !s.lex.add(raw, hash, slot) {
			return 0, s.badName(i, raw)
		}
		number = uint32(len(s.lex.entries) - 1)
	}
	if s.lex.entries[number].seen != s.serial {
		return number, s.firstUse(number, i, next)
	}
	return number, next
}

func (s *scanner) badName(i int, raw []byte) int {
	if len(raw) == 0 {
		return s.fail(NotWellFormed, i, "a name is missing here")
	}
	return s.fail(NotWellFormed, i, "%q is not a name", shown(raw))
}

func (s *scanner) tooManyNames(i int) int {
	return s.fail(LimitNames, i, "the document uses more than %d different names", s.limits.Names)
}
