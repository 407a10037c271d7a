package judge

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/rulebook"
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

// undeclared tells whether the schema is for other document elements.
func (v *Validity) undeclared() bool {
	return len(v.Errors) > 0 && v.Errors[0].Kind == xsd.KindRoot
}

// validate asks the schemas; nil when there are none.
func (s *Set) validate(ctx context.Context, doc *xmltree.Document) (*Validity, error) {
	var first *Validity
	for _, schema := range s.Schemas {
		v, err := validate(ctx, schema, doc)
		if err != nil || !v.undeclared() {
			return v, err
		}
		if first == nil {
			first = v
		}
	}
	return first, nil
}

// validate asks one schema.
func validate(ctx context.Context, s rulebook.Schema, doc *xmltree.Document) (*Validity, error) {
	root := doc.Root()
	if name := (xmltree.Name{Space: doc.Namespace(root), Local: doc.Local(root)}); s.Root != (xmltree.Name{}) && s.Root != name {
		line, column := doc.Position(root)
		return &Validity{Errors: []Violation{{xsd.KindRoot, doc.Path(root), line, column,
			fmt.Sprintf("The document element is %s in namespace %q: expected %s in namespace %q.", name.Local, name.Space, s.Root.Local, s.Root.Space)}}}, nil
	}
	violations, err := s.Schema.Validate(ctx, doc)
	v := &Validity{Valid: len(violations) == 0, Errors: []Violation{}}
	for _, x := range violations {
		v.Errors = append(v.Errors, Violation{x.Kind, x.Path, x.Line, x.Column, x.Message})
	}
	return v, err
}
