package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// TestExtract ensures that the XML inside a PDF is given byte for byte, in a file or on standard output, and that validate takes the PDF.
func TestExtract(t *testing.T) {
	written, stderr, code := run(t, string(docs.Example()), "generate", "de", "xrechnung", "-")
	if code != exitOK {
		t.Fatal(stderr)
	}
	xml := []byte(written)
	dir := t.TempDir()
	pdf, out := filepath.Join(dir, "a.pdf"), filepath.Join(dir, "a.xml")
	if err := os.WriteFile(pdf, pdfmaker.PDF{Files: []pdfmaker.File{{Name: "xrechnung.xml", Data: xml}}}.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := run(t, "", "extract", pdf)
	if code != exitOK || stdout != string(xml) || !strings.HasPrefix(stderr, "xrechnung.xml, ") {
		t.Errorf("exit code %d, %s, %.100s", code, stderr, stdout)
	}
	if _, stderr, code = run(t, "", "extract", pdf, "--output", out); code != exitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if written, err := os.ReadFile(out); err != nil || string(written) != string(xml) {
		t.Errorf("%v, %.100s", err, written)
	}
	if stdout, _, code = run(t, "", "parse", pdf); code != exitOK || !strings.Contains(stdout, "XRECHNUNG_UBL") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	for name, document := range map[string]string{"data is no PDF": "<Invoice/>", "no file is embedded": string(pdfmaker.PDF{}.Bytes())} {
		if stdout, stderr, code = run(t, document, "extract", "-"); code != exitInvalid || stdout != "" || !strings.Contains(stderr, name) {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	}
}
