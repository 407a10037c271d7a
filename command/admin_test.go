package command

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAdmin_ChecksHost ensures that a page in a browser does not reach the listener under a name of its own, and that those who mean it do.
func TestAdmin_ChecksHost(t *testing.T) {
	h := named(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), "metrics.example.com:9090")
	for host, want := range map[string]int{
		"127.0.0.1:9090": 204, "[::1]:9090": 204, "::1": 204, "10.0.0.7": 204, "localhost:9090": 204, "worker:9090": 204, "worker.default.svc.cluster.local:9090": 204,
		"metrics.example.com:9090": 204, "METRICS.example.com": 204,
		"attacker.example:9090": 421, "attacker.example": 421, "127.0.0.1.attacker.example:9090": 421, "attacker.example.:9090": 421, "127.0.0.1.nip.io": 421,
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: status %d, want %d", host, w.Code, want)
		}
	}
}

// TestFiles_HaveLimits ensures that a file without an end is refused and does not fill the memory.
func TestFiles_HaveLimits(t *testing.T) {
	for _, args := range [][]string{
		{"validate", "/dev/zero"}, {"parse", "/dev/zero"}, {"generate", "de", "xrechnung", "/dev/zero"},
		{"serve", "--data", t.TempDir(), "--plans", "/dev/zero"},
	} {
		out, errs, code := run(t, "", args...)
		if code != exitUsage && code != exitInvalid || !strings.Contains(out+errs, "/dev/zero") || !strings.Contains(out+errs, "more than") {
			t.Errorf("%q: code %d: %s%s", args, code, out, errs)
		}
	}
}
