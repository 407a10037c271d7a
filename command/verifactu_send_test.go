package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/taxoffice"
)

// sendingFile is the file of testdata with what sends records to the double.
func sendingFile(t *testing.T, at *taxoffice.Office, sending string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/verifactu/installation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "verifactu.yaml", fmt.Sprintf("%s\nsending: %s\ntaxOffice: {certificate: %s, key: %s, authorities: %s, url: %q}\n",
		text, sending, at.Certificate, at.Key, at.Authorities, at.URL))
}

// exported is what tests read of an export.
type exported struct {
	Sending bool
	Fault   string
	Records []struct{ Kind, State, ErrorCode, ErrorMessage, CSV, Answered string }
}

// states are those of the records of a chain, in its order.
func (c *contract) states(t *testing.T) (e exported, states string) {
	t.Helper()
	unmarshal(t, c.ask(t, "GET", "/api/v1/verifactu/chain/B12345674/export", "").Body, &e)
	var list []string
	for _, r := range e.Records {
		list = append(list, strings.TrimSpace(r.Kind+" "+r.State+" "+r.ErrorCode))
	}
	return e, strings.Join(list, ", ")
}

// registering asks for an invoice with a record, and gives the answer.
func (c *contract) registering(t *testing.T, number string) reply {
	t.Helper()
	sample, err := os.ReadFile("../testdata/countries/es.json")
	if err != nil {
		t.Fatal(err)
	}
	r := c.ask(t, "POST", "/api/v1/invoice/es/ubl/generate", changed(t, sample, "invoiceNumber", fmt.Sprintf("%q", number), "countrySpecific", `{"countryCode":"ES","verifactu":true}`))
	if r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return r
}

// TestVerifactu_SendsToTheTaxOffice ensures that a running service sends the records of live keys in their order, shows what the office has said of each, and
// leaves those of test keys where they are.
func TestVerifactu_SendsToTheTaxOffice(t *testing.T) {
	t.Parallel()
	at := taxoffice.Start(t)
	at.Wait = 1
	at.Next(taxoffice.Rejected)
	c := newContract(t, "--verifactu", sendingFile(t, at, "live"), "--allow-network", at.Place)
	test := &contract{service: c.service, key: c.key}
	key, stderr, code := run(t, "", "keys", "create", "--data", c.dir, "--mode", "live", "--entitlement", "e-invoice:*:*:create", "--entitlement", "verifactu:read", "--entitlement", "verifactu:write")
	if code != exitOK {
		t.Fatal(stderr)
	}
	c.key = strings.TrimSpace(key)
	if r := c.registering(t, "A-1"); strings.Contains(string(r.Body), "VERIFACTU_NOT_SENT") {
		t.Errorf("%s", r.Body)
	}
	test.registering(t, "T-1")
	eventually(t, "the office has refused the first record", func() bool {
		_, states := c.states(t)
		return states == "alta rejected 1109"
	})
	e, _ := c.states(t)
	if r := e.Records[0]; !e.Sending || e.Fault != "" || r.ErrorMessage == "" || r.CSV == "" || r.Answered == "" {
		t.Errorf("%+v", e)
	}
	c.registering(t, "A-2")
	if r := c.ask(t, "POST", "/api/v1/verifactu/cancel", `{"sellerNif":"B12345674","invoiceNumber":"A-2","invoiceDate":"05-03-2026"}`); r.Status != 200 || strings.Contains(string(r.Body), "VERIFACTU_NOT_SENT") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	eventually(t, "the office has taken the rest", func() bool {
		_, states := c.states(t)
		return states == "alta rejected 1109, alta accepted, anulacion accepted"
	})
	if e, states := test.states(t); states != "alta pending" || e.Sending {
		t.Errorf("of the test key: %s %+v", states, e)
	}
	if r := c.ask(t, "GET", "/api/v1/verifactu/chain/B12345674/export?format=xml", ""); fmt.Sprint(r.Header["X-Pending-Records"]) != "[0]" {
		t.Errorf("%v", r.Header)
	}
	if r := c.ask(t, "GET", "/api/v1/verifactu/declaracion", ""); !strings.Contains(string(r.Body), `"sending":true`) {
		t.Errorf("%s", r.Body)
	}
	if _, _, jobs := get(t, "GET", c.url+"/api/v1/jobs", c.key, ""); strings.Count(string(jobs), `"type":"verifactu"`) != len(at.Batches()) {
		t.Errorf("%d submissions, jobs are %s", len(at.Batches()), jobs)
	}
	if at.Registered() != 2 || len(at.Complaints()) > 0 {
		t.Errorf("%d registered, %v", at.Registered(), at.Complaints())
	}
	_, _, metrics := get(t, "GET", c.admin+"/metrics", "", "")
	for _, want := range []string{`einvoiced_verifactu_records_total{outcome="accepted"} 2`, `einvoiced_verifactu_records_total{outcome="rejected"} 1`} {
		if !strings.Contains(string(metrics), want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}

// TestVerifactu_CertificateIsRead ensures that a certificate that cannot be read, or has no key, ends the start.
func TestVerifactu_CertificateIsRead(t *testing.T) {
	at := taxoffice.Start(t)
	good := at.Key
	for want, key := range map[string]string{"taxOffice.key": filepath.Join(t.TempDir(), "none"), "read the certificate": at.StrangerKey} {
		at.Key = key
		_, stderr, code := run(t, "", "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-listen", "off", "--verifactu", sendingFile(t, at, "live"))
		if code != exitUsage || !strings.Contains(stderr, want) || !strings.Contains(stderr, "docs/verifactu.md") {
			t.Errorf("%s: exit code %d\n%s", want, code, stderr)
		}
	}
	at.Key = good
}
