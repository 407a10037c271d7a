package rulebook

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks"
)

func TestImport_TakesWhatTheEntryFilesLeadTo(t *testing.T) {
	into := &memoryFolder{files: map[string]string{}}
	done, err := Import(context.Background(), inMemory(published), into, ImportOptions{
		Source: rulebooks.Source{Publisher: "The library"}, Licence: rulebooks.Licence{Note: "read freely"},
	})
	if err != nil {
		t.Fatal(err)
	}
	used := with(published, map[string]string{"LICENCE.txt": "", "rules/codes/unused.xml": "", "xsd/shelf/broken.xsd": ""})
	want := &Imported{
		Folder: "library-2.1",
		Manifest: &rulebooks.Manifest{
			Format: 1, ID: "library", Version: "2.1", Title: "Rules of a small library", Syntax: "ubl",
			Rules:   []rulebooks.Rules{{File: "rules/v2.1/library.sch"}},
			Schemas: []rulebooks.Schema{{File: "xsd/library.xsd"}},
			Source:  rulebooks.Source{Publisher: "The library"}, Licence: rulebooks.Licence{Note: "read freely"},
			Count: 2,
			Files: hashes(used),
		},
		Notes: []string{
			"gone.xml is not in the source; rules/parts/books.sch:4 refers to it",
			`a file for the import of "http://example.com/nowhere.xsd" is not in the source; xsd/library.xsd refers to it`,
		},
	}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Error(diff)
	}
	written := map[string]string{}
	for name, text := range into.files {
		if name = strings.TrimPrefix(name, "library-2.1/"); name != rulebooks.ManifestFile {
			written[name] = text
		}
	}
	if diff := cmp.Diff(used, written); diff != "" {
		t.Error(diff)
	}
}

// From a folder, from an archive and from what was imported before comes the same rulebook, and it loads.
func TestImport_GivesTheSameFromFolderAndArchive(t *testing.T) {
	data := packAll(t, published)
	packed, err := OpenArchive(bytes.NewReader(data), int64(len(data)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.OpenRoot(onDisk(t, with(published, map[string]string{".git/HEAD": "ref"})))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var digests []string
	for _, source := range []fs.FS{folder.FS(), packed} {
		dir := t.TempDir()
		into, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer into.Close()
		if _, err := Import(context.Background(), source, into, ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		r, err := NewRegistry(context.Background(), Config{Layers: []Layer{folderLayer(dir)}})
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, r.Current().Digest)
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%v, %v", entries, err)
		}
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %s", digests)
	}
}

func TestImport_LeavesOutTheFoldersAbove(t *testing.T) {
	into := &memoryFolder{files: map[string]string{}}
	_, err := Import(context.Background(), inMemory(published), into, ImportOptions{Schematron: []string{"rules/v2.1/library.sch"}, ID: "lib", Version: "3", Parameters: "last"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"lib-3/codes/shelves.xml", "lib-3/manifest.yaml", "lib-3/parts/books.sch", "lib-3/v2.1/library.sch"}
	if diff := cmp.Diff(want, sortedKeys(into.files)); diff != "" {
		t.Error(diff)
	}
	if manifest := into.files["lib-3/manifest.yaml"]; !strings.Contains(manifest, "file: v2.1/library.sch\n    parameters: last\n") {
		t.Error(manifest)
	}
}

const smallStylesheet = `<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:svrl="http://purl.oclc.org/dsdl/svrl" version="2.0"><xsl:template match="/"><svrl:schematron-output/></xsl:template></xsl:stylesheet>`

func TestImport_FindsTheEntryFiles(t *testing.T) {
	included := strings.Replace(including, "part.sch", "sub/small.sch", 1)
	for name, test := range map[string]struct {
		files map[string]string
		want  string // entry files, or an error
	}{
		"one source":           {map[string]string{"v1.0/a.sch": smallRules}, "a.sch"},
		"source of a schema":   {map[string]string{"1.0/a.sch": smallRules, "1.0/part.sch": `<pattern xmlns="http://purl.oclc.org/dsdl/schematron"/>`}, "a.sch"},
		"filled-in source":     {map[string]string{"1.0/a.sch": smallRules, "1.0/pre/a-preprocessed.sch": smallRules, "1.0/a.xslt": smallStylesheet}, "a-preprocessed.sch"},
		"source and compiled":  {map[string]string{"1.0/x/a.sch": smallRules, "1.0/y/a.xslt": smallStylesheet}, "a.sch"},
		"compiled only":        {map[string]string{"1.0/a.xsl": smallStylesheet, "1.0/helper.xslt": strings.Replace(smallStylesheet, "svrl:schematron-output", "a", 1)}, "a.xsl"},
		"parts are no entries": {map[string]string{"1.0/a.sch": included, "1.0/sub/small.sch": `<pattern xmlns="http://purl.oclc.org/dsdl/schematron"/>`}, "a.sch sub/small.sch"},
		"two rule sets":        {map[string]string{"1.0/a.sch": smallRules, "1.0/b.sch": smallRules}, "import: there are 2 Schematron files that could be the entry (1.0/a.sch, 1.0/b.sch): name yours with --schematron"},
		"two of one name":      {map[string]string{"1.0/x/a.sch": smallRules, "1.0/y/a.sch": smallRules}, "there are 2 Schematron files that could be the entry (1.0/x/a.sch, 1.0/y/a.sch)"},
		"two schemas":          {map[string]string{"1.0/a.sch": smallRules, "a.xsd": smallXSD, "b.xsd": smallXSD}, "there are 2 XML Schema files that could be the entry (a.xsd, b.xsd): name yours with --xsd"},
		"many":                 {many(25), "could be the entry (1.0/r00.sch, 1.0/r01.sch, "},
		"none":                 {map[string]string{"a.txt": "a", "b.xsd": "<b/>", "c.sch": "<c"}, "there is neither a Schematron rule set nor an XML Schema in the source"},
		"nothing":              {map[string]string{}, "there is neither"},
		"schema only":          {map[string]string{"1.0/a.xsd": smallXSD}, "a.xsd"},
		"schema with entities": {map[string]string{"1.0/a.xsd": `<!DOCTYPE xs:schema [<!ENTITY digit "[0-9]">]>` + smallXSD}, "a.xsd"},
	} {
		t.Run(name, func(t *testing.T) {
			into := &memoryFolder{files: map[string]string{}}
			done, err := Import(context.Background(), inMemory(test.files), into, ImportOptions{Syntax: "ubl"})
			if err != nil {
				wants(t, err, test.want)
				return
			}
			if got := strings.Join(sortedKeys(done.Manifest.Files), " "); got != test.want {
				t.Errorf("files %s, want %s", got, test.want)
			}
		})
	}
}

// many gives n rule sets.
func many(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files["1.0/r"+string(rune('0'+i/10))+string(rune('0'+i%10))+".sch"] = smallRules
	}
	return files
}

func TestImport_FindsOutIDAndVersion(t *testing.T) {
	for name, want := range map[string]string{
		"v1.2.3/Rules.sch": "rules-1.2.3",
		"2024.1/x/EN16931-UBL-validation-preprocessed.sch": "en16931-ubl-validation-2024.1",
		"ROeFactura-UBL_v1.0.9.sch":                        "roefactura-ubl-1.0.9",
		"9.9/20260804_BR-FR_V1.4.0.03.sch":                 "20260804-br-fr-1.4.0.03",
		"rules.sch":                                        "neither rules.sch nor a folder above it has a version in its name: give it with --version",
	} {
		done, err := Import(context.Background(), inMemory(map[string]string{name: smallRules}), &memoryFolder{files: map[string]string{}}, ImportOptions{Syntax: "ubl"})
		if err != nil {
			wants(t, err, want)
		} else if done.Folder != want {
			t.Errorf("%s: %s, want %s", name, done.Folder, want)
		}
	}
	_, err := Import(context.Background(), inMemory(map[string]string{"1.0/a.sch": smallRules}), &memoryFolder{}, ImportOptions{})
	wants(t, err, "give the syntax with --syntax")
	cii := strings.Replace(smallXSD, "/>", ` targetNamespace="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"/>`, 1)
	done, err := Import(context.Background(), inMemory(map[string]string{"1.0/a.xsd": cii}), &memoryFolder{files: map[string]string{}}, ImportOptions{})
	if err != nil || done.Manifest.Syntax != "cii" {
		t.Error(done, err)
	}
}

func TestImport_RefusesWhatItCannotTake(t *testing.T) {
	good := map[string]string{"1.0/a.sch": smallRules}
	link := fstest.MapFS{"1.0/a.sch": {Data: []byte(smallRules)}, "b": {Data: []byte("/etc"), Mode: fs.ModeSymlink}}
	for name, test := range map[string]struct {
		source  fs.FS
		options ImportOptions
		want    string
	}{
		"unknown entry":       {inMemory(good), ImportOptions{Schematron: []string{"a.sch"}}, "the entry file a.sch is not in the source"},
		"entry outside":       {inMemory(good), ImportOptions{Schemas: []string{"../a.xsd"}}, "the entry file ../a.xsd is not in the source"},
		"link":                {link, ImportOptions{}, "list the files: b is a link: expected a file of its own"},
		"pipe":                {fstest.MapFS{"p": {Mode: fs.ModeNamedPipe}}, ImportOptions{}, "p is a pipe: expected files and folders"},
		"device":              {fstest.MapFS{"p": {Mode: fs.ModeDevice}}, ImportOptions{}, "p is a device"},
		"socket":              {fstest.MapFS{"p": {Mode: fs.ModeSocket}}, ImportOptions{}, "p is a special file"},
		"broken rules":        {inMemory(map[string]string{"1.0/a.sch": strings.Replace(smallRules, "test=", "tst=", 1)}), ImportOptions{}, "import: 1.0/a.sch:1: assert has no attribute test"},
		"include outside":     {inMemory(map[string]string{"1.0/a.sch": strings.Replace(including, "part.sch", "../../../etc/x", 1)}), ImportOptions{}, `"../../etc/x" is no path inside the rule set's folder`},
		"include missing":     {inMemory(map[string]string{"1.0/a.sch": including}), ImportOptions{}, "read 1.0/part.sch: file does not exist"},
		"no schema":           {inMemory(map[string]string{"1.0/a.xsd": "<a/>"}), ImportOptions{Schemas: []string{"1.0/a.xsd"}}, "1.0/a.xsd: the document element is a: expected xs:schema"},
		"broken schema":       {inMemory(map[string]string{"1.0/a.xsd": "<a"}), ImportOptions{Schemas: []string{"1.0/a.xsd"}}, "1.0/a.xsd: "},
		"broken inner schema": {inMemory(map[string]string{"1.0/a.xsd": strings.Replace(smallXSD, "/>", `><xs:include schemaLocation="b.xsd"/></xs:schema>`, 1), "1.0/b.xsd": "<b/>"}), ImportOptions{Schemas: []string{"1.0/a.xsd"}}, "1.0/b.xsd: the document element is b"},
		"in the way":          {inMemory(map[string]string{"1.0/a.sch": strings.Replace(including, "part.sch", "manifest.yaml", 1), "1.0/manifest.yaml": `<pattern xmlns="http://purl.oclc.org/dsdl/schematron"/>`}), ImportOptions{Schematron: []string{"1.0/a.sch"}}, "the file 1.0/manifest.yaml would lie in the place of the manifest"},
		"bad id":              {inMemory(good), ImportOptions{ID: "../x"}, `id is "../x"`},
		"bad parameters":      {inMemory(good), ImportOptions{Parameters: "some"}, "schematron[0].parameters"},
		"entries":             {inMemory(good), ImportOptions{Limits: Limits{Entries: 2}}, "there are more than 2 files and folders"},
		"file size":           {inMemory(good), ImportOptions{Limits: Limits{FileBytes: 10}}, "1.0/a.sch: the file has more than 10 bytes"},
		"size":                {inMemory(with(good, map[string]string{"1.0/b.xsd": smallXSD})), ImportOptions{Limits: Limits{Bytes: 200}}, "1.0/b.xsd: the files read have more than 200 bytes"},
		"files":               {inMemory(map[string]string{"1.0/a.sch": including, "1.0/part.sch": `<pattern xmlns="http://purl.oclc.org/dsdl/schematron"/>`}), ImportOptions{Limits: Limits{Files: 1}}, "the rulebook would have 2 files: expected at most 1"},
		"negative limit":      {inMemory(good), ImportOptions{Limits: Limits{FileBytes: -1}}, "import: limit FileBytes is -1"},
	} {
		t.Run(name, func(t *testing.T) {
			into := &memoryFolder{files: map[string]string{}}
			test.options.Syntax = "ubl"
			if test.options.Version == "" {
				test.options.Version = "1"
			}
			_, err := Import(context.Background(), test.source, into, test.options)
			wants(t, err, test.want)
			if len(into.files) > 0 {
				t.Errorf("it wrote %q", sortedKeys(into.files))
			}
		})
	}
}

func TestImport_RefusesLinksOnDisk(t *testing.T) {
	dir := onDisk(t, map[string]string{"1.0/a.sch": smallRules})
	if err := os.Symlink("../1.0", filepath.Join(dir, "1.0", "self")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = Import(context.Background(), root.FS(), refusing{}, ImportOptions{Syntax: "ubl"})
	wants(t, err, "1.0/self is a link: expected a file of its own")
}

func TestImport_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Import(ctx, inMemory(published), refusing{}, ImportOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestImport_ReplacesOnlyWhenAsked(t *testing.T) {
	into := &memoryFolder{files: map[string]string{"a-1.0/old.txt": "old", "b-1.0/other.txt": "other"}}
	source := inMemory(map[string]string{"1.0/a.sch": smallRules})
	_, err := Import(context.Background(), source, into, ImportOptions{Syntax: "ubl"})
	wants(t, err, "import: the rulebook a-1.0 is there already")
	if _, err := Import(context.Background(), source, into, ImportOptions{Syntax: "ubl", Replace: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a-1.0/a.sch", "a-1.0/manifest.yaml", "b-1.0/other.txt"}, sortedKeys(into.files)); diff != "" {
		t.Error(diff)
	}
}

// Whatever fails while writing: the old rulebook is there, whole, or the new one is.
func TestImport_WritesAllOrNothing(t *testing.T) {
	before := map[string]string{"a-1.0/old.txt": "old"}
	for fail, want := range map[string]string{
		"lstat a-1.0":              "import: look for rulebook a-1.0",
		"mkdir .new-a-1.0":         "import: write rulebook a-1.0",
		"write .new-a-1.0/a.sch":   "import: write rulebook a-1.0",
		"write .new-a-1.0/manifes": "import: write rulebook a-1.0",
		"remove .new-a-1.0":        "import: write rulebook a-1.0",
		"rename a-1.0":             "import: put the old rulebook a-1.0 aside",
		"rename .new-a-1.0":        "import: put rulebook a-1.0 in its place",
	} {
		into := &memoryFolder{files: maps.Clone(before), fail: fail}
		_, err := Import(context.Background(), inMemory(map[string]string{"1.0/a.sch": smallRules}), into, ImportOptions{Syntax: "ubl", Replace: true})
		wants(t, err, want)
		if !errors.Is(err, errDisk) {
			t.Errorf("%s: the cause is lost: %v", fail, err)
		}
		visible := map[string]string{}
		for name, text := range into.files {
			if !strings.HasPrefix(name, ".") {
				visible[name] = text
			}
		}
		if diff := cmp.Diff(before, visible); diff != "" {
			t.Errorf("%s: %s", fail, diff)
		}
	}
}
