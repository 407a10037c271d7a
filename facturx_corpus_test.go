//go:build corpus

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"einvoiced/internal/corpus"
)

// TestFacturX_AgreesWithTheOfficialRules ensures that the rulebooks of Factur-X give the official verdict, ids, levels and counts,
// on each document of the corpus that has one.
func TestFacturX_AgreesWithTheOfficialRules(t *testing.T) {
	shared := filepath.Join(corpus.Shared(), "corpus")
	for set, want := range map[string][]string{
		"fx-basic":    {"fx-2.3.3-basic", "fx-2.4-basic", "fx-2.5.2-basic"},
		"fx-en16931":  {"fx-2.3.3-en16931", "fx-2.4-en16931", "fx-2.5.2-en16931"},
		"fx-extended": {"fx-2.3.3-extended", "fx-2.4-extended", "fx-2.5.2-extended"},
		"en-cii":      {"fx-2.5.2-en16931", "fx-2.5.2-extended"},
	} {
		stdout, stderr, _ := run(t, "", "rulebooks", "agree", "--json", "--diff", "--now", "2026-09-01", "--verdicts", filepath.Join(shared, "verdicts", set+".json"), filepath.Join(shared, set))
		var compared []string
		for text := range strings.Lines(stdout) {
			var line struct {
				agreeLine
				File, Difference string
			}
			unmarshal(t, []byte(text), &line)
			switch ours := slices.Contains(want, line.Ruleset); {
			case ours && line.File != "":
				t.Errorf("%s: %s: %s", line.File, line.Ruleset, line.Difference)
			case ours && line.Documents > 0 && line.Equal == line.Documents:
				compared = append(compared, line.Ruleset)
			}
		}
		if !slices.Equal(compared, want) {
			t.Errorf("%s: these agree: %v, expected %v\n%s", set, compared, want, stderr)
		}
	}
}
