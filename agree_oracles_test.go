//go:build oracles

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"einvoiced/internal/corpus"
	"einvoiced/oracles"
)

// corpusClock is the clock of the official runs.
const corpusClock = "2026-09-01T00:00:00Z"

// agreeOutput is a line of rulebooks agree: a difference where it names a file, else a tally.
type agreeOutput struct {
	agreeLine
	File, Difference string
}

// agreeLines runs rulebooks agree; it gives nothing for verdicts of another kind.
func agreeLines(t *testing.T, books, verdicts, folder string) []agreeOutput {
	t.Helper()
	stdout, stderr, code := run(t, "", "rulebooks", "agree", "--rulebooks", books, "--verdicts", verdicts, "--now", corpusClock, "--json", "--diff", folder)
	switch code {
	case exitUsage:
		return nil
	case exitOK, exitInvalid:
	default:
		t.Fatalf("%s: exit code %d: %s", verdicts, code, stderr)
	}
	var lines []agreeOutput
	for text := range strings.Lines(stdout) {
		var line agreeOutput
		unmarshal(t, []byte(text), &line)
		lines = append(lines, line)
	}
	return lines
}

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
		for _, line := range agreeLines(t, books, file, folder) {
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
	for name := range oracles.Syntaxes {
		if compared["xsd:"+name] == 0 {
			t.Errorf("the schema %s was not compared", name)
		}
	}
	t.Log(compared)
}
