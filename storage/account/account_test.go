package account

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// fixture is a store on a database of its own with one account and a clock that the test moves.
type fixture struct {
	*Store
	database *db.DB
	clock    *clock.Hand
	account  Account
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	database := dbtest.Open(t)
	f := &fixture{database: database, clock: clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	f.Store = f.again(t)
	var err error
	if f.account, err = f.CreateAccount(t.Context(), "Musterfirma GmbH"); err != nil {
		t.Fatal(err)
	}
	return f
}

// again opens the store as another process does.
func (f *fixture) again(t testing.TB) *Store {
	t.Helper()
	store, err := New(Config{Clock: f.clock}, f.database)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// create makes a key.
func (f *fixture) create(t testing.TB, mode Mode) (Key, string) {
	t.Helper()
	key, secret, err := f.Create(t.Context(), NewKey{AccountID: f.account.ID, Mode: mode, Name: "till", Entitlements: []string{"e-invoice:*:*:create"}})
	if err != nil {
		t.Fatal(err)
	}
	return key, secret
}

func TestCacheLongerThanTheRevocationDelayIsRefused(t *testing.T) {
	for _, keep := range []time.Duration{-1, 6 * time.Second} {
		if _, err := New(Config{CacheFor: keep}, nil); err == nil {
			t.Errorf("CacheFor %s is accepted", keep)
		}
	}
}

func TestAccountNamesAreChecked(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"", "  ", strings.Repeat("ä", 201), "a\nb", "a\xffb"} {
		if _, err := f.CreateAccount(t.Context(), name); !errors.Is(err, ErrInvalid) {
			t.Errorf("name %.20q: error %v, want ErrInvalid", name, err)
		}
	}
	if _, err := f.CreateAccount(t.Context(), strings.Repeat("ä", 200)); err != nil {
		t.Errorf("200 characters: %v", err)
	}
}

func TestAccountsAreListedOldestFirst(t *testing.T) {
	f := newFixture(t)
	f.clock.Add(time.Second)
	second, err := f.CreateAccount(t.Context(), "Zweite")
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Accounts(t.Context())
	if diff := cmp.Diff([]Account{f.account, second}, list); err != nil || diff != "" {
		t.Fatalf("error %v, accounts:\n%s", err, diff)
	}
	if !second.Created.Equal(f.clock.Now()) {
		t.Errorf("created %s, want %s", second.Created, f.clock.Now())
	}
}
