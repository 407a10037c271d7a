package api

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/account"
)

const convertDo = "POST /api/v1/invoice/convert"

// TestConvert_Forms ensures that a conversion is ordered alike in JSON, as a bare document and as a multipart body, and what is told of
// requests that are none.
func TestConvert_Forms(t *testing.T) {
	f := newFixture(t, Config{})
	made := func(country, format, data, further string) string {
		return fmt.Sprintf(`{"success":true,"sourceFormat":"xrechnung","targetFormat":%q,"format":%[1]q,"filename":"R-1.xml","mimeType":"application/xml","hash":"…",
			"data":%q,"detection":"…","infos":[],"errors":[],%s}`, format, b64(fmt.Sprintf("<%s>%s</%[1]s>", country, data)), further)
	}
	const clean = `"warnings":[],"conversionWarnings":[]`
	unchecked := `"warnings":[{"code":"SELF_CHECK_INCOMPLETE","message":"validate is false","field":""}],"conversionWarnings":[{"code":"FIELD_NOT_WRITTEN","message":"not carried","field":"/a"}]`
	document := b64("<Invoice/>")
	form := func(parts ...string) string {
		text := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.xml\"\r\n\r\n<Invoice/>\r\n"
		for i := 0; i < len(parts); i += 2 {
			text += fmt.Sprintf("--x\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", parts[i], parts[i+1])
		}
		return text + "--x--\r\n"
	}
	asForm, asXML := []string{"Content-Type", "multipart/form-data; boundary=x"}, []string{"Content-Type", "application/xml"}
	all := `"targetFormat":"zugferd","targetCountry":"at","sourceCountry":"DE","sourceFormat":"xrechnung","validate":false,"attachSource":true,"index":0,"formatOptions":{"profile":"BASIC"}`
	query := "?targetFormat=zugferd&targetCountry=at&validate=false&attachSource=true&index=0&formatOptions=%7B%22output%22%3A%22xml%22%7D"
	runScenarios(t, f, []scenario{
		{name: "JSON", role: "full", do: convertDo, body: fmt.Sprintf(`{"data":%q,"filename":"b.xml","targetFormat":"xrechnung"}`, document), status: 200, want: made("de", "xrechnung", "b.xml <Invoice/>", clean)},
		{name: "JSON with all options", role: "full", do: convertDo, body: fmt.Sprintf(`{%s,"data":%q}`, all, document), status: 200, want: made("at", "zugferd", " <Invoice/>", unchecked)},
		{name: "XML as text", role: "full", do: convertDo, body: `{"xml":"<Invoice/>","targetFormat":"xrechnung"}`, status: 200, want: made("de", "xrechnung", " <Invoice/>", clean)},
		{name: "a bare document", role: "full", do: convertDo + query, body: "<Invoice/>", header: asXML, status: 200, want: made("at", "zugferd", " <Invoice/>", unchecked)},
		{name: "multipart", role: "full", do: convertDo, body: form("targetFormat", "zugferd", "targetCountry", "at", "validate", "false", "attachSource", "true", "index", "0",
			"formatOptions", `{"output":"xml"}`, "note", "hi"), header: asForm, status: 200, want: made("at", "zugferd", "a.xml <Invoice/>", unchecked)},
		{name: "the body wins over the query", role: "full", do: convertDo + "?targetFormat=zugferd&targetCountry=at", body: `{"xml":"<Invoice/>","targetFormat":"xrechnung"}`, status: 200,
			want: made("at", "xrechnung", " <Invoice/>", clean)},
		{name: "bytes", role: "full", do: convertDo, body: `{"xml":"<Invoice/>","targetFormat":"xrechnung"}`, header: []string{"Accept", "application/xml"}, status: 200,
			says: map[string]string{"Content-Type": "application/xml", "Content-Disposition": "attachment; filename=R-1.xml"}},
		{name: "no bytes where something was lost", role: "full", do: convertDo, body: `{"xml":"<Invoice/>","targetFormat":"xrechnung","attachSource":true}`, header: []string{"Accept", "application/xml"}, status: 200,
			says: map[string]string{"Content-Type": "application/json"}},
		{name: "no target", role: "full", do: convertDo, body: `{"xml":"<Invoice/>"}`, status: 400, want: `{"error":"Bad Request","message":"targetFormat is required","field":"targetFormat","errors":"…"}`},
		{name: "no document", role: "full", do: convertDo, body: `{"targetFormat":"xrechnung"}`, status: 400, want: fieldJSON("MISSING_FIELD", "data", "data: the document is missing; send it as base64, or as text in xml")},
		{name: "no document in parts", role: "full", do: convertDo, body: strings.ReplaceAll(form("targetFormat", "ubl"), `"file"`, `"data"`), header: asForm, status: 400,
			want: fieldJSON("MISSING_FIELD", "file", "file: the part with the document is missing or empty")},
		{name: "an option of another type", role: "full", do: convertDo, body: `{"xml":"<Invoice/>","targetFormat":7,"validate":"yes"}`, status: 400,
			want: `{"error":"Bad Request","message":"…","field":"…","errors":[{"code":"INVALID_TYPE","message":"…","field":"targetFormat"},{"code":"INVALID_TYPE","message":"…","field":"validate"}]}`},
		{name: "a query of another type", role: "full", do: convertDo + "?validate=maybe&targetFormat=ubl", body: "<Invoice/>", header: asXML, status: 400,
			want: `{"error":"Bad Request","message":"…","field":"validate","errors":[{"code":"INVALID_TYPE","message":"…","field":"validate"}]}`},
		{name: "format options that are no JSON", role: "full", do: convertDo, body: form("formatOptions", "BASIC"), header: asForm, status: 400,
			want: `{"error":"Bad Request","message":"…","field":"formatOptions","errors":[{"code":"INVALID_TYPE","message":"…","field":"formatOptions"}]}`},
		{name: "a misspelt member", role: "full", do: convertDo, body: `{"xml":"<Invoice/>","targetFormat":"xrechnung","targetCuntry":"at"}`, status: 200,
			want: strings.Replace(made("de", "xrechnung", " <Invoice/>", clean), `"infos":[]`, `"infos":[{"code":"UNKNOWN_MEMBER","message":"…"}]`, 1)},
		{name: "another media type", role: "full", do: convertDo, body: "a,b", header: []string{"Content-Type", "text/csv"}, status: 415},
	})
}

// TestConvert_Entitlements ensures that a conversion takes parsing of the source and creation of the target, before anything is done or
// kept, also in a job and a batch.
func TestConvert_Entitlements(t *testing.T) {
	f := newFixture(t, Config{})
	f.addKey(t, "own", "creator", account.NewKey{Mode: account.Test, Entitlements: []string{"e-invoice:de:*:create"}})
	f.addKey(t, "own", "reader", account.NewKey{Mode: account.Test, Entitlements: []string{"e-invoice:de:xrechnung:parse", "e-invoice:it:fatturapa:create"}})
	f.addKey(t, "own", "both", account.NewKey{Mode: account.Test, Entitlements: []string{"e-invoice:de:xrechnung:parse", "e-invoice:de:zugferd:create"}})
	body := `{"xml":"<Invoice/>","targetFormat":"zugferd"}`
	batch := `{"operations":[{"method":"POST","path":"/api/v1/invoice/convert","body":` + body + `}]}`
	for _, s := range []scenario{
		{name: "creation alone", role: "creator", status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:de:xrechnung:parse")},
		{name: "parsing alone", role: "reader", status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:de:zugferd:create")},
		{name: "both", role: "both", status: 200},
		{name: "nothing", role: "nobody", status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:*:*:create")},
	} {
		s.do, s.body = convertDo, body
		t.Run(s.name, func(t *testing.T) { s.run(t, f) })
		s.header = []string{"Prefer", "respond-async"}
		if s.status == 200 {
			s.status = 202
		}
		t.Run(s.name+", as a job", func(t *testing.T) { s.run(t, f) })
		s.do, s.body, s.header, s.want = "POST /api/v1/jobs", batch, nil, ""
		t.Run(s.name+", in a batch", func(t *testing.T) { s.run(t, f) })
	}
	done := f.finished(t, "both", f.accept(t, "both", convertDo, body))
	for role, status := range map[string]int{"both": 200, "reader": 403, "stranger": 404, "creator": 403} {
		scenario{role: role, do: "GET " + done.Artifact, status: status}.run(t, f)
		scenario{role: role, do: "GET " + strings.TrimSuffix(done.Artifact, "/artifact"), status: status}.run(t, f)
	}
}

// TestConvert_Charges ensures that a conversion costs one unit of creating the target when it succeeds, and is done once for each key.
func TestConvert_Charges(t *testing.T) {
	f := newFixture(t, Config{})
	key := f.subscribe(t, "metered", "metered", false)
	body := `{"xml":"<Invoice/>","targetFormat":"xrechnung"}`
	runScenarios(t, f, []scenario{
		{name: "counts", role: "metered", do: convertDo, body: body, status: 200},
		{name: "a refusal does not", role: "metered", do: convertDo, body: `{"xml":"FAKE-UNREADABLE","targetFormat":"xrechnung"}`, status: 422},
		{name: "with a key", role: "metered", do: convertDo, body: body, header: keyed("a"), status: 200},
		{name: "a replay does not", role: "metered", do: convertDo, body: body, header: keyed("a"), status: 200, says: map[string]string{"Idempotent-Replayed": "true"}},
		{name: "another request under the key", role: "metered", do: convertDo, body: `{"xml":"<Other/>","targetFormat":"xrechnung"}`, header: keyed("a"), status: 409},
		{name: "a job counts", role: "metered", do: convertDo, body: body, header: []string{"Prefer", "respond-async, wait=60"}, status: 200},
		{name: "no more", role: "metered", do: convertDo, body: body, status: 429},
	})
	if used, reserved := f.used(t, key.AccountID, createDE); used != 3 || reserved != 0 {
		t.Errorf("%d units, %d reserved", used, reserved)
	}
}

// TestConvert_Events ensures what webhooks are told of conversions, of those in jobs too, and nothing of requests that are none.
func TestConvert_Events(t *testing.T) {
	f := newFixture(t, Config{})
	for name, header := range map[string][]string{"inline": nil, "with a key": {"Idempotency-Key", ""}, "in a job": {"Prefer", "respond-async, wait=60"}} {
		ask := func(body string) []string {
			if name == "with a key" {
				header[1] = body
			}
			f.ask(t, "full", "POST", "/api/v1/invoice/convert", body, header...)
			var told []string
			for _, e := range f.told.take() {
				if !strings.HasPrefix(e.Type, "job.") {
					told = append(told, e.Type+" "+string(e.Object))
				}
			}
			return told
		}
		good, bad, none := ask(`{"xml":"<Invoice/>","targetFormat":"zugferd"}`), ask(`{"xml":"FAKE-UNREADABLE","targetFormat":"xrechnung"}`), ask(`{"xml":"<Invoice/>"}`)
		if len(good) != 1 || !strings.HasPrefix(good[0], `conversion.completed {"sourceFormat":"xrechnung","targetFormat":"zugferd","filename":"R-1.xml","mimeType":"application/xml","hash":"`) {
			t.Errorf("%s: a conversion: %q", name, good)
		}
		if len(bad) != 1 || bad[0] != `conversion.failed {"error":"PARSE_FAILED","message":"data: ends too early","complianceErrors":[]}` {
			t.Errorf("%s: a document that cannot be read: %q", name, bad)
		}
		if len(none) > 0 {
			t.Errorf("%s: no conversion at all: %q", name, none)
		}
	}
}

// TestConvert_Real converts documents of testdata over HTTP, by the rules that are there: what is given out is JSON by the contract, the
// same as a job gives, and what cannot be given out is told with its reasons.
func TestConvert_Real(t *testing.T) {
	f := newJudging(t, Config{})
	convert := func(name, further string, header ...string) reply {
		source := must(os.ReadFile("../testdata/" + name))(t)
		body := fmt.Sprintf(`{"data":%q,"filename":"a.xml",%s}`, b64(string(source)), further)
		r := f.ask(t, "full", "POST", "/api/v1/invoice/convert", body, header...)
		checkContract(t, "POST", "/api/v1/invoice/convert", r)
		return r
	}
	there := convert("xrechnung-ubl/goods.xml", `"targetFormat":"xrechnung","formatOptions":{"syntax":"cii"}`)
	var answer struct {
		Data               []byte
		SourceFormat       string
		ConversionWarnings []finding.Finding
	}
	unmarshal(t, there.body, &answer)
	if there.status != 200 || answer.SourceFormat != "xrechnung" || len(answer.ConversionWarnings) > 0 || !bytes.Contains(answer.Data, []byte("<rsm:CrossIndustryInvoice")) {
		t.Fatalf("%d %s", there.status, there.body)
	}
	job := convert("xrechnung-ubl/goods.xml", `"targetFormat":"xrechnung","formatOptions":{"syntax":"cii"}`, "Prefer", "respond-async, wait=60")
	if !bytes.Equal(job.body, there.body) {
		t.Errorf("the job: %s", job.body)
	}
	for further, want := range map[string]int{
		`"targetFormat":"zugferd"`: 200, // with its PDF
		`"targetFormat":"pdf"`:     200,
		`"targetFormat":"zugferd","formatOptions":{"output":"xml","profile":"BASIC"}`:    200,
		`"targetFormat":"zugferd","formatOptions":{"output":"xml","profile":"MINIMUM"}`:  400,
		`"targetFormat":"zugferd","targetCountry":"FR","formatOptions":{"output":"xml"}`: 400,
		`"targetFormat":"zugferd","targetCountry":"XY"`:                                  400,
		`"targetFormat":"leaflet"`: 400,
		`"targetFormat":"cii"`:     400,
		`"targetFormat":"XRechnung","sourceFormat":"xrechnung","sourceCountry":"de"`:     200,
		`"targetFormat":"xrechnung","sourceFormat":"fatturapa","sourceCountry":"it"`:     400,
		`"targetFormat":"xrechnung","sourceFormat":"cii","sourceCountry":"de"`:           400,
		`"targetFormat":"xrechnung","index":0`:                                           200,
		`"targetFormat":"xrechnung","index":1`:                                           400,
		`"targetFormat":"xrechnung","validate":false`:                                    200,
		`"targetFormat":"xrechnung","formatOptions":{"version":"9"}`:                     400,
		`"targetFormat":"facturx","targetCountry":"fr","formatOptions":{"output":"xml"}`: 200,
	} {
		if r := convert("xrechnung-ubl/goods.xml", further); r.status != want {
			t.Errorf("%s: status %d, want %d: %s", further, r.status, want, r.body)
		}
	}
}
