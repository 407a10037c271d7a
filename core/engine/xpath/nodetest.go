package xpath

import (
	"slices"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// nodeTest is a resolved node test. names are numbers in the table of names of the program.
type nodeTest struct {
	kinds  nodeKinds
	names  []int  // any of these; nil for any name
	space  string // with anyLocal: any name in this namespace
	local  string // with anySpace: any name with this local part
	byPart bool   // space or local decide
	inner  *nodeTest
	never  bool // nothing of an untyped document is like that
}

// key is the same for the same test only.
func (t *nodeTest) key() string {
	text := strconv.AppendUint(nil, uint64(t.kinds), 10)
	for _, name := range t.names {
		text = strconv.AppendInt(append(text, ' '), int64(name), 10)
	}
	if t.byPart {
		text = append(append(append(append(text, '{'), t.space...), '}'), t.local...)
	}
	if t.never {
		text = append(text, '-')
	}
	if t.inner != nil {
		text = append(append(text, '('), t.inner.key()...)
	}
	return string(text)
}

// nodeKinds is a set of kinds of nodes, a bit for each xmltree.Kind.
type nodeKinds uint8

const (
	documents    nodeKinds = 1 << xmltree.KindDocument
	elements     nodeKinds = 1 << xmltree.KindElement
	attributes   nodeKinds = 1 << xmltree.KindAttribute
	texts        nodeKinds = 1 << xmltree.KindText
	comments     nodeKinds = 1 << xmltree.KindComment
	instructions nodeKinds = 1 << xmltree.KindInstruction
	anyNode                = documents | elements | attributes | texts | comments | instructions
)

// testKinds are the kinds of nodes for tests by kind.
var testKinds = map[syntax.TestKind]nodeKinds{
	syntax.AnyKindTest: anyNode, syntax.DocumentTest: documents, syntax.ElementTest: elements,
	syntax.AttributeTest: attributes, syntax.TextTest: texts, syntax.CommentTest: comments,
	syntax.ProcessingInstructionTest: instructions,
}

// nodeTest resolves a node test on an axis, which decides what a test by name is about (XPath 2.0, 3.2.1.2).
func (r *resolver) nodeTest(t syntax.NodeTest, axis syntax.Axis, at int) nodeTest {
	test := nodeTest{kinds: testKinds[t.Kind]}
	switch t.Kind {
	case syntax.NameTest:
		test.kinds = elements
		if axis == syntax.Attribute {
			test.kinds = attributes
		}
		r.testName(&test, t, at)
	case syntax.ElementTest, syntax.AttributeTest:
		r.testName(&test, t, at)
		test.never = t.Type != nil && !r.untypedIs(*t.Type, t.Kind, at)
	case syntax.DocumentTest:
		if t.Inner != nil {
			inner := r.nodeTest(*t.Inner, syntax.Child, at)
			test.inner = &inner
		}
	case syntax.ProcessingInstructionTest:
		if t.Named {
			test.names = []int{r.builder.name(xmltree.Name{Local: t.Name.Local})}
		}
	case syntax.SchemaElementTest, syntax.SchemaAttributeTest:
		r.prefix(t.Name.Prefix, "", at)
		r.fail("XPST0008", at, "no schema declares %v", t.Name)
	}
	return test
}

// testName resolves the name of a test for elements or attributes.
func (r *resolver) testName(test *nodeTest, t syntax.NodeTest, at int) {
	switch {
	case t.AnyPrefix && t.AnyLocal:
	case t.AnyPrefix:
		test.byPart, test.local = true, t.Name.Local
	case t.AnyLocal:
		test.byPart, test.space = true, r.prefix(t.Name.Prefix, "", at)
	default:
		space := ""
		if test.kinds == elements {
			space = r.static.DefaultElement
		}
		space = r.prefix(t.Name.Prefix, space, at)
		test.names = []int{r.builder.name(xmltree.Name{Space: space, Local: t.Name.Local})}
	}
}

// untypedIs tells whether the nodes of an untyped document have a type, or one derived from it.
func (r *resolver) untypedIs(n syntax.Name, kind syntax.TestKind, at int) bool {
	space := r.prefix(n.Prefix, r.static.DefaultElement, at)
	switch _, ok := xdm.TypeNamed(n.Local); {
	case space == schemaSpace && n.Local == "anyType":
		return true
	case space == schemaSpace && n.Local == "untyped":
		return kind == syntax.ElementTest
	case space == schemaSpace && (n.Local == "untypedAtomic" || n.Local == "anyAtomicType" || n.Local == "anySimpleType"):
		return kind == syntax.AttributeTest
	case space != schemaSpace || !ok:
		r.fail("XPST0008", at, "there is no type %v", n)
	}
	return false
}

// anyName tells whether only the kind of node matters.
func (t *nodeTest) anyName() bool { return t.names == nil && !t.byPart && t.inner == nil && !t.never }

// single gives the one name that the test asks for.
func (t *nodeTest) single() (name int, ok bool) {
	if len(t.names) != 1 || t.never {
		return 0, false
	}
	return t.names[0], true
}

// match tells whether a node passes the test.
func (t *nodeTest) match(f node) bool {
	doc := f.t.doc
	if t.kinds&(1<<doc.Kind(f.n)) == 0 || t.never {
		return false
	}
	switch {
	case t.names != nil:
		id := doc.Name(f.n)
		return slices.ContainsFunc(t.names, func(name int) bool { return f.t.ids[name] == id })
	case t.byPart && t.local != "":
		return doc.Local(f.n) == t.local
	case t.byPart:
		return doc.Namespace(f.n) == t.space
	case t.inner != nil:
		return t.inner.match(node{f.t, doc.Root()})
	}
	return true
}
