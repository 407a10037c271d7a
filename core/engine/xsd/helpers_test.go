package xsd

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// schemaText wraps declarations without target namespace.
func schemaText(body string) string {
	return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">` + body + `</xs:schema>`
}

// folder makes a file system of paths and texts.
func folder(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// compile compiles the file s.xsd of a folder.
func compile(t testing.TB, files map[string]string) *Schema {
	t.Helper()
	s, err := Compile(folder(files), Options{}, "s.xsd")
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	return s
}

// compileBody compiles declarations without target namespace.
func compileBody(t testing.TB, body string) *Schema {
	t.Helper()
	return compile(t, map[string]string{"s.xsd": schemaText(body)})
}

// schemaFaults compiles a folder that has faults and gives them.
func schemaFaults(t testing.TB, files map[string]string) SchemaErrors {
	t.Helper()
	_, err := Compile(folder(files), Options{}, "s.xsd")
	var faults SchemaErrors
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("compile gives %v, want faults of the schema", err)
	}
	return faults
}

func parse(t testing.TB, text string) *xmltree.Document {
	t.Helper()
	d, err := xmltree.Parse([]byte(text), xmltree.Options{})
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return d
}

// violations validates a document.
func violations(t testing.TB, s *Schema, text string) []Violation {
	t.Helper()
	return validate(t, s, parse(t, text))
}

func validate(t testing.TB, s *Schema, doc *xmltree.Document) []Violation {
	t.Helper()
	found, err := s.Validate(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// outline gives the kinds and paths of violations, one on each line.
func outline(found []Violation) string {
	var lines []string
	for _, v := range found {
		lines = append(lines, string(v.Kind)+" "+v.Path)
	}
	return strings.Join(lines, "\n")
}

// sample is a document with the outline of the violations expected, empty for a valid one.
type sample struct{ doc, want string }

// construct is a piece of a schema with documents that show what it means.
type construct struct {
	name    string
	body    string
	samples []sample
}

func (c construct) run(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		s := compileBody(t, c.body)
		for _, x := range c.samples {
			if got := outline(violations(t, s, x.doc)); got != x.want {
				t.Errorf("%s\n gives %q\n want  %q", x.doc, got, x.want)
			}
		}
	})
}
