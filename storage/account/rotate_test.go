package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rotate gives the key a new secret.
func (f *fixture) rotate(t testing.TB, key Key, overlap time.Duration) (Key, string) {
	t.Helper()
	rotated, secret, err := f.Rotate(t.Context(), key.AccountID, key.Mode, key.ID, overlap)
	if err != nil {
		t.Fatal(err)
	}
	return rotated, secret
}

// works tells whether the store verifies the secret, as the key.
func works(t testing.TB, s *Store, secret string, key Key) bool {
	t.Helper()
	got, err := s.Verify(t.Context(), secret)
	if err != nil && !errors.Is(err, ErrUnauthorized) || err == nil && got.ID != key.ID {
		t.Fatalf("verified as %s, error %v", got.ID, err)
	}
	return err == nil
}

func TestOldSecretWorksUntilTheCutOffOnAllProcesses(t *testing.T) {
	f := newFixture(t)
	elsewhere := f.again(t)
	key, old := f.create(t, Live)
	rotated, secret := f.rotate(t, key, DefaultOverlap)
	want := key
	want.Prefix, want.LastFour = secret[:16], secret[len(secret)-4:]
	want.Old = &OldSecret{Prefix: key.Prefix, LastFour: key.LastFour, Until: f.clock.Now().Add(24 * time.Hour)}
	if diff := cmp.Diff(want, rotated); diff != "" || old == secret {
		t.Errorf("rotated key:\n%s", diff)
	}
	for _, c := range []struct {
		after time.Duration
		old   bool
	}{{0, true}, {24*time.Hour - 2*time.Second, true}, {2 * time.Second, false}, {5 * time.Second, false}} {
		f.clock.Add(c.after)
		for name, s := range map[string]*Store{"here": f.Store, "elsewhere": elsewhere} {
			if works(t, s, old, key) != c.old || !works(t, s, secret, key) {
				t.Errorf("%s, %s later: old secret works: %t, want %t; the new one: %t", name, c.after, !c.old, c.old, works(t, s, secret, key))
			}
		}
	}
	if got, err := f.Key(t.Context(), key.AccountID, Live, key.ID); err != nil || got.Old != nil {
		t.Errorf("after the cut-off: %+v, error %v", got.Old, err)
	}
}

func TestRotationWithoutOverlapEndsTheOldSecret(t *testing.T) {
	f := newFixture(t)
	elsewhere := f.again(t)
	key, old := f.create(t, Test)
	works(t, elsewhere, old, key) // it is remembered there
	_, secret := f.rotate(t, key, 0)
	if works(t, f.Store, old, key) || !works(t, f.Store, secret, key) {
		t.Error("here the old secret works still, or the new one not yet")
	}
	f.clock.Add(5 * time.Second)
	if works(t, elsewhere, old, key) || !works(t, elsewhere, secret, key) {
		t.Error("elsewhere the old secret works after 5 s, or the new one does not")
	}
}

func TestAtMostTwoSecretsWork(t *testing.T) {
	f := newFixture(t)
	key, first := f.create(t, Test)
	_, second := f.rotate(t, key, time.Hour)
	_, third := f.rotate(t, key, time.Hour)
	if works(t, f.Store, first, key) || !works(t, f.Store, second, key) || !works(t, f.Store, third, key) {
		t.Error("after two rotations the last two secrets must work, and no other")
	}
	f.rotate(t, key, 0)
	if works(t, f.Store, second, key) || works(t, f.Store, third, key) {
		t.Error("after a rotation without overlap none of the old secrets may work")
	}
}

func TestRevocationEndsBothSecrets(t *testing.T) {
	f := newFixture(t)
	key, old := f.create(t, Test)
	_, secret := f.rotate(t, key, time.Hour)
	works(t, f.Store, old, key)
	if err := f.Revoke(t.Context(), key.AccountID, Test, key.ID); err != nil {
		t.Fatal(err)
	}
	if works(t, f.Store, old, key) || works(t, f.Store, secret, key) {
		t.Error("a secret of a revoked key works")
	}
	if got, err := f.Key(t.Context(), key.AccountID, Test, key.ID); err != nil || got.Revoked.IsZero() || got.Old != nil {
		t.Errorf("revoked key %+v, error %v", got, err)
	}
}

func TestRotationIsChecked(t *testing.T) {
	f := newFixture(t)
	key, secret := f.create(t, Test)
	revoked, _ := f.create(t, Test)
	if err := f.Revoke(t.Context(), key.AccountID, Test, revoked.ID); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		account string
		mode    Mode
		key     string
		overlap time.Duration
		want    error
	}{
		"unknown key":      {key.AccountID, Test, "key_unknown", 0, ErrNotFound},
		"another account":  {"acc_other", Test, key.ID, 0, ErrNotFound},
		"the other mode":   {key.AccountID, Live, key.ID, 0, ErrNotFound},
		"a revoked key":    {key.AccountID, Test, revoked.ID, 0, ErrNotFound},
		"negative overlap": {key.AccountID, Test, key.ID, -1, ErrInvalid},
		"overlong overlap": {key.AccountID, Test, key.ID, MaxOverlap + 1, ErrInvalid},
	} {
		if _, _, err := f.Rotate(t.Context(), c.account, c.mode, c.key, c.overlap); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if !works(t, f.Store, secret, key) {
		t.Error("a refused rotation has changed the secret")
	}
	if _, err := f.Key(t.Context(), key.AccountID, Live, key.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("key of the other mode: error %v, want ErrNotFound", err)
	}
}

func TestRotationsBesideEachOtherLeaveTwoSecrets(t *testing.T) {
	f := newFixture(t)
	key, first := f.create(t, Test)
	secrets := make([]string, 8)
	var callers sync.WaitGroup
	for i := range secrets {
		callers.Go(func() {
			var err error
			if _, secrets[i], err = f.again(t).Rotate(context.Background(), key.AccountID, Test, key.ID, time.Hour); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	working := 0
	for _, s := range append(secrets, first) {
		if works(t, f.Store, s, key) {
			working++
		}
	}
	if working != 2 {
		t.Errorf("%d secrets work, want 2", working)
	}
}

func TestLastUseOfBothSecretsIsTold(t *testing.T) {
	f := newFixture(t)
	key, old := f.create(t, Test)
	_, secret := f.rotate(t, key, DefaultOverlap)
	use := func(secret string) time.Time {
		t.Helper()
		f.clock.Add(10 * time.Minute)
		if !works(t, f.Store, secret, key) {
			t.Fatal("the secret does not work")
		}
		return f.clock.Now().Truncate(time.Minute)
	}
	oldUse, newUse := use(old), use(secret)
	if err := f.FlushUse(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := f.Key(t.Context(), key.AccountID, Test, key.ID)
	if err != nil || !got.LastUsed.Equal(newUse) || !got.Old.LastUsed.Equal(oldUse) {
		t.Errorf("last uses %s and %s, error %v, want %s and %s", got.LastUsed, got.Old.LastUsed, err, newUse, oldUse)
	}
	f.rotate(t, key, DefaultOverlap)
	if got, err = f.Key(t.Context(), key.AccountID, Test, key.ID); err != nil || !got.LastUsed.IsZero() || !got.Old.LastUsed.Equal(newUse) {
		t.Errorf("after another rotation: last uses %s and %s, error %v", got.LastUsed, got.Old.LastUsed, err)
	}
}

func TestNoSecretEverUsedCanBeReadFromTheDatabase(t *testing.T) {
	f := newFixture(t)
	key, old := f.create(t, Test)
	_, secret := f.rotate(t, key, time.Hour)
	var keys []struct {
		Lookup string `db:"lookup"`
		SHA256 string `db:"sha256"`
		Last   string `db:"last_four"`
	}
	err := f.database.Select(t.Context(), &keys, "SELECT lookup, sha256, last_four FROM api_keys UNION ALL SELECT lookup, sha256, last_four FROM superseded_secrets")
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d secrets, error %v", len(keys), err)
	}
	for _, s := range []string{old, secret} {
		if random := s[prefixLen+lookupLen : secretLen-checksumLen]; strings.Contains(fmt.Sprint(keys), random[:16]) {
			t.Error("a key's random part is in the database")
		}
	}
}

func TestKeysAreListedByThePage(t *testing.T) {
	f := newFixture(t)
	var ids []string // newest first
	for range 5 {
		key, _ := f.create(t, Test)
		f.create(t, Live)
		f.clock.Add(time.Second)
		ids = slices.Insert(ids, 0, key.ID)
	}
	for name, c := range map[string]struct {
		page Page
		want []string
		more bool
	}{
		"all":                 {Page{}, ids, false},
		"first two":           {Page{Limit: 2}, ids[:2], true},
		"after the second":    {Page{Limit: 2, StartingAfter: ids[1]}, ids[2:4], true},
		"after the fourth":    {Page{Limit: 2, StartingAfter: ids[3]}, ids[4:], false},
		"before the fourth":   {Page{Limit: 2, EndingBefore: ids[3]}, ids[1:3], true},
		"before the second":   {Page{Limit: 2, EndingBefore: ids[1]}, ids[:1], false},
		"after what is no id": {Page{StartingAfter: "key_"}, nil, false},
	} {
		keys, more, err := f.Keys(t.Context(), f.account.ID, Test, c.page)
		var got []string
		for _, k := range keys {
			got = append(got, k.ID)
		}
		if err != nil || !slices.Equal(got, c.want) || more != c.more {
			t.Errorf("%s: %v, more %t, error %v, want %v, %t", name, got, more, err, c.want, c.more)
		}
	}
	for _, p := range []Page{{Limit: -1}, {Limit: 101}, {StartingAfter: "a", EndingBefore: "b"}} {
		if _, _, err := f.Keys(t.Context(), f.account.ID, Test, p); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: error %v, want ErrInvalid", p, err)
		}
	}
}
