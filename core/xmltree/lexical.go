package xmltree

import (
	"bytes"
	"hash/maphash"
)

// lexicon knows the names as documents write them. It outlives the document, so that a name costs its checks and its place in
// the Names table once and afterwards a hash and a comparison.
type lexicon struct {
	names    *Names
	seed     maphash.Seed
	entries  []entry
	slots    []uint32 // open addressing: entry number + 1, 0 is free
	prefixes map[string]uint32
	bytes    int
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
}

const (
	noSpace = ^uint32(0)
	noEntry = ^uint32(0)
)

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
		slots:    make([]uint32, 512),
		prefixes: map[string]uint32{"": prefixNone, "xml": prefixXML, "xmlns": prefixXMLNS},
	}
}

// full tells that the lexicon should begin anew with the next document.
func (x *lexicon) full() bool { return len(x.entries) > fullNames || x.bytes > fullBytes }

// find gives the number of the entry of raw, or noEntry and the slot where it belongs.
func (x *lexicon) find(raw []byte) (number, hash, slot uint32) {
	hash = uint32(maphash.Bytes(x.seed, raw))
	mask := uint32(len(x.slots) - 1)
	for slot = hash & mask; ; slot = (slot + 1) & mask {
		n := x.slots[slot]
		if n == 0 {
			return noEntry, hash, slot
		}
		if e := &x.entries[n-1]; e.hash == hash && e.raw == string(raw) {
			return n - 1, hash, slot
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
	x.slots[slot] = uint32(len(x.entries))
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
	for i := range x.entries {
		slot := x.entries[i].hash & mask
		for x.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.slots[slot] = uint32(i + 1)
	}
}

// name reads the qualified name at i and gives the number of its entry and the position after it, -1 after an error.
func (s *scanner) name(i int) (number uint32, next int) {
	end := nameEnd(s.src, i)
	raw := s.src[i:end]
	if len(raw) > s.limits.NameBytes {
		return 0, s.fail(LimitName, i, "a name has more than %d bytes", s.limits.NameBytes)
	}
	number, hash, slot := s.lex.find(raw)
	if number == noEntry {
		if !s.lex.add(raw, hash, slot) {
			return 0, s.badName(i, raw)
		}
		number = uint32(len(s.lex.entries) - 1)
	}
	if e := &s.lex.entries[number]; e.seen != s.serial {
		e.seen = s.serial
		if s.distinct++; s.distinct > s.limits.Names {
			return 0, s.tooManyNames(i)
		}
	}
	return number, end
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
