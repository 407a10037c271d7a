package outbound

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are made inside the process, so that a bubble's time holds for them.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// TestTimeLimit_IsFiveSeconds ensures the limit of the contract, but for the farewell: for receivers that answer before and after it, that
// never do, and that send a byte a second, and that the caller has its place back then.
func TestTimeLimit_IsFiveSeconds(t *testing.T) {
	after := func(d time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case <-time.After(d):
				io.WriteString(w, "x")
			case <-r.Context().Done():
			}
		}
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		reason Reason
		took   time.Duration
	}{
		"at once":       {after(0), "", 0},
		"after 4.9 s":   {after(4900 * time.Millisecond), "", 4900 * time.Millisecond},
		"after 5.1 s":   {after(5100 * time.Millisecond), ReasonTimeout, 5 * time.Second},
		"after an hour": {after(time.Hour), ReasonTimeout, 5 * time.Second},
		"a byte a second": {func(w http.ResponseWriter, r *http.Request) {
			for range 20 {
				if _, err := io.WriteString(w, "x"); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		}, "", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
				server := httptest.NewUnstartedServer(test.answer)
				_ = server.Listener.Close()
				server.Listener = l
				server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
				server.StartTLS()
				defer server.Close()
				roots := x509.NewCertPool()
				roots.AddCert(server.Certificate())
				c, err := New(Config{RootCAs: roots, Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				c.transport.TLSClientConfig.ServerName = "example.com"
				c.transport.TLSClientConfig.Time = func() time.Time { return server.Certificate().NotAfter.Add(-time.Hour) }
				c.connect = func(context.Context, *net.Dialer, netip.AddrPort) (net.Conn, error) {
					near, far := net.Pipe()
					l.conns <- far
					return near, nil
				}
				start := time.Now()
				res, err := c.Post(t.Context(), "https://93.184.215.14/", nil, []byte("{}"), 100)
				took := time.Since(start)
				if reasonFor(t, err) != test.reason || (res.Status == 200) != (test.reason == "") || took < test.took || took > test.took+hangUp {
					t.Errorf("status %d, error %v, after %s, want %q after %s", res.Status, err, took, test.reason, test.took)
				}
			})
		})
	}
}
