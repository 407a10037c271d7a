package generation

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// open opens the store on a folder as a process of its own does, with a clock that stands at noon.
func open(t testing.TB, dir string) *Store {
	t.Helper()
	database, err := db.Open(t.Context(), dbtest.At(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(Config{Clock: clock.NewHand(noon)}, database)
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// digest is a digest of one letter.
func digest(letter string) string { return strings.Repeat(letter, 64) }

func TestLatest_IsNoneBeforeTheFirst(t *testing.T) {
	if g, err := open(t, t.TempDir()).Latest(t.Context()); err != nil || g != (Generation{}) {
		t.Errorf("%+v, %v", g, err)
	}
}

// TestAnnounce ensures that another process sees what was announced, and that only other rulebooks get another number.
func TestAnnounce(t *testing.T) {
	dir := t.TempDir()
	one, other := open(t, dir), open(t, dir)
	for i, step := range []struct {
		by     *Store
		digest string
		want   int64
	}{{one, "a", 1}, {one, "a", 1}, {other, "a", 1}, {other, "b", 2}, {one, "a", 3}} {
		want := Generation{step.want, digest(step.digest), noon}
		if g, err := step.by.Announce(t.Context(), digest(step.digest)); err != nil || !same(g, want) {
			t.Errorf("step %d: announced %+v, %v, want %+v", i, g, err, want)
		}
		for _, process := range []*Store{one, other} {
			if g, err := process.Latest(t.Context()); err != nil || !same(g, want) {
				t.Errorf("step %d: latest %+v, %v, want %+v", i, g, err, want)
			}
		}
	}
}

func same(a, b Generation) bool {
	return a.Number == b.Number && a.Digest == b.Digest && a.Loaded.Equal(b.Loaded)
}

// TestAnnounce_Together ensures that processes which load the same at the same time agree on one number.
func TestAnnounce_Together(t *testing.T) {
	dir := t.TempDir()
	processes := []*Store{open(t, dir), open(t, dir)}
	var work sync.WaitGroup
	for _, process := range processes {
		for range 8 {
			work.Go(func() {
				if g, err := process.Announce(context.Background(), digest("c")); err != nil || g.Number != 1 {
					t.Errorf("%+v, %v", g, err)
				}
			})
		}
	}
	work.Wait()
}

// TestAnnounce_Apart ensures that processes which load different rulebooks at the same time get different numbers, without a gap.
func TestAnnounce_Apart(t *testing.T) {
	dir := t.TempDir()
	processes := []*Store{open(t, dir), open(t, dir)}
	var numbers sync.Map
	var work sync.WaitGroup
	for i, letter := range "0123456789abcdef" {
		work.Go(func() {
			g, err := processes[i%2].Announce(context.Background(), digest(string(letter)))
			if _, twice := numbers.LoadOrStore(g.Number, g.Digest); err != nil || twice || g.Digest != digest(string(letter)) {
				t.Errorf("%+v, twice %t, %v", g, twice, err)
			}
		})
	}
	work.Wait()
	if g, err := processes[0].Latest(t.Context()); err != nil || g.Number != 16 {
		t.Errorf("latest %+v, %v", g, err)
	}
}

func TestAnnounce_RefusesWhatIsNoDigest(t *testing.T) {
	store := open(t, t.TempDir())
	if g, err := store.Announce(t.Context(), "abc"); err == nil {
		t.Errorf("announced %+v", g)
	}
	if g, err := store.Latest(t.Context()); err != nil || g != (Generation{}) {
		t.Errorf("%+v, %v", g, err)
	}
}

// TestStore_TellsWhatFailed ensures that an error of the database says what was being done.
func TestStore_TellsWhatFailed(t *testing.T) {
	store := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Latest(ctx); err == nil || !strings.Contains(err.Error(), "read the generation of rulebooks") {
		t.Error(err)
	}
	if _, err := store.Announce(ctx, digest("a")); err == nil || !strings.Contains(err.Error(), "announce rulebooks") {
		t.Error(err)
	}
}
