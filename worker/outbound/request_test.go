package outbound

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPost ensures that what is sent is what the caller gave, and what comes back is cut.
func TestPost(t *testing.T) {
	var got string
	f := newFixture(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprint(r.Method, " ", r.Host, " ", r.URL, " ", r.Header.Get("X-Mark"), r.Header.Get("Accept-Encoding"), r.Header.Get("Cookie"), " ", string(body))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, strings.Repeat("y", 200))
	})
	for _, keep := range []int64{200, 100} {
		res, err := f.Post(t.Context(), "https://hooks.example/in?a=b", http.Header{"X-Mark": {"m"}}, []byte("body"), keep)
		if err != nil || res.Status != 202 || int64(len(res.Body)) != keep || res.Cut != (keep < 200) {
			t.Fatalf("%+v, error %v", res, err)
		}
		if want := "POST hooks.example /in?a=b m body"; got != want {
			t.Errorf("received %q, want %q", got, want)
		}
	}
	if n := f.connections(); n != 1 {
		t.Errorf("%d connections for two requests", n)
	}
}

// TestProxyOfTheEnvironmentIsNotUsed ensures that requests go straight to the host.
func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("https_proxy", "http://127.0.0.1:1")
	f := newFixture(t, Config{}, ok)
	if res, reason := f.post(t, "https://hooks.example/"); res.Status != 200 || reason != "" {
		t.Errorf("status %d, reason %q", res.Status, reason)
	}
}

// TestBounds ensures that no receiver holds a request longer, or makes it larger, than it may be.
func TestBounds(t *testing.T) {
	block := func(r *http.Request) { <-r.Context().Done() }
	flush := func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		status int
		reason Reason
	}{
		"no answer":       {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); block(r) }, 0, ReasonTimeout},
		"body that hangs": {func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); flush(w); block(r) }, 200, ""},
		"endless body": {func(w http.ResponseWriter, _ *http.Request) {
			for chunk := make([]byte, 1<<16); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, 200, ""},
		"endless header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 64<<10))
		}, 0, ReasonConnect},
		"connection cut": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, ReasonConnect},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, Config{Timeout: 250 * time.Millisecond}, test.answer)
			res, reason := f.post(t, "https://hooks.example/")
			if res.Status != test.status || reason != test.reason || len(res.Body) > 100 {
				t.Errorf("status %d, reason %q, %d bytes", res.Status, reason, len(res.Body))
			}
			want := map[Reason]int64{}
			if test.reason != "" {
				want[test.reason] = 1
			}
			if diff := cmp.Diff(want, f.Failures()); diff != "" {
				t.Errorf("counted:\n%s", diff)
			}
		})
	}
}

// TestGet ensures that only a whole document with status 200 is one.
func TestGet(t *testing.T) {
	f := newFixture(t, Config{Timeout: 300 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			io.WriteString(w, strings.Repeat("y", 101))
		case "/short":
			w.Header().Set("Content-Length", "50")
			io.WriteString(w, "y")
		case "/missing":
			w.WriteHeader(404)
		case "/moved":
			w.Header().Set("Location", "https://hooks.example/")
			w.WriteHeader(308)
		case "/fits":
			io.WriteString(w, strings.Repeat("y", 100))
		}
	})
	for path, want := range map[string]Reason{"/fits": "", "/large": ReasonTooLarge, "/short": ReasonConnect, "/missing": ReasonStatus, "/moved": ReasonRedirect} {
		res, err := f.Get(t.Context(), "https://hooks.example"+path, 100)
		if got := reasonFor(t, err); got != want || want == "" && len(res.Body) != 100 {
			t.Errorf("%s: reason %q, want %q; %d bytes", path, got, want, len(res.Body))
		}
	}
}

// TestTLS ensures that a certificate nobody trusts, or another host's, is refused.
func TestTLS(t *testing.T) {
	f := newFixture(t, Config{RootCAs: x509.NewCertPool()}, ok)
	if _, reason := f.post(t, "https://hooks.example/"); reason != ReasonTLS {
		t.Errorf("unknown authority: %q", reason)
	}
	other := newFixture(t, Config{}, ok)
	other.transport.TLSClientConfig.ServerName = ""
	if _, reason := other.post(t, "https://hooks.example/"); reason != ReasonTLS {
		t.Errorf("another host's certificate: %q", reason)
	}
}

// TestNoLimit_HostThatDoesNotAnswerIsReached ensures that without a limit requests to a host do not wait behind others that it does not answer.
func TestNoLimit_HostThatDoesNotAnswerIsReached(t *testing.T) {
	const silent = 40
	entered := make(chan struct{}, silent)
	f := newFixture(t, Config{PerHost: NoLimit}, func(w http.ResponseWriter, r *http.Request) {
		if _, _ = io.Copy(io.Discard, r.Body); r.URL.Path == "/silent" {
			entered <- struct{}{}
			<-r.Context().Done()
		}
	})
	ctx, hangUp := context.WithCancel(t.Context())
	failed := make(chan error, silent)
	for range silent {
		go func() {
			_, err := f.Post(ctx, "https://hooks.example/silent", nil, nil, 1)
			failed <- err
		}()
	}
	for range silent {
		select {
		case <-entered:
		case err := <-failed:
			t.Fatalf("a request waited for others until its end: %v", err)
		}
	}
	if res, reason := f.post(t, "https://hooks.example/"); res.Status != 200 || len(failed) > 0 {
		t.Errorf("status %d, reason %q, while %d of %d were not answered", res.Status, reason, silent-len(failed), silent)
	}
	hangUp()
	for range silent {
		if reason := reasonFor(t, <-failed); reason != ReasonStopped {
			t.Errorf("reason %q", reason)
		}
	}
}

// TestStoppedRequest ensures that a request which its caller ends is told from one that timed out.
func TestStoppedRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, Config{}, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	_, err := f.Post(ctx, "https://hooks.example/", nil, nil, 1)
	if reasonFor(t, err) != ReasonStopped {
		t.Errorf("error %v", err)
	}
}

// TestFailure ensures that clients learn nothing about addresses and the log everything.
func TestFailure(t *testing.T) {
	cause := errors.New("private cause")
	f := &Failure{Reason: ReasonPrivate, Detail: "10.0.0.1 is in 10.0.0.0/8", Cause: cause}
	if !errors.Is(f, cause) || strings.Contains(f.Error(), "10.") || strings.Contains(f.Error(), "private") {
		t.Errorf("for clients: %s", f)
	}
	if logged := f.LogValue().String(); !strings.Contains(logged, "10.0.0.1") || !strings.Contains(logged, "private cause") {
		t.Errorf("for the log: %s", logged)
	}
	for _, c := range append(Classes, Class{Reason: ReasonOwn}, Class{Reason: ReasonUnresolved}, Class{Reason: ReasonSpecial}) {
		if c.Reason.Public() != f.Error() {
			t.Errorf("%s tells clients something of its own: %s", c.Reason, c.Reason.Public())
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, cfg := range []Config{{Timeout: -1}, {PerHost: -2}, {MaxHeader: -1}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}
