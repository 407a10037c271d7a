package blob_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"einvoiced/storage/blob"
	"einvoiced/storage/blob/blobtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, dir string) *blob.Folder {
	t.Helper()
	f, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestFolderIsAStore(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store { return open(t, t.TempDir()) })
}

func TestLinkDoesNotLeadOutOfTheFolder(t *testing.T) {
	dir, outside := filepath.Join(t.TempDir(), "blobs"), t.TempDir()
	f := open(t, dir)
	if err := errors.Join(os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600), os.Symlink(outside, filepath.Join(dir, "acc"))); err != nil {
		t.Fatal(err)
	}
	if r, err := f.Get(t.Context(), "acc/secret"); err == nil {
		r.Close()
		t.Error("read through a link")
	}
	if _, err := f.Put(t.Context(), "acc/new", strings.NewReader("x")); err == nil {
		t.Error("written through a link")
	}
	if err := f.Delete(t.Context(), "acc/secret"); err == nil {
		t.Error("deleted through a link")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside are %v (error %v)", entries, err)
	}
}

func TestBlobsAreTheOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	f := open(t, dir)
	if _, err := f.Put(t.Context(), "acc/job/0/input", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", d.Name(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpeningRemovesOldUnfinishedBlobsOnly(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	old, young := filepath.Join(dir, ".tmp", "old"), filepath.Join(dir, ".tmp", "young")
	for _, file := range []string{old, young} {
		if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old one: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young one: %v", err)
	}
}

func TestFinishedPutsLeaveNothingUnfinished(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for _, key := range []string{"acc/job/0/input", "../bad"} {
		f.Put(t.Context(), key, strings.NewReader("x"))
	}
	if entries, err := os.ReadDir(filepath.Join(dir, ".tmp")); err != nil || len(entries) != 0 {
		t.Errorf("left are %v (error %v)", entries, err)
	}
}

func FuzzKeyStaysInsideItsFolder(f *testing.F) {
	for _, key := range []string{"acc/job/0/input", "../x", "a/./b", "a\x00", "/etc/passwd", "a/b/../../../c", ".tmp/x"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if err := blob.CheckKey(key); err != nil {
			if !errors.Is(err, blob.ErrKey) {
				t.Errorf("error %v is not ErrKey", err)
			}
			return
		}
		if !filepath.IsLocal(key) || filepath.Clean(key) != key || strings.HasPrefix(key, ".") {
			t.Errorf("%q counts as a key", key)
		}
	})
}

// BenchmarkPut measures a blob of 8 KiB on the disk, in the folder of a new job.
func BenchmarkPut(b *testing.B) {
	f, data := open(b, b.TempDir()), bytes.Repeat([]byte("x"), 8<<10)
	b.SetBytes(int64(len(data)))
	for i := 0; b.Loop(); i++ {
		key := blob.Key("acc", "job_"+time.UnixMicro(int64(i)).Format("150405.000000"), 0, "input")
		if _, err := f.Put(b.Context(), key, bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
