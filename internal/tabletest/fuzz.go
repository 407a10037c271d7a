package tabletest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// FuzzRead ensures that any document is read to its last leaf: each is mapped, derived or reported, and what was read can be written. The
// documents that the pattern matches are where it begins.
func FuzzRead(f *testing.F, pattern string, codec format.Codec) {
	f.Helper()
	Seed(f, pattern)
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := xmltree.Parse(text, xmltree.Options{})
		if err != nil {
			return
		}
		defer doc.Release()
		reading, err := codec.Read(t.Context(), doc)
		if err != nil {
			return
		}
		if a := reading.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(doc) {
			t.Errorf("%+v, %d leaves", a, mappingtest.Leaves(doc))
		}
		out := xmltree.NewWriter(xmltree.WriterOptions{})
		if _, err := codec.Write(t.Context(), out, reading.Invoice, format.Edition{}); err != nil {
			t.Error(err)
		}
	})
}

// Seed gives the files that a pattern matches to a fuzz target.
func Seed(f *testing.F, pattern string) {
	f.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatal(len(paths), err)
	}
	for _, path := range paths {
		seed, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
}
