package api

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
)

// The routes whose answers are pages.
const (
	renderDo = "POST /api/v1/invoice/render"
	fillDo   = "POST /api/v1/pdf/generate"
)

// TestPages_OverHTTP ensures that documents and templates become PDFs, which are the answer where JSON is not asked for, inline, as a job and in a
// batch, and that a key and its entitlement are asked for.
func TestPages_OverHTTP(t *testing.T) {
	f := newFixture(t, Config{})
	f.addKey(t, "own", "printer", account.NewKey{Mode: account.Test, Entitlements: []string{"pdf:de:generate"}})
	f.addKey(t, "own", "elsewhere", account.NewKey{Mode: account.Test, Entitlements: []string{"pdf:fr:generate"}})
	f.addKey(t, "own", "creator", account.NewKey{Mode: account.Test, Entitlements: []string{"e-invoice:de:*:create"}})
	inPDF := map[string]string{"Content-Type": "application/pdf", "Content-Disposition": "attachment; filename=R-1-pdf.pdf"}
	inJSON := map[string]string{"Content-Type": "application/json"}
	made := func(data string) string {
		return `{"success":true,"format":"pdf","filename":"R-1-pdf.pdf","mimeType":"application/pdf","hash":"…","data":"` + b64(data) + `","infos":[],"errors":[],"warnings":[]}`
	}
	asXML, asJSON := []string{"Content-Type", "application/xml"}, []string{"Accept", "application/json"}
	missing := wordJSON("FORBIDDEN", "Missing entitlement: pdf:de:generate")
	runScenarios(t, f, []scenario{
		{name: "render, no key", do: renderDo, body: `{"xml":"<Invoice/>"}`, status: 401},
		{name: "fill, no key", do: fillDo, body: `{}`, status: 401},
		{name: "render, a key for no PDF", role: "creator", do: renderDo, body: `{"xml":"<Invoice/>"}`, status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: pdf:*:generate")},
		{name: "fill, a key for no PDF", role: "creator", do: fillDo, body: `{}`, status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: pdf:*:generate")},
		{name: "render, a key for another country", role: "elsewhere", do: renderDo, body: `{"xml":"<Invoice/>"}`, status: 403, want: missing},
		{name: "render, of no country", role: "printer", do: renderDo, body: `{"xml":"<FAKE-NOWHERE/>"}`, status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: pdf:*:generate")},
		{name: "render", role: "printer", do: renderDo, body: `{"xml":"<Invoice/>"}`, status: 200, says: inPDF},
		{name: "render, anything goes", role: "printer", do: renderDo, body: "<Invoice/>", header: append([]string{"Accept", "*/*"}, asXML...), status: 200, says: inPDF},
		{name: "render in JSON", role: "printer", do: renderDo + "?language=fr", body: "<Invoice/>", header: append(asJSON, asXML...), status: 200, says: inJSON, want: made("%PDF- fr <Invoice/>")},
		{name: "render a part", role: "printer", do: renderDo, body: formOf("file", "<Invoice/>"), header: append(asJSON, asForm...), status: 200, want: made("%PDF-  <Invoice/>")},
		{name: "render, no document", role: "printer", do: renderDo, body: `{}`, status: 400},
		{name: "render, what cannot be read", role: "printer", do: renderDo, body: `{"xml":"FAKE-UNREADABLE"}`, status: 422},
		{name: "render as a job", role: "printer", do: renderDo, body: `{"xml":"<Invoice/>"}`, header: []string{"Prefer", "respond-async, wait=60"}, status: 200, says: inPDF},
		{name: "render as a job that is not waited for", role: "printer", do: renderDo, body: `{"xml":"<Invoice/>"}`, header: []string{"Prefer", "respond-async"}, status: 202},
		{name: "fill", role: "printer", do: fillDo, body: `{"a":1}`, status: 200, says: inPDF},
		{name: "fill in JSON", role: "printer", do: fillDo, body: `{"a":1}`, header: asJSON, status: 200, want: made(`%PDF- {"a":1}`)},
		{name: "both in a batch", role: "printer", do: "POST /api/v1/jobs", body: `{"operations":[{"method":"POST","path":"/api/v1/invoice/render","body":{"xml":"<Invoice/>"}},` +
			`{"method":"POST","path":"/api/v1/pdf/generate","body":{"a":1}}]}`, status: 202},
		{name: "render for another country in a batch", role: "elsewhere", do: "POST /api/v1/jobs", body: `{"operations":[{"method":"POST","path":"/api/v1/invoice/render","body":{"xml":"<Invoice/>"}}]}`, status: 403},
	})
	done := f.finished(t, "printer", f.accept(t, "printer", renderDo, `{"xml":"<Invoice/>"}`))
	for role, status := range map[string]int{"printer": 200, "elsewhere": 403, "stranger": 404} {
		scenario{role: role, do: "GET " + done.Artifact, status: status}.run(t, f)
		scenario{role: role, do: "GET " + strings.TrimSuffix(done.Artifact, "/artifact"), status: status}.run(t, f)
	}
}

// TestPages_Charges ensures that filling a template costs a unit of PDFs, that rendering costs none, and that a request is done once for each key.
func TestPages_Charges(t *testing.T) {
	f := newFixture(t, Config{})
	f.subscribe(t, "metered", "metered", false)
	header := keyed("a")
	runScenarios(t, f, []scenario{
		{name: "fill", role: "metered", do: fillDo, body: `{"a":1}`, header: header, status: 200},
		{name: "again", role: "metered", do: fillDo, body: `{"a":1}`, header: header, status: 200, says: map[string]string{"Idempotent-Replayed": "true", "Content-Type": "application/pdf"}},
		{name: "another under the key", role: "metered", do: fillDo, body: `{"a":2}`, header: header, status: 409},
	})
}
