package api

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
)

const (
	validateDE  = "POST /api/v1/invoice/de/xrechnung/validate"
	validateAny = "POST /api/v1/invoice/de/validate"
)

// verdictJSON is the answer of the fake operation; detected for documents.
func verdictJSON(format, filename, said string, documents bool, skipped ...string) string {
	results := fmt.Sprintf(`{"format":%q,"valid":true,"errors":[]}`, format)
	for _, s := range skipped {
		results += fmt.Sprintf(`,{"format":%q,"valid":null,"errors":[],"skipped":"not entitled"}`, s)
	}
	detection := ""
	if documents {
		detection = `"detection":"…",`
	}
	return fmt.Sprintf(`{"valid":true,"errors":[],"warnings":[{"code":"VALUE_CALCULATED","message":%q,"field":%q}],"results":[%s],%s"rulebooks":[],"infos":[]}`,
		said, filename, results, detection)
}

// said is what the fake operation tells of a request.
func said(json, document int, asOf string, enforce, calculate bool) string {
	return fmt.Sprintf("%d bytes of JSON, %d of a document, as of %q, enforce %t, calculate %t", json, document, asOf, enforce, calculate)
}

// TestValidate ensures that each form of a request reaches the operation as what it is.
func TestValidate(t *testing.T) {
	f := newFixture(t, Config{})
	document := b64("<Invoice/>")
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.xml\"\r\n\r\n<Invoice/>\r\n--x--\r\n"
	asXML := []string{"Content-Type", "application/xml; charset=utf-8"}
	of := func(said string) string { return verdictJSON("xrechnung", "", said, true) }
	runScenarios(t, f, []scenario{
		{name: "an invoice", role: "full", do: validateDE, body: `{"invoice":{}}`, status: 200, want: verdictJSON("xrechnung", "", said(14, 0, "", false, false), false)},
		{name: "an invoice with amounts to calculate", role: "full", do: validateDE + "?calculate=true", body: `{"invoice":{}}`, status: 200,
			want: verdictJSON("xrechnung", "", said(14, 0, "", false, true), false)},
		{name: "an invoice wins over a document before it", role: "full", do: validateDE, body: `{"data":"QQ==","invoice":{}}`, status: 200,
			want: verdictJSON("xrechnung", "", said(28, 0, "", false, false), false)},
		{name: "what is no JSON is for the operation to tell", role: "full", do: validateDE, body: `[1`, status: 200,
			want: verdictJSON("xrechnung", "", said(2, 0, "", false, false), false)},
		{name: "base64 in JSON", role: "full", do: validateDE, body: fmt.Sprintf(`{"filename":"a.xml","data":%q}`, document), status: 200,
			want: verdictJSON("xrechnung", "a.xml", said(0, 10, "", false, false), true)},
		{name: "text in JSON, with a day", role: "full", do: validateDE, body: `{"xml":"<a>\u00e9</a>","asOf":"2027-01-01","enforcePending":true}`, status: 200,
			want: of(said(0, 9, "2027-01-01", true, false))},
		{name: "the day of the query", role: "full", do: validateDE + "?asOf=2027-01-02&enforcePending=1", body: `{"xml":"<a/>"}`, status: 200,
			want: of(said(0, 4, "2027-01-02", true, false))},
		{name: "a bare document", role: "full", do: validateDE, body: "<Invoice/>", header: asXML, status: 200, want: of(said(0, 10, "", false, false))},
		{name: "multipart", role: "full", do: validateDE, body: form, header: []string{"Content-Type", "multipart/form-data; boundary=x"}, status: 200,
			want: verdictJSON("xrechnung", "a.xml", said(0, 10, "", false, false), true)},
		{name: "the formats that the key may not create are told", role: "german", do: validateAny, body: `{"invoice":{}}`, status: 200,
			want: verdictJSON("", "", said(14, 0, "", false, false), false, "pdf")},
		{name: "no body", role: "full", do: validateDE, header: asXML, status: 400,
			want: problemJSON("Bad Request", "MISSING_FIELD", "The request body is empty; send the document, or JSON")},
		{name: "neither invoice nor document", role: "full", do: validateDE, body: `{"filename":"a"}`, status: 400,
			want: fieldJSON("MISSING_FIELD", "invoice", "invoice is missing; send invoice, or a document as data (base64) or xml")},
		{name: "the invoice itself", role: "full", do: validateDE, body: `{"invoiceNumber":"1","type":"invoice","items":[]}`, status: 400,
			want: fieldJSON("MISSING_FIELD", "invoice", "invoice is missing: the request body is an invoice itself; send it as the member invoice of an object, {\"invoice\": …}")},
		{name: "a switch that is none", role: "full", do: validateDE + "?details=yes", body: `{"invoice":{}}`, status: 400,
			want: fieldJSON("INVALID_VALUE", "details", "details: must be true or false")},
		{name: "a switch in capitals", role: "full", do: validateDE + "?calculate=TRUE", body: `{"invoice":{}}`, status: 200,
			want: verdictJSON("xrechnung", "", said(14, 0, "", false, true), false)},
		{name: "a switch that is off", role: "full", do: validateDE + "?calculate=0&details=", body: `{"invoice":{}}`, status: 200,
			want: verdictJSON("xrechnung", "", said(14, 0, "", false, false), false)},
		{name: "xml is no text", role: "full", do: validateDE, body: `{"xml":7}`, status: 400, want: fieldJSON("INVALID_TYPE", "xml", "xml: must be a string")},
		{name: "another media type", role: "full", do: validateDE, body: "x", header: []string{"Content-Type", "image/png"}, status: 415},
		{name: "a refusal", role: "full", do: validateDE, body: `{"invoice":{"x":"FAKE-FAULTS"}}`, status: 400},
		{name: "a failure", role: "full", do: validateDE, body: `{"invoice":{"x":"FAKE-BROKEN"}}`, status: 500},
	})
}

// TestValidate_Entitlements ensures who may validate what: the format of the path, some format of the country, and of documents
// what they turn out to be.
func TestValidate_Entitlements(t *testing.T) {
	f := newFixture(t, Config{})
	missing := func(e string) string { return wordJSON("FORBIDDEN", "Missing entitlement: "+e) }
	document := `{"xml":"<a/>"}`
	runScenarios(t, f, []scenario{
		{name: "the format of the path", role: "italy", do: validateDE, body: document, status: 403, want: missing("e-invoice:de:xrechnung:create")},
		{name: "some format of the country", role: "italy", do: validateAny, body: document, status: 403, want: missing("e-invoice:de:*:create")},
		{name: "what the document is", role: "ubl", do: validateAny, body: document, status: 403, want: missing("e-invoice:de:xrechnung:create")},
		{name: "the right format", role: "german", do: validateAny, body: document, status: 200},
		{name: "unsupported country", role: "full", do: "POST /api/v1/invoice/xy/validate", body: document, status: 400},
		{name: "no key", do: validateAny, body: document, status: 401},
	})
}

// TestValidate_Jobs ensures that a job gives the synchronous answer, and is seen with the entitlement of that alone.
func TestValidate_Jobs(t *testing.T) {
	f := newFixture(t, Config{})
	for _, do := range []string{validateDE, validateAny} {
		for _, body := range []string{`{"invoice":{}}`, `{"xml":"<a/>","asOf":"2027-01-01"}`} {
			method, path, _ := strings.Cut(do, " ")
			inline := f.ask(t, "german", method, path, body)
			queued := f.ask(t, "german", method, path, body, "Prefer", "respond-async, wait=20")
			if inline.status != 200 || queued.status != 200 || string(inline.body) != string(queued.body) {
				t.Errorf("%s %s: inline %d %s\nqueued %d %s", do, body, inline.status, inline.body, queued.status, queued.body)
			}
		}
	}
	var list struct {
		Data []struct {
			Type string `json:"type"`
		} `json:"data"`
	}
	r := f.ask(t, "german", "GET", "/api/v1/jobs", "")
	if err := json.Unmarshal(r.body, &list); err != nil || len(list.Data) != 4 || list.Data[0].Type != "validate" {
		t.Errorf("%v: %s", err, r.body)
	}
	for role, want := range map[string]int{"german": 4, "ubl": 2, "italy": 0} {
		r := f.ask(t, role, "GET", "/api/v1/jobs", "")
		if list.Data = nil; json.Unmarshal(r.body, &list) != nil || len(list.Data) != want {
			t.Errorf("%s sees %d jobs, want %d: %s", role, len(list.Data), want, r.body)
		}
	}
}

// FuzzSubject ensures that any JSON body is an invoice, a document or a refusal.
func FuzzSubject(f *testing.F) {
	for _, seed := range []string{`{"invoice":{}}`, `{"data":"QUI=","asOf":"x"}`, `{"xml":"<a/>","enforcePending":true}`, `{"enforcePending":`, `[`, `{}`, `{"xml":"a"} x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := &kinds.ValidateParameters{}
		o := job.Order{Parameters: p}
		err := readSubjectJSON(t.Context(), &o, body)
		if _, refused := errors.AsType[*finding.Refusal](err); err != nil && !refused {
			t.Fatalf("not a refusal: %v", err)
		}
		switch {
		case err != nil:
		case p.Document && len(o.Body) == 0:
			t.Fatal("a document without bytes")
		case !p.Document && string(o.Body) != string(body):
			t.Fatalf("the body became %q", o.Body)
		}
	})
}
