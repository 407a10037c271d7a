//go:build chaos

package chaos

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// I9: services come up after the processes that need them. The start waits for them and says so.
func TestI9_StartWaitsForServices(t *testing.T) {
	t.Parallel()
	h := harness.Prepare(t, harness.Plan{Setup: harness.Shared, Program: program(t)})
	for _, p := range []*harness.Process{h.Postgres.Process, h.Redis.Process, h.S3.Process} {
		p.Kill()
	}
	api := h.APIs()[0]
	for _, s := range []struct {
		name  string
		start func()
	}{{"postgresql", h.Postgres.Start}, {"s3", h.S3.Start}, {"redis", h.Redis.Start}} {
		if !api.Alive() {
			api.Start()
		}
		harness.Until(t, time.Minute, "the start waits for "+s.name, func() bool {
			return strings.Contains(api.Log(), fmt.Sprintf(`"msg":"the start waits for a service","service":%q`, s.name))
		})
		s.start()
	}
	api.Ready(t)
	if n := strings.Count(api.Log(), `"msg":"the service answers"`); n != 3 {
		t.Errorf("%d services are told to answer", n)
	}
}

// signalAll gives a function that sends a signal to the server and to its processes, which are in sessions of their own.
func signalAll(t *testing.T, p *harness.Postgres, sent syscall.Signal) func() {
	return func() {
		pid := strconv.Itoa(p.Pid())
		children, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
		if err != nil {
			t.Fatal(err)
		}
		for _, child := range append(strings.Fields(string(children)), pid) {
			id, _ := strconv.Atoi(child) // the kernel writes numbers
			_ = syscall.Kill(id, sent)   // it may have ended
		}
	}
}

// J5: PostgreSQL stops, or falls silent, while the API runs. Requests are refused soon, in the shape of all errors, and answered again when
// it is back. S3 that is away is told.
func TestJ5_PostgresAway(t *testing.T) {
	h := open(t, harness.Shared)
	customer, api := h.Customer(), h.APIs()[0]
	customer = customer.At(api.Base)
	customer.Want(t, 200, "GET", "/api/v1/jobs", nil)
	for _, fault := range []struct {
		name       string
		away, back func()
	}{{"killed", h.Postgres.Kill, h.Postgres.Start}, {"silent", signalAll(t, h.Postgres, syscall.SIGSTOP), signalAll(t, h.Postgres, syscall.SIGCONT)}} {
		fault.away()
		for i, path := range []string{"/api/v1/jobs", "/api/v1/jobs/job_x", "/readyz", "/api/v1/usage"} {
			began := time.Now()
			a := customer.Want(t, 503, "GET", path, nil)
			var body struct{ Error, Message string }
			a.JSON(t, &body)
			if body.Error != "Service Unavailable" || body.Message == "" || path == "/readyz" && !strings.Contains(string(a.Body), `"NOT_READY"`) {
				t.Errorf("%s: %s: %s", fault.name, path, a.Body)
			}
			took := time.Since(began)
			if t.Logf("%s: request %d, %s: %d after %s: %s", fault.name, i+1, path, a.Status, took.Round(time.Millisecond), a.Body); took > 2*time.Second {
				t.Errorf("%s: %s is refused after %s", fault.name, path, took)
			}
		}
		fault.back()
		harness.Until(t, time.Minute, "requests are answered again", func() bool {
			return customer.Must(t, "GET", "/api/v1/jobs", nil).Status == 200
		})
	}
	h.S3.Kill()
	a := customer.Want(t, 200, "GET", "/readyz", nil)
	if !strings.Contains(string(a.Body), `"s3":"degraded"`) {
		t.Errorf("readiness without S3: %s", a.Body)
	}
	h.S3.Start()
	h.StopAll()
}

// I10: the first start is killed when it has printed its key, before that is stored; or two first starts meet in an empty database. There is
// one account in the end, and a key that was printed works.
func TestI10_FirstKeyIsNotTorn(t *testing.T) {
	t.Parallel()
	path := built("dying-at-first-key", func(into string) string {
		fault := harness.Fault{Folder: "command", Func: "greeting.print", Code: `defer killAt("printed")`}
		return harness.BuildFaulty(t, into, []harness.Fault{fault}, map[string]string{fault.Folder: fmt.Sprintf(killer, "command")})
	})
	printed := regexp.MustCompile(`KEY=(sk_test_\w+)`)
	t.Run("killed", func(t *testing.T) {
		h := harness.Prepare(t, harness.Plan{Setup: harness.Embedded, Program: path})
		serve := h.Roles[0]
		serve.Override("EINVOICED_TEST_KILL", "printed:1")
		serve.Start()
		serve.Ended(time.Minute)
		serve.Override("EINVOICED_TEST_KILL", "")
		serve.Restart(t)
		keys := printed.FindAllStringSubmatch(serve.Log(), -1)
		if len(keys) != 2 {
			t.Fatalf("%d keys were printed", len(keys))
		}
		harness.NewClient(t, keys[0][1], serve.Base).Want(t, 401, "GET", "/api/v1/jobs", nil)
		harness.NewClient(t, keys[1][1], serve.Base).Want(t, 200, "GET", "/api/v1/jobs", nil)
		if n := h.Audit().Number("SELECT count(*) FROM accounts"); n != 1 {
			t.Errorf("%d accounts", n)
		}
	})
	t.Run("two at once", func(t *testing.T) {
		h := harness.Prepare(t, harness.Plan{Setup: harness.Shared, Program: path})
		for _, r := range h.APIs() {
			r.Start()
		}
		keys := 0
		for _, r := range h.APIs() {
			r.Ready(t)
			for _, m := range printed.FindAllStringSubmatch(r.Log(), -1) {
				harness.NewClient(t, m[1], r.Base).Want(t, 200, "GET", "/api/v1/jobs", nil)
				keys++
			}
		}
		if n := h.Audit().Number("SELECT count(*) FROM accounts"); n != 1 || keys != 1 {
			t.Errorf("%d accounts, %d keys printed", n, keys)
		}
	})
}
