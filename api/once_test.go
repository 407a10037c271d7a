package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

// counting counts what is done.
type counting struct {
	fakeOperations
	done *atomic.Int64
	wait <-chan struct{} // generate waits for it; nil: it does not
}

// Generate counts, and waits.
func (c counting) Generate(ctx context.Context, req operation.GenerateRequest) (*operation.GenerateAnswer, error) {
	c.done.Add(1)
	if c.wait != nil {
		select {
		case <-c.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return c.fakeOperations.Generate(ctx, req)
}

// newCounting is a fixture whose generate is counted.
func newCounting(t *testing.T, cfg Config, wait <-chan struct{}) (*fixture, *atomic.Int64) {
	n := &atomic.Int64{}
	return newFixture(t, cfg, func(d *Deps) { d.Operations = counting{done: n, wait: wait} }), n
}

// keyed is the header with an idempotency key and further fields.
func keyed(key string, further ...string) []string {
	return append([]string{"Idempotency-Key", key}, further...)
}

// same compares a replay with the first answer.
func same(t *testing.T, what string, first, again reply) {
	t.Helper()
	if again.status != first.status || !bytes.Equal(again.body, first.body) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s: status %d, replayed %q\n%s\nfirst: status %d\n%s", what, again.status, again.header.Get("Idempotent-Replayed"), again.body,
			first.status, first.body)
	}
	for _, name := range []string{"Content-Type", "Content-Disposition", "X-Hash", "Location"} {
		if again.header.Get(name) != first.header.Get(name) {
			t.Errorf("%s: %s is %q, was %q", what, name, again.header.Get(name), first.header.Get(name))
		}
	}
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("%s: the first answer is a replay: %v", what, first.header)
	}
}

// TestOnce_ReplaysTheAnswer ensures that a request which is sent again gets the stored answer, byte for byte and marked, whether it
// was done, refused or is raw, here and in another process, and that it is done once.
func TestOnce_ReplaysTheAnswer(t *testing.T) {
	f, done := newCounting(t, Config{}, nil)
	other := f.again(t, Config{})
	for i, s := range []scenario{
		{name: "done", do: generateDE, body: "{}"},
		{name: "done, with a query", do: generateDE + "?calculate=true", body: "{}"},
		{name: "the bare document", do: generateDE, body: "{}", header: []string{"Accept", "application/xml"}},
		{name: "refused by a rule", do: generateDE, body: "FAKE-REFUSE"},
		{name: "no invoice", do: generateDE, body: "FAKE-FAULTS"},
		{name: "not JSON at all", do: parseDE, body: "{"},
		{name: "no data", do: parseDE, body: "{}"},
		{name: "too many lines", do: generateDE, body: string(manyItems(25_001))},
		{name: "parsed", do: parseAuto, body: `{"data":"PGEvPg=="}`},
		{name: "validated", do: "POST /api/v1/invoice/de/validate", body: `{"invoice":{}}`},
		{name: "a key", do: "POST /api/v1/keys", body: `{"entitlements":["e-invoice:de:xrechnung:create"]}`},
		{name: "a key, refused", do: "POST /api/v1/keys", body: `{}`},
	} {
		t.Run(s.name, func(t *testing.T) {
			method, path, _ := strings.Cut(s.do, " ")
			header := keyed(fmt.Sprintf("key-%d", i), s.header...)
			first := f.ask(t, "full", method, path, s.body, header...)
			before := done.Load()
			for _, process := range []*fixture{f, other} {
				again := process.ask(t, "full", method, path, s.body, header...)
				checkContract(t, method, path, again)
				same(t, s.name, first, again)
			}
			if done.Load() != before {
				t.Error("it was done again")
			}
		})
	}
}

// TestOnce_TellsAnotherRequest ensures that a key which was used is 409 for another method, path, query or body, and independent for
// other keys, accounts and modes.
func TestOnce_TellsAnotherRequest(t *testing.T) {
	f, done := newCounting(t, Config{}, nil)
	header := keyed("order 17")
	conflict := `{"error":"IDEMPOTENCY_CONFLICT","message":"The Idempotency-Key was used for another request: method, path, query and body must be the same",
		"code":"IDEMPOTENCY_CONFLICT","field":"Idempotency-Key","errors":["…"]}`
	runScenarios(t, f, []scenario{
		{name: "first", role: "full", do: generateDE, body: "{}", header: header, status: 200},
		{name: "another body", role: "full", do: generateDE, body: "{ }", header: header, status: 409, want: conflict},
		{name: "another query", role: "full", do: generateDE + "?calculate=true", body: "{}", header: header, status: 409, want: conflict},
		{name: "another path", role: "full", do: "POST /api/v1/invoice/it/fatturapa/generate", body: "{}", header: header, status: 409, want: conflict},
		{name: "a body that is refused", role: "full", do: parseDE, body: "{", header: header, status: 409, want: conflict},
		{name: "another Accept and Prefer", role: "full", do: generateDE, body: "{}", header: append(header, "Accept", "text/xml", "Prefer", "respond-async"), status: 200},
		{name: "another key of the account", role: "german", do: generateDE, body: "[]", header: header, status: 200},
		{name: "the other mode", role: "live", do: generateDE, body: "[1]", header: header, status: 200},
		{name: "another account", role: "stranger", do: generateDE, body: "[2]", header: header, status: 200},
	})
	if done.Load() != 4 {
		t.Errorf("done %d times", done.Load())
	}
}

// TestOnce_PathsThatDifferByCase ensures that segments of country and format are the same request in any case (supplement §1, rule 1).
func TestOnce_PathsThatDifferByCase(t *testing.T) {
	f, done := newCounting(t, Config{}, nil)
	for i, path := range []string{"/api/v1/invoice/de/xrechnung/generate", "/api/v1/invoice/DE/XRechnung/generate"} {
		replayed := []string{"", "true"}[i]
		scenario{role: "full", do: "POST " + path, body: "{}", header: keyed("case"), status: 200, says: map[string]string{"Idempotent-Replayed": replayed}}.run(t, f)
	}
	if done.Load() != 1 {
		t.Errorf("done %d times", done.Load())
	}
}

// TestOnce_ForgetsFailures ensures that what was not decided is tried again: internal errors, missing entitlements, overload.
func TestOnce_ForgetsFailures(t *testing.T) {
	f := newFixture(t, Config{})
	for name, s := range map[string]scenario{
		"an internal error": {role: "full", do: generateDE, body: "FAKE-BROKEN", status: 500},
		"a panic":           {role: "full", do: generateDE, body: "FAKE-PANIC", status: 500},
		"an entitlement":    {role: "italy", do: parseAuto, body: `{"data":"PGEvPg=="}`, status: 403},
		"a template":        {role: "full", do: generateDE, body: "FAKE-TEMPLATE", status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			s.header = keyed(name)
			for range 2 {
				s.run(t, f)
				s.says = map[string]string{"Idempotent-Replayed": ""}
			}
		})
	}
}

// TestOnce_Parallel ensures that of fifty requests at a time one is done, and that all get its answer, across processes.
func TestOnce_Parallel(t *testing.T) {
	hold := make(chan struct{})
	f, done := newCounting(t, Config{}, hold)
	processes := []*fixture{f, f.again(t, Config{})}
	replies := make([]reply, 50)
	var clients sync.WaitGroup
	for i := range replies {
		clients.Go(func() {
			replies[i] = processes[i%2].ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "{}", keyed("parallel")...)
		})
	}
	eventually(t, "one is done", func() bool { return done.Load() == 1 })
	close(hold)
	clients.Wait()
	first := 0
	for i, r := range replies {
		if r.header.Get("Idempotent-Replayed") == "" {
			first++
		}
		if r.status != 200 || !bytes.Equal(r.body, replies[0].body) {
			t.Errorf("request %d: status %d: %s", i, r.status, r.body)
		}
	}
	if done.Load() != 1 || first != 1 {
		t.Errorf("done %d times; %d answers are no replays", done.Load(), first)
	}
}

// TestOnce_WaitsForAnotherProcess ensures that a request whose twin is answered elsewhere does not wait for ever: not beyond the
// limit, and not while the server stops.
func TestOnce_WaitsForAnotherProcess(t *testing.T) {
	hold := make(chan struct{})
	f, done := newCounting(t, Config{}, hold)
	path := "/api/v1/invoice/de/xrechnung/generate"
	var first sync.WaitGroup
	first.Go(func() { f.ask(t, "full", "POST", path, "{}", keyed("slow")...) })
	eventually(t, "it is being done", func() bool { return done.Load() == 1 })
	busy := `{"error":"Service Unavailable","message":"A request with this Idempotency-Key is still being answered; send it again to get its answer","errors":["…"]}`
	impatient := f.again(t, Config{MaxRelay: 50 * time.Millisecond})
	scenario{role: "full", do: generateDE, body: "{}", header: keyed("slow"), status: 503, want: busy}.run(t, impatient)
	stopping := f.again(t, Config{})
	stopping.Drain()
	scenario{role: "full", do: generateDE, body: "{}", header: keyed("slow"), status: 503, want: busy}.run(t, stopping)
	close(hold)
	first.Wait()
	scenario{role: "full", do: generateDE, body: "{}", header: keyed("slow"), status: 200, says: map[string]string{"Idempotent-Replayed": "true"}}.run(t, f)
}

// TestOnce_JoinsAJob ensures that a request which is sent again while its job runs waits for that job, and gets its answer also
// afterwards; and that the client may prefer the job itself.
func TestOnce_JoinsAJob(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1})
	done, job := f.relayed(t, "FAKE-HOLD", keyed("large")...)
	path := "/api/v1/invoice/de/xrechnung/generate"
	async := f.ask(t, "full", "POST", path, "FAKE-HOLD", keyed("large", "Prefer", "respond-async")...)
	checkContract(t, "POST", path, async)
	if async.status != http.StatusAccepted || async.header.Get("Location") != "/api/v1/jobs/"+job.ID || async.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("status %d, header %v", async.status, async.header)
	}
	joined := make(chan reply, 1)
	go func() { joined <- f.again(t, Config{}).ask(t, "full", "POST", path, "FAKE-HOLD", keyed("large")...) }()
	scenario{role: "full", do: generateDE, body: "FAKE-HOLD 2", header: keyed("large"), status: 409}.run(t, f)
	close(f.letGo)
	first := <-done
	same(t, "joined", first, <-joined)
	same(t, "afterwards", first, f.ask(t, "full", "POST", path, "FAKE-HOLD", keyed("large")...))
	raw := f.ask(t, "full", "POST", path, "FAKE-HOLD", keyed("large", "Accept", "application/xml")...)
	if raw.header.Get("Content-Type") != "application/xml" || raw.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the bare document: %v", raw.header)
	}
	if jobs := f.jobsOf(t, "full"); len(jobs) != 1 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// TestOnce_JobThatWasAskedFor ensures that a job which is asked for twice is one.
func TestOnce_JobThatWasAskedFor(t *testing.T) {
	f := newFixture(t, Config{})
	for _, do := range []struct{ path, body string }{
		{"/api/v1/invoice/de/xrechnung/generate", "{}"},
		{"/api/v1/jobs", `{"method":"POST","path":"/api/v1/invoice/de/xrechnung/generate","body":{}}`},
	} {
		var ids []string
		for range 2 {
			r := f.ask(t, "full", "POST", do.path, do.body, keyed("asked for "+do.path, "Prefer", "respond-async")...)
			checkContract(t, "POST", do.path, r)
			ids = append(ids, r.header.Get("Location"))
		}
		if ids[0] == "" || ids[0] != ids[1] {
			t.Errorf("%s: jobs %q", do.path, ids)
		}
	}
	if jobs := f.jobsOf(t, "full"); len(jobs) != 2 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// TestOnce_MultipartBoundaries ensures that a form which is made anew with another boundary is the same request, and one with another
// document is not.
func TestOnce_MultipartBoundaries(t *testing.T) {
	f := newFixture(t, Config{})
	form := func(boundary, name, document string) scenario {
		return scenario{role: "full", do: parseDE, status: 200, header: keyed("form", "Content-Type", "multipart/form-data; boundary="+boundary),
			body: "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" + document + "\r\n--" + boundary + "--\r\n"}
	}
	form("one", "a.xml", "<a/>").run(t, f)
	again := form("two", "a.xml", "<a/>")
	again.says = map[string]string{"Idempotent-Replayed": "true"}
	again.run(t, f)
	for _, s := range []scenario{form("two", "b.xml", "<a/>"), form("two", "a.xml", "<b/>")} {
		s.status = 409
		s.run(t, f)
	}
}

// TestOnce_Keys ensures which keys are taken, for every POST.
func TestOnce_Keys(t *testing.T) {
	f := newFixture(t, Config{})
	refused := fieldJSON("INVALID_VALUE", "Idempotency-Key", "Idempotency-Key: must be one header field of 1 to 255 characters")
	for i := range routes {
		rt := &routes[i]
		if rt.method != http.MethodPost || rt.name == "peppolCallback" { // which is taken once by itself
			continue
		}
		path, _ := rt.fill(f, t)
		for _, key := range []string{"", strings.Repeat("k", 256), "a\tb"} {
			scenario{role: "full", do: "POST " + path, body: bodies[rt.name], header: keyed(key), status: 400, want: refused}.run(t, f)
		}
		body := bodies[rt.name]
		if body == "" {
			body = "{}"
		}
		first := f.ask(t, "full", "POST", path, body, keyed(strings.Repeat("k", 200)+rt.name, rt.header()...)...)
		again := f.ask(t, "full", "POST", path, body, keyed(strings.Repeat("k", 200)+rt.name, rt.header()...)...)
		if first.status >= 300 || again.header.Get("Idempotent-Replayed") != "true" || again.status != first.status {
			t.Errorf("%s: status %d, again %d, replayed %q", rt.name, first.status, again.status, again.header.Get("Idempotent-Replayed"))
		}
	}
	req := must(http.NewRequestWithContext(t.Context(), "POST", f.url+"/api/v1/invoice/parse", strings.NewReader("{}")))(t)
	req.Header = http.Header{"Authorization": {"Bearer " + f.keys["full"]}, "Idempotency-Key": {"a", "b"}}
	if r := f.send(t, req); r.status != 400 {
		t.Errorf("two keys: status %d", r.status)
	}
}

// TestOnce_TooLarge ensures that a body which is not read to its end is not an answer to keep.
func TestOnce_TooLarge(t *testing.T) {
	f := newFixture(t, Config{MaxBody: 1 << 10, MaxInflightBytes: 1 << 20})
	s := scenario{role: "full", do: parseDE, body: "{" + strings.Repeat(" ", 2<<10), header: keyed("large"), status: 413}
	s.run(t, f)
	s.run(t, f)
	// A refusal that comes before the end of the body is kept only when the rest comes, too.
	s.body = "[" + strings.Repeat(" ", 2<<10)
	s.run(t, f)
	scenario{role: "full", do: parseDE, body: "[", header: keyed("large"), status: 400}.run(t, f)
}

// lostInline is a ledger that cannot write down what came of a request.
type lostInline struct{ *ledger.Ledger }

// Settle fails.
func (lostInline) Settle(context.Context, ledger.Ticket, ledger.Settlement) error {
	return ledger.ErrLost
}

// TestOnce_WorkThatCannotBeCounted ensures that an answer is not given out when it could not be written down.
func TestOnce_WorkThatCannotBeCounted(t *testing.T) {
	f := newFixture(t, Config{}, func(d *Deps) { d.Inline = lostInline{d.Inline.(*ledger.Ledger)} })
	scenario{role: "full", do: generateDE, body: "{}", header: keyed("lost"), status: 500}.run(t, f)
	scenario{role: "full", do: generateDE, body: "FAKE-REFUSE", header: keyed("lost too"), status: 422}.run(t, f)
}

// aloneInline is a ledger that writes down nothing but what goes along with something else; with fails, not that either.
type aloneInline struct {
	lostInline
	fails bool
}

// SettleAlong fails if it is to.
func (a aloneInline) SettleAlong(tx *db.Tx, t ledger.Ticket, s ledger.Settlement) error {
	return errors.Join(a.Ledger.SettleAlong(tx, t, s), map[bool]error{true: ledger.ErrLost}[a.fails])
}

// TestOnce_SecretsAreMadeWithTheirAnswer ensures that a secret is made in the transaction that keeps the answer which shows it: nobody who
// asks again after a death gets a second one, and none is made whose answer is lost.
func TestOnce_SecretsAreMadeWithTheirAnswer(t *testing.T) {
	for _, fails := range []bool{false, true} {
		f := newFixture(t, Config{}, func(d *Deps) { d.Inline = aloneInline{lostInline{d.Inline.(*ledger.Ledger)}, fails} })
		key := f.addKey(t, "own", "another", account.NewKey{Mode: account.Test, Entitlements: everything})
		url := "https://hooks.example/in"
		hook, _, err := f.webhooks.Create(t.Context(), key.AccountID, account.Test, webhook.Change{URL: &url})
		if err != nil {
			t.Fatal(err)
		}
		for name, route := range map[string]struct{ path, body string }{
			"a key":                 {keysPath, `{"entitlements":["admin:keys"]}`},
			"a key that is rotated": {keysPath + "/" + key.ID + "/rotate", ""},
			"a webhook":             {webhooksPath, `{"url":"https://hooks.example/x"}`},
			"one that is rotated":   {webhooksPath + "/" + hook.ID + "/rotate", ""},
		} {
			before := f.secrets(t)
			first := f.ask(t, "full", "POST", route.path, route.body, keyed(name)...)
			after := f.secrets(t)
			again := f.ask(t, "full", "POST", route.path, route.body, keyed(name)...)
			switch {
			case fails && (first.status != 500 || again.status != 500 || after != before):
				t.Errorf("%s, whose answer is lost: status %d and %d, secrets %s, then %s", name, first.status, again.status, before, after)
			case !fails && (first.status != 200 || after == before || !bytes.Equal(first.body, again.body) || again.header.Get(replayed) == "" || f.secrets(t) != after):
				t.Errorf("%s: status %d: %s, then %d: %s", name, first.status, first.body, again.status, again.body)
			}
		}
	}
}

// secrets tells of all secrets that are kept.
func (f *fixture) secrets(t testing.TB) string {
	t.Helper()
	var lookups []string
	var secrets [][]byte
	err := errors.Join(f.database.Select(t.Context(), &lookups, "SELECT lookup FROM api_keys ORDER BY id"),
		f.database.Select(t.Context(), &secrets, "SELECT secret FROM webhook_endpoints ORDER BY id"))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %x", lookups, secrets)
}
