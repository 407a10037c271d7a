package rulebook

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/rulebooks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What a publisher might publish: a rule set in two files with a code list, and a schema of three.
var published = map[string]string{
	"rules/v2.1/library.sch": `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <title>Rules of a small library</title>
  <ns prefix="inv" uri="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>
  <include href="../parts/books.sch"/>
</schema>`,
	"rules/parts/books.sch": `<pattern xmlns="http://purl.oclc.org/dsdl/schematron" id="books">
  <rule context="inv:book">
    <assert id="B-1" flag="fatal" test="document('../codes/shelves.xml')//shelf = @shelf">The shelf is there.</assert>
    <assert id="B-2" flag="warning" test="document(&quot;gone.xml&quot;)//x">Never.</assert>
  </rule>
</pattern>`,
	"rules/codes/shelves.xml": `<shelves><shelf>A</shelf></shelves>`,
	"rules/codes/unused.xml":  `<shelves/>`,
	"xsd/library.xsd": `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2">
  <xs:include schemaLocation="book.xsd"/>
  <xs:import namespace="urn:shelf"/>
  <xs:import namespace="urn:nowhere" schemaLocation="http://example.com/nowhere.xsd"/>
</xs:schema>`,
	"xsd/book.xsd":         `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>`,
	"xsd/shelf/shelf.xsd":  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:shelf"><xs:include schemaLocation="board.xsd"/></xs:schema>`,
	"xsd/shelf/board.xsd":  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:shelf"><xs:include schemaLocation="shelf.xsd"/></xs:schema>`,
	"xsd/shelf/broken.xsd": `<xs:schema`,
	"LICENCE.txt":          "Read freely.",
}

// inMemory makes a file system of names and texts.
func inMemory(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// with gives the files with some changed, or taken away by an empty text.
func with(files map[string]string, changes map[string]string) map[string]string {
	changed := maps.Clone(files)
	for name, text := range changes {
		if changed[name] = text; text == "" {
			delete(changed, name)
		}
	}
	return changed
}

const (
	smallRules = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern id="p"><rule context="a"><assert id="A-1" test="1"/></rule></pattern></schema>`
	smallXSD   = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>`
)

// smallBook is a rulebook of one rule set with what else its manifest says.
func smallBook(id, version, more string) map[string]string {
	manifest := "manifest: 1\nid: " + id + "\nversion: \"" + version + "\"\nsyntax: ubl\nschematron: [{file: r.sch}]\n" +
		"files: {r.sch: " + hashOf([]byte(smallRules)) + "}\n" + more
	return map[string]string{rulebooks.ManifestFile: manifest, "r.sch": smallRules}
}

// shelf puts rulebooks into folders.
func shelf(books map[string]map[string]string) map[string]string {
	files := map[string]string{}
	for folder, book := range books {
		for name, text := range book {
			files[folder+"/"+name] = text
		}
	}
	return files
}

// layer is a layer of files in memory.
func layer(name string, files map[string]string) Layer {
	fsys := inMemory(files)
	return Layer{Name: name, Open: func() (fs.FS, error) { return fsys, nil }}
}

// folderLayer is a layer of a folder on disk, opened as the program opens it.
func folderLayer(dir string) Layer {
	return Layer{Name: "folder", Open: func() (fs.FS, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		return struct {
			fs.ReadLinkFS
			io.Closer
		}{root.FS().(fs.ReadLinkFS), root}, nil
	}}
}

// onDisk writes files to a new folder.
func onDisk(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wants fails unless an error has a text in it.
func wants(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v\nwant  %s", err, text)
	}
}
