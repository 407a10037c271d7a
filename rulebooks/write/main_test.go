package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// TestRulebooks_HaveNotDrifted ensures that the rulebooks in this repository are what the tables give, with the hashes of their
// files in their manifests.
func TestRulebooks_HaveNotDrifted(t *testing.T) {
	dir := os.DirFS("..")
	want, err := texts(families())
	if err != nil {
		t.Fatal(err)
	}
	listed, err := manifests(dir, takeManifests(want))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(want, listed)
	for name, content := range want {
		if got, err := fs.ReadFile(dir, name); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s has drifted (%v): run go run ./rulebooks/write", name, err)
		}
	}
}

// TestGitattributes_MarkWhatIsMade ensures that reviewers are told of each rulebook's file whether it is made from tables.
func TestGitattributes_MarkWhatIsMade(t *testing.T) {
	attributes, err := os.ReadFile("../../.gitattributes")
	if err != nil {
		t.Fatal(err)
	}
	made, err := texts(families())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"books", "elementorder", "shared"} {
		err := fs.WalkDir(os.DirFS(".."), folder, func(name string, file fs.DirEntry, err error) error {
			if _, want := made[name]; err == nil && !file.IsDir() && generated(t, string(attributes), "rulebooks/"+name) != want {
				t.Errorf(".gitattributes says of %s that it is generated: %t", name, !want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// generated tells whether the last line of .gitattributes that a path matches says so.
func generated(t *testing.T, attributes, name string) bool {
	t.Helper()
	marked := false
	for line := range strings.Lines(attributes) {
		fields := strings.Fields(line)
		if len(fields) != 2 || fields[0] == "#" {
			continue
		}
		matched, err := path.Match(fields[0], name)
		if err != nil {
			t.Fatal(err)
		}
		if matched {
			marked = fields[1] == "linguist-generated"
		}
	}
	return marked
}

// TestManifest ensures that a manifest gets all files of its folder and the shared ones that it names, and keeps the rest.
func TestManifest(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	fsys := fstest.MapFS{
		"books/README.md":         file("for people"),
		"books/a-1/manifest.yaml": file("id: a # kept\nfiles:\n  gone.sch: 00\n  shared/s.sch:\n"),
		"books/a-1/r.sch":         file("rules"),
		"books/a-1/x/s.xsd":       file("schema"),
		"shared/s.sch":            file("shared"),
		"shared/other.sch":        file("other"),
	}
	got, err := manifests(fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "id: a # kept\nfiles:\n" +
		"  r.sch: 6c621d1a05138a7888d37d9269a9da8e2e11e4aced2f6cfd24b05ab1b9e61bb0\n" +
		"  shared/s.sch: a4d26868017c0ccffe2efe50944ef4211834660cca834c6e9f86dec6a88246fa\n" +
		"  x/s.xsd: df0ad6e43880f09c90ebf95f19110178aba6890df0010ebda7485029e2b543b4\n"
	if text := string(got["books/a-1/manifest.yaml"]); len(got) != 1 || text != want {
		t.Errorf("got %s", text)
	}
	fsys["books/b-1/manifest.yaml"] = file("id: b\n")
	if _, err := manifests(fsys, nil); err == nil {
		t.Error("a manifest without files is accepted")
	}
	if got, err := manifests(fsys, map[string][]byte{"b-1": []byte("id: made\nfiles:\n")}); err != nil || string(got["books/b-1/manifest.yaml"]) != "id: made\nfiles:\n" {
		t.Errorf("a manifest that is made: %s, %v", got["books/b-1/manifest.yaml"], err)
	}
}

// TestRun_WritesWhatDiffers ensures that a folder is brought up to date in one run, and that a second one changes nothing.
func TestRun_WritesWhatDiffers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"books/a-1/manifest.yaml": "id: a\nfiles:\n", "books/a-1/r.sch": "rules"} {
		if err := os.MkdirAll(dir+"/books/a-1", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made := []family{func() (map[string][]byte, error) {
		return map[string][]byte{"books/a-1/made.sch": []byte("rules")}, nil
	}}
	var stands []byte
	for range 2 {
		if err := run(dir, made); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(dir + "/books/a-1/manifest.yaml")
		if err != nil || !bytes.Contains(now, []byte("  made.sch: 6c62")) || !bytes.Contains(now, []byte("  r.sch: 6c62")) || stands != nil && !bytes.Equal(now, stands) {
			t.Fatalf("%s, %v", now, err)
		}
		stands = now
	}
}

// TestTexts_MadeTwice ensures that two families cannot make one file.
func TestTexts_MadeTwice(t *testing.T) {
	one := func() (map[string][]byte, error) { return map[string][]byte{"a": nil}, nil }
	if _, err := texts([]family{one, one}); err == nil {
		t.Error("a file is made twice")
	}
}
