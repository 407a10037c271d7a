package envelope

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// packed makes an archive of names and contents.
func packed(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const manifest = `<manifest xmlns="http://isdoc.cz/namespace/2013/manifest"><maindocument filename="a.isdoc"/></manifest>`

// TestUnpack ensures which file of an archive is the document, and what is said where none is.
func TestUnpack(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    []string
		document string
		others   []string
		fault    string
	}{
		{"a manifest", []string{manifestName, manifest, "a.isdoc", document, "b.isdoc", "<x/>", "photo.jpg", "x"}, document, []string{"b.isdoc", "photo.jpg"}, ""},
		{"no manifest", []string{"n.ISDOC", document, "photo.jpg", "x"}, document, []string{"photo.jpg"}, ""},
		{"two documents and no manifest", []string{"a.isdoc", document, "b.isdoc", document}, "", nil, "several documents"},
		{"no document", []string{"a.txt", document}, "", nil, "neither a manifest"},
		{"a manifest that names nothing", []string{manifestName, "<manifest/>", "a.isdoc", document}, "", nil, `names ""`},
		{"a manifest that names what is not there", []string{manifestName, manifest}, "", nil, `names "a.isdoc"`},
		{"a manifest that is none", []string{manifestName, "<", "a.isdoc", document}, "", nil, "cannot be read"},
		{"a document that inflates beyond measure", []string{"a.isdoc", strings.Repeat(" ", inflateFree+1)}, "", nil, "more than"},
		{"a manifest that does", []string{manifestName, strings.Repeat(" ", manifestLimit+1), "a.isdoc", document}, "", nil, "more than"},
	} {
		got, err := Unpack(packed(t, c.files...))
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || string(got.XML) != c.document || !slices.Equal(got.Others, c.others) {
			t.Errorf("%s: %v %+v", c.name, err, got)
		}
	}
	many := make([]string, 2*(entryLimit+1))
	for i := range many {
		many[i] = "f"
	}
	if _, err := Unpack(packed(t, many...)); err == nil || !strings.Contains(err.Error(), "files") {
		t.Errorf("many files: %v", err)
	}
	if _, err := Unpack([]byte(document)); !errors.Is(err, ErrNone) {
		t.Errorf("no archive: %v", err)
	}
}

// TestPacked_File ensures which files beside the document are given, by names with either slash, and that all of them together have a limit.
func TestPacked_File(t *testing.T) {
	large := strings.Repeat("x", inflateFree-1)
	got, err := Unpack(packed(t, "a.isdoc", document, "b/c.pdf", "x", `d\e.pdf`, "y", "f.bin", large, "g.bin", large))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{`b\c.pdf`: "x", "b/c.pdf": "x", "d/e.pdf": "y"} {
		if content, err := got.File(name); err != nil || string(content) != want {
			t.Errorf("%s: %q %v", name, content, err)
		}
	}
	for _, name := range []string{"a.isdoc", manifestName, "c.pdf", "b/", ""} {
		if _, err := got.File(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := got.File("f.bin"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file with more than is left: %v", err)
	}
}

// TestPacked_FileThatIsDamaged ensures that a damaged file counts against what all files may have and is inflated once, however often it is named.
func TestPacked_FileThatIsDamaged(t *testing.T) {
	whole := packed(t, "a.isdoc", document, "b.bin", strings.Repeat("x", 1<<20))
	for at := len(whole) - 1; at >= 0; at-- { // the checksums of the directory are those that count (APPNOTE.TXT 4.3.12)
		if bytes.HasPrefix(whole[at:], []byte("PK\x01\x02")) {
			whole[at+16] ^= 1
			break
		}
	}
	got, err := Unpack(whole)
	if err != nil {
		t.Fatal(err)
	}
	before := got.left
	if _, err := got.File("b.bin"); !errors.Is(err, zip.ErrChecksum) || got.left != before-1<<20 {
		t.Errorf("%v, %d of %d bytes are left", err, got.left, before)
	}
	if _, err := got.File("b.bin"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("once more: %v", err)
	}
}

// FuzzUnpack ensures that any bytes are an archive with a document, or an error.
func FuzzUnpack(f *testing.F) {
	f.Add(packed(f, manifestName, manifest, "a.isdoc", document))
	f.Add(packed(f, "a.isdoc", document, "b/c.png", "x"))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Unpack(data)
		if err == nil && len(got.XML) > max(inflateFree, ratioLimit*len(data)) {
			t.Errorf("%d bytes of %d", len(got.XML), len(data))
		}
	})
}
