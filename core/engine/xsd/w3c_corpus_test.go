//go:build corpus

package xsd

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// w3cResult is what came of a test: passed, or why not.
type w3cResult struct {
	w3cTest
	failure string
}

func runW3C(t *testing.T, suite fs.FS, tests []w3cTest) []w3cResult {
	parser := newParser(t, xmltree.Options{Limits: xmltree.Limits{Attributes: 511}})
	type compiled struct {
		schema *Schema
		err    error
	}
	cache := map[string]compiled{}
	compile := func(files []string) (*Schema, error) {
		key := strings.Join(files, " ")
		c, ok := cache[key]
		if !ok {
			clear(cache)
			c.schema, c.err = Compile(suite, Options{OnlyLocated: true}, files...)
			cache[key] = c
		}
		return c.schema, c.err
	}
	var results []w3cResult
	for _, test := range tests {
		r := w3cResult{w3cTest: test}
		if test.schema {
			var faults SchemaErrors
			_, err := compile(test.schemas)
			if err != nil && !errors.As(err, &faults) {
				t.Fatalf("%s: %v", test.name, err)
			}
			if (err == nil) != test.valid {
				r.failure = outcome(err)
			}
		} else {
			r.failure = test.instanceFailure(t, suite, parser, compile)
		}
		results = append(results, r)
	}
	return results
}

func outcome(err error) string {
	if err == nil {
		return "no fault found"
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

func (test w3cTest) instanceFailure(t *testing.T, suite fs.FS, parser *xmltree.Parser, compile func([]string) (*Schema, error)) string {
	doc, err := parseFile(t, parser, suite, test.instance)
	if err != nil {
		if test.valid {
			return err.Error()
		}
		return ""
	}
	files := slices.Clone(test.schemas)
	spaces := map[string]bool{}
	for _, file := range files {
		space, _ := targetNamespace(suite, file)
		spaces[space] = true
	}
	for _, file := range schemaLocations(doc, path.Dir(test.instance)) {
		if space, ok := targetNamespace(suite, file); ok && !spaces[space] && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		files = []string{emptySchema}
	}
	schema, err := compile(files)
	if err != nil {
		if test.schemaValid {
			return "schema: " + outcome(err)
		}
		return ""
	}
	violations, err := schema.Validate(context.Background(), doc)
	switch {
	case err != nil:
		return err.Error()
	case len(violations) > 0 && test.valid:
		return string(violations[0].Kind) + ": " + violations[0].Message
	case len(violations) == 0 && !test.valid:
		return "no violation found"
	}
	return ""
}

func targetNamespace(suite fs.FS, file string) (space string, ok bool) {
	data, err := fs.ReadFile(suite, file)
	if err != nil {
		return "", false
	}
	doc, err := xmltree.Parse(data, xmltree.Options{InternalSubset: true})
	if err != nil {
		return "", true
	}
	return targetOf(doc), doc.Namespace(doc.Root()) == schemaSpace
}

// schemaLocations are the files that a document itself names.
func schemaLocations(d *xmltree.Document, dir string) []string {
	var files []string
	for n := xmltree.Node(0); int(n) < d.Len(); n++ {
		if d.Kind(n) != xmltree.KindAttribute || d.Namespace(n) != instanceSpace {
			continue
		}
		words := strings.Fields(d.String(n))
		switch d.Local(n) {
		case "schemaLocation":
			for i := 1; i < len(words); i += 2 {
				files = append(files, path.Join(dir, words[i]))
			}
		case "noNamespaceSchemaLocation":
			files = append(files, path.Join(dir, words[0]))
		}
	}
	return files
}
