package mydata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// FuzzRead ensures that any document is read to its last leaf: each is mapped, derived or reported, and what was read can be written.
func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob("../../../testdata/mydata/*.xml")
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
	format, err := New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := xmltree.Parse(text, xmltree.Options{})
		if err != nil {
			return
		}
		defer doc.Release()
		reading, err := format.Read(t.Context(), doc)
		if err != nil {
			return
		}
		if a := reading.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(doc) {
			t.Errorf("%+v, %d leaves", a, mappingtest.Leaves(doc))
		}
		out := xmltree.NewWriter(xmltree.WriterOptions{})
		if _, err := format.Write(t.Context(), out, reading.Invoice, "", false); err != nil {
			t.Error(err)
		}
	})
}
