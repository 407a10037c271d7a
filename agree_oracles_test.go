//go:build oracles

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"einvoiced/internal/corpus"
)

// corpusClock is the clock of the official runs.
const corpusClock = "2026-09-01T00:00:00Z"

// TestOfficial_Agree imports the official rule sets from the jars of Maven Central and compares their verdicts on every document
// of the corpus, all by the commands.
func TestOfficial_Agree(t *testing.T) {
	books := t.TempDir()
	importOfficial(t, books)
	importSyntaxes(t, books)
	verdicts, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "verdicts", "*.json"))
	if err != nil || len(verdicts) == 0 {
		t.Fatalf("no corpus in %s", corpus.Shared())
	}
	compared := map[string]int{}
	for _, file := range verdicts {
		folder := filepath.Join(corpus.Shared(), "corpus", strings.TrimSuffix(filepath.Base(file), ".json"))
		stdout, _, code := run(t, "", "rulebooks", "agree", "--rulebooks", books, "--verdicts", file, "--now", corpusClock, "--json", "--diff", folder)
		if code == exitUsage {
			continue // verdicts of another kind
		}
		for text := range strings.Lines(stdout) {
			var line struct {
				agreeLine
				File, Difference string
			}
			unmarshal(t, []byte(text), &line)
			switch {
			case line.File != "" && line.Difference != "not loaded":
				t.Errorf("%s: %s: %s", line.File, line.subject, line.Difference)
			case line.File == "" && line.NotLoaded == "" && !line.Total:
				compared[line.subject.String()] += line.Documents
			}
		}
	}
	for _, rules := range publishedRules {
		if compared[rules.name] == 0 || rules.schema != "" && compared["xsd:"+rules.name] == 0 {
			t.Errorf("%s was not compared", rules.name)
		}
	}
	for name := range syntaxSchemas {
		if compared["xsd:"+name] == 0 {
			t.Errorf("the schema %s was not compared", name)
		}
	}
	t.Log(compared)
}
