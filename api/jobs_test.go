package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

const async = "respond-async"

// finishedJob makes a job of the role's key that generates a document, and waits for its end.
func (f *fixture) finishedJob(t testing.TB, role string) jobView {
	t.Helper()
	return f.finished(t, role, f.accept(t, role, generateDE, "{}"))
}

// accept posts a request as a job and gives its id.
func (f *fixture) accept(t testing.TB, role, do, body string) string {
	t.Helper()
	method, path, _ := strings.Cut(do, " ")
	r := f.ask(t, role, method, path, body, "Prefer", async)
	var job jobView
	if err := json.Unmarshal(r.body, &job); err != nil || r.status != http.StatusAccepted {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	checkContract(t, method, path, r)
	if r.header.Get("Location") != "/api/v1/jobs/"+job.ID || r.header.Get("Preference-Applied") != async {
		t.Errorf("header of a 202: %v", r.header)
	}
	checkMatch(t, r.body, fmt.Sprintf(`{"id":%q,"type":%q,"status":"queued","created":"…"}`, job.ID, job.Type))
	return job.ID
}

func (f *fixture) finished(t testing.TB, role, id string) (job jobView) {
	t.Helper()
	eventually(t, "the job "+id+" has ended", func() bool {
		r := f.ask(t, role, "GET", "/api/v1/jobs/"+id, "")
		job = jobView{}
		if err := json.Unmarshal(r.body, &job); err != nil {
			t.Fatalf("%v\n%s", err, r.body)
		}
		checkContract(t, "GET", "/api/v1/jobs/"+id, r)
		return job.Status.Finished()
	})
	return job
}

// orders are requests whose queued answer must be the synchronous one.
var orderScenarios = []struct{ name, do, body string }{
	{"generate", generateDE, `{"invoice":{}}`},
	{"generate with calculation", generateDE + "?calculate=true", `{"a":"\u00e4 <b> & \u2028"}`},
	{"generate, refused", generateDE, "FAKE-REFUSE"},
	{"generate, every fault", generateDE, "FAKE-FAULTS"},
	{"parse", parseDE, `{"data":"PGEvPg==","filename":"a \"b\".xml"}`},
	{"parse, refused", parseDE, fmt.Sprintf(`{"data":%q}`, b64("FAKE-UNREADABLE"))},
	{"automatic parse", parseAuto, `{"data":"PGEvPg=="}`},
	{"automatic parse, refused", parseAuto, fmt.Sprintf(`{"data":%q}`, b64("FAKE-UNKNOWN"))},
}

// TestJobs_AnswerAsTheSynchronousCall ensures that a job brings the bytes of the synchronous answer, by wait, in its row and
// as its artifact.
func TestJobs_AnswerAsTheSynchronousCall(t *testing.T) {
	f := newFixture(t, Config{})
	for _, o := range orderScenarios {
		t.Run(o.name, func(t *testing.T) {
			method, path, _ := strings.Cut(o.do, " ")
			now := f.ask(t, "full", method, path, o.body)
			waited := f.ask(t, "full", method, path, o.body, "Prefer", "respond-async, wait=100")
			checkContract(t, method, path, waited)
			if waited.status != now.status || !bytes.Equal(waited.body, now.body) {
				t.Errorf("waited for: %d %s\nsynchronous: %d %s", waited.status, waited.body, now.status, now.body)
			}
			job := f.finished(t, "full", f.accept(t, "full", o.do, o.body))
			shown := job.Result
			if now.status >= 400 {
				shown = job.Error
			}
			if !bytes.Equal(shown, now.body) {
				t.Errorf("in the job: %s\nsynchronous: %s", shown, now.body)
			}
		})
	}
}

// TestJobs_Artifact ensures what the artifact of a job is.
func TestJobs_Artifact(t *testing.T) {
	f := newFixture(t, Config{})
	made := "GET " + f.finishedJob(t, "full").Artifact
	parsed := "GET " + f.finished(t, "full", f.accept(t, "full", parseAuto, `{"data":"PGEvPg=="}`)).Artifact
	refused := f.finished(t, "full", f.accept(t, "full", generateDE, "FAKE-REFUSE"))
	if refused.Status != ledger.Failed || refused.Artifact != "" {
		t.Errorf("a refused job: %+v", refused)
	}
	document := map[string]string{"Content-Type": "application/xml", "Content-Disposition": "attachment; filename=R-1.xml"}
	answer := map[string]string{"Content-Type": "application/json"}
	runScenarios(t, f, []scenario{
		{name: "the document", role: "full", do: made, status: 200, says: document},
		{name: "the document, as a browser asks", role: "full", do: made, header: []string{"Accept", "application/json, text/plain, */*"}, status: 200, says: document},
		{name: "the answer", role: "full", do: made, header: []string{"Accept", "application/json"}, status: 200, says: answer},
		{name: "an operation without a document", role: "full", do: parsed, status: 200, says: answer},
		{name: "what was detected needs its entitlement", role: "italy", do: parsed, status: 403,
			want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:de:xrechnung:parse")},
		{name: "also in the job itself", role: "italy", do: strings.TrimSuffix(parsed, "/artifact"), status: 403,
			want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:de:xrechnung:parse")},
		{name: "none of a refused job", role: "full", do: "GET /api/v1/jobs/" + refused.ID + "/artifact", status: 404,
			want: problemJSON("Not Found", "NOT_FOUND", "Job "+refused.ID+" is failed and has no artifact")},
	})
	if r := f.ask(t, "full", "GET", strings.TrimPrefix(made, "GET "), ""); string(r.body) != "<de>{}</de>" {
		t.Errorf("artifact %q", r.body)
	}
}

// TestJobs_LargeResult ensures that a result above the limit is only an artifact.
func TestJobs_LargeResult(t *testing.T) {
	f := newFixture(t, Config{MaxInlineResult: 100})
	job := f.finishedJob(t, "full")
	if job.Status != ledger.Succeeded || job.Result != nil || job.Artifact == "" {
		t.Errorf("%+v", job)
	}
	scenario{role: "full", do: "GET " + job.Artifact, status: 200}.run(t, f)
}

// TestJobs_Wait ensures that an unfinished job is a 202 when the time is up, and that it goes on.
func TestJobs_Wait(t *testing.T) {
	f := newFixture(t, Config{MaxWait: 20 * time.Millisecond})
	r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "FAKE-WAIT", "Prefer", `respond-async; x=1, wait="30"`)
	if r.status != http.StatusAccepted {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/generate", r)
}

// TestJobs_WaitEndsWithDraining ensures that a stopping server keeps nobody waiting.
func TestJobs_WaitEndsWithDraining(t *testing.T) {
	f := newFixture(t, Config{})
	done := make(chan reply, 1)
	go func() {
		done <- f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "FAKE-WAIT", "Prefer", "respond-async, wait=100")
	}()
	eventually(t, "the job runs", func() bool {
		return strings.Contains(string(f.ask(t, "full", "GET", "/api/v1/jobs", "").body), `"running"`)
	})
	scenario{do: "GET /readyz", status: 200}.run(t, f)
	f.Drain()
	if r := <-done; r.status != http.StatusAccepted {
		t.Errorf("status %d: %s", r.status, r.body)
	}
	scenario{do: "GET /readyz", status: 503, want: problemJSON("Service Unavailable", "SERVICE_UNAVAILABLE", "The service is shutting down")}.run(t, f)
	scenario{do: "GET /healthz", status: 200}.run(t, f)
}

// TestJobs_Delete ensures that a waiting job is canceled and a finished one erased.
func TestJobs_Delete(t *testing.T) {
	f := newFixture(t, Config{})
	running, ended := f.accept(t, "full", generateDE, "FAKE-WAIT"), f.finishedJob(t, "full").ID
	runScenarios(t, f, []scenario{
		{name: "cancel", role: "full", do: "DELETE /api/v1/jobs/" + running, status: 200},
		{name: "canceled", role: "full", do: "GET /api/v1/jobs/" + running, status: 200},
		{name: "erase", role: "full", do: "DELETE /api/v1/jobs/" + ended, status: 200},
		{name: "erase again", role: "full", do: "DELETE /api/v1/jobs/" + ended, status: 200},
		{name: "the artifact is gone", role: "full", do: "GET /api/v1/jobs/" + ended + "/artifact", status: 404,
			want: problemJSON("Not Found", "NOT_FOUND", "Job "+ended+" is expired and has no artifact")},
	})
	if job := f.finished(t, "full", running); job.Status != ledger.Canceled {
		t.Errorf("canceled job: %+v", job)
	}
	if job := f.finished(t, "full", ended); job.Status != ledger.Expired || job.Result != nil || job.Artifact != "" {
		t.Errorf("erased job: %+v", job)
	}
}

// TestJobs_List ensures pages, and that jobs of other operations, modes and accounts are left out.
func TestJobs_List(t *testing.T) {
	f := newFixture(t, Config{})
	var own []string
	for range 3 {
		own = append([]string{f.accept(t, "italy", "POST /api/v1/invoice/it/fatturapa/generate", "{}")}, own...)
		f.accept(t, "full", generateDE, "{}")
		f.accept(t, "live", generateDE, "{}")
		f.accept(t, "stranger", generateDE, "{}")
	}
	list := func(role, query string) (ids []string, more bool) {
		r := f.ask(t, role, "GET", "/api/v1/jobs"+query, "")
		checkContract(t, "GET", "/api/v1/jobs", r)
		var page struct {
			Data    []jobView `json:"data"`
			HasMore bool      `json:"has_more"`
		}
		if err := json.Unmarshal(r.body, &page); err != nil || r.status != 200 {
			t.Fatalf("status %d: %s", r.status, r.body)
		}
		for _, j := range page.Data {
			ids = append(ids, j.ID)
		}
		return ids, page.HasMore
	}
	want := func(role, query string, more bool, ids ...string) {
		t.Helper()
		if got, gotMore := list(role, query); fmt.Sprint(got) != fmt.Sprint(ids) || gotMore != more {
			t.Errorf("%s%s: %v %v, want %v %v", role, query, got, gotMore, ids, more)
		}
	}
	want("italy", "", false, own...)
	want("italy", "?limit=2", true, own[:2]...)
	want("italy", "?limit=2&starting_after="+own[1], false, own[2])
	want("italy", "?limit=2&ending_before="+own[2], false, own[:2]...) // before them comes one job that the key may not see
	want("italy", "?ending_before="+own[0], false)
	want("nobody", "", false)
	if all, _ := list("full", ""); len(all) != 6 {
		t.Errorf("the whole account: %v", all)
	}
	if r := f.ask(t, "stranger", "GET", "/api/v1/jobs", ""); strings.Contains(string(r.body), own[0]) {
		t.Errorf("a stranger sees %s", r.body)
	}
	runScenarios(t, f, []scenario{
		{name: "limit of zero", role: "full", do: "GET /api/v1/jobs?limit=0", status: 400,
			want: fieldJSON("INVALID_VALUE", "limit", "limit: must be a whole number from 1 to 100")},
		{name: "limit of text", role: "full", do: "GET /api/v1/jobs?limit=ten", status: 400},
		{name: "a cursor that is no id", role: "full", do: "GET /api/v1/jobs?starting_after=%ff%00", status: 400,
			want: fieldJSON("INVALID_VALUE", "starting_after", "starting_after: must be an id from the list")},
		{name: "a job whose id is none", role: "full", do: "GET /api/v1/jobs/%ff%00", status: 404, want: ""},
		{name: "both cursors", role: "full", do: "GET /api/v1/jobs?starting_after=a&ending_before=b", status: 400,
			want: fieldJSON("INVALID_VALUE", "ending_before", "ending_before: cannot be combined with starting_after")},
	})
}

// TestJobs_IgnoreServerMembers ensures that members which belong to the server are not taken from a body (mass assignment).
func TestJobs_IgnoreServerMembers(t *testing.T) {
	f := newFixture(t, Config{})
	id := f.accept(t, "full", parseDE, `{"data":"PGEvPg==","account":"acc_1","mode":"live","status":"succeeded","hash":"x","keyId":"key_1"}`)
	job := must(f.jobs.Get(t.Context(), must(f.accounts.Verify(t.Context(), f.keys["full"]))(t).AccountID, account.Test, id))(t)
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	if job.Account != key.AccountID || job.KeyID != key.ID || job.Mode != account.Test || job.Kind != "parse:de:xrechnung" {
		t.Errorf("%+v", job)
	}
}

// TestJobs_KeepTheRequestID ensures that the log of a worker can be joined with that of the API.
func TestJobs_KeepTheRequestID(t *testing.T) {
	f := newFixture(t, Config{})
	r := f.ask(t, "full", "POST", "/api/v1/invoice/parse", `{"data":"PGEvPg=="}`, "Prefer", async, "X-Request-ID", "mine-1")
	var job jobView
	if err := json.Unmarshal(r.body, &job); err != nil {
		t.Fatal(err)
	}
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	if kept := must(f.jobs.Get(t.Context(), key.AccountID, key.Mode, job.ID))(t); kept.RequestID != "mine-1" {
		t.Errorf("request id %q", kept.RequestID)
	}
}

// TestJobs_Failure ensures the public side of a job that the service itself failed.
func TestJobs_Failure(t *testing.T) {
	job := ledger.Job{ID: "job_1", Kind: "parse", State: ledger.Failed, Failure: &ledger.Failure{Code: ledger.CodeTimedOut, Message: "Job job_1 did not finish within 2m0s"}}
	want := `{"error":"Internal Server Error","message":"Job job_1 did not finish within 2m0s","code":"JOB_TIMED_OUT",
		"errors":[{"code":"JOB_TIMED_OUT","message":"Job job_1 did not finish within 2m0s","field":""}]}`
	checkMatch(t, viewOf(job).Error, want)
	f := newFixture(t, Config{})
	_, err := f.outcome(&call{r: httptest.NewRequest("POST", "/", nil)}, job)
	if p := problemOf(err); p.status != 500 {
		t.Errorf("relayed: %v", err)
	} else {
		checkMatch(t, p.body(), want)
	}
}

// isolating is a runner in another process, as far as the API can tell.
type isolating struct {
	job.Runner
	runs atomic.Int32
}

func (i *isolating) Run(ctx context.Context, run job.Run, request ledger.Content) (ledger.Output, error) {
	i.runs.Add(1)
	return i.Runner.Run(ctx, run, request)
}

// TestIsolated_AnswersAlike ensures that orders of a kind which is always done in a process of its own have the answers of those that
// are not, and that only they are done so.
func TestIsolated_AnswersAlike(t *testing.T) {
	all := kinds.All(fakeOperations{})
	all.Find("generate").Isolation = job.Always
	subprocesses := &isolating{Runner: job.NewLocal(all, noRulebooks(t), nil)}
	isolated, here := newFixture(t, Config{}, func(d *Deps) { d.Kinds, d.Isolated = all, subprocesses }), newFixture(t, Config{})
	n := int32(0)
	for _, role := range []string{"full", "live"} {
		for _, body := range []string{"{}", "FAKE-REFUSE", "FAKE-FAULTS", "FAKE-BROKEN"} {
			for _, accept := range []string{"application/json", "application/xml"} {
				method, path, _ := strings.Cut(generateDE, " ")
				n++
				got, want := isolated.ask(t, role, method, path, body, "Accept", accept), here.ask(t, role, method, path, body, "Accept", accept)
				if got.status != want.status || string(got.body) != string(want.body) || got.header.Get("X-Hash") != want.header.Get("X-Hash") {
					t.Errorf("%s: %d %s, want %d %s", body, got.status, got.body, want.status, want.body)
				}
			}
		}
	}
	isolated.ask(t, "full", "POST", "/api/v1/invoice/parse", `{"data":"PGEvPg=="}`)
	if subprocesses.runs.Load() != n {
		t.Errorf("%d runs in the other process, want %d", subprocesses.runs.Load(), n)
	}
}

// TestPreferred ensures how the Prefer field is read.
func TestPreferred(t *testing.T) {
	for text, want := range map[string]preference{
		"":                               {},
		"wait=5":                         {wait: 5 * time.Second},
		"respond-async":                  {async: true},
		"Respond-Async, wait=10":         {async: true, wait: 10 * time.Second},
		"return=minimal;x, wait = \"7\"": {wait: 7 * time.Second},
		"respond-async; wait=3":          {async: true},
		"respond-async, wait=-1":         {async: true},
		"respond-async, wait=1e3":        {async: true},
		"respond-async-please":           {},
	} {
		if got := preferred(http.Header{"Prefer": {text}}); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	if got := preferred(http.Header{"Prefer": {"wait=2", "respond-async"}}); got != (preference{true, 2 * time.Second}) {
		t.Errorf("two fields: %+v", got)
	}
}
