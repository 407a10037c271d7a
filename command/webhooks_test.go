package command

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/worker/deliver/signature"
)

const webhookSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// listener runs webhooks listen until the test ends or stop is called, which gives the exit code.
func listener(t testing.TB, args ...string) *service {
	t.Helper()
	return begin(t, append([]string{"webhooks", "listen", "--listen", "127.0.0.1:0"}, args...)...)
}

// TestWebhooks_EndToEnd ensures that a document which the running service makes is told to a webhook, that the log has the request, and
// that its signatures are valid.
func TestWebhooks_EndToEnd(t *testing.T) {
	t.Parallel()
	receiver := listener(t)
	dir := t.TempDir()
	s := start(t, dir, "--allow-network", receiver.url)
	secret, _, code := run(t, "", "keys", "create", "--data", dir, "--entitlement", "admin:webhooks", "--entitlement", "e-invoice:*:*:create")
	key := strings.TrimSpace(secret)
	if code != exitOK {
		t.Fatal("no key")
	}
	status, _, body := get(t, "POST", s.url+"/api/v1/webhooks", key, `{"url":"`+receiver.url+`/in"}`)
	var made struct{ ID, Secret string }
	unmarshal(t, body, &made)
	if status != 200 {
		t.Fatalf("status %d: %s", status, body)
	}
	status, _, body = get(t, "POST", s.url+"/api/v1/invoice/de/xrechnung/generate", key, string(docs.Example()))
	if status != 200 {
		t.Fatalf("status %d: %s", status, body)
	}
	var log struct {
		Data []struct {
			Event, Status string
			Request       struct {
				Body    string
				Headers map[string]string
			}
		}
	}
	eventually(t, "the event was delivered", func() bool {
		_, _, body := get(t, "GET", s.url+"/api/v1/webhooks/"+made.ID+"/deliveries", key, "")
		unmarshal(t, body, &log)
		return len(log.Data) == 1 && log.Data[0].Status == "delivered"
	})
	d := log.Data[0]
	if d.Event != "invoice.created" || !strings.Contains(receiver.stdout.String(), d.Request.Body) || !strings.Contains(d.Request.Body, `"invoiceNumber":"2026-0117"`) {
		t.Errorf("told %+v\nprinted %s", d, receiver.stdout)
	}
	file := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(file, []byte(d.Request.Body), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"webhooks", "verify", "--secret", made.Secret, "--tolerance", "5m", file}
	for name, value := range d.Request.Headers {
		args = append(args, "-H", name+": "+value)
	}
	if out, errs, code := run(t, "", args...); code != exitOK || out != "X-Service-Signature valid\nWebhook-Signature valid\n" {
		t.Errorf("verify: code %d, %s%s", code, out, errs)
	}
	_, _, metrics := get(t, "GET", s.admin+"/metrics", "", "")
	if !strings.Contains(string(metrics), `einvoiced_webhook_attempts_total{outcome="delivered"} 1`) {
		t.Error("the delivery is not counted")
	}
	for url, want := range map[string]int{"https://127.0.0.1/": 400, "http://127.0.0.1:1/": 400, receiver.url + "/other": 200} {
		if status, _, body := get(t, "POST", s.url+"/api/v1/webhooks", key, `{"url":"`+url+`"}`); status != want {
			t.Errorf("%s: status %d: %s", url, status, body)
		}
	}
}

// TestServe_OwnAddressIsNoWebhook ensures that the service cannot be made to ask itself, even where that is allowed.
func TestServe_OwnAddressIsNoWebhook(t *testing.T) {
	free := listener(t) // to find a port that is free after it
	free.stop()
	address := strings.TrimPrefix(free.url, "http://")
	dir := t.TempDir()
	s := start(t, dir, "--listen", address, "--allow-network", "http://"+address)
	secret, _, _ := run(t, "", "keys", "create", "--data", dir, "--entitlement", "admin:webhooks")
	if status, _, body := get(t, "POST", s.url+"/api/v1/webhooks", strings.TrimSpace(secret), `{"url":"http://`+address+`/"}`); status != 400 {
		t.Errorf("status %d: %s", status, body)
	}
}

func TestServe_RefusesNonsenseAboutWebhooks(t *testing.T) {
	for name, args := range map[string][]string{"--allow-network": {"--allow-network", "everything"}, "--smtp": {"--smtp", "mail.example"}, "--proxy": {"--proxy", "proxy:3128"}} {
		if _, errs, code := run(t, "", append([]string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}, args...)...); code != exitUsage || !strings.Contains(errs, name) {
			t.Errorf("%s: code %d: %s", name, code, errs)
		}
	}
}

// signed gives a request of a delivery.
func signed(t testing.TB, url, body string, at time.Time) *http.Request {
	t.Helper()
	h, err := signature.Header(signature.Message{Delivery: "dlv_1", Event: "job.failed", Time: at, Body: []byte(body)}, webhookSecret, "")
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	return req
}

// TestWebhooksListen ensures what is printed and answered.
func TestWebhooksListen(t *testing.T) {
	s := listener(t, "--secret", webhookSecret, "--answer", "503")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	ask := func(req *http.Request) int {
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	wrong := signed(t, s.url, `{"b":2}`, time.Now())
	wrong.Header.Set("X-Service-Signature", "sha256=00")
	steered := signed(t, s.url, "{\"c\":\"\x1b[2J\x9b\"}", time.Now())
	large := signed(t, s.url, strings.Repeat("x", 1<<20+1), time.Now())
	look, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		request *http.Request
		status  int
		prints  string
	}{
		"valid":    {signed(t, s.url, `{"a":1}`, time.Now()), 503, "job.failed dlv_1: X-Service-Signature valid; Webhook-Signature valid\n{\"a\":1}\n"},
		"wrong":    {wrong, 401, "X-Service-Signature is not that of this body under this secret; Webhook-Signature valid\n{\"b\":2}\n"},
		"old":      {signed(t, s.url, `{"d":4}`, time.Now().Add(-time.Hour)), 401, "Webhook-Signature its time is 1h0m"},
		"steering": {steered, 503, "{\"c\":\"\uFFFD[2J\uFFFD\"}"},
		"large":    {large, 413, ""},
		"no POST":  {look, 405, "no POST"},
	} {
		if status := ask(test.request); status != test.status || !strings.Contains(s.stdout.String(), test.prints) {
			t.Errorf("%s: status %d, want %d; printed %q", name, status, test.status, s.stdout)
		}
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
	for _, args := range [][]string{{"--secret", "whsec_!"}, {"--answer", "100"}, {"--listen", "nowhere"}} {
		if _, errs, code := run(t, "", append([]string{"webhooks", "listen"}, args...)...); code == exitOK || errs == "" {
			t.Errorf("%v: code %d: %s", args, code, errs)
		}
	}
}

// TestWebhooksVerify ensures verdicts and exit codes.
func TestWebhooksVerify(t *testing.T) {
	at := time.Now().Add(-time.Hour)
	h := signed(t, "http://x", "body", at).Header
	contract := "X-Service-Signature: " + h.Get("X-Service-Signature")
	id, timestamp, standard := "webhook-id:dlv_1", "webhook-timestamp: "+strconv.FormatInt(at.Unix(), 10), "Webhook-Signature: "+h.Get("Webhook-Signature")
	for name, test := range map[string]struct {
		body string
		args []string
		code int
		says string
	}{
		"both":            {"body", []string{"-H", contract, "-H", id, "-H", timestamp, "-H", standard}, exitOK, "X-Service-Signature valid\nWebhook-Signature valid\n"},
		"one":             {"body", []string{"-H", contract}, exitOK, "X-Service-Signature valid\nWebhook-Signature is not there\n"},
		"the other":       {"body", []string{"-H", id, "-H", timestamp, "-H", standard}, exitOK, "Webhook-Signature valid"},
		"another body":    {"bodz", []string{"-H", contract}, exitInvalid, "X-Service-Signature is not that of this body under this secret"},
		"no id":           {"body", []string{"-H", timestamp, "-H", standard}, exitInvalid, "Webhook-Signature needs Webhook-Id and Webhook-Timestamp"},
		"too old":         {"body", []string{"-H", contract, "-H", id, "-H", timestamp, "-H", standard, "--tolerance", "5m"}, exitInvalid, "its time is 1h0m"},
		"no signature":    {"body", nil, exitUsage, "no signature to check"},
		"no header field": {"body", []string{"-H", "dlv_1"}, exitUsage, "is no header field"},
		"another secret":  {"body", []string{"-H", contract, "--secret", "topsecret"}, exitUsage, "a secret is whsec_ followed by base64"},
	} {
		out, errs, code := run(t, test.body, append([]string{"webhooks", "verify", "--secret", webhookSecret, "-"}, test.args...)...)
		if code != test.code || !strings.Contains(out+errs, test.says) {
			t.Errorf("%s: code %d, want %d: %s%s", name, code, test.code, out, errs)
		}
	}
	if _, errs, code := run(t, "", "webhooks", "verify", "--secret", webhookSecret, "-H", contract, filepath.Join(t.TempDir(), "absent")); code != exitUsage || errs == "" {
		t.Errorf("absent file: code %d: %s", code, errs)
	}
}
