package api

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	compare "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
)

// subjects make the things that routes with an id are about, by the beginning of their paths. Each is a new one of the key full.
var subjects = map[string]func(*fixture, testing.TB) string{
	"/api/v1/jobs/":                func(f *fixture, t testing.TB) string { return f.finishedJob(t, "full").ID },
	"/api/v1/webhooks/":            func(f *fixture, t testing.TB) string { return f.newWebhook(t, "full") },
	"/api/v1/webhooks/deliveries/": func(f *fixture, t testing.TB) string { return f.endedDelivery(t, "full") },
	"/api/v1/templates/":           func(f *fixture, t testing.TB) string { return f.saveTemplate(t, "full", bodies["createTemplate"]) },
	"/api/v1/peppol/participants/": func(*fixture, testing.TB) string { return "0088:4562458856624" },
	"/api/v1/keys/": func(f *fixture, t testing.TB) string {
		return f.addKey(t, "own", "spare", account.NewKey{Mode: account.Test, Entitlements: []string{"e-invoice:de:xrechnung:create"}}).ID
	},
}

// bodies are what routes take that are not content with an empty object.
var bodies = map[string]string{
	"parse": `{"data":"PGEvPg=="}`, "parseAuto": `{"data":"PGEvPg=="}`, "validate": `{"invoice":{}}`, "validateCountry": `{"invoice":{}}`,
	"convert":        `{"data":"PGEvPg==","targetFormat":"xrechnung"}`,
	"render":         `{"data":"PGEvPg=="}`,
	"createJobs":     `{"method":"POST","path":"/api/v1/invoice/de/xrechnung/generate","body":{}}`,
	"createWebhook":  `{"url":"https://hooks.example/in"}`,
	"createTemplate": `{"name":"Plain","template":{}}`, "updateTemplate": `{"name":"Plain","template":{}}`,
	"createKey":       `{"entitlements":["e-invoice:de:xrechnung:create"]}`,
	"embed":           `{"pdf":"JVBERi0=","invoice":{}}`,
	"embedUpload":     formOf("pdf", "%PDF-", "invoice", "{}"),
	"verifactuCancel": `{"sellerNif":"B12345674","invoiceNumber":"A-1","invoiceDate":"05-03-2026"}`,
	"verifactuQR":     `{"sellerNif":"B12345674","invoiceSeries":"A2026-","invoiceNumber":"0042","invoiceDate":"30-06-2026","total":1210}`,
	"sendPeppol":      sendable, "updatePeppolSettings": configurable,
}

// asForm is the header of a body that formOf has made.
var asForm = []string{"Content-Type", "multipart/form-data; boundary=x"}

// header is that of the route's body, where it is no JSON.
func (rt *route) header() []string {
	if rt.name == "embedUpload" {
		return asForm
	}
	return nil
}

// formOf is a multipart body of names and contents.
func formOf(parts ...string) string {
	var b strings.Builder
	for ; len(parts) > 1; parts = parts[2:] {
		fmt.Fprintf(&b, "--x\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", parts[0], parts[1])
	}
	return b.String() + "--x--\r\n"
}

// successes are the statuses of routes that do not answer 200.
var successes = map[string]int{"createJobs": http.StatusAccepted, "testWebhook": http.StatusAccepted, "redeliver": http.StatusAccepted,
	"sendPeppol": http.StatusAccepted, "retryTransmission": http.StatusAccepted}

// path fills in the template of the route; {id} is one of its subjects.
func (rt *route) fill(f *fixture, t testing.TB) (path, id string) {
	for prefix, subject := range subjects {
		if strings.HasPrefix(rt.path, prefix+"{id}") {
			id = subject(f, t)
		}
	}
	if strings.Contains(rt.path, "/verifactu/") {
		f.registered(t, "A-1")
	}
	if strings.HasPrefix(rt.path, transmissionsPath+"/{id}") {
		id = f.newTransmission(t, rt.name == "retryTransmission")
	}
	return strings.NewReplacer("{countryCode}", "de", "{format}", "xrechnung", "{id}", id, "{vatId}", "ESB12345674").Replace(rt.path), id
}

// TestAuthorisation asks every route of the router's own table with every kind of key.
func TestAuthorisation(t *testing.T) {
	f := newFixture(t, Config{})
	denied := `{"error":"UNAUTHORIZED","message":"API key authentication failed","code":"UNAUTHORIZED","errors":[{"code":"UNAUTHORIZED",
		"message":"API key authentication failed: send a key that is known and not revoked in the header field Authorization: Bearer sk_…","field":"Authorization"}]}`
	f.ask(t, "full", "PUT", peppolPath+"/settings", configurable)
	for i := range routes {
		rt := &routes[i]
		path, id := rt.fill(f, t)
		do, body, success := rt.method+" "+path, cmp.Or(bodies[rt.name], "{}"), cmp.Or(successes[rt.name], http.StatusOK)
		if rt.policy.open {
			if rt.name != "peppolCallback" { // it takes a secret of its own: TestPeppolGuard
				scenario{do: do, status: http.StatusOK}.run(t, f)
			}
			continue
		}
		list := []scenario{
			{name: "no key", do: do, body: body, status: 401, want: denied, says: map[string]string{"WWW-Authenticate": "Bearer"}},
			{name: "malformed key", role: "malformed", do: do, body: body, status: 401, want: denied},
			{name: "revoked key", role: "revoked", do: do, body: body, status: 401, want: denied},
			{name: "key in another scheme", do: do, body: body, header: []string{"Authorization", "Basic " + f.keys["full"]}, status: 401, want: denied},
			{name: "key in the query", do: do + "?api_key=" + f.keys["full"], body: body, status: 401, want: denied},
		}
		if strings.Contains(path, "/invoice/") && rt.policy.name != "any key" {
			list = append(list, scenario{name: "missing entitlement", role: "nobody", do: do, body: body, status: 403})
		}
		if rt.policy.alone {
			list = append(list, scenario{name: "missing entitlement", role: "italy", do: do, body: body, status: 403,
				want: wordJSON("FORBIDDEN", "Missing entitlement: "+rt.policy.name)})
		}
		list = append(list,
			scenario{name: "right key", role: "full", do: do, body: body, status: success},
			scenario{name: "right key, scheme in lower case", do: do, body: body, header: []string{"Authorization", "bearer  " + f.keys["full"]}, status: success},
		)
		for _, s := range list {
			if (rt.method == http.MethodDelete || slices.Contains([]string{"redeliver", "retryTransmission", "cancelTransmission"}, rt.name)) && id != "" && strings.HasPrefix(s.name, "right key") {
				path, _ := rt.fill(f, t)
				s.do = rt.method + " " + path
			}
			s.header = append(s.header, rt.header()...)
			t.Run(rt.name+"/"+s.name, func(t *testing.T) { s.run(t, f) })
		}
	}
}

// TestAuthorisation_OfOthers asks every route with an id about what belongs to another account or mode: body and header of the
// answer are those for an id that there never was.
func TestAuthorisation_OfOthers(t *testing.T) {
	f := newFixture(t, Config{})
	for i := range routes {
		rt := &routes[i]
		if rt.name == "getParticipant" || rt.name == "peppolCallback" { // which belong to nobody
			continue
		}
		path, id := rt.fill(f, t)
		if id == "" {
			if strings.Contains(rt.path, "{id}") {
				t.Errorf("%s has no subject", rt.name)
			}
			continue
		}
		nowhere := id[:4] + "zz" + id[6:]
		unknown := f.ask(t, "full", rt.method, strings.Replace(path, id, nowhere, 1), cmp.Or(bodies[rt.name], "{}"))
		unknown.body = bytes.ReplaceAll(unknown.body, []byte(nowhere), []byte(id)) // that it was asked for
		if unknown.status != http.StatusNotFound {
			t.Errorf("%s: an unknown id: status %d", rt.name, unknown.status)
		}
		for _, role := range []string{"stranger", "live"} {
			r := f.ask(t, role, rt.method, path, cmp.Or(bodies[rt.name], "{}"))
			checkContract(t, rt.method, path, r)
			for _, own := range []string{"X-Request-Id", "Date"} {
				r.header.Del(own)
				unknown.header.Del(own)
			}
			if diff := compare.Diff(unknown.header, r.header); diff != "" || !bytes.Equal(unknown.body, r.body) || r.status != unknown.status {
				t.Errorf("%s, %s: differs from an unknown id:\n%s%s\n%s", rt.name, role, diff, unknown.body, r.body)
			}
		}
	}
}

// TestAuthorisation_OfJobs ensures that a job needs the entitlement of its operation.
func TestAuthorisation_OfJobs(t *testing.T) {
	f := newFixture(t, Config{})
	id := f.finishedJob(t, "full").ID
	for _, do := range []string{"GET /api/v1/jobs/" + id, "GET /api/v1/jobs/" + id + "/artifact", "DELETE /api/v1/jobs/" + id} {
		scenario{role: "italy", do: do, status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:de:xrechnung:create")}.run(t, f)
	}
}

// TestAuthorisation_NamesTheEntitlement ensures the contract's names of entitlements, segment by segment.
func TestAuthorisation_NamesTheEntitlement(t *testing.T) {
	f := newFixture(t, Config{})
	missing := func(e string) string { return wordJSON("FORBIDDEN", "Missing entitlement: "+e) }
	runScenarios(t, f, []scenario{
		{name: "create", role: "italy", do: generateDE, body: "{}", status: 403, want: missing("e-invoice:de:xrechnung:create")},
		{name: "PDF", role: "italy", do: "POST /api/v1/invoice/DE/PDF/generate", body: "{}", status: 403, want: missing("pdf:de:generate")},
		{name: "parse", role: "italy", do: parseDE, body: "{}", status: 403, want: missing("e-invoice:de:xrechnung:parse")},
		{name: "a pattern for the country", role: "italy", do: "POST /api/v1/invoice/it/fatturapa/generate", body: "{}", status: 200},
		{name: "an exact one", role: "italy", do: "POST /api/v1/invoice/it/fatturapa/parse", body: `{"data":"QQ=="}`, status: 200},
		{name: "unsupported country comes before the entitlement", role: "nobody", do: "POST /api/v1/invoice/xy/pdf/generate", status: 400},
		{name: "unknown format comes before the entitlement", role: "nobody", do: "POST /api/v1/invoice/de/ksef/generate", status: 400},
		{name: "the key comes before the country", do: "POST /api/v1/invoice/xy/pdf/generate", status: 401},
		{name: "the route comes before the key", do: "POST /api/v1/invoice/xy/pdf/make", status: 404},
		{name: "the entitlement comes before the body", role: "nobody", do: generateDE, header: []string{"Content-Encoding", "gzip"}, status: 403},
	})
}

// TestRouter_WantsAPolicy ensures that a route without a policy cannot be added.
func TestRouter_WantsAPolicy(t *testing.T) {
	f := newFixture(t, Config{})
	bare := []route{{name: "bare", method: "GET", path: "/bare", handle: (*Server).health}}
	if _, err := f.newRouter(bare); err == nil || !strings.Contains(err.Error(), "GET /bare has no policy") {
		t.Errorf("a route without a policy: %v", err)
	}
	for _, rt := range routes {
		if rt.policy.name == "" || rt.name == "" || rt.handle == nil {
			t.Errorf("route %s %s is incomplete", rt.method, rt.path)
		}
	}
}

// TestSeveralAuthorizationFields ensures that a request with two keys is refused rather than read one way here and another
// way in a proxy.
func TestSeveralAuthorizationFields(t *testing.T) {
	f := newFixture(t, Config{})
	req := must(http.NewRequestWithContext(t.Context(), "GET", f.url+"/api/v1/jobs", nil))(t)
	req.Header["Authorization"] = []string{"Bearer " + f.keys["full"], "Bearer " + f.keys["live"]}
	if r := f.send(t, req); r.status != 401 {
		t.Errorf("two keys: status %d", r.status)
	}
}

// TestThrottle ensures that an address which keeps failing gets 429, while good keys from the same address pass.
func TestThrottle(t *testing.T) {
	f := newFixture(t, Config{BadKeysPerMinute: 3})
	for range 3 {
		scenario{role: "malformed", do: "GET /api/v1/jobs", status: 401}.run(t, f)
	}
	throttled := f.ask(t, "malformed", "GET", "/api/v1/jobs", "")
	checkContract(t, "GET", "/api/v1/jobs", throttled)
	if throttled.status != 429 || throttled.header.Get("Retry-After") != "" {
		t.Errorf("status %d, header %v", throttled.status, throttled.header)
	}
	checkMatch(t, throttled.body, wordJSON("RATE_LIMITED", "Too many requests with a wrong API key from this address"))
	scenario{role: "full", do: "GET /api/v1/jobs", status: 200}.run(t, f)
}

// TestNetwork ensures what counts as one address.
func TestNetwork(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1": "192.0.2.7/32", "[::ffff:192.0.2.7]:1": "192.0.2.7/32", "[2001:db8:1:2:3::4]:9": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:9": "fe80::/64", "pipe": "invalid Prefix", "name:1": "invalid Prefix",
	} {
		if got := network(remote).String(); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}

// TestThrottle_IsBounded ensures that many addresses do not grow its memory without limit.
func TestThrottle_IsBounded(t *testing.T) {
	th := newThrottle(1)
	for i := range maxLimiters + 10 {
		th.allow(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255))
	}
	if len(th.origins.byKey) > maxLimiters {
		t.Errorf("%d addresses are remembered", len(th.origins.byKey))
	}
}

// TestOverlaps ensures when an entitlement is of the kind that a route asks some of.
func TestOverlaps(t *testing.T) {
	for granted, want := range map[string]bool{
		"e-invoice:de:xrechnung:parse": true, "*:*:*:*": true, "e-invoice:*:*:create": false, "e-invoice:de:parse": false, "pdf:*:generate": false,
	} {
		if got := overlaps(granted, "e-invoice:*:*:parse"); got != want {
			t.Errorf("%s: %v", granted, got)
		}
	}
}
