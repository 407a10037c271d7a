package webhook

import (
	"errors"
	"net/textproto"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

func TestClaimGivesWhatAnAttemptNeeds(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	secrets, err := f.Secret(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	dlv := f.delivery(t)
	got := f.claim(t, dlv)
	want := Sending{Recipient: Recipient{f.acc, e.ID}, ID: dlv, URL: e.URL, Event: "invoice.created", Payload: f.state(t, dlv).Payload, Secrets: secrets, Attempt: 1}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Secrets{}), cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() != "" && strings.ToLower(p.Last().String()) == p.Last().String()
	}, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
	if recipient, err := f.RecipientOf(t.Context(), dlv); err != nil || recipient != want.Recipient {
		t.Errorf("recipient %+v, error %v", recipient, err)
	}
	if _, err := f.RecipientOf(t.Context(), "dlv_unknown"); !errors.Is(err, ErrIdle) {
		t.Errorf("of an unknown delivery: %v", err)
	}
}

// TestSchedule ensures the times of the contract, each a minimum that is exceeded by a tenth at most, and what happens at the end.
func TestSchedule(t *testing.T) {
	minutes := []float64{0, 1, 5, 30, 120, 720}
	for name, jitter := range map[string]func(time.Duration) time.Duration{
		"without jitter":         func(time.Duration) time.Duration { return 0 },
		"with all jitter":        func(d time.Duration) time.Duration { return d },
		"with too much jitter":   func(d time.Duration) time.Duration { return 2 * d },
		"with a negative jitter": func(d time.Duration) time.Duration { return -d },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(c *Config) { c.Jitter = jitter })
			f.endpoint(t)
			dlv := f.delivery(t)
			for i, wait := range minutes {
				least := time.Duration(wait * float64(time.Minute))
				if i > 0 {
					f.clock.Add(least - time.Millisecond)
					isIdle(t, f, dlv)
					f.clock.Add(time.Millisecond)
					late := f.owed(t, dlv).Sub(f.clock.Now())
					if late < 0 || late+5*time.Second > least/10 {
						t.Errorf("attempt %d is owed %s after its wait of %s", i+1, late, least)
					}
					f.clock.Add(late)
				}
				done := f.attempt(t, dlv, 500)
				if last := i == len(minutes)-1; last != (done.State == Failed) || last != done.Next.IsZero() {
					t.Errorf("after attempt %d: %+v", i+1, done)
				}
			}
			d := f.state(t, dlv)
			if d.State != Failed || len(d.Attempts) != 6 || !d.Next.IsZero() || !f.owed(t, dlv).IsZero() {
				t.Errorf("at the end: %+v", d)
			}
			f.clock.Add(24 * time.Hour)
			isIdle(t, f, dlv)
			if e, err := f.Get(t.Context(), f.acc, account.Test, d.Endpoint); err != nil || !e.Enabled {
				t.Errorf("the endpoint is disabled: %+v, %v", e, err)
			}
		})
	}
}

func TestFailedDeliveryOwesOneMail(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	dlv := f.delivery(t)
	fail := func() {
		for range Schedule {
			f.attempt(t, dlv, 503)
			f.clock.Add(13*time.Hour + 15*time.Minute)
		}
	}
	fail()
	mails, err := f.DueMails(t.Context(), 10)
	do(t, err)
	want := []Mail{{Delivery: dlv, Round: 1, Account: f.acc, Mode: account.Test, Endpoint: e.ID, URL: e.URL, Event: "invoice.created", Attempts: 6, Outcome: "503", Tries: 1,
		Created: f.state(t, dlv).Attempts[0].Started.UnixMilli()}}
	if diff := cmp.Diff(want, mails); diff != "" {
		t.Fatal(diff)
	}
	if mails[0].Failed().IsZero() {
		t.Error("no time of the failure")
	}
	if again, err := f.DueMails(t.Context(), 10); err != nil || len(again) != 0 {
		t.Errorf("given to two: %v, %v", again, err)
	}
	f.clock.Add(time.Minute)
	if again, err := f.DueMails(t.Context(), 10); err != nil || len(again) != 1 || again[0].Tries != 2 {
		t.Errorf("not due again: %v, %v", again, err)
	}
	do(t, f.MailSent(t.Context(), mails[0]))
	f.clock.Add(48 * time.Hour)
	if again, err := f.DueMails(t.Context(), 10); err != nil || len(again) != 0 {
		t.Errorf("after it was sent: %v, %v", again, err)
	}
	_, err = f.Redeliver(t.Context(), f.acc, account.Test, dlv)
	do(t, err)
	fail()
	if again, err := f.DueMails(t.Context(), 10); err != nil || len(again) != 1 || again[0].Round != 2 || again[0].Attempts != 6 {
		t.Errorf("after another round: %v, %v", again, err)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result Result
		state  State
		wait   time.Duration
		mails  int
	}{
		"200":                     {Result{Status: 200}, Delivered, 0, 0},
		"204":                     {Result{Status: 204}, Delivered, 0, 0},
		"299":                     {Result{Status: 299}, Delivered, 0, 0},
		"301":                     {Result{Status: 301}, Pending, time.Minute, 0},
		"304":                     {Result{Status: 304}, Pending, time.Minute, 0},
		"400":                     {Result{Status: 400}, Pending, time.Minute, 0},
		"410":                     {Result{Status: 410}, Failed, 0, 0},
		"429":                     {Result{Status: 429}, Pending, time.Minute, 0},
		"429 that asks for time":  {Result{Status: 429, RetryAfter: time.Hour}, Pending, time.Minute, 0},
		"500":                     {Result{Status: 500}, Pending, time.Minute, 0},
		"199":                     {Result{Status: 199}, Pending, time.Minute, 0},
		"no answer":               {Result{Reason: "timeout"}, Pending, time.Minute, 0},
		"refused by the guard":    {Result{Reason: "private"}, Pending, time.Minute, 0},
		"answer that is no text":  {Result{Status: 500, Response: []byte("a\x00\xff")}, Pending, time.Minute, 0},
		"negative times anywhere": {Result{Status: 500, RetryAfter: -time.Hour}, Pending, time.Minute, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			e := f.endpoint(t)
			dlv := f.delivery(t)
			done, err := f.Settle(t.Context(), f.claim(t, dlv), test.result)
			do(t, err)
			d := f.state(t, dlv)
			if done.State != test.state || d.State != test.state || test.wait != 0 && !d.Next.Equal(f.clock.Now().Add(test.wait)) || test.wait == 0 && !d.Next.IsZero() {
				t.Errorf("%+v, delivery %+v", done, d)
			}
			e, err = f.Get(t.Context(), f.acc, account.Test, e.ID)
			do(t, err)
			if gone := test.result.Status == 410; e.Enabled == gone || (e.DisabledReason == DisabledGone) != gone {
				t.Errorf("endpoint %+v", e)
			}
			if n := f.count(t, "webhook_mails"); n != test.mails {
				t.Errorf("%d mails", n)
			}
		})
	}
}

func TestReceiverThatAsksForTimeGetsATenth(t *testing.T) {
	f := newFixture(t)
	for failures, base := range Schedule {
		if failures == 0 {
			continue
		}
		for _, asked := range []time.Duration{0, base / 2, base + time.Second, 100 * time.Hour} {
			wait, ok := f.wait(failures, asked)
			if most := base + base/10; !ok || wait < base || wait > most || (wait > base) != (asked > base && base > time.Minute) {
				t.Errorf("after %d failures, asked for %s: %s", failures, asked, wait)
			}
		}
	}
}

func TestClaimIsForOne(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	dlv := f.delivery(t)
	var won atomic.Int32
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			if _, err := f.Claim(t.Context(), dlv); err == nil {
				won.Add(1)
			} else if !errors.Is(err, ErrIdle) {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if won.Load() != 1 {
		t.Errorf("%d have claimed it", won.Load())
	}
}

// TestWorkerThatDiesIsFollowed ensures that a claim without a result makes room after its lease, under the same id, without a failure
// counted, and that the dead one's result does not count when it comes after all.
func TestWorkerThatDiesIsFollowed(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	dlv := f.delivery(t)
	dead := f.claim(t, dlv)
	f.clock.Add(20*time.Second - time.Millisecond)
	isIdle(t, f, dlv)
	if due := f.owed(t, dlv); !due.Equal(f.clock.Now().Add(time.Millisecond)) {
		t.Fatalf("the message is owed at %s", due)
	}
	f.clock.Add(time.Millisecond)
	next := f.claim(t, dlv)
	if next.ID != dead.ID || next.Attempt != 1 || string(next.Payload) != string(dead.Payload) {
		t.Errorf("second claim %+v", next)
	}
	if _, err := f.Settle(t.Context(), dead, f.result(500)); !errors.Is(err, ErrLost) {
		t.Errorf("the dead one's result: %v", err)
	}
	if err := f.Release(t.Context(), dead); !errors.Is(err, ErrLost) {
		t.Errorf("the dead one gives back: %v", err)
	}
	_, err := f.Settle(t.Context(), next, f.result(200))
	do(t, err)
	if d := f.state(t, dlv); d.State != Delivered || len(d.Attempts) != 1 || !f.owed(t, dlv).IsZero() {
		t.Errorf("delivery %+v", d)
	}
}

func TestReleasedDeliveryIsDueAtOnceAndNothingIsCounted(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	dlv := f.delivery(t)
	do(t, f.Release(t.Context(), f.claim(t, dlv)))
	if due := f.owed(t, dlv); !due.Equal(f.clock.Now()) {
		t.Errorf("owed at %s", due)
	}
	if s := f.claim(t, dlv); s.Attempt != 1 {
		t.Errorf("attempt %d", s.Attempt)
	}
}

// TestMessageThatComesTooEarlyIsOwedAgainAtItsTime ensures that the schedule holds although the last messages before it were made due, because the queue had
// lost them, and although who has enqueued notes so only after the worker has looked.
func TestMessageThatComesTooEarlyIsOwedAgainAtItsTime(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	dlv := f.delivery(t)
	due := f.attempt(t, dlv, 500).Next
	f.clock.Add(40 * time.Second)
	outboxtest.MakeDue(t, f.box)
	messages := outboxtest.Due(t, f.box)
	if len(messages) != 1 || messages[0].Subject != dlv || messages[0].Queue != names.Webhook {
		t.Fatalf("owed %+v", messages)
	}
	isIdle(t, f, dlv)
	do(t, f.box.Enqueued(t.Context(), messages))
	if got := f.owed(t, dlv); !got.Equal(due) {
		t.Errorf("owed at %s, want %s", got, due)
	}
	f.clock.Add(20 * time.Second)
	f.attempt(t, dlv, 200)
}

func TestMessageForWhatHasEndedIsOwedNoMore(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	dlv := f.delivery(t)
	do(t, f.db.Write(t.Context(), removeAll(dlv)))
	isIdle(t, f, dlv)
	if due := f.owed(t, dlv); !due.IsZero() {
		t.Errorf("owed at %s", due)
	}
}

func TestDisabledEndpointCancelsWhatWaits(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	dlv := f.delivery(t)
	_, err := f.Update(t.Context(), f.acc, account.Test, e.ID, Change{Enabled: pointer(false)})
	do(t, err)
	isIdle(t, f, dlv)
	if d := f.state(t, dlv); d.State != Canceled || !f.owed(t, dlv).IsZero() {
		t.Errorf("delivery %+v", d)
	}
	_, err = f.Update(t.Context(), f.acc, account.Test, e.ID, Change{Enabled: pointer(true)})
	do(t, err)
	d, err := f.Redeliver(t.Context(), f.acc, account.Test, dlv)
	do(t, err)
	if d.State != Pending || f.attempt(t, dlv, 200).State != Delivered {
		t.Errorf("redelivered %+v", d)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, "-1": 0, "1.5": 0, "x": 0, "99999999999999999999": 0, "2147483647": 2147483647 * time.Second,
		"Sun, 01 Mar 2026 12:10:00 GMT": 10 * time.Minute, "Sun, 01 Mar 2026 11:00:00 GMT": 0, "Sun, 01 Mar 2026 12:10:00 CET": 0,
	} {
		if got := RetryAfter(textproto.MIMEHeader{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// TestRandomStepsKeepThePromises lets two workers and the owner do anything in any order and holds what follows against a model: at most
// six failures a round, one mail for each failed round, an owed enqueue whatever has not ended, and no result after a lost claim.
func TestRandomStepsKeepThePromises(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.endpoint(t)
	rapid.Check(t, func(rt *rapid.T) {
		dlv := f.delivery(t)
		var held []Sending
		failures, mails, attempts := 0, 0, 0
		last := func() (Sending, bool) { return held[len(held)-1], f.state(t, dlv).State == Sent }
		rt.Repeat(map[string]func(*rapid.T){
			"wait": func(rt *rapid.T) {
				f.clock.Add(time.Duration(rapid.IntRange(1, 13*3600).Draw(rt, "seconds")) * time.Second)
			},
			"claim": func(rt *rapid.T) {
				if s, err := f.Claim(t.Context(), dlv); err == nil {
					held = append(held, s)
				} else if !errors.Is(err, ErrIdle) {
					rt.Fatal(err)
				}
			},
			"settle": func(rt *rapid.T) {
				if len(held) == 0 {
					return
				}
				s, current := last()
				if i := rapid.IntRange(0, len(held)-1).Draw(rt, "claim"); i < len(held)-1 {
					s, current = held[i], false
				}
				status := rapid.SampledFrom([]int{200, 500, 500, 500, 0}).Draw(rt, "status")
				done, err := f.Settle(t.Context(), s, f.result(status))
				if current != (err == nil) || err != nil && !errors.Is(err, ErrLost) {
					rt.Fatalf("settled by the holder %t: %v", current, err)
				}
				if err != nil {
					return
				}
				attempts++
				if status == 200 {
					failures = 0
				} else if failures++; failures == 6 {
					failures = 0
					mails++
				} else if done.State != Pending {
					rt.Fatalf("%+v after %d failures", done, failures)
				}
			},
			"redeliver": func(rt *rapid.T) {
				if _, err := f.Redeliver(t.Context(), f.acc, account.Test, dlv); err == nil {
					failures = 0
				} else if !errors.Is(err, ErrUnended) {
					rt.Fatal(err)
				}
			},
			"": func(rt *rapid.T) {
				d := f.state(t, dlv)
				if d.State.Ended() != f.owed(t, dlv).IsZero() {
					rt.Fatalf("%s, owed at %s", d.State, f.owed(t, dlv))
				}
				if n := f.count(t, "webhook_mails WHERE delivery_id = '"+dlv+"'"); n != mails || len(d.Attempts) != attempts {
					rt.Fatalf("%d mails, want %d; %d attempts, want %d", n, mails, len(d.Attempts), attempts)
				}
			},
		})
	})
}
