package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRender ensures that documents become PDFs in a file or as JSON, and that what is none is told.
func TestRender(t *testing.T) {
	document, file := filepath.Join("..", "testdata", "xrechnung-ubl", "goods.xml"), filepath.Join(t.TempDir(), "a.pdf")
	if _, stderr, code := run(t, "", "render", document, "-o", file, "--language", "fr"); code != exitOK {
		t.Fatal(code, stderr)
	}
	if made, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(made), "%PDF-1.7") {
		t.Errorf("%v %.20q", err, made)
	}
	if stdout, stderr, code := run(t, "", "render", document, "--json"); code != exitOK || !strings.HasPrefix(stdout, `{"success":true,"format":"pdf"`) {
		t.Errorf("%d %.200s %s", code, stdout, stderr)
	}
	if _, stderr, code := run(t, "hello", "render", "-"); code != exitInvalid || !strings.Contains(stderr, "neither XML nor PDF") {
		t.Errorf("%d %s", code, stderr)
	}
}
