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

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/deliver/signature"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// TestPlaces_KeepTheirLimitsAndLoseNothing lets deliveries come and go in any order.
func TestPlaces_KeepTheirLimitsAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlaces(rapid.IntRange(1, 6).Draw(t, "total"), rapid.IntRange(1, 3).Draw(t, "per endpoint"), rapid.IntRange(1, 3).Draw(t, "slow"))
		var running []turn
		entered, ran := 0, map[string]int{}
		start := func(turns ...turn) {
			for _, next := range turns {
				running = append(running, next)
				ran[next.delivery]++
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"enter": func(t *rapid.T) {
				next := turn{fmt.Sprint("whk_", rapid.IntRange(1, 4).Draw(t, "endpoint")), fmt.Sprint("dlv_", entered)}
				entered++
				if p.enter(next) {
					start(next)
				} else if p.enter(next) {
					t.Fatal("what waits has entered twice")
				}
			},
			"reserve": func(t *rapid.T) {
				next := turn{fmt.Sprint("whk_", rapid.IntRange(1, 4).Draw(t, "endpoint")), fmt.Sprint("dlv_", entered)}
				if p.reserve(next.endpoint) {
					entered++
					start(next)
				}
			},
			"leave": func(t *rapid.T) {
				if len(running) == 0 {
					return
				}
				i := rapid.IntRange(0, len(running)-1).Draw(t, "who")
				gone := running[i]
				running = slices.Delete(running, i, i+1)
				start(p.leave(gone.endpoint, rapid.SampledFrom([]pace{unknown, quick, quick, slow}).Draw(t, "pace"))...)
			},
			"": func(t *rapid.T) {
				busy, slowBusy, waiting := map[string]int{}, 0, 0
				for _, r := range running {
					busy[r.endpoint]++
				}
				for endpoint, l := range p.lines {
					if l.busy != busy[endpoint] || l.busy > p.perEndpoint {
						t.Fatalf("%s: %d busy, counted %d", endpoint, l.busy, busy[endpoint])
					}
					if l.slow {
						slowBusy += l.busy
					}
					waiting += len(l.waiting)
				}
				if len(running) > p.total || p.busy != len(running) || p.slowBusy != slowBusy || waiting != len(p.parked) || len(ran)+waiting != entered {
					t.Fatalf("%d running, busy %d, slow %d of %d; %d wait, %d parked, %d ran, %d entered", len(running), p.busy, p.slowBusy, slowBusy, waiting, len(p.parked), len(ran), entered)
				}
				if waiting > 0 && len(running) == 0 {
					t.Fatal("something waits and nobody will take it along")
				}
			},
		})
		for len(running) > 0 {
			gone := running[0]
			running = running[1:]
			start(p.leave(gone.endpoint, quick)...)
		}
		for id, n := range ran {
			if n != 1 {
				t.Fatalf("%s ran %d times", id, n)
			}
		}
		if len(ran) != entered {
			t.Fatalf("%d ran of %d", len(ran), entered)
		}
	})
}

// town is a thousand webhooks, a tenth of which swallow what they get. It is both the store and the internet; its time is that of the bubble.
type town struct {
	mu         sync.Mutex
	deliveries map[string]*parcel
	delays     []time.Duration // of deliveries to healthy endpoints, from their event to their end
	deliverer  *Deliverer
	handlers   chan struct{} // the handlers of the queue
	work       sync.WaitGroup
}

type parcel struct {
	endpoint string
	born     time.Time
	due      time.Time
	failures int
	claimed  bool
	ended    bool
}

func (t *town) EndpointOf(_ context.Context, id string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.deliveries[id].endpoint, nil
}

func (t *town) Claim(_ context.Context, id string) (webhook.Sending, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.deliveries[id]
	if p.claimed || p.ended || p.due.After(time.Now()) {
		return webhook.Sending{}, webhook.ErrIdle
	}
	p.claimed = true
	return webhook.Sending{ID: id, Endpoint: p.endpoint, URL: "https://" + p.endpoint, Secrets: webhook.Secrets{Current: "whsec_AAECAwQ="}, Attempt: p.failures + 1}, nil
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
		town := &town{deliveries: map[string]*parcel{}}
		d, err := New(Config{Places: 64, Logger: slog.New(slog.DiscardHandler)}, town, town)
		do(t, err)
		town.deliverer, town.handlers = d, make(chan struct{}, d.Places())
		ctx, cancel := context.WithCancel(t.Context())
		events := minutes * 60 * 100
		for i := range events {
			id := fmt.Sprint("dlv_", i)
			town.mu.Lock()
			town.deliveries[id] = &parcel{endpoint: fmt.Sprint("whk_", i*7919%1000), born: time.Now(), due: time.Now()}
			town.mu.Unlock()
			town.message(ctx, id)
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
