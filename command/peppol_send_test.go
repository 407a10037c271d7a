package command

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/worker/peppol/lab"
)

// invoiceBody is a request to send the sample of a country as an invoice.
func invoiceBody(t *testing.T, country, format, recipient string) string {
	t.Helper()
	sample, err := os.ReadFile("../testdata/countries/" + country + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var request map[string]any
	unmarshal(t, sample, &request)
	request["countryCode"], request["format"], request["recipient"] = country, format, map[string]any{"peppolId": recipient}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestPeppolSendsInvoices ensures that an invoice is generated, put into an envelope with what is derived from it, and delivered; and that one which breaks rules, or has a
// format that the network does not carry, is refused with the member.
func TestPeppolSendsInvoices(t *testing.T) {
	c, l := inLab(t)
	c.configure(t, l)
	key, stderr, code := run(t, "", "keys", "create", "--data", c.dir, "--mode", "live", "--entitlement", "peppol:send", "--entitlement", "e-invoice:*:*:create", "--entitlement", "pdf:*:generate")
	if code != exitOK {
		t.Fatal(stderr)
	}
	c.key = strings.TrimSpace(key)
	r := c.ask(t, "POST", sendPath, invoiceBody(t, "be", "ubl", "9915:a"))
	var s sent
	if unmarshal(t, r.Body, &s); r.Status != 202 || s.Status != "queued" || s.Invoice.InvoiceNumber != "BE-2026-0001" || !strings.Contains(s.DocumentTypeID, "::Invoice##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if got := c.transmission(t, s.TransmissionID, "delivered", "failed"); got.Status != "delivered" || got.Attempts != 1 || l.Report().Messages[s.MessageID] == nil {
		t.Errorf("%+v", got)
	}
	_, _, document := get(t, "GET", c.url+"/api/v1/peppol/transmissions/"+s.TransmissionID+"/document", c.key, "")
	if !strings.Contains(string(document), s.MessageID) || !strings.Contains(string(document), "BE-2026-0001") {
		t.Errorf("%.300s", document)
	}
	broken := strings.Replace(invoiceBody(t, "be", "ubl", "9915:a"), `"BE0123456749"`, `"XX1"`, 1)
	if r := c.ask(t, "POST", sendPath, broken); r.Status != 422 || len(r.Errors) == 0 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := c.ask(t, "POST", sendPath, invoiceBody(t, "be", "pdf", "9915:a")); r.Status != 400 || r.Field != "format" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := c.ask(t, "POST", sendPath, invoiceBody(t, "be", "none", "9915:a")); r.Status != 400 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if report := l.Report(); report.Distinct != 1 {
		t.Errorf("%+v", report)
	}
}

// TestPeppolHostileDocuments ensures that bombs, what is too large, and envelopes that hold no document are refused before anything is queued.
func TestPeppolHostileDocuments(t *testing.T) {
	c := newContract(t)
	const open, end = `<StandardBusinessDocument xmlns="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader">`, `</StandardBusinessDocument>`
	binary := func(data string) string {
		return open + `<b:BinaryContent xmlns:b="http://peppol.eu/xsd/ticc/envelope/1.0">` + data + `</b:BinaryContent>` + end
	}
	for name, test := range map[string]struct {
		document string
		status   string
	}{
		"entity bomb":                  {`<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>`, "422"},
		"external entity":              {`<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>`, "422"},
		"deep":                         {strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000), "422"},
		"gzip":                         {"\x1f\x8b\x08\x00\x00\x00\x00\x00", "422"},
		"an envelope of nothing":       {open + end, "422"},
		"an envelope in an envelope":   {strings.Repeat(open, 3) + "<a/>" + strings.Repeat(end, 3), "400 422"},
		"a bomb in an envelope":        {binary(base64.StdEncoding.EncodeToString([]byte(`<!DOCTYPE a [<!ENTITY a "a">]><a>&a;</a>`))), "422"},
		"no base64 in an envelope":     {binary("!"), "422"},
		"a document that is too large": {"<a>" + strings.Repeat("x", 24<<20) + "</a>", "413"},
	} {
		for _, validate := range []string{"true", "false"} {
			body := fmt.Sprintf(`{"data":%q,"recipient":{"peppolId":"0088:1"},"sender":{"peppolId":"0088:2"},"validate":%s}`, base64.StdEncoding.EncodeToString([]byte(test.document)), validate)
			if r := c.ask(t, "POST", sendPath, body); !strings.Contains(test.status, strconv.Itoa(r.Status)) || r.Message == "" {
				t.Errorf("%s, validate %s: %d %.300s", name, validate, r.Status, r.Body)
			}
		}
	}
	if _, _, list := get(t, "GET", c.url+"/api/v1/peppol/transmissions", c.key, ""); strings.Contains(string(list), "trm_") {
		t.Errorf("%s", list)
	}
}

// receiptOf gives the receipt that the laboratory has for a message.
func receiptOf(t *testing.T, l *lab.Lab, messageID string) string {
	t.Helper()
	client := &http.Client{Transport: insecure()}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Place()+"/ap/messages/"+messageID, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", l.Settings().Provider.Headers["Authorization"])
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Receipt string }
	unmarshal(t, data, &said)
	return said.Receipt
}

// TestPeppolCallbacks ensures that a call-back counts once, with the right secret, in its time, and with the receipt of its own message; and that a later one that says
// otherwise changes nothing.
func TestPeppolCallbacks(t *testing.T) {
	c, l := inLab(t)
	c.configure(t, l)
	l.CallBack("") // the test calls back itself
	var settings struct{ CallbackPath string }
	unmarshal(t, c.ask(t, "GET", "/api/v1/peppol/settings", "").Body, &settings)
	late, other := c.accept(t, "9915:a-late-receipt"), c.accept(t, "9915:b-late-receipt")
	c.transmission(t, late.TransmissionID, "sent")
	c.transmission(t, other.TransmissionID, "sent")
	callback, now := l.Settings().Provider.Callback, time.Now()
	body := func(s sent, state, receipt string) string {
		return fmt.Sprintf(`{"messageId":%q,"state":%q,"receipt":%q}`, s.MessageID, state, receipt)
	}
	good := body(late, "delivered", receiptOf(t, l, late.MessageID))
	for _, test := range []struct {
		name, body, header string
		status             int
	}{
		{"no signature", good, "", 401},
		{"another secret", good, core.Callback{Secret: "another-secret-of-16"}.Sign([]byte(good), now), 401},
		{"an old one", good, callback.Sign([]byte(good), now.Add(-6*time.Minute)), 401},
		{"another body", good, callback.Sign([]byte(good+" "), now), 401},
		{"no receipt", body(late, "delivered", ""), "", 400},
		{"the receipt of another message", body(late, "delivered", receiptOf(t, l, other.MessageID)), "", 400},
		{"a message that there is not", body(sent{MessageID: "none"}, "rejected", ""), "", 404},
		{"a state that is not known", body(late, "odd", ""), "", 400},
		{"deep JSON", strings.Repeat("[", 60_000), "", 400},
		{"the receipt", good, callback.Sign([]byte(good), now), 200},
		{"the same again", good, callback.Sign([]byte(good), now), 409},
		{"the same signed anew", good, callback.Sign([]byte(good), now.Add(time.Second)), 200},
		{"a refusal after the receipt", body(late, "rejected", ""), "", 200},
		{"too large", strings.Repeat(" ", 64<<10) + good, "", 413},
	} {
		header := test.header
		if header == "" && test.name != "no signature" {
			header = callback.Sign([]byte(test.body), now)
		}
		if r := c.ask(t, "POST", settings.CallbackPath, test.body, "X-Signature", header); r.Status != test.status {
			t.Errorf("%s: %d %s", test.name, r.Status, r.Body)
		}
	}
	if got := c.transmission(t, late.TransmissionID, "delivered", "failed"); got.Status != "delivered" {
		t.Errorf("%+v", got)
	}
	_, _, events := get(t, "GET", c.url+"/api/v1/peppol/transmissions/"+late.TransmissionID+"/events", c.key, "")
	if strings.Count(string(events), `"type":"delivered"`) != 1 || strings.Contains(string(events), "failed") {
		t.Errorf("%s", events)
	}
	if got := c.transmission(t, other.TransmissionID, "sent", "delivered"); got.Status != "sent" {
		t.Errorf("%+v", got)
	}
}

// insecure asks hosts without looking at their certificates.
func insecure() *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the laboratory's are thrown away
}
