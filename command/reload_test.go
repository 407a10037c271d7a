package command

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/generation"
)

// importOrders adds a version of the rulebook for orders to a folder.
func importOrders(t testing.TB, dir, version string) {
	t.Helper()
	_, stderr, code := run(t, "", "rulebooks", "import", "../testdata/rules", "--into", dir, "--id", "orders", "--version", version, "--syntax", "orders")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
}

// metric gives the value of a metric of the service, with its labels as they are written.
func (s *service) metric(t testing.TB, name string) string {
	t.Helper()
	_, _, metrics := get(t, "GET", s.admin+"/metrics", "", "")
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (.*)$`).FindSubmatch(metrics)
	if found == nil {
		t.Fatalf("no metric %s", name)
	}
	return string(found[1])
}

// reload runs rulebooks reload on the service.
func (s *service) reload(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return run(t, "", append([]string{"rulebooks", "reload", "--admin-listen", strings.TrimPrefix(s.admin, "http://")}, args...)...)
}

// TestServe_ReloadsRulebooks ensures that the running service takes up a changed folder on command, and that number, metrics and log
// tell so; an unchanged one is no new generation.
func TestServe_ReloadsRulebooks(t *testing.T) {
	books := orderBooks(t)
	s := start(t, t.TempDir(), "--rulebooks", books)
	before := s.metric(t, "einvoiced_rulebooks_loaded")
	stdout, stderr, code := s.reload(t)
	if !strings.HasPrefix(stdout, "generation 1 with "+before+" rulebooks, digest ") || code != exitOK {
		t.Errorf("unchanged: exit code %d: %s%s", code, stdout, stderr)
	}
	importOrders(t, books, "1.3")
	stdout, stderr, code = s.reload(t, "--json")
	var answer reloadAnswer
	unmarshal(t, []byte(stdout), &answer)
	if code != exitOK || answer.Generation != 2 || len(answer.Digest) != 64 || fmt.Sprint(answer.Rulebooks-1) != before {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	for name, want := range map[string]string{
		"einvoiced_rulebooks_generation":                       "2",
		"einvoiced_rulebooks_loaded":                           fmt.Sprint(answer.Rulebooks),
		"einvoiced_rulebooks_behind":                           "0",
		`einvoiced_rulebooks_reloads_total{outcome="swapped"}`: "1",
		`einvoiced_rulebooks_reloads_total{outcome="refused"}`: "0",
	} {
		if got := s.metric(t, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if log := s.stderr.String(); !strings.Contains(log, `"msg":"rulebooks swapped","generation":2,"digest":"`+answer.Digest) {
		t.Errorf("log: %s", log)
	}
}

// TestServe_RefusesBrokenRulebooks ensures that a broken folder is refused whole, by the reason of the contract, and that the service
// goes on with what it had; at the start it is told and nothing starts.
func TestServe_RefusesBrokenRulebooks(t *testing.T) {
	books, data := orderBooks(t), t.TempDir()
	s := start(t, data, "--rulebooks", books)
	importOrders(t, books, "1.3")
	if err := os.WriteFile(filepath.Join(books, "orders-1.2", "orders.sch"), []byte("<x/>"), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded := s.metric(t, "einvoiced_rulebooks_loaded")
	if stdout, stderr, code := s.reload(t); code != exitInvalid || stdout != "" || !strings.Contains(stderr, "load-failed: load rulebooks: rulebook orders-1.2: orders.sch") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, _, code := s.reload(t, "--json")
	var answer reloadAnswer
	if unmarshal(t, []byte(stdout), &answer); code != exitInvalid || answer.Reason != "load-failed" || answer.Generation != 0 {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if now := s.metric(t, "einvoiced_rulebooks_loaded"); now != loaded || s.metric(t, "einvoiced_rulebooks_generation") != "1" ||
		s.metric(t, `einvoiced_rulebooks_reloads_total{outcome="refused"}`) != "2" {
		t.Errorf("%s rulebooks after %s", now, loaded)
	}
	if status, _, body := get(t, "GET", s.url+"/readyz", "", ""); status != 200 || !strings.Contains(string(body), `"rulebooks":"ok"`) {
		t.Errorf("readiness: status %d: %s", status, body)
	}
	if log := s.stderr.String(); !strings.Contains(log, `"level":"ERROR","msg":"rulebooks refused: those before stay in use"`) || !strings.Contains(log, `"reason":"load-failed"`) {
		t.Errorf("log: %s", log)
	}
	s.stop()
	if _, stderr, code := run(t, "", "serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "off", "--rulebooks", books); code != exitUsage ||
		!strings.Contains(stderr, "orders.sch") || !strings.Contains(stderr, "hint: --rulebooks (EINVOICED_RULEBOOKS)") {
		t.Errorf("start: exit code %d: %s", code, stderr)
	}
}

// TestServe_ReloadsOnHangup ensures that SIGHUP loads the folder, and that a start under another folder is a generation of its own.
func TestServe_ReloadsOnHangup(t *testing.T) {
	books, data := orderBooks(t), t.TempDir()
	program := exec.Command(os.Args[0], "serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "off")
	program.Env = append(os.Environ(), "EINVOICED_RULEBOOKS="+books)
	stderr := &lockedBuffer{}
	program.Stdout, program.Stderr = &lockedBuffer{}, stderr
	startProgram(t, program)
	eventually(t, "the service serves", func() bool { return strings.Contains(stderr.String(), `"msg":"serving"`) })
	importOrders(t, books, "1.3")
	for _, step := range []struct {
		signal os.Signal
		log    string
	}{{syscall.SIGHUP, `"msg":"rulebooks swapped","generation":2`}, {syscall.SIGHUP, `"msg":"rulebooks unchanged","generation":2`}, {syscall.SIGTERM, `"msg":"stopping"`}} {
		if err := program.Process.Signal(step.signal); err != nil {
			t.Fatal(err)
		}
		eventually(t, step.log, func() bool { return strings.Contains(stderr.String(), step.log) })
	}
	if err := program.Wait(); err != nil {
		t.Errorf("%v\n%s", err, stderr)
	}
	if s := start(t, data); s.metric(t, "einvoiced_rulebooks_generation") != "3" {
		t.Errorf("without the folder: generation %s", s.metric(t, "einvoiced_rulebooks_generation"))
	}
}

// TestRulebooksReload_Refusals ensures what is said where no service can be told to reload.
func TestRulebooksReload_Refusals(t *testing.T) {
	s := start(t, t.TempDir())
	taken := strings.TrimPrefix(s.url, "http://")
	for _, c := range []struct {
		address, stderr string
		code            int
	}{
		{"off", "send the process SIGHUP instead", exitUsage},
		{"127.0.0.1:1", "hint: --admin-listen (EINVOICED_ADMIN_LISTEN) is that of the running service", exitInternal},
		{taken, "the service answers 404", exitInternal},
	} {
		if stdout, stderr, code := run(t, "", "rulebooks", "reload", "--admin-listen", c.address); code != c.code || stdout != "" || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: exit code %d: %s%s", c.address, code, stdout, stderr)
		}
	}
	if status, _, _ := get(t, "POST", s.admin+reloadPath, "", "", "Origin", "http://example.com"); status != http.StatusForbidden {
		t.Errorf("a page in a browser: status %d", status)
	}
	if status, _, _ := get(t, "GET", s.admin+reloadPath, "", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", status)
	}
}

// announce does what the start of another process on the same database does with its folder of rulebooks.
func announce(t testing.TB, data, books string) {
	t.Helper()
	registry, err := (&rulebooksFlag{Rulebooks: books}).registry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	database, err := (&dataFlag{Data: data}).open(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if _, err := scheduler.NewRulebooks(t.Context(), scheduler.RulebooksConfig{}, registry, generation.New(generation.Config{}, database)); err != nil {
		t.Fatal(err)
	}
}

// TestServe_FollowsRulebooks ensures that the service takes up what another process has loaded; where its own folder has others it
// keeps its own, serves on and says so, until both have the same.
func TestServe_FollowsRulebooks(t *testing.T) {
	t.Parallel()
	books, data := orderBooks(t), t.TempDir()
	s := start(t, data, "--rulebooks", books)
	importOrders(t, books, "1.3")
	announce(t, data, books)
	eventually(t, "the service follows", func() bool { return s.metric(t, "einvoiced_rulebooks_generation") == "2" })
	loaded := s.metric(t, "einvoiced_rulebooks_loaded")
	announce(t, data, orderBooks(t))
	eventually(t, "the service is behind", func() bool { return s.metric(t, "einvoiced_rulebooks_behind") == "1" })
	status, _, body := get(t, "GET", s.url+"/readyz", "", "")
	if status != 200 || !strings.Contains(string(body), `"rulebooks":"degraded"`) || s.metric(t, "einvoiced_rulebooks_loaded") != loaded || !strings.Contains(s.stderr.String(), `"level":"ERROR","msg":"rulebooks refused`) {
		t.Errorf("status %d: %s", status, body)
	}
	if _, stderr, code := s.reload(t); code != exitOK || s.metric(t, "einvoiced_rulebooks_generation") != "4" || s.metric(t, "einvoiced_rulebooks_behind") != "0" {
		t.Errorf("after a reload: exit code %d: %s", code, stderr)
	}
}

// TestFromHere ensures that only this machine may reload rulebooks, by whichever of its addresses.
func TestFromHere(t *testing.T) {
	for remote, want := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true, "192.0.2.7:1": true, "192.0.2.8:1": false, "nonsense": false,
	} {
		local := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8081}
		r, err := http.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local), http.MethodPost, reloadPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.RemoteAddr = remote; fromHere(r) != want {
			t.Errorf("%s: %t, want %t", remote, !want, want)
		}
	}
	if r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, reloadPath, nil); err != nil || fromHere(r) {
		t.Errorf("from nowhere: %v", err)
	}
}
