package operation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestParseReportsWhatTheInvoiceCannotHold compares the reported leaves of our own source documents with the list beside
// each; a document without a list has nothing to report.
func TestParseReportsWhatTheInvoiceCannotHold(t *testing.T) {
	s := newService(t)
	files, err := filepath.Glob("../../testdata/documents/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents (%v)", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Parse(context.Background(), ParseRequest{Document: source})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range answer.Warnings {
			if w.Code != finding.ElementNotMapped {
				t.Errorf("%s: warning %s was not expected", file, w.Code)
			}
			got = append(got, w.Field)
		}
		slices.Sort(got)
		if diff := cmp.Diff(unmapped(t, file), got); diff != "" {
			t.Errorf("%s: reported leaves differ (-by hand +reported):\n%s", file, diff)
		}
	}
}

// unmapped reads the sorted list beside a document.
func unmapped(t *testing.T, document string) []string {
	t.Helper()
	text, err := os.ReadFile(strings.TrimSuffix(document, ".xml") + ".unmapped.txt")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text))
	slices.Sort(lines)
	return lines
}
