package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// jobsOf gives the jobs of the role's account and mode, newest first.
func (f *fixture) jobsOf(t testing.TB, role string) []ledger.Job {
	t.Helper()
	key := must(f.accounts.Verify(t.Context(), f.keys[role]))(t)
	jobs, _, err := f.jobs.List(t.Context(), key.AccountID, key.Mode, ledger.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// relayScenarios are requests with the Accept fields that make a difference.
func relayScenarios() []scenario {
	var list []scenario
	for _, o := range orderScenarios {
		for _, accept := range []string{"", "*/*", "application/json", "application/xml", "text/xml"} {
			list = append(list, scenario{name: o.name + ", Accept " + accept, role: "full", do: o.do, body: o.body, header: []string{"Accept", accept}})
		}
	}
	upload := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.xml\"\r\n\r\n<Invoice/>\r\n--x--\r\n"
	return append(list,
		scenario{name: "multipart", role: "full", do: parseAuto, body: upload, header: []string{"Content-Type", "multipart/form-data; boundary=x"}},
		scenario{name: "a bare document", role: "full", do: "POST /api/v1/invoice/de/validate?asOf=2026-01-01", body: "<Invoice/>", header: []string{"Content-Type", "text/xml"}},
		scenario{name: "an invoice in every format", role: "german", do: "POST /api/v1/invoice/de/validate", body: `{"invoice":{}}`},
		scenario{name: "what was detected is not allowed", role: "italy", do: parseAuto, body: `{"data":"PGEvPg=="}`},
	)
}

// TestRelay_AnswersAsInline ensures that a request which a worker does is answered byte for byte as one that is done here: status,
// body and header, also the bare document.
func TestRelay_AnswersAsInline(t *testing.T) {
	inline, relaying := newFixture(t, Config{}), newFixture(t, Config{InlineMaxBytes: 1})
	for _, s := range relayScenarios() {
		t.Run(s.name, func(t *testing.T) {
			method, path, _ := strings.Cut(s.do, " ")
			want := inline.ask(t, s.role, method, path, s.body, s.header...)
			got := relaying.ask(t, s.role, method, path, s.body, s.header...)
			checkContract(t, method, path, got)
			for _, own := range []string{"X-Request-Id", "Date"} {
				want.header.Del(own)
				got.header.Del(own)
			}
			if got.status != want.status || !bytes.Equal(got.body, want.body) || fmt.Sprint(got.header) != fmt.Sprint(want.header) {
				t.Errorf("relayed: %d %v\n%s\ninline: %d %v\n%s", got.status, got.header, got.body, want.status, want.header, want.body)
			}
		})
	}
	if jobs := inline.jobsOf(t, "full"); len(jobs) != 0 {
		t.Errorf("%d jobs of small requests", len(jobs))
	}
	jobs := relaying.jobsOf(t, "full")
	if len(jobs) < len(orderScenarios)*5 {
		t.Errorf("%d jobs", len(jobs))
	}
	for _, job := range jobs {
		if job.Announce || job.Queue != names.Interactive {
			t.Errorf("job of a client that knows of none: %+v", job)
		}
	}
}

// carried is a PDF that carries a document.
func carried(xml string) string {
	return string(pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: []byte(xml)}}}.Bytes())
}

// TestRelay_Threshold ensures from how many lines and bytes on a worker does the work.
func TestRelay_Threshold(t *testing.T) {
	f := newFixture(t, Config{InlineMaxLines: 500, InlineMaxBytes: 64 << 10})
	xml := func(lines int) string {
		return "<Invoice>" + strings.Repeat("<cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:Note>lines have text</cbc:Note></cac:InvoiceLine>", lines) + "</Invoice>"
	}
	queued := 0
	for _, c := range []struct {
		name, do, body string
		large          bool
	}{
		{"500 lines", generateDE, string(manyItems(500)), false},
		{"501 lines", generateDE, string(manyItems(501)), true},
		{"501 lines in a validation", "POST /api/v1/invoice/de/xrechnung/validate", string(manyItems(501)), true},
		{"64 KiB", generateDE, strings.Repeat(" ", 64<<10), false},
		{"a byte more", generateDE, strings.Repeat(" ", 64<<10+1), true},
		{"a document of 500 lines", parseDE, fmt.Sprintf(`{"data":%q}`, b64(xml(500))), false},
		{"a document of 501 lines", parseDE, fmt.Sprintf(`{"data":%q}`, b64(xml(501))), true},
		{"501 lines with white space in their tags", parseDE, fmt.Sprintf(`{"data":%q}`, b64(strings.ReplaceAll(xml(501), "Line>", "Line >"))), true},
		{"501 VAT breakdowns", parseDE, fmt.Sprintf(`{"data":%q}`, b64(strings.ReplaceAll(xml(501), "InvoiceLine", "TaxSubtotal"))), true},
		{"a PDF with a document of 500 lines", parseDE, fmt.Sprintf(`{"data":%q}`, b64(carried(xml(500)))), false},
		{"a PDF with a document of 501 lines", parseDE, fmt.Sprintf(`{"data":%q}`, b64(carried(xml(501)))), true},
	} {
		scenario{role: "full", do: c.do, body: c.body, status: 200}.run(t, f)
		now := len(f.jobsOf(t, "full"))
		if (now > queued) != c.large {
			t.Errorf("%s: a job: %v", c.name, now > queued)
		}
		queued = now
	}
}

// TestRelay_TakesOverWhatTakesLong ensures that an order which is not done within the time for inline work becomes a job whose answer the
// client gets, once, also under an idempotency key.
func TestRelay_TakesOverWhatTakesLong(t *testing.T) {
	f := newFixture(t, Config{InlineMaxTime: time.Millisecond})
	for i, header := range [][]string{nil, keyed("long"), keyed("long")} {
		r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "FAKE-LONG", header...)
		if r.status != 200 || !bytes.Contains(r.body, []byte(`"success":true`)) {
			t.Errorf("%d: %d %s", i, r.status, r.body)
		}
	}
	if jobs := f.jobsOf(t, "full"); len(jobs) != 2 {
		t.Errorf("%d jobs of two orders, one of which was repeated", len(jobs))
	}
}

// TestDocumentLines ensures what counts as a line of a document.
func TestDocumentLines(t *testing.T) {
	line := "<ram:IncludedSupplyChainTradeLineItem>" + strings.Repeat(" ", 64) + "</ram:IncludedSupplyChainTradeLineItem>"
	for text, want := range map[string]int{
		strings.Repeat(line, 7): 7,
		strings.Repeat("<InvoiceLine >"+strings.Repeat(" ", 64)+"</InvoiceLine>", 3): 3,
		"%PDF-1.7 " + strings.Repeat(line, 7):                                        0,
		strings.Repeat("<a/><b/>", 500):                                              20,
	} {
		if got := documentLines([]byte(text)); got != want {
			t.Errorf("%d lines, want %d: %.60s", got, want, text)
		}
	}
}

// relayed posts a request that a worker does, and gives the answer later. It returns when the job runs.
func (f *fixture) relayed(t *testing.T, body string, header ...string) (<-chan reply, ledger.Job) {
	t.Helper()
	done := make(chan reply, 1)
	go func() {
		done <- f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", body, header...)
	}()
	var job ledger.Job
	eventually(t, "the job runs", func() bool {
		jobs := f.jobsOf(t, "full")
		if len(jobs) > 0 {
			job = jobs[0]
		}
		return job.State == ledger.Running
	})
	return done, job
}

// TestRelay_GivesItsMemoryBack ensures that a request which waits for a worker holds neither its body nor a place.
func TestRelay_GivesItsMemoryBack(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1, MaxInflight: 1, MaxBody: 1 << 20, MaxInflightBytes: 1 << 20})
	done, _ := f.relayed(t, "FAKE-HOLD")
	free := func(while string) {
		t.Helper()
		if c := f.capacity; !idle(c.coming) || !idle(c.spooled) || !idle(c.loaded) || !idle(c.requests) || !idle(c.processors) {
			t.Errorf("something is held while %s", while)
		}
	}
	free("a request waits for its job")
	scenario{role: "full", do: generateDE, body: "{}", status: 200}.run(t, f)
	first, _ := f.relayed(t, "FAKE-HOLD", keyed("k")...)
	joined := make(chan reply, 1)
	go func() {
		joined <- f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "FAKE-HOLD", keyed("k")...)
	}()
	eventually(t, "one waits for the job of another", func() bool {
		f.watcher.mu.Lock()
		defer f.watcher.mu.Unlock()
		for _, job := range f.watcher.watched {
			if job.waiting == 2 {
				return true
			}
		}
		return false
	})
	free("a request waits for the job of another")
	close(f.letGo)
	if a, b := <-first, <-joined; a.status != 200 || b.status != 200 {
		t.Errorf("status %d and %d", a.status, b.status)
	}
	if r := <-done; r.status != 200 {
		t.Errorf("status %d: %s", r.status, r.body)
	}
}

// TestRelay_ClientLeaves ensures that a client which leaves does not cancel its job.
func TestRelay_ClientLeaves(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1})
	conn := f.begin(t, "full", "/api/v1/invoice/de/xrechnung/generate", 10)
	if _, err := conn.Write([]byte("FAKE-HOLD")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the job runs", func() bool { jobs := f.jobsOf(t, "full"); return len(jobs) == 1 && jobs[0].State == ledger.Running })
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log tells of it", func() bool { return strings.Contains(f.log.String(), `"status":499`) })
	close(f.letGo)
	eventually(t, "the job has succeeded", func() bool { return f.jobsOf(t, "full")[0].State == ledger.Succeeded })
}

// TestRelay_Draining ensures that a stopping server answers a job which ends in time, and names one that does not, by 503: never a
// 202 to a client that did not ask for one.
func TestRelay_Draining(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1, DrainWait: 20 * time.Millisecond})
	done, job := f.relayed(t, "FAKE-WAIT")
	f.Drain()
	r := <-done
	checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/generate", r)
	message := fmt.Sprintf("The service is shutting down; job %s goes on, and GET /api/v1/jobs/%[1]s tells what comes of it", job.ID)
	checkMatch(t, r.body, fmt.Sprintf(`{"error":"Service Unavailable","message":%q,"code":"JOB_UNFINISHED",
		"errors":[{"code":"JOB_UNFINISHED","message":%[1]q,"field":""}]}`, message))
	if r.status != http.StatusServiceUnavailable {
		t.Errorf("status %d", r.status)
	}
	scenario{role: "full", do: "GET /api/v1/jobs/" + job.ID, status: 200}.run(t, f)

	late := newFixture(t, Config{InlineMaxBytes: 1, DrainWait: time.Minute})
	done, _ = late.relayed(t, "FAKE-WAIT")
	late.Drain()
	late.endWork(errStopping)
	if r := <-done; r.status != http.StatusServiceUnavailable || !strings.Contains(string(r.body), "JOB_UNFINISHED") {
		t.Errorf("requests are ended while one waits for its job: status %d: %s", r.status, r.body)
	}

	g := newFixture(t, Config{InlineMaxBytes: 1, DrainWait: time.Minute})
	done, _ = g.relayed(t, "FAKE-HOLD")
	g.Drain()
	close(g.letGo)
	if r := <-done; r.status != 200 {
		t.Errorf("a job that ends in time: status %d: %s", r.status, r.body)
	}
}

// TestRelay_Bounds ensures that nobody waits for ever, and that the answer then names the job.
func TestRelay_Bounds(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1, MaxRelay: 20 * time.Millisecond})
	r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "FAKE-WAIT")
	checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/generate", r)
	job := f.jobsOf(t, "full")[0]
	if r.status != 500 || !strings.Contains(string(r.body), job.ID) || !strings.Contains(string(r.body), "JOB_UNFINISHED") {
		t.Errorf("status %d: %s", r.status, r.body)
	}
}

// TestRelay_Canceled ensures that who waits for a job hears when somebody cancels it.
func TestRelay_Canceled(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1})
	done, job := f.relayed(t, "FAKE-WAIT")
	scenario{role: "full", do: "DELETE /api/v1/jobs/" + job.ID, status: 200}.run(t, f)
	r := <-done
	checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/generate", r)
	if r.status != http.StatusConflict || !strings.Contains(string(r.body), "JOB_CANCELED") {
		t.Errorf("status %d: %s", r.status, r.body)
	}
}

// TestRelay_ManyWait ensures that many requests which wait for workers are all answered, each with its own.
func TestRelay_ManyWait(t *testing.T) {
	f := newFixture(t, Config{InlineMaxBytes: 1})
	var clients sync.WaitGroup
	for i := range 60 {
		clients.Go(func() {
			r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", fmt.Sprintf("FAKE-HOLD %d", i), "Accept", "application/xml")
			if want := fmt.Sprintf("<de>FAKE-HOLD %d</de>", i); r.status != 200 || string(r.body) != want {
				t.Errorf("status %d: %s, want %s", r.status, r.body, want)
			}
		})
	}
	eventually(t, "all wait", func() bool {
		f.watcher.mu.Lock()
		defer f.watcher.mu.Unlock()
		return len(f.watcher.watched) == 60
	})
	close(f.letGo)
	clients.Wait()
}

// blindJobs are jobs whose ends cannot be seen from outside.
type blindJobs struct{ *ledger.Ledger }

// Ended sees none.
func (blindJobs) Ended(context.Context, []string) ([]string, error) { return nil, nil }

// TestRelay_HearsOfEndsInItsProcess ensures that a job which is told to have ended is answered without a look at the database.
func TestRelay_HearsOfEndsInItsProcess(t *testing.T) {
	blind := &blindJobs{}
	f := newFixture(t, Config{InlineMaxBytes: 1}, func(d *Deps) { blind.Ledger = d.Jobs.(*ledger.Ledger); d.Jobs = blind })
	done, job := f.relayed(t, "FAKE-HOLD")
	f.LookAt(job.ID) // it has not ended: the request goes on waiting
	close(f.letGo)
	eventually(t, "the job has ended", func() bool { return f.jobsOf(t, "full")[0].State.Finished() })
	f.LookAt(job.ID)
	if r := <-done; r.status != 200 {
		t.Errorf("status %d: %s", r.status, r.body)
	}
}

// TestAccepted_IsToldOfJobsAndBatches ensures that those who run jobs hear of an account when its jobs are there, those of sends too, once for a batch, and not of refusals.
func TestAccepted_IsToldOfJobsAndBatches(t *testing.T) {
	told := make(chan string, 8)
	f := newFixture(t, Config{}, func(d *Deps) { d.Accepted = func(account string) { told <- account } })
	f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "{}", "Prefer", "respond-async")
	f.batchOf(t, "", `{"operations":[`+operationJSON(mixed[0].path, mixed[0].body)+","+operationJSON(mixed[2].path, mixed[2].body)+"]}")
	f.ask(t, "full", "POST", batchPath, `{"operations":[]}`)
	f.ask(t, "full", "POST", "/api/v1/peppol/send", sendable)
	close(told)
	account := f.jobsOf(t, "full")[0].Account
	var got []string
	for a := range told {
		got = append(got, a)
	}
	if want := []string{account, account, account}; !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
}

// TestPrefer_AnnouncesWhatWasAskedFor ensures that a job which the client knows of is announced, also when it waits.
func TestPrefer_AnnouncesWhatWasAskedFor(t *testing.T) {
	f := newFixture(t, Config{})
	for _, prefer := range []string{"respond-async", "respond-async, wait=60"} {
		f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", "{}", "Prefer", prefer)
		if job := f.jobsOf(t, "full")[0]; !job.Announce {
			t.Errorf("%s: %+v", prefer, job)
		}
	}
}

// TestJobEvent ensures what the end of a job tells: the job without its result.
func TestJobEvent(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	job := ledger.Job{ID: "job_1", Kind: "generate:de:xrechnung", State: ledger.Succeeded, Progress: 100, Created: at, Finished: at.Add(time.Second),
		Mode: account.Test, Metadata: map[string]string{"run": "7"}}
	e := JobEvent(job, nil)
	checkMatch(t, e.Object, `{"id":"job_1","type":"generate","status":"succeeded","progress":100,"created":"2026-03-02T09:00:00Z","finished":"2026-03-02T09:00:01Z",
		"artifact":"/api/v1/jobs/job_1/artifact","metadata":{"run":"7"}}`)
	if e.Type != "job.succeeded" {
		t.Error(e.Type)
	}
	job.State, job.Progress, job.Metadata, job.Failure = ledger.Failed, 40, nil, &ledger.Failure{Code: ledger.CodeCrashed, Message: "Job job_1 ended its worker"}
	e = JobEvent(job, nil)
	var view jobView
	if err := json.Unmarshal(e.Object, &view); err != nil || e.Type != "job.failed" || !strings.Contains(string(view.Error), ledger.CodeCrashed) || view.Artifact != "" {
		t.Errorf("%s: %s (%v)", e.Type, e.Object, err)
	}
}

// TestJobEvent_TellsWhyAJobWasRefused ensures that the event of a job which the input is to blame for has the refusal, and of a long one
// the reason and the first findings.
func TestJobEvent_TellsWhyAJobWasRefused(t *testing.T) {
	job := ledger.Job{ID: "job_1", Kind: "generate:de:xrechnung", State: ledger.Failed, Status: 422}
	refusal := finding.Refusal{Kind: finding.Unprocessable, Message: "items is empty", Field: "items", Extra: []finding.Extra{{Name: "complianceErrors", Value: []int{1}}}}
	for _, c := range []struct {
		name                string
		given, shown, extra int
	}{{"short", 2, 2, 1}, {"long", 500, 6, 0}} {
		t.Run(c.name, func(t *testing.T) {
			refusal.Errors = slices.Repeat([]finding.Finding{{Code: "BR-16", Message: "items is empty", Field: "items"}}, c.given)
			answer := answers.RefusalOf(&refusal)
			var view struct {
				Error struct {
					Error, Message, Field string
					Errors                []finding.Finding
					ComplianceErrors      []int
				}
			}
			if err := json.Unmarshal(JobEvent(job, answer.Body()).Object, &view); err != nil {
				t.Fatal(err)
			}
			e := view.Error
			if e.Error != "Unprocessable Entity" || e.Message != "items is empty" || e.Field != "items" || len(e.Errors) != c.shown || len(e.ComplianceErrors) != c.extra {
				t.Errorf("%+v", e)
			}
		})
	}
}

// TestGetJob_AlwaysTellsWhyAJobWasRefused ensures that the reason is shown also where results are too large for that.
func TestGetJob_AlwaysTellsWhyAJobWasRefused(t *testing.T) {
	f := newFixture(t, Config{MaxInlineResult: 1})
	for _, c := range []struct{ body, member string }{{"FAKE-REFUSE", "error"}, {"{}", "artifact"}} {
		f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", c.body, "Prefer", "respond-async, wait=60")
		r := f.ask(t, "full", "GET", "/api/v1/jobs/"+f.jobsOf(t, "full")[0].ID, "")
		var view map[string]any
		if err := json.Unmarshal(r.body, &view); err != nil || view[c.member] == nil || view["result"] != nil {
			t.Errorf("%s: %s (%v)", c.body, r.body, err)
		}
	}
}
