package ledger

import (
	"errors"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// registry is a Registrar that writes what it is given into the table of accounts, and refuses some.
type registry struct{ refuses error }

func (r registry) Register(tx *db.Tx, accountID string, _ account.Mode, registered Registration) error {
	if string(registered.Data) == "refused" {
		return r.refuses
	}
	_, err := tx.Exec("UPDATE accounts SET name = name || ? WHERE id = ?", "+"+string(registered.Data), accountID)
	return err
}

// registeredFor is what was registered for the account of a fixture.
func (f *fixture) registeredFor(t testing.TB) string {
	t.Helper()
	var name string
	do(t, f.db.Get(t.Context(), &name, "SELECT name FROM accounts WHERE id = ?", f.account))
	_, registered, _ := strings.Cut(name, "+")
	return registered
}

var errRefused = errors.New("refused by the registrar")

func newRegistering(t testing.TB) *fixture {
	t.Helper()
	f := newFixture(t, withPlans, func(c *Config) { c.Registrar = registry{errRefused} })
	f.setAccount(t, "plan = ?", "free")
	return f
}

func TestRegistrationsGoWithTheSettledAnswer(t *testing.T) {
	f := newRegistering(t)
	for _, step := range []struct {
		data string
		err  error
		want string
	}{{"a", nil, "a"}, {"refused", errRefused, "a"}, {"b", nil, "a+b"}} {
		ticket := f.begin(t, f.keyed("k"+step.data, "body", create))
		s := ok("{}")
		s.Registrations = []Registration{{Kind: "x", Data: []byte(step.data)}}
		if err := f.Settle(t.Context(), ticket, s); !errors.Is(err, step.err) {
			t.Errorf("%s: error %v", step.data, err)
		}
		do(t, f.Drop(t.Context(), ticket))
		if got := f.registeredFor(t); got != step.want {
			t.Errorf("%s: %q is registered, want %q", step.data, got, step.want)
		}
	}
	f.wantUsed(t, create, 0, 2)
	if again := f.again(t, f.keyed("ka", "body", create)); string(again.Stored.Body) != "{}" {
		t.Errorf("%+v", again)
	}
	f.begin(t, f.keyed("krefused", "body", create))
}

func TestRegistrationsGoWithTheEndOfTheJob(t *testing.T) {
	f := newRegistering(t)
	for _, step := range []struct {
		data   string
		status int
		err    error
		want   string
	}{{"a", 200, nil, "a"}, {"refused", 200, errRefused, "a"}, {"b", 422, nil, "a"}, {"c", 200, nil, "a+c"}} {
		job := f.claim(t, f.accept(t, "request "+step.data))
		out := Output{Status: step.status, Answer: Bytes("{}"), Registrations: []Registration{{Kind: "x", Data: []byte(step.data)}}}
		if err := f.Finish(t.Context(), job, out); !errors.Is(err, step.err) {
			t.Errorf("%s: error %v", step.data, err)
		}
		if step.err != nil {
			do(t, f.Finish(t.Context(), job, Output{Status: 409, Answer: Bytes("{}")}))
		}
		if got := f.registeredFor(t); got != step.want {
			t.Errorf("%s: %q is registered, want %q", step.data, got, step.want)
		}
	}
}

func TestNobodyRegisters(t *testing.T) {
	f := newInline(t, "free")
	s := ok("{}")
	s.Registrations = []Registration{{Kind: "x"}}
	if err := f.Settle(t.Context(), f.begin(t, f.live(create)), s); !errors.Is(err, errNoRegistrar) {
		t.Errorf("error %v", err)
	}
}
