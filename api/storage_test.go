package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/ledger"
)

// TestStorage_OfOneAccount ensures that an account whose jobs have stored as much as they may gets 429 with a code of its own, alone and for
// batches, while others and what needs no job go on, until the answers kept for its idempotency keys take the rest; and that there is room again when
// a job was erased.
func TestStorage_OfOneAccount(t *testing.T) {
	f := newFixture(t, Config{})
	limited := *f
	limited.jobs = must(ledger.New(ledger.Config{
		Logger: slog.New(slog.DiscardHandler), Seal: must(sealer())(t), Plans: plans(t), StoredBytes: 10_000,
	}, f.database, f.blobs, f.queue))(t)
	deps := f.Deps
	deps.Jobs, deps.Inline = limited.jobs, limited.jobs
	limited.serve(t, Config{}, deps)
	const path = "/api/v1/invoice/de/xrechnung/generate"
	sendOf := func(role string, bytes int) reply {
		return limited.ask(t, role, "POST", path, strings.Repeat(" ", bytes), "Prefer", async+", wait=10")
	}
	send := func(role string) reply { return sendOf(role, 4000) }
	for range 2 {
		if r := send("full"); r.status != 200 {
			t.Fatalf("status %d: %s", r.status, r.body)
		}
	}
	r := send("full")
	checkContract(t, "POST", path, r)
	checkMatch(t, r.body, `{"error":"STORAGE_EXCEEDED","message":"…","code":"STORAGE_EXCEEDED","storage":{"current":"…","limit":10000},"errors":["…"]}`)
	if r.status != 429 || r.header.Get("Retry-After") != "" {
		t.Errorf("status %d, header %v", r.status, r.header)
	}
	line := operationJSON(path, `{"a":"`+strings.Repeat(" ", 4000)+`"}`) + "\n"
	if r := limited.ask(t, "full", "POST", batchPath, line+line, asLines...); r.status != 429 || !strings.Contains(string(r.body), "STORAGE_EXCEEDED") {
		t.Errorf("a batch: status %d: %s", r.status, r.body)
	}
	if r := send("stranger"); r.status != 200 {
		t.Errorf("another account: status %d: %s", r.status, r.body)
	}
	if r := limited.ask(t, "full", "POST", path, "{}"); r.status != 200 {
		t.Errorf("without a job: status %d: %s", r.status, r.body)
	}
	keyed := func(n int) reply { return limited.ask(t, "full", "POST", path, "{}", "Idempotency-Key", fmt.Sprint(n)) }
	refused, n := keyed(0), 1
	for ; n < 1000 && refused.status == 200; n++ {
		refused = keyed(n)
	}
	if n < 2 || refused.status != 429 || !strings.Contains(string(refused.body), "STORAGE_EXCEEDED") {
		t.Errorf("request %d with a key: status %d: %s", n, refused.status, refused.body)
	}
	if r := keyed(0); r.status != 200 || r.header.Get(replayed) == "" {
		t.Errorf("replay: status %d, %v: %s", r.status, r.header, r.body)
	}
	var id string
	if err := f.database.Get(t.Context(), &id, "SELECT id FROM jobs WHERE account_id = (SELECT account_id FROM jobs ORDER BY id LIMIT 1) ORDER BY id LIMIT 1"); err != nil {
		t.Fatal(err)
	}
	if r := limited.ask(t, "full", "DELETE", "/api/v1/jobs/"+id, ""); r.status >= 300 {
		t.Errorf("erase: status %d: %s", r.status, r.body)
	}
	eventually(t, "there is room again", func() bool { return sendOf("full", 1000).status == 200 })
}

// TestStorage_OfTemplatesAndSends ensures that versions of templates, and documents that are sent, count as stored, and are refused where there is no more room.
func TestStorage_OfTemplatesAndSends(t *testing.T) {
	f := newFixture(t, Config{})
	limited := *f
	limited.jobs = must(ledger.New(ledger.Config{Logger: slog.New(slog.DiscardHandler), Seal: must(sealer())(t), Plans: plans(t), StoredBytes: 12_000}, f.database, f.blobs, f.queue))(t)
	deps := f.Deps
	deps.Jobs, deps.Inline = limited.jobs, limited.jobs
	limited.serve(t, Config{}, deps)
	saved := limited.ask(t, "full", "POST", templatesDo, layoutSaying(strings.Repeat("x", 3000)))
	var made templateView
	if err := json.Unmarshal(saved.body, &made); err != nil || saved.status != 200 {
		t.Fatalf("status %d: %s", saved.status, saved.body)
	}
	if r := limited.ask(t, "full", "PUT", templatesDo+"/"+made.ID, layoutSaying(strings.Repeat("y", 3000))); r.status != 200 {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	document := strings.Replace(sendable, "<ID>1</ID>", "<ID>1</ID><Note>"+strings.Repeat("x", 3000)+"</Note>", 1)
	if r := limited.ask(t, "full", "POST", "/api/v1/peppol/send", document); r.status != 202 {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	for do, body := range map[string]string{"POST " + templatesDo: layoutSaying(strings.Repeat("x", 3000)), "PUT " + templatesDo + "/" + made.ID: layoutSaying(strings.Repeat("x", 3000)),
		"POST /api/v1/peppol/send": document} {
		method, path, _ := strings.Cut(do, " ")
		if r := limited.ask(t, "full", method, path, body); r.status != 429 || !strings.Contains(string(r.body), "STORAGE_EXCEEDED") {
			t.Errorf("%s: status %d: %s", do, r.status, r.body)
		}
	}
	if r := limited.ask(t, "full", "DELETE", templatesDo+"/"+made.ID, ""); r.status != 200 {
		t.Errorf("status %d: %s", r.status, r.body)
	}
	eventually(t, "there is room again", func() bool { return limited.ask(t, "full", "POST", "/api/v1/peppol/send", document).status == 202 })
}
