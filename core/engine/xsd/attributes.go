package xsd

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// attributes checks the attributes of n against its type. The attributes of the namespace of instances may stand on every
// element (part 1, clause 2.6) and have been looked at before. Required ones are counted, and searched for only when the
// count is short. Of the attributes that a wildcard lets through one may be an ID, and none where the type has one itself
// (clause 3.4.4).
func (v *validation) attributes(n xmltree.Node, t *complexType) {
	first, count := v.doc.Attributes(n)
	if count == 0 && t.required == 0 && !t.defaults {
		return
	}
	required, wildIDs := 0, 0
	for a := first; a < first+xmltree.Node(count); a++ {
		name := v.nameOf(a)
		if name != 0 && name <= lastInstanceSym {
			continue
		}
		switch use := t.use(name); {
		case use != nil && name != 0:
			if use.required {
				required++
			}
			v.attribute(n, a, use.decl.typ, use.value)
		case t.any != nil && t.any.spaces.has(v.doc.Namespace(a)):
			wildIDs += v.wildAttribute(n, a, name, t.any.process)
		default:
			v.violation(KindAttributeNotAllowed, a, "%s has no attribute %s", v.tag(n), v.doc.QName(a))
		}
	}
	if wildIDs > 1 || wildIDs > 0 && t.hasID() {
		v.violation(KindAttributeNotAllowed, n, "%s has more than one attribute of type ID", v.tag(n))
	}
	if required < t.required {
		v.missingAttributes(n, t)
	}
	if t.defaults {
		v.defaults(n, t)
	}
}

// defaults takes note of default values that matter elsewhere: as fields of identity constraints and as references to IDs.
func (v *validation) defaults(n xmltree.Node, t *complexType) {
	if v.identity.depth > 0 {
		v.identity.absent(v, n, t)
	}
	for i := range t.uses {
		if use := &t.uses[i]; use.value != nil && use.decl.typ.identity && v.attributeOf(n, use.sym) == xmltree.None {
			v.ids.value(v, n, use.decl.typ, []byte(use.value.text))
		}
	}
}

func (v *validation) missingAttributes(n xmltree.Node, t *complexType) {
	for i := range t.uses {
		if use := &t.uses[i]; use.required && v.attributeOf(n, use.sym) == xmltree.None {
			v.violation(KindAttributeMissing, n, "%s needs the attribute %s", v.tag(n), v.written(use.decl.name, n))
		}
	}
}

// attributeOf finds the attribute of n that the schema knows under that number.
func (v *validation) attributeOf(n xmltree.Node, name sym) xmltree.Node {
	first, count := v.doc.Attributes(n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if v.nameOf(a) == name {
			return a
		}
	}
	return xmltree.None
}

// attribute checks the value of attribute a.
func (v *validation) attribute(n, a xmltree.Node, t *simpleType, value *valueConstraint) {
	if v.identity.depth > 0 {
		v.identity.note(a, t)
	}
	if t.plain && value == nil {
		return
	}
	text := v.doc.Value(a)
	v.checker.place.node = n
	switch {
	case !v.checker.check(t, text):
		f := v.checker.fault
		v.violation(f.kind, a, "the attribute %s of %s has the value %s; %s", v.doc.QName(a), v.tag(n), quote(text), f.wants(text))
	case value != nil && value.fixed && !v.equals(t, text, value):
		v.violation(KindFixed, a, "the attribute %s of %s has the value %s; only %s is allowed", v.doc.QName(a), v.tag(n), quote(text), quote([]byte(value.text)))
	case t.identity:
		v.ids.value(v, n, t, text)
	}
}

// wildAttribute checks an attribute that a wildcard let through and gives 1 if it is an ID, else 0.
func (v *validation) wildAttribute(n, a xmltree.Node, name sym, p process) int {
	if p == processSkip {
		return 0
	}
	if decl := v.schema.attribute(name); decl != nil {
		v.attribute(n, a, decl.typ, decl.value)
		if decl.typ.special == specialID {
			return 1
		}
	} else if p == processStrict {
		v.violation(KindAttributeNotAllowed, a, "the attribute %s of %s is not known to the schema, and only known ones are allowed here", v.doc.QName(a), v.tag(n))
	}
	return 0
}

func (t *complexType) hasID() bool {
	for i := range t.uses {
		if t.uses[i].decl.typ.special == specialID {
			return true
		}
	}
	return false
}

// noAttributes reports all attributes of an element of simple type but those that every element may have.
func (v *validation) noAttributes(n xmltree.Node) {
	first, count := v.doc.Attributes(n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if name := v.nameOf(a); name == 0 || name > lastInstanceSym {
			v.violation(KindAttributeNotAllowed, a, "%s has no attribute %s", v.tag(n), v.doc.QName(a))
		}
	}
}

// hasInstance tells whether n has an attribute of the namespace of instances that means something.
func (v *validation) hasInstance(n xmltree.Node) bool {
	first, count := v.doc.Attributes(n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if name := v.nameOf(a); name == symType || name == symNil {
			return true
		}
	}
	return false
}

func (v *validation) hasType(n xmltree.Node) bool { return v.attributeOf(n, symType) != xmltree.None }

// typeOf gives the type that xsi:type names for n, else the one declared (clause 3.3.4). ok is false where xsi:type is wrong;
// that has been reported then.
func (v *validation) typeOf(n xmltree.Node, declared typeRef, decl *element) (t typeRef, ok bool) {
	a := v.attributeOf(n, symType)
	if a == xmltree.None {
		return declared, true
	}
	v.checker.place.node = n
	text := trimBlank(v.doc.Value(a))
	name, known := v.checker.qname(text)
	if known {
		t, known = v.schema.typeNamed(name)
	}
	if !known {
		v.violation(KindType, a, "xsi:type of %s names the type %s, which the schema does not know", v.tag(n), quote(text))
		return t, false
	}
	block := declared.blocked()
	if decl != nil {
		block |= decl.block
	}
	if !t.derivesFrom(declared, block) {
		v.violation(KindType, a, "xsi:type of %s names the type %s, which may not take the place of the declared type", v.tag(n), quote(text))
		return t, false
	}
	return t, true
}

// nilled checks xsi:nil; true means that the content is absent and has been checked.
func (v *validation) nilled(n xmltree.Node, t typeRef, decl *element) bool {
	a := v.attributeOf(n, symNil)
	if a == xmltree.None {
		return false
	}
	text := trimBlank(v.doc.Value(a))
	switch {
	case !isBoolean(text):
		v.violation(KindDatatype, a, "xsi:nil of %s has the value %s; expected is true or false", v.tag(n), quote(text))
		return false
	case !decl.nillable:
		v.violation(KindNil, a, "%s cannot be nil", v.tag(n))
		return false
	case truth(text) == '0':
		return false
	case decl.value != nil && decl.value.fixed:
		v.violation(KindNil, a, "%s has a prescribed value and cannot be nil", v.tag(n))
	}
	v.nilContent(n)
	if content := t.content(); content != nil && v.identity.depth > 0 {
		v.identity.note(n, content)
	}
	if t.complex != nil {
		v.attributes(n, t.complex)
	} else {
		v.noAttributes(n)
	}
	return true
}

// isNil tells whether n, which has been checked, is nil.
func (v *validation) isNil(n xmltree.Node) bool {
	a := v.attributeOf(n, symNil)
	if a == xmltree.None {
		return false
	}
	text := trimBlank(v.doc.Value(a))
	return isBoolean(text) && truth(text) == '1'
}

func (v *validation) nilContent(n xmltree.Node) {
	first, end := v.doc.Children(n)
	for c := first; c < end; c = v.doc.End(c) {
		if kind := v.doc.Kind(c); kind == xmltree.KindElement || kind == xmltree.KindText {
			v.violation(KindNil, n, "%s is nil and must be empty", v.tag(n))
			return
		}
	}
}
