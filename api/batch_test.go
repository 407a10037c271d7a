package api

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

const batchPath = "/api/v1/jobs"

// operationJSON is one operation of a batch.
func operationJSON(path, body string) string {
	return fmt.Sprintf(`{"method":"POST","path":%q,"body":%s}`, path, body)
}

// batchOf posts a batch and gives what was accepted.
func (f *fixture) batchOf(t testing.TB, query, body string, header ...string) acceptedBatch {
	t.Helper()
	r := f.ask(t, "full", "POST", batchPath+query, body, header...)
	checkContract(t, "POST", batchPath, r)
	var got acceptedBatch
	if err := json.Unmarshal(r.body, &got); err != nil || r.status != http.StatusAccepted || !strings.HasPrefix(got.ID, "bat_") || got.Accepted != len(got.Jobs) {
		t.Fatalf("status %d: %s (%v)", r.status, r.body, err)
	}
	return got
}

type acceptedBatch = struct {
	ID       string
	Jobs     []string
	Accepted int
}

// mixed are operations of every kind with the paths under which they can be sent alone.
var mixed = []struct{ path, body string }{
	{"/api/v1/invoice/de/xrechnung/generate", `{"invoice":{}}`},
	{"/api/v1/invoice/DE/xrechnung/generate?calculate=true", `{"invoice":{"notes":"ä"}}`},
	{"/api/v1/invoice/de/xrechnung/parse", `{"data":"PGEvPg==","filename":"a.xml"}`},
	{"/api/v1/invoice/parse", `{"data":"PGEvPg=="}`},
	{"/api/v1/invoice/de/xrechnung/validate", `{"invoice":{}}`},
	{"/api/v1/invoice/de/validate?asOf=2026-01-01&enforcePending=true", `{"xml":"<a/>"}`},
	{"/api/v1/invoice/de/xrechnung/generate", `{"invoice":"FAKE-REFUSE"}`},
}

// checkJobs compares the jobs of a batch with the same requests sent alone.
func (f *fixture) checkJobs(t *testing.T, ids []string) {
	t.Helper()
	if len(ids) != len(mixed) {
		t.Fatalf("%d jobs", len(ids))
	}
	for i, o := range mixed {
		alone, job := f.ask(t, "full", "POST", o.path, o.body), f.finished(t, "full", ids[i])
		got := job.Result
		if alone.status >= 400 {
			got = job.Error
		}
		if !bytes.Equal(got, alone.body) || job.Metadata["run"] != "7" {
			t.Errorf("operation %d: %s %v\nalone: %s", i, got, job.Metadata, alone.body)
		}
	}
}

// TestBatch_Array ensures that the operations of an array become jobs, in order, which answer what they would have answered alone.
func TestBatch_Array(t *testing.T) {
	f := newFixture(t, Config{})
	var list []string
	for _, o := range mixed {
		list = append(list, operationJSON(o.path, o.body))
	}
	got := f.batchOf(t, "", `{"more":1,"operations":[`+strings.Join(list, ",")+`],"metadata":{"run":"7"}}`)
	f.checkJobs(t, got.Jobs)
}

// TestBatch_Lines ensures the same for lines of JSON, of which some are empty.
func TestBatch_Lines(t *testing.T) {
	f := newFixture(t, Config{})
	var body strings.Builder
	for i, o := range mixed {
		body.WriteString(operationJSON(o.path, o.body) + []string{"\n", "\r\n", "\n\n  \n"}[i%3])
	}
	got := f.batchOf(t, "?metadata.run=7", strings.TrimSpace(body.String()), "Content-Type", "application/x-ndjson")
	f.checkJobs(t, got.Jobs)
	bodies := f.batchOf(t, "?operation="+url.QueryEscape("/api/v1/invoice/de/xrechnung/generate?calculate=true"), "{\"a\":1}\n{\"a\":2}\n", "Content-Type", "application/x-ndjson; charset=utf-8")
	for i, id := range bodies.Jobs {
		job := f.finished(t, "full", id)
		var a generated
		if unmarshal(t, job.Result, &a); string(a.Data) != fmt.Sprintf(`<de>{"a":%d}</de>`, i+1) || !strings.Contains(string(job.Result), "VALUE_CALCULATED") {
			t.Errorf("%s", job.Result)
		}
	}
}

// TestBatch_Archive ensures that each document of a ZIP is what the template orders: a body of generate, a document of the others, or a
// body where it is named so.
func TestBatch_Archive(t *testing.T) {
	f := newFixture(t, Config{})
	archive := string(zipOf(t,
		packedFile{name: "in/", raw: true},
		packedFile{name: "in/a.xml", data: "<Invoice/>", method: zip.Deflate},
		packedFile{name: "b.json", data: `{"data":"PGEvPg==","filename":"c.xml"}`, method: zip.Store, raw: true},
	))
	want := map[string][2]string{
		"/api/v1/invoice/parse":                             {`"notes":"a.xml"`, `"notes":"c.xml"`},
		"/api/v1/invoice/de/xrechnung/generate":             {`"data":"` + b64("<de><Invoice/></de>")[:20], `"success":true`},
		"/api/v1/invoice/de/validate?asOf=2026-01-01":       {`10 of a document, as of \"2026-01-01\"`, `4 of a document`},
		"/api/v1/invoice/de/xrechnung/validate?asOf=banana": {`10 of a document`, `4 of a document`},
	}
	for operation, answers := range want {
		got := f.batchOf(t, "?metadata.run=7&operation="+url.QueryEscape(operation), archive, "Content-Type", "application/zip")
		if len(got.Jobs) != 2 {
			t.Fatalf("%d jobs", len(got.Jobs))
		}
		for i, answer := range answers {
			if job := f.finished(t, "full", got.Jobs[i]); !strings.Contains(string(job.Result), answer) || job.Metadata["run"] != "7" {
				t.Errorf("%s, document %d: %s%s", operation, i, job.Result, job.Error)
			}
		}
	}
}

// TestBatch_One ensures that one operation is answered by its job.
func TestBatch_One(t *testing.T) {
	f := newFixture(t, Config{})
	body := strings.TrimSuffix(operationJSON("/api/v1/invoice/parse", `{"data":"PGEvPg=="}`), "}") + `,"metadata":{"a":"b"}}`
	r := f.ask(t, "full", "POST", batchPath, body)
	checkContract(t, "POST", batchPath, r)
	var view jobView
	unmarshal(t, r.body, &view)
	if r.status != http.StatusAccepted || r.header.Get("Location") != batchPath+"/"+view.ID || view.Type != "parse" {
		t.Errorf("status %d, header %v: %s", r.status, r.header, r.body)
	}
	if job := f.finished(t, "full", view.ID); job.Status != ledger.Succeeded || job.Metadata["a"] != "b" {
		t.Errorf("%+v", job)
	}
	if job := f.jobsOf(t, "full")[0]; !job.Announce {
		t.Errorf("%+v", job)
	}
}

// asLines and asArchive are header fields of streamed batches.
var (
	asLines   = []string{"Content-Type", "application/x-ndjson"}
	asArchive = []string{"Content-Type", "application/zip"}
)

// TestBatch_Faults ensures that a fault names its index and refuses the whole batch: nothing of it is accepted.
func TestBatch_Faults(t *testing.T) {
	f := newFixture(t, Config{MaxBody: 1 << 20, MaxInflightBytes: 4 << 20})
	good := operationJSON("/api/v1/invoice/de/xrechnung/generate", `{}`)
	array := func(operations ...string) string { return `{"operations":[` + strings.Join(operations, ",") + `]}` }
	op := func(path, body string) string { return array(good, operationJSON(path, body)) }
	parse := "?operation=/api/v1/invoice/parse"
	at1 := func(code, message string) string {
		return fieldJSON(code, "operations[1].path", "operations[1]: path: "+message)
	}
	lines := func(list ...string) string { return strings.Join(list, "\n") }
	for _, s := range []scenario{
		{name: "nothing", do: "POST " + batchPath, body: `{}`, status: 400, want: fieldJSON("MISSING_FIELD", "operations", "operations: there are none; send operations, or one operation as method, path and body")},
		{name: "no operations", do: "POST " + batchPath, body: array(), status: 400},
		{name: "no object", do: "POST " + batchPath, body: `[]`, status: 400, want: invalidJSON("The request body must be a JSON object")},
		{name: "no array", do: "POST " + batchPath, body: `{"operations":{}}`, status: 400, want: fieldJSON("INVALID_TYPE", "operations", "operations: must be an array")},
		{name: "cut off", do: "POST " + batchPath, body: `{"operations":[` + good, status: 400},
		{name: "something behind", do: "POST " + batchPath, body: array(good) + "x", status: 400},
		{name: "an operation that is none", do: "POST " + batchPath, body: array(good, "7"), status: 400, want: fieldJSON("INVALID_TYPE", "operations[1]", "operations[1]: an operation must be an object of method, path and body")},
		{name: "no method", do: "POST " + batchPath, body: array(good, `{"path":"/api/v1/invoice/parse"}`), status: 400, want: fieldJSON("MISSING_FIELD", "operations[1].method", "operations[1]: method: is missing")},
		{name: "no path", do: "POST " + batchPath, body: array(good, `{"method":"POST"}`), status: 400, want: fieldJSON("MISSING_FIELD", "operations[1].path", "operations[1]: path: is missing")},
		{name: "another method", do: "POST " + batchPath, body: array(good, `{"method":"GET","path":"/api/v1/invoice/parse"}`), status: 400, want: at1("INVALID_VALUE", "there is no operation GET /api/v1/invoice/parse")},
		{name: "an unknown path", do: "POST " + batchPath, body: op("/api/v1/invoice/parsed", "{}"), status: 400, want: at1("INVALID_VALUE", "there is no operation POST /api/v1/invoice/parsed")},
		{name: "a path that is no job", do: "POST " + batchPath, body: op("/api/v1/keys", `{"entitlements":["admin:keys"]}`), status: 400, want: at1("INVALID_VALUE", "POST /api/v1/keys cannot be a job")},
		{name: "a batch in a batch", do: "POST " + batchPath, body: op(batchPath, array(good)), status: 400, want: at1("INVALID_VALUE", "POST /api/v1/jobs cannot be a job")},
		{name: "another host", do: "POST " + batchPath, body: op("//evil.example/api/v1/invoice/parse", "{}"), status: 400},
		{name: "a whole address", do: "POST " + batchPath, body: op("https://evil.example/api/v1/invoice/parse", "{}"), status: 400},
		{name: "a country", do: "POST " + batchPath, body: op("/api/v1/invoice/xy/pdf/generate", "{}"), status: 400, want: fieldJSON("BAD_REQUEST", "operations[1]", "operations[1]: Country XY is not supported")},
		{name: "a format", do: "POST " + batchPath, body: op("/api/v1/invoice/de/ksef/generate", "{}"), status: 400},
		{name: "an entitlement", role: "german", do: "POST " + batchPath, body: op("/api/v1/invoice/de/pdf/generate", "{}"), status: 403,
			want: `{"error":"FORBIDDEN","message":"Missing entitlement: pdf:de:generate (operations[1])","code":"FORBIDDEN","field":"operations[1]","errors":["…"]}`},
		{name: "no data", do: "POST " + batchPath, body: op("/api/v1/invoice/parse", `{"data":""}`), status: 400, want: fieldJSON("MISSING_FIELD", "operations[1].data", "operations[1]: data: the document is missing; send it as base64, or as text in xml")},
		{name: "no body", do: "POST " + batchPath, body: array(good, `{"method":"POST","path":"/api/v1/invoice/parse"}`), status: 400},
		{name: "too many lines", do: "POST " + batchPath, body: op("/api/v1/invoice/de/xrechnung/generate", string(manyItems(25_001))), status: 400,
			want: `{"error":"TOO_MANY_LINE_ITEMS","message":"operations[1]: items has 25001 entries; at most 25000 are allowed","code":"TOO_MANY_LINE_ITEMS","field":"operations[1].items",
				"lineItems":{"count":25001,"limit":25000},"errors":["…"]}`},
		{name: "too many", do: "POST " + batchPath, body: array(strings.Split(strings.TrimSuffix(strings.Repeat(good+"\n", 1001), "\n"), "\n")...), status: 400, want: fieldJSON("INVALID_VALUE", "operations", "operations: at most 1000 are allowed")},
		{name: "metadata of numbers", do: "POST " + batchPath, body: `{"operations":[` + good + `],"metadata":{"a":1}}`, status: 400, want: fieldJSON("INVALID_TYPE", "metadata.a", "metadata.a: must be a string")},
		{name: "metadata of a list", do: "POST " + batchPath, body: `{"operations":[` + good + `],"metadata":[]}`, status: 400},
		{name: "a long name in metadata", do: "POST " + batchPath, body: `{"operations":[` + good + `],"metadata":{"` + strings.Repeat("n", 41) + `":""}}`, status: 400},
		{name: "a long value in metadata", do: "POST " + batchPath, body: `{"operations":[` + good + `],"metadata":{"n":"` + strings.Repeat("ä", 501) + `"}}`, status: 400},
		{name: "another type", do: "POST " + batchPath, body: "<a/>", header: []string{"Content-Type", "text/xml"}, status: 415},
		{name: "a line that is none", do: "POST " + batchPath, body: lines(good, "x"), header: asLines, status: 400},
		{name: "a line with two", do: "POST " + batchPath, body: lines(good, good+good), header: asLines, status: 400},
		{name: "a line that is refused", do: "POST " + batchPath, body: lines(good, operationJSON("/api/v1/invoice/xy/pdf/generate", "{}")), header: asLines, status: 400,
			want: fieldJSON("BAD_REQUEST", "operations[1]", "operations[1]: Country XY is not supported")},
		{name: "no lines", do: "POST " + batchPath, body: "\n\n", header: asLines, status: 400, want: fieldJSON("MISSING_FIELD", "operations", "operations: there are none")},
		{name: "a line larger than a body", do: "POST " + batchPath, body: lines(good, strings.Repeat(" ", 2<<20)+good), header: asLines, status: 413},
		{name: "a template that is none", do: "POST " + batchPath + "?operation=/api/v1/nothing", body: "{}", header: asLines, status: 400,
			want: fieldJSON("INVALID_VALUE", "operation", "operation: there is no operation POST /api/v1/nothing")},
		{name: "a template without its entitlement", role: "german", do: "POST " + batchPath + "?operation=/api/v1/invoice/de/pdf/generate", body: "{}", header: asLines, status: 403,
			want: wordJSON("FORBIDDEN", "Missing entitlement: pdf:de:generate")},
		{name: "a ZIP without a template", do: "POST " + batchPath, body: "PK", header: asArchive, status: 400},
		{name: "a ZIP that is none", do: "POST " + batchPath + parse, body: "<a/>", header: asArchive, status: 400,
			want: fieldJSON("INVALID_ZIP", "operations[0]", "operations[0]: The request body is not a ZIP, or it is damaged or ends too early")},
		{name: "an empty ZIP", do: "POST " + batchPath + parse, body: string(zipOf(t)), header: asArchive, status: 400},
		{name: "an empty document", do: "POST " + batchPath + parse, body: string(zipOf(t, packedFile{name: "a.xml", data: "<a/>", method: zip.Deflate}, packedFile{name: "b.xml", method: zip.Deflate})), header: asArchive,
			status: 400, want: fieldJSON("MISSING_FIELD", "operations[1]", "operations[1]: b.xml is empty")},
		{name: "a path out of the ZIP", do: "POST " + batchPath + parse, body: string(zipOf(t, packedFile{name: "../a.xml", data: "<a/>", method: zip.Deflate})), header: asArchive, status: 400},
		{name: "a long name in the query", do: "POST " + batchPath + "?metadata." + strings.Repeat("n", 41) + "=1", body: good, header: asLines, status: 400},
	} {
		t.Run(s.name, func(t *testing.T) {
			if s.role == "" {
				s.role = "full"
			}
			s.run(t, f)
		})
	}
	if jobs := f.jobsOf(t, "full"); len(jobs) > 0 {
		t.Errorf("%d jobs of refused batches", len(jobs))
	}
	if left := f.count(t, "SELECT (SELECT count(*) FROM batches) + (SELECT count(*) FROM batch_jobs) + (SELECT count(*) FROM jobs)"); left != 0 {
		t.Errorf("%d rows of refused batches", left)
	}
}

func (f *fixture) count(t testing.TB, query string) (n int) {
	t.Helper()
	if err := f.database.Get(t.Context(), &n, query); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBatch_Again ensures that a batch which is sent again under its key is the same, and that one with another body, also a streamed
// one, leaves nothing.
func TestBatch_Again(t *testing.T) {
	f := newFixture(t, Config{})
	array := `{"operations":[` + operationJSON("/api/v1/invoice/de/xrechnung/generate", `{}`) + `]}`
	line := operationJSON("/api/v1/invoice/de/xrechnung/generate", `{}`) + "\n"
	for name, c := range map[string]struct {
		body   string
		header []string
	}{"array": {array, nil}, "lines": {line, asLines}} {
		header := append(keyed(name), c.header...)
		first := f.ask(t, "full", "POST", batchPath, c.body, header...)
		again := f.ask(t, "full", "POST", batchPath, c.body, header...)
		checkContract(t, "POST", batchPath, again)
		same(t, name, first, again)
		scenario{role: "full", do: "POST " + batchPath, body: c.body + " ", header: header, status: 409}.run(t, f)
	}
	if jobs := f.jobsOf(t, "full"); len(jobs) != 2 {
		t.Errorf("%d jobs", len(jobs))
	}
	if open := f.count(t, "SELECT count(*) FROM batch_jobs"); open != 0 {
		t.Errorf("%d jobs of open batches", open)
	}
}

// TestBatch_Quota ensures that a batch reserves all its units or is refused whole.
func TestBatch_Quota(t *testing.T) {
	f := newFixture(t, Config{})
	key := f.subscribe(t, "metered", "metered", false)
	line := operationJSON("/api/v1/invoice/de/xrechnung/generate", `{}`) + "\n"
	exceeded := `{"error":"QUOTA_EXCEEDED","message":"Usage limit reached for e-invoice:de:xrechnung:create","code":"QUOTA_EXCEEDED","quota":"…","errors":["…"]}`
	for _, s := range []scenario{
		{name: "too many for it", body: strings.Repeat(line, 4), status: 429, want: exceeded},
		{name: "as many as it has", body: strings.Repeat(line, 3), status: 202},
		{name: "one more", body: line, status: 429, want: exceeded},
	} {
		s.role, s.do, s.header = "metered", "POST "+batchPath, asLines
		s.run(t, f)
	}
	eventually(t, "all are done", func() bool {
		current, reserved := f.used(t, key.AccountID, createDE)
		return current == 3 && reserved == 0
	})
	if jobs := f.jobsOf(t, "metered"); len(jobs) != 3 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// TestBatch_IgnoresServerMembers ensures that members which belong to the server are not taken from operations (mass assignment).
func TestBatch_IgnoresServerMembers(t *testing.T) {
	f := newFixture(t, Config{})
	o := `{"method":"POST","path":"/api/v1/invoice/parse","body":{"data":"PGEvPg=="},"id":"job_1","account":"acc_1","mode":"live","queue":"embed","batch":"bat_1","announce":false}`
	f.batchOf(t, "", `{"operations":[`+o+`],"id":"bat_1","account":"acc_1","mode":"live"}`)
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	job := f.jobsOf(t, "full")[0]
	if job.Account != key.AccountID || job.KeyID != key.ID || job.Mode != account.Test || job.Queue != names.Default || !job.Announce || job.Batch == "bat_1" {
		t.Errorf("%+v", job)
	}
}

// TestBatch_HoldsNoMoreThanOne ensures that a stream is longer than what requests may hold, and that its memory comes back.
func TestBatch_HoldsNoMoreThanOne(t *testing.T) {
	f := newFixture(t, Config{MaxBody: 64 << 10, MaxInflightBytes: 256 << 10})
	line := operationJSON("/api/v1/invoice/parse", fmt.Sprintf(`{"data":%q}`, b64(strings.Repeat("x", 8<<10)))) + "\n"
	if got := f.batchOf(t, "", strings.Repeat(line, 100), asLines...); got.Accepted != 100 {
		t.Errorf("%d jobs", got.Accepted)
	}
	var files []packedFile
	for i := range 100 {
		files = append(files, packedFile{name: fmt.Sprintf("%d.xml", i), data: strings.Repeat("<a/>", 2<<10), method: zip.Deflate})
	}
	if got := f.batchOf(t, "?operation=/api/v1/invoice/parse", string(zipOf(t, files...)), asArchive...); got.Accepted != 100 {
		t.Errorf("%d jobs", got.Accepted)
	}
	if r := f.ask(t, "full", "POST", batchPath+"?operation=/api/v1/invoice/parse", string(zipOf(t, packedFile{name: "a.xml", data: strings.Repeat("<a/>", 15<<10), method: zip.Deflate})), asArchive...); r.status != 202 {
		t.Errorf("a document of 60 KiB: status %d: %s", r.status, r.body)
	}
	full := &lease{capacity: f.capacity, account: "another"}
	if err := full.grow(f.capacity.load - 32<<10); err != nil {
		t.Fatal(err)
	}
	if r := f.ask(t, "full", "POST", batchPath+"?operation=/api/v1/invoice/parse", string(zipOf(t, packedFile{name: "a.xml", data: strings.Repeat("<a/>", 15<<10), method: zip.Deflate})), asArchive...); r.status != 429 {
		t.Errorf("the same where there is no room: status %d: %s", r.status, r.body)
	}
	full.release()
	eventually(t, "the memory is back", func() bool {
		return idle(f.capacity.loaded) && idle(f.capacity.coming) && idle(f.capacity.spooled)
	})
}
