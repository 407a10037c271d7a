package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/storage/volume"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

// TestStorage_OfOneAccount ensures that an account whose jobs have stored as much as they may, with their results, gets 429 with a code of its own, alone and for
// batches, while others and what needs no job go on, until the answers kept for its idempotency keys take the rest; and that there is room again when
// a job was erased.
func TestStorage_OfOneAccount(t *testing.T) {
	f := newFixture(t, Config{})
	limited, hand := *f, clock.NewHand(time.Now())
	limited.jobs = must(ledger.New(ledger.Config{
		Logger: slog.New(slog.DiscardHandler), Seal: must(sealer())(t), Plans: plans(t), Stored: volume.NewLimit(f.database, hand, 30_000),
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
	hand.Add(10 * time.Second) // the results count, too
	r := send("full")
	checkContract(t, "POST", path, r)
	checkMatch(t, r.body, `{"error":"STORAGE_EXCEEDED","message":"…","code":"STORAGE_EXCEEDED","storage":{"current":"…","limit":30000},"errors":["…"]}`)
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
	hand.Add(time.Second)
	if r := sendOf("full", 1000); r.status != 200 {
		t.Errorf("there is room again: status %d: %s", r.status, r.body)
	}
}

// TestStorage_OfAnAccountThatIsToldOfWhatItDoes ensures that an account whose webhooks do not take their events is refused when these take all its
// room, trials and what is delivered again too, in the form of the contract; that it goes on at once when it has no webhook any more, and that the
// events were never more than its room.
func TestStorage_OfAnAccountThatIsToldOfWhatItDoes(t *testing.T) {
	f := newFixture(t, Config{})
	limited := *f
	const most = 10_000
	room := volume.NewLimit(f.database, clock.System{}, most)
	log := slog.New(slog.DiscardHandler)
	store := must(webhook.New(webhook.Config{Stored: room, Logger: log}, f.database, must(sealer())(t), f.queue, f.hosts))(t)
	deps := f.Deps
	limited.jobs = must(ledger.New(ledger.Config{Logger: log, Seal: must(sealer())(t), Plans: plans(t), Stored: room, Publisher: store}, f.database, f.blobs, f.queue))(t)
	deps.Jobs, deps.Inline, deps.Webhooks = limited.jobs, limited.jobs, store
	limited.serve(t, Config{}, deps)
	const path = "/api/v1/invoice/de/xrechnung/generate"
	generate := func() reply { return limited.ask(t, "full", "POST", path, "{}") }
	hook := limited.ask(t, "full", "POST", webhooksPath, `{"url": "https://silent.example/"}`)
	var made webhookView
	if err := json.Unmarshal(hook.body, &made); err != nil {
		t.Fatal(err)
	}
	id := made.ID
	r, n := generate(), 1
	for ; r.status == 200 && n < 100; n++ {
		r = generate()
	}
	checkContract(t, "POST", path, r)
	if r.status != 429 || !strings.Contains(string(r.body), `"STORAGE_EXCEEDED"`) || n < 3 {
		t.Fatalf("request %d: status %d: %s", n, r.status, r.body)
	}
	if bytes := storedIn(t, f); bytes < most || bytes > 2*most {
		t.Errorf("%d bytes are stored", bytes)
	}
	var rows int64
	trial := limited.ask(t, "full", "POST", webhooksPath+"/"+id+"/test", "")
	checkContract(t, "POST", webhooksPath+"/{id}/test", trial)
	if err := f.database.Get(t.Context(), &rows, "SELECT count(*) FROM webhook_deliveries"); trial.status != 429 || int(rows) != n-1 || err != nil {
		t.Errorf("a trial: status %d, %d deliveries of %d requests: %v", trial.status, rows, n, err)
	}
	if r := limited.ask(t, "stranger", "POST", path, "{}"); r.status != 200 {
		t.Errorf("another account: status %d", r.status)
	}
	if r := limited.ask(t, "full", "DELETE", webhooksPath+"/"+id, ""); r.status >= 300 {
		t.Errorf("delete: status %d: %s", r.status, r.body)
	}
	if r := generate(); r.status != 200 {
		t.Errorf("without a webhook: status %d: %s", r.status, r.body)
	}
}

// TestStorage_OfTemplatesAndSends ensures that versions of templates, and documents that are sent with their transmissions, count as stored, and are refused where
// there is no more room.
func TestStorage_OfTemplatesAndSends(t *testing.T) {
	f := newFixture(t, Config{})
	limited := *f
	limited.jobs = must(ledger.New(ledger.Config{Logger: slog.New(slog.DiscardHandler), Seal: must(sealer())(t), Plans: plans(t), Stored: volume.NewLimit(f.database, clock.System{}, 16_000)}, f.database, f.blobs, f.queue))(t)
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
	before := storedIn(t, f)
	if r := limited.ask(t, "full", "POST", "/api/v1/peppol/send", document); r.status != 202 {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	var sent int64
	if err := f.database.Get(t.Context(), &sent, "SELECT d.counted + j.input_size FROM peppol_documents d JOIN peppol_transmissions t ON t.id = d.transmission_id JOIN jobs j ON j.id = t.job_id"); err != nil {
		t.Fatal(err)
	}
	if counted := storedIn(t, f) - before; counted < sent+peppol.KeptBytes {
		t.Errorf("%d bytes are counted for a document and its job of %d", counted, sent)
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

// TestStorage_OfRecords ensures that records of VeriFactu, which stay, count as stored, and that none is made where there is no more room, while what makes none
// goes on.
func TestStorage_OfRecords(t *testing.T) {
	f := newRegistering(t, installation(t))
	limited := *f
	limited.jobs = must(ledger.New(ledger.Config{Logger: slog.New(slog.DiscardHandler), Seal: must(sealer())(t), Plans: plans(t), Registrar: f.records,
		Stored: volume.NewLimit(f.database, clock.System{}, 8_000)}, f.database, f.blobs, f.queue))(t)
	deps := f.Deps
	deps.Jobs, deps.Inline = limited.jobs, limited.jobs
	limited.serve(t, Config{}, deps)
	made, r := 0, reply{status: 200}
	for ; r.status == 200 && made < 20; made++ {
		r = limited.ask(t, "full", "POST", spanishUBL, spanish(t, fmt.Sprintf("A-%d", made+1)))
	}
	checkContract(t, "POST", spanishUBL, r)
	if r.status != 429 || !strings.Contains(string(r.body), `"STORAGE_EXCEEDED"`) || made < 2 || limited.chainOf(t, "full").Count != made-1 {
		t.Errorf("invoice %d: status %d: %s", made, r.status, r.body)
	}
	const cancel = "/api/v1/verifactu/cancel"
	r = limited.ask(t, "full", "POST", cancel, `{"sellerNif":"ESB12345674","invoiceSeries":"A-","invoiceNumber":"1","invoiceDate":"05-03-2026"}`)
	if checkContract(t, "POST", cancel, r); r.status != 429 || limited.chainOf(t, "full").Count != made-1 {
		t.Errorf("cancel: status %d: %s", r.status, r.body)
	}
	if r := limited.ask(t, "full", "POST", spanishUBL, strings.Replace(spanish(t, "B-1"), `"verifactu":true`, `"verifactu":false`, 1)); r.status != 200 {
		t.Errorf("without a record: status %d: %s", r.status, r.body)
	}
}

// storedIn is how much is counted as stored, for all accounts.
func storedIn(t *testing.T, f *fixture) (bytes int64) {
	t.Helper()
	if err := f.database.Get(t.Context(), &bytes, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs"); err != nil {
		t.Fatal(err)
	}
	return bytes
}
