//go:build oracles

package block_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/xmp"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// documents are files of every kind of block, by name.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	parsed, err := block.Parse(read(t, "invoice.json"))
	if err != nil {
		t.Fatal(err)
	}
	hybrid := input(t, read(t, "data.json"))
	hybrid.FacturX = &xmp.FacturX{DocumentType: "INVOICE", DocumentFileName: "factur-x.xml", Version: "1.0", ConformanceLevel: "EN 16931"}
	hybrid.Attachments = []pdf.Attachment{{Name: "factur-x.xml", MIMEType: "text/xml", Relationship: "Alternative", Data: []byte("<a/>")}}
	out, err := parsed.Render(t.Context(), hybrid)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"invoice": render(t, read(t, "invoice.json"), read(t, "data.json")).PDF,
		"hybrid":  out.PDF,
		"long":    render(t, read(t, "invoice.json"), long(t, 300)).PDF,
		"blocks":  render(t, read(t, "blocks.json"), read(t, "data.json")).PDF,
		"missing": render(t, with(`{"type":"text","data":{"content":"a𓀀b✈c"}}`), []byte(`{}`)).PDF,
		"nothing": render(t, with(``), []byte(`{}`)).PDF,
	}
}

// TestOfficial_FilesAreValid asks veraPDF for PDF/A-3b and PDF/UA-1, and qpdf for the syntax.
func TestOfficial_FilesAreValid(t *testing.T) {
	profiles, err := oracles.StartProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := profiles.Close(); err != nil {
			t.Error(err)
		}
	}()
	folder := t.TempDir()
	for name, data := range documents(t) {
		path := filepath.Join(folder, name+".pdf")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, profile := range []string{"3b", "ua1"} {
			failed, looked, err := profiles.Failed(profile, path)
			if err != nil || len(failed) > 0 || looked < 15 {
				t.Errorf("%s: %s looked at %d things, failed %v: %v", name, profile, looked, failed, err)
			}
		}
		if said, err := exec.CommandContext(t.Context(), "qpdf", "--check", path).CombinedOutput(); err != nil {
			t.Errorf("%s: qpdf: %v: %s", name, err, said)
		}
	}
}

// TestOfficial_TextIsCopied asks poppler for the text, in which Arabic must come in the order of reading.
func TestOfficial_TextIsCopied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "invoice.pdf")
	if err := os.WriteFile(path, documents(t)["invoice"], 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Østergård & Αφοί Παπά", "ул. Свободы 7", "日本語の説明", "فاتورة رقم", "6.080,78 €"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}
