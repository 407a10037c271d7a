package account

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestKeyIsVerifiedWithWhatItWasMadeOf(t *testing.T) {
	f := newFixture(t)
	for _, mode := range []Mode{Test, Live} {
		key, secret := f.create(t, mode)
		if !strings.HasPrefix(secret, "sk_"+string(mode)+"_") {
			t.Errorf("secret of a %s key begins with %s", mode, secret[:8])
		}
		got, err := f.Verify(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(key, got); diff != "" {
			t.Errorf("verified key differs from the created one:\n%s", diff)
		}
	}
}

func TestNewKeyIsChecked(t *testing.T) {
	f := newFixture(t)
	for name, change := range map[string]func(*NewKey){
		"no mode":             func(n *NewKey) { n.Mode = "" },
		"unknown mode":        func(n *NewKey) { n.Mode = "prod" },
		"no entitlements":     func(n *NewKey) { n.Entitlements = nil },
		"too many":            func(n *NewKey) { n.Entitlements = slices.Repeat([]string{"a"}, 101) },
		"malformed pattern":   func(n *NewKey) { n.Entitlements = []string{"a::b"} },
		"control in the name": func(n *NewKey) { n.Name = "a\x00" },
	} {
		n := NewKey{AccountID: f.account.ID, Mode: Test, Entitlements: []string{"admin:keys"}}
		change(&n)
		if _, _, err := f.Create(t.Context(), n); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	_, _, err := f.Create(t.Context(), NewKey{AccountID: "acc_unknown", Mode: Test, Entitlements: []string{"admin:keys"}})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown account: error %v, want ErrNotFound", err)
	}
}

func TestRevocationTakesEffectAtOnceHereAndWithinFiveSecondsElsewhere(t *testing.T) {
	f := newFixture(t)
	elsewhere := f.again(t)
	key, secret := f.create(t, Test)
	for _, store := range []*Store{f.Store, elsewhere} {
		if _, err := store.Verify(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Revoke(t.Context(), f.account.ID, Test, key.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Verify(t.Context(), secret); !errors.Is(err, ErrUnauthorized) {
		t.Errorf("here: error %v, want ErrUnauthorized", err)
	}
	f.clock.Add(5 * time.Second)
	if _, err := elsewhere.Verify(t.Context(), secret); !errors.Is(err, ErrUnauthorized) {
		t.Errorf("elsewhere after 5 s: error %v, want ErrUnauthorized", err)
	}
}

func TestVerificationUnderWayDoesNotOutliveARevocation(t *testing.T) {
	f := newFixture(t)
	key, secret := f.create(t, Test)
	generation := f.verified.generation()
	if err := f.Revoke(t.Context(), f.account.ID, Test, key.ID); err != nil {
		t.Fatal(err)
	}
	f.verified.put(hash(secret), key, f.clock.Now(), time.Time{}, generation)
	if _, err := f.Verify(t.Context(), secret); !errors.Is(err, ErrUnauthorized) {
		t.Fatalf("error %v, want ErrUnauthorized", err)
	}
}

func TestKeysOfOthersCannotBeRevoked(t *testing.T) {
	f := newFixture(t)
	key, secret := f.create(t, Test)
	other, err := f.CreateAccount(t.Context(), "Andere")
	if err != nil {
		t.Fatal(err)
	}
	for name, revoke := range map[string]func() error{
		"another account": func() error { return f.Revoke(t.Context(), other.ID, Test, key.ID) },
		"the other mode":  func() error { return f.Revoke(t.Context(), f.account.ID, Live, key.ID) },
		"unknown key":     func() error { return f.Revoke(t.Context(), f.account.ID, Test, "key_unknown") },
	} {
		if err := revoke(); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: error %v, want ErrNotFound", name, err)
		}
	}
	if _, err := f.Verify(t.Context(), secret); err != nil {
		t.Errorf("the key is gone: %v", err)
	}
}

func TestRevokedKeysStayInTheListOfTheirMode(t *testing.T) {
	f := newFixture(t)
	first, _ := f.create(t, Test)
	f.clock.Add(time.Second)
	second, _ := f.create(t, Test)
	f.create(t, Live)
	for range 2 { // the second time changes nothing
		if err := f.Revoke(t.Context(), f.account.ID, Test, first.ID); err != nil {
			t.Fatal(err)
		}
		f.clock.Add(time.Second)
	}
	list, err := f.List(t.Context(), f.account.ID, Test)
	if err != nil {
		t.Fatal(err)
	}
	first.Revoked = first.Created.Add(time.Second)
	if diff := cmp.Diff([]Key{first, second}, list); diff != "" {
		t.Errorf("list differs:\n%s", diff)
	}
}

func TestLastUseIsWrittenToTheMinuteAndNotOnEachRequest(t *testing.T) {
	f := newFixture(t)
	key, secret := f.create(t, Test)
	lastUsed := func() time.Time {
		list, err := f.List(t.Context(), f.account.ID, Test)
		if err != nil {
			t.Fatal(err)
		}
		return list[0].LastUsed
	}
	f.clock.Add(90 * time.Second)
	if _, err := f.Verify(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if got := lastUsed(); !got.IsZero() {
		t.Errorf("before the flush: %s", got)
	}
	if err := f.FlushUse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := lastUsed(), key.Created.Add(time.Minute); !got.Equal(want) {
		t.Errorf("after the flush: %s, want %s", got, want)
	}
}

func TestUseNotedBeforeAFailedFlushIsKept(t *testing.T) {
	f := newFixture(t)
	_, secret := f.create(t, Test)
	if _, err := f.Verify(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if err := f.database.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.FlushUse(t.Context()); err == nil {
		t.Fatal("flushed into a closed database")
	}
	if len(f.used) != 1 {
		t.Fatalf("%d noted uses after a failed flush, want 1", len(f.used))
	}
}
