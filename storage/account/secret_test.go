package account

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

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
	sameLookup := "sk_test_" + body + strings.Repeat("A", randomLen)
	live := "sk_live_" + secret[prefixLen:secretLen-checksumLen]
	for name, s := range map[string]string{
		"empty":                      "",
		"prefix alone":               "sk_test_",
		"too long":                   secret + "0",
		"wrong checksum":             secret[:secretLen-1] + "-",
		"unknown key":                newSecret(Test),
		"known lookup, wrong secret": sameLookup + checksum(sameLookup),
		"the same as a live key":     live + checksum(live),
		"a hash":                     hash(secret),
		"what stands for nobody":     nobody,
	} {
		if _, err := f.Verify(t.Context(), s); !errors.Is(err, ErrUnauthorized) {
			t.Errorf("%s: error %v, want ErrUnauthorized", name, err)
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
			f.verified.clear()
			if _, err := f.Verify(b.Context(), secret); err != nil {
				b.Fatal(err)
			}
		}
	})
}
