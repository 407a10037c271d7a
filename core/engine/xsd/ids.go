package xsd

import (
	"bytes"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// idTable holds the IDs of a document and the references to them (XML Schema part 1, clause 3.15.4).
type idTable struct {
	ids  map[string]xmltree.Node // to the element that has it
	refs []idRef
}

type idRef struct {
	id   string
	node xmltree.Node
}

func (t *idTable) reset() {
	t.ids, t.refs = nil, nil
}

// value takes note of the IDs and references in a valid value of element n.
func (t *idTable) value(v *validation, n xmltree.Node, typ *simpleType, raw []byte) {
	text := append([]byte(nil), v.checker.normalise(typ.white, raw)...)
	switch {
	case typ.variety == varietyUnion:
		if m := v.checker.member(typ, text); m != nil && m.identity {
			t.value(v, n, m, text)
		}
	case typ.variety == varietyList:
		for item := range bytes.FieldsSeq(text) {
			t.value(v, n, typ.item, item)
		}
	case typ.special == specialIDRef:
		t.refs = append(t.refs, idRef{string(text), n})
	case typ.special == specialID:
		t.add(v, n, string(text))
	}
}

func (t *idTable) add(v *validation, n xmltree.Node, id string) {
	if t.ids == nil {
		t.ids = map[string]xmltree.Node{}
	}
	if _, twice := t.ids[id]; twice {
		v.violation(KindID, n, "%s has the ID %s, which another element has already", v.tag(n), quote([]byte(id)))
		return
	}
	t.ids[id] = n
}

// unresolved reports the references to IDs that no element has.
func (t *idTable) unresolved(v *validation) {
	for _, r := range t.refs {
		if _, ok := t.ids[r.id]; !ok {
			v.violation(KindID, r.node, "%s refers to the ID %s, which no element has", v.tag(r.node), quote([]byte(r.id)))
		}
	}
}
