package peppol

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/worker/outbound"
	"github.com/einvoiced/einvoiced/worker/peppol/lab"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// configured are the settings of everybody.
type configured core.Settings

func (c configured) Settings(context.Context, string, account.Mode) (peppol.Settings, error) {
	data, err := json.Marshal(core.Settings(c))
	return peppol.Settings{Data: data}, err
}

// answers is a Client that answers a Post, and a Get, with these.
type answers struct {
	post, get outbound.Response
	err       error
	asked     []string
}

func (a *answers) Post(_ context.Context, url string, header http.Header, body []byte, _ int64) (outbound.Response, error) {
	a.asked = append(a.asked, "POST "+url+" "+header.Get("X-Id")+" "+string(body))
	return a.post, a.err
}

func (a *answers) GetWith(_ context.Context, url string, _ http.Header, _ int64) (outbound.Response, error) {
	a.asked = append(a.asked, "GET "+url)
	return a.get, a.err
}

func (a *answers) Get(context.Context, string, int64) (outbound.Response, error) {
	return outbound.Response{}, errors.New("not asked so")
}

var interfaceOfTests = core.Provider{URL: "https://ap.example/{messageId}", StatusURL: "https://ap.example/known/{messageId}", Headers: map[string]string{"X-Id": "{messageId}"},
	Answer: core.Mapping{State: "state", Sent: []string{"sent"}, Delivered: []string{"delivered"}, Failed: []string{"failed"}, Message: "why", MessageID: "id"}}

// TestProviderReadsAnswers ensures what of an answer is sent, delivered or failed, and what is tried again.
func TestProviderReadsAnswers(t *testing.T) {
	for body, want := range map[string]string{
		`200 {"state":"sent"}`: "sent", `202 {"state":"delivered"}`: "delivered", `200 {"state":"failed","why":"no"}`: "failed no", `200 {"state":"odd"}`: "again", `200 x`: "again",
		`200 {"state":"delivered","id":"m-1"}`: "delivered", `200 {"state":"delivered","id":"m-2"}`: "again",
		`500 {}`: "again", `503 `: "again", `429 `: "again", `401 {}`: "failed the provider has answered 401: the credentials in the settings are not accepted",
		`422 {"state":"failed","why":"no"}`: "failed the provider has answered 422 no", `302 `: "failed the provider has answered 302 ",
	} {
		status, text, _ := strings.Cut(body, " ")
		client := &answers{post: outbound.Response{Status: int(status[0]-'0')*100 + int(status[1]-'0')*10 + int(status[2]-'0'), Body: []byte(text)}}
		a := peppol.Attempt{Transmission: peppol.Transmission{MessageID: "m-1", Attempts: 1}, Document: []byte("<a/>")}
		o, err := NewProvider(client, configured{Provider: interfaceOfTests}, nil).Send(t.Context(), a)
		got := strings.TrimSuffix(string(o.State)+" "+o.Reason, " ")
		if _, fault := errors.AsType[*kinds.SendFault](err); fault {
			got = "again"
		} else if err != nil {
			t.Error(err)
		}
		if got != strings.TrimSuffix(want, " ") || len(client.asked) != 1 || client.asked[0] != "POST https://ap.example/m-1 m-1 <a/>" {
			t.Errorf("%s: %q %v, want %q", body, got, client.asked, want)
		}
	}
}

// TestProviderAsksBeforeItSendsAgain ensures that a message which the provider has is not handed over once more.
func TestProviderAsksBeforeItSendsAgain(t *testing.T) {
	a := peppol.Attempt{Transmission: peppol.Transmission{MessageID: "m-1", Attempts: 2}}
	known := &answers{get: outbound.Response{Status: 200, Body: []byte(`{"state":"delivered"}`)}}
	if o, err := NewProvider(known, configured{Provider: interfaceOfTests}, nil).Send(t.Context(), a); err != nil || o.State != peppol.Delivered || len(known.asked) != 1 {
		t.Errorf("%+v %v %v", o, err, known.asked)
	}
	unknown := &answers{get: outbound.Response{Status: 404}, post: outbound.Response{Status: 200, Body: []byte(`{"state":"sent"}`)}}
	if o, err := NewProvider(unknown, configured{Provider: interfaceOfTests}, nil).Send(t.Context(), a); err != nil || o.State != peppol.Sent || len(unknown.asked) != 2 {
		t.Errorf("%+v %v %v", o, err, unknown.asked)
	}
}

// TestNetwork ensures that recipients are found by name server and publisher, that publishers who are not trusted are not believed, and that neither their
// addresses nor those of providers lead where the operator has not allowed it.
func TestNetwork(t *testing.T) {
	dir := t.TempDir()
	l, err := lab.Start(lab.Config{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	pem, err := os.ReadFile(filepath.Join(dir, "root.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := func(allow ...string) *outbound.Client {
		c, err := outbound.New(outbound.Config{Allow: allow, RootCAs: roots})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	network := func(c *outbound.Client, trusted *x509.CertPool) *Network {
		n, err := NewNetwork(NetworkConfig{Zone: lab.Zone, DNS: l.NameServer(), Roots: trusted}, c)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	allowed := client(l.Place())
	defer allowed.Close()
	n := network(allowed, roots)
	who, process := core.Participant{Scheme: "9915", ID: "a"}, core.Process{Scheme: core.ProcessScheme, Value: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"}
	entry, err := n.LookUp(t.Context(), who)
	if err != nil || len(entry.DocumentTypes) != 2 || entry.SMP != "https://"+l.Place()+"/smp" {
		t.Fatalf("%+v %v", entry, err)
	}
	d := entry.DocumentTypes[0]
	for range 2 {
		if err := n.Takes(t.Context(), who, d, process); err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{"a-unknown", "a-unsupported"} {
		if err := n.Takes(t.Context(), core.Participant{Scheme: "9915", ID: id}, d, process); !errors.Is(err, core.ErrUnregistered) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := n.Takes(t.Context(), who, d, core.Process{Scheme: core.ProcessScheme, Value: "other"}); !errors.Is(err, core.ErrUnregistered) {
		t.Error(err)
	}
	if err := network(allowed, x509.NewCertPool()).Takes(t.Context(), who, d, process); !errors.Is(err, core.ErrSignature) {
		t.Errorf("a publisher that is not trusted: %v", err)
	}
	guarded := client()
	if _, err := network(guarded, roots).LookUp(t.Context(), who); err == nil {
		t.Error("a publisher on the loopback was asked")
	}
	settings := l.Settings()
	settings.Provider.LookUp = false
	a := peppol.Attempt{Transmission: peppol.Transmission{MessageID: "m", Attempts: 1}, Document: []byte("<a/>")}
	_, err = NewProvider(guarded, configured(settings), nil).Send(t.Context(), a)
	if _, fault := errors.AsType[*kinds.SendFault](err); !fault || l.Report().Distinct > 0 {
		t.Errorf("a provider on the loopback was asked: %v", err)
	}
}

// TestCacheIsBounded ensures that a cache never holds more than it may.
func TestCacheIsBounded(t *testing.T) {
	n, err := NewNetwork(NetworkConfig{Zone: "z", DNS: "127.0.0.1:1", Roots: x509.NewCertPool(), Most: 3}, &answers{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Split("a b c d e f g", " ") {
		if got, err := n.addresses.get(key, func() (string, error) { return key, nil }); got != key || err != nil || len(n.addresses.m) > 3 {
			t.Error(got, err, len(n.addresses.m))
		}
	}
	asked := 0
	for range 2 {
		if _, err := n.addresses.get("h", func() (string, error) { asked++; return "", core.ErrUnregistered }); !errors.Is(err, core.ErrUnregistered) {
			t.Error(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// TestSettingsOfLookUpsAreChecked ensures which zones and name servers are none.
func TestSettingsOfLookUpsAreChecked(t *testing.T) {
	for text, good := range map[string]bool{"edelivery.tech.ec.europa.eu": true, "lab.test": true, "lab.test.": true, "": false, "no zone": false, "https://zone/": false, "a..b": false, ".": false} {
		if err := CheckZone(text); (err == nil) != good {
			t.Errorf("zone %q: %v", text, err)
		}
	}
	for text, good := range map[string]bool{"127.0.0.1:53": true, "[::1]:53": true, "dns.example.com:53": true, "nowhere": false, "127.0.0.1": false, ":53": false, "a:0": false, "a:70000": false, "a:dns": false, "a b:53": false} {
		if err := CheckNameServer(text); (err == nil) != good {
			t.Errorf("name server %q: %v", text, err)
		}
	}
}
