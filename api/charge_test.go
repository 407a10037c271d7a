package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/ratelimit"
)

// subscribe makes an account of the name on a plan, with a live and a test key for everything, named like it.
func (f *fixture) subscribe(t testing.TB, name, planName string, lapsed bool) account.Key {
	t.Helper()
	key := f.addKey(t, name, name, account.NewKey{Mode: account.Live, Entitlements: everything})
	f.addKey(t, name, name+" test", account.NewKey{Mode: account.Test, Entitlements: everything})
	if _, err := f.accounts.Update(t.Context(), key.AccountID, account.Change{Plan: &planName, Lapsed: &lapsed}); err != nil {
		t.Fatal(err)
	}
	return key
}

// used gives the units committed of an entitlement.
func (f *fixture) used(t testing.TB, accountID, entitlement string) (current, reserved int64) {
	t.Helper()
	u := must(f.jobs.Usage(t.Context(), accountID, time.Time{}, time.Time{}))(t)
	for _, e := range u.Entitlements {
		if e.Entitlement == entitlement {
			return e.Current, e.Reserved
		}
	}
	return 0, 0
}

const createDE = "e-invoice:de:xrechnung:create"

// quotaJSON is the contract's answer to a quota that is used up.
func quotaJSON(entitlement, quota string) string {
	return strings.Replace(wordJSON("QUOTA_EXCEEDED", "Usage limit reached for "+entitlement), `"errors"`, `"quota":`+quota+`,"errors"`, 1)
}

// TestQuota ensures what counts and what does not, and the answer when a quota is used up.
func TestQuota(t *testing.T) {
	f := newFixture(t, Config{})
	key := f.subscribe(t, "metered", "metered", false)
	exceeded := func(entitlement string, limit int) scenario {
		return scenario{status: 429, says: map[string]string{"Retry-After": ""}, want: quotaJSON(entitlement, fmt.Sprintf(`{"current":%d,"limit":%[1]d,"period":"monthly"}`, limit))}
	}
	over, parsed := exceeded(createDE, 3), exceeded("e-invoice:de:xrechnung:parse", 2)
	for _, s := range []scenario{
		{name: "counts", do: generateDE, body: "{}", status: 200},
		{name: "a refusal does not", do: generateDE, body: "FAKE-REFUSE", status: 422},
		{name: "a failure does not", do: generateDE, body: "FAKE-BROKEN", status: 500},
		{name: "a validation does not", do: "POST /api/v1/invoice/de/xrechnung/validate", body: `{"invoice":{}}`, status: 200},
		{name: "a test key does not", role: "metered test", do: generateDE, body: "{}", status: 200},
		{name: "with a key", do: generateDE, body: "{}", header: keyed("a"), status: 200},
		{name: "a replay does not", do: generateDE, body: "{}", header: keyed("a"), status: 200, says: map[string]string{"Idempotent-Replayed": "true"}},
		{name: "a job", do: generateDE, body: "{}", header: []string{"Prefer", "respond-async, wait=60"}, status: 200},
		{name: "no more", do: generateDE, body: "{}", status: over.status, says: over.says, want: over.want},
		{name: "no more, as a job", do: generateDE, body: "{}", header: []string{"Prefer", "respond-async"}, status: 429, want: over.want},
		{name: "no more, with a key", do: generateDE, body: "{}", header: keyed("b"), status: 429, want: over.want},
		{name: "no more, and no invoice", do: generateDE, body: "FAKE-FAULTS", status: 400},
		{name: "no more, and no invoice, with a key", do: generateDE, body: "FAKE-FAULTS", header: keyed("faults"), status: 400},
		{name: "the same again", do: generateDE, body: "FAKE-FAULTS", header: keyed("faults"), status: 400, says: map[string]string{"Idempotent-Replayed": "true"}},
		{name: "no more, and no invoice, as a job", do: generateDE, body: "FAKE-FAULTS", header: []string{"Prefer", "respond-async"}, status: 400},
		{name: "no more, and an invoice that breaks a rule", do: generateDE, body: "FAKE-REFUSE", status: over.status, want: over.want},
		{name: "no more, and an error of the service", do: generateDE, body: "FAKE-BROKEN", status: over.status, want: over.want},
		{name: "replays go on", do: generateDE, body: "{}", header: keyed("a"), status: 200},
		{name: "each entitlement for itself", do: "POST /api/v1/invoice/it/fatturapa/generate", body: "{}", status: 200},
		{name: "without a quota", do: "POST /api/v1/invoice/de/pdf/generate", body: "{}", status: 200},
		{name: "automatic parse counts as what was detected", do: parseAuto, body: `{"data":"PGEvPg=="}`, status: 200},
		{name: "with the explicit one", do: parseDE, body: `{"data":"PGEvPg=="}`, status: 200},
		{name: "no more parsing", do: parseAuto, body: `{"data":"PGEvPg=="}`, status: 429, want: parsed.want},
		{name: "no more parsing, and nothing that is parsed", do: parseDE, body: fmt.Sprintf(`{"data":%q}`, b64("FAKE-UNKNOWN")), status: 400},
		{name: "no more parsing, and nothing that can be read", do: parseDE, body: fmt.Sprintf(`{"data":%q}`, b64("FAKE-UNREADABLE")), status: 429, want: parsed.want},
		{name: "what cannot be detected is no question of quota", do: parseAuto, body: fmt.Sprintf(`{"data":%q}`, b64("FAKE-UNKNOWN")), status: 400},
	} {
		if s.role == "" {
			s.role = "metered"
		}
		t.Run(s.name, func(t *testing.T) { s.run(t, f) })
	}
	for entitlement, want := range map[string]int64{createDE: 3, "e-invoice:it:fatturapa:create": 1, "pdf:de:generate": 1, "e-invoice:de:xrechnung:parse": 2} {
		if current, reserved := f.used(t, key.AccountID, entitlement); current != want || reserved != 0 {
			t.Errorf("%s: %d used and %d reserved, want %d", entitlement, current, reserved, want)
		}
	}
}

// TestQuota_Lapsed ensures that a lapsed subscription has the limit 0 and no period.
func TestQuota_Lapsed(t *testing.T) {
	f := newFixture(t, Config{})
	f.subscribe(t, "lapsed", "metered", true)
	want := quotaJSON(createDE, `{"current":0,"limit":0}`)
	scenario{role: "lapsed", do: generateDE, body: "{}", status: 429, want: want}.run(t, f)
	scenario{role: "lapsed", do: generateDE, body: "{}", status: 429, header: []string{"Prefer", async}, want: want}.run(t, f)
	scenario{role: "lapsed test", do: generateDE, body: "{}", status: 200}.run(t, f)
}

// TestQuota_AtItsEdge ensures that of many requests at a time exactly as many succeed as the quota has left, inline and in jobs.
func TestQuota_AtItsEdge(t *testing.T) {
	f := newFixture(t, Config{})
	key := f.subscribe(t, "metered", "metered", false)
	var succeeded, refused atomic.Int64
	var clients sync.WaitGroup
	for i := range 40 {
		clients.Go(func() {
			var header []string
			if i%2 == 1 {
				header = []string{"Prefer", "respond-async, wait=60"}
			}
			switch r := f.ask(t, "metered", "POST", "/api/v1/invoice/de/xrechnung/generate", "{}", header...); r.status {
			case http.StatusOK:
				succeeded.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
			default:
				t.Errorf("status %d: %s", r.status, r.body)
			}
		})
	}
	clients.Wait()
	if current, reserved := f.used(t, key.AccountID, createDE); succeeded.Load() != 3 || refused.Load() != 37 || current != 3 || reserved != 0 {
		t.Errorf("%d succeeded, %d were refused, %d used, %d reserved", succeeded.Load(), refused.Load(), current, reserved)
	}
}

// TestQuota_OfFailedJobs ensures that a job which is refused gives back what it has reserved.
func TestQuota_OfFailedJobs(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1})
	key := f.subscribe(t, "metered", "metered", false)
	for i := range 5 {
		scenario{role: "metered", do: generateDE, body: "FAKE-REFUSE", header: keyed(strconv.Itoa(i)), status: 422}.run(t, f)
	}
	if current, reserved := f.used(t, key.AccountID, createDE); current != 0 || reserved != 0 {
		t.Errorf("%d used, %d reserved", current, reserved)
	}
}

// TestPlan_Lines ensures that the account's plan limits the lines of generate and both validate routes, also of documents, and not
// those of parse.
func TestPlan_Lines(t *testing.T) {
	f := newFixture(t, Config{})
	f.subscribe(t, "small", "small", false)
	seen := &seenItems{}
	g := newFixture(t, Config{}, func(d *Deps) { d.Operations = seen })
	g.subscribe(t, "small", "small", false)
	tooMany := `{"error":"TOO_MANY_LINE_ITEMS","message":"items has 26 entries; at most 25 are allowed","code":"TOO_MANY_LINE_ITEMS","field":"items",
		"lineItems":{"count":26,"limit":25},"errors":["…"]}`
	for _, role := range []string{"small", "small test"} {
		for _, do := range []string{generateDE, "POST /api/v1/invoice/de/validate", "POST /api/v1/invoice/de/xrechnung/validate"} {
			scenario{role: role, do: do, body: string(manyItems(25)), status: 200}.run(t, f)
			scenario{role: role, do: do, body: string(manyItems(26)), status: 400, want: tooMany}.run(t, f)
		}
	}
	scenario{role: "full", do: generateDE, body: string(manyItems(26)), status: 200}.run(t, f)
	for _, prefer := range []string{"", "respond-async, wait=60"} {
		scenario{role: "small", do: "POST /api/v1/invoice/de/validate", body: "<Invoice/>", status: 200,
			header: []string{"Content-Type", "application/xml", "Prefer", prefer}}.run(t, g)
		if got := seen.items.Swap(0); got != 25 {
			t.Errorf("Prefer %q: a document may have %d lines", prefer, got)
		}
	}
}

// seenItems notes how many lines a document may have.
type seenItems struct {
	fakeOperations
	items atomic.Int64
}

// Validate notes it.
func (s *seenItems) Validate(ctx context.Context, req operation.ValidateRequest) (*operation.ValidateAnswer, error) {
	s.items.Store(int64(req.MaxItems))
	return s.fakeOperations.Validate(ctx, req)
}

// TestRate ensures the header fields of keys with a rate, and the answer to one that asks too often.
func TestRate(t *testing.T) {
	limiter := must(ratelimit.New(ratelimit.Config{}))(t)
	f := newFixture(t, Config{}, func(d *Deps) { d.Limiter = limiter })
	f.subscribe(t, "small", "small", false)
	for i, left := range []string{"2", "1", "0"} {
		path := []string{"/api/v1/invoice/formats", "/api/v1/jobs/job_1", "/api/v1/jobs"}[i]
		r := f.ask(t, "small", "GET", path, "")
		checkContract(t, "GET", path, r)
		if r.header.Get("X-RateLimit-Limit") != "3" || r.header.Get("X-RateLimit-Remaining") != left {
			t.Errorf("%s: status %d, header %v", path, r.status, r.header)
		}
		if at, err := strconv.ParseInt(r.header.Get("X-RateLimit-Reset"), 10, 64); err != nil || time.Until(time.Unix(at, 0)) > 5*time.Second || time.Until(time.Unix(at, 0)) < -time.Second {
			t.Errorf("reset %q", r.header.Get("X-RateLimit-Reset"))
		}
	}
	r := f.ask(t, "small", "POST", "/api/v1/invoice/parse", `{"data":"PGEvPg=="}`)
	checkContract(t, "POST", "/api/v1/invoice/parse", r)
	checkMatch(t, r.body, wordJSON("RATE_LIMITED", "This API key asks too often; retry with exponential backoff"))
	if r.status != 429 || r.header.Get("Retry-After") != "" || r.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("status %d, header %v", r.status, r.header)
	}
	if r := f.ask(t, "small test", "GET", "/api/v1/jobs", ""); r.status != 200 {
		t.Errorf("another key: status %d", r.status)
	}
	if r := f.ask(t, "full", "GET", "/api/v1/jobs", ""); r.header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("a key without a rate: %v", r.header)
	}
}

// TestRate_OfTheOperator ensures that the operator's rate holds for keys whose plan says nothing.
func TestRate_OfTheOperator(t *testing.T) {
	limiter := must(ratelimit.New(ratelimit.Config{}))(t)
	f := newFixture(t, Config{Rate: ratelimit.Rate{PerSecond: 1, Burst: 1}}, func(d *Deps) { d.Limiter = limiter })
	scenario{role: "full", do: "GET /api/v1/jobs", status: 200}.run(t, f)
	scenario{role: "full", do: "GET /api/v1/jobs", status: 429}.run(t, f)
	scenario{do: "GET /healthz", status: 200}.run(t, f)
}

// TestUsage ensures what GET /usage tells.
func TestUsage(t *testing.T) {
	f := newFixture(t, Config{})
	f.subscribe(t, "metered", "metered", false)
	scenario{role: "metered", do: generateDE, body: "{}", status: 200}.run(t, f)
	scenario{role: "metered", do: "POST /api/v1/invoice/de/pdf/generate", body: "{}", status: 200}.run(t, f)
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	want := fmt.Sprintf(`{"period":{"type":"monthly","start":%q,"end":%q},"data":[
		{"entitlement":"e-invoice:de:xrechnung:create","current":1,"limit":3},{"entitlement":"pdf:de:generate","current":1,"limit":null}]}`,
		month.Format(time.RFC3339), month.AddDate(0, 1, 0).Format(time.RFC3339))
	today := now.Format(time.DateOnly)
	for _, query := range []string{"", "?from=" + today, "?to=" + today, "?from=" + today + "&to=" + today} {
		scenario{role: "metered", do: "GET /api/v1/usage" + query, status: 200, want: want}.run(t, f)
	}
	scenario{role: "stranger", do: "GET /api/v1/usage", status: 200, want: `{"period":"…","data":[]}`}.run(t, f)
	r := f.ask(t, "metered", "GET", "/api/v1/usage?from=2020-03-31&to=2020-05-01", "")
	var u usageView
	if err := json.Unmarshal(r.body, &u); err != nil || u.Period.Start.Format(time.DateOnly) != "2020-03-01" || u.Period.End.Format(time.DateOnly) != "2020-06-01" {
		t.Errorf("%s, %v", r.body, err)
	}
	for query, field := range map[string]string{"from=yesterday": "from", "to=2026-02-30": "to", "from=2026-03-02&to=2026-03-01": "to", "from=2000-01-01&to=2026-01-01": "to", "from=0001-01-01": "from"} {
		r := f.ask(t, "metered", "GET", "/api/v1/usage?"+query, "")
		checkContract(t, "GET", "/api/v1/usage", r)
		if r.status != 400 || !strings.Contains(string(r.body), `"field":"`+field+`"`) {
			t.Errorf("%s: status %d: %s", query, r.status, r.body)
		}
	}
}

// TestEvents ensures what is told of which answers, inline and from jobs: the very same.
func TestEvents(t *testing.T) {
	here, there := newFixture(t, Config{}), newFixture(t, Config{InlineMaxBytes: 1})
	for _, s := range []scenario{
		{name: "created", do: generateDE, body: "{}", status: 200,
			want: `{"invoiceNumber":"R-1","format":"xrechnung","filename":"R-1.xml","mimeType":"application/xml","hash":"…","currency":"EUR","subtotal":100.00,"total":119.00,
				"taxSummary":[{"taxRate":19,"netAmount":100,"taxAmount":19}]}`},
		{name: "refused", do: generateDE, body: "FAKE-REFUSE", status: 422},
		{name: "parsed", do: parseDE, body: `{"data":"PGEvPg=="}`, status: 200},
		{name: "validated", do: "POST /api/v1/invoice/DE/xrechnung/validate", body: `{"invoice":{}}`, status: 200,
			want: `{"invoiceNumber":"R-1","countryCode":"DE","format":"xrechnung","valid":true,"warnings":["…"]}`},
		{name: "validated in every format", do: "POST /api/v1/invoice/de/validate", body: `{"invoice":{}}`, status: 200,
			want: `{"invoiceNumber":"R-1","countryCode":"DE","format":null,"valid":true,"warnings":["…"]}`},
		{name: "a document", do: "POST /api/v1/invoice/de/validate", body: `{"xml":"<a/>"}`, status: 200,
			want: `{"invoiceNumber":"R-1","countryCode":"DE","format":"xrechnung","valid":true,"warnings":["…"]}`},
	} {
		t.Run(s.name, func(t *testing.T) {
			want := s.want
			s.role, s.want = "full", ""
			for _, f := range []*fixture{here, there} {
				s.run(t, f)
				var told []ledger.Event
				if want != "" {
					eventually(t, "it is told", func() bool { told = append(told, f.told.take()...); return len(told) > 0 })
				} else {
					told = f.told.take()
				}
				switch {
				case want == "" && len(told) > 0, want != "" && len(told) != 1:
					t.Errorf("told %d events", len(told))
				case want != "":
					checkMatch(t, told[0].Object, want)
				}
			}
		})
	}
}

// TestEvents_OfAskedForJobs ensures that the end of a job which was asked for is told, with its metadata, beside what it did.
func TestEvents_OfAskedForJobs(t *testing.T) {
	f := newFixture(t, Config{})
	body := `{"method":"POST","path":"/api/v1/invoice/de/xrechnung/generate","body":"BODY","metadata":{"run":"7"}}`
	for _, c := range []struct{ word, types string }{{`{}`, "invoice.created job.succeeded"}, {`"FAKE-REFUSE"`, "job.failed"}} {
		scenario{role: "full", do: "POST /api/v1/jobs", body: strings.Replace(body, `"BODY"`, c.word, 1), status: 202}.run(t, f)
		var types []string
		var last ledger.Event
		eventually(t, "the end is told", func() bool {
			for _, e := range f.told.take() {
				types, last = append(types, e.Type), e
			}
			return strings.HasPrefix(last.Type, "job.")
		})
		if got := strings.Join(types, " "); got != c.types || !strings.Contains(string(last.Object), `"metadata":{"run":"7"}`) || strings.Contains(string(last.Object), `"result"`) ||
			strings.Contains(string(last.Object), `"error":{"error":"Unprocessable Entity"`) != (c.types == "job.failed") {
			t.Errorf("told %s: %s", got, last.Object)
		}
	}
}
