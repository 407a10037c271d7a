package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestValidate_ReadsTheRulebooksThatItUses ensures that a command that judges a document does not read the rulebooks of other
// documents, and that one in use whose files are not as its manifest says judges nothing and is named.
func TestValidate_ReadsTheRulebooksThatItUses(t *testing.T) {
	books, files := validateFiles(t)
	putBook(t, books, "other-rules", "1", binding("urn:test:other", ""), invoiceRules(`<assert id="O-1" test="true()">Never.</assert>`))
	damage(t, filepath.Join(books, "other-rules"))
	stdout, stderr, code := run(t, "", "validate", "--rulebooks", books, files[0])
	if code != exitOK || !strings.Contains(stdout, "valid, UBL, judged by test-rules 7") || stderr != "" {
		t.Errorf("with another rulebook damaged: exit code %d: %s%s", code, stdout, stderr)
	}
	damage(t, filepath.Join(books, "test-rules"))
	stdout, _, code = run(t, "", "validate", "--rulebooks", books, files[0])
	if code != exitPartly || !strings.Contains(stdout, "load-failed: rulebook test-rules@7") || !strings.Contains(stdout, "SHA-256") {
		t.Errorf("with its rulebook damaged: exit code %d: %s", code, stdout)
	}
}

// damage changes the files of a rulebook but its manifest.
func damage(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.sch"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no files in", folder)
	}
	for _, name := range files {
		if err := os.WriteFile(name, []byte("<x/>"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
