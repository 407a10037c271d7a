package deliver

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/await"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

// dispatching has a Deliverer attempt what its store publishes until the returned function is called.
func dispatching(t *testing.T, f *fixture) (stop func()) {
	t.Helper()
	f.store.DispatchBy(f.Deliverer)
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { f.Serve(ctx) })
	await.True(t, "it serves", func() bool { return f.serving().Err() == nil })
	stop = sync.OnceFunc(func() { cancel(); work.Wait() })
	t.Cleanup(stop)
	return stop
}

func TestEventIsDispatchedWithoutAMessage(t *testing.T) {
	r := newReceiver(t, 0, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "thanks") })
	f := newFixture(t, Config{}, r.client)
	f.endpoint(t, r.URL)
	stop := dispatching(t, f)
	if enqueued := f.publish(t, 1); len(enqueued) != 0 {
		t.Fatalf("%d are enqueued", len(enqueued))
	}
	stop() // waits for what is under way
	requests := r.requests()
	if len(requests) != 1 {
		t.Fatalf("%d requests", len(requests))
	}
	if d := f.state(t, requests[0].header.Get("X-Service-Delivery")); d.State != webhook.Delivered || len(d.Attempts) != 1 || d.Attempts[0].Number != 1 {
		t.Errorf("delivery %+v", d)
	}
	if enqueued := f.publish(t, 2); len(enqueued) != 2 {
		t.Errorf("after the end %d of 2 are enqueued", len(enqueued))
	}
	if f.places.all.Free != int64(f.Places()) || f.Outcomes()["delivered"] != 1 {
		t.Errorf("%d places are free, outcomes %v", f.places.all.Free, f.Outcomes())
	}
}

// TestDispatchedAttemptTakesAlongWhatWaits ensures that a delivery which was enqueued and found no place gets that of a dispatched one.
func TestDispatchedAttemptTakesAlongWhatWaits(t *testing.T) {
	release := make(chan struct{})
	r := newReceiver(t, 0, func(http.ResponseWriter, *http.Request) { <-release })
	f := newFixture(t, Config{PerEndpoint: 1}, r.client)
	f.endpoint(t, r.URL)
	dispatching(t, f)
	enqueued := f.publish(t, 3)
	if len(enqueued) != 2 {
		t.Fatalf("%d are enqueued, want all but the one for which there is a place", len(enqueued))
	}
	for _, dlv := range enqueued {
		f.Handle(t.Context(), names.Webhook, dlv) // returns: it waits for the place
	}
	close(release)
	await.True(t, "all are delivered", func() bool {
		return f.state(t, enqueued[0]).State == webhook.Delivered && f.state(t, enqueued[1]).State == webhook.Delivered
	})
	if n := len(r.requests()); n != 3 {
		t.Errorf("%d requests for 3 deliveries", n)
	}
}

// TestDeliveryThatMayNotWaitComesAgain ensures that a delivery beyond those which may wait in memory is left to the database, and attempted when it
// is enqueued again.
func TestDeliveryThatMayNotWaitComesAgain(t *testing.T) {
	release := make(chan struct{})
	r := newReceiver(t, 0, func(http.ResponseWriter, *http.Request) { <-release })
	f := newFixture(t, Config{}, r.client)
	f.endpoint(t, r.URL)
	f.places.waiting.Free = 1
	stop := dispatching(t, f)
	enqueued := f.publish(t, 3)
	for _, dlv := range enqueued {
		f.Handle(t.Context(), names.Webhook, dlv) // returns: the endpoint's only place is taken
	}
	close(release)
	stop()
	await.True(t, "what waits is taken along, or left to others", func() bool { return f.places.all.Free == int64(f.Places()) })
	left := enqueued[1]
	if d := f.state(t, left); d.State != webhook.Pending || len(d.Attempts) != 0 {
		t.Fatalf("what may not wait is %+v", d)
	}
	f.clock.Add(time.Minute)
	box, err := outbox.New(outbox.Config{Clock: f.clock}, f.db)
	do(t, err)
	owed := outboxtest.Due(t, box)
	if !slices.ContainsFunc(owed, func(m outbox.Message) bool { return m.Subject == left }) {
		t.Fatalf("owed are %+v", owed)
	}
	f.Handle(t.Context(), names.Webhook, left)
	if d := f.state(t, left); d.State != webhook.Delivered {
		t.Errorf("it is %s", d.State)
	}
}

func TestNoPlaceIsReservedForWhatIsUndone(t *testing.T) {
	f := newFixture(t, Config{}, nil)
	dispatching(t, f)
	a, b := webhook.Recipient{Account: "acc", Endpoint: "whk_a"}, webhook.Recipient{Account: "acc", Endpoint: "whk_b"}
	if !f.Reserve(a) || f.Reserve(a) || !f.Reserve(b) {
		t.Fatal("an endpoint that has not answered yet has one place")
	}
	f.Cancel(a)
	f.Cancel(b)
	await.True(t, "the places are free", func() bool {
		f.places.mu.Lock()
		defer f.places.mu.Unlock()
		return f.places.all.Free == int64(f.Places()) && len(f.places.accounts) == 0
	})
}
