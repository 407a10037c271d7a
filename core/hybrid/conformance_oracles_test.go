//go:build corpus && oracles

package hybrid

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestOfficial_EmbeddingBreaksNoRule ensures with veraPDF that a file breaks no rule of PDF/A-3b after embedding that it has kept before.
func TestOfficial_EmbeddingBreaksNoRule(t *testing.T) {
	profiles, err := oracles.StartProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = profiles.Close() }) // the context has ended it
	compared, kept := 0, 0
	for _, set := range []string{"hybrid", "odd"} {
		for name := range pdfVerdicts(t, set) {
			carrier := filepath.Join(corpus.Shared(), "corpus", "pdf", set, name)
			before, _, err := profiles.Failed("3b", carrier)
			if err != nil {
				continue // veraPDF cannot read it
			}
			result, err := embedded(t, carrier)
			if err != nil {
				continue // refused, which another test looks at
			}
			after, _, err := profiles.Failed("3b", result)
			if err != nil {
				t.Errorf("%s: cannot be judged any more: %v", name, err)
				continue
			}
			for _, rule := range after {
				if !slices.Contains(before, rule) {
					t.Errorf("%s: breaks %s, which it kept", name, rule)
				}
			}
			if compared++; len(before) == 0 {
				kept++
			}
		}
	}
	if t.Logf("%d files, of which %d broke no rule", compared, kept); compared < 250 || kept < 30 {
		t.Error("these are too few")
	}
}

// embedded writes a file with the sample embedded and gives its path; the error is a refusal.
func embedded(t *testing.T, path string) (string, error) {
	t.Helper()
	carrier, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), carrier)
	if err != nil {
		return "", err
	}
	added, err := d.Embed(sample)
	if errors.Is(err, pdffile.ErrCrossReferences) {
		added, err = d.EmbedDamaged(sample)
	}
	if err != nil {
		return "", err
	}
	file := filepath.Join(t.TempDir(), "result.pdf")
	if err := os.WriteFile(file, slices.Concat(carrier, added), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, nil
}
