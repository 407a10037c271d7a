// Package webhook keeps where accounts want their events sent, the events, their deliveries and what came of each attempt.
//
// An event and its deliveries are written in the transaction of their cause, so that there is never one without the other. A
// delivery is claimed under a run number that fences its result, and its id stays the same over all attempts. The outbox owes the
// enqueue it until it has ended: a claim only puts that message off, so a worker that dies between sending and settling is followed by
// another attempt, and nobody has to look for dead ones. Deliveries promise no order.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// Errors of this package, for errors.Is.
var (
	ErrNotFound = errors.New("no such webhook or delivery")             // unknown, another account's or the other mode's
	ErrIdle     = errors.New("the delivery is not to be sent now")      // ended, claimed by another, or not yet due
	ErrLost     = errors.New("the attempt is no longer the delivery's") // its claim went to another, or the delivery is gone
	ErrUnended  = errors.New("the delivery has not ended")              // too early to ask for it again
	ErrTooMany  = errors.New("the account has as many webhooks as it may have")
	ErrBadPage  = db.ErrPage
)

// InvalidError says what of a webhook is not acceptable. Its text is for clients.
type InvalidError struct {
	Field   string // url, events, description
	Message string
	Cause   error // for the log; may be nil
}

// Error says what is wrong.
func (e *InvalidError) Error() string { return e.Field + ": " + e.Message }

// Unwrap gives the cause.
func (e *InvalidError) Unwrap() error { return e.Cause }

// TestType is the type of the event that a trial sends; it is sent to the webhook that is tried, whatever events that wants.
const TestType = "webhook.test"

// Types are the events that a webhook can want.
var Types = []string{
	"invoice.created", "invoice.validated", "invoice.validation_failed", "conversion.completed", "conversion.failed",
	"peppol.sent", "peppol.delivered", "peppol.failed", "job.succeeded", "job.failed",
}

// Schedule has the wait before each attempt, counted from the end of the one before. A delivery has failed after the last.
var Schedule = []time.Duration{0, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

// Enqueuer tells workers that a delivery waits. EnqueueSoon must not block and may fail in silence: the outbox enqueues again.
type Enqueuer interface {
	EnqueueSoon(queue, deliveryID string, run int64)
}

// Checker tells whether a URL may be sent to. The text of its error is for clients; the subject is the URL.
type Checker interface {
	Check(ctx context.Context, url string) error
}

// Config sets up a Store.
type Config struct {
	Clock        clock.Clock                       // Default: the system's clock.
	Retention    time.Duration                     // how long events and the log of their deliveries are kept. Default: 7 days.
	Lease        time.Duration                     // how long a claim keeps others away: longer than an attempt takes. Default: 20 s.
	EnqueueAgain time.Duration                     // when the outbox enqueues what should have been enqueued at once. Default: 30 s.
	Overlap      time.Duration                     // how long the secret before a rotation goes on signing. Default: 24 h.
	MaxEndpoints int                               // webhooks of one account and mode. Default: 50.
	Jitter       func(time.Duration) time.Duration // gives a duration from 0 to the one given, by which an attempt is put off. Default: random.
	Logger       *slog.Logger                      // Default: slog.Default().
	Stored       *volume.Limit                     // of what an account may have stored. Default: any number of bytes.
}

func (c Config) withDefaults() (Config, error) {
	for _, d := range []*struct {
		name  string
		value *time.Duration
		deflt time.Duration
	}{
		{"Retention", &c.Retention, 7 * 24 * time.Hour},
		{"Lease", &c.Lease, 20 * time.Second},
		{"EnqueueAgain", &c.EnqueueAgain, 30 * time.Second},
		{"Overlap", &c.Overlap, 24 * time.Hour},
	} {
		if *d.value == 0 {
			*d.value = d.deflt
		}
		if *d.value < time.Second {
			return c, fmt.Errorf("webhooks: %s is %s, at least 1 s is needed", d.name, *d.value)
		}
	}
	if c.MaxEndpoints < 0 {
		return c, errors.New("webhooks: MaxEndpoints must not be negative")
	}
	if c.MaxEndpoints == 0 {
		c.MaxEndpoints = 50
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Jitter == nil {
		c.Jitter = func(d time.Duration) time.Duration { return rand.N(d + 1) }
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// Store keeps webhooks in the database. It is safe for concurrent use, and a ledger.Publisher.
type Store struct {
	cfg    Config
	db     *db.DB
	sealer *seal.Sealer
	queue  Enqueuer
	urls   Checker

	dispatcher Dispatcher // nil where this process attempts nothing
	audiences  audiences
}

// New prepares a Store.
func New(cfg Config, database *db.DB, sealer *seal.Sealer, queue Enqueuer, urls Checker) (*Store, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if database == nil || sealer == nil || queue == nil || urls == nil {
		return nil, errors.New("webhooks: database, sealer, queue and checker of URLs are required")
	}
	return &Store{cfg: cfg, db: database, sealer: sealer, queue: queue, urls: urls}, nil
}

// now is the present moment as it is stored.
func (s *Store) now() int64 { return clock.Millis(s.cfg.Clock.Now()) }

// message is the entry of a delivery's message at a moment. run is that of the last claim.
func message(deliveryID string, run, due int64) outbox.Entry {
	return outbox.Entry{Kind: outbox.Enqueue, Subject: deliveryID, Queue: names.Webhook, Run: run + 1, Due: clock.Time(due)}
}

// addNow owes the message of a delivery that is due and gives it to be enqueued as soon as the transaction is committed; the outbox enqueues
// only later, for the case that nobody does.
func (s *Store) addNow(tx *db.Tx, deliveryID string, run int64) (outbox.Entry, error) {
	now := s.cfg.Clock.Now()
	entry := message(deliveryID, run, clock.Millis(now.Add(s.cfg.EnqueueAgain)))
	err := outbox.Add(tx, entry)
	entry.Due = now
	return entry, err
}
