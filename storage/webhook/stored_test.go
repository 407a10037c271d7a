package webhook

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// counted is what is counted as stored for an account.
func (f *fixture) counted(t testing.TB, accountID string) (bytes int64) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &bytes, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs WHERE account_id = ?", accountID))
	return bytes
}

// TestDeliveriesAreCountedUntilTheyAreRemoved ensures that each delivery of an event counts with it, each attempt, a trial and what is
// delivered again too, for the account that they are of; and that what has gone counts no more.
func TestDeliveriesAreCountedUntilTheyAreRemoved(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	f.endpoint(t)
	ids := f.publish(t, "invoice.created", "{}")
	want := 2 * (deliveryBytes + int64(len(f.state(t, ids[0]).Payload)))
	check := func(when string) {
		t.Helper()
		if got := f.counted(t, f.acc); got != want {
			t.Errorf("%s: %d bytes are counted, want %d", when, got, want)
		}
	}
	check("published")
	for _, status := range []int{500, 200} {
		r := f.result(status)
		r.Response = bytes.Repeat([]byte("a"), 20_000)
		_, err := f.Settle(t.Context(), f.claim(t, ids[0]), r)
		do(t, err)
		want += attemptBytes + int64(len(e.URL)+len(`{"X-A":"b"}`)) + 20_000
		check("attempted")
		f.clock.Add(2 * time.Minute)
	}
	_, err := f.Redeliver(t.Context(), f.acc, account.Test, ids[0])
	do(t, err)
	check("to be delivered again")
	f.attempt(t, ids[0], 204)
	f.attempt(t, ids[1], 204)
	want += 2 * (attemptBytes + int64(len(e.URL)+len(`{"X-A":"b"}`)+len("thanks")))
	check("delivered again")
	trial, err := f.Test(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	want += deliveryBytes + int64(len(trial.Payload))
	check("a trial")
	f.attempt(t, trial.ID, 204)
	f.clock.Add(8 * 24 * time.Hour)
	n, err := f.Expire(t.Context())
	do(t, err)
	if want = 0; n != 2 || f.counted(t, f.others) != 0 {
		t.Errorf("%d events expired, %d bytes of another account", n, f.counted(t, f.others))
	}
	check("expired")
}

// TestWhatACrowdedAccountWasDeliveredIsNotKept ensures that the log of deliveries does not fill an account up: above half of what it may have
// stored, a delivered event goes with the last of its deliveries, and counts no more; what was not delivered stays, a trial, and what others have.
func TestWhatACrowdedAccountWasDeliveredIsNotKept(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	second := f.endpoint(t)
	kept := f.publish(t, "invoice.created", "{}")
	f.attempt(t, kept[0], 200)
	before := f.counted(t, f.acc)
	f.Store.cfg.Stored = volume.NewLimit(f.db, f.clock, 2*before-1)
	ids := f.publish(t, "invoice.created", "{}")
	f.attempt(t, ids[0], 500)
	f.clock.Add(2 * time.Minute)
	for i, id := range ids {
		if events := f.count(t, "webhook_events"); events != 2 {
			t.Errorf("%d events are left before delivery %d", events, i)
		}
		f.attempt(t, id, 200)
		if _, err := f.Delivery(t.Context(), f.acc, account.Test, id); !errors.Is(err, ErrNotFound) || !f.owed(t, id).IsZero() {
			t.Errorf("delivery %d is kept, error %v, owed at %s", i, err, f.owed(t, id))
		}
	}
	if got := f.counted(t, f.acc); got != before || f.count(t, "webhook_events") != 1 || f.count(t, "webhook_attempts") != 1 {
		t.Errorf("%d bytes are counted, want %d; %d events, %d attempts", got, before, f.count(t, "webhook_events"), f.count(t, "webhook_attempts"))
	}
	f.clock.Add(time.Minute)
	trial, err := f.Test(t.Context(), f.acc, account.Test, second.ID)
	do(t, err)
	f.attempt(t, trial.ID, 200)
	if d := f.state(t, trial.ID); d.State != Delivered {
		t.Errorf("the trial is %s", d.State)
	}
	if d := f.state(t, kept[1]); d.State != Pending {
		t.Errorf("what is to be sent is %s", d.State)
	}
}

// TestDeletedWebhookTakesNoRoom ensures that an hour after a webhook was deleted nothing is left of what it was sent or was to be sent, but the events
// that others were sent too.
func TestDeletedWebhookTakesNoRoom(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t, "invoice.created")
	f.clock.Add(time.Second) // the ids of webhooks and of deliveries come in the order of their time
	deleted := f.endpoint(t)
	both := f.publish(t, "invoice.created", "{}")
	want := f.counted(t, f.acc) / 2
	f.attempt(t, f.publish(t, "job.failed", "{}")[0], 200)
	f.publish(t, "job.failed", "{}")
	do(t, f.Delete(t.Context(), f.acc, account.Test, deleted.ID))
	expire := func() (total int) {
		t.Helper()
		for n := 1; n > 0; total += n {
			var err error
			n, err = f.Expire(t.Context())
			do(t, err)
		}
		return total
	}
	f.clock.Add(59 * time.Minute)
	if n := expire(); n != 0 || f.count(t, "webhook_deliveries") != 4 {
		t.Errorf("%d went before an hour was over", n)
	}
	f.clock.Add(2 * time.Minute)
	if n := expire(); n != 3 || f.count(t, "webhook_deliveries") != 1 || f.count(t, "webhook_events") != 1 || f.count(t, "webhook_attempts") != 0 || f.count(t, "webhook_endpoints") != 1 {
		t.Errorf("%d went; %d deliveries are left, %d events, %d endpoints", n, f.count(t, "webhook_deliveries"), f.count(t, "webhook_events"), f.count(t, "webhook_endpoints"))
	}
	if got := f.counted(t, f.acc); got != want || f.state(t, both[0]).State != Pending {
		t.Errorf("%d bytes are counted, want %d", got, want)
	}
}

// TestLostAttemptRemovesNothing ensures that what another has claimed meanwhile is not removed by who had it before.
func TestLostAttemptRemovesNothing(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	id := f.delivery(t)
	f.Store.cfg.Stored = volume.NewLimit(f.db, f.clock, f.counted(t, f.acc))
	first := f.claim(t, id)
	f.clock.Add(time.Minute)
	f.claim(t, id)
	if _, err := f.Settle(t.Context(), first, f.result(200)); !errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
	if d := f.state(t, id); d.State != Sent {
		t.Errorf("the delivery is %s", d.State)
	}
}

// TestFullAccountAsksForNoMoreDeliveries ensures that neither trials nor further deliveries are written for an account that has stored what it may.
func TestFullAccountAsksForNoMoreDeliveries(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	id := f.delivery(t)
	f.attempt(t, id, 200)
	f.Store.cfg.Stored = volume.NewLimit(f.db, f.clock, f.counted(t, f.acc))
	_, trial := f.Test(t.Context(), f.acc, account.Test, e.ID)
	_, again := f.Redeliver(t.Context(), f.acc, account.Test, id)
	for _, err := range []error{trial, again} {
		if full, ok := errors.AsType[*volume.ExceededError](err); !ok || full.Current != full.Limit {
			t.Errorf("error %v", err)
		}
	}
	if n := f.count(t, "webhook_deliveries"); n != 1 || f.state(t, id).State != Delivered {
		t.Errorf("%d deliveries, the first is %s", n, f.state(t, id).State)
	}
}
