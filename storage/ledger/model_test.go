package ledger

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/account"
)

// model is what a job must be, kept beside the ledger while random steps are taken.
type model struct {
	f    *fixture
	job  Job
	runs []Job // every claim ever got, most of them stale

	state             State
	run               int64
	attempts, crashes int
	blamed            int       // crashes since the first claim as a suspect
	waits             time.Time // before which a job that is to be tried again is not claimed
	output            bool
}

// claimable tells whether a message leads to a claim.
func (m *model) claimable() bool {
	return m.state == Queued && !m.waits.After(m.f.clock.Now().Add(skew))
}

// holds tells whether the claim is the one that counts.
func (m *model) holds(run Job) bool { return m.state == Running && run.Run == m.run }

// step takes a step of a run and compares the outcome: nil for the run that counts, ErrLost for others.
func (m *model) step(t *rapid.T, name string, do func(Job) error, then func()) {
	if len(m.runs) == 0 {
		return
	}
	run := rapid.SampledFrom(m.runs).Draw(t, "run")
	want := error(nil)
	if !m.holds(run) {
		want = ErrLost
	}
	if err := do(run); !errors.Is(err, want) {
		t.Fatalf("%s of run %d in state %s of run %d: error %v, want %v", name, run.Run, m.state, m.run, err, want)
	}
	if want == nil {
		then()
	}
}

// expect compares an error with whether the step was allowed.
func expect(t *rapid.T, name string, err error, allowed bool, otherwise error) bool {
	if allowed {
		otherwise = nil
	}
	if !errors.Is(err, otherwise) {
		t.Fatalf("%s: error %v, want %v", name, err, otherwise)
	}
	return allowed
}

func (m *model) steps(t *testing.T) map[string]func(*rapid.T) {
	ctx, f := t.Context(), m.f
	return map[string]func(*rapid.T){
		"claim": func(t *rapid.T) {
			run, err := f.claimAny(ctx, m.job.ID)
			if expect(t, "claim", err, m.claimable(), ErrNotQueued) {
				m.state, m.run, m.runs = Running, m.run+1, append(m.runs, run)
			}
		},
		"beat": func(t *rapid.T) {
			m.step(t, "beat", func(run Job) error { return f.Beat(ctx, run, 50) }, func() {})
		},
		"finish": func(t *rapid.T) {
			m.step(t, "finish", func(run Job) error { return f.Finish(ctx, run, done) }, func() { m.state, m.output = Succeeded, true })
		},
		"fail": func(t *rapid.T) {
			m.step(t, "fail", func(run Job) error { return f.Fail(ctx, run, Failure{CodeTimedOut, "x"}) }, func() { m.state = Failed })
		},
		"retry": func(t *rapid.T) {
			m.step(t, "retry", func(run Job) error { return f.Retry(ctx, run) }, func() {
				m.waits = f.clock.Now().Add(retryDelay << m.attempts)
				m.attempts++
				m.state = map[bool]State{true: Failed, false: Queued}[m.attempts == 3]
			})
		},
		"release": func(t *rapid.T) {
			m.step(t, "release", func(run Job) error { return f.Release(ctx, run) }, func() { m.state, m.waits = Queued, time.Time{} })
		},
		"wait": func(*rapid.T) { f.clock.Add(time.Second) },
		"cancel": func(t *rapid.T) {
			_, err := f.Cancel(ctx, m.job.Account, m.job.Mode, m.job.ID)
			if expect(t, "cancel", err, !m.state.Finished(), ErrFinished) {
				m.state = Canceled
			}
		},
		"erase": func(t *rapid.T) {
			_, err := f.Erase(ctx, m.job.Account, m.job.Mode, m.job.ID)
			if expect(t, "erase", err, m.state.Finished(), ErrUnfinished) {
				m.state, m.output = Expired, false
			}
		},
		"crash": func(t *rapid.T) {
			f.clock.Add(11 * time.Second)
			if _, err := f.Reap(ctx); err != nil {
				t.Fatal(err)
			}
			if m.state == Running {
				if m.runs[len(m.runs)-1].Crashes > 0 { // claimed as a suspect, alone
					m.blamed++
				}
				m.crashes++
				m.state, m.waits = map[bool]State{true: Failed, false: Queued}[m.blamed == 3], f.clock.Now().Add(f.delayAfter(m.crashes))
			}
		},
		"": func(t *rapid.T) { m.check(t) },
	}
}

// check compares the ledger with the model.
func (m *model) check(t *rapid.T) {
	got, err := m.f.Get(context.Background(), m.job.Account, m.job.Mode, m.job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.State != m.state || got.Run != m.run || got.Attempts != m.attempts || got.Crashes != m.crashes {
		t.Fatalf("row is %s, run %d, %d attempts, %d crashes; want %s, %d, %d, %d",
			got.State, got.Run, got.Attempts, got.Crashes, m.state, m.run, m.attempts, m.crashes)
	}
	var messages, purges int
	err = errors.Join(m.f.db.Get(context.Background(), &messages, "SELECT count(*) FROM outbox WHERE kind = 'ring' AND subject = ?", m.job.ID),
		m.f.db.Get(context.Background(), &purges, "SELECT count(*) FROM outbox WHERE kind = 'purge' AND subject = ?", m.job.ID))
	if err != nil || (messages == 1) != (m.state == Queued) || purges != 0 {
		t.Fatalf("%d messages and %d purges are owed for a %s job (error %v)", messages, purges, m.state, err)
	}
	_, inputErr := m.f.Input(context.Background(), got)
	answer, answerErr := m.f.Answer(context.Background(), got)
	if (inputErr == nil) != (m.state != Expired) || (answerErr == nil && string(answer) == string(done.Answer.(Bytes))) != m.output {
		t.Fatalf("%s job: input error %v, answer %q, error %v", m.state, inputErr, answer, answerErr)
	}
}

func TestRandomStepsKeepTheLedgerTrue(t *testing.T) {
	f := newFixture(t)
	rapid.Check(t, func(rt *rapid.T) {
		job, err := f.Accept(t.Context(), f.newJob("x"))
		if err != nil {
			rt.Fatal(err)
		}
		m := &model{f: f, job: job, state: Queued}
		rt.Repeat(m.steps(t))
		if !m.state.Finished() {
			if _, err := f.Cancel(t.Context(), f.account, account.Test, job.ID); err != nil {
				rt.Fatal(err)
			}
		}
	})
}
