package deliver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/deliver/signature"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// town is where many webhooks are, of which those that end in 0 swallow what they get. It is both the store and the internet; its time is that of the bubble.
type town struct {
	mu         sync.Mutex
	deliveries map[string]*parcel
	delays     []time.Duration // of deliveries to healthy endpoints, from their event to their end
	deliverer  *Deliverer
	handlers   chan struct{} // the handlers of the queue
	work       sync.WaitGroup
}

type parcel struct {
	to       webhook.Recipient
	born     time.Time
	due      time.Time
	failures int
	claimed  bool
	ended    bool
}

func newTown(t *testing.T, cfg Config) *town {
	t.Helper()
	town := &town{deliveries: map[string]*parcel{}}
	cfg.Logger = slog.New(slog.DiscardHandler)
	d, err := New(cfg, town, town)
	do(t, err)
	town.deliverer, town.handlers = d, make(chan struct{}, d.Places())
	return town
}

func (t *town) RecipientOf(_ context.Context, id string) (webhook.Recipient, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.deliveries[id].to, nil
}

func (t *town) Claim(_ context.Context, id string) (webhook.Sending, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.deliveries[id]
	if p.claimed || p.ended || p.due.After(time.Now()) {
		return webhook.Sending{}, webhook.ErrIdle
	}
	p.claimed = true
	return webhook.Sending{Recipient: p.to, ID: id, URL: "https://" + p.to.Endpoint, Secrets: webhook.Secrets{Current: "whsec_AAECAwQ="}, Attempt: p.failures + 1}, nil
}

func (t *town) Settle(_ context.Context, s webhook.Sending, r webhook.Result) (webhook.Settlement, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.deliveries[s.ID]
	p.claimed = false
	if r.Status == 200 {
		p.ended = true
		t.delays = append(t.delays, time.Since(p.born))
		return webhook.Settlement{State: webhook.Delivered}, nil
	}
	p.failures++
	if p.failures == len(webhook.Schedule) {
		p.ended = true
		return webhook.Settlement{State: webhook.Failed}, nil
	}
	p.due = time.Now().Add(webhook.Schedule[p.failures])
	return webhook.Settlement{State: webhook.Pending, Next: p.due}, nil
}

func (t *town) Release(context.Context, webhook.Sending) error { return nil }

// address is where the events of a webhook go; an account has twenty.
func address(i int) webhook.Recipient {
	return webhook.Recipient{Account: fmt.Sprint("acc_", i/20), Endpoint: fmt.Sprint("whk_", i)}
}

// Post takes 50 ms, or the whole time where a black hole is.
func (t *town) Post(ctx context.Context, url string, h http.Header, _ []byte, _ int64) (outbound.Response, error) {
	if h.Get(signature.Delivery) == "" {
		panic("a request without its id")
	}
	if strings.HasSuffix(url, "0") {
		time.Sleep(5 * time.Second)
		return outbound.Response{}, &outbound.Failure{Reason: outbound.ReasonTimeout}
	}
	time.Sleep(50 * time.Millisecond)
	return outbound.Response{Status: 200}, nil
}

// message hands a delivery to a handler of the queue.
func (t *town) message(ctx context.Context, id string) {
	t.work.Go(func() {
		t.handlers <- struct{}{}
		defer func() { <-t.handlers }()
		t.deliverer.Handle(ctx, names.Webhook, id)
	})
}

// publish has an event go to a webhook.
func (t *town) publish(ctx context.Context, to webhook.Recipient) {
	t.mu.Lock()
	id := fmt.Sprint("dlv_", len(t.deliveries))
	t.deliveries[id] = &parcel{to: to, born: time.Now(), due: time.Now()}
	t.mu.Unlock()
	t.message(ctx, id)
}

// enqueueDue messages what is due, as the reconciler does.
func (t *town) enqueueDue(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, p := range t.deliveries {
		if !p.ended && !p.claimed && p.failures > 0 && !p.due.After(time.Now()) {
			t.message(ctx, id)
		}
	}
}

// TestBlackHolesDoNotHoldUpOthers ensures for a thousand webhooks of which a tenth never answer that the others get their events in time:
// 100 events a second for ten minutes, with
// fewer places than the black holes would like to have.
func TestBlackHolesDoNotHoldUpOthers(t *testing.T) {
	minutes := 10
	if testing.Short() {
		minutes = 2
	}
	synctest.Test(t, func(t *testing.T) {
		town := newTown(t, Config{Places: 64})
		ctx, cancel := context.WithCancel(t.Context())
		events := minutes * 60 * 100
		for i := range events {
			town.publish(ctx, address(i*7919%1000))
			time.Sleep(10 * time.Millisecond)
			if i%500 == 0 {
				town.enqueueDue(ctx)
			}
		}
		time.Sleep(10 * time.Second)
		cancel()
		town.work.Wait()
		slices.Sort(town.delays)
		p99 := town.delays[len(town.delays)*99/100]
		if len(town.delays) != events*9/10 || p99 > 2*time.Second {
			t.Errorf("%d of %d delivered, p99 %s, worst %s", len(town.delays), events*9/10, p99, town.delays[len(town.delays)-1])
		}
		t.Logf("%d deliveries: p50 %s, p99 %s, worst %s", len(town.delays), town.delays[len(town.delays)/2], p99, town.delays[len(town.delays)-1])
	})
}

// TestOneAccountDoesNotHoldUpOthers ensures that the deliveries of an account, to webhooks that answer and to new ones, take the time that their
// receivers take, while another account makes 200 webhooks a second of receivers that never answer.
func TestOneAccountDoesNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		town := newTown(t, Config{})
		ctx, cancel := context.WithCancel(t.Context())
		const seconds = 60
		town.publish(ctx, webhook.Recipient{Account: "b", Endpoint: "whk_proven"})
		time.Sleep(time.Second)
		for second := range seconds {
			for i := range 200 {
				town.publish(ctx, webhook.Recipient{Account: "a", Endpoint: fmt.Sprint("whk_a_", second, "_", i, "_0")})
			}
			time.Sleep(time.Second / 2)
			for i := range 4 {
				town.publish(ctx, webhook.Recipient{Account: "b", Endpoint: "whk_proven"})
				if i%2 == 0 {
					town.publish(ctx, webhook.Recipient{Account: "b", Endpoint: fmt.Sprint("whk_b_", second, "_", i, "_new")})
				}
			}
			time.Sleep(time.Second / 2)
			town.enqueueDue(ctx)
		}
		if n, slowest := len(town.delays), slices.Max(town.delays); n != 6*seconds+1 || slowest > 50*time.Millisecond {
			t.Errorf("%d of %d delivered, the slowest after %s", n, 6*seconds+1, slowest)
		}
		cancel()
		town.work.Wait()
		if p := town.deliverer.places; p.all.Free != int64(town.deliverer.Places()) || len(p.all.Held)+len(p.slow.Held) > 0 {
			t.Errorf("%d places are free at the end", p.all.Free)
		}
	})
}
