// Package blobtest is what every blob.Store must pass.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// Run runs the suite. open gives an empty store of its own to every test.
func Run(t *testing.T, open func(t *testing.T) blob.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, blob.Store)
	}{
		{"what is put comes back", comesBack},
		{"putting again replaces", replaces},
		{"a failed put leaves what was there", failedPutLeaves},
		{"a put whose context has ended leaves nothing", endedPutLeavesNothing},
		{"a put that is canceled on the way leaves what was there", canceledPutLeaves},
		{"what is absent is not found", absent},
		{"delete removes one", deletes},
		{"delete all removes what is under the prefix", deletesAll},
		{"list visits what is under the prefix", lists},
		{"an error of the visitor ends the list", listEnds},
		{"what is no key is refused everywhere", refusesKeys},
		{"a key has two segments at least", refusesKeysOfOneSegment},
		{"callers beside each other do not disturb each other", besideEachOther},
		{"a reader keeps what it has opened", readerKeeps},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func put(t *testing.T, s blob.Store, key, data string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
}

// get reads a blob; absent gives "absent".
func get(t *testing.T, s blob.Store, key string) string {
	t.Helper()
	r, err := s.Get(t.Context(), key)
	if errors.Is(err, blob.ErrNotFound) {
		return "absent"
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// keys lists the keys under the prefix, sorted.
func keys(t *testing.T, s blob.Store, prefix string) []string {
	t.Helper()
	var found []string
	err := s.List(t.Context(), prefix, func(o blob.Object) error {
		found = append(found, o.Key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

func comesBack(t *testing.T, s blob.Store) {
	for name, data := range map[string]string{"empty": "", "small": "<Invoice/>", "large": strings.Repeat("0123456789abcde\n", 1<<17), "binary": "\x00\xff\r\n"} {
		key := blob.Key("acc_1", "job_1", 3, name)
		info, err := s.Put(t.Context(), key, iotest.HalfReader(strings.NewReader(data)))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(data))
		if want := (blob.Info{Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}); info != want {
			t.Errorf("%s: put tells %+v, want %+v", name, info, want)
		}
		if get(t, s, key) != data {
			t.Errorf("%s: other bytes came back", name)
		}
		o, err := s.Stat(t.Context(), key)
		if err != nil || o.Key != key || o.Size != int64(len(data)) || o.Modified.IsZero() {
			t.Errorf("%s: stat tells %+v, error %v", name, o, err)
		}
	}
}

func replaces(t *testing.T, s blob.Store) {
	put(t, s, "a/b", "a long first version")
	put(t, s, "a/b", "second")
	if got := get(t, s, "a/b"); got != "second" {
		t.Errorf("%q came back", got)
	}
}

func failedPutLeaves(t *testing.T, s blob.Store) {
	put(t, s, "a/b", "before")
	broken := errors.New("broken")
	failing := func() io.Reader { return io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)) }
	for _, key := range []string{"a/b", "a/new", "new/new"} {
		if _, err := s.Put(t.Context(), key, failing()); !errors.Is(err, broken) {
			t.Errorf("put %s: error %v, want that of the reader", key, err)
		}
	}
	if got := get(t, s, "a/b"); got != "before" {
		t.Errorf("%q came back", got)
	}
	if got := keys(t, s, ""); !slices.Equal(got, []string{"a/b"}) {
		t.Errorf("left are %q", got)
	}
}

func endedPutLeavesNothing(t *testing.T, s blob.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, "a/b", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if got := get(t, s, "a/b"); got != "absent" {
		t.Errorf("%q came back", got)
	}
}

// canceling is an empty reader that ends a context.
type canceling struct{ cancel context.CancelFunc }

func (c canceling) Read([]byte) (int, error) { c.cancel(); return 0, io.EOF }

func canceledPutLeaves(t *testing.T, s blob.Store) {
	put(t, s, "a/b", "before")
	for _, size := range []int{1 << 10, 12 << 20} { // S3 keeps the larger in parts
		for _, key := range []string{"a/b", "a/new"} {
			ctx, cancel := context.WithCancel(t.Context())
			half := bytes.Repeat([]byte("x"), size)
			r := io.MultiReader(bytes.NewReader(half), canceling{cancel}, bytes.NewReader(half))
			if _, err := s.Put(ctx, key, r); !errors.Is(err, context.Canceled) {
				t.Errorf("put %s: error %v, want context.Canceled", key, err)
			}
		}
	}
	if got := get(t, s, "a/b"); got != "before" {
		t.Errorf("%d bytes came back", len(got))
	}
	if got := keys(t, s, ""); !slices.Equal(got, []string{"a/b"}) {
		t.Errorf("left are %q", got)
	}
}

func absent(t *testing.T, s blob.Store) {
	put(t, s, "a/b/c", "x")
	for _, key := range []string{"a/x", "x/y/z", "a/b", "a/b/c/d"} {
		if _, err := s.Get(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("get %s: error %v, want ErrNotFound", key, err)
		}
		if _, err := s.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("stat %s: error %v, want ErrNotFound", key, err)
		}
	}
}

func deletes(t *testing.T, s blob.Store) {
	put(t, s, "a/b", "x")
	put(t, s, "a/c", "y")
	for range 2 { // absent the second time
		if err := s.Delete(t.Context(), "a/b"); err != nil {
			t.Fatal(err)
		}
	}
	put(t, s, "a/c/d", "z") // a blob's key may be the beginning of another's
	if err := errors.Join(s.Delete(t.Context(), "a/c/d/e"), s.Delete(t.Context(), "a/c/d")); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, s, ""); !slices.Equal(got, []string{"a/c"}) {
		t.Errorf("left are %q", got)
	}
}

func deletesAll(t *testing.T, s blob.Store) {
	for _, key := range []string{"acc/job_1/0/input", "acc/job_1/1/answer", "acc/job_10/0/input", "acc2/job_1/0/input"} {
		put(t, s, key, "x")
	}
	for range 2 { // nothing there the second time
		if err := s.DeleteAll(t.Context(), "acc/job_1"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := keys(t, s, ""), []string{"acc/job_10/0/input", "acc2/job_1/0/input"}; !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
	put(t, s, "acc/job_1/0/input", "again")
	if err := s.DeleteAll(t.Context(), "acc/job_1/0/input"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "acc/job_1/0/input"); got != "again" {
		t.Errorf("%q came back", got)
	}
}

func lists(t *testing.T, s blob.Store) {
	for _, key := range []string{"a/b/c", "a/b/d", "a/bb/c", "b/c"} {
		put(t, s, key, "four")
	}
	for prefix, want := range map[string][]string{
		"":        {"a/b/c", "a/b/d", "a/bb/c", "b/c"},
		"a":       {"a/b/c", "a/b/d", "a/bb/c"},
		"a/b":     {"a/b/c", "a/b/d"},
		"a/b/c":   nil,
		"nothing": nil,
	} {
		if got := keys(t, s, prefix); !slices.Equal(got, want) {
			t.Errorf("under %q are %q, want %q", prefix, got, want)
		}
	}
	err := s.List(t.Context(), "b", func(o blob.Object) error {
		if o.Size != 4 || o.Modified.IsZero() {
			t.Errorf("listed as %+v", o)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func listEnds(t *testing.T, s blob.Store) {
	put(t, s, "a/b", "x")
	put(t, s, "a/c", "x")
	enough, visits := errors.New("enough"), 0
	err := s.List(t.Context(), "a", func(blob.Object) error { visits++; return enough })
	if !errors.Is(err, enough) || visits != 1 {
		t.Errorf("error %v after %d visits", err, visits)
	}
}

func refusesKeys(t *testing.T, s blob.Store) {
	for _, key := range []string{
		"", "/", "a/", "/a", "a//b", ".", "..", "../a", "a/../b", "a/..", ".hidden", "a/.b", `a\b`, "a b", "a\x00b", "ä", "a:b", "~", "a\n",
		"a/" + strings.Repeat("a", 129), strings.Repeat("a/", 8) + "a", strings.Repeat(strings.Repeat("a", 100)+"/", 2) + strings.Repeat("a", 100),
	} {
		_, putErr := s.Put(t.Context(), key, bytes.NewReader(nil))
		_, getErr := s.Get(t.Context(), key)
		_, statErr := s.Stat(t.Context(), key)
		outcomes := map[string]error{
			"put": putErr, "get": getErr, "stat": statErr, "delete": s.Delete(t.Context(), key), "delete all": s.DeleteAll(t.Context(), key),
		}
		if key != "" {
			outcomes["list"] = s.List(t.Context(), key, func(blob.Object) error { return nil })
		}
		for name, err := range outcomes {
			if !errors.Is(err, blob.ErrKey) {
				t.Errorf("%s %.30q: error %v, want ErrKey", name, key, err)
			}
		}
	}
}

func refusesKeysOfOneSegment(t *testing.T, s blob.Store) {
	_, putErr := s.Put(t.Context(), "a", bytes.NewReader(nil))
	_, getErr := s.Get(t.Context(), "a")
	_, statErr := s.Stat(t.Context(), "a")
	for name, err := range map[string]error{"put": putErr, "get": getErr, "stat": statErr, "delete": s.Delete(t.Context(), "a")} {
		if !errors.Is(err, blob.ErrKey) {
			t.Errorf("%s: error %v, want ErrKey", name, err)
		}
	}
}

func besideEachOther(t *testing.T, s blob.Store) {
	var callers sync.WaitGroup
	for i := range 16 {
		callers.Go(func() {
			own, data := fmt.Sprintf("acc/job_%d/0/input", i), strings.Repeat(fmt.Sprint(i), 10_000)
			for _, key := range []string{own, "acc/shared/0/input"} {
				if _, err := s.Put(t.Context(), key, strings.NewReader(data)); err != nil {
					t.Error(err)
				}
			}
			if get(t, s, own) != data {
				t.Errorf("%s has other bytes", own)
			}
		})
	}
	callers.Wait()
	shared := get(t, s, "acc/shared/0/input")
	if len(shared) < 10_000 || strings.Trim(shared, shared[:len(shared)/10_000]) != "" {
		t.Error("the shared blob is a mixture")
	}
}

func readerKeeps(t *testing.T, s blob.Store) {
	before := strings.Repeat("before", 100_000)
	put(t, s, "a/b", before)
	r, err := s.Get(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	put(t, s, "a/b", "after")
	if data, err := io.ReadAll(r); err != nil || string(data) != before {
		t.Errorf("read %d bytes, error %v, want the %d of before", len(data), err, len(before))
	}
}
