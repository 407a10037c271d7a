package api

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/deliver"
	"github.com/einvoiced/einvoiced/worker/deliver/signature"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// hosts judges URLs as the service does. Names that end in .example are on the internet, all others do not exist; what begins with
// trusted may be reached, too.
type hosts struct {
	client  *outbound.Client
	trusted string
}

// Check implements webhook.Checker.
func (h *hosts) Check(ctx context.Context, url string) error {
	if h.trusted != "" && strings.HasPrefix(url, h.trusted) {
		return nil
	}
	return h.client.Check(ctx, url)
}

// LookupNetIP implements outbound.Resolver.
func (h *hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch {
	case strings.HasPrefix(host, "inside."):
		return []netip.Addr{netip.MustParseAddr("10.0.0.7")}, nil
	case strings.HasSuffix(host, ".example"):
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (f *fixture) openWebhooks(t testing.TB, database *db.DB, jobs *queue.Queue) {
	f.hosts = &hosts{}
	f.hosts.client = must(outbound.New(outbound.Config{Resolver: f.hosts, Logger: slog.New(slog.DiscardHandler)}))(t)
	cfg := webhook.Config{MaxEndpoints: 1000, Logger: slog.New(slog.DiscardHandler)}
	f.webhooks = must(webhook.New(cfg, database, must(sealer())(t), jobs, f.hosts))(t)
	f.told.next = f.webhooks
}

// newWebhook makes a webhook of the role's key and gives its id.
func (f *fixture) newWebhook(t testing.TB, role string) string {
	t.Helper()
	return f.askWebhook(t, role, `{"url":"https://hooks.example/in"}`).ID
}

func (f *fixture) askWebhook(t testing.TB, role, body string) (w webhookView) {
	t.Helper()
	r := f.ask(t, role, "POST", "/api/v1/webhooks", body)
	if err := json.Unmarshal(r.body, &w); err != nil || r.status != 200 {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	return w
}

// endedDelivery makes a delivery of a trial that has failed.
func (f *fixture) endedDelivery(t testing.TB, role string) string {
	t.Helper()
	id := f.try(t, role, f.newWebhook(t, role)).ID
	s := must(f.webhooks.Claim(t.Context(), id))(t)
	must(f.webhooks.Settle(t.Context(), s, webhook.Result{Started: time.Now(), Reason: "private"}))(t)
	return id
}

// try sends a trial.
func (f *fixture) try(t testing.TB, role, webhookID string) (d deliveryView) {
	t.Helper()
	path := "/api/v1/webhooks/" + webhookID + "/test"
	r := f.ask(t, role, "POST", path, "")
	checkContract(t, "POST", path, r)
	if err := json.Unmarshal(r.body, &d); err != nil || r.status != 202 {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	return d
}

const createWebhook = "POST /api/v1/webhooks"

// TestWebhooks ensures the answers about webhooks.
func TestWebhooks(t *testing.T) {
	f := newFixture(t, Config{})
	made := f.askWebhook(t, "full", `{"url":"https://hooks.example/in","events":["job.failed","invoice.created"],"description":"bookkeeping"}`)
	path := "/api/v1/webhooks/" + made.ID
	view := func(change string) string {
		return fmt.Sprintf(`{"id":%q,"url":"https://hooks.example/in","events":["invoice.created","job.failed"],"description":"bookkeeping",%s"mode":"test","created":"…","updated":"…"}`, made.ID, change)
	}
	unknown := problemJSON("Not Found", "NOT_FOUND", "Webhook or delivery does not exist")
	runScenarios(t, f, []scenario{
		{name: "a URL is enough", role: "full", do: createWebhook, body: `{"url":"https://hooks.example"}`, status: 200,
			want: `{"id":"…","url":"https://hooks.example","events":[],"description":"","enabled":true,"mode":"test","created":"…","updated":"…","secret":"…"}`},
		{name: "of a live key", role: "live", do: createWebhook, body: `{"url":"https://hooks.example","enabled":false}`, status: 200,
			want: `{"id":"…","url":"https://hooks.example","events":[],"description":"","enabled":false,"mode":"live","created":"…","updated":"…","secret":"…"}`},
		{name: "look at it", role: "full", do: "GET " + path, status: 200, want: view(`"enabled":true,`)},
		{name: "its secret", role: "full", do: "GET " + path + "/secret", status: 200, want: fmt.Sprintf(`{"secret":%q}`, made.Secret)},
		{name: "disable it", role: "full", do: "PATCH " + path, body: `{"enabled":false}`, status: 200, want: view(`"enabled":false,`)},
		{name: "change nothing", role: "full", do: "PATCH " + path, body: `{}`, status: 200, want: view(`"enabled":false,`)},
		{name: "null changes nothing", role: "full", do: "PATCH " + path, body: `{"enabled":null,"url":null,"events":null}`, status: 200, want: view(`"enabled":false,`)},
		{name: "enable it", role: "full", do: "PATCH " + path, body: `{"enabled":true}`, status: 200, want: view(`"enabled":true,`)},
		{name: "no deliveries yet", role: "full", do: "GET " + path + "/deliveries", status: 200,
			want: fmt.Sprintf(`{"object":"list","data":[],"has_more":false,"url":%q}`, path+"/deliveries")},
		{name: "a page that is none", role: "full", do: "GET " + path + "/deliveries?limit=0", status: 400},
		{name: "deliveries of an unknown one", role: "full", do: "GET /api/v1/webhooks/whk_1/deliveries", status: 404, want: unknown},
		{name: "an unknown delivery", role: "full", do: "POST /api/v1/webhooks/deliveries/dlv_1/redeliver", status: 404, want: unknown},
		{name: "an id that is none", role: "full", do: "GET /api/v1/webhooks/%ff%00", status: 404, want: unknown},
		{name: "delete it", role: "full", do: "DELETE " + path, status: 200, want: view(`"enabled":false,`)},
		{name: "delete it again", role: "full", do: "DELETE " + path, status: 404, want: unknown},
		{name: "after that it does not exist", role: "full", do: "GET " + path + "/secret", status: 404, want: unknown},
	})
}

// TestWebhooks_WhatIsNone ensures that what cannot be a webhook is refused, and that a URL tells nothing about our network.
func TestWebhooks_WhatIsNone(t *testing.T) {
	f := newFixture(t, Config{})
	list := []scenario{
		{name: "no URL", body: `{}`, want: fieldJSON("MISSING_FIELD", "url", "url: is required")},
		{name: "a switch of another type", body: `{"url":"https://example.com/","enabled":"no"}`, want: fieldJSON("INVALID_TYPE", "enabled", "enabled: must be true or false")},
		{name: "events of another type", body: `{"url":"https://example.com/","events":"job.failed"}`, want: fieldJSON("INVALID_TYPE", "events", "events: must be a list")},
		{name: "URL of another type", body: `{"url":7}`, want: fieldJSON("INVALID_TYPE", "url", "url: must be a string")},
		{name: "unknown event", body: `{"url":"https://hooks.example","events":["job.failed","job.lost"]}`,
			want: fieldJSON("INVALID_VALUE", "events[1]", "events[1]: must be one of "+strings.Join(webhook.Types, ", "))},
		{name: "plain HTTP", body: `{"url":"http://hooks.example"}`, want: fieldJSON("INVALID_VALUE", "url", "url: must begin with https://")},
		{name: "another port", body: `{"url":"https://hooks.example:8443"}`, want: fieldJSON("INVALID_VALUE", "url", "url: must use port 443")},
		{name: "a user name", body: `{"url":"https://a@hooks.example"}`, want: fieldJSON("INVALID_VALUE", "url", "url: must not contain a user name or a password")},
		{name: "a list", body: `[]`, want: invalidJSON("The request body must be a JSON object")},
		{name: "not JSON", body: `{"url":`, want: `"…"`},
	}
	for _, url := range []string{"https://127.0.0.1", "https://10.1.2.3", "https://[::1]", "https://169.254.169.254/latest", "https://inside.hooks.example", "https://nowhere.invalid"} {
		list = append(list, scenario{name: url, body: fmt.Sprintf(`{"url":%q}`, url),
			want: fieldJSON("INVALID_VALUE", "url", "url: must lead to a host on the public internet")})
	}
	id := f.newWebhook(t, "full")
	for i := range list {
		s := list[i]
		s.role, s.do, s.status = "full", createWebhook, 400
		t.Run("make/"+s.name, func(t *testing.T) { s.run(t, f) })
		if s.do = "PATCH /api/v1/webhooks/" + id; s.name != "no URL" {
			t.Run("change/"+s.name, func(t *testing.T) { s.run(t, f) })
		}
	}
}

// TestWebhooks_IgnoreServerMembers ensures that members which are the service's own are not taken from a request.
func TestWebhooks_IgnoreServerMembers(t *testing.T) {
	f := newFixture(t, Config{})
	const owned = `"id":"whk_mine","account":"acc_1","accountId":"acc_1","mode":"live","secret":"whsec_AAAA","disabledReason":"gone","created":"2000-01-01T00:00:00Z","deleted":1,"URL":"https://evil.example"`
	made := f.askWebhook(t, "full", `{"url":"https://hooks.example",`+owned+`}`)
	if made.ID == "whk_mine" || made.Mode != account.Test || made.Secret == "whsec_AAAA" || made.DisabledReason != "" || made.Created.Year() == 2000 || made.URL != "https://hooks.example" {
		t.Errorf("made %+v", made)
	}
	r := f.ask(t, "full", "PATCH", "/api/v1/webhooks/"+made.ID, `{`+owned+`}`)
	var changed webhookView
	if err := json.Unmarshal(r.body, &changed); err != nil || r.status != 200 {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	if changed.ID != made.ID || changed.Mode != account.Test || changed.DisabledReason != "" || !changed.Created.Equal(made.Created) || changed.URL != made.URL {
		t.Errorf("changed %+v", changed)
	}
	if r := f.ask(t, "full", "GET", "/api/v1/webhooks/"+made.ID+"/secret", ""); !strings.Contains(string(r.body), made.Secret) {
		t.Errorf("the secret is now %s", r.body)
	}
}

// TestWebhooks_List ensures that a list has what belongs to account and mode, in pages.
func TestWebhooks_List(t *testing.T) {
	f := newFixture(t, Config{})
	var own []string
	for range 3 {
		own = append([]string{f.newWebhook(t, "full")}, own...)
	}
	f.newWebhook(t, "live")
	f.newWebhook(t, "stranger")
	var got []string
	for path := "/api/v1/webhooks?limit=2"; path != ""; {
		r := f.ask(t, "full", "GET", path, "")
		checkContract(t, "GET", path, r)
		var page struct {
			Data    []webhookView
			HasMore bool `json:"has_more"`
		}
		if err := json.Unmarshal(r.body, &page); err != nil {
			t.Fatal(err)
		}
		for _, w := range page.Data {
			got = append(got, w.ID)
			if w.Secret != "" {
				t.Error("the list shows a secret")
			}
		}
		path = ""
		if page.HasMore {
			path = "/api/v1/webhooks?limit=2&starting_after=" + got[len(got)-1]
		}
	}
	slices.Sort(got)
	slices.Sort(own)
	if !slices.Equal(got, own) {
		t.Errorf("listed %v, want %v", got, own)
	}
}

// TestWebhooks_Rotate ensures that the answer shows both secrets, and that each is shown again while it signs.
func TestWebhooks_Rotate(t *testing.T) {
	f := newFixture(t, Config{})
	made := f.askWebhook(t, "full", `{"url":"https://hooks.example"}`)
	path := "/api/v1/webhooks/" + made.ID
	r := f.ask(t, "full", "POST", path+"/rotate", "")
	checkContract(t, "POST", path+"/rotate", r)
	var rotated webhookView
	if err := json.Unmarshal(r.body, &rotated); err != nil {
		t.Fatal(err)
	}
	if rotated.PreviousSecret != made.Secret || rotated.Secret == made.Secret || time.Until(rotated.PreviousSecretUntil).Round(time.Hour) != 24*time.Hour {
		t.Errorf("rotated: %s", r.body)
	}
	scenario{role: "full", do: "GET " + path + "/secret", status: 200,
		want: fmt.Sprintf(`{"secret":%q,"previousSecret":%q,"previousSecretUntil":"…"}`, rotated.Secret, made.Secret)}.run(t, f)
	scenario{role: "full", do: "GET " + path, status: 200, want: `{"id":"…","url":"…","events":[],"description":"","enabled":true,"mode":"test","created":"…","updated":"…","previousSecretUntil":"…"}`}.run(t, f)
}

// TestWebhooks_Limit ensures that an account cannot have any number of webhooks.
func TestWebhooks_Limit(t *testing.T) {
	f := newFixture(t, Config{})
	change := webhook.Change{URL: new(string)}
	*change.URL = "https://hooks.example"
	owner := must(f.accounts.Accounts(t.Context()))(t)[0].ID
	for range 1000 {
		if _, _, err := f.webhooks.Create(t.Context(), owner, account.Test, change); err != nil {
			t.Fatal(err)
		}
	}
	scenario{role: "full", do: createWebhook, body: `{"url":"https://hooks.example"}`, status: 409,
		want: problemJSON("Conflict", "CONFLICT", "The account has as many webhooks in this mode as it may have; delete one first")}.run(t, f)
}

// receiver is an https server of somebody who has a webhook.
func (f *fixture) receiver(t testing.TB, answer http.HandlerFunc) (url string, d *deliver.Deliverer) {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := must(outbound.New(outbound.Config{RootCAs: roots, Allow: []string{server.Listener.Addr().String()}}))(t)
	t.Cleanup(client.Close)
	f.hosts.trusted = server.URL
	return server.URL, must(deliver.New(deliver.Config{Logger: slog.New(slog.DiscardHandler)}, f.webhooks, client))(t)
}

// TestWebhooks_Delivery ensures that a trial arrives with valid signatures, that the log tells it, and that it can be sent once more.
func TestWebhooks_Delivery(t *testing.T) {
	f := newFixture(t, Config{})
	var secret string
	status := http.StatusInternalServerError
	url, deliverer := f.receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		verdicts, err := signature.Verify(secret, r.Header, body, time.Now(), time.Minute)
		if err != nil || !verdicts[0].Valid || !verdicts[1].Valid {
			t.Errorf("verdicts %+v, error %v", verdicts, err)
		}
		w.WriteHeader(status)
		io.WriteString(w, strings.Repeat("ä", 300))
	})
	made := f.askWebhook(t, "full", fmt.Sprintf(`{"url":%q,"events":["peppol.sent"]}`, url+"/in"))
	secret = made.Secret
	d := f.try(t, "full", made.ID)
	deliverer.Handle(t.Context(), names.Webhook, d.ID)
	log := "/api/v1/webhooks/" + made.ID + "/deliveries"
	entry := func(status string, code, attempt int, attempts string) string {
		return fmt.Sprintf(`{"object":"list","has_more":false,"url":%q,"data":[{"id":%q,"webhook":%q,"eventId":"…","event":"webhook.test","status":%q,"created":"…","attempt":%d,
			"latencyMs":"…","request":{"url":%q,"headers":"…","body":"…"},"response":{"status":%d,"body":%q},"attempts":[%s]}]}`,
			log, d.ID, made.ID, status, attempt, url+"/in", code, strings.Repeat("ä", 300), attempts)
	}
	line := func(attempt, code int) string {
		return fmt.Sprintf(`{"attempt":%d,"started":"…","latencyMs":"…","response":{"status":%d,"body":%q}}`, attempt, code, strings.Repeat("ä", 250))
	}
	scenario{role: "full", do: "GET " + log, status: 200, want: entry("failed", 500, 1, line(1, 500))}.run(t, f)
	status = http.StatusOK
	again := "POST /api/v1/webhooks/deliveries/" + d.ID + "/redeliver"
	scenario{role: "full", do: again, status: 202}.run(t, f)
	scenario{role: "full", do: again, status: 409,
		want: problemJSON("Conflict", "CONFLICT", "The delivery is still being attempted; it can be sent again when it has ended")}.run(t, f)
	deliverer.Handle(t.Context(), names.Webhook, d.ID)
	scenario{role: "full", do: "GET " + log, status: 200, want: entry("delivered", 200, 2, line(2, 200)+","+line(1, 500))}.run(t, f)
}

// TestWebhooks_TellOfOperations ensures that a job and its document are told to those who want to know, and to nobody else.
func TestWebhooks_TellOfOperations(t *testing.T) {
	f := newFixture(t, Config{})
	wants := f.askWebhook(t, "full", `{"url":"https://hooks.example","events":["job.succeeded"]}`)
	others := []webhookView{f.askWebhook(t, "live", `{"url":"https://hooks.example"}`)}
	f.finishedJob(t, "full")
	logOf := func(role, id string) (page struct{ Data []deliveryView }) {
		r := f.ask(t, role, "GET", "/api/v1/webhooks/"+id+"/deliveries", "")
		if err := json.Unmarshal(r.body, &page); err != nil {
			t.Fatal(err)
		}
		return page
	}
	list := logOf("full", wants.ID).Data
	if len(list) != 1 || list[0].Event != "job.succeeded" || list[0].Status != webhook.Pending || !strings.Contains(list[0].Request.Body, `"id":"job_`) {
		t.Errorf("told %+v", list)
	}
	if list := logOf("live", others[0].ID).Data; len(list) != 0 {
		t.Errorf("told the other mode %+v", list)
	}
}

// TestWebhooks_LogTellsNothingOfOurNetwork ensures that why an address was refused is not shown to the owner of the webhook.
func TestWebhooks_LogTellsNothingOfOurNetwork(t *testing.T) {
	for reason, want := range map[string]string{
		"": "", "timeout": "timeout", "tls": "tls", "connect": "connect", "private": "address", "link_local": "address", "own": "address",
		"unresolved": "address", "special": "address", "secret": "internal",
	} {
		if got := publicReason(reason); got != want {
			t.Errorf("%q is shown as %q, want %q", reason, got, want)
		}
	}
}
