//go:build corpus || oracles

package xsd

import (
	"io/fs"
	"testing"

	"einvoiced/core/xmltree"
)

func newParser(t testing.TB, opt xmltree.Options) *xmltree.Parser {
	t.Helper()
	parser, err := xmltree.NewParser(opt)
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// parseFile reads a document; the error says that it is not well-formed.
func parseFile(t testing.TB, parser *xmltree.Parser, fsys fs.FS, name string) (*xmltree.Document, error) {
	t.Helper()
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return parser.Parse(data)
}
