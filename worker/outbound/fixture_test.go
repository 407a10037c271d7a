package outbound

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// public is an address that is anybody's; the fixture's receiver stands for it.
var public = netip.MustParseAddr("93.184.215.14")

// names is a resolver that gives each name's answers one after the other, and the last one again and again.
type names struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	asked   []string
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, host)
	list := n.answers[host]
	if len(list) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(list) > 1 {
		n.answers[host] = list[1:]
	}
	return list[0], nil
}

// fixture is a client whose connections all lead to one receiver on this machine, whatever the address, so that it sees every one
// that is tried.
type fixture struct {
	*Client
	names  *names
	server *httptest.Server
	mu     sync.Mutex
	dialed []netip.AddrPort
}

func newFixture(t testing.TB, cfg Config, answer http.HandlerFunc) *fixture {
	t.Helper()
	f := &fixture{names: &names{answers: map[string][][]netip.Addr{"hooks.example": {{public}}, "other.example": {{public}}}}}
	f.server = httptest.NewUnstartedServer(answer)
	f.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	f.server.StartTLS()
	roots := x509.NewCertPool()
	roots.AddCert(f.server.Certificate())
	cfg.Resolver = f.names
	if cfg.RootCAs == nil {
		cfg.RootCAs = roots
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	// The certificate of the receiver is for example.com; the names of these tests stand for it.
	c.transport.TLSClientConfig.ServerName = "example.com"
	c.connect = f.connect
	f.Client = c
	t.Cleanup(func() { c.Close(); f.server.Close() })
	return f
}

func (f *fixture) connect(ctx context.Context, d *net.Dialer, target netip.AddrPort) (net.Conn, error) {
	f.mu.Lock()
	f.dialed = append(f.dialed, target)
	f.mu.Unlock()
	return (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", f.server.Listener.Addr().String())
}

func (f *fixture) connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.dialed)
}

func ok(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "thanks") }

// reasonFor gives the reason of an error, or "" without one.
func reasonFor(t testing.TB, err error) Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	f, isFailure := errors.AsType[*Failure](err)
	if !isFailure {
		t.Fatalf("the error is no Failure: %v", err)
	}
	return f.Reason
}

func (f *fixture) post(t testing.TB, url string) (Response, Reason) {
	t.Helper()
	res, err := f.Post(t.Context(), url, nil, []byte("{}"), 100)
	return res, reasonFor(t, err)
}
