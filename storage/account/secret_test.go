package account

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSecretHasTheFormThatScannersKnow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]Mode{Test, Live}).Draw(t, "mode")
		secret := newSecret(mode)
		if len(secret) != 65 || !WellFormed(secret) {
			t.Fatalf("secret of %d characters, well formed %t", len(secret), WellFormed(secret))
		}
		at := rapid.IntRange(prefixLen, secretLen-1).Draw(t, "changed character")
		to := base62[rapid.IntRange(0, 61).Draw(t, "to")]
		if changed := secret[:at] + string(to) + secret[at+1:]; changed != secret && WellFormed(changed) {
			t.Fatalf("still well formed with character %d changed", at)
		}
	})
}

func TestEncode62CountsInOrder(t *testing.T) {
	for n, want := range map[int64]string{0: "000", 1: "001", 61: "00z", 62: "010", 62*62*62 - 1: "zzz"} {
		if got := encode62(big.NewInt(n), 3); got != want {
			t.Errorf("encode62(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestWhatIsNoLiveSecretIsUnauthorized(t *testing.T) {
	f := newFixture(t)
	_, secret := f.create(t, Test)
	body := lookupOf(secret)
	live := "sk_live_" + secret[prefixLen:secretLen-checksumLen]
	for name, s := range map[string]string{
		"empty":                      "",
		"prefix alone":               "sk_test_",
		"too long":                   secret + "0",
		"wrong checksum":             secret[:secretLen-1] + "-",
		"unknown key":                newSecret(Test),
		"known lookup, wrong secret": madeOf(body),
		"the same as a live key":     live + checksum(live),
		"a hash":                     hash(secret),
		"before all lookups":         madeOf("00000000"),
		"behind all lookups":         madeOf("zzzzzzzz"),
	} {
		if _, err := f.Verify(t.Context(), s); !errors.Is(err, ErrUnauthorized) {
			t.Errorf("%s: error %v, want ErrUnauthorized", name, err)
		}
	}
}

// madeOf is a well-formed secret that was never given.
func madeOf(lookup string) string {
	body := "sk_test_" + lookup + strings.Repeat("A", randomLen)
	return body + checksum(body)
}

// TestRefusingReadsAsMuchForAnyLookup ensures that a secret of a key is read whether an id is known, or before or behind all that are: what a refusal
// takes is to tell nothing of it.
func TestRefusingReadsAsMuchForAnyLookup(t *testing.T) {
	f := newFixture(t)
	key, old := f.create(t, Test)
	_, secret, err := f.Rotate(t.Context(), key.AccountID, Test, key.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	want := near{Present: lookupOf(secret) + hash(secret), Superseded: lookupOf(old) + hash(old)}
	for _, lookup := range []string{"00000000", lookupOf(secret), lookupOf(old), "zzzzzzzz"} {
		if got, err := f.near(t.Context(), lookup, f.clock.Now()); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", lookup, got, err, want)
		}
	}
}

// TestEachOfManySecretsFindsItsKey ensures that live secrets, present and superseded, are found among their neighbours, and that
// revoked ones hide none.
func TestEachOfManySecretsFindsItsKey(t *testing.T) {
	f := newFixture(t)
	live, dead := map[string]string{}, []string{}
	for i := range 40 {
		key, secret := f.create(t, Test)
		switch i % 4 {
		case 0:
			live[secret] = key.ID
		case 1:
			if err := f.Revoke(t.Context(), key.AccountID, Test, key.ID); err != nil {
				t.Fatal(err)
			}
			dead = append(dead, secret)
		default:
			_, next, err := f.Rotate(t.Context(), key.AccountID, Test, key.ID, time.Duration(i%4-2)*time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if live[next] = key.ID; i%4 == 3 {
				live[secret] = key.ID
			} else {
				dead = append(dead, secret)
			}
		}
	}
	for secret, id := range live {
		if key, err := f.Verify(t.Context(), secret); err != nil || key.ID != id {
			t.Errorf("%s: key %s, %v, want %s", lookupOf(secret), key.ID, err, id)
		}
	}
	for _, secret := range dead {
		if _, err := f.Verify(t.Context(), secret); !errors.Is(err, ErrUnauthorized) {
			t.Errorf("%s: %v", lookupOf(secret), err)
		}
	}
}

func TestNothingStoredGivesTheSecretBack(t *testing.T) {
	f := newFixture(t)
	_, secret := f.create(t, Test)
	var rows []keyRow
	if err := f.database.Select(t.Context(), &rows, "SELECT * FROM api_keys"); err != nil || len(rows) != 1 {
		t.Fatal(len(rows), err)
	}
	dump := fmt.Sprintf("%+v", rows)
	random := secret[prefixLen+lookupLen : secretLen-checksumLen]
	if strings.Contains(dump, random) || strings.Contains(dump, random[:16]) {
		t.Fatal("the key's random part is in the database")
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add("sk_test_")
	f.Add(newSecret(Live))
	f.Fuzz(func(t *testing.T, s string) {
		if !WellFormed(s) {
			return
		}
		if body := s[:secretLen-checksumLen]; s != body+checksum(body) || len(lookupOf(s)) != lookupLen {
			t.Errorf("%q counts as well formed", s)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	f := newFixture(b)
	_, secret := f.create(b, Test)
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.Verify(b.Context(), secret); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("from-database", func(b *testing.B) {
		for b.Loop() {
			f.verified.forget(func(Key) bool { return true })
			if _, err := f.Verify(b.Context(), secret); err != nil {
				b.Fatal(err)
			}
		}
	})
}
