package rulebooks

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// TestWithShared ensures that each rulebook sees its own files and the shared ones, and that nothing else is there.
func TestWithShared(t *testing.T) {
	fsys := WithShared(fstest.MapFS{
		"books/a-1/r.sch": {Data: []byte("own")}, "shared/x/s.sch": {Data: []byte("shared")}, "write/main.go": {},
	})
	for name, want := range map[string]string{"a-1/r.sch": "own", "a-1/shared/x/s.sch": "shared"} {
		if got, err := fs.ReadFile(fsys, name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := fs.Lstat(fsys, "a-1/shared/x"); err != nil || !info.IsDir() {
		t.Errorf("the shared folder: %v, %v", info, err)
	}
	for _, name := range []string{"shared/x/s.sch", "write/main.go", "a-1/x/s.sch", "../shared/x/s.sch"} {
		if _, err := fs.Stat(fsys, name); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if entries, err := fs.ReadDir(fsys, "."); err != nil || len(entries) != 1 || entries[0].Name() != "a-1" {
		t.Errorf("folders %v, %v", entries, err)
	}
}

// TestBooks_AreEmbedded ensures that the folder of rulebooks is in the program.
func TestBooks_AreEmbedded(t *testing.T) {
	if _, err := fs.Stat(Books(), "README.md"); err != nil {
		t.Error(err)
	}
}

// TestManifests_NoteTheLayerOfEN16931 ensures that the manifest says so where the publisher's rules come with another version of EN 16931 than
// the one that runs before them here.
func TestManifests_NoteTheLayerOfEN16931(t *testing.T) {
	for folder, version := range map[string]string{"xrechnung-ubl-3.0.2": "1.3.15", "xrechnung-cii-3.0.2": "1.3.15", "hr-cius-1.0.3": "1.3.15", "cius-ro-1.0.9": "1.3.8"} {
		text, err := fs.ReadFile(Books(), folder+"/"+ManifestFile)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "EN 16931 "+version+" where ours is 1.3.16") {
			t.Errorf("%s does not note that its publisher has EN 16931 %s", folder, version)
		}
	}
}
