// Package deliver sends events to webhooks: a message of the queue in, the delivery claimed, one signed request, and what came of it in
// the log. What comes next, another attempt or a mail, is decided where it is written down (storage/webhook).
package deliver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/deliver/signature"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// Deliveries keeps the deliveries; *webhook.Store does.
type Deliveries interface {
	RecipientOf(ctx context.Context, deliveryID string) (webhook.Recipient, error)
	Claim(ctx context.Context, deliveryID string) (webhook.Sending, error)
	Settle(ctx context.Context, s webhook.Sending, r webhook.Result) (webhook.Settlement, error)
	Release(ctx context.Context, s webhook.Sending) error
}

// Sender makes requests; *outbound.Client does, and bounds their time.
type Sender interface {
	Post(ctx context.Context, url string, header http.Header, body []byte, keep int64) (outbound.Response, error)
}

var (
	_ Deliveries = (*webhook.Store)(nil)
	_ Sender     = (*outbound.Client)(nil)
)

// Config sets up a Deliverer.
type Config struct {
	Places      int           // attempts beside each other, of which one account has at most half. Default: 512.
	PerEndpoint int           // of those at one endpoint. Default: 4.
	SlowPlaces  int           // of those at all endpoints that did not answer quickly the last time, of which one account has at most half. Default: half of Places.
	SlowAfter   time.Duration // an answer that takes longer is not quick. Default: 1 s.
	Keep        int64         // bytes of an answer's body that the log keeps. Default: 20,000.
	Settle      time.Duration // how long writing down an attempt may take; with the attempt, less than the Lease of the store. Default: 10 s.
	UserAgent   string        // Default: einvoiced.
	Clock       clock.Clock   // Default: the system's clock.
	Logger      *slog.Logger  // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	if c.Places < 0 || c.PerEndpoint < 0 || c.SlowPlaces < 0 || c.SlowAfter < 0 || c.Keep < 0 || c.Settle < 0 {
		return c, errors.New("deliveries: numbers and times must not be negative")
	}
	c.Places = cmp.Or(c.Places, 512)
	c.PerEndpoint = cmp.Or(c.PerEndpoint, 4)
	c.SlowPlaces = cmp.Or(c.SlowPlaces, max(1, c.Places/2))
	c.SlowAfter = cmp.Or(c.SlowAfter, time.Second)
	c.Keep = cmp.Or(c.Keep, 20_000)
	c.Settle = cmp.Or(c.Settle, 10*time.Second)
	c.UserAgent = cmp.Or(c.UserAgent, "einvoiced")
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// Deliverer attempts deliveries. It is safe for concurrent use.
type Deliverer struct {
	cfg        Config
	deliveries Deliveries
	sender     Sender
	places     *places

	mu         sync.Mutex
	outcomes   map[string]int64
	ctx        context.Context // of what is dispatched
	dispatched sync.WaitGroup  // the places that are reserved
}

// New prepares a Deliverer.
func New(cfg Config, deliveries Deliveries, sender Sender) (*Deliverer, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	d := &Deliverer{cfg: cfg, deliveries: deliveries, sender: sender, outcomes: map[string]int64{}}
	d.places = newPlaces(cfg.Places, cfg.PerEndpoint, cfg.SlowPlaces)
	var ended context.CancelFunc
	d.ctx, ended = context.WithCancel(context.Background())
	ended()
	return d, nil
}

// Places is how many attempts run beside each other at most; the queue's consumer should have as many handlers.
func (d *Deliverer) Places() int { return d.cfg.Places }

// Outcomes counts the attempts of this process by what came of them: delivered, failed (for good), again, released, lost, unsettled.
func (d *Deliverer) Outcomes() map[string]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.outcomes)
}

func (d *Deliverer) count(outcome string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outcomes[outcome]++
}

// Handle attempts a delivery that is due; it does nothing where there is nothing to send. It is a queue.Handler. Where the endpoint
// has no place, the delivery waits for one, and Handle returns; whoever leaves a place attempts what waits. Where too many of the account wait
// already, it is left to the database to have it enqueued again.
func (d *Deliverer) Handle(ctx context.Context, _, deliveryID string) {
	recipient, err := d.deliveries.RecipientOf(ctx, deliveryID)
	if err != nil && !errors.Is(err, webhook.ErrIdle) {
		d.cfg.Logger.Warn("delivery could not be read; it will be enqueued again", "delivery_id", deliveryID, "error", err)
		return
	}
	t := turn{recipient, deliveryID}
	if !d.places.enter(t) {
		return
	}
	var work sync.WaitGroup
	d.run(ctx, []turn{t}, &work)
	work.Wait()
}

// run attempts deliveries that have a place, and then what gets one by their end.
func (d *Deliverer) run(ctx context.Context, turns []turn, work *sync.WaitGroup) {
	for len(turns) > 0 {
		for _, other := range turns[1:] {
			work.Go(func() { d.run(ctx, []turn{other}, work) })
		}
		shown := d.attempt(ctx, turns[0])
		turns = d.places.leave(turns[0].Recipient, shown)
	}
}

// attempt claims a delivery, sends and settles it. It does nothing when the process stops: what waits is owed by the database.
func (d *Deliverer) attempt(ctx context.Context, t turn) pace {
	if ctx.Err() != nil {
		return unknown
	}
	s, err := d.deliveries.Claim(db.ByAccount(ctx, t.Account), t.delivery)
	switch {
	case errors.Is(err, webhook.ErrIdle):
		d.cfg.Logger.Debug("message for a delivery that is not due", "delivery_id", t.delivery)
		return unknown
	case err != nil:
		d.cfg.Logger.Warn("delivery could not be claimed; it will be enqueued again", "delivery_id", t.delivery, "error", err)
		return unknown
	}
	return d.deliver(ctx, s)
}

// deliver sends a delivery that is claimed, and settles it.
func (d *Deliverer) deliver(ctx context.Context, s webhook.Sending) pace {
	result, failure := d.send(ctx, s)
	d.settle(ctx, s, result, failure)
	switch {
	case s.Unsealed != nil:
		return unknown
	case result.Latency > d.cfg.SlowAfter || result.Reason == string(outbound.ReasonTimeout):
		return slow
	}
	return quick
}

// reasonSecret is the reason of an attempt whose secret cannot be opened.
const reasonSecret = "secret"

// send makes the request.
func (d *Deliverer) send(ctx context.Context, s webhook.Sending) (webhook.Result, error) {
	now := d.cfg.Clock.Now()
	result := webhook.Result{Started: now}
	if s.Unsealed != nil {
		result.Reason = reasonSecret
		return result, s.Unsealed
	}
	header, err := signature.Header(signature.Message{Delivery: s.ID, Event: s.Event, Time: now, Body: s.Payload}, s.Secrets.Current, s.Secrets.Previous)
	if err != nil {
		result.Reason = reasonSecret
		return result, err
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", d.cfg.UserAgent)
	result.Header = flat(header)
	start := time.Now()
	response, err := d.sender.Post(ctx, s.URL, header, s.Payload, d.cfg.Keep)
	result.Latency = time.Since(start)
	if failure, ok := errors.AsType[*outbound.Failure](err); ok {
		result.Reason = string(failure.Reason)
	} else if err != nil {
		result.Reason = string(outbound.ReasonConnect)
	}
	result.Status, result.Response = response.Status, response.Body
	result.RetryAfter = webhook.RetryAfter(textproto.MIMEHeader(response.Header), d.cfg.Clock.Now())
	return result, err
}

// flat writes a header as the log keeps it.
func flat(h http.Header) map[string]string {
	m := make(map[string]string, len(h))
	for name, values := range h {
		m[name] = strings.Join(values, ", ")
	}
	return m
}

// settle writes down what came of an attempt, also while the process stops. What the stop itself has broken off is given back.
func (d *Deliverer) settle(ctx context.Context, s webhook.Sending, r webhook.Result, failure error) {
	ctx, cancel := context.WithTimeout(db.ByAccount(context.WithoutCancel(ctx), s.Account), d.cfg.Settle)
	defer cancel()
	attrs := []any{"delivery_id", s.ID, "webhook_id", s.Endpoint, "event", s.Event, "attempt", s.Attempt, "status", r.Status, "took", r.Latency.Round(time.Millisecond)}
	if failure != nil {
		attrs = append(attrs, "failure", failure)
	}
	var (
		outcome = "released"
		done    webhook.Settlement
		err     error
	)
	if r.Reason == string(outbound.ReasonStopped) {
		err = d.deliveries.Release(ctx, s)
	} else if done, err = d.deliveries.Settle(ctx, s, r); err == nil {
		outcome = word(done.State)
	}
	level := slog.LevelInfo
	switch {
	case errors.Is(err, webhook.ErrLost):
		outcome = "lost"
	case err != nil:
		// The claim runs out, and another attempt with the same id follows.
		outcome, level, attrs = "unsettled", slog.LevelError, append(attrs, "error", err)
	case done.State == webhook.Failed, s.Unsealed != nil:
		level = slog.LevelWarn
	}
	if !done.Next.IsZero() {
		attrs = append(attrs, "next", done.Next)
	}
	d.count(outcome)
	d.cfg.Logger.Log(context.Background(), level, "webhook attempt", append(attrs, "outcome", outcome)...)
}

// word names a state as an outcome.
func word(state webhook.State) string {
	if state == webhook.Pending {
		return "again"
	}
	return string(state)
}
