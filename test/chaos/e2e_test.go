//go:build chaos

package chaos

import (
	"archive/zip"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// visit is one set-up with a customer in it, whom the steps of the end-to-end suite share.
type visit struct {
	system   *harness.System
	customer *harness.Client
	trial    *harness.Client // with a test key of the same account
	receiver *harness.Receiver
	audit    *harness.Auditor
	orders   []harness.Order
}

// steps are the end-to-end suite; each leaves the system fit for the next.
var steps = []struct {
	name string
	do   func(t *testing.T, v *visit)
}{
	{"operations answer inline", stepOperations},
	{"jobs answer as the synchronous call", stepJobs},
	{"large requests are relayed", stepRelay},
	{"batches of three forms", stepBatches},
	{"idempotency keys", stepIdempotency},
	{"webhooks", stepWebhooks},
	{"keys", stepKeys},
	{"usage", stepUsage},
	{"quotas", stepQuota},
	{"account", stepAccount},
	{"artifacts and erasure", stepErase},
	{"readiness and the end", stepEnd},
}

// The same suite passes on both set-ups.
func TestEndToEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		receiver := harness.StartReceiver(t)
		h := open(t, s, reaches(receiver), with("EINVOICED_INLINE_MAX_LINES", "40"), plans(t))
		v := &visit{system: h, customer: h.Customer(), receiver: receiver, audit: h.Audit()}
		v.trial = v.customer.As(h.NewKey("test"))
		v.orders = harness.Learn(t, v.customer, harness.Orders(t))
		for _, step := range steps {
			t.Run(step.name, func(t *testing.T) { step.do(t, v) })
		}
		v.audit.Counted()
	})
}

// first gives the first order of an operation.
func (v *visit) first(operation string) harness.Order { return harness.Only(v.orders, operation)[0] }

// job sends an order as a job, waits for its end and gives it.
func (v *visit) job(t *testing.T, o harness.Order, header ...string) jobView {
	t.Helper()
	a := v.customer.Want(t, 202, "POST", o.Path, o.Body, append(header, "Prefer", "respond-async")...)
	id := jobOf(t, a)
	if a.Header.Get("Location") != "/api/v1/jobs/"+id {
		t.Errorf("Location is %q", a.Header.Get("Location"))
	}
	return v.ended(t, id)
}

// jobView is a job as the API shows it.
type jobView struct {
	ID, Type, Status, Artifact string
	Metadata                   map[string]string
	Result, Error              json.RawMessage
}

func (v *visit) ended(t *testing.T, id string) (job jobView) {
	t.Helper()
	harness.Until(t, time.Minute, "job "+id+" has ended", func() bool {
		job = jobView{}
		v.customer.Want(t, 200, "GET", "/api/v1/jobs/"+id, nil).JSON(t, &job)
		return job.Status != "queued" && job.Status != "running"
	})
	return job
}

func stepOperations(t *testing.T, v *visit) {
	generate := v.first("generate")
	var made struct {
		Success    bool
		Data, Hash string
	}
	v.customer.Want(t, 200, "POST", generate.Path, generate.Body).JSON(t, &made)
	document, err := base64.StdEncoding.DecodeString(made.Data)
	if sum := sha256.Sum256(document); err != nil || !made.Success || made.Hash != hex.EncodeToString(sum[:]) {
		t.Fatalf("success %t, hash %s, %v", made.Success, made.Hash, err)
	}
	if raw := v.customer.Want(t, 200, "POST", generate.Path, generate.Body, "Accept", "application/xml"); raw.Header.Get("Content-Type") == "application/xml" && !bytes.Equal(raw.Body, document) {
		t.Error("the raw answer is another document")
	}
	var judged struct{ Valid bool }
	body := fmt.Appendf(nil, `{"data": %q}`, made.Data)
	if v.customer.Want(t, 200, "POST", "/api/v1/invoice/de/xrechnung/validate", body).JSON(t, &judged); !judged.Valid {
		t.Error("what was generated is not valid")
	}
	var read struct{ Invoice json.RawMessage }
	v.customer.Want(t, 200, "POST", "/api/v1/invoice/parse", body).JSON(t, &read)
	v.customer.Want(t, 200, "POST", generate.Path, fmt.Appendf(nil, `{"invoice": %s}`, read.Invoice))
	for _, o := range v.orders {
		if a := v.customer.Want(t, 200, "POST", o.Path, o.Body); !bytes.Equal(a.Body, o.Want.Body) {
			t.Errorf("%s: the same input was answered otherwise", o.Path)
		}
	}
}

func stepJobs(t *testing.T, v *visit) {
	for _, operation := range []string{"generate", "parse", "validate"} {
		o := v.first(operation)
		job := v.job(t, o)
		if job.Status != "succeeded" || job.Type != operation || !bytes.Equal(job.Result, o.Want.Body) {
			t.Errorf("%s: %s, result of %d bytes, want %d", operation, job.Status, len(job.Result), len(o.Want.Body))
		}
	}
	o := v.first("generate")
	if a := v.customer.Want(t, 200, "POST", o.Path, o.Body, "Prefer", "respond-async, wait=20"); !bytes.Equal(a.Body, o.Want.Body) {
		t.Error("what was waited for is another answer")
	}
	refused := harness.Order{Path: o.Path, Body: []byte(`{"invoice": {}}`)}
	if job := v.job(t, refused); job.Status != "failed" || !bytes.Contains(job.Error, []byte("errors")) {
		t.Errorf("a refused job: %s %.200s", job.Status, job.Error)
	}
	var list struct {
		Data    []jobView
		HasMore bool `json:"has_more"`
	}
	if v.customer.Want(t, 200, "GET", "/api/v1/jobs?limit=2", nil).JSON(t, &list); len(list.Data) != 2 || !list.HasMore {
		t.Errorf("a list of %d, more %t", len(list.Data), list.HasMore)
	}
}

// stepRelay sends what is above the limit of inline work: a worker does it, and the client sees the synchronous answer.
func stepRelay(t *testing.T, v *visit) {
	var body map[string]map[string]any
	if err := json.Unmarshal(v.first("generate").Body, &body); err != nil {
		t.Fatal(err)
	}
	before := len(v.audit.Rows())
	a := v.customer.Want(t, 200, "POST", "/api/v1/invoice/de/xrechnung/generate", longInvoice(60))
	var made struct{ Data string }
	a.JSON(t, &made)
	if document, err := base64.StdEncoding.DecodeString(made.Data); err != nil || bytes.Count(document, []byte("<cac:InvoiceLine>")) != 60 {
		t.Errorf("%d bytes of document, %v", len(document), err)
	}
	if n := len(v.audit.Rows()) - before; n != 1 {
		t.Errorf("the large request made %d jobs", n)
	}
}

// longInvoice is a request of n lines.
func longInvoice(n int) []byte {
	line := `{"description": "Lamp", "quantity": 1, "unit": "C62", "unitPrice": 100, "taxRate": 19, "taxCategoryCode": "S", "netAmount": 100, "taxAmount": 19}`
	return fmt.Appendf(nil, `{"invoice": {"invoiceNumber": "2026-LONG", "type": "invoice", "issueDate": "2026-03-02", "dueDate": "2026-04-01",
		"deliveryDate": "2026-02-27", "currency": "EUR", "buyerReference": "04011000-12345-03",
		"seller": {"name": "Weserhandel GmbH", "street": "Am Wall 1", "city": "Bremen", "postalCode": "28195", "countryCode": "DE", "vatId": "DE123456789",
			"email": "rechnung@weserhandel.example", "phone": "+49 421 000000", "contact": {"name": "Petra Harms"}, "bankAccount": {"iban": "DE02120300000000202051"}},
		"buyer": {"name": "Amt Nord", "street": "Ring 2", "city": "Kassel", "postalCode": "34117", "countryCode": "DE", "email": "eingang@amt-nord.example"},
		"paymentMethods": [{"type": "credit_transfer"}], "items": [%s],
		"taxSummary": [{"taxRate": 19, "taxCategoryCode": "S", "netAmount": %d, "taxAmount": %d}], "subtotal": %d, "total": %d}}`,
		strings.Repeat(line+",", n-1)+line, 100*n, 19*n, 100*n, 119*n)
}

func stepBatches(t *testing.T, v *visit) {
	type operation struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
	}
	var operations []operation
	var lines bytes.Buffer
	for _, o := range v.orders[:10] {
		operations = append(operations, operation{"POST", o.Path, o.Body})
		line, err := json.Marshal(operations[len(operations)-1])
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	array, err := json.Marshal(map[string]any{"operations": operations, "metadata": map[string]string{"run": "seven"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path, kind string
		body             []byte
		count            int
	}{
		{"array", "/api/v1/jobs", "application/json", array, 10},
		{"ndjson", "/api/v1/jobs", "application/x-ndjson", lines.Bytes(), 10},
		{"zip", "/api/v1/jobs?operation=/api/v1/invoice/parse&metadata.run=seven", "application/zip", zipOf(t, v), 5},
	} {
		var batch struct {
			ID       string
			Accepted int
			Jobs     []string
		}
		a := v.customer.Must(t, "POST", c.path, c.body, "Content-Type", c.kind)
		if a.Status != 202 {
			t.Errorf("%s: status %d: %.400s", c.name, a.Status, a.Body)
			continue
		}
		a.JSON(t, &batch)
		if batch.Accepted != c.count || batch.ID == "" {
			t.Errorf("%s: %d of %d accepted, id %q: %.300s", c.name, batch.Accepted, c.count, batch.ID, a.Body)
		}
		for _, id := range batch.Jobs {
			job := v.ended(t, id)
			if job.Status != "succeeded" || c.name != "ndjson" && job.Metadata["run"] != "seven" {
				t.Errorf("%s: %+v", c.name, job)
			}
		}
	}
}

// zipOf packs the documents of five orders.
func zipOf(t *testing.T, v *visit) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, o := range harness.Only(v.orders, "parse")[:5] {
		var body struct{ Data []byte }
		if err := json.Unmarshal(o.Body, &body); err != nil {
			t.Fatal(err)
		}
		f, err := w.Create(fmt.Sprintf("%d.xml", i))
		if err == nil {
			_, err = f.Write(body.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func stepIdempotency(t *testing.T, v *visit) {
	o, other := v.first("generate"), harness.Only(v.orders, "generate")[1]
	for _, prefer := range []string{"", "respond-async"} {
		key := "e2e-" + prefer
		first := v.customer.Must(t, "POST", o.Path, o.Body, "Idempotency-Key", key, "Prefer", prefer)
		again := v.customer.Must(t, "POST", o.Path, o.Body, "Idempotency-Key", key, "Prefer", prefer)
		if again.Status != first.Status || again.Header.Get("Idempotent-Replayed") != "true" || prefer == "" && !bytes.Equal(first.Body, again.Body) {
			t.Errorf("%q: status %d and %d, replayed %q", prefer, first.Status, again.Status, again.Header.Get("Idempotent-Replayed"))
		}
		conflict := v.customer.Want(t, 409, "POST", other.Path, other.Body, "Idempotency-Key", key)
		if !bytes.Contains(conflict.Body, []byte("IDEMPOTENCY_CONFLICT")) {
			t.Errorf("another body: %.200s", conflict.Body)
		}
		if a := v.trial.Want(t, 200, "POST", other.Path, other.Body, "Idempotency-Key", key); a.Header.Get("Idempotent-Replayed") != "" {
			t.Error("another key of the account is answered with a replay")
		}
	}
}

func stepWebhooks(t *testing.T, v *visit) {
	for _, url := range []string{"http://hooks.example/x", "https://10.0.0.1/x", "https://user:pass@hooks.example/", "https://169.254.169.254/latest"} {
		body := fmt.Appendf(nil, `{"url": %q, "events": ["job.succeeded"]}`, url)
		v.customer.Want(t, 400, "POST", "/api/v1/webhooks", body)
	}
	id, secret := v.receiver.Subscribe(t, v.customer, "/e2e", "job.succeeded", "job.failed", "invoice.created")
	job := v.job(t, v.first("generate"))
	e := v.arrived(t, "job.succeeded", func(e harness.Event) bool { return e.Job == job.ID })
	verify(t, e, secret)
	v.customer.Want(t, 200, "POST", v.first("generate").Path, v.first("generate").Body)
	verify(t, v.arrived(t, "invoice.created", func(e harness.Event) bool { return bytes.Contains(e.Body, []byte("invoiceNumber")) }), secret)
	if a := v.customer.Must(t, "POST", "/api/v1/webhooks/"+id+"/test", nil); a.Status >= 300 {
		t.Errorf("test event: status %d: %.300s", a.Status, a.Body)
	}
	var log struct {
		Data []struct{ ID, Event string }
	}
	harness.Until(t, time.Minute, "the log has deliveries", func() bool {
		v.customer.Want(t, 200, "GET", "/api/v1/webhooks/"+id+"/deliveries", nil).JSON(t, &log)
		return len(log.Data) >= 3
	})
	if a := v.customer.Must(t, "POST", "/api/v1/webhooks/"+id+"/rotate", nil); a.Status != 200 {
		t.Errorf("rotate: status %d: %.300s", a.Status, a.Body)
	}
	v.customer.Want(t, 200, "PATCH", "/api/v1/webhooks/"+id, []byte(`{"enabled": false}`))
	if a := v.customer.Must(t, "DELETE", "/api/v1/webhooks/"+id, nil); a.Status >= 300 {
		t.Errorf("delete: status %d", a.Status)
	}
	v.customer.Want(t, 404, "GET", "/api/v1/webhooks/"+id, nil)
}

// arrived waits for an event.
func (v *visit) arrived(t *testing.T, kind string, is func(harness.Event) bool) (found harness.Event) {
	t.Helper()
	harness.Until(t, time.Minute, kind+" has arrived", func() bool {
		for _, e := range v.receiver.Events() {
			if e.Type == kind && is(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// verify checks both signatures of a delivery.
func verify(t *testing.T, e harness.Event, secret string) {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(e.Body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); e.Header.Get("X-Service-Signature") != want {
		t.Errorf("X-Service-Signature is %q, want %q", e.Header.Get("X-Service-Signature"), want)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	mac = hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", e.Header.Get("webhook-id"), e.Header.Get("webhook-timestamp"), e.Body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); !strings.Contains(e.Header.Get("webhook-signature"), want) {
		t.Errorf("webhook-signature is %q, want %q", e.Header.Get("webhook-signature"), want)
	}
	if e.Delivery == "" || e.Header.Get("X-Service-Event") != e.Type || e.Header.Get("X-Service-Timestamp") == "" {
		t.Errorf("headers %v", e.Header)
	}
}

func stepKeys(t *testing.T, v *visit) {
	var made struct{ ID, Secret string }
	body := []byte(`{"name": "till", "entitlements": ["e-invoice:de:xrechnung:create"]}`)
	v.customer.Want(t, 200, "POST", "/api/v1/keys", body).JSON(t, &made)
	secret := made.Secret
	o := v.first("generate")
	till := v.customer.As(secret)
	till.Want(t, 200, "POST", o.Path, o.Body)
	till.Want(t, 403, "POST", "/api/v1/invoice/parse", v.first("parse").Body)
	v.customer.Want(t, 403, "POST", "/api/v1/keys", []byte(`{"name": "more", "entitlements": ["peppol:send"]}`))
	var rotated struct{ Secret string }
	v.customer.Want(t, 200, "POST", "/api/v1/keys/"+made.ID+"/rotate", nil).JSON(t, &rotated)
	v.customer.As(rotated.Secret).Want(t, 200, "POST", o.Path, o.Body)
	till.Want(t, 200, "POST", o.Path, o.Body) // until the cut-off
	if a := v.customer.Must(t, "DELETE", "/api/v1/keys/"+made.ID, nil); a.Status >= 300 {
		t.Errorf("delete: status %d", a.Status)
	}
	harness.Until(t, 10*time.Second, "both secrets are refused by every process", func() bool {
		for _, base := range v.system.Bases() {
			for _, key := range []string{secret, rotated.Secret} {
				if v.customer.As(key).At(base).Must(t, "POST", o.Path, o.Body).Status != 401 {
					return false
				}
			}
		}
		return true
	})
}

func stepUsage(t *testing.T, v *visit) {
	before := total(harness.Units(t, v.customer))
	v.customer.Want(t, 200, "POST", v.first("generate").Path, v.first("generate").Body)
	v.customer.Want(t, 200, "POST", v.first("parse").Path, v.first("parse").Body)
	v.customer.Want(t, 200, "POST", v.first("validate").Path, v.first("validate").Body)
	v.customer.Want(t, 400, "POST", v.first("generate").Path, []byte(`{"invoice": {}}`))
	v.trial.Want(t, 200, "POST", v.first("generate").Path, v.first("generate").Body)
	if n := total(harness.Units(t, v.customer)) - before; n != 2 {
		t.Errorf("%d units were counted, want 2", n)
	}
}

// plans writes plans and lets a system have them.
func plans(t *testing.T) func(*harness.Plan) {
	t.Helper()
	return with("EINVOICED_PLANS", writeFile(t, "plans.yaml", `plans:
  tiny:
    lines: 25
    quotas:
      - {entitlement: "e-invoice:*:*:create", limit: 10}
`))
}

func stepQuota(t *testing.T, v *visit) {
	guest := harness.NewClient(t, v.system.NewAccountKey("guest", "--plan", "tiny"), v.system.Bases()...)
	o := v.first("generate")
	count := map[int]int{}
	for _, a := range together(t, guest, o, 50) {
		count[a.Status]++
		if a.Status == 429 && (!bytes.Contains(a.Body, []byte("QUOTA_EXCEEDED")) || a.Header.Get("Retry-After") != "") {
			t.Errorf("%.300s, Retry-After %q", a.Body, a.Header.Get("Retry-After"))
		}
	}
	if count[200] != 10 || count[429] != 40 {
		t.Errorf("of 50 requests on a quota of 10: %v", count)
	}
	if a := guest.Want(t, 400, "POST", o.Path, longInvoice(30)); !bytes.Contains(a.Body, []byte("TOO_MANY_LINE_ITEMS")) {
		t.Errorf("%.300s", a.Body)
	}
}

func stepAccount(t *testing.T, v *visit) {
	v.customer.Want(t, 200, "PATCH", "/api/v1/account", []byte(`{"notificationEmail": "ops@kunde.example"}`))
	var account struct{ NotificationEmail string }
	if v.customer.Want(t, 200, "GET", "/api/v1/account", nil).JSON(t, &account); account.NotificationEmail != "ops@kunde.example" {
		t.Errorf("%+v", account)
	}
}

func stepErase(t *testing.T, v *visit) {
	job := v.job(t, v.first("generate"))
	artifact := "/api/v1/jobs/" + job.ID + "/artifact"
	if a := v.customer.Want(t, 200, "GET", artifact, nil); !bytes.HasPrefix(a.Body, []byte("<?xml")) {
		t.Errorf("the artifact: %.100s", a.Body)
	}
	v.trial.Want(t, 404, "GET", artifact, nil)
	v.customer.Want(t, 200, "DELETE", "/api/v1/jobs/"+job.ID, nil)
	if job := v.ended(t, job.ID); job.Status != "expired" || len(job.Result) > 0 {
		t.Errorf("the erased job is %s with a result of %d bytes", job.Status, len(job.Result))
	}
	v.customer.Want(t, 404, "GET", artifact, nil)
	harness.Until(t, 2*time.Minute, "its bytes are gone", func() bool {
		for _, key := range v.audit.Stored() {
			if strings.HasPrefix(key, job.ID) {
				return false
			}
		}
		return true
	})
}

func stepEnd(t *testing.T, v *visit) {
	for _, base := range v.system.Bases() {
		v.customer.At(base).Want(t, 200, "GET", "/healthz", nil)
		v.customer.At(base).Want(t, 200, "GET", "/readyz", nil)
	}
	v.audit.Settled(time.Minute)
	v.system.StopAll()
}
