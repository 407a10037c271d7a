package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/internal/await"
)

// TestBackup_RestoresElsewhere ensures that a copy taken beside a running service, with the documents copied after it, serves what was
// there, and that a job which waited is done.
func TestBackup_RestoresElsewhere(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	accepted := c.ask(t, "POST", "/api/v1/invoice/de/xrechnung/generate", string(docs.Example()), "Prefer", "respond-async")
	job := accepted.Header["Location"][0]
	elsewhere := t.TempDir()
	for _, want := range []struct {
		file string
		code int
	}{{"einvoiced.db", exitOK}, {"einvoiced.db", exitUsage}} {
		if _, errs, code := run(t, "", "backup", "--data", c.dir, filepath.Join(elsewhere, want.file)); code != want.code {
			t.Fatalf("code %d: %s", code, errs)
		}
	}
	for _, rest := range []string{"blobs", "secret.key"} {
		copyTree(t, filepath.Join(c.dir, rest), filepath.Join(elsewhere, rest))
	}
	c.stop()
	restored := &contract{service: start(t, elsewhere), dir: elsewhere, key: c.key}
	await.True(t, "the job to be there and done", func() bool {
		return strings.Contains(string(restored.ask(t, "GET", job, "").Body), `"status":"succeeded"`)
	})
}

// copyTree copies a file or a folder.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if info, err := os.Stat(from); err != nil {
		t.Fatal(err)
	} else if info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
