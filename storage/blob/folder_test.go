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

	"github.com/minio/minio-go/v7"
	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/blob/blobtest"
)

func TestMain(m *testing.M) {
	minio.DefaultRetryUnit, minio.DefaultRetryCap = time.Millisecond, 10*time.Millisecond // nobody waits for a test's server
	goleak.VerifyTestMain(m)
}

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
	dir, outside := filepath.Join(t.TempDir(), "blobs"), filepath.Join(t.TempDir(), "acc")
	f := open(t, dir)
	if _, err := f.Put(t.Context(), "acc/secret", strings.NewReader("secret")); err != nil {
		t.Fatal(err)
	}
	acc := filepath.Join(dir, "acc")
	if err := errors.Join(os.Rename(acc, outside), os.Symlink(outside, acc)); err != nil {
		t.Fatal(err)
	}
	if r, err := f.Get(t.Context(), "acc/secret"); err == nil {
		r.Close()
		t.Error("read through a link")
	}
	if _, err := f.Put(t.Context(), "acc/secret", strings.NewReader("changed")); err == nil {
		t.Error("written through a link")
	}
	if err := f.Delete(t.Context(), "acc/secret"); err == nil {
		t.Error("deleted through a link")
	}
	files, err := filepath.Glob(filepath.Join(outside, "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("outside are %v (error %v)", files, err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || string(data) != "secret" {
		t.Errorf("outside stands %q (error %v)", data, err)
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

func TestFilesThatAreNoBlobsAreNotListed(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	if _, err := f.Put(t.Context(), "acc/job/0/input", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lost+found", "acc/notes", "acc/zz/job~0~input", "acc/zz/.hidden", "acc/zz/a b"} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var keys []string
	err := f.List(t.Context(), "", func(o blob.Object) error { keys = append(keys, o.Key); return nil })
	if err != nil || len(keys) != 1 || keys[0] != "acc/job/0/input" {
		t.Errorf("listed are %q (error %v)", keys, err)
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
