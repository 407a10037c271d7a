// Package xsd checks documents against XML Schema 1.0 (second edition), parts 1 and 2.
//
// Compile reads schema files as they are published: includes, imports and redefinitions inside one folder, nothing outside.
// Content models become deterministic automata in which counted particles have counters, so that checking a document takes
// one step for each element whatever maxOccurs says. Validate reports every violation and goes on after it.
//
// What follows of the standard's open points: a declaration of the document element is asked for; xsi:schemaLocation is not
// followed; ENTITY has no values, since documents have no DTD; default values are checked, but not added to the document.
package xsd

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Options say how a schema is read and what Validate gives. The zero value is the default.
type Options struct {
	// MaxViolations is how many violations Validate lists at most; one of KindMore follows if there are more. Default: 100
	MaxViolations int

	// OnlyLocated asks that imports name their file. Otherwise an import without schemaLocation, or with one outside the
	// folder, takes the file of the folder that has the namespace, the nearest one first. Default: false
	OnlyLocated bool

	// Limits bound each schema file. Default: those of xmltree
	Limits xmltree.Limits
}

const defaultViolations = 100

// Schema is a compiled schema: immutable and safe for concurrent use.
type Schema struct {
	vocabulary *xmltree.Vocabulary // its numbers are syms
	elements   []*element          // global ones, by sym
	attributes []*attribute
	types      map[xmltree.Name]typeRef
	notations  map[xmltree.Name]bool
	simples    []*simpleType // by number
	entries    []*element    // global elements of the entry files
	files      []string      // that it was made of
	limit      int
	scratch    sync.Pool
}

// Files gives the paths of the schema documents that the schema was made of, sorted.
func (s *Schema) Files() []string { return slices.Clone(s.files) }

func (s *Schema) element(name sym) *element {
	if int(name) < len(s.elements) {
		return s.elements[name]
	}
	return nil
}

func (s *Schema) attribute(name sym) *attribute {
	if int(name) < len(s.attributes) {
		return s.attributes[name]
	}
	return nil
}

func (s *Schema) simple(number uint32) *simpleType {
	if number == 0 {
		return nil
	}
	return s.simples[number-1]
}

func (s *Schema) typeNamed(name xmltree.Name) (typeRef, bool) {
	if t, ok := s.types[name]; ok {
		return t, true
	}
	return builtinType(name)
}

// builtinType finds a type of the standard.
func builtinType(name xmltree.Name) (typeRef, bool) {
	if name.Space != schemaSpace {
		return typeRef{}, false
	}
	if name.Local == anyType.name.Local {
		return typeRef{complex: anyType}, true
	}
	t, ok := builtins[name.Local]
	return typeRef{simple: t}, ok
}

// roots names the elements that a document may begin with, only those of that local name where there are some.
func (s *Schema) roots(local string) string {
	known := slices.ContainsFunc(s.entries, func(e *element) bool { return e.name.Local == local })
	var all []string
	for _, e := range s.entries {
		if !e.abstract && (!known || e.name.Local == local) {
			all = append(all, "<"+e.name.Local+">"+inSpace(e.name.Space))
		}
	}
	return "expected is " + oneOf(all)
}

func inSpace(uri string) string {
	if uri == "" {
		return " without namespace"
	}
	return " of the namespace " + uri
}

// violation takes note of a violation, unless there are too many.
func (v *validation) violation(kind Kind, n xmltree.Node, format string, args ...any) {
	if v.stopped {
		return
	}
	if len(v.found) >= v.schema.limit {
		v.found = append(v.found, Violation{Kind: KindMore, Node: n, Message: fmt.Sprintf("there are more violations; only %d are listed", v.schema.limit)})
		v.stopped = true
		return
	}
	v.found = append(v.found, Violation{Kind: kind, Node: n, Message: fmt.Sprintf(format, args...)})
}

// report gives the violations with their places.
func (v *validation) report() []Violation {
	if len(v.found) == 0 {
		return nil
	}
	// Places are found for those that are listed only, by one locator, which numbers long rows of siblings once.
	locator := xmltree.NewLocator(v.doc)
	for i := range v.found {
		x := &v.found[i]
		x.Path = locator.Path(x.Node)
		x.Line, x.Column = v.doc.Position(x.Node)
	}
	return v.found
}

// SchemaError says what is wrong with a schema and where.
type SchemaError struct {
	File    string
	Line    int
	Message string
}

// Error gives place and message.
func (e *SchemaError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("schema %s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("schema %s line %d: %s", e.File, e.Line, e.Message)
}

// SchemaErrors are all faults of a schema that were found, at most 20.
type SchemaErrors []*SchemaError

// maxSchemaErrors bounds the faults reported.
const maxSchemaErrors = 20

// Error gives all faults, one on each line.
func (e SchemaErrors) Error() string {
	all := make([]string, len(e))
	for i := range e {
		all[i] = e[i].Error()
	}
	return strings.Join(all, "\n")
}
