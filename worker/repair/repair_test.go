package repair

import (
	"bytes"
	"testing"

	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// TestPDF_RepairsCrossReferences ensures that a file whose cross-reference data is broken has sound one afterwards, and all its pages.
func TestPDF_RepairsCrossReferences(t *testing.T) {
	whole := pdfmaker.PDF{}.Bytes()
	damaged := bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1)
	repaired, err := PDF(damaged)
	if err != nil {
		t.Fatal(err)
	}
	d, err := hybrid.Open(t.Context(), repaired)
	if err != nil || d.Pages() != 1 {
		t.Fatalf("%v\n%s", err, repaired)
	}
	if _, err := d.Embed(hybrid.Attachment{Name: "factur-x.xml"}); err != nil {
		t.Errorf("the result is damaged as well: %v", err)
	}
}

// TestPDF_Refuses ensures that what is no PDF is an error, never a panic.
func TestPDF_Refuses(t *testing.T) {
	for _, text := range []string{"", "text", "%PDF-1.7\n", "%PDF-1.7\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF"} {
		if repaired, err := PDF([]byte(text)); err == nil {
			t.Errorf("%q became %q", text, repaired)
		}
	}
}
