package mapping

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// FuzzReadParts holds what FuzzRead does for the tables of CII, of FatturaPA and of elements of every shape.
func FuzzReadParts(f *testing.F) {
	cii, fatture, shapes := ciiMapping(f), fatturaMapping(f), shapeMapping(f)
	f.Add([]byte(ciiDocument))
	f.Add([]byte(fatturaDocument))
	for _, content := range []string{"", `<x:Id>a</x:Id><x:Code subject="X">b</x:Code><x:Id/>`, "<x:Series>1</x:Series><x:No>2<!-- -->3</x:No><x:Series>4</x:Series>",
		`<x:More><x:Entry why="r">1</x:Entry></x:More><x:Less><x:Entry>2</x:Entry>text</x:Less>`, "<x:Row><x:Due>72</x:Due><x:Sub><x:From>20260131</x:From></x:Sub></x:Row>"} {
		f.Add([]byte(document(content)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if doc, err := xmltree.Parse(src, xmltree.Options{}); err == nil {
			checkAnyDocument(t, cii, doc)
			checkAnyDocument(t, fatture, doc)
			checkAnyDocument(t, shapes, doc)
		}
	})
}

// checkAnyDocument holds that a document of the syntax can be read, that each of its leaves is accounted for once, that each node
// has a place, and that what was read is written and read again without a change, or with a report.
func checkAnyDocument[T any](t *testing.T, m *Mapping[T], doc *xmltree.Document) {
	t.Helper()
	first, err := m.Read(t.Context(), doc)
	if err != nil {
		return
	}
	if a, all := first.Account, mappingtest.Leaves(doc); a.Mapped+a.Derived+a.Reported != all || a.Reported != len(a.Leaves) {
		t.Fatalf("%d leaves, %+v", all, a)
	}
	text := rewrite(t, m, first)
	written := parse(t, text)
	for _, l := range []*Locator{m.NewLocator(doc), m.NewLocatorOf(written, first.Invoice)} {
		for n := xmltree.Node(0); int(n) < l.doc.Len(); n++ {
			l.Locate(n)
		}
	}
	again, err := m.Read(t.Context(), written)
	if err != nil {
		t.Fatal(err)
	}
	if once := rewrite(t, m, again); once != text && again.Account.Reported == 0 {
		t.Fatalf("%s\nis written again as\n%s", text, once)
	}
}

// rewrite writes what was read.
func rewrite[T any](t *testing.T, m *Mapping[T], r *Reading[T]) string {
	t.Helper()
	w := xmltree.NewWriter(xmltree.WriterOptions{NoDecl: true})
	if _, err := m.Write(t.Context(), w, r.Invoice, Env{Element: r.Element, Edition: r.Edition, Specification: r.Specification}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return string(w.Bytes())
}
