//go:build corpus

package xsd

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// w3cSuite unpacks the suite.
func w3cSuite(t *testing.T) fs.FS {
	t.Helper()
	dir := t.TempDir()
	archive := filepath.Join(corpus.Shared(), "w3c", "xsdtests.tar.xz")
	if out, err := exec.Command("tar", "-xJf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("unpack the suite: %v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, emptySchema), []byte(`<schema xmlns="http://www.w3.org/2001/XMLSchema"/>`), 0o644); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(dir)
}

// emptySchema is for the tests that come without schema.
const emptySchema = "empty.xsd"

// w3cTest is a schema test or an instance test of the suite.
type w3cTest struct {
	set, group, name string
	schema           bool
	schemas          []string
	instance         string
	valid            bool
	schemaValid      bool // what the suite expects of the schema of an instance test
}

// w3cSets are the metadata files of the suite by contributor.
var w3cSets = []struct{ contributor, pattern string }{
	{"ms", "msMeta/*.xml"}, {"sun", "sunMeta/*.testSet"}, {"boeing", "boeingMeta/*.testSet"}, {"wg", "wgMeta/*.testSet"},
}

// expectations of version 1.0 of the standard, with the Unicode version that Go's tables are closest to.
func applies(d *xmltree.Document, n xmltree.Node) bool {
	version, ok := d.AttrValue(n, "version")
	words := bytes.Fields(version)
	has := func(word string) bool {
		return slices.ContainsFunc(words, func(w []byte) bool { return string(w) == word })
	}
	return !ok || has("1.0") || has("Unicode_6.0.0") || len(words) == 0
}

func readW3CSet(t *testing.T, suite fs.FS, contributor, file string) []w3cTest {
	t.Helper()
	data, err := fs.ReadFile(suite, file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := xmltree.Parse(data, xmltree.Options{InternalSubset: true})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	r := w3cReader{d: d, dir: path.Dir(file), set: contributor + "/" + strings.TrimSuffix(strings.TrimSuffix(path.Base(file), path.Ext(file)), "_w3c")}
	for n := range elements(d, d.Root()) {
		if d.Local(n) == "testGroup" {
			r.group(n)
		}
	}
	return r.tests
}

// readNIST gives the tests of the NIST set, whose metadata is not part of the suite: a name has IV where the document is valid
// and II where it is not, and the schema's name is that of the document without the last number.
func readNIST(t *testing.T, suite fs.FS) []w3cTest {
	t.Helper()
	var tests []w3cTest
	err := fs.WalkDir(suite, "nistData", func(file string, entry fs.DirEntry, err error) error {
		name, isDocument := strings.CutPrefix(path.Base(file), "NISTXML-")
		if err != nil || !isDocument {
			return err
		}
		schema := "NISTSchema-" + name[:strings.LastIndexByte(name, '-')] + ".xsd"
		tests = append(tests, w3cTest{
			set: "nist/" + strings.Split(file, "/")[1], name: name, instance: file,
			schemas: []string{path.Join(path.Dir(file), schema)}, valid: strings.HasPrefix(name, "SV-IV"), schemaValid: true,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(tests, func(a, b w3cTest) int { return cmp.Compare(a.instance, b.instance) })
	return tests
}

type w3cReader struct {
	d        *xmltree.Document
	dir, set string
	tests    []w3cTest
}

func elements(d *xmltree.Document, n xmltree.Node) func(func(xmltree.Node) bool) {
	return func(yield func(xmltree.Node) bool) {
		first, end := d.Children(n)
		for c := first; c < end; c = d.End(c) {
			if d.Kind(c) == xmltree.KindElement && !yield(c) {
				return
			}
		}
	}
}

func (r *w3cReader) attr(n xmltree.Node, local string) string {
	b, _ := r.d.AttrValue(n, local)
	return string(b)
}

func (r *w3cReader) href(n xmltree.Node) string {
	first, count := r.d.Attributes(n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if r.d.Local(a) == "href" {
			return path.Join(r.dir, r.d.String(a))
		}
	}
	return ""
}

func (r *w3cReader) group(n xmltree.Node) {
	group := w3cTest{set: r.set, group: r.attr(n, "name")}
	if !applies(r.d, n) {
		return
	}
	for c := range elements(r.d, n) {
		switch r.d.Local(c) {
		case "schemaTest":
			test := r.test(c, group)
			group.schemas = test.schemas
			if test.schema = true; test.name != "" {
				group.schemaValid = test.valid
				r.tests = append(r.tests, test)
			}
		case "instanceTest":
			if test := r.test(c, group); test.name != "" {
				r.tests = append(r.tests, test)
			}
		}
	}
}

// test reads one test; its name is empty when it is not about version 1.0 or has no certain result.
func (r *w3cReader) test(n xmltree.Node, group w3cTest) w3cTest {
	test := group
	for c := range elements(r.d, n) {
		switch r.d.Local(c) {
		case "schemaDocument":
			test.schemas = append(slices.Clip(test.schemas), r.href(c))
		case "instanceDocument":
			test.instance = r.href(c)
		case "expected":
			if validity := r.attr(c, "validity"); applies(r.d, c) && applies(r.d, n) && validity != "indeterminate" {
				test.name, test.valid = r.attr(n, "name"), validity == "valid"
			}
		}
	}
	return test
}
