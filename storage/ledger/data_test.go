package ledger

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// TestSmallBytesAreKeptBesideTheRowAndLargeOnesAsBlobs ensures that the limit is exact, and that both come back.
func TestSmallBytesAreKeptBesideTheRowAndLargeOnesAsBlobs(t *testing.T) {
	f := newFixture(t)
	const small = 32 << 10
	for size, blobs := range map[int]int{0: 0, small - 1: 0, small: 0, small + 1: 3, 3 * small: 3} {
		before := len(f.storedBlobs(t))
		data := bytes.Repeat([]byte("x"), size)
		run := f.claim(t, f.accept(t, string(data)))
		input, err := f.Input(t.Context(), run)
		do(t, err, f.Finish(t.Context(), run, Output{Status: 200, Answer: Bytes(data), Document: &Document{"a.txt", "text/plain", Bytes(data)}}))
		if !bytes.Equal(input, data) {
			t.Errorf("input of %d bytes comes back with %d while it runs", size, len(input))
		}
		f.checkKept(t, run, string(data))
		if n := len(f.storedBlobs(t)) - before; n != blobs {
			t.Errorf("%d bytes: %d blobs, want %d", size, n, blobs)
		}
	}
}

// TestBytesAreFoundWhereverTheyWereKept ensures that the limit may be changed under jobs that there are.
func TestBytesAreFoundWhereverTheyWereKept(t *testing.T) {
	for _, limits := range [][2]int{{-1, 0}, {0, -1}, {1 << 20, 100}} {
		f := newFixture(t, func(c *Config) { c.SmallBytes = limits[0] })
		f.accept(t, strings.Repeat("x", 5000))
		f.cfg.SmallBytes = limits[1]
		next := openFixture(t, f.place, f.cfg)
		run := next.claimNext(t)
		if input, err := next.Input(t.Context(), run); err != nil || len(input) != 5000 {
			t.Errorf("limits %v: %d bytes, error %v", limits, len(input), err)
		}
		do(t, f.Finish(t.Context(), run, done))
		f.account = run.Account
		next.checkOutput(t, next.get(t, run))
	}
}

// TestInputOfAnAcceptanceInDoubtIsLeftToTheSweep ensures that nothing is removed which a row may need.
func TestInputOfAnAcceptanceInDoubtIsLeftToTheSweep(t *testing.T) {
	f := newFixture(t, inBlobs)
	job := f.accept(t, "x")
	r := row{ID: job.ID, Account: job.Account}
	do(t, f.undo(t.Context(), fmt.Errorf("commit: %w", db.ErrInDoubt), r, datum{}))
	if got, want := f.stored(t), []string{job.ID + "/0/input"}; !slices.Equal(got, want) {
		t.Errorf("stored are %q, want %q", got, want)
	}
	do(t, f.undo(t.Context(), db.ErrClosed, r, datum{}))
	if got := f.stored(t); len(got) != 0 {
		t.Errorf("without doubt stored are %q", got)
	}
}
