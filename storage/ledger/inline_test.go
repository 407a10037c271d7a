package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/plan"
	"github.com/einvoiced/einvoiced/storage/seal"
)

// The plans of the tests.
const testPlans = `
plans:
  free:
    quotas:
      - {entitlement: "e-invoice:at:*:create", limit: unlimited}
      - {entitlement: "e-invoice:*:*:create", limit: 100}
      - {entitlement: "pdf:de:generate", limit: 5}
`

// What the tests charge.
const (
	create    = "e-invoice:de:xrechnung:create" // limited to 100
	createFR  = "e-invoice:fr:facturx:create"   // likewise
	createAT  = "e-invoice:at:ebinterface:create"
	parse     = "e-invoice:de:xrechnung:parse"
	march     = "2026-03"
	testKeyID = "key_1"
)

// sealer is the same for all processes of a test.
var sealer = sync.OnceValue(func() *seal.Sealer {
	s, err := seal.Open(seal.Config{Key: seal.NewKey()})
	if err != nil {
		panic(err)
	}
	return s
})

// newInline opens a ledger with plans and a secret key in a new folder; its account has the plan.
func newInline(t testing.TB, planName string) *fixture {
	t.Helper()
	f := newFixture(t, withPlans)
	f.setAccount(t, "plan = ?", planName)
	return f
}

// process is the ledger of another process on the same database.
func (f *fixture) process(t testing.TB, name string, change ...func(*Config)) *Ledger {
	t.Helper()
	cfg := f.cfg
	cfg.Process = name
	for _, c := range change {
		c(&cfg)
	}
	l, err := New(cfg, f.db, f.blobs, f.queue)
	do(t, err)
	return l
}

// reapDead lets a process that holds nothing itself look for dead ones.
func (f *fixture) reapDead(t testing.TB) {
	t.Helper()
	_, err := f.process(t, "reaper").ReapHolders(context.Background())
	do(t, err)
}

// elsewhere is the ledger of a process with a connection of its own.
func (f *fixture) elsewhere(t testing.TB, name string) *Ledger {
	t.Helper()
	cfg := f.cfg
	cfg.Process = name
	l, err := New(cfg, dbtest.Reopen(t, f.place.db), f.blobs, f.queue)
	do(t, err)
	return l
}

// withPlans sets up the plans and a secret key.
func withPlans(c *Config) {
	plans, err := plan.Load([]byte(testPlans))
	if err != nil {
		panic(err)
	}
	c.Plans, c.Seal, c.Process = plans, sealer(), "process_1"
}

// setAccount changes the account's row.
func (f *fixture) setAccount(t testing.TB, set string, args ...any) {
	t.Helper()
	f.exec(t, "UPDATE accounts SET "+set+" WHERE id = ?", append(args, f.account)...)
}

// live is a request of the fixture's account that costs one unit of each entitlement.
func (f *fixture) live(entitlements ...string) Request {
	r := Request{Account: f.account, Mode: account.Live, KeyID: testKeyID, RequestID: "req_1"}
	for _, e := range entitlements {
		r.Charges = append(r.Charges, Charge{e, 1})
	}
	return r
}

// keyed is live with an idempotency key; body tells what the fingerprint is of.
func (f *fixture) keyed(key, body string, entitlements ...string) Request {
	r := f.live(entitlements...)
	r.Idempotency = &Idempotency{key, body}
	return r
}

// begin gets the right to answer.
func (f *fixture) begin(t testing.TB, r Request) Ticket {
	t.Helper()
	ticket, err := f.Begin(t.Context(), r)
	do(t, err)
	if !ticket.yours() {
		t.Fatalf("ticket %+v is no right to answer", ticket)
	}
	return ticket
}

// ok is how a request ends that went well.
func ok(body string) Settlement {
	return Settlement{Success: true, Stored: &Stored{Status: 200, ContentType: "application/json", Body: []byte(body)}}
}

// used reads the usage of the account's entitlement in a month.
func (f *fixture) used(t testing.TB, month, entitlement string) (reserved, committed int64) {
	t.Helper()
	var row struct {
		Reserved  int64 `db:"reserved"`
		Committed int64 `db:"committed"`
	}
	do(t, f.db.Get(t.Context(), &row, `SELECT coalesce(max(reserved), 0) AS reserved, coalesce(max(committed), 0) AS committed
		FROM usage WHERE account_id = ? AND period = ? AND entitlement = ?`, f.account, month, entitlement))
	return row.Reserved, row.Committed
}

// wantUsed compares the usage of March.
func (f *fixture) wantUsed(t testing.TB, entitlement string, reserved, committed int64) {
	t.Helper()
	if r, c := f.used(t, march, entitlement); r != reserved || c != committed {
		t.Errorf("%s: %d reserved, %d committed, want %d, %d", entitlement, r, c, reserved, committed)
	}
}

// rows counts the rows of a table.
func (f *fixture) rows(t testing.TB, table string) (n int) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &n, "SELECT count(*) FROM "+table))
	return n
}

func TestRequestWithoutKeyAndQuotaWritesNothingUntilItSucceeds(t *testing.T) {
	f := newInline(t, "")
	free := holdWriter(t, f)
	done := f.begin(t, f.live(create))
	failed := f.begin(t, f.live(create))
	do(t, f.Settle(t.Context(), failed, Settlement{}), f.Drop(t.Context(), done))
	unbilled := f.begin(t, f.live())
	do(t, f.Settle(t.Context(), unbilled, ok("{}")))
	free()
	do(t, f.Settle(t.Context(), f.begin(t, f.live(create)), ok("{}")))
	f.wantUsed(t, create, 0, 1)
	if n := f.rows(t, "reservations") + f.rows(t, "idempotency_keys") + f.rows(t, "holders"); n > 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestTestKeysAreNeverCounted(t *testing.T) {
	f := newInline(t, "free")
	f.setAccount(t, "lapsed = TRUE")
	free := holdWriter(t, f)
	for range 200 {
		r := f.live(create)
		r.Mode = account.Test
		do(t, f.Settle(t.Context(), f.begin(t, r), ok("{}")))
	}
	free()
	r := f.keyed("k", "body", create)
	r.Mode = account.Test
	do(t, f.Settle(t.Context(), f.begin(t, r), ok("{}")))
	if n := f.rows(t, "usage") + f.rows(t, "reservations"); n > 0 {
		t.Errorf("%d rows of usage", n)
	}
}

func TestReservationsBecomeUseWithSuccessAndAreReleasedElse(t *testing.T) {
	f := newInline(t, "free")
	r := f.live(create)
	r.Charges = []Charge{{create, 2}, {parse, 1}, {create, 1}}
	succeeding, refused, dropped := f.begin(t, r), f.begin(t, r), f.begin(t, r)
	f.wantUsed(t, create, 9, 0)
	f.wantUsed(t, parse, 0, 0) // no quota: nothing to reserve
	do(t, f.Settle(t.Context(), succeeding, ok("{}")))
	do(t, f.Settle(t.Context(), refused, Settlement{Stored: &Stored{Status: 422}}))
	do(t, f.Drop(t.Context(), dropped), f.Drop(t.Context(), dropped))
	f.wantUsed(t, create, 0, 3)
	f.wantUsed(t, parse, 0, 1)
	if n := f.rows(t, "reservations"); n > 0 {
		t.Errorf("%d reservations are left", n)
	}
}

func TestExactlyTheRestOfAQuotaGetsThrough(t *testing.T) {
	t.Parallel()
	for _, entitlements := range [][]string{{create}, {create, createFR}} {
		f := newInline(t, "free")
		do(t, f.db.Write(t.Context(), use(f.account, create, 90)), f.db.Write(t.Context(), use(f.account, createFR, 50)))
		requests := 1000
		if testing.Short() {
			requests = 200
		}
		processes := []*Ledger{f.Ledger, f.process(t, "process_2"), f.elsewhere(t, "process_3")}
		var passed, refused atomic.Int64
		var callers sync.WaitGroup
		for i := range requests {
			callers.Go(func() {
				r, l := f.live(entitlements...), processes[i%3]
				if i%2 == 1 { // the other way round, as two that wait for each other would need it
					r.Charges[0], r.Charges[len(r.Charges)-1] = r.Charges[len(r.Charges)-1], r.Charges[0]
				}
				ticket, err := l.Begin(context.Background(), r)
				var quota *QuotaError
				switch {
				case err == nil:
					passed.Add(1)
					err = l.Settle(context.Background(), ticket, ok("{}"))
				case errors.As(err, &quota) && quota.Entitlement == create && quota.Current == 100 && quota.Limit == 100:
					refused.Add(1)
					err = nil
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if passed.Load() != 10 || refused.Load() != int64(requests)-10 {
			t.Errorf("%v: %d passed, %d refused", entitlements, passed.Load(), refused.Load())
		}
		f.wantUsed(t, create, 0, 100)
	}
}

func TestQuotaErrorTellsWhatStandsAgainstTheLimit(t *testing.T) {
	f := newInline(t, "free")
	do(t, f.db.Write(t.Context(), use(f.account, create, 98)))
	f.begin(t, f.live(create))
	r := f.live()
	r.Charges = []Charge{{create, 2}}
	_, err := f.Begin(t.Context(), r)
	want := &QuotaError{Entitlement: create, Current: 99, Limit: 100, Period: &Period{
		Type: "monthly", Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
	}}
	var got *QuotaError
	if !errors.As(err, &got) || !strings.Contains(err.Error(), create) {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r.Charges = []Charge{{createFR, 101}} // more than the whole quota, before anything was used
	if _, err := f.Begin(t.Context(), r); !errors.As(err, &got) || got.Current != 0 || got.Limit != 100 {
		t.Errorf("error %v", err)
	}
}

func TestQuotasAreCountedForEachEntitlementByTheFirstPattern(t *testing.T) {
	f := newInline(t, "free")
	do(t, f.db.Write(t.Context(), use(f.account, create, 100)))
	var quota *QuotaError
	if _, err := f.Begin(t.Context(), f.live(create)); !errors.As(err, &quota) {
		t.Errorf("error %v", err)
	}
	for _, other := range []string{createFR, createAT, parse} {
		f.begin(t, f.live(other))
	}
	if _, err := f.Begin(t.Context(), f.live(createFR, create)); !errors.As(err, &quota) || quota.Entitlement != create {
		t.Errorf("one of two: error %v", err)
	}
	f.wantUsed(t, createFR, 1, 0) // that refusal has reserved nothing
}

func TestMonthOfTheReservationIsTheOneThatCounts(t *testing.T) {
	for name, planName := range map[string]string{"limited": "free", "unlimited": ""} {
		f := newInline(t, planName)
		f.clock.Add(31*24*time.Hour - 13*time.Hour) // 31 March, 23:00
		march := f.begin(t, f.live(create))
		f.clock.Add(time.Hour)
		april := f.begin(t, f.live(create))
		do(t, f.Settle(t.Context(), march, ok("{}")), f.Settle(t.Context(), april, ok("{}")))
		for _, month := range []string{"2026-03", "2026-04"} {
			if reserved, committed := f.used(t, month, create); reserved != 0 || committed != 1 {
				t.Errorf("%s: %s has %d reserved, %d committed", name, month, reserved, committed)
			}
		}
	}
}

func TestQuotaOfANewMonthIsWhole(t *testing.T) {
	f := newInline(t, "free")
	do(t, f.db.Write(t.Context(), use(f.account, create, 100)))
	f.clock.Add(31 * 24 * time.Hour)
	f.begin(t, f.live(create))
}

func TestLapsedSubscriptionHasLimitZeroAndNoPeriod(t *testing.T) {
	for _, planName := range []string{"", "free"} {
		f := newInline(t, planName)
		f.setAccount(t, "lapsed = TRUE")
		_, err := f.Begin(t.Context(), f.live(parse))
		var quota *QuotaError
		if !errors.As(err, &quota) || *quota != (QuotaError{Entitlement: parse}) {
			t.Errorf("plan %q: error %v", planName, err)
		}
		f.begin(t, f.live()) // what costs nothing goes on
	}
}

func TestPlanThatIsNotConfiguredLetsNothingThrough(t *testing.T) {
	f := newInline(t, "gold")
	if _, err := f.Begin(t.Context(), f.live(parse)); !errors.Is(err, ErrPlanUnknown) || !strings.Contains(err.Error(), "gold") {
		t.Errorf("error %v, want ErrPlanUnknown", err)
	}
	f.begin(t, f.live())
}

func TestRequestIsChecked(t *testing.T) {
	f := newInline(t, "")
	for name, change := range map[string]func(*Request){
		"no account":       func(r *Request) { r.Account = "" },
		"no mode":          func(r *Request) { r.Mode = "" },
		"no units":         func(r *Request) { r.Charges[0].Units = 0 },
		"negative units":   func(r *Request) { r.Charges[0].Units = -1 },
		"enormous units":   func(r *Request) { r.Charges[0].Units = maxUnits + 1 },
		"no entitlement":   func(r *Request) { r.Charges[0].Entitlement = "" },
		"empty key":        func(r *Request) { r.Idempotency.Key = "" },
		"overlong key":     func(r *Request) { r.Idempotency.Key = strings.Repeat("k", 256) },
		"no fingerprint":   func(r *Request) { r.Idempotency.Fingerprint = "" },
		"key without user": func(r *Request) { r.KeyID = "" },
	} {
		r := f.keyed("k", "body", create)
		change(&r)
		if _, err := f.Begin(t.Context(), r); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	r := f.live(create)
	r.Account = "acc_unknown"
	if _, err := f.Begin(t.Context(), r); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown account: error %v, want ErrNotFound", err)
	}
	if err := f.Settle(t.Context(), Ticket{Elsewhere: true}, ok("{}")); !errors.Is(err, ErrInvalid) {
		t.Errorf("settled another's request: error %v", err)
	}
}

// TestUnitsEqualSuccessesWhereverTheProcessDies kills the process at every step of 200 requests: what was answered is counted
// once, what was not is not, and no reservation stays.
func TestUnitsEqualSuccessesWhereverTheProcessDies(t *testing.T) {
	f := newInline(t, "free")
	successes := int64(0)
	for i := range 200 {
		process := f.process(t, fmt.Sprint("process_of_", i))
		ticket, err := process.Begin(t.Context(), f.keyed(fmt.Sprint(i), "body", create))
		var quota *QuotaError
		if errors.As(err, &quota) && successes == 100 {
			continue
		}
		do(t, err)
		switch i % 3 {
		case 0: // dies with the answer made and not settled
		case 1:
			do(t, process.Settle(t.Context(), ticket, ok("{}")))
			successes++
		case 2: // dies, and is found dead, before it comes to itself
			f.clock.Add(11 * time.Second)
			f.reapDead(t)
			if err := process.Settle(t.Context(), ticket, ok("{}")); !errors.Is(err, ErrLost) {
				t.Fatalf("settled a lost ticket: error %v", err)
			}
		}
	}
	f.clock.Add(11 * time.Second)
	f.reapDead(t)
	f.wantUsed(t, create, 0, successes)
	if n := f.rows(t, "reservations"); n > 0 || successes < 50 {
		t.Errorf("%d reservations are left after %d successes", n, successes)
	}
}

// TestCrashAtAnyStepOfARequestLeavesUseThatWasAnswered opens what a killed process leaves after each step.
func TestCrashAtAnyStepOfARequestLeavesUseThatWasAnswered(t *testing.T) {
	steps := []struct {
		name string
		step func(f *fixture, t Ticket) (Ticket, error)
		want int64 // units that were answered, and keys that are kept
	}{
		{"begin", func(f *fixture, _ Ticket) (Ticket, error) { return f.Begin(t.Context(), f.keyed("k", "body", create)) }, 0},
		{"settle", func(f *fixture, ticket Ticket) (Ticket, error) {
			return ticket, f.Settle(t.Context(), ticket, ok("{}"))
		}, 1},
		{"second begin", func(f *fixture, _ Ticket) (Ticket, error) { return f.Begin(t.Context(), f.keyed("l", "body", create)) }, 1},
		{"drop", func(f *fixture, ticket Ticket) (Ticket, error) { return ticket, f.Drop(t.Context(), ticket) }, 1},
	}
	for last, s := range steps {
		f := newInline(t, "free")
		var ticket Ticket
		for _, s := range steps[:last+1] {
			var err error
			ticket, err = s.step(f, ticket)
			do(t, err)
		}
		after := f.crash(t)
		after.clock.Add(11 * time.Second)
		after.reapDead(t)
		after.wantUsed(t, create, 0, s.want)
		if n, keys := after.rows(t, "reservations"), after.rows(t, "idempotency_keys"); n > 0 || int64(keys) != s.want {
			t.Errorf("crash after %s: %d reservations and %d keys are left", s.name, n, keys)
		}
	}
}

func BenchmarkInline(b *testing.B) {
	for _, c := range []struct {
		name, plan string
		keyed      bool
	}{{"unlimited", "", false}, {"limited", "free", false}, {"keyed", "", true}} {
		b.Run(c.name, func(b *testing.B) {
			f := newInline(b, c.plan)
			n := 0
			for b.Loop() {
				n++
				r := f.live(create)
				if c.plan != "" {
					r = f.live(fmt.Sprintf("e-invoice:de:f%d:create", n/100))
				}
				if c.keyed {
					r = f.keyed(fmt.Sprint(n), "body", create)
				}
				do(b, f.Settle(b.Context(), f.begin(b, r), ok(`{"success":true}`)))
			}
		})
	}
}
