package validate

import (
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

const noteSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="note" type="xs:date"/><xs:element name="part" type="xs:date"/></xs:schema>`

const noteManifest = `manifest: 1
id: notes
version: "1"
syntax: notes
xsd:
  - {file: note.xsd, root: note}
schematron:
  - {file: note.sch, phase: strict}
files:
`

const noteRules = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<phase id="strict"><active pattern="s"/></phase>
<pattern id="s"><rule context="note"><assert id="S" test="xs:date(.) lt xs:date('2026-01-01')">early</assert></rule></pattern>
<pattern id="l"><rule context="note"><assert id="L" test="false()">never</assert></rule></pattern></schema>`

// noteBook loads a rulebook.
func noteBook(t testing.TB, schema string) (*rulebook.Book, error) {
	t.Helper()
	registry, err := noteRegistry(t, schema)
	if err != nil {
		return nil, err
	}
	return registry.Current().Find("notes", "", "2026-01-01")
}

// noteRegistry loads a folder with one rulebook.
func noteRegistry(t testing.TB, schema string) (*rulebook.Registry, error) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if err := root.Mkdir("notes-1", 0o700); err != nil {
		t.Fatal(err)
	}
	manifest := noteManifest
	for name, text := range map[string]string{"note.xsd": schema, "note.sch": noteRules} {
		manifest += "  " + name + ": " + hashOf(text) + "\n"
		writeIn(t, root, "notes-1/"+name, text)
	}
	writeIn(t, root, "notes-1/manifest.yaml", manifest)
	return rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{{Name: "test", Open: func() (fs.FS, error) { return root.FS(), nil }}}})
}

// TestOfBook ensures that a rulebook judges by its schema for its document element, and by the rules of its phase.
func TestOfBook(t *testing.T) {
	book, err := noteBook(t, noteSchema)
	if err != nil {
		t.Fatal(err)
	}
	set, err := OfBook(book)
	if err != nil {
		t.Fatal(err)
	}
	for document, want := range map[string]struct {
		valid bool
		kind  string
		fired int
	}{
		`<note>2025-12-31</note>`: {true, "", 0},
		`<note>2026-12-31</note>`: {true, "", 1},
		`<note/>`:                 {false, "datatype", 0},
		`<part>2025-12-31</part>`: {false, "root", 0},
	} {
		v := judgeText(t, set, document)
		if v.XSD.Valid != want.valid || len(v.Schematron) != want.fired || !want.valid && (v.Valid() || string(v.XSD.Errors[0].Kind) != want.kind || v.XSD.Errors[0].Location == "") {
			t.Errorf("%s: %+v %+v", document, v, v.XSD)
		}
	}
}

// TestOfBook_CompilesOnce ensures that what was compiled is kept, also over a load of the same rulebook.
func TestOfBook_CompilesOnce(t *testing.T) {
	registry, err := noteRegistry(t, noteSchema)
	if err != nil {
		t.Fatal(err)
	}
	var sets [3]*Set
	for i := range sets {
		if i == 2 {
			if _, err := registry.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if sets[i], err = OfBook(registry.Current().Books()[0]); err != nil {
			t.Fatal(err)
		}
		if sets[i].Schemas[0].Schema != sets[0].Schemas[0].Schema || sets[i].Rules[0] != sets[0].Rules[0] {
			t.Errorf("set %d was compiled anew", i)
		}
	}
}

// TestOfBook_BrokenSchema ensures that a schema that does not compile is told with the rulebook and the reason of the contract.
func TestOfBook_BrokenSchema(t *testing.T) {
	book, err := noteBook(t, `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="note" type="gone"/></xs:schema>`)
	if err == nil {
		_, err = OfBook(book)
	}
	if rulebook.ReasonOf(err) != rulebook.LoadFailed {
		t.Error(err)
	}
}

// BenchmarkJudge measures a small document with a schema and rules, parsing included.
func BenchmarkJudge(b *testing.B) {
	book, err := noteBook(b, noteSchema)
	if err != nil {
		b.Fatal(err)
	}
	set, err := OfBook(book)
	if err != nil {
		b.Fatal(err)
	}
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		b.Fatal(err)
	}
	source := []byte(`<note>2026-12-31</note>`)
	for b.Loop() {
		if v, err := set.Judge(b.Context(), parser, source, time.Time{}); err != nil || len(v.Schematron) != 1 {
			b.Fatal(errors.Join(err, errors.New("expected one finding")))
		}
	}
}
