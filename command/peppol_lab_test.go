package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/worker/peppol/lab"
)

// inLab starts a laboratory and a service that sends to it, with a live key that may do everything about Peppol.
func inLab(t *testing.T, args ...string) (*contract, *lab.Lab) {
	t.Helper()
	l, err := lab.Start(lab.Config{Folder: t.TempDir(), Slow: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	c := newContract(t, append(l.Flags(), args...)...)
	key, stderr, code := run(t, "", "keys", "create", "--data", c.dir, "--mode", "live", "--entitlement", "peppol:send", "--entitlement", "admin:peppol")
	if code != exitOK {
		t.Fatal(stderr)
	}
	c.key = strings.TrimSpace(key)
	return c, l
}

// configure gives the service the settings of the laboratory.
func (c *contract) configure(t *testing.T, l *lab.Lab) {
	t.Helper()
	settings, err := json.Marshal(l.Settings())
	if err != nil {
		t.Fatal(err)
	}
	if err := configureLab(t.Context(), l, c.url, c.key, settings); err != nil {
		t.Fatal(err)
	}
}

// accept sends the sample to a recipient.
func (c *contract) accept(t *testing.T, recipient string) (s sent) {
	t.Helper()
	r := c.ask(t, "POST", sendPath, sendBody(t, recipient, ""))
	if unmarshal(t, r.Body, &s); r.Status != 202 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return s
}

// TestPeppolLab ensures that documents reach the laboratory through SML, SMP and access point, that each fault ends as it should, that no message
// is handed over under another id, and that who has nothing configured is told so.
func TestPeppolLab(t *testing.T) {
	c, l := inLab(t)
	if r := c.ask(t, "POST", sendPath, sendBody(t, "9915:a", "")); r.Status != 409 || r.Code != "PEPPOL_NOT_CONFIGURED" || r.Error != "PEPPOL_NOT_CONFIGURED" {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	c.configure(t, l)
	shown := c.ask(t, "GET", "/api/v1/peppol/settings", "")
	if shown.Status != 200 || !strings.Contains(string(shown.Body), `"Authorization":"***"`) || strings.Contains(string(shown.Body), "Bearer") || !strings.Contains(string(shown.Body), `"secret":"***"`) {
		t.Errorf("%s", shown.Body)
	}
	want := map[string]string{"9915:a": "delivered", "9915:a-unknown": "failed PEPPOL_RECIPIENT_UNKNOWN", "9915:a-unsupported": "failed PEPPOL_DOCUMENT_TYPE_UNSUPPORTED"}
	for _, f := range lab.Faults {
		want["9915:a-"+f.Name] = "delivered"
	}
	want["9915:a-rejected"] = "failed PEPPOL_SEND_FAILED"
	ids := map[string]sent{}
	for recipient := range want {
		ids[recipient] = c.accept(t, recipient)
	}
	for recipient, state := range want {
		got := c.transmission(t, ids[recipient].TransmissionID, "delivered", "failed")
		if strings.TrimSpace(got.Status+" "+got.Failure.Code) != state || got.MessageID != ids[recipient].MessageID {
			t.Errorf("%s: %+v, want %s", recipient, got, state)
		}
	}
	report := l.Report()
	if report.Distinct != len(want)-2 {
		t.Errorf("%+v", report)
	}
	for recipient, s := range ids {
		if report.Messages[s.MessageID] == nil && !strings.HasPrefix(recipient, "9915:a-un") {
			t.Errorf("%s has not come", recipient)
		}
	}
	if r := c.ask(t, "GET", "/api/v1/peppol/participants/9915:a", ""); r.Status != 200 || !strings.Contains(string(r.Body), "poacc:billing:3.0") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := c.ask(t, "GET", "/api/v1/peppol/participants/9915:a-unknown", ""); r.Status != 404 || r.Code != "PEPPOL_RECIPIENT_UNKNOWN" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	failed := ids["9915:a-rejected"].TransmissionID
	if r := c.ask(t, "POST", "/api/v1/peppol/transmissions/"+failed+"/retry", ""); r.Status != 202 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if again := c.transmission(t, failed, "failed"); again.MessageID != ids["9915:a-rejected"].MessageID || again.Attempts != 2 {
		t.Errorf("%+v", again)
	}
	for _, path := range []string{"/retry", "/cancel"} {
		if r := c.ask(t, "POST", "/api/v1/peppol/transmissions/"+ids["9915:a"].TransmissionID+path, ""); r.Status != 409 {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// TestPeppolPolling ensures that a provider which does not call back is asked until the receipt is there.
func TestPeppolPolling(t *testing.T) {
	c, l := inLab(t)
	settings := l.Settings()
	settings.Provider.Callback, settings.Provider.Polling = core.Callback{}, &core.Polling{FirstSeconds: 1}
	body, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	if r := c.ask(t, "PUT", "/api/v1/peppol/settings", string(body)); r.Status != 200 || !strings.Contains(string(r.Body), `"polling":{"firstSeconds":1}`) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	s := c.accept(t, "9915:a-late-receipt")
	if got := c.transmission(t, s.TransmissionID, "delivered"); got.Attempts != 1 || l.Report().Messages[s.MessageID].Times != 1 {
		t.Errorf("%+v", got)
	}
	_, _, events := get(t, "GET", c.url+"/api/v1/peppol/transmissions/"+s.TransmissionID+"/events", c.key, "")
	if !strings.Contains(string(events), `"sent","message":"the provider has it"`) || !strings.Contains(string(events), `"delivered","message":"the receipt is there"`) {
		t.Errorf("%s", events)
	}
}

// TestPeppolTenants ensures that nobody sees transmissions and settings of another account or mode.
func TestPeppolTenants(t *testing.T) {
	c, l := inLab(t)
	c.configure(t, l)
	mine := c.accept(t, "9915:a").TransmissionID
	test := &contract{service: c.service, key: c.createKey(t, "peppol:send")}
	account, stderr, code := run(t, "", "accounts", "create", "--data", c.dir, "Another")
	if code != exitOK {
		t.Fatal(stderr)
	}
	stranger, stderr, code := run(t, "", "keys", "create", "--data", c.dir, "--mode", "live", "--account", strings.Fields(account)[0], "--entitlement", "peppol:send", "--entitlement", "admin:peppol")
	if code != exitOK {
		t.Fatal(account, stderr)
	}
	other := &contract{service: c.service, key: strings.TrimSpace(stranger)}
	if r := other.ask(t, "GET", "/api/v1/peppol/settings", ""); r.Status != 409 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	for _, path := range []string{"", "/events", "/document"} {
		if r := other.ask(t, "GET", "/api/v1/peppol/transmissions/"+mine+path, ""); r.Status != 404 {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	if _, _, list := get(t, "GET", c.url+"/api/v1/peppol/transmissions", test.key, ""); strings.Contains(string(list), mine) {
		t.Errorf("%s", list)
	}
	for _, path := range []string{"", "/events", "/document"} {
		if r := test.ask(t, "GET", "/api/v1/peppol/transmissions/"+mine+path, ""); r.Status != 404 {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// TestPeppolGuard ensures that settings cannot lead to the service's own network, and that call-backs need their secret.
func TestPeppolGuard(t *testing.T) {
	c, l := inLab(t)
	for _, url := range []string{"https://127.0.0.1/", "https://169.254.169.254/x", "http://" + l.Place() + "/", "https://10.0.0.1/{messageId}", c.url, "https://{messageId}.example.com/"} {
		body := fmt.Sprintf(`{"provider":{"url":%q}}`, url)
		if r := c.ask(t, "PUT", "/api/v1/peppol/settings", body); r.Status != 400 || r.Field != "provider.url" {
			t.Errorf("%s: %d %s", url, r.Status, r.Body)
		}
	}
	inside := fmt.Sprintf(`{"provider":{"url":%q,"statusUrl":"https://127.0.0.1/{messageId}"}}`, "https://"+l.Place()+"/")
	if r := c.ask(t, "PUT", "/api/v1/peppol/settings", inside); r.Status != 400 || r.Field != "provider.statusUrl" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	c.configure(t, l)
	var settings struct{ CallbackPath string }
	unmarshal(t, c.ask(t, "GET", "/api/v1/peppol/settings", "").Body, &settings)
	for path, status := range map[string]int{settings.CallbackPath: 401, "/api/v1/peppol/callbacks/pcb_none": 401} {
		if r := c.ask(t, "POST", path, `{"messageId":"x","state":"delivered"}`, "X-Signature", "t=1,v1=00"); r.Status != status {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	if r := c.ask(t, "POST", settings.CallbackPath, strings.Repeat("x", 70_000)); r.Status != 413 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
