package account

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// named are plans that are configured.
type named []string

func (n named) Has(name string) bool { return name == "" || slices.Contains(n, name) }

// withPlans opens the store as a process does that has plans.
func (f *fixture) withPlans(t testing.TB, names ...string) *Store {
	t.Helper()
	store, err := New(Config{Clock: f.clock, Plans: named(names)}, f.database)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestAccountIsChangedInWhatIsGivenAlone(t *testing.T) {
	f := newFixture(t)
	store := f.withPlans(t, "free")
	name, email, plan, yes, no, empty := "Neue Firma", "rechnung@firma.example", "free", true, false, ""
	want := f.account
	for i, c := range []struct {
		change Change
		apply  func()
	}{
		{Change{}, func() {}},
		{Change{Name: &name}, func() { want.Name = name }},
		{Change{NotificationEmail: &email, Plan: &plan}, func() { want.NotificationEmail, want.Plan = email, plan }},
		{Change{Defaults: json.RawMessage(` {"currency" : "EUR"} `)}, func() { want.Defaults = json.RawMessage(`{"currency":"EUR"}`) }},
		{Change{Lapsed: &yes}, func() { want.Lapsed = true }},
		{Change{Lapsed: &no, NotificationEmail: &empty, Plan: &empty}, func() { want.Lapsed, want.NotificationEmail, want.Plan = false, "", "" }},
		{Change{Defaults: json.RawMessage(`{}`)}, func() { want.Defaults = json.RawMessage(`{}`) }},
	} {
		c.apply()
		changed, err := store.Update(t.Context(), f.account.ID, c.change)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Get(t.Context(), f.account.ID)
		if diff := cmp.Diff(want, got) + cmp.Diff(want, changed); err != nil || diff != "" {
			t.Errorf("change %d: error %v\n%s", i+1, err, diff)
		}
	}
}

func TestChangesOfAccountsAreChecked(t *testing.T) {
	f := newFixture(t)
	text := func(s string) *string { return &s }
	for name, c := range map[string]Change{
		"empty name":          {Name: text(" ")},
		"control in the name": {Name: text("a\tb")},
		"unknown plan":        {Plan: text("gold")},
		"defaults of a list":  {Defaults: json.RawMessage(`[]`)},
		"defaults of nothing": {Defaults: json.RawMessage(``)},
		"null defaults":       {Defaults: json.RawMessage(`null`)},
		"broken defaults":     {Defaults: json.RawMessage(`{"a":}`)},
		"two objects":         {Defaults: json.RawMessage(`{}{}`)},
		"huge defaults":       {Defaults: json.RawMessage(`{"a":"` + strings.Repeat("x", 64<<10) + `"}`)},
	} {
		if _, err := f.Update(t.Context(), f.account.ID, c); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	for _, unknown := range []string{"", "acc_unknown"} {
		_, get := f.Get(t.Context(), unknown)
		_, update := f.Update(t.Context(), unknown, Change{Name: text("x")})
		if !errors.Is(get, ErrNotFound) || !errors.Is(update, ErrNotFound) {
			t.Errorf("account %q: errors %v and %v, want ErrNotFound", unknown, get, update)
		}
	}
	if got, err := f.Get(t.Context(), f.account.ID); err != nil || cmp.Diff(f.account, got) != "" {
		t.Errorf("the account is %+v, error %v", got, err)
	}
}

func TestNotificationAddressIsOnePlainAddress(t *testing.T) {
	for _, good := range []string{"a@b.example", "rechnung+x@firma.example", "o'neil@sub.firma.example", "ä@müller.example"} {
		if err := checkEmail(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"a", "a@", "@b.example", "a@b", "a@localhost", "a@b.example.", "a@.example", "a b@c.example", "A <a@b.example>", "a@b.example, c@d.example",
		"a@b.example\r\nBcc: c@d.example", "a@b.example;c@d.example", `"a b"@c.example`, "<a@b.example>", strings.Repeat("a", 250) + "@b.example",
	} {
		if err := checkEmail(bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.40q: error %v, want ErrInvalid", bad, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if s := rapid.String().Draw(t, "address"); checkEmail(s) == nil && strings.ContainsAny(s, "\r\n<>, ") {
			t.Fatalf("%q is taken for an address", s)
		}
	})
}

func TestVerifiedKeyTellsTheStandingOfItsAccount(t *testing.T) {
	f := newFixture(t)
	store, plan, yes := f.withPlans(t, "free"), "free", true
	key, secret := f.create(t, Live)
	if key.Account != (Standing{}) {
		t.Errorf("a new key has the standing %+v", key.Account)
	}
	if _, err := f.Verify(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Update(t.Context(), f.account.ID, Change{Plan: &plan, Lapsed: &yes}); err != nil {
		t.Fatal(err)
	}
	f.clock.Add(5 * time.Second)
	for name, s := range map[string]*Store{"that changed it": store, "another": f.Store} {
		if got, err := s.Verify(t.Context(), secret); err != nil || got.Account != (Standing{"free", true}) {
			t.Errorf("the process %s: %+v, error %v", name, got.Account, err)
		}
	}
	if second, _ := f.create(t, Live); second.Account != (Standing{"free", true}) {
		t.Errorf("a second key has the standing %+v", second.Account)
	}
}

func TestPlansInUseAreListedOnce(t *testing.T) {
	f := newFixture(t)
	store, free, gold := f.withPlans(t, "free", "gold"), "free", "gold"
	for _, plan := range []*string{&gold, &free, &free, nil} {
		a, err := store.CreateAccount(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Update(t.Context(), a.ID, Change{Plan: plan}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := f.PlansInUse(t.Context()); err != nil || !slices.Equal(got, []string{"free", "gold"}) {
		t.Errorf("plans %q, error %v", got, err)
	}
}
