//go:build corpus

package operation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_PDFs ensures that every PDF of the corpus is judged as the hybrid that it is, or refused with a reason, which no file but those of
// other standards needs.
func TestCorpus_PDFs(t *testing.T) {
	s := newService(t)
	files, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "pdf", "*", "*.[pP]df"))
	if err != nil || len(files) < 400 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	hybrids, older := 0, 0
	for _, name := range files {
		document, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Validate(context.Background(), ValidateRequest{Country: "de", Document: document})
		var r *finding.Refusal
		switch {
		case err == nil:
			hybrids++
			if id := a.Detection.Format; !strings.HasPrefix(id, "ZUGFERD_") && !strings.HasPrefix(id, "FACTURX_") || a.Carrier == nil || !a.Carrier.PDFA3Declared {
				t.Errorf("%s: %s, carrier %+v", name, id, a.Carrier)
			}
		case !errors.As(err, &r) || r.Kind != finding.BadRequest:
			t.Errorf("%s: %v", name, err)
		case strings.Contains(r.Message, "document element"):
			older++ // ZUGFeRD 1.0
		}
	}
	if hybrids != 51 || older != 12 {
		t.Errorf("%d hybrids and %d of ZUGFeRD 1.0, want 51 and 12", hybrids, older)
	}
}
