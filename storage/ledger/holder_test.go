package ledger

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/db"
)

func TestProcessThatBeatsKeepsWhatItHolds(t *testing.T) {
	f := newInline(t, "free")
	ticket, other := f.begin(t, f.keyed("k", "body", create)), f.process(t, "process_2")
	for range 40 {
		f.clock.Add(3 * time.Second)
		do(t, f.BeatHolder(t.Context()))
		if n, err := other.ReapHolders(t.Context()); n != 0 || err != nil {
			t.Fatalf("%d released, error %v", n, err)
		}
	}
	do(t, f.Settle(t.Context(), ticket, ok("{}")))
	f.wantUsed(t, create, 0, 1)
}

// TestProcessThatSleptDoesNotTakeItselfForDead stands for a machine that was suspended, or whose clock has jumped.
func TestProcessThatSleptDoesNotTakeItselfForDead(t *testing.T) {
	f := newInline(t, "free")
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		ticket := f.begin(t, f.live(create))
		f.clock.Add(jump)
		if n, err := f.ReapHolders(t.Context()); n != 0 || err != nil {
			t.Fatalf("jump of %s: %d released, error %v", jump, n, err)
		}
		do(t, f.Settle(t.Context(), ticket, ok("{}")))
	}
	f.wantUsed(t, create, 0, 2)
}

// TestProcessThatWasPausedFindsItsTicketsLost stands for a process that is stopped for 90 s and goes on: its requests were given
// to others.
func TestProcessThatWasPausedFindsItsTicketsLost(t *testing.T) {
	f := newInline(t, "free")
	r := f.keyed("k", "body", create)
	paused, reserved := f.begin(t, r), f.begin(t, f.live(create))
	f.clock.Add(90 * time.Second)
	other := f.process(t, "process_2")
	do(t, other.BeatHolder(t.Context()))
	if n, err := other.ReapHolders(t.Context()); n != 3 || err != nil { // a key and two reservations
		t.Fatalf("%d released, error %v, want 3", n, err)
	}
	second, err := other.Begin(t.Context(), r)
	do(t, err)
	for _, ticket := range []Ticket{paused, reserved} {
		if err := f.Settle(t.Context(), ticket, ok("of the paused one")); !errors.Is(err, ErrLost) {
			t.Errorf("settled a lost ticket: error %v", err)
		}
		do(t, f.Drop(t.Context(), ticket))
	}
	do(t, other.Settle(t.Context(), second, ok("of the other")))
	if got := f.again(t, r); string(got.Stored.Body) != "of the other" {
		t.Errorf("replayed %q", got.Stored.Body)
	}
	f.wantUsed(t, create, 0, 1)
	after := f.begin(t, f.live(create)) // which makes it a holder again
	if n, err := other.ReapHolders(t.Context()); n != 0 || err != nil {
		t.Errorf("%d released, error %v", n, err)
	}
	do(t, f.Settle(t.Context(), after, ok("{}")))
	f.wantUsed(t, create, 0, 2)
}

func TestHoldOfAProcessThatNeverBeatIsReleased(t *testing.T) {
	f := newInline(t, "free")
	f.begin(t, f.live(create, createFR))
	f.exec(t, "DELETE FROM holders")
	if n, err := f.ReapHolders(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d released, error %v, want 2", n, err)
	}
	f.wantUsed(t, create, 0, 0)
	f.wantUsed(t, createFR, 0, 0)
}

func TestWhatCouldNotBeReleasedIsReleasedWithTheNextBeat(t *testing.T) {
	f := newInline(t, "free")
	kept := f.keyed("kept", "body", create)
	do(t, f.Settle(t.Context(), f.begin(t, kept), ok("{}")))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for i, end := range []func(Ticket) error{
		func(ticket Ticket) error { return f.Drop(canceled, ticket) },
		func(ticket Ticket) error { return f.Settle(canceled, ticket, ok("{}")) },
	} {
		if err := end(f.begin(t, f.keyed(fmt.Sprint(i), "body", create))); !errors.Is(err, context.Canceled) {
			t.Fatalf("end %d: error %v", i, err)
		}
	}
	f.wantUsed(t, create, 2, 1)
	do(t, f.BeatHolder(t.Context()))
	f.wantUsed(t, create, 0, 1)
	for i := range 2 {
		f.begin(t, f.keyed(fmt.Sprint(i), "body"))
	}
	f.again(t, kept)
	if left := f.leftovers.all(); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// TestBeginThatIsInDoubtHoldsNothingForEver ensures that rows of a begin whose commit nobody has confirmed go with the next beat.
func TestBeginThatIsInDoubtHoldsNothingForEver(t *testing.T) {
	f := newInline(t, "free")
	ticket := f.begin(t, f.keyed("k", "body", create))
	f.doubt(ticket, fmt.Errorf("commit: %w", db.ErrInDoubt))
	do(t, f.BeatHolder(t.Context()))
	f.wantUsed(t, create, 0, 0)
	f.begin(t, f.keyed("k", "body", create))
}

// usageModel is what usage must be, kept by hand.
type usageModel struct {
	limited   bool // create and createFR have quotas
	committed map[string]int64
	open      map[string][]Ticket // by process
	keys      map[string]bool     // answered
}

// TestUsageIsThatOfTheModelAfterAnySteps lets processes begin, settle, drop, die and be found dead in any order.
func TestUsageIsThatOfTheModelAfterAnySteps(t *testing.T) {
	t.Parallel()
	f, checks := newInline(t, ""), 0
	rapid.Check(t, func(rt *rapid.T) {
		planName := rapid.SampledFrom([]string{"", "free"}).Draw(rt, "plan")
		f.account, checks = f.newAccount(t), checks+1
		f.setAccount(t, "plan = ?", planName)
		names := []string{fmt.Sprint("process_1_of_", checks), fmt.Sprint("process_2_of_", checks)}
		processes := map[string]*Ledger{names[0]: f.process(t, names[0]), names[1]: f.process(t, names[1])}
		m := usageModel{planName == "free", map[string]int64{}, map[string][]Ticket{}, map[string]bool{}}
		take := func(rt *rapid.T) (name string, ticket Ticket) {
			name = rapid.SampledFrom(names).Draw(rt, "process")
			if len(m.open[name]) == 0 {
				rt.Skip("nothing is under way")
			}
			i := rapid.IntRange(0, len(m.open[name])-1).Draw(rt, "ticket")
			ticket = m.open[name][i]
			m.open[name] = append(m.open[name][:i:i], m.open[name][i+1:]...)
			return name, ticket
		}
		rt.Repeat(map[string]func(*rapid.T){
			"begin": func(rt *rapid.T) {
				name := rapid.SampledFrom(names).Draw(rt, "process")
				r := f.live(rapid.SliceOfN(rapid.SampledFrom([]string{create, createFR, createAT, parse}), 0, 3).Draw(rt, "charges")...)
				r.KeyID = "key_of_" + f.account
				if rapid.Bool().Draw(rt, "keyed") {
					r.Idempotency = &Idempotency{rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key"), "body"}
				}
				ticket, err := processes[name].Begin(t.Context(), r)
				if err != nil {
					rt.Fatal(err)
				}
				if ticket.yours() {
					m.open[name] = append(m.open[name], ticket)
				} else if i := r.Idempotency; (ticket.Stored != nil) != m.keys[i.Key] {
					rt.Fatalf("key %s: ticket %+v, answered before: %t", i.Key, ticket, m.keys[i.Key])
				}
			},
			"settle": func(rt *rapid.T) {
				name, ticket := take(rt)
				s := Settlement{Success: rapid.Bool().Draw(rt, "success"), Stored: &Stored{Status: rapid.SampledFrom([]int{200, 422, 500}).Draw(rt, "status")}}
				if err := processes[name].Settle(t.Context(), ticket, s); err != nil {
					rt.Fatal(err)
				}
				for _, c := range ticket.charges {
					if s.Success {
						m.committed[c.Entitlement] += c.Units
					}
				}
				if i := ticket.request.Idempotency; i != nil && s.Stored.Status != 500 {
					m.keys[i.Key] = true
				}
			},
			"drop": func(rt *rapid.T) {
				name, ticket := take(rt)
				if err := processes[name].Drop(t.Context(), ticket); err != nil {
					rt.Fatal(err)
				}
			},
			"die": func(rt *rapid.T) {
				name := rapid.SampledFrom(names).Draw(rt, "process")
				f.clock.Add(11 * time.Second)
				for _, other := range names {
					if other != name {
						do(t, processes[other].BeatHolder(t.Context()))
					}
				}
				f.reapDead(t)
				for _, ticket := range m.open[name] {
					if ticket.owner == "" {
						continue
					}
					if err := processes[name].Settle(t.Context(), ticket, ok("{}")); !errors.Is(err, ErrLost) {
						rt.Fatalf("a lost ticket: error %v", err)
					}
				}
				m.open[name] = nil
			},
			"": func(rt *rapid.T) { m.check(rt, t, f) },
		})
	})
}

// check compares the database with the model.
func (m usageModel) check(rt *rapid.T, t *testing.T, f *fixture) {
	reserved, rows := map[string]int64{}, 0
	for _, tickets := range m.open {
		for _, ticket := range tickets {
			for _, c := range ticket.charges {
				if ticket.reserved {
					rows++
				}
				if m.limited && (c.Entitlement == create || c.Entitlement == createFR) {
					reserved[c.Entitlement] += c.Units
				}
			}
		}
	}
	for _, e := range []string{create, createFR, createAT, parse} {
		r, c := f.used(t, march, e)
		if r != reserved[e] || c != m.committed[e] {
			rt.Fatalf("%s: %d reserved, %d committed, want %d, %d", e, r, c, reserved[e], m.committed[e])
		}
	}
	if n := f.rows(t, "reservations WHERE account_id = '"+f.account+"'"); n != rows {
		rt.Fatalf("%d reservations, want %d", n, rows)
	}
}
