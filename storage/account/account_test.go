package account

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"einvoiced/storage/clock"
	"einvoiced/storage/db"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newStore opens a store in a new folder, with an account and a clock that the test moves.
func newStore(t testing.TB) (*Store, Account, *clock.Hand) {
	t.Helper()
	database, err := db.Open(t.Context(), db.Config{Path: filepath.Join(t.TempDir(), "einvoiced.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { database.Close() })
	hand := clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	store, err := New(Config{Clock: hand}, database)
	if err != nil {
		t.Fatal(err)
	}
	a, err := store.CreateAccount(t.Context(), "Musterfirma")
	if err != nil {
		t.Fatal(err)
	}
	return store, a, hand
}

func TestKeyIsVerifiedUntilItIsRevoked(t *testing.T) {
	store, a, _ := newStore(t)
	key, secret, err := store.Create(t.Context(), NewKey{AccountID: a.ID, Mode: Test, Entitlements: []string{"e-invoice:*:*:create"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.Verify(t.Context(), secret)
	if err != nil || got.ID != key.ID || got.AccountID != a.ID || got.Mode != Test {
		t.Fatalf("verified %+v, error %v", got, err)
	}
	if err := store.Revoke(t.Context(), a.ID, Test, key.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Verify(t.Context(), secret); !errors.Is(err, ErrUnauthorized) {
		t.Fatalf("after revocation: %v, want ErrUnauthorized", err)
	}
}
