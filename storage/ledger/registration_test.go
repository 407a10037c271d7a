package ledger

import (
	"errors"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// registeredBytes is what each registration of a registry stores.
const registeredBytes = 333

// registry is a Registrar that writes what it is given into the table of accounts, and refuses some.
type registry struct{ refuses error }

func (r registry) Register(tx *db.Tx, accountID string, _ account.Mode, registered Registration) (stored int64, err error) {
	if string(registered.Data) == "refused" {
		return 0, r.refuses
	}
	_, err = tx.Exec("UPDATE accounts SET name = name || ? WHERE id = ?", "+"+string(registered.Data), accountID)
	return registeredBytes, err
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
	f.wantRegistered(t, 2, "SELECT CAST(sum(bytes) AS BIGINT) FROM idempotency_keys")
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
	f.wantRegistered(t, 2, "SELECT CAST(sum(input_size + answer_size) AS BIGINT) FROM jobs")
}

// wantRegistered checks that so many registrations count as stored, beside what a query gives.
func (f *fixture) wantRegistered(t testing.TB, n int64, besides string) {
	t.Helper()
	var rest int64
	do(t, f.db.Get(t.Context(), &rest, besides))
	if got := f.counted(t, f.account); got != rest+n*registeredBytes {
		t.Errorf("%d bytes are counted, want those of %d registrations beside %d", got, n, rest)
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
