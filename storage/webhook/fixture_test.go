package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/volume"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// urls is a Checker that refuses what is not https.
type urls struct{}

func (urls) Check(_ context.Context, url string) error {
	if !strings.HasPrefix(url, "https://") {
		return errors.New("must begin with https://")
	}
	return nil
}

// queue notes the messages.
type queue struct {
	mu       sync.Mutex
	messages []string
}

func (b *queue) EnqueueSoon(_, deliveryID string, _ int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, deliveryID)
}

// fixture is a Store on a new database with a clock that is moved by hand.
type fixture struct {
	*Store
	clock  *clock.Hand
	queue  *queue
	box    *outbox.Store
	acc    string
	others string // another account
}

func newFixture(t testing.TB, change ...func(*Config)) *fixture {
	t.Helper()
	f := &fixture{clock: clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), queue: &queue{}}
	cfg := Config{Clock: f.clock, Jitter: func(time.Duration) time.Duration { return 0 }, Logger: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&cfg)
	}
	database := dbtest.Open(t)
	sealer, err := seal.Open(seal.Config{Key: base64.StdEncoding.EncodeToString(make([]byte, 32))})
	do(t, err)
	f.Store, err = New(cfg, database, sealer, f.queue, urls{})
	do(t, err)
	f.box, err = outbox.New(outbox.Config{Clock: f.clock}, database)
	do(t, err)
	accounts, err := account.New(account.Config{Clock: f.clock}, database)
	do(t, err)
	for _, id := range []*string{&f.acc, &f.others} {
		a, err := accounts.CreateAccount(t.Context(), "Musterfirma")
		do(t, err)
		*id = a.ID
	}
	return f
}

// do fails the test with the first error.
func do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// endpoint makes one for the events.
func (f *fixture) endpoint(t testing.TB, events ...string) Endpoint {
	t.Helper()
	url := "https://hooks.example/in"
	e, _, err := f.Create(t.Context(), f.acc, account.Test, Change{URL: &url, Events: &events})
	do(t, err)
	return e
}

// Publish publishes events in a transaction that knows them from its beginning.
func (f *fixture) Publish(tx *db.Tx, accountID string, mode account.Mode, events ...ledger.Event) ([]outbox.Entry, error) {
	publish, err := f.Ask(tx, accountID, mode)
	if err != nil {
		return nil, err
	}
	told, err := publish(events...)
	if err != nil {
		return nil, err
	}
	return told.Messages, volume.Count(tx, accountID, told.Bytes)
}

// publish publishes an event of the account in test mode and gives the ids of its deliveries.
func (f *fixture) publish(t testing.TB, eventType, object string) (deliveries []string) {
	t.Helper()
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		deliveries = nil
		messages, err := f.Publish(tx, f.acc, account.Test, ledger.Event{Type: eventType, Object: []byte(object)})
		for _, r := range messages {
			deliveries = append(deliveries, r.Subject)
		}
		return err
	}))
	return deliveries
}

// delivery publishes an event that one endpoint wants.
func (f *fixture) delivery(t testing.TB) string {
	t.Helper()
	ids := f.publish(t, "invoice.created", `{"invoiceNumber":"R-1"}`)
	if len(ids) != 1 {
		t.Fatalf("%d deliveries, want 1", len(ids))
	}
	return ids[0]
}

func (f *fixture) claim(t testing.TB, deliveryID string) Sending {
	t.Helper()
	s, err := f.Claim(t.Context(), deliveryID)
	do(t, err)
	return s
}

// attempt claims the delivery and settles it with a status.
func (f *fixture) attempt(t testing.TB, deliveryID string, status int) Settlement {
	t.Helper()
	done, err := f.Settle(t.Context(), f.claim(t, deliveryID), f.result(status))
	do(t, err)
	return done
}

func (f *fixture) result(status int) Result {
	return Result{Started: f.clock.Now(), Latency: 12 * time.Millisecond, Header: map[string]string{"X-A": "b"}, Status: status, Response: []byte("thanks")}
}

func (f *fixture) state(t testing.TB, deliveryID string) Delivery {
	t.Helper()
	d, err := f.Delivery(t.Context(), f.acc, account.Test, deliveryID)
	do(t, err)
	return d
}

// owed gives when the message of a delivery is due; zero where none is owed.
func (f *fixture) owed(t testing.TB, deliveryID string) time.Time {
	t.Helper()
	var due []int64
	do(t, f.db.Select(t.Context(), &due, "SELECT due FROM outbox WHERE kind = 'ring' AND subject = ?", deliveryID))
	if len(due) == 0 {
		return time.Time{}
	}
	return clock.Time(due[0])
}

func (f *fixture) count(t testing.TB, table string) (n int) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &n, "SELECT count(*) FROM "+table))
	return n
}

func isIdle(t testing.TB, f *fixture, deliveryID string) {
	t.Helper()
	if s, err := f.Claim(t.Context(), deliveryID); !errors.Is(err, ErrIdle) {
		t.Fatalf("claimed %+v, error %v; want ErrIdle", s, err)
	}
}
