package xmltree

import "sync/atomic"

// Vocabulary translates between the NameIDs of documents and the numbers by which a compiled program, such as a mapping or a
// rule set, knows its own names: 1 for the first name of NewVocabulary, 2 for the second. It is safe for concurrent use. It
// remembers one table of names; documents of one Parser therefore cost a comparison each.
type Vocabulary struct {
	names   []Name
	numbers map[Name]uint32
	last    atomic.Pointer[Translation]
}

// Translation is a Vocabulary's view of one table of names. It is read-only.
type Translation struct {
	table   *Names
	numbers []uint32
	ids     []NameID
}

// NewVocabulary makes a vocabulary; where a name is repeated its first number holds.
func NewVocabulary(names []Name) *Vocabulary {
	v := &Vocabulary{names: append([]Name(nil), names...), numbers: make(map[Name]uint32, len(names))}
	for i, name := range names {
		if v.numbers[name] == 0 {
			v.numbers[name] = uint32(i + 1)
		}
	}
	return v
}

// For gives the translation for a document. Two callers may make a translation at the same time: both are right, and one
// of them is kept.
func (v *Vocabulary) For(d *Document) *Translation {
	t := v.last.Load()
	if t == nil || t.table != d.table || len(t.numbers) < len(d.names) {
		t = v.translate(t, d.table)
		v.last.Store(t)
	}
	return t
}

// translate extends old, when it is of the same table, by the names that have come since.
func (v *Vocabulary) translate(old *Translation, table *Names) *Translation {
	list := *table.list.Load()
	t := &Translation{table: table, numbers: make([]uint32, 0, len(list)+64), ids: make([]NameID, len(v.names)+1)}
	if old != nil && old.table == table {
		t.numbers = append(t.numbers, old.numbers...)
		copy(t.ids, old.ids)
	}
	for id := len(t.numbers); id < len(list); id++ {
		n := v.numbers[list[id]]
		t.numbers = append(t.numbers, n)
		if n != 0 {
			t.ids[n] = NameID(id)
		}
	}
	return t
}

// Number is the vocabulary's number of a name of the document, 0 for a name outside the vocabulary and for no name.
func (t *Translation) Number(id NameID) uint32 { return t.numbers[id] }

// ID is the NameID in the document of the name with that number, 0 when the document cannot have it.
func (t *Translation) ID(number uint32) NameID { return t.ids[number] }
