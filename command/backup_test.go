package command

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/internal/await"
)

// TestBackup_RestoresElsewhere ensures that an archive taken beside a running service serves what was there, and that a job which
// waited is done.
func TestBackup_RestoresElsewhere(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	accepted := c.ask(t, "POST", "/api/v1/invoice/de/xrechnung/generate", string(docs.Example()), "Prefer", "respond-async")
	job := accepted.Header["Location"][0]
	archive, elsewhere := filepath.Join(t.TempDir(), "einvoiced.tar.gz"), filepath.Join(t.TempDir(), "data")
	for _, step := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"backup", "--data", c.dir, "--with-secret", archive}, exitOK, ""},
		{[]string{"backup", "--data", c.dir, archive}, exitUsage, "hint: name a file that does not exist yet"},
		{[]string{"restore", "--data", elsewhere, archive}, exitOK, ""},
		{[]string{"restore", "--data", elsewhere, archive}, exitUsage, "is not empty"},
	} {
		if _, errs, code := run(t, "", step.args...); code != step.code || !strings.Contains(errs, step.want) {
			t.Fatalf("%v: code %d: %s", step.args, code, errs)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(archive), "*")); err != nil || len(left) != 1 {
		t.Errorf("beside the archive is %v, %v", left, err)
	}
	c.stop()
	restored := &contract{service: start(t, elsewhere), dir: elsewhere, key: c.key}
	await.True(t, "the job to be there and done", func() bool {
		return strings.Contains(string(restored.ask(t, "GET", job, "").Body), `"status":"succeeded"`)
	})
}

// TestBackup_KeepsTheSecret ensures that an archive is for its owner alone, has the secret key only where that was asked for, and that
// restore tells where it has to go.
func TestBackup_KeepsTheSecret(t *testing.T) {
	t.Parallel()
	dir, out := made(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, secretName), []byte("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{"with": {"--with-secret"}, "without": nil} {
		archive := filepath.Join(out, name)
		run(t, "", append([]string{"backup", "--data", dir, archive}, flags...)...)
		info, err := os.Stat(archive)
		if err != nil {
			t.Fatal(err)
		}
		_, stderr, code := run(t, "", "restore", "--data", archive+".data", archive)
		_, missing := os.Stat(filepath.Join(archive+".data", secretName))
		if (missing == nil) != (name == "with") || strings.Contains(stderr, "the secret key is not in the archive") != (name == "without") || code != exitOK || info.Mode() != 0o600 {
			t.Errorf("%s: mode %v, exit code %d, %v: %s", name, info.Mode(), code, missing, stderr)
		}
	}
}

// TestBackup_OfSharedStores ensures that what has tools of its own is left to them, with a hint.
func TestBackup_OfSharedStores(t *testing.T) {
	t.Parallel()
	for hint, flags := range map[string][]string{"pg_dump": {"--database", "postgres://host/name"}, "mc mirror": {"--s3", "https://k:s@host/bucket"}} {
		file := filepath.Join(t.TempDir(), "archive")
		_, stderr, code := run(t, "", append([]string{"backup", file}, flags...)...)
		if _, err := os.Stat(file); code != exitUsage || !strings.Contains(stderr, hint) || err == nil {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	}
}

// archiveOf makes an archive of names and texts; a name that ends with > is a link.
func archiveOf(t *testing.T, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	for pair := range slices.Chunk(entries, 2) {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: pair[0], Size: int64(len(pair[1])), Mode: 0o600}
		if name, link := strings.CutSuffix(pair[0], ">"); link {
			header = &tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: pair[1]}
		}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(archive, pair[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRestore_Refuses ensures that what backup has not written makes no folder, and nothing outside of it.
func TestRestore_Refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		archive string
		code    int
		want    string
	}{
		"no archive":        {"text", exitInvalid, "this is no archive of einvoiced backup"},
		"a cut one":         {archiveOf(t, "einvoiced.db", "x")[:40], exitInvalid, "unexpected EOF"},
		"a name outside":    {archiveOf(t, "blobs/../../x", "x"), exitInvalid, "no such entry"},
		"an absolute name":  {archiveOf(t, "/x", "x"), exitInvalid, "no such entry"},
		"a link":            {archiveOf(t, "blobs/x>", "/etc"), exitInvalid, "no such entry"},
		"no database":       {archiveOf(t, "blobs/x", "x"), exitUsage, "hint: "},
		"a broken database": {archiveOf(t, "einvoiced.db", "no database at all, for sure"), exitInternal, "einvoiced: "},
	} {
		parent := t.TempDir()
		_, stderr, code := run(t, c.archive, "restore", "--data", filepath.Join(parent, "data"), "-")
		left, err := os.ReadDir(parent)
		if code != c.code || !strings.Contains(stderr, c.want) || err != nil || len(left) != 0 {
			t.Errorf("%s: exit code %d, left %v: %s", name, code, left, stderr)
		}
	}
}
