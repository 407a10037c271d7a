package ledger

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// counted is what is counted as stored for an account.
func (f *fixture) counted(t testing.TB, accountID string) (bytes int64) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &bytes, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs WHERE account_id = ?", accountID))
	return bytes
}

// TestStoredInputsAreCounted ensures that the inputs of jobs are counted from their acceptance, small or large, alone or in a batch, until they
// are erased, expire, or their batch is given up.
func TestStoredInputsAreCounted(t *testing.T) {
	f := newFixture(t)
	want := func(bytes int64, when string) {
		t.Helper()
		if got := f.counted(t, f.account); got != bytes {
			t.Errorf("%s: %d bytes are counted, want %d", when, got, bytes)
		}
	}
	large := strings.Repeat("x", 100_000)
	small := f.claim(t, f.accept(t, "small"))
	f.claim(t, f.accept(t, large))
	want(100_005, "two jobs")
	do(t, f.Fail(t.Context(), small, Failure{CodeTimedOut, "too late"}))
	want(100_005, "one has ended")
	for range 2 {
		_, err := f.Erase(t.Context(), f.account, account.Test, small.ID)
		do(t, err)
	}
	want(100_000, "one was erased, twice")
	w, _ := f.openBatch(t, 300)
	open := f.counted(t, f.account)
	if open <= 100_000 {
		t.Errorf("an open batch is not counted: %d", open)
	}
	do(t, w.Abort(t.Context()))
	want(100_000, "a batch was given up")
	f.acceptBatch(t, 300)
	if got := f.counted(t, f.account); got < open {
		t.Errorf("%d bytes are counted after a batch, want at least %d", got, open)
	}
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		return tx.Later("UPDATE jobs SET state = 'canceled', expires = ? WHERE state IN ('queued', 'running')", f.now())
	}))
	for n, err := 1, error(nil); n > 0; {
		n, err = f.Expire(t.Context())
		do(t, err)
	}
	want(0, "all has expired")
}

// TestAccountStoresNoMoreThanItMay ensures that what would be more is refused and leaves nothing, that other accounts are not refused, and that
// there is room again when something has gone.
func TestAccountStoresNoMoreThanItMay(t *testing.T) {
	f := newFixture(t)
	f.Ledger.cfg.StoredBytes = 250_000
	large := strings.Repeat("x", 100_000)
	first, before := f.claim(t, f.accept(t, large)), 0
	f.accept(t, large)
	before = len(f.stored(t))
	for range 2 {
		_, err := f.Accept(t.Context(), f.newJob(large))
		if full, ok := errors.AsType[*StorageError](err); !ok || full.Current != 200_000 || full.Limit != 250_000 {
			t.Errorf("error %v", err)
		}
	}
	if now := len(f.stored(t)); now != before {
		t.Errorf("%d things are stored, before %d", now, before)
	}
	f.accept(t, large[:40_000])
	n := f.newJob(large)
	n.Account = f.newAccount(t)
	_, err := f.Accept(t.Context(), n)
	do(t, err)
	do(t, f.Fail(t.Context(), first, Failure{CodeTimedOut, "too late"}))
	_, err = f.Erase(t.Context(), f.account, account.Test, first.ID)
	do(t, err)
	f.clock.Add(time.Second)
	f.accept(t, large)
}
