package validate

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
)

// Validity is what the schema of a Set says of a document.
type Validity struct {
	Valid  bool        `json:"valid"`
	Errors []Violation `json:"errors"` // in the order of the document, as many as xsd.Options allow
}

// Violation is an offence against the schema.
type Violation struct {
	Kind     xsd.Kind `json:"kind"`
	Location string   `json:"location"` // XPath of the element or attribute; empty when the document could not be read
	Line     int      `json:"line"`     // from 1; 0 when the place is the document as a whole
	Column   int      `json:"column"`   // the same, in characters
	Message  string   `json:"message"`
}

// kindNotWellFormed is the kind of violation of a document that could not be read.
const kindNotWellFormed xsd.Kind = "not-well-formed"

// validity is what the schemas said; nil where there are none.
func (p *pass) validity() *Validity {
	if len(p.schemas) == 0 {
		return nil
	}
	said := p.schemas[0]
	if said.stranger && len(said.violations) == 0 {
		return &Validity{Errors: []Violation{otherRoot(p.doc, said.schema.Root)}}
	}
	v := &Validity{Valid: len(said.violations) == 0, Errors: []Violation{}}
	for _, x := range said.violations {
		v.Errors = append(v.Errors, Violation{x.Kind, x.Path, x.Line, x.Column, x.Message})
	}
	return v
}

// otherRoot says that a schema is for documents with another document element.
func otherRoot(doc *xmltree.Document, expected xmltree.Name) Violation {
	root := doc.Root()
	line, column := doc.Position(root)
	return Violation{xsd.KindRoot, doc.Path(root), line, column, fmt.Sprintf("The document element is %s in namespace %q: expected %s in namespace %q.",
		doc.Local(root), doc.Namespace(root), expected.Local, expected.Space)}
}
