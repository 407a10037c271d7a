package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/job/registration"
	"github.com/einvoiced/einvoiced/storage/db"
)

// installation is that of the tests.
func installation(t testing.TB) *verifactu.Installation {
	t.Helper()
	return must(verifactu.Load(must(os.ReadFile("../testdata/verifactu/installation.yaml"))(t)))(t)
}

// registered puts an invoice into the chain of the key full.
func (f *fixture) registered(t testing.TB, number string) {
	t.Helper()
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	record := &verifactu.Record{Version: "1.0", HashType: "01", Invoice: verifactu.InvoiceID{Issuer: "B12345674", Number: number, Date: "05-03-2026"}, IssuerName: "Alfa",
		Type: "F1", Description: "x", Tax: "210.00", Total: "1210.00"}
	err := f.database.Write(t.Context(), func(tx *db.Tx) error {
		_, err := f.records.Register(tx, key.AccountID, key.Mode, registration.Of(record))
		return err
	})
	if err != nil && !strings.Contains(err.Error(), "canceled") {
		t.Fatal(err)
	}
}

// newRegistering is a fixture over the real operations that makes records; without an installation where none is given.
func newRegistering(t testing.TB, installed *verifactu.Installation) *fixture {
	t.Helper()
	operations := must(operation.New(operation.Config{VeriFactu: installed}))(t)
	return newFixture(t, Config{}, func(d *Deps) {
		d.Operations = operations
		d.Registrar.Installation = installed
	})
}

// spanish is the sample of Spain with a number, that asks for a record, and is changed.
func spanish(t testing.TB, number string, change ...func(inv map[string]any)) string {
	t.Helper()
	var body map[string]map[string]any
	unmarshal(t, must(os.ReadFile("../testdata/countries/es.json"))(t), &body)
	inv := body["invoice"]
	inv["invoiceNumber"], inv["countrySpecific"] = number, map[string]any{"countryCode": "ES", "verifactu": true}
	for _, c := range change {
		c(inv)
	}
	return string(must(json.Marshal(body))(t))
}

// chainOf reads the chain of a key.
func (f *fixture) chainOf(t testing.TB, role string) exportView {
	t.Helper()
	r := f.ask(t, role, "GET", "/api/v1/verifactu/chain/B12345674/export", "")
	var view exportView
	switch r.status {
	case 404:
	case 200:
		unmarshal(t, r.body, &view)
	default:
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	return view
}

const (
	spanishUBL = "/api/v1/invoice/es/ubl/generate"
	spanishPDF = "/api/v1/invoice/es/pdf/generate"
)

// TestVerifactu_RegistersWithTheAnswer ensures what is registered and what is not: the same invoice once, in whatever format and by whatever way, another
// content never, and nothing with a refusal or by another operation.
func TestVerifactu_RegistersWithTheAnswer(t *testing.T) {
	f := newRegistering(t, installation(t))
	for _, step := range []struct {
		name, path, body string
		header           []string
		status, records  int
	}{
		{"an invoice", spanishUBL, spanish(t, "A-1"), nil, 200, 1},
		{"the same again", spanishUBL, spanish(t, "A-1"), nil, 200, 1},
		{"the same as PDF", spanishPDF, spanish(t, "A-1"), nil, 200, 1},
		{"the same in a job", spanishUBL, spanish(t, "A-1"), []string{"Prefer", "respond-async, wait=60"}, 200, 1},
		{"another content", spanishUBL, spanish(t, "A-1", func(inv map[string]any) { inv["deliveryDate"] = "2026-03-01" }), nil, 409, 1},
		{"another content in a job", spanishUBL, spanish(t, "A-1", func(inv map[string]any) { inv["deliveryDate"] = "2026-03-01" }), []string{"Prefer", "respond-async, wait=60"}, 409, 1},
		{"one that asks for none", spanishUBL, strings.Replace(spanish(t, "A-2"), `"verifactu":true`, `"verifactu":false`, 1), nil, 200, 1},
		{"a PDF", spanishPDF, spanish(t, "A-3"), nil, 200, 2},
		{"a job", spanishUBL, spanish(t, "A-4"), []string{"Prefer", "respond-async, wait=60"}, 200, 3},
		{"one that no record can be made of", spanishUBL, spanish(t, "A-5", func(inv map[string]any) { inv["seller"].(map[string]any)["vatId"] = "DE123456789" }), nil, 422, 3},
		{"no invoice", spanishUBL, `{"invoice":{"countrySpecific":{"verifactu":true}}}`, nil, 400, 3},
		{"judged only", "/api/v1/invoice/es/ubl/validate", spanish(t, "A-6"), nil, 200, 3},
		{"another country", "/api/v1/invoice/dk/ubl/generate", strings.Replace(spanish(t, "A-7"), `"countryCode":"ES","verifactu"`, `"verifactu"`, 1), nil, 200, 3},
		{"with a key", spanishUBL, spanish(t, "A-8"), keyed("k"), 200, 4},
		{"the same key", spanishUBL, spanish(t, "A-8"), keyed("k"), 200, 4},
	} {
		r := f.ask(t, "full", "POST", step.path, step.body, step.header...)
		checkContract(t, "POST", step.path, r)
		if r.status != step.status || step.status == 409 && !strings.Contains(string(r.body), `"code":"VERIFACTU_CONTENT_DIFFERS"`) {
			t.Errorf("%s: status %d, want %d: %.500s", step.name, r.status, step.status, r.body)
		}
		if view := f.chainOf(t, "full"); view.Count != step.records || len(view.Records) != step.records || step.records > 0 && !view.Valid {
			t.Errorf("%s: %+v", step.name, view)
		}
	}
}

// TestVerifactu_WarnsLiveKeys ensures that live answers say that records stay here, that modes have chains of their own, and that a canceled
// number is not used again.
func TestVerifactu_WarnsLiveKeys(t *testing.T) {
	f := newRegistering(t, installation(t))
	for role, warned := range map[string]bool{"full": false, "live": true} {
		for _, ask := range [][2]string{{spanishUBL, spanish(t, "A-1")}, {"/api/v1/verifactu/cancel", `{"sellerNif":"B12345674","invoiceNumber":"A-1","invoiceDate":"05-03-2026"}`}} {
			r := f.ask(t, role, "POST", ask[0], ask[1])
			checkContract(t, "POST", ask[0], r)
			if r.status != 200 || strings.Contains(string(r.body), "VERIFACTU_NOT_SENT") != warned {
				t.Errorf("%s %s: status %d: %.300s", role, ask[0], r.status, r.body)
			}
		}
		if r := f.ask(t, role, "POST", spanishUBL, spanish(t, "A-1")); r.status != 409 || !strings.Contains(string(r.body), `"code":"VERIFACTU_CANCELED"`) {
			t.Errorf("%s: a canceled number: status %d: %.300s", role, r.status, r.body)
		}
		if view := f.chainOf(t, role); view.Count != 2 || view.Manifest.Cancellations != 1 || view.Sending || view.Records[0].State != "pending" {
			t.Errorf("%s: %+v", role, view)
		}
	}
}

// TestVerifactu_NotConfigured ensures the 409 of each route that needs the file.
func TestVerifactu_NotConfigured(t *testing.T) {
	f := newRegistering(t, nil)
	for do, body := range map[string]string{
		"POST " + spanishUBL:                spanish(t, "A-1"),
		"POST " + spanishPDF:                spanish(t, "A-1"),
		"GET /api/v1/verifactu/declaracion": "",
		"POST /api/v1/verifactu/cancel":     `{"sellerNif":"B12345674","invoiceNumber":"A-1","invoiceDate":"05-03-2026"}`,
	} {
		method, path, _ := strings.Cut(do, " ")
		r := f.ask(t, "full", method, path, body)
		checkContract(t, method, path, r)
		if r.status != 409 || !strings.Contains(string(r.body), `"code":"VERIFACTU_NOT_CONFIGURED"`) || !strings.Contains(string(r.body), "--verifactu") {
			t.Errorf("%s: status %d: %s", do, r.status, r.body)
		}
	}
}

// TestVerifactu_Scenarios ensures who may do what, and what is refused.
func TestVerifactu_Scenarios(t *testing.T) {
	f := newRegistering(t, installation(t))
	for i := range 5 {
		if r := f.ask(t, "full", "POST", spanishUBL, spanish(t, fmt.Sprintf("A-%d", i+1))); r.status != 200 {
			t.Fatalf("status %d: %s", r.status, r.body)
		}
	}
	const export, cancel = "GET /api/v1/verifactu/chain/ESB12345674/export", "POST /api/v1/verifactu/cancel"
	named := func(number string) string {
		return `{"sellerNif":"ESB12345674","invoiceSeries":"A-","invoiceNumber":"` + number + `","invoiceDate":"05-03-2026"}`
	}
	runScenarios(t, f, []scenario{
		{name: "the chain", role: "full", do: export, status: 200},
		{name: "of another account", role: "stranger", do: export, status: 404},
		{name: "of another mode", role: "live", do: export, status: 404},
		{name: "without a key", do: export, status: 401},
		{name: "without the entitlement", role: "italy", do: export, status: 403},
		{name: "of another issuer", role: "full", do: "GET /api/v1/verifactu/chain/A28015865/export", status: 404},
		{name: "of another installation", role: "full", do: export + "?installation=I-9", status: 404},
		{name: "of nobody", role: "full", do: "GET /api/v1/verifactu/chain/DE123456789/export", status: 400},
		{name: "an unknown format", role: "full", do: export + "?format=csv", status: 400},
		{name: "no day", role: "full", do: export + "?from=30-06-2026", status: 400},
		{name: "too many", role: "full", do: export + "?limit=1001", status: 400},
		{name: "none", role: "full", do: export + "?limit=0", status: 400},
		{name: "behind nothing", role: "full", do: export + "?starting_after=-1", status: 400},
		{name: "XML", role: "full", do: export + "?format=xml&limit=2&starting_after=1", status: 200,
			says: map[string]string{"Content-Type": "application/xml", "Link": `</api/v1/verifactu/chain/ESB12345674/export?format=xml&limit=2&starting_after=3>; rel="next"`}},
		{name: "the last of the XML", role: "full", do: export + "?format=xml&limit=2&starting_after=3", status: 200, says: map[string]string{"Link": ""}},
		{name: "XML of nothing", role: "full", do: export + "?format=xml&starting_after=5", status: 404},
		{name: "a period without records", role: "full", do: export + "?to=2020-01-01", status: 200,
			want: `{"vatId":"B12345674","installation":"INST-1","count":0,"firstHash":"","lastHash":"","valid":true,"sending":false,"records":[],"has_more":false,
				"manifest":{"count":0,"invoices":0,"cancellations":0,"taxAmount":0.00,"total":0.00,"firstHash":"","lastHash":"","broken":[],"brokenCount":0}}`},
		{name: "cancel of another account", role: "stranger", do: cancel, body: named("1"), status: 404},
		{name: "cancel without the entitlement", role: "italy", do: cancel, body: named("1"), status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: verifactu:write")},
		{name: "cancel what there is not", role: "full", do: cancel, body: named("99"), status: 404},
		{name: "cancel without a date", role: "full", do: cancel, body: `{"sellerNif":"B12345674","invoiceNumber":"A-1"}`, status: 400},
		{name: "cancel without an issuer", role: "full", do: cancel, body: `{"invoiceNumber":"A-1","invoiceDate":"05-03-2026"}`, status: 400},
		{name: "cancel", role: "full", do: cancel, body: named("1"), header: keyed("c"), status: 200},
		{name: "cancel again", role: "full", do: cancel, body: named("1"), status: 200},
		{name: "cancel with the same key", role: "full", do: cancel, body: named("1"), header: keyed("c"), status: 200, says: map[string]string{"Idempotent-Replayed": "true"}},
		{name: "register what was canceled", role: "full", do: "POST " + spanishUBL, body: spanish(t, "A-1"), status: 409},
		{name: "declaration", role: "full", do: "GET /api/v1/verifactu/declaracion", status: 200},
		{name: "declaration for print", role: "full", do: "GET /api/v1/verifactu/declaracion", header: []string{"Accept", "application/pdf"}, status: 200, says: map[string]string{"Content-Type": "application/pdf"}},
		{name: "declaration without the entitlement", role: "italy", do: "GET /api/v1/verifactu/declaracion", status: 403},
	})
	view := f.chainOf(t, "full")
	if view.Count != 6 || view.Manifest.Invoices != 5 || view.Manifest.Total.String() != "6050.00" || view.Manifest.TaxAmount.String() != "1050.00" || !view.Valid {
		t.Errorf("%+v", view)
	}
}

// TestVerifactu_ExportIsTheChain ensures that the batches of an export, one behind the other, are the chain, which can be checked offline.
func TestVerifactu_ExportIsTheChain(t *testing.T) {
	f := newRegistering(t, installation(t))
	var askers sync.WaitGroup
	for i := range 12 {
		askers.Go(func() {
			if r := f.ask(t, "full", "POST", spanishUBL, spanish(t, fmt.Sprintf("A-%d", i+1))); r.status != 200 {
				t.Errorf("status %d: %s", r.status, r.body)
			}
		})
	}
	askers.Wait()
	var chain verifactu.Chain
	for path, n := "/api/v1/verifactu/chain/B12345674/export?format=xml&limit=5", 0; path != "" && n < 5; n++ {
		r := f.ask(t, "full", "GET", path, "")
		batch, err := verifactu.Read(r.body)
		if err != nil {
			t.Fatal(errors.Join(err, errors.New(string(r.body))))
		}
		if batch.Issuer.Name != "Ejemplo Oficinas SL" || batch.Issuer.NIF != "B12345674" {
			t.Errorf("%+v", batch.Issuer)
		}
		for _, record := range batch.Records {
			chain.Add(record.Link())
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(r.header.Get("Link"), "<"), ">")
	}
	view := f.chainOf(t, "full")
	if chain.Count != 12 || chain.BrokenCount > 0 || chain.Last != view.LastHash || chain.Total.String() != view.Manifest.Total.String() {
		t.Errorf("%+v\n%+v", chain, view.Manifest)
	}
}
