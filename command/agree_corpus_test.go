//go:build corpus || oracles

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

// corpusClock is the clock of the official runs.
const corpusClock = "2026-09-01T00:00:00Z"

// agreeOutput is a line of rulebooks agree: a difference where it names a file, else a tally.
type agreeOutput struct {
	agreeLine
	File, Difference string
}

// agreeLines runs rulebooks agree with those that ship and those of a folder, if there is one; it gives nothing for verdicts of
// another kind.
func agreeLines(t *testing.T, books, verdicts, folder string) []agreeOutput {
	t.Helper()
	args := []string{"rulebooks", "agree"}
	if books != "" {
		args = append(args, "--rulebooks", books)
	}
	stdout, stderr, code := run(t, "", append(args, "--verdicts", verdicts, "--now", corpusClock, "--json", "--diff", folder)...)
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

// agreeOverCorpus compares the verdicts of the rulebooks in a folder, or where it is empty of those that ship, with the official
// ones on every document of the corpus. It gives the tallies of the rule sets and schemas that are loaded.
func agreeOverCorpus(t *testing.T, books string) map[string]agreeLine {
	t.Helper()
	verdicts, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "verdicts", "*.json"))
	if err != nil || len(verdicts) == 0 {
		t.Fatalf("no corpus in %s", corpus.Shared())
	}
	compared := map[string]agreeLine{}
	for _, file := range verdicts {
		folder := filepath.Join(corpus.Shared(), "corpus", strings.TrimSuffix(filepath.Base(file), ".json"))
		for _, line := range agreeLines(t, books, file, folder) {
			switch {
			case line.File != "" && line.Difference != errNotLoaded.Error():
				t.Errorf("%s: %s: %s", line.File, line.subject, line.Difference)
			case line.File == "" && line.NotLoaded == "" && !line.Total:
				name, before := line.subject.String(), compared[line.subject.String()]
				line.Documents, line.Equal = line.Documents+before.Documents, line.Equal+before.Equal
				compared[name] = line.agreeLine
			}
		}
	}
	return compared
}
