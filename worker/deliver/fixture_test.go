package deliver

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/internal/await"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// anything is a Checker that lets every URL through: what is sent is the sender's matter here.
type anything struct{}

func (anything) Check(context.Context, string) error { return nil }

// silentQueue enqueues nobody: the tests call the handler.
type silentQueue struct{}

func (silentQueue) EnqueueSoon(string, string, int64) {}

// fixture is a Deliverer over real stores with a clock that is moved by hand.
type fixture struct {
	*Deliverer
	store *webhook.Store
	db    *db.DB
	clock *clock.Hand
	acc   string
	log   *await.Buffer
}

func newFixture(t testing.TB, cfg Config, sender Sender) *fixture {
	t.Helper()
	f := &fixture{clock: clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), log: &await.Buffer{}, db: dbtest.Open(t)}
	logger := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	sealer, err := seal.Open(seal.Config{Key: base64.StdEncoding.EncodeToString(make([]byte, 32))})
	do(t, err)
	noJitter := func(time.Duration) time.Duration { return 0 }
	f.store, err = webhook.New(webhook.Config{Clock: f.clock, Jitter: noJitter, Logger: logger}, f.db, sealer, silentQueue{}, anything{})
	do(t, err)
	cfg.Clock, cfg.Logger = f.clock, logger
	f.Deliverer, err = New(cfg, f.store, sender)
	do(t, err)
	accounts, err := account.New(account.Config{Clock: f.clock}, f.db)
	do(t, err)
	a, err := accounts.CreateAccount(t.Context(), "Musterfirma")
	do(t, err)
	f.acc = a.ID
	return f
}

// do fails the test with the first error.
func do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) endpoint(t testing.TB, url string) (webhook.Endpoint, string) {
	t.Helper()
	e, secret, err := f.store.Create(t.Context(), f.acc, account.Test, webhook.Change{URL: &url})
	do(t, err)
	return e, secret
}

// publish publishes n events and gives the ids of their deliveries.
func (f *fixture) publish(t testing.TB, n int) (ids []string) {
	t.Helper()
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		ids = nil
		publish, err := f.store.Ask(tx, f.acc, account.Test)
		if err != nil {
			return err
		}
		for range n {
			told, err := publish(ledger.Event{Type: "invoice.created", Object: []byte(`{"invoiceNumber":"canary of the payload"}`)})
			if err != nil {
				return err
			}
			for _, r := range told.Messages {
				ids = append(ids, r.Subject)
			}
		}
		return nil
	}))
	return ids
}

func (f *fixture) state(t testing.TB, deliveryID string) webhook.Delivery {
	t.Helper()
	d, err := f.store.Delivery(context.Background(), f.acc, account.Test, deliveryID)
	do(t, err)
	return d
}

// receiver is an https server that the sender may reach.
type receiver struct {
	*httptest.Server
	client *outbound.Client
	mu     sync.Mutex
	got    []received
}

// received is a request as it came.
type received struct {
	header http.Header
	body   string
}

func newReceiver(t testing.TB, timeout time.Duration, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.got = append(r.got, received{req.Header, string(body)})
		r.mu.Unlock()
		answer(w, req)
	}))
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	r.StartTLS()
	roots := x509.NewCertPool()
	roots.AddCert(r.Certificate())
	r.client = sender(t, outbound.Config{Timeout: timeout, RootCAs: roots, Allow: []string{strings.TrimPrefix(r.URL, "https://")}})
	t.Cleanup(r.Close)
	return r
}

func sender(t testing.TB, cfg outbound.Config) *outbound.Client {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	c, err := outbound.New(cfg)
	do(t, err)
	t.Cleanup(c.Close)
	return c
}

// requests gives what came so far.
func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}
