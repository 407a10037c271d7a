package account

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// addKeys writes so many keys of the account past the store, revoked or live.
func (f *fixture) addKeys(t *testing.T, n int, revoked bool) {
	t.Helper()
	err := f.database.Write(t.Context(), func(tx *db.Tx) error {
		for i := range n {
			var at *int64
			if revoked {
				at = new(int64)
			}
			if err := tx.Later(`INSERT INTO api_keys (id, account_id, mode, name, lookup, sha256, last_four, entitlements, created, revoked) VALUES (?, ?, 'test', '', ?, ?, '0000', '["a"]', 0, ?)`,
				fmt.Sprintf("key_%t%06d", revoked, i), f.account.ID, fmt.Sprintf("%t%06d", revoked, i), strings.Repeat("0", 64), at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeysAreLimited ensures that an account has a limited number of live keys in a mode, and that of revoked ones the last are kept.
func TestKeysAreLimited(t *testing.T) {
	f := newFixture(t)
	f.addKeys(t, keptRevoked+5, true)
	f.addKeys(t, maxKeys-1, false)
	key, _ := f.create(t, Test)
	n := NewKey{AccountID: f.account.ID, Mode: Test, Entitlements: []string{"a"}}
	if _, _, err := f.Create(t.Context(), n); !errors.Is(err, ErrTooMany) {
		t.Errorf("error %v, want ErrTooMany", err)
	}
	n.Mode = Live
	if _, _, err := f.Create(t.Context(), n); err != nil {
		t.Errorf("in the other mode: %v", err)
	}
	if err := f.Revoke(t.Context(), f.account.ID, Test, key.ID); err != nil {
		t.Fatal(err)
	}
	var revoked int
	if err := f.database.Get(t.Context(), &revoked, "SELECT count(*) FROM api_keys WHERE revoked IS NOT NULL"); err != nil || revoked != keptRevoked {
		t.Errorf("%d revoked keys are kept, want %d; %v", revoked, keptRevoked, err)
	}
	if got, err := f.Key(t.Context(), f.account.ID, Test, key.ID); err != nil || got.Revoked.IsZero() {
		t.Errorf("the key that was revoked last: %+v, %v", got, err)
	}
	if _, secret, err := f.Create(t.Context(), NewKey{AccountID: f.account.ID, Mode: Test, Entitlements: []string{"a"}}); err != nil || secret == "" {
		t.Errorf("there is room again: %v", err)
	}
}

// TestLookupPassesRevokedKeysOver ensures that keys are looked up among the live ones alone, however many were revoked.
func TestLookupPassesRevokedKeysOver(t *testing.T) {
	database := dbtest.Reopen(t, dbtest.SQLite(t))
	var plan []struct {
		ID      int    `db:"id"`
		Parent  int    `db:"parent"`
		NotUsed int    `db:"notused"`
		Detail  string `db:"detail"`
	}
	if err := database.Select(t.Context(), &plan, "EXPLAIN QUERY PLAN "+selectNear, "a", "a", 0, 0); err != nil {
		t.Fatal(err)
	}
	live := 0
	for _, step := range plan {
		switch {
		case strings.HasSuffix(step.Detail, "api_keys USING INDEX api_keys_live"), strings.Contains(step.Detail, "api_keys USING INDEX api_keys_live "):
			live++
		case strings.Contains(step.Detail, " api_keys "), strings.Contains(step.Detail, "B-TREE"):
			t.Errorf("all keys are looked through: %s: %+v", step.Detail, plan)
		}
	}
	if live != 2 {
		t.Errorf("%d looks at live keys, want 2: %+v", live, plan)
	}
}

// TestKeysOfOthersStayVerified ensures that revoking, rotating and changing keys of one account forgets none of another, and lets what is being read of
// another be remembered.
func TestKeysOfOthersStayVerified(t *testing.T) {
	f := newFixture(t)
	other, err := f.CreateAccount(t.Context(), "Andere")
	if err != nil {
		t.Fatal(err)
	}
	key, secret, err := f.Create(t.Context(), NewKey{AccountID: other.ID, Mode: Test, Entitlements: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Verify(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	generation := f.verified.generation()
	for range maxForgotten / 2 {
		mine, _ := f.create(t, Test)
		if _, _, err := f.Rotate(t.Context(), f.account.ID, Test, mine.ID, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Revoke(t.Context(), f.account.ID, Test, mine.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := f.verified.get(hash(secret), f.clock.Now()); !ok {
		t.Error("the key of another was forgotten")
	}
	f.verified.put("a", key, f.clock.Now(), time.Time{}, generation)
	if _, ok := f.verified.get("a", f.clock.Now()); !ok {
		t.Error("what was being read of another is not remembered")
	}
	name := "Neue"
	if _, err := f.Update(t.Context(), other.ID, Change{Name: &name}); err != nil {
		t.Fatal(err)
	}
	if _, ok := f.verified.get(hash(secret), f.clock.Now()); ok {
		t.Error("a key of an account that was changed is remembered")
	}
	f.verified.put("b", key, f.clock.Now(), time.Time{}, generation)
	if _, ok := f.verified.get("b", f.clock.Now()); ok {
		t.Error("what was read before so many changes is remembered")
	}
}
