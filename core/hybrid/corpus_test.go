//go:build corpus

package hybrid

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// pdfVerdict is what qpdf and poppler say of a file of the corpus.
type pdfVerdict struct {
	QPDFCheck    string
	Embedded     []string
	Encrypted    bool
	DeclaresPDFA bool
	Pages        int
	InvoiceXML   *struct{ Name, SHA256 string }
}

func pdfVerdicts(t *testing.T, set string) map[string]pdfVerdict {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "verdicts", "pdf-"+set+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Files map[string]pdfVerdict }
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v.Files
}

func corpusPDF(t *testing.T, set, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "pdf", set, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCorpus_Hybrids ensures that the XML of every hybrid is found, byte for byte.
func TestCorpus_Hybrids(t *testing.T) {
	found := 0
	for name, verdict := range pdfVerdicts(t, "hybrid") {
		d, err := Open(context.Background(), corpusPDF(t, "hybrid", name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		invoice, err := d.Invoice()
		if verdict.InvoiceXML == nil {
			if !errors.Is(err, ErrNoInvoice) {
				t.Errorf("%s: has no invoice, but the reader says %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sum := sha256.Sum256(invoice.XML)
		if hex.EncodeToString(sum[:]) != verdict.InvoiceXML.SHA256 || invoice.Name != verdict.InvoiceXML.Name {
			t.Errorf("%s: %s with other bytes than %s", name, invoice.Name, verdict.InvoiceXML.Name)
		}
		if pages := d.walkPages().count; pages != verdict.Pages {
			t.Errorf("%s: %d pages, want %d", name, pages, verdict.Pages)
		}
		c := d.Carrier()
		if c.PDFA3Declared != verdict.DeclaresPDFA || d.file.Rebuilt() {
			t.Errorf("%s: %+v", name, c)
		}
		found++
	}
	if found != 63 {
		t.Errorf("%d hybrids, want 63", found)
	}
}

// TestCorpus_OddFiles ensures that odd and damaged files end soon, with a clear reason or with the pages and embedded files that qpdf
// finds in those that it calls clean.
func TestCorpus_OddFiles(t *testing.T) {
	for name, verdict := range pdfVerdicts(t, "odd") {
		begin := time.Now()
		d, err := Open(context.Background(), corpusPDF(t, "odd", name))
		if err != nil {
			t.Logf("%s (%s, encrypted %t, %d pages): %v", name, verdict.QPDFCheck, verdict.Encrypted, verdict.Pages, err)
			if verdict.QPDFCheck == "clean" && !errors.Is(err, pdffile.ErrPassword) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if _, err := d.Invoice(); !errors.Is(err, ErrNoInvoice) {
			t.Errorf("%s: an invoice, or another reason: %v", name, err)
		}
		var files []string
		for _, a := range d.found {
			files = append(files, a.name)
		}
		slices.Sort(files)
		verdict.Embedded = slices.DeleteFunc(verdict.Embedded, func(name string) bool { return name == "" })
		slices.Sort(verdict.Embedded)
		pages := d.walkPages().count
		same := pages == verdict.Pages || verdict.Pages == 0 // qpdf does not tell
		if !same || d.Encrypted() != verdict.Encrypted || !slices.Equal(slices.Compact(files), slices.Compact(verdict.Embedded)) {
			t.Logf("%s (%s): %d pages of %d, encrypted %t, files %q of %q", name, verdict.QPDFCheck, pages, verdict.Pages, d.Encrypted(), files, verdict.Embedded)
			if verdict.QPDFCheck == "clean" {
				t.Errorf("%s: other than qpdf says", name)
			}
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Logf("%s: %v", name, took)
		}
	}
}
