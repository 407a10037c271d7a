package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// TestRequestID ensures that a safe id of the client is echoed and any other replaced, on every kind of answer.
func TestRequestID(t *testing.T) {
	f := newFixture(t, Config{})
	longest := strings.Repeat("a", 64)
	for _, path := range []string{"/healthz", "/nowhere", "/api/v1/jobs", "/docs/"} {
		for _, id := range []string{"1", "My_id-1.2", longest} {
			if got := f.ask(t, "", "GET", path, "", "X-Request-ID", id).header.Get("x-request-id"); got != id {
				t.Errorf("%s: %q came back as %q", path, id, got)
			}
		}
		for _, id := range []string{"", "a b", longest + "a", "ä", `"`, "a/b", "<a>"} {
			if got := f.ask(t, "", "GET", path, "", "x-request-id", id).header.Get("x-request-id"); got == id || len(got) != 32 {
				t.Errorf("%s: %q came back as %q", path, id, got)
			}
		}
	}
}

// TestLog ensures one line for each request with what an operator needs, and nothing of keys or invoices.
func TestLog(t *testing.T) {
	f := newFixture(t, Config{})
	const canary = "Canary GmbH"
	body := `{"invoice":{"seller":{"name":"` + canary + `"}}}`
	f.ask(t, "full", "POST", "/api/v1/invoice/DE/xrechnung/generate?note=Canary", body, "X-Request-ID", "r1")
	f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", body+"FAKE-REFUSE", "X-Request-ID", "r2")
	f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", body+"FAKE-BROKEN", "X-Request-ID", "r3")
	f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", body+"FAKE-PANIC", "X-Request-ID", "r4")
	f.ask(t, "malformed", "GET", "/nowhere/Canary", "", "X-Request-ID", "r5")
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t).ID
	want := map[string]string{
		"r1": `{"level":"INFO","msg":"request","route":"/api/v1/invoice/{countryCode}/{format}/generate","status":200,"method":"POST","key_id":"` + key + `"}`,
		"r2": `{"level":"INFO","status":422,"code":"TYPE_NOT_PERMITTED"}`,
		"r3": `{"level":"ERROR","status":500,"cause":"disk on fire at table secrets"}`,
		"r4": `{"level":"ERROR","status":500}`,
		"r5": `{"level":"INFO","status":404,"route":"","key_id":""}`,
	}
	eventually(t, "all is logged", func() bool { return strings.Count(f.log.String(), `"msg":"request"`) == len(want) })
	lines := bufio.NewScanner(strings.NewReader(f.log.String()))
	for lines.Scan() {
		var got, expected map[string]any
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			t.Fatalf("the log is not JSON: %s", lines.Text())
		}
		if got["msg"] != "request" {
			continue
		}
		if err := json.Unmarshal([]byte(want[got["request_id"].(string)]), &expected); err != nil {
			t.Fatal(err)
		}
		for name, value := range expected {
			if got[name] != value {
				t.Errorf("%s: %v is %v, want %v", got["request_id"], name, got[name], value)
			}
		}
		if got["duration_ms"] == nil {
			t.Errorf("no duration: %s", lines.Text())
		}
	}
	for _, secret := range []string{"Canary", "a value with invoice content", f.keys["full"], f.keys["malformed"]} {
		if strings.Contains(f.log.String(), secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
	if !strings.Contains(f.log.String(), `"msg":"panic"`) || !strings.Contains(f.log.String(), "fixture_test.go") {
		t.Error("the log does not tell where the panic was")
	}
}

// TestPanicValue ensures that only what the Go runtime says of a panic is told.
func TestPanicValue(t *testing.T) {
	defer func() {
		if got := panicValue(recover()); !strings.Contains(got, "index out of range") {
			t.Errorf("runtime error: %q", got)
		}
		if got := panicValue(errors.New("content")); got != "*errors.errorString" {
			t.Errorf("other value: %q", got)
		}
	}()
	var empty []int
	_ = empty[len(f0(empty))]
}

func f0(s []int) []int { return s }

// TestMetrics ensures the names, and labels that hold no ids.
func TestMetrics(t *testing.T) {
	f := newFixture(t, Config{})
	f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "{}")
	f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "FAKE-REFUSE")
	f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "FAKE-BROKEN")
	f.ask(t, "full", "POST", "/api/v1/invoice/parse", `{"data":"QQ=="}`)
	f.finishedJob(t, "full")
	f.ask(t, "", "BREW", "/nowhere/42", "")
	eventually(t, "no request is active", func() bool { return f.metrics(t)["http_server_active_requests"] == 0 })
	got := f.metrics(t)
	for name, want := range map[string]float64{
		"einvoiced_documents_total country=auto format=auto operation=parse outcome=ok":                                     1,
		"einvoiced_documents_total country=de format=other operation=generate outcome=failed":                               1,
		"einvoiced_documents_total country=de format=xrechnung operation=generate outcome=ok":                               2,
		"einvoiced_documents_total country=de format=xrechnung operation=generate outcome=refused":                          1,
		"http_server_request_duration_seconds method=POST route=/api/v1/invoice/{countryCode}/{format}/generate status=422": 1,
		"http_server_request_duration_seconds method=other route=none status=404":                                           1,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// metrics gives counters, gauges and the counts of histograms by name and labels.
func (f *fixture) metrics(t testing.TB) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for _, family := range must(f.registry.Gather())(t) {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, label := range m.GetLabel() {
				name += " " + label.GetName() + "=" + label.GetValue()
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return values
}

// brokenKeys is a store of keys that cannot be asked.
type brokenKeys struct{}

// Verify fails.
func (brokenKeys) Verify(context.Context, string) (account.Key, error) {
	return account.Key{}, errors.New("database is locked")
}

// TestKeys_Broken ensures that a store which fails is a 500, not a 401.
func TestKeys_Broken(t *testing.T) {
	f := newFixture(t, Config{}, func(d *Deps) { d.Keys = brokenKeys{} })
	scenario{role: "full", do: "GET /api/v1/jobs", status: 500,
		want: problemJSON("Internal Server Error", "INTERNAL_SERVER_ERROR", answers.Internal.Message)}.run(t, f)
}

// TestReadiness ensures that a failing condition is named in public and explained in the log.
func TestReadiness(t *testing.T) {
	f := newFixture(t, Config{}, func(d *Deps) {
		d.Ready = []Check{
			{Name: "database", Err: func(context.Context) error { return errors.New("file is damaged") }},
			{Name: "queue", Err: func(context.Context) error { return nil }},
		}
	})
	scenario{do: "GET /readyz", status: 503, want: `{"error":"Service Unavailable","message":"The service is not ready",
		"errors":[{"code":"NOT_READY","message":"database is not ready","field":"database"}]}`}.run(t, f)
	eventually(t, "the log tells why", func() bool { return strings.Contains(f.log.String(), "file is damaged") })
}

// TestDatabaseAway ensures that a database which does not answer is a 503 that says what to do, and that readiness still names its conditions.
func TestDatabaseAway(t *testing.T) {
	f := newFixture(t, Config{}, func(d *Deps) {
		d.Keys = awayKeys{}
		d.Ready = []Check{{Name: "database", Err: func(context.Context) error { return db.ErrAway }}}
	})
	scenario{role: "full", do: "GET /api/v1/jobs", status: 503, want: problemJSON("Service Unavailable", "SERVICE_UNAVAILABLE",
		"The database cannot be reached now; send the request again in a moment, with the same Idempotency-Key if it has one")}.run(t, f)
	scenario{do: "GET /readyz", status: 503, want: `{"error":"Service Unavailable","message":"The service is not ready",
		"errors":[{"code":"NOT_READY","message":"database is not ready","field":"database"}]}`}.run(t, f)
}

// awayKeys has its database away.
type awayKeys struct{}

func (awayKeys) Verify(context.Context, string) (account.Key, error) {
	return account.Key{}, fmt.Errorf("read key: %w", db.ErrAway)
}

// TestReadiness_Degraded ensures that a condition which the service can do without is told and keeps no requests away.
func TestReadiness_Degraded(t *testing.T) {
	f := newFixture(t, Config{}, func(d *Deps) {
		d.Ready = []Check{
			{Name: "database", Err: func(context.Context) error { return nil }},
			{Name: "rulebooks", Err: func(context.Context) error { return errors.New("others are in use") }, Serves: true},
		}
	})
	scenario{do: "GET /readyz", status: 200, want: `{"status":"ok","checks":{"database":"ok","rulebooks":"degraded"}}`}.run(t, f)
}
