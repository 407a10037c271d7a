package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Event is one delivery of a webhook as it came.
type Event struct {
	Delivery  string // X-Service-Delivery
	WebhookID string // webhook-id of Standard Webhooks
	ID, Type  string // of the body
	Job       string // id of the job where the object is one
	Header    http.Header
	Body      []byte
	At        time.Time
}

// Receiver is a receiver of webhooks over TLS with an authority of its own.
type Receiver struct {
	URL  string // https://127.0.0.1:port
	Port string
	CA   string // file of the authority's certificate, for SSL_CERT_FILE

	mu     sync.Mutex
	events []Event
	answer func(Event) int
}

// StartReceiver starts a receiver that answers 200.
func StartReceiver(t T) *Receiver {
	t.Helper()
	certificate, authority := certify(t)
	r := &Receiver{CA: filepath.Join(t.TempDir(), "ca.pem"), answer: func(Event) int { return http.StatusOK }}
	if err := os.WriteFile(r.CA, authority, 0o600); err != nil {
		t.Fatalf("write the authority: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	_, r.Port, _ = net.SplitHostPort(l.Addr().String())
	r.URL = "https://127.0.0.1:" + r.Port
	server := &http.Server{Handler: r, ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}}
	go func() { _ = server.ServeTLS(l, "", "") }() // ends with the test
	t.Cleanup(func() { _ = server.Close() })
	return r
}

// certify makes an authority and a certificate of it for the loopback address.
func certify(t T) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receiver of the tests"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatalf("make a certificate: %v", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// Answer changes what the receiver answers to deliveries from now on.
func (r *Receiver) Answer(status func(Event) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = status
}

// ServeHTTP notes a delivery and answers it.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	if err != nil {
		return // it is not delivered
	}
	e := Event{Delivery: req.Header.Get("X-Service-Delivery"), WebhookID: req.Header.Get("webhook-id"), Header: req.Header, Body: body, At: time.Now()}
	var shape struct {
		ID, Type string
		Data     struct{ Object struct{ ID string } }
	}
	if json.Unmarshal(body, &shape) == nil {
		e.ID, e.Type, e.Job = shape.ID, shape.Type, shape.Data.Object.ID
	}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	status := answer(e)
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
	w.WriteHeader(status)
}

// Events gives what has come so far, in its order.
func (r *Receiver) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}

// Count is how many events have come so far.
func (r *Receiver) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// ByEvent gives the deliveries of each event of a type.
func (r *Receiver) ByEvent(kind string) map[string][]Event {
	byID := map[string][]Event{}
	for _, e := range r.Events() {
		if e.Type == kind {
			byID[e.ID] = append(byID[e.ID], e)
		}
	}
	return byID
}

// Subscribe registers the receiver for events of the client's account and gives endpoint and secret.
func (r *Receiver) Subscribe(t T, c *Client, path string, events ...string) (id, secret string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"url": r.URL + path, "events": events})
	if err != nil {
		t.Fatalf("write the subscription: %v", err)
	}
	a := c.Must(t, "POST", "/api/v1/webhooks", body)
	if a.Status != http.StatusCreated && a.Status != http.StatusOK {
		t.Fatalf("subscribe: status %d: %.400s", a.Status, a.Body)
	}
	var endpoint struct{ ID, Secret string }
	a.JSON(t, &endpoint)
	return endpoint.ID, endpoint.Secret
}
