package account

import (
	"errors"
	"sync"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// emptied is a fixture without its account.
func emptied(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	err := f.database.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec("DELETE FROM accounts")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFirstAccountIsMadeOnce ensures that of many that try at once one makes an account, and that its key works.
func TestFirstAccountIsMadeOnce(t *testing.T) {
	f := emptied(t)
	var mu sync.Mutex
	var shown []string
	made := 0
	var tries sync.WaitGroup
	for range 8 {
		tries.Go(func() {
			ok, err := f.CreateFirst(t.Context(), "default", NewKey{Mode: Test, Entitlements: []string{"*"}}, func(secret string) error {
				mu.Lock()
				defer mu.Unlock()
				shown = append(shown, secret)
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if ok {
				made++
			}
		})
	}
	tries.Wait()
	accounts, err := f.Accounts(t.Context())
	if err != nil || len(accounts) != 1 || made != 1 || len(shown) != 1 {
		t.Fatalf("%d accounts, %d made, %d secrets shown, error %v", len(accounts), made, len(shown), err)
	}
	if key, err := f.Verify(t.Context(), shown[0]); err != nil || key.AccountID != accounts[0].ID {
		t.Errorf("key %+v, error %v", key, err)
	}
}

// TestFirstAccountIsNotMadeWhereItsSecretIsNotShown ensures that account and key are not there without having been shown.
func TestFirstAccountIsNotMadeWhereItsSecretIsNotShown(t *testing.T) {
	f := emptied(t)
	broken := errors.New("nobody reads")
	made, err := f.CreateFirst(t.Context(), "default", NewKey{Mode: Test, Entitlements: []string{"*"}}, func(string) error { return broken })
	accounts, failed := f.Accounts(t.Context())
	if made || !errors.Is(err, broken) || len(accounts) != 0 || failed != nil {
		t.Errorf("made %t, error %v; %d accounts, error %v", made, err, len(accounts), failed)
	}
}
