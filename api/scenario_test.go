package api

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/job/answers"
)

// scenario is one request and what must come back.
type scenario struct {
	name   string
	role   string // key; empty for none
	do     string // method and path
	header []string
	body   string
	status int
	says   map[string]string // header fields of the answer
	want   string            // JSON; "…" stands for anything. Empty: the body is not compared.
}

const (
	generateDE = "POST /api/v1/invoice/de/xrechnung/generate"
	parseDE    = "POST /api/v1/invoice/de/xrechnung/parse"
	parseAuto  = "POST /api/v1/invoice/parse"
)

func (s scenario) run(t *testing.T, f *fixture) {
	t.Helper()
	method, path, _ := strings.Cut(s.do, " ")
	r := f.ask(t, s.role, method, path, s.body, s.header...)
	if r.status != s.status {
		t.Fatalf("status %d, want %d\n%s", r.status, s.status, r.body)
	}
	for name, want := range s.says {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	checkContract(t, method, path, r)
	if s.want != "" {
		checkMatch(t, r.body, s.want)
	}
}

func runScenarios(t *testing.T, f *fixture, list []scenario) {
	t.Helper()
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) { s.run(t, f) })
	}
}

// checkMatch compares JSON, where "…" matches anything.
func checkMatch(t testing.TB, body []byte, want string) {
	t.Helper()
	if at := mismatch("$", decoded(t, []byte(want)), decoded(t, body)); at != "" {
		t.Errorf("%s\ngot  %s\nwant %s", at, body, want)
	}
}

// mismatch gives the first place where two values differ.
func mismatch(path string, want, got any) string {
	if want == "…" {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: has other members", path)
		}
		for name := range w {
			if at := mismatch(path+"."+name, w[name], g[name]); at != "" {
				return at
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: has another length", path)
		}
		for i := range w {
			if at := mismatch(fmt.Sprintf("%s[%d]", path, i), w[i], g[i]); at != "" {
				return at
			}
		}
	default:
		if want != got {
			return fmt.Sprintf("%s: %v, want %v", path, got, want)
		}
	}
	return ""
}

// problemJSON is an error without code and field.
func problemJSON(word, code, message string) string {
	return fmt.Sprintf(`{"error":%q,"message":%q,"errors":[{"code":%q,"message":%q,"field":""}]}`, word, message, code, message)
}

// wordJSON is an error whose word is its code.
func wordJSON(word, message string) string {
	return fmt.Sprintf(`{"error":%q,"message":%q,"code":%q,"errors":[{"code":%q,"message":%q,"field":""}]}`, word, message, word, word, message)
}

// fieldJSON is a 400 about one member.
func fieldJSON(code, field, message string) string {
	return fmt.Sprintf(`{"error":"Bad Request","message":%q,"field":%q,"errors":[{"code":%q,"message":%q,"field":%q}]}`, message, field, code, message, field)
}

// invalidJSON is the 400 of a body that is not JSON.
func invalidJSON(message string) string {
	return fmt.Sprintf(`{"error":"Bad Request","message":%q,"code":"INVALID_JSON","errors":[{"code":"INVALID_JSON","message":%q,"field":""}]}`, message, message)
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// TestGenerate ensures the answers of generate.
func TestGenerate(t *testing.T) {
	f := newFixture(t, Config{})
	document := "<de>{}</de>"
	answer := fmt.Sprintf(`{"success":true,"format":"xrechnung","filename":"R-1.xml","mimeType":"application/xml","hash":"…","data":%q,"errors":[],"warnings":[],"infos":[]}`, b64(document))
	runScenarios(t, f, []scenario{
		{name: "the document is base64 in JSON", role: "full", do: generateDE, body: "{}", status: 200, want: answer,
			says: map[string]string{"Content-Type": "application/json", "X-Content-Type-Options": "nosniff"}},
		{name: "segments have no case", role: "full", do: "POST /api/v1/invoice/DE/XRechnung/generate", body: "{}", status: 200, want: answer},
		{name: "segments may be encoded", role: "full", do: "POST /api/v1/invoice/%64e/xrechnung/generate", body: "{}", status: 200, want: answer},
		{name: "live key", role: "live", do: generateDE, body: "{}", status: 200, want: answer},
		{name: "Content-Type is a form, as curl -d sends it", role: "full", do: generateDE, body: "{}", status: 200, want: answer,
			header: []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{name: "Content-Type with a charset", role: "full", do: generateDE, body: "{}", status: 200, header: []string{"Content-Type", "Application/JSON; charset=utf-8"}},
		{name: "Accept names XML: the bare document", role: "full", do: generateDE, body: "{}", status: 200, header: []string{"Accept", "application/xml"},
			says: map[string]string{"Content-Type": "application/xml", "Content-Disposition": "attachment; filename=R-1.xml", "X-Hash": hashOf([]byte(document))}},
		{name: "Accept names XML, but there are warnings", role: "full", do: generateDE + "?calculate=true", body: "{}", status: 200,
			header: []string{"Accept", "application/xml"}, says: map[string]string{"Content-Type": "application/json"}},
		{name: "Accept names both", role: "full", do: generateDE, body: "{}", status: 200, header: []string{"Accept", "application/xml, application/json"},
			says: map[string]string{"Content-Type": "application/json"}},
		{name: "Accept is a wildcard", role: "full", do: generateDE, body: "{}", status: 200, header: []string{"Accept", "*/*"},
			says: map[string]string{"Content-Type": "application/json"}},
		{name: "a switch that is none", role: "full", do: generateDE + "?calculate=yes", body: "{}", status: 400,
			want: fieldJSON("INVALID_VALUE", "calculate", "calculate: must be true or false")},
		{name: "unsupported country", role: "full", do: "POST /api/v1/invoice/xy/xrechnung/generate", body: "{}", status: 400,
			want: problemJSON("Bad Request", "BAD_REQUEST", "Country XY is not supported")},
		{name: "unknown format", role: "full", do: "POST /api/v1/invoice/de/facturx/generate", body: "{}", status: 400,
			want: fieldJSON("BAD_REQUEST", "format", `format: "facturx" is not a format of Germany; its formats are xrechnung, pdf`)},
		{name: "refused by a rule", role: "full", do: generateDE, body: "FAKE-REFUSE", status: 422,
			want: `{"error":"Unprocessable Entity","message":"type: proforma is not permitted","code":"TYPE_NOT_PERMITTED","field":"type",
				"errors":[{"code":"TYPE_NOT_PERMITTED","message":"type: proforma is not permitted","field":"type"}]}`},
		{name: "every fault is told", role: "full", do: generateDE, body: "FAKE-FAULTS", status: 400,
			want: `{"error":"Bad Request","message":"currency: is missing","field":"currency","errors":[{"code":"MISSING_FIELD","message":"currency: is missing","field":"currency"},
				{"code":"MISSING_FIELD","message":"total: is missing","field":"total"}]}`},
		{name: "a word of the contract brings its members", role: "full", do: generateDE, body: "FAKE-LINES", status: 400,
			want: `{"error":"TOO_MANY_LINE_ITEMS","message":"items: 26 lines, allowed are 25","code":"TOO_MANY_LINE_ITEMS","field":"items","lineItems":{"count":26,"limit":25},
				"errors":[{"code":"TOO_MANY_LINE_ITEMS","message":"items: 26 lines, allowed are 25","field":"items"}]}`},
		{name: "unknown template", role: "full", do: generateDE, body: "FAKE-TEMPLATE", status: 404, want: problemJSON("Not Found", "NOT_FOUND", "Template with ID 7 not found")},
		{name: "an internal error has no details", role: "full", do: generateDE, body: "FAKE-BROKEN", status: 500,
			want: problemJSON("Internal Server Error", "INTERNAL_SERVER_ERROR", answers.Internal.Message)},
		{name: "an internal refusal has no details", role: "full", do: generateDE, body: "FAKE-INTERNAL", status: 500,
			want: problemJSON("Internal Server Error", "INTERNAL_SERVER_ERROR", answers.Internal.Message)},
		{name: "a panic is a 500", role: "full", do: generateDE, body: "FAKE-PANIC", status: 500,
			want: problemJSON("Internal Server Error", "INTERNAL_SERVER_ERROR", answers.Internal.Message)},
		{name: "compressed body", role: "full", do: generateDE, body: "{}", header: []string{"Content-Encoding", "gzip"}, status: 415,
			want: problemJSON("Unsupported Media Type", "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding gzip is not supported: send the body without compression")},
		{name: "XML body", role: "full", do: generateDE, body: "<a/>", header: []string{"Content-Type", "application/xml"}, status: 415,
			want: problemJSON("Unsupported Media Type", "UNSUPPORTED_MEDIA_TYPE", "Content-Type application/xml is not supported here; send application/json")},
	})
}

// TestParse ensures the answers of both parse routes.
func TestParse(t *testing.T) {
	f := newFixture(t, Config{})
	document := b64("<Invoice/>")
	parsed := `{"success":true,"invoice":{"invoiceNumber":"10 bytes"},"format":"XRECHNUNG_UBL","hash":"…","errors":[],"warnings":[],"infos":[]}`
	form := "--x\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.xml\"\r\n\r\n<Invoice/>\r\n--x--\r\n"
	asForm := []string{"Content-Type", "multipart/form-data; boundary=x"}
	runScenarios(t, f, []scenario{
		{name: "base64 in JSON", role: "full", do: parseDE, body: fmt.Sprintf(`{"data":%q}`, document), status: 200, want: parsed},
		{name: "slashes may be escaped, members come in any order", role: "full", do: parseDE, status: 200, want: parsed,
			body: fmt.Sprintf(`{"filename":null,"more":[{"data":1}],"data":"%s"}`, strings.ReplaceAll(document, "/", `\/`))},
		{name: "base64 in lines", role: "full", do: parseDE, body: fmt.Sprintf(`{"data":"%s\n%s"}`, document[:8], document[8:]), status: 200, want: parsed},
		{name: "the file name is a label", role: "full", do: parseDE, body: fmt.Sprintf(`{"data":%q,"filename":"x.xml"}`, document), status: 200,
			want: strings.Replace(parsed, `"10 bytes"`, `"10 bytes","notes":"x.xml"`, 1)},
		{name: "multipart", role: "full", do: parseDE, body: form, header: asForm, status: 200,
			want: strings.Replace(parsed, `"10 bytes"`, `"10 bytes","notes":"a.xml"`, 1)},
		{name: "automatic detection", role: "full", do: parseAuto, body: fmt.Sprintf(`{"data":%q}`, document), status: 200,
			want: strings.Replace(parsed, `"errors"`, `"detection":{"format":"XRECHNUNG_UBL","formatVersion":null,"countryCode":"DE","confidence":100,
				"formatMethod":"CUSTOMIZATION_ID","countrySource":"DOCUMENT","isAmbiguous":false,"alternativeCountries":[]},"errors"`, 1)},
		{name: "automatic detection by multipart", role: "full", do: parseAuto, body: form, header: asForm, status: 200},
		{name: "what is detected needs its entitlement", role: "italy", do: parseAuto, body: fmt.Sprintf(`{"data":%q}`, document), status: 403,
			want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:de:xrechnung:parse")},
		{name: "automatic detection needs some parse entitlement", role: "nobody", do: parseAuto, body: fmt.Sprintf(`{"data":%q}`, document), status: 403,
			want: wordJSON("FORBIDDEN", "Missing entitlement: e-invoice:*:*:parse")},
		{name: "a failed automatic parse says so", role: "full", do: parseAuto, body: fmt.Sprintf(`{"data":%q}`, b64("FAKE-UNKNOWN")), status: 400,
			want: `{"error":"FORMAT_NOT_DETECTED","message":"data: no known format","code":"FORMAT_NOT_DETECTED","field":"data","success":false,
				"errors":[{"code":"FORMAT_NOT_DETECTED","message":"data: no known format","field":"data"}]}`},
		{name: "a failed explicit parse has no success", role: "full", do: parseDE, body: fmt.Sprintf(`{"data":%q}`, b64("FAKE-UNREADABLE")), status: 422,
			want: `{"error":"PARSE_FAILED","message":"data: ends too early","code":"PARSE_FAILED","field":"data",
				"errors":[{"code":"PARSE_FAILED","message":"data: ends too early","field":"data"}]}`},
		{name: "no data", role: "full", do: parseDE, body: `{"filename":"x"}`, status: 400, want: fieldJSON("MISSING_FIELD", "data", "data: the document is missing; send it as base64, or as text in xml")},
		{name: "empty data", role: "full", do: parseDE, body: `{"data":""}`, status: 400, want: fieldJSON("MISSING_FIELD", "data", "data: the document is missing; send it as base64, or as text in xml")},
		{name: "data is a number", role: "full", do: parseDE, body: `{"data":7}`, status: 400, want: fieldJSON("INVALID_TYPE", "data", "data: must be a string")},
		{name: "data is not base64", role: "full", do: parseDE, body: `{"data":"<Invoice!/>"}`, status: 400,
			want: fieldJSON("INVALID_BASE64", "data", "data: the document is not valid base64; send XML as text in the member xml, or as the whole body")},
		{name: "data is no text at all", role: "full", do: parseDE, body: `{"data":"?"}`, status: 400,
			want: fieldJSON("INVALID_BASE64", "data", "data: the document is not valid base64")},
		{name: "names are case-sensitive", role: "full", do: parseDE, body: fmt.Sprintf(`{"DATA":%q}`, document), status: 400,
			want: fieldJSON("MISSING_FIELD", "data", "data: the document is missing; send it as base64, or as text in xml")},
		{name: "duplicate names", role: "full", do: parseDE, body: `{"data":"QQ==","data":"Qg=="}`, status: 400,
			want: invalidJSON("The request body is not valid JSON: a member occurs twice, /data")},
		{name: "no object", role: "full", do: parseDE, body: `[]`, status: 400, want: invalidJSON("The request body must be a JSON object")},
		{name: "empty body", role: "full", do: parseDE, status: 400, want: invalidJSON("The request body must be a JSON object")},
		{name: "cut off", role: "full", do: parseDE, body: `{"data":"QQ`, status: 400, want: invalidJSON("The request body is not valid JSON: it ends too early")},
		{name: "something follows", role: "full", do: parseDE, body: `{"data":"QQ=="} x`, status: 400, want: `{"error":"Bad Request","message":"…","code":"INVALID_JSON","errors":"…"}`},
		{name: "invalid UTF-8", role: "full", do: parseDE, body: "{\"filename\":\"\xff\",\"data\":\"QQ==\"}", status: 400, want: `{"error":"Bad Request","message":"…","code":"INVALID_JSON","errors":"…"}`},
		{name: "byte order mark", role: "full", do: parseDE, body: "\ufeff" + fmt.Sprintf(`{"data":%q}`, document), status: 200, want: parsed},
		{name: "base64 with blanks", role: "full", do: parseDE, body: fmt.Sprintf(`{"data":" %s \t%s "}`, document[:8], document[8:]), status: 200, want: parsed},
		{name: "base64 for URLs without padding", role: "full", do: parseDE, body: fmt.Sprintf(`{"data":%q}`, base64.RawURLEncoding.EncodeToString([]byte("<Invoice/>"))), status: 200, want: parsed},
		{name: "base64 for URLs in its own alphabet", role: "full", do: parseDE, body: `{"data":"PGE-Pz8_PC9hPg"}`, status: 200, want: strings.Replace(parsed, "10 bytes", "10 bytes", 1)},
		{name: "a data URL", role: "full", do: parseDE, body: fmt.Sprintf(`{"data":"data:application/xml;base64,%s"}`, document), status: 200, want: parsed},
		{name: "too much padding", role: "full", do: parseDE, body: `{"data":"QQ==="}`, status: 400, want: fieldJSON("INVALID_BASE64", "data", "data: the document is not valid base64")},
		{name: "bare XML", role: "full", do: parseDE, body: "<Invoice/>", header: []string{"Content-Type", "application/xml; charset=utf-8"}, status: 200, want: parsed},
		{name: "bare XML, not said to be that", role: "full", do: parseDE, body: "\n<Invoice/>", header: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 200,
			want: strings.Replace(parsed, "10 bytes", "11 bytes", 1)},
		{name: "a bare PDF, not said to be that", role: "full", do: parseDE, body: "%PDF-1.7 x", header: []string{"Content-Type", "application/octet-stream"}, status: 200, want: parsed},
		{name: "XML as text", role: "full", do: parseDE, body: `{"xml":"<Invoice/>"}`, status: 200, want: parsed},
		{name: "bare XML to validate, not said to be that", role: "full", do: "POST /api/v1/invoice/de/xrechnung/validate", body: "<Invoice/>", header: []string{"Content-Type", "text/plain"}, status: 200},
		{name: "bare XML, detected", role: "full", do: parseAuto, body: "<Invoice/>", header: []string{"Content-Type", "text/xml"}, status: 200},
		{name: "bare XML, empty", role: "full", do: parseDE, body: "", header: []string{"Content-Type", "application/xml"}, status: 400, want: `{"error":"Bad Request","message":"The request body is empty; send the document, or JSON","errors":"…"}`},
		{name: "lone surrogate", role: "full", do: parseDE, body: `{"filename":"\ud800","data":"QQ=="}`, status: 400, want: `{"error":"Bad Request","message":"…","code":"INVALID_JSON","errors":"…"}`},
		{name: "multipart without a boundary", role: "full", do: parseDE, body: form, header: []string{"Content-Type", "multipart/form-data"}, status: 400,
			want: problemJSON("Bad Request", "INVALID_MULTIPART", "The Content-Type names no boundary for the multipart body")},
		{name: "multipart without the part", role: "full", do: parseDE, body: strings.ReplaceAll(form, `"file"`, `"data"`), header: asForm, status: 400,
			want: fieldJSON("MISSING_FIELD", "file", "file: the part with the document is missing or empty")},
		{name: "multipart with the part twice", role: "full", do: parseDE, body: strings.ReplaceAll(form, `"note"`, `"file"`), header: asForm, status: 400,
			want: fieldJSON("DUPLICATE_MEMBER", "file", "file: the multipart body has more than one part of this name")},
		{name: "multipart cut off", role: "full", do: parseDE, body: form[:len(form)-12], header: asForm, status: 400,
			want: problemJSON("Bad Request", "INVALID_MULTIPART", "The multipart body is malformed")},
		{name: "multipart with many parts", role: "full", do: parseDE, header: asForm, status: 400,
			body: strings.Repeat("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n", 9) + "--x--\r\n",
			want: problemJSON("Bad Request", "INVALID_MULTIPART", "The multipart body has more than 8 parts")},
		{name: "multipart with a long header", role: "full", do: parseDE, header: asForm, status: 400,
			body: "--x\r\nContent-Disposition: form-data; name=\"file\"\r\nX-Long: " + strings.Repeat("y", 9<<10) + "\r\n\r\nQ\r\n--x--\r\n",
			want: problemJSON("Bad Request", "INVALID_MULTIPART", "A part of the multipart body has a header of more than 8192 bytes")},
		{name: "multipart with a long file name", role: "full", do: parseDE, header: asForm, status: 400,
			body: "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + strings.Repeat("y", 256) + "\"\r\n\r\nQ\r\n--x--\r\n",
			want: fieldJSON("INVALID_VALUE", "file", "file: the file name has more than 255 bytes")},
	})
}

// TestInformation ensures the routes that tell about the service.
func TestInformation(t *testing.T) {
	f := newFixture(t, Config{})
	runScenarios(t, f, []scenario{
		{name: "all formats", role: "nobody", do: "GET /api/v1/invoice/formats", status: 200, header: []string{"Content-Type", "application/json"},
			want: `{"countries":[{"code":"DE","name":"Germany","formats":["…","…"]},{"code":"IT","name":"Italy","formats":["…","…"]}]}`},
		{name: "formats of a country", role: "nobody", do: "GET /api/v1/invoice/It/formats", status: 200,
			want: `{"code":"IT","name":"Italy","formats":[{"id":"fatturapa","name":"FatturaPA","description":"","mimeType":"application/xml","extension":".xml",
				"versions":[],"profiles":[],"generate":false,"parse":false,"validate":false},"…"]}`},
		{name: "formats of an unsupported country", role: "full", do: "GET /api/v1/invoice/us/formats", status: 400,
			want: problemJSON("Bad Request", "BAD_REQUEST", "Country US is not supported")},
		{name: "version", do: "GET /api/v1/version", status: 200, want: `{"version":"v0","commit":"","built":"","go":"go","api":"1"}`},
		{name: "health", do: "GET /healthz", status: 200, want: `{"status":"ok"}`},
		{name: "readiness", do: "GET /readyz", status: 200, want: `{"status":"ok","checks":{}}`},
		{name: "description", do: "GET /openapi.json", status: 200},
	})
}

// TestUnknownRoutes ensures that 404 and 405 are JSON with a request id, and that tricks with the path stay without effect.
func TestUnknownRoutes(t *testing.T) {
	f := newFixture(t, Config{})
	unknown := problemJSON("Not Found", "NOT_FOUND", "Endpoint does not exist")
	var list []scenario
	for _, do := range []string{
		"GET //", "GET /guides/nothing", "GET /guides/jobs.md", "GET /guidesx", "GET /site/", "GET /site/home.html", "GET /guides/%2e%2e/healthz", "GET /api/v1", "GET /api/v1/invoice/de/validates", "POST /api/v1/invoice/converts",
		"POST /api/v1/invoice/de/xrechnung/generate/", "POST //api/v1/invoice/parse", "POST /api/v1/invoice/de%2Fxrechnung/generate",
		"POST /api/v1/../v1/invoice/parse", "GET /docs/../healthz", "GET /docs/nothing.js", "GET /docsx", "GET /metrics",
		"GET /debug/pprof/", "GET /API/v1/version", "GET /api/v1/jobs/", "POST /api/v1/invoice/de//generate", "BREW /nowhere",
	} {
		list = append(list, scenario{name: do, do: do, role: "full", status: 404, want: unknown})
	}
	notAllowed := func(do, allow string) scenario {
		method, _, _ := strings.Cut(do, " ")
		return scenario{name: do, do: do, status: 405, says: map[string]string{"Allow": allow},
			want: problemJSON("Method Not Allowed", "METHOD_NOT_ALLOWED", "Method "+method+" is not allowed here; allowed: "+allow)}
	}
	runScenarios(t, f, append(list,
		notAllowed("GET /api/v1/invoice/de/xrechnung/generate", "POST"),
		notAllowed("DELETE /api/v1/invoice/parse", "POST"),
		notAllowed("POST /api/v1/invoice/formats", "GET, HEAD"),
		notAllowed("PUT /api/v1/jobs/job_1", "DELETE, GET, HEAD"),
		notAllowed("BREW /healthz", "GET, HEAD"),
		notAllowed("POST /docs/", "GET, HEAD"), notAllowed("POST /", "GET, HEAD"), notAllowed("DELETE /guides/jobs", "GET, HEAD"),
		scenario{name: "the method cannot be overridden", role: "full", do: "GET /api/v1/invoice/parse", status: 405,
			header: []string{"X-HTTP-Method-Override", "POST"}},
		scenario{name: "dots lead nowhere", role: "full", do: "POST /api/v1/invoice/../invoice/parse", status: 400},
		scenario{name: "a dotted country is a country", role: "full", do: "POST /api/v1/invoice/%2e%2e/xrechnung/generate", status: 400},
		scenario{name: "an encoded slash is no segment", role: "full", do: "POST /api/v1/invoice/de/..%2f..%2fparse/generate", status: 400},
		scenario{name: "a country of invalid bytes", role: "full", do: "POST /api/v1/invoice/%ff%00/xrechnung/generate", status: 400},
		scenario{name: "a format of invalid bytes", role: "full", do: "POST /api/v1/invoice/de/%ff%00%22/generate", status: 400},
		scenario{name: "repeated parameters", role: "full", do: generateDE + "?calculate=false&calculate=true&country=it&x=%zz", body: "{}", status: 200},
		scenario{name: "a huge query", role: "full", do: generateDE + "?x=" + strings.Repeat("y", 8<<10), body: "{}", status: 200},
	))
}

// TestDocumentationPage ensures that the page and its assets come from the program itself.
func TestDocumentationPage(t *testing.T) {
	f := newFixture(t, Config{})
	for _, path := range []string{"/docs", "/docs/", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"} {
		r := f.ask(t, "", "GET", path, "")
		if r.status != 200 || len(r.body) < 500 || r.header.Get("x-request-id") == "" {
			t.Errorf("%s: status %d, %d bytes, header %v", path, r.status, len(r.body), r.header)
		}
		if path == "/docs/" && strings.Contains(strings.ReplaceAll(string(r.body), "http://www.w3.org", ""), "//") &&
			strings.Contains(string(r.body), `src="http`) {
			t.Errorf("the page loads from elsewhere:\n%s", r.body)
		}
	}
}

// TestHead ensures that HEAD answers as GET does, without the body.
func TestHead(t *testing.T) {
	f := newFixture(t, Config{})
	get, head := f.ask(t, "", "GET", "/api/v1/version", ""), f.ask(t, "", "HEAD", "/api/v1/version", "")
	if head.status != 200 || len(head.body) != 0 || head.header.Get("Content-Length") != get.header.Get("Content-Length") {
		t.Errorf("HEAD: status %d, body %q, header %v", head.status, head.body, head.header)
	}
}
