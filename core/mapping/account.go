package mapping

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Account counts the leaves of a source document: every text of an element that is more than white space, and every attribute
// with a value but those of XML Schema instances. A text that a comment, an instruction or an element interrupts is as many
// leaves as it has pieces.
type Account struct {
	Mapped   int    // taken into the invoice
	Derived  int    // constants, and totals that come out the same when computed
	Reported int    // neither; the first of them stand in Leaves
	Leaves   []Leaf // at most LeafLimit, and not more than about LeafBytes
}

// LeafLimit caps the length of Account.Leaves and LeafBytes their paths and values; Reported counts on. Paths are bounded
// because they can be many times as long as the texts that they lead to: the account of a document of small leaves would
// outgrow the document.
const (
	LeafLimit = 10_000
	LeafBytes = 8 << 20
)

// Leaf is one piece of the source that the invoice does not hold.
type Leaf struct {
	Node   xmltree.Node // the element or attribute
	Path   string       // XPath with positions, as doc.Path gives it
	Line   int
	Term   string // the business term, where a row knows the place
	Value  string // at most 200 bytes
	Reason string // why it was not taken
}

// valueLimit bounds Leaf.Value.
const valueLimit = 200

const (
	unknownPlace = "EN 16931 and the invoice object have no place for it"
	notText      = "the element has no text of its own"
	// what follows is the text that the invoice gives
	constantReason = "written as "
	computesReason = "the invoice computes "
	givesReason    = "the invoice gives "
	tooDeep        = "the invoice holds lines within lines no deeper than 100 levels"
)

// schemaInstance is the namespace of schema locations, which say nothing about the invoice.
const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

// isLeaf tells whether a text or attribute says something.
func (r *reading) isLeaf(n xmltree.Node) bool {
	switch r.doc.Kind(n) {
	case xmltree.KindText:
		return !blank(r.doc.Value(n))
	case xmltree.KindAttribute:
		return len(r.doc.Value(n)) > 0 && r.doc.Namespace(n) != schemaInstance
	}
	return false
}

// reportAll reports every leaf of a subtree.
func (r *reading) reportAll(el xmltree.Node, reason string) {
	for n := el; n < r.doc.End(el); n++ {
		if r.isLeaf(n) {
			r.report(n, "", reason)
		}
	}
}

// report notes a leaf that the invoice does not hold; at is a text, an element with nothing but text, or an attribute.
func (r *reading) report(at xmltree.Node, term, reason string) {
	account := &r.account
	account.Reported++
	if len(account.Leaves) >= LeafLimit || r.leafBytes > LeafBytes {
		return
	}
	leaf := Leaf{Node: at, Term: term, Reason: reason, Value: string(clip(r.doc.Value(at), valueLimit))}
	if r.doc.Kind(at) == xmltree.KindText {
		leaf.Node = r.doc.Parent(at)
	}
	if r.places == nil {
		r.places = xmltree.NewLocator(r.doc)
	}
	leaf.Path, leaf.Line = r.places.Path(leaf.Node), r.doc.Line(leaf.Node)
	r.leafBytes += len(leaf.Path) + len(leaf.Value)
	account.Leaves = append(account.Leaves, leaf)
}

// LeafAt is a leaf of a document that a table took or leaves to others, with the reason why it is reported nevertheless; places are those of the
// document.
func LeafAt(doc *xmltree.Document, places *xmltree.Locator, at xmltree.Node, reason string) Leaf {
	value := []byte(trimmed(doc.String(at)))
	return Leaf{Node: at, Path: places.Path(at), Line: doc.Line(at), Value: string(clip(value, valueLimit)), Reason: reason}
}

// Miss reports a leaf that was mapped.
func (a *Account) Miss(leaf Leaf) {
	a.Mapped, a.Reported = a.Mapped-1, a.Reported+1
	if len(a.Leaves) < LeafLimit {
		a.Leaves = append(a.Leaves, leaf)
	}
}

// signatures is the namespace of XML Signature.
const signatures = "http://www.w3.org/2000/09/xmldsig#"

// WithoutSignature takes the leaves of a signature that the document carries of itself, below its document element, out of the account:
// what a signature says is no part of the invoice.
func (a *Account) WithoutSignature(doc *xmltree.Document) {
	before := len(a.Leaves)
	a.Leaves = slices.DeleteFunc(a.Leaves, func(leaf Leaf) bool {
		at := leaf.Node
		for parent := doc.Parent(at); parent != xmltree.None && parent != doc.Root(); parent = doc.Parent(at) {
			at = parent
		}
		return doc.Kind(at) == xmltree.KindElement && doc.Local(at) == "Signature" && doc.Namespace(at) == signatures
	})
	a.Reported -= before - len(a.Leaves)
}

// clip cuts a text at a character boundary.
func clip(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && text[limit]&0xC0 == 0x80 {
		limit--
	}
	return text[:limit]
}
