package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/storage/account"
)

const templatesDo = "/api/v1/templates"

// layoutSaying is a template of one line, as a request has it.
func layoutSaying(words string) string {
	return `{"name":"Plain","template":{"version":"1.0.0","name":"Inner","page":{"size":"A4","margins":45},"body":{"blocks":[{"type":"text","data":{"content":"` + words + `"}}]}}}`
}

// saveTemplate saves a template by the role's key and gives its id.
func (f *fixture) saveTemplate(t testing.TB, role, body string) string {
	t.Helper()
	var made templateView
	r := f.ask(t, role, "POST", templatesDo, body)
	if err := json.Unmarshal(r.body, &made); err != nil || r.status != 200 {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	checkContract(t, "POST", templatesDo, r)
	return made.ID
}

// TestTemplates ensures who may save, see, change and delete templates, and what is refused.
func TestTemplates(t *testing.T) {
	f := newReal(t)
	f.addKey(t, "own", "keeper", account.NewKey{Mode: account.Test, Entitlements: []string{"admin:templates"}})
	f.addKey(t, "own", "printer", account.NewKey{Mode: account.Test, Entitlements: []string{"pdf:de:generate"}})
	f.addKey(t, "own", "filler", account.NewKey{Mode: account.Test, Entitlements: []string{"pdf:*:generate"}})
	f.addKey(t, "own", "live keeper", account.NewKey{Mode: account.Live, Entitlements: []string{"admin:templates"}})
	plain := layoutSaying("Invoice {{invoiceNumber}}")
	id := f.saveTemplate(t, "keeper", plain)
	one, missing := templatesDo+"/"+id, wordJSON("FORBIDDEN", "Missing entitlement: admin:templates")
	absent := absentJSON(id)
	inPDF := map[string]string{"Content-Type": "application/pdf"}
	scenarios := []scenario{
		{name: "save with version of another", role: "keeper", do: "PUT " + one, body: strings.Replace(plain, "{", `{"version":7,`, 1), status: 409},
		{name: "change", role: "keeper", do: "PUT " + one, body: strings.Replace(layoutSaying("Second {{invoiceNumber}}"), "{", `{"version":1,`, 1), status: 200},
		{name: "the first version", role: "keeper", do: "GET " + one + "?version=1", status: 200},
		{name: "a version that is not there", role: "keeper", do: "GET " + one + "?version=9", status: 404, want: absent},
		{name: "a version that is none", role: "keeper", do: "GET " + one + "?version=x", status: 400},
		{name: "list", role: "keeper", do: "GET " + templatesDo, status: 200},
		{name: "an id that is none", role: "keeper", do: "GET " + templatesDo + "/7", status: 404, want: absentJSON("7")},
		{name: "no template", role: "keeper", do: "POST " + templatesDo, body: `{"name":"x"}`, status: 400},
		{name: "a template that is none", role: "keeper", do: "POST " + templatesDo, body: `{"name":"x","template":[]}`, status: 400},
		{name: "without a name", role: "keeper", do: "POST " + templatesDo, body: `{"template":{"version":"1.0.0","page":{"size":"A4","margins":45},"body":{"blocks":[]}}}`, status: 400},
		{name: "preview, another's country", role: "printer", do: "POST " + one + "/preview", body: `{"countryCode":"FR"}`, status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: pdf:fr:generate")},
		{name: "preview with data, by a key for a country", role: "printer", do: "POST " + one + "/preview", body: `{"data":{"invoiceNumber":"R-7"}}`, status: 403},
		{name: "preview with data", role: "filler", do: "POST " + one + "/preview", body: `{"data":{"invoiceNumber":"R-7"}}`, status: 200, says: inPDF},
		{name: "preview with the example", role: "printer", do: "POST " + one + "/preview", body: `{}`, status: 200, says: inPDF},
		{name: "preview without a body", role: "printer", do: "POST " + one + "/preview?version=1", status: 200, says: inPDF},
		{name: "preview in JSON", role: "printer", do: "POST " + one + "/preview", body: `{}`, header: []string{"Accept", "application/json"}, status: 200, says: map[string]string{"Content-Type": "application/json"}},
		{name: "preview as a job", role: "printer", do: "POST " + one + "/preview", body: `{}`, header: []string{"Prefer", "respond-async"}, status: 202},
		{name: "preview, both", role: "printer", do: "POST " + one + "/preview", body: `{"invoice":{},"data":{}}`, status: 400},
		{name: "preview, data that does not fit", role: "filler", do: "POST " + one + "/preview", body: `{"data":{}}`, status: 400},
		{name: "preview of a country that there is none of", role: "filler", do: "POST " + one + "/preview", body: `{"countryCode":"XY"}`, status: 400},
		{name: "preview of one that is not there", role: "printer", do: "POST " + templatesDo + "/7/preview", body: `{}`, status: 404},
		{name: "an account's language", role: "full", do: "PATCH /api/v1/account", body: `{"defaults":{"language":"fr"}}`, status: 200},
		{name: "an account's language that is none", role: "full", do: "PATCH /api/v1/account", body: `{"defaults":{"language":"tlh"}}`, status: 400},
	}
	for _, do := range []string{"GET " + one, "PUT " + one, "DELETE " + one} {
		body := ""
		if strings.HasPrefix(do, "PUT") {
			body = plain
		}
		scenarios = append(scenarios, scenario{name: do + ", no key", do: do, body: body, status: 401}, scenario{name: do + ", wrong key", role: "printer", do: do, body: body, status: 403, want: missing},
			scenario{name: do + ", other tenant", role: "stranger", do: do, body: body, status: 404, want: absent}, scenario{name: do + ", other mode", role: "live keeper", do: do, body: body, status: 404, want: absent})
	}
	for _, do := range []string{"GET " + templatesDo, "POST " + templatesDo} {
		scenarios = append(scenarios, scenario{name: do + ", no key", do: do, status: 401}, scenario{name: do + ", wrong key", role: "printer", do: do, status: 403, want: missing})
	}
	scenarios = append(scenarios, scenario{name: "preview, no key", do: "POST " + one + "/preview", body: `{}`, status: 401},
		scenario{name: "preview, wrong key", role: "keeper", do: "POST " + one + "/preview", body: `{}`, status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: pdf:*:generate")},
		scenario{name: "preview, other tenant", role: "stranger", do: "POST " + one + "/preview", body: `{}`, status: 404, want: absent},
		scenario{name: "delete", role: "keeper", do: "DELETE " + one, status: 200}, scenario{name: "deleted", role: "keeper", do: "GET " + one, status: 404, want: absent})
	runScenarios(t, f, scenarios)
	r := f.ask(t, "keeper", "POST", templatesDo, `{"name":"x","template":{"version":"1.0.0","page":{"size":"A4","margins":45},"body":{"blocks":[{"type":"table","data":{"dataSource":"items","columns":[{"field":"a","header":"A"}]}}]}}}`)
	if r.status != 400 || !bytes.Contains(r.body, []byte(`"field":"template.body.blocks[0].data.columns[0].width"`)) {
		t.Errorf("a fault has no place: %d %s", r.status, r.body)
	}
}

// TestTemplates_InDocuments ensures that every route with pages takes a saved template before all others, that one which there is none of is told, and
// that formats without pages pass over it.
func TestTemplates_InDocuments(t *testing.T) {
	f := newJudging(t, Config{})
	id := f.saveTemplate(t, "full", layoutSaying("SAVED {{invoiceNumber}}"))
	sample := string(must(os.ReadFile("../testdata/countries/de.json"))(t))
	with := func(id string) string {
		return strings.Replace(sample, "{", `{"templateId":"`+id+`","formatOptions":{"template":`+layoutOf(t, "INLINE {{invoiceNumber}}")+`},`, 1)
	}
	xml := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", with("7"), "Accept", "application/json")
	var written generated
	unmarshal(t, xml.body, &written)
	converting := func(target, id string) string {
		return string(must(json.Marshal(map[string]any{"data": written.Data, "targetFormat": target, "targetCountry": "DE", "templateId": id}))(t))
	}
	for _, c := range []struct{ path, body, none string }{
		{"/api/v1/invoice/de/pdf/generate", with(id), with("7")},
		{"/api/v1/invoice/de/zugferd/generate", with(strings.ToUpper(id)), with("7")},
		{"/api/v1/invoice/convert", converting("pdf", id), converting("pdf", "7")},
		{"/api/v1/invoice/convert", converting("zugferd", id), converting("zugferd", "7")},
		{"/api/v1/pdf/generate", `{"templateId":"` + id + `","data":{"invoiceNumber":"R-1"}}`, `{"templateId":"7","data":{"invoiceNumber":"R-1"}}`},
	} {
		inline := f.ask(t, "full", "POST", c.path, c.body, "Accept", "application/json")
		var made generated
		unmarshal(t, inline.body, &made)
		if words := wordsIn(t, made.Data); inline.status != 200 || !strings.Contains(words, "SAVED") {
			t.Errorf("%s: %d %q %.300s", c.path, inline.status, words, inline.body)
		}
		absent := f.ask(t, "full", "POST", c.path, c.none)
		checkContract(t, "POST", c.path, absent)
		if absent.status != 404 || !bytes.Contains(absent.body, []byte(`"message":"Template with ID 7 not found"`)) {
			t.Errorf("%s without the template: %d %s", c.path, absent.status, absent.body)
		}
		if other := f.ask(t, "stranger", "POST", c.path, c.body); other.status != 404 {
			t.Errorf("%s by another tenant: %d %.300s", c.path, other.status, other.body)
		}
	}
	if xml.status != 200 {
		t.Errorf("a format without pages: %d %.300s", xml.status, xml.body)
	}
}

// TestTemplates_InJobs ensures that a job makes its document of the template as it was when the job was accepted, whatever becomes of it.
func TestTemplates_InJobs(t *testing.T) {
	f := newJudging(t, Config{})
	id := f.saveTemplate(t, "full", layoutSaying("FIRST {{invoiceNumber}}"))
	sample := string(must(os.ReadFile("../testdata/countries/de.json"))(t))
	body := strings.Replace(sample, "{", `{"templateId":"`+id+`",`, 1)
	const path = "/api/v1/invoice/de/pdf/generate"
	alone := f.accept(t, "full", "POST "+path, body)
	batch := f.ask(t, "full", "POST", "/api/v1/jobs", `{"operations":[{"method":"POST","path":"`+path+`","body":`+body+`},{"method":"POST","path":"`+path+`","body":`+body+`}]}`)
	var taken batchView
	unmarshal(t, batch.body, &taken)
	if r := f.ask(t, "full", "DELETE", templatesDo+"/"+id, ""); r.status != 200 || len(taken.Jobs) != 2 {
		t.Fatalf("%d %s, %s", r.status, r.body, batch.body)
	}
	for _, job := range append(taken.Jobs, alone) {
		made := f.finished(t, "full", job)
		document := f.ask(t, "full", "GET", made.Artifact, "")
		if words := wordsIn(t, document.body); !strings.Contains(words, "FIRST") {
			t.Errorf("%s: %q", job, words)
		}
	}
}

// TestTemplates_InBatchesHaveALimit ensures that the copies of a template that the jobs of a batch have are counted, and that one with too many is
// refused whole.
func TestTemplates_InBatchesHaveALimit(t *testing.T) {
	f := newJudging(t, Config{MaxBatchInflated: 1000})
	id := f.saveTemplate(t, "full", layoutSaying("FIRST {{invoiceNumber}}"+strings.Repeat(" ", 300)))
	operation := `{"method":"POST","path":"/api/v1/pdf/generate","body":{"templateId":"` + id + `","data":{"invoiceNumber":"R-1"}}}`
	for n, status := range map[int]int{2: 202, 5: 400} {
		operations := strings.TrimSuffix(strings.Repeat(operation+"\n", n), "\n")
		for kind, body := range map[string]string{typeJSON: `{"operations":[` + strings.ReplaceAll(operations, "\n", ",") + `]}`, "application/x-ndjson": operations} {
			r := f.ask(t, "full", "POST", "/api/v1/jobs", body, "Content-Type", kind)
			if r.status != status || status == 400 && !strings.Contains(string(r.body), ".templateId") {
				t.Errorf("%d as %s: %d %s", n, kind, r.status, r.body)
			}
		}
	}
}

// TestTemplates_Language ensures that documents are in the language of the request, then the account's, then the country's.
func TestTemplates_Language(t *testing.T) {
	f := newReal(t)
	sample := string(must(os.ReadFile("../testdata/countries/ch.json"))(t))
	const path = "/api/v1/invoice/ch/pdf/generate"
	say := func(body, word string) {
		t.Helper()
		r := f.ask(t, "full", "POST", path, body, "Accept", "application/json")
		var made generated
		unmarshal(t, r.body, &made)
		if words := wordsIn(t, made.Data); r.status != 200 || !strings.Contains(words, word) {
			t.Errorf("no %q: %d %q", word, r.status, words)
		}
	}
	say(sample, "Rechnung")
	if r := f.ask(t, "full", "PATCH", "/api/v1/account", `{"defaults":{"language":"fr"}}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	say(sample, "Facture")
	say(strings.Replace(sample, "{", `{"formatOptions":{"language":"it"},`, 1), "Fattura")
}

// layoutOf is the template of layoutSaying alone.
func layoutOf(t *testing.T, words string) string {
	t.Helper()
	var body struct{ Template json.RawMessage }
	unmarshal(t, []byte(layoutSaying(words)), &body)
	return string(body.Template)
}

// wordsIn is the text of a PDF in the order in which it is read aloud.
func wordsIn(t *testing.T, file []byte) string {
	t.Helper()
	report, err := inspect.Inspect(t.Context(), file)
	if err != nil {
		t.Errorf("no PDF: %v %.100q", err, file)
		return ""
	}
	return report.Text
}

// absentJSON is the 404 of a template (supplement §1, rule 6).
func absentJSON(id string) string {
	message := "Template with ID " + id + " not found"
	return fmt.Sprintf(`{"error":"Not Found","message":%q,"errors":[{"code":"NOT_FOUND","message":%q,"field":""}]}`, message, message)
}
