package volume

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// fixture is a Limit of 1,000 bytes on a new database, with two accounts.
type fixture struct {
	*Limit
	clock       *clock.Hand
	acc, others string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{clock: clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	f.Limit = NewLimit(dbtest.Open(t), f.clock, 1000)
	accounts, err := account.New(account.Config{Clock: f.clock}, f.db)
	do(t, err)
	for _, id := range []*string{&f.acc, &f.others} {
		a, err := accounts.CreateAccount(t.Context(), "Musterfirma")
		do(t, err)
		*id = a.ID
	}
	return f
}

func do(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// count counts as another process does, of which this one learns from the database alone.
func (f *fixture) count(t *testing.T, accountID string, bytes int64) {
	t.Helper()
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return Count(tx, accountID, bytes) }))
}

// refused is what is refused with, 0 where bytes are admitted.
func (f *fixture) refused(t *testing.T, bytes int64) int64 {
	t.Helper()
	err := f.Admit(t.Context(), f.acc, bytes)
	if full, ok := errors.AsType[*ExceededError](err); ok {
		if full.Limit != 1000 {
			t.Errorf("limit %d", full.Limit)
		}
		return full.Current
	}
	do(t, err)
	return 0
}

// TestLimitIsThatOfTheSumOverAllParts ensures that bytes count wherever they were counted, those of others do not, and that what was counted out makes room.
func TestLimitIsThatOfTheSumOverAllParts(t *testing.T) {
	f := newFixture(t)
	f.count(t, f.others, 5000)
	for range 9 * parts {
		f.count(t, f.acc, 10)
	}
	if got := f.refused(t, 281); got != 720 {
		t.Errorf("refused with %d bytes, want 720", got)
	}
	if got := f.refused(t, 280); got != 0 {
		t.Errorf("refused with %d bytes what there is room for", got)
	}
	if got := f.refused(t, 0); got != 1000 {
		t.Errorf("a full account is asked for more: %d", got)
	}
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return CountOut(tx, map[string]int64{f.acc: 720, f.others: 5000}) }))
	f.clock.Add(time.Second)
	if got := f.refused(t, 1000); got != 0 {
		t.Errorf("refused with %d bytes after all was counted out", got)
	}
}

// TestNobodyIsRefusedByAnOldSum ensures that a refusal rests on a sum that was read a moment ago, while what is admitted may rest on one of some seconds.
func TestNobodyIsRefusedByAnOldSum(t *testing.T) {
	f := newFixture(t)
	f.count(t, f.acc, 900)
	if f.refused(t, 50) != 0 {
		t.Fatal("refused")
	}
	f.count(t, f.acc, -800)
	if got := f.refused(t, 60); got != 950 {
		t.Errorf("at once: refused with %d bytes, want 950", got)
	}
	f.clock.Add(doubts + time.Millisecond)
	if got := f.refused(t, 60); got != 0 {
		t.Errorf("a moment later: refused with %d bytes", got)
	}
}

// TestAccountIsCrowdedAboveHalf ensures what Crowded says, and that without a limit there is neither that nor a refusal.
func TestAccountIsCrowdedAboveHalf(t *testing.T) {
	f := newFixture(t)
	crowded := func() bool {
		t.Helper()
		crowded, err := f.Crowded(t.Context(), f.acc)
		do(t, err)
		return crowded
	}
	f.count(t, f.acc, 500)
	if crowded() {
		t.Error("half is too much")
	}
	f.Added(f.acc, 1)
	if !crowded() {
		t.Error("more than half is not")
	}
	f.Limit = NewLimit(f.db, f.clock, 0)
	f.Added(f.acc, 1)
	if crowded() || f.refused(t, 1_000_000) != 0 {
		t.Error("without a limit there is one")
	}
}
