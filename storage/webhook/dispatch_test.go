package webhook

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
)

// hands is a Dispatcher with some places, who keeps what it is given.
type hands struct {
	free       int
	dispatched []Sending
}

func (h *hands) Reserve(Recipient) bool {
	if h.free == 0 {
		return false
	}
	h.free--
	return true
}

func (h *hands) Cancel(Recipient)   { h.free++ }
func (h *hands) Dispatch(s Sending) { h.dispatched = append(h.dispatched, s) }

func TestDeliveryThatIsDispatchedIsAsIfItWereClaimed(t *testing.T) {
	f := newFixture(t)
	h := &hands{free: 1}
	f.DispatchBy(h)
	e := f.endpoint(t)
	if enqueued := f.publish(t, "invoice.created", `{"invoiceNumber":"R-1"}`); len(enqueued) != 0 || len(h.dispatched) != 1 {
		t.Fatalf("%d enqueued, %d dispatched", len(enqueued), len(h.dispatched))
	}
	s := h.dispatched[0]
	secrets, err := f.Secret(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	want := Sending{Recipient: Recipient{f.acc, e.ID}, ID: s.ID, URL: e.URL, Event: "invoice.created", Payload: f.state(t, s.ID).Payload, Secrets: secrets, Attempt: 1,
		run: 1, round: 1, mode: account.Test}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(Sending{}, Secrets{})); diff != "" {
		t.Error(diff)
	}
	if got := f.state(t, s.ID); got.State != Sent || f.owed(t, s.ID).Sub(f.clock.Now()) != f.cfg.Lease {
		t.Errorf("it is %s, and owed in %s", got.State, f.owed(t, s.ID).Sub(f.clock.Now()))
	}
	isIdle(t, f, s.ID)
	if done, err := f.Settle(t.Context(), s, f.result(200)); err != nil || done.State != Delivered || f.count(t, "outbox") != 0 {
		t.Errorf("settled as %+v, error %v, %d owed", done, err, f.count(t, "outbox"))
	}
}

func TestDeliveryOfADispatcherThatDiedIsAttemptedAgain(t *testing.T) {
	f := newFixture(t)
	h := &hands{free: 1}
	f.DispatchBy(h)
	f.endpoint(t)
	f.publish(t, "invoice.created", "{}")
	late := h.dispatched[0]
	f.clock.Add(f.cfg.Lease)
	if owed := outboxtest.Due(t, f.box); len(owed) != 1 || owed[0].Subject != late.ID || owed[0].Run != 2 {
		t.Errorf("owed %+v", owed)
	}
	again := f.claim(t, late.ID)
	if again.Attempt != 1 || string(again.Payload) != string(late.Payload) {
		t.Errorf("again %+v", again)
	}
	if _, err := f.Settle(t.Context(), late, f.result(200)); !errors.Is(err, ErrLost) {
		t.Errorf("the late one has settled: %v", err)
	}
	_, err := f.Settle(t.Context(), again, f.result(200))
	do(t, err)
	if got := f.state(t, late.ID); len(got.Attempts) != 1 {
		t.Errorf("attempts %+v", got.Attempts)
	}
}

func TestPlacesAreGivenBackWhereTheCauseIsUndone(t *testing.T) {
	f := newFixture(t)
	h := &hands{free: 2}
	f.DispatchBy(h)
	f.endpoint(t)
	undone := errors.New("the cause is undone")
	err := f.db.Write(t.Context(), func(tx *db.Tx) error {
		e := ledger.Event{Type: "job.failed", Object: []byte("{}")}
		messages, err := f.Publish(tx, f.acc, account.Test, e, e, e)
		if err != nil || len(messages) != 1 || h.free != 0 {
			t.Errorf("%d messages, %d free, error %v", len(messages), h.free, err)
		}
		return undone
	})
	if !errors.Is(err, undone) || h.free != 2 || len(h.dispatched) != 0 || f.count(t, "webhook_deliveries") != 0 {
		t.Errorf("error %v, %d free, %d dispatched, %d rows", err, h.free, len(h.dispatched), f.count(t, "webhook_deliveries"))
	}
}

func TestEventsBeyondThePlacesAreEnqueuedFor(t *testing.T) {
	f := newFixture(t)
	h := &hands{free: 1}
	f.DispatchBy(h)
	ids := []string{f.endpoint(t).ID, f.endpoint(t).ID}
	enqueued := f.publish(t, "job.failed", "{}")
	if len(enqueued) != 1 || len(h.dispatched) != 1 {
		t.Fatalf("%d enqueued, %d dispatched", len(enqueued), len(h.dispatched))
	}
	s := f.claim(t, enqueued[0])
	if got := []string{h.dispatched[0].Endpoint, s.Endpoint}; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(ids))) || f.owed(t, s.ID).Before(f.clock.Now().Add(time.Second)) {
		t.Errorf("sent to %q, want %q", got, ids)
	}
}
