package outbound

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxy is an HTTP proxy whose tunnels all lead to one server.
type proxy struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // what it was asked for, and by whom
}

func newProxy(t testing.TB, status int, to string) *proxy {
	t.Helper()
	p := &proxy{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		p.mu.Unlock()
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		far, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		defer far.Close()
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer near.Close()
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		done := make(chan struct{})
		go func() { defer close(done); _, _ = io.Copy(far, near); _ = far.Close() }()
		_, _ = io.Copy(near, far)
		_ = near.Close()
		<-done
	}))
	t.Cleanup(p.Close)
	return p
}

// withProxy is a fixture whose connections go through a proxy.
func withProxy(t testing.TB, status int, userinfo string) (*fixture, *proxy) {
	t.Helper()
	f := newFixture(t, Config{}, ok)
	p := newProxy(t, status, f.server.Listener.Addr().String())
	cfg := Config{Proxy: strings.Replace(p.URL, "://", "://"+userinfo, 1), Resolver: f.names, RootCAs: f.cfg.RootCAs, Timeout: 5 * time.Second, Logger: slog.New(slog.DiscardHandler)}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.transport.TLSClientConfig.ServerName = "example.com"
	t.Cleanup(c.Close)
	f.Client = c
	return f, p
}

// TestProxy_IsAskedForTheCheckedAddress ensures that a proxy cannot be made to resolve a name once more.
func TestProxy_IsAskedForTheCheckedAddress(t *testing.T) {
	f, p := withProxy(t, http.StatusOK, "user:pass@")
	res, reason := f.post(t, "https://hooks.example/")
	if res.Status != 200 || reason != "" {
		t.Fatalf("status %d, reason %q", res.Status, reason)
	}
	if want := []string{"CONNECT 93.184.215.14:443 Basic dXNlcjpwYXNz"}; !slices.Equal(p.asked, want) {
		t.Errorf("asked for %q, want %q", p.asked, want)
	}
}

// TestProxy_IsNotAskedForWhatIsRefused ensures that the guard stands before the proxy.
func TestProxy_IsNotAskedForWhatIsRefused(t *testing.T) {
	f, p := withProxy(t, http.StatusOK, "")
	for _, a := range samples() {
		f.names.answers["rebound.example"] = [][]netip.Addr{{a}}
		for _, url := range []string{"https://" + literal(a) + "/", "https://rebound.example/"} {
			if _, reason := f.post(t, url); reason == "" {
				t.Errorf("%s (%s) is let through", url, a)
			}
		}
	}
	if len(p.asked) != 0 {
		t.Errorf("asked for %q", p.asked)
	}
}

func TestProxy_ThatRefusesIsNoConnection(t *testing.T) {
	f, p := withProxy(t, http.StatusForbidden, "")
	if _, reason := f.post(t, "https://hooks.example/"); reason != ReasonConnect || len(p.asked) != 1 {
		t.Errorf("reason %q, asked for %q", reason, p.asked)
	}
	p.Close()
	if _, reason := f.post(t, "https://hooks.example/"); reason != ReasonConnect {
		t.Errorf("without the proxy: reason %q", reason)
	}
}

func TestProxy_IsChecked(t *testing.T) {
	for _, s := range []string{"proxy:3128", "https://proxy:3128", "http://proxy", "http://:3128", "http://user:topsecret@proxy:3128/path", "http://user:topsecret@pro xy:1"} {
		if _, err := New(Config{Proxy: s}); err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: %v", s, err)
		}
	}
}
