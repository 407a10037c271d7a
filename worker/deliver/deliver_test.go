package deliver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/deliver/signature"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

func TestRequestIsThatOfTheContract(t *testing.T) {
	r := newReceiver(t, 0, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "thanks") })
	f := newFixture(t, Config{UserAgent: "einvoiced/1.0"}, r.client)
	e, secret := f.endpoint(t, r.URL+"/in?a=b")
	dlv := f.publish(t, 1)[0]
	f.Handle(t.Context(), names.Webhook, dlv)
	d := f.state(t, dlv)
	if d.State != webhook.Delivered || len(d.Attempts) != 1 {
		t.Fatalf("delivery %+v", d)
	}
	got := r.requests()[0]
	if got.body != string(d.Payload) {
		t.Errorf("body %s, stored %s", got.body, d.Payload)
	}
	want, err := signature.Header(signature.Message{Delivery: dlv, Event: "invoice.created", Time: f.clock.Now(), Body: d.Payload}, secret, "")
	do(t, err)
	want.Set("Content-Type", "application/json")
	want.Set("User-Agent", "einvoiced/1.0")
	want.Set("Content-Length", fmt.Sprint(len(d.Payload)))
	if diff := cmp.Diff(want, got.header); diff != "" {
		t.Errorf("header:\n%s", diff)
	}
	verdicts, err := signature.Verify(secret, got.header, []byte(got.body), f.clock.Now(), time.Minute)
	if err != nil || !verdicts[0].Valid || !verdicts[1].Valid {
		t.Errorf("verdicts %+v, error %v", verdicts, err)
	}
	want.Del("Content-Length")
	a := d.Attempts[0]
	logged := webhook.Attempt{Number: 1, Started: f.clock.Now(), Latency: a.Latency, URL: e.URL, Header: flat(want), Status: 200, Response: "thanks"}
	if diff := cmp.Diff(logged, a); diff != "" {
		t.Errorf("logged:\n%s", diff)
	}
}

// TestScheduleOfAReceiverThatIsAway ensures by what arrives that the attempts come at the times of the contract, counted from the event,
// under one id and with a time of their own each, and that one mail is owed at the end.
func TestScheduleOfAReceiverThatIsAway(t *testing.T) {
	r := newReceiver(t, 0, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	f := newFixture(t, Config{}, r.client)
	f.endpoint(t, r.URL)
	dlv, event := f.publish(t, 1)[0], f.clock.Now()
	var arrived []string
	for seconds := 0; seconds <= 16*3600; seconds += 30 {
		before := len(r.requests())
		f.Handle(t.Context(), names.Webhook, dlv)
		if got := r.requests(); len(got) > before {
			h := got[before].header
			if h.Get("X-Service-Delivery") != dlv || h.Get("X-Service-Timestamp") != fmt.Sprint(f.clock.Now().Unix()) {
				t.Errorf("after %d s: header %v", seconds, h)
			}
			arrived = append(arrived, f.clock.Now().Sub(event).String())
		}
		f.clock.Add(30 * time.Second)
	}
	want := []string{"0s", "1m0s", "6m0s", "36m0s", "2h36m0s", "14h36m0s"}
	if diff := cmp.Diff(want, arrived); diff != "" {
		t.Error(diff)
	}
	mails, err := f.store.DueMails(t.Context(), 10)
	if err != nil || len(mails) != 1 || mails[0].Delivery != dlv || mails[0].Outcome != "503" {
		t.Errorf("mails %+v, error %v", mails, err)
	}
	if d := f.state(t, dlv); d.State != webhook.Failed || len(d.Attempts) != 6 {
		t.Errorf("delivery %+v", d)
	}
}

// certificate makes one that a pool trusts, for the address and the times given.
func certificate(t testing.TB, host string, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	do(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receiver"}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.ParseIP(host)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	do(t, err)
	parsed, err := x509.ParseCertificate(der)
	do(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// TestReceivers ensures what each behaviour of a receiver counts as, and that none holds its place longer than the time limit. The limit
// is shorter than the real one; what lies on either side of it is told from it by a signal, not by the time.
func TestReceivers(t *testing.T) {
	const limit = 400 * time.Millisecond
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	flush := func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		state  webhook.State
		status int
		reason outbound.Reason
	}{
		"answers 200":                  {status(200), webhook.Delivered, 200, ""},
		"answers 204":                  {status(204), webhook.Delivered, 204, ""},
		"answers 302":                  {status(302, "Location", "https://127.0.0.1/"), webhook.Pending, 302, ""},
		"answers 308":                  {status(308, "Location", "/elsewhere"), webhook.Pending, 308, ""},
		"answers 400":                  {status(400), webhook.Pending, 400, ""},
		"answers 410":                  {status(410), webhook.Failed, 410, ""},
		"answers 429 with Retry-After": {status(429, "Retry-After", "3600"), webhook.Pending, 429, ""},
		"answers 500":                  {status(500), webhook.Pending, 500, ""},
		"never answers":                {hang, webhook.Pending, 0, outbound.ReasonTimeout},
		"answers 200 but sends its body for ever": {func(w http.ResponseWriter, r *http.Request) {
			flush(w)
			hang(w, r)
		}, webhook.Delivered, 200, ""},
		"sends a byte of its body now and then": {func(w http.ResponseWriter, r *http.Request) {
			for tick := time.NewTicker(10 * time.Millisecond); r.Context().Err() == nil; <-tick.C {
				io.WriteString(w, "x")
				flush(w)
			}
		}, webhook.Delivered, 200, ""},
		"sends 10 GB": {func(w http.ResponseWriter, _ *http.Request) {
			chunk := []byte(strings.Repeat("y", 1<<20))
			for range 10 << 10 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, webhook.Delivered, 200, ""},
		"cuts the connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, webhook.Pending, 0, outbound.ReasonConnect},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t, limit, test.answer)
			f := newFixture(t, Config{}, r.client)
			e, _ := f.endpoint(t, r.URL)
			dlv := f.publish(t, 1)[0]
			f.Handle(t.Context(), names.Webhook, dlv)
			d := f.state(t, dlv)
			a := d.Attempts[0]
			if d.State != test.state || a.Status != test.status || a.Reason != string(test.reason) || len(a.Response) > 20_000 {
				t.Errorf("%s with status %d, reason %q, %d bytes", d.State, a.Status, a.Reason, len(a.Response))
			}
			if len(r.requests()) != 1 {
				t.Errorf("%d requests", len(r.requests()))
			}
			if e, err := f.store.Get(t.Context(), f.acc, account.Test, e.ID); err != nil || e.Enabled == (test.status == 410) {
				t.Errorf("endpoint %+v, error %v", e, err)
			}
		})
	}
}

func TestReceiversWithoutAValidCertificate(t *testing.T) {
	for name, test := range map[string]struct {
		host    string
		until   time.Time
		trusted bool
	}{
		"expired":     {"127.0.0.1", time.Now().Add(-time.Hour), true},
		"self-signed": {"127.0.0.1", time.Now().Add(time.Hour), false},
		"wrong host":  {"192.0.2.1", time.Now().Add(time.Hour), true},
	} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Errorf("%s: a request came", name) }))
		cert, pool := certificate(t, test.host, test.until)
		if !test.trusted {
			pool = x509.NewCertPool()
		}
		server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
		server.StartTLS()
		t.Cleanup(server.Close)
		f := newFixture(t, Config{}, sender(t, outbound.Config{RootCAs: pool, Allow: []string{strings.TrimPrefix(server.URL, "https://")}}))
		f.endpoint(t, server.URL)
		dlv := f.publish(t, 1)[0]
		f.Handle(t.Context(), names.Webhook, dlv)
		if a := f.state(t, dlv).Attempts[0]; a.Reason != string(outbound.ReasonTLS) || a.Status != 0 {
			t.Errorf("%s: status %d, reason %q", name, a.Status, a.Reason)
		}
	}
}

// resolver gives one address for every name.
type resolver struct {
	mu   sync.Mutex
	addr netip.Addr
}

func (r *resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return []netip.Addr{r.addr}, nil
}

// TestEndpointThatMovedInside ensures that a webhook whose name led to the internet when it was registered is not sent to after the name
// has changed to a private address.
func TestEndpointThatMovedInside(t *testing.T) {
	hosts := &resolver{addr: netip.MustParseAddr("93.184.215.14")}
	client := sender(t, outbound.Config{Resolver: hosts})
	do(t, client.Check(t.Context(), "https://hooks.example/in"))
	f := newFixture(t, Config{}, client)
	f.endpoint(t, "https://hooks.example/in")
	dlv := f.publish(t, 1)[0]
	hosts.addr = netip.MustParseAddr("169.254.169.254")
	f.Handle(t.Context(), names.Webhook, dlv)
	d := f.state(t, dlv)
	if a := d.Attempts[0]; d.State != webhook.Pending || a.Reason != string(outbound.ReasonLinkLocal) || a.Status != 0 {
		t.Errorf("%s, attempt %+v", d.State, a)
	}
	if log := f.log.String(); !strings.Contains(log, "169.254.169.254") {
		t.Errorf("the log does not tell the address: %s", log)
	}
}

// TestRotationDuringRetries ensures that each attempt is signed with the secret of its time, and for 24 hours with the one before, too.
func TestRotationDuringRetries(t *testing.T) {
	r := newReceiver(t, 0, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	f := newFixture(t, Config{}, r.client)
	e, first := f.endpoint(t, r.URL)
	dlv := f.publish(t, 1)[0]
	f.Handle(t.Context(), names.Webhook, dlv)
	_, secrets, err := f.store.Rotate(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	for _, wait := range []time.Duration{time.Minute, 30 * time.Hour} {
		f.clock.Add(wait)
		f.Handle(t.Context(), names.Webhook, dlv)
	}
	var got []string
	for _, req := range r.requests() {
		if req.header.Get("X-Service-Delivery") != dlv || req.header.Get("webhook-id") != dlv {
			t.Errorf("the delivery's id is %s", req.header.Get("X-Service-Delivery"))
		}
		valid := ""
		for name, secret := range map[string]string{"first": first, "second": secrets.Current} {
			v, err := signature.Verify(secret, req.header, []byte(req.body), time.Time{}, 0)
			do(t, err)
			for _, one := range v {
				if one.Valid {
					valid += name + " for " + one.Name + "; "
				}
			}
		}
		parts := strings.Split(strings.TrimSuffix(valid, "; "), "; ")
		slices.Sort(parts)
		got = append(got, strings.Join(parts, "; "))
	}
	want := []string{
		"first for Webhook-Signature; first for X-Service-Signature",
		"first for Webhook-Signature; second for Webhook-Signature; second for X-Service-Signature",
		"second for Webhook-Signature; second for X-Service-Signature",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// quickSender is a Sender made of a function.
type quickSender func(ctx context.Context, url string, header http.Header) (outbound.Response, error)

func (s quickSender) Post(ctx context.Context, url string, header http.Header, _ []byte, _ int64) (outbound.Response, error) {
	return s(ctx, url, header)
}

// TestBurst ensures that nothing of a burst at one endpoint is lost or sent twice, although most of it waits for a place.
func TestBurst(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	var mu sync.Mutex
	sent, most, now := map[string]int{}, 0, 0
	f := newFixture(t, Config{}, quickSender(func(_ context.Context, _ string, h http.Header) (outbound.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		sent[h.Get(signature.Delivery)]++
		return outbound.Response{Status: 200}, nil
	}))
	f.deliveries = counting{f.deliveries, func(d int) {
		mu.Lock()
		defer mu.Unlock()
		now += d
		most = max(most, now)
	}}
	f.endpoint(t, "https://hooks.example")
	ids := f.publish(t, n)
	var work sync.WaitGroup
	for part := range slices.Chunk(ids, len(ids)/16+1) {
		work.Go(func() {
			for _, id := range part {
				f.Handle(t.Context(), names.Webhook, id)
			}
		})
	}
	work.Wait()
	if len(sent) != n || most > 4 || f.Outcomes()["delivered"] != int64(n) {
		t.Errorf("%d of %d sent, %d beside each other, outcomes %v", len(sent), n, most, f.Outcomes())
	}
	for id, times := range sent {
		if times != 1 {
			t.Errorf("%s was sent %d times", id, times)
		}
	}
}

// counting counts the claims that are held.
type counting struct {
	Deliveries
	add func(int)
}

func (c counting) Claim(ctx context.Context, id string) (webhook.Sending, error) {
	s, err := c.Deliveries.Claim(ctx, id)
	if err == nil {
		c.add(1)
	}
	return s, err
}

func (c counting) Settle(ctx context.Context, s webhook.Sending, r webhook.Result) (webhook.Settlement, error) {
	c.add(-1)
	return c.Deliveries.Settle(ctx, s, r)
}

// mortal is a store whose worker dies between sending and settling now and then.
type mortal struct {
	Deliveries
	mu    sync.Mutex
	calls int
	every int
	died  int
}

func (m *mortal) Settle(ctx context.Context, s webhook.Sending, r webhook.Result) (webhook.Settlement, error) {
	m.mu.Lock()
	m.calls++
	dies := m.calls%m.every == 0
	if dies {
		m.died++
	}
	m.mu.Unlock()
	if dies {
		return webhook.Settlement{}, errors.New("killed")
	}
	return m.Deliveries.Settle(ctx, s, r)
}

// TestWorkerDiesBetweenSendingAndSettling ensures that each event is delivered all the same, that what is sent twice has the same id, and
// that no more is sent twice than was broken off.
func TestWorkerDiesBetweenSendingAndSettling(t *testing.T) {
	const n = 500
	var mu sync.Mutex
	sent := map[string]int{}
	f := newFixture(t, Config{}, quickSender(func(_ context.Context, _ string, h http.Header) (outbound.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		sent[h.Get(signature.Delivery)]++
		return outbound.Response{Status: 200}, nil
	}))
	m := &mortal{Deliveries: f.deliveries, every: 25}
	f.deliveries = m
	f.endpoint(t, "https://hooks.example")
	ids := f.publish(t, n)
	unfinished := n
	for round := 0; unfinished > 0 && round < 10; round++ {
		unfinished = 0
		for _, id := range ids {
			f.Handle(t.Context(), names.Webhook, id)
			if f.state(t, id).State != webhook.Delivered {
				unfinished++
			}
		}
		f.clock.Add(21 * time.Second)
	}
	total := 0
	for _, id := range ids {
		total += sent[id]
		if d := f.state(t, id); sent[id] == 0 || d.State != webhook.Delivered || len(d.Attempts) != 1 {
			t.Errorf("%s was sent %d times and is %s", id, sent[id], d.State)
		}
	}
	if len(sent) != n || total != n+m.died || m.died < 20 {
		t.Errorf("%d ids, %d requests, %d deaths", len(sent), total, m.died)
	}
	if f.Outcomes()["unsettled"] != int64(m.died) {
		t.Errorf("outcomes %v", f.Outcomes())
	}
}

func TestStoppingWorkerGivesItsDeliveryBackUncounted(t *testing.T) {
	sending := make(chan struct{})
	r := newReceiver(t, 0, func(_ http.ResponseWriter, r *http.Request) { close(sending); <-r.Context().Done() })
	f := newFixture(t, Config{}, r.client)
	f.endpoint(t, r.URL)
	dlv := f.publish(t, 1)[0]
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-sending; stop() }()
	f.Handle(ctx, names.Webhook, dlv)
	if d := f.state(t, dlv); d.State != webhook.Pending || len(d.Attempts) != 0 || f.Outcomes()["released"] != 1 {
		t.Errorf("delivery %+v, outcomes %v", d, f.Outcomes())
	}
	f.Handle(ctx, names.Webhook, dlv)
	if len(r.requests()) != 1 {
		t.Errorf("a stopped worker has sent %d requests", len(r.requests()))
	}
}

func TestSecretThatCannotBeOpenedIsAFailure(t *testing.T) {
	f := newFixture(t, Config{}, quickSender(func(context.Context, string, http.Header) (outbound.Response, error) {
		panic("must not be sent")
	}))
	f.endpoint(t, "https://hooks.example")
	dlv := f.publish(t, 1)[0]
	f.deliveries = unsealed{f.deliveries}
	f.Handle(t.Context(), names.Webhook, dlv)
	if d := f.state(t, dlv); d.State != webhook.Pending || d.Attempts[0].Reason != "secret" {
		t.Errorf("delivery %+v", d)
	}
}

// unsealed is a store that has lost its key.
type unsealed struct{ Deliveries }

func (u unsealed) Claim(ctx context.Context, id string) (webhook.Sending, error) {
	s, err := u.Deliveries.Claim(ctx, id)
	s.Unsealed, s.Secrets = errors.New("no such key"), webhook.Secrets{}
	return s, err
}

func TestMessageForNothingDoesNothing(t *testing.T) {
	f := newFixture(t, Config{}, nil)
	f.Handle(t.Context(), names.Webhook, "dlv_unknown")
	do(t, f.db.Close())
	f.Handle(t.Context(), names.Webhook, "dlv_unknown")
	if !strings.Contains(f.log.String(), "could not be read") || len(f.Outcomes()) != 0 {
		t.Errorf("outcomes %v, log %s", f.Outcomes(), f.log)
	}
}

func TestLogTellsDeliveriesButNotTheirContent(t *testing.T) {
	r := newReceiver(t, 0, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "canary of the answer") })
	f := newFixture(t, Config{}, r.client)
	_, secret := f.endpoint(t, r.URL+"/canary-of-the-url")
	dlv := f.publish(t, 1)[0]
	f.Handle(t.Context(), names.Webhook, dlv)
	log := f.log.String()
	if !strings.Contains(log, dlv) || strings.Contains(log, "canary") || strings.Contains(log, secret[6:]) {
		t.Errorf("log: %s", log)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, cfg := range []Config{{Places: -1}, {PerEndpoint: -1}, {SlowPlaces: -1}, {SlowAfter: -1}, {Keep: -1}, {Settle: -1}} {
		if _, err := New(cfg, nil, nil); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
	if d, err := New(Config{}, nil, nil); err != nil || d.Places() != 512 || d.cfg.SlowPlaces != 256 {
		t.Errorf("defaults %+v, error %v", d.cfg, err)
	}
}
