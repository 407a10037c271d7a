package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
	"github.com/einvoiced/einvoiced/job/answers"
)

// newReal is a fixture over the real operations.
func newReal(t testing.TB) *fixture {
	t.Helper()
	operations := must(operation.New(operation.Config{}))(t)
	return newFixture(t, Config{}, func(d *Deps) { d.Operations = operations })
}

// newJudging is a fixture over the real operations and the few rules of testdata.
func newJudging(t testing.TB, cfg Config) *fixture {
	t.Helper()
	few := rulebook.Layer{Name: "few", Open: func() (fs.FS, error) { return os.DirFS("../testdata/rulebooks"), nil }}
	registry := must(rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{few}}))(t)
	day := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	operations := must(operation.New(operation.Config{Rulebooks: registry.In, Now: func() time.Time { return day }}))(t)
	return newFixture(t, cfg, func(d *Deps) { d.Operations = judgingOperations{operations, registry} })
}

// generated is what the tests look at in an answer of generate.
type generated struct{ Data []byte }

// inputAnswer is what an input of testdata has to be answered with.
type inputAnswer struct {
	Status int
	Query  string
}

func inputAnswers(t *testing.T) map[string]inputAnswer {
	t.Helper()
	var answers map[string]inputAnswer
	if err := json.Unmarshal(must(os.ReadFile("../testdata/xrechnung-ubl-answers.json"))(t), &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) < 25 {
		t.Fatalf("%d inputs", len(answers))
	}
	return answers
}

// TestReal_Inputs posts every input of testdata: the answer has the status that the table says, follows the description of the
// interface, and brings the golden.
func TestReal_Inputs(t *testing.T) {
	f := newReal(t)
	path := "/api/v1/invoice/de/xrechnung/generate"
	for name, want := range inputAnswers(t) {
		t.Run(name, func(t *testing.T) {
			input := must(os.ReadFile("../testdata/xrechnung-ubl/" + name + ".json"))(t)
			r := f.ask(t, "full", "POST", path+"?"+want.Query, string(input))
			if r.status != want.Status {
				t.Fatalf("status %d, want %d: %s", r.status, want.Status, r.body)
			}
			checkContract(t, "POST", path, r)
			if r.status != 200 {
				return
			}
			var a generated
			unmarshal(t, r.body, &a)
			golden, err := os.ReadFile("../testdata/xrechnung-ubl/" + name + ".xml")
			if err == nil && !bytes.Equal(a.Data, golden) || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the document is not the golden (%v):\n%s", err, a.Data)
			}
		})
	}
}

func unmarshal(t testing.TB, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
}

// TestReal_Documents posts every document of testdata to both parse routes, and what comes back to generate.
func TestReal_Documents(t *testing.T) {
	f := newReal(t)
	files := append(must(filepath.Glob("../testdata/documents/*.xml"))(t), must(filepath.Glob("../testdata/xrechnung-ubl/*.xml"))(t)...)
	if len(files) < 30 {
		t.Fatalf("%d documents", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body := fmt.Sprintf(`{"data":%q}`, b64(string(must(os.ReadFile(file))(t))))
			auto := f.ask(t, "full", "POST", "/api/v1/invoice/parse", body)
			checkContract(t, "POST", "/api/v1/invoice/parse", auto)
			explicit := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/parse", body)
			checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/parse", explicit)
			if auto.status != 200 || explicit.status != 200 {
				t.Fatalf("status %d and %d: %s", auto.status, explicit.status, auto.body)
			}
			var a struct{ Invoice jsontext.Value }
			unmarshal(t, auto.body, &a)
			again := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", fmt.Sprintf(`{"invoice":%s}`, a.Invoice))
			checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/generate", again)
			if again.status != 200 && again.status != 400 && again.status != 422 {
				t.Errorf("posted back: status %d: %s", again.status, again.body)
			}
		})
	}
}

// exampleRequest is a request that answers 200.
func exampleRequest(t testing.TB) string {
	t.Helper()
	return string(must(os.ReadFile("../docs/example.json"))(t))
}

// TestHostile_Requests ensures that abuse of the JSON of generate and validate is refused in the contract's shape, soon, and never by a 500.
func TestHostile_Requests(t *testing.T) {
	f := newReal(t)
	request := exampleRequest(t)
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	sub := func(n int) string {
		return `{"invoice":{"items":[` + strings.Repeat(`{"subItems":[`, n) + "{}" + strings.Repeat("]}", n) + "]}}"
	}
	price := func(n string) string { return strings.Replace(request, `"unitPrice": 25.00`, `"unitPrice": `+n, 1) }
	for name, c := range map[string]struct{ body, word string }{
		"sub-items 101 deep":           {sub(101), "SUB_ITEMS_TOO_DEEP"},
		"sub-items 5,000 deep":         {sub(5_000), "SUB_ITEMS_TOO_DEEP"},
		"sub-items 1,000,000 deep":     {sub(1_000_000), "SUB_ITEMS_TOO_DEEP"},
		"lines above the limit":        {string(manyItems(25_001)), "TOO_MANY_LINE_ITEMS"},
		"nested 100,000 deep":          {`{"x":` + nested(100_000) + `,"invoice":{}}`, "Bad Request"},
		"a duplicate member":           {strings.Replace(request, `"currency"`, `"currency": "USD", "currency"`, 1), "Bad Request"},
		"a member in another case":     {strings.Replace(request, `"currency"`, `"Currency"`, 1), "Bad Request"},
		"invalid UTF-8":                {strings.Replace(request, "Amt Nord", "Amt \xff", 1), "Bad Request"},
		"a lone surrogate":             {strings.Replace(request, "Amt Nord", `Amt \ud800`, 1), "Bad Request"},
		"a control character":          {strings.Replace(request, "Amt Nord", `Amt \u0001`, 1), "Bad Request"},
		"a number of great exponent":   {price("1e400"), "Bad Request"},
		"a number of greater exponent": {price("1e999999999"), "Bad Request"},
		"a number of a million digits": {price(strings.Repeat("9", 1_000_000)), "Bad Request"},
		"no number":                    {price("NaN"), "Bad Request"},
		"a comment":                    {strings.Replace(request, "{", "{/**/", 1), "Bad Request"},
		"nothing":                      {"", "Bad Request"},
		"null":                         {"null", "Bad Request"},
		"an array":                     {"[" + request + "]", "Bad Request"},
		"two texts":                    {request + request, "Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/api/v1/invoice/de/xrechnung/generate", "/api/v1/invoice/de/xrechnung/validate", "/api/v1/invoice/de/validate"} {
				r := f.ask(t, "full", "POST", path, c.body)
				checkContract(t, "POST", path, r)
				var e struct{ Error string }
				if unmarshal(t, r.body, &e); r.status != 400 || e.Error != c.word || len(r.body) > 4<<10 {
					t.Errorf("%s: status %d: %.300s", path, r.status, r.body)
				}
			}
		})
	}
}

// TestGenerate_TakesAByteOrderMark ensures that JSON which begins with a byte order mark, as some editors write it, is read.
func TestGenerate_TakesAByteOrderMark(t *testing.T) {
	f := newReal(t)
	for _, path := range []string{"/api/v1/invoice/de/xrechnung/generate", "/api/v1/invoice/de/xrechnung/validate", "/api/v1/invoice/de/validate"} {
		plain, marked := f.ask(t, "full", "POST", path, exampleRequest(t)), f.ask(t, "full", "POST", path, byteOrderMark+exampleRequest(t))
		if marked.status != 200 || string(marked.body) != string(plain.body) {
			t.Errorf("%s: status %d: %.300s", path, marked.status, marked.body)
		}
	}
}

// TestHostile_Text ensures that any text which JSON can carry and XML allows comes back as it was sent.
func TestHostile_Text(t *testing.T) {
	f := newReal(t)
	for _, text := range []string{`]]>`, `<![CDATA[x]]>`, "\u200fעברית\u200f עם \u200eLTR", "🧾👩🏽\u200d💻", `&amp;&#0;&lt;`, "<!-- -- -->", `"'`, "a\tb\nc\rd", "a\u0085b\u2028c\u00a0d", "\ufdd0", strings.Repeat("ä", 1000)} {
		t.Run(text, func(t *testing.T) {
			body := strings.Replace(exampleRequest(t), `"currency"`, fmt.Sprintf(`"notes": %s, "currency"`, answers.JSON(text)), 1)
			r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", body)
			checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/generate", r)
			if r.status == 400 {
				return
			}
			var a generated
			unmarshal(t, r.body, &a)
			parsed := f.ask(t, "full", "POST", "/api/v1/invoice/parse", fmt.Sprintf(`{"data":%q}`, b64(string(a.Data))))
			var back struct{ Invoice struct{ Notes string } }
			if unmarshal(t, parsed.body, &back); back.Invoice.Notes != text {
				t.Errorf("%q came back as %q (status %d)", text, back.Invoice.Notes, parsed.status)
			}
		})
	}
}

// TestReal_PDF ensures that a PDF that carries an invoice is taken in each form in which documents are sent, by each route that takes them.
func TestReal_PDF(t *testing.T) {
	f := newReal(t)
	r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate", exampleRequest(t))
	var made generated
	unmarshal(t, r.body, &made)
	pdf := carried(string(made.Data))
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n" + pdf + "\r\n--x--\r\n"
	for _, path := range []string{"/api/v1/invoice/parse", "/api/v1/invoice/de/pdf/parse", "/api/v1/invoice/de/xrechnung/parse", "/api/v1/invoice/de/validate",
		"/api/v1/invoice/de/xrechnung/validate"} {
		for mediaType, body := range map[string]string{
			"application/pdf":                 pdf,
			"multipart/form-data; boundary=x": form,
			"application/json":                fmt.Sprintf(`{"filename":"a.pdf","data":%q}`, b64(pdf)),
		} {
			r := f.ask(t, "full", "POST", path, body, "Content-Type", mediaType)
			checkContract(t, "POST", path, r)
			want := `"EXTRACTED_FROM_PDF"`
			if strings.HasSuffix(path, "validate") {
				want = `"carrier":{"pdfA3Declared":false,"checks":[{"code":"CARRIER_PDFA3_DECLARED"`
			}
			if r.status != 200 || !strings.Contains(string(r.body), want) {
				t.Errorf("%s as %s: status %d: %.600s", path, mediaType, r.status, r.body)
			}
		}
	}
}

// TestHostile_Documents ensures that documents which are made to hurt are refused by the parse and validate routes in the contract's shape.
func TestHostile_Documents(t *testing.T) {
	f := newReal(t)
	const ns = `xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"`
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " a%d=''", i)
		}
		return b.String()
	}
	strung, grown := 1<<16, 80<<20 // beyond what readers take upon themselves
	if testing.Short() {
		strung, grown = 1<<8, 1<<20
	}
	bomb := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">`
	for i := range 9 {
		bomb += fmt.Sprintf(`<!ENTITY %c "%s">`, 'b'+i, strings.Repeat(fmt.Sprintf("&%c;", 'a'+i), 10))
	}
	for name, document := range map[string]string{
		"external entity":       `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><Invoice ` + ns + `>&e;</Invoice>`,
		"external DTD":          `<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><Invoice ` + ns + `/>`,
		"parameter entity":      `<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]><Invoice ` + ns + `/>`,
		"billion laughs":        bomb + `]><Invoice ` + ns + `>&j;</Invoice>`,
		"undefined entity":      `<Invoice ` + ns + `>&boom;</Invoice>`,
		"deep elements":         `<Invoice ` + ns + `>` + strings.Repeat("<a>", 30_000) + strings.Repeat("</a>", 30_000) + `</Invoice>`,
		"many attributes":       `<Invoice ` + ns + attributes(100_000) + `/>`,
		"an open tag":           strings.Repeat("<a", 30_000),
		"null bytes":            "<Invoice>\x00</Invoice>",
		"another encoding":      `<?xml version="1.0" encoding="UTF-7"?><Invoice ` + ns + `/>`,
		"a style sheet":         `<?xml-stylesheet href="http://127.0.0.1:1/"?><x/>`,
		"an include":            `<x xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/passwd"/></x>`,
		"a ZIP":                 "PK\x03\x04" + strings.Repeat("\x00", 100),
		"a PDF without invoice": "%PDF-1.7\n%%EOF",
		"a PDF without files":   string(pdfmaker.PDF{}.Bytes()),
		"a PDF that grows":      carried(strings.Repeat(" ", grown)),
		"a PDF of open strings": "%PDF-1.7\n" + strings.Repeat("trailer(", strung),
		"a PDF of itself":       "%PDF-1.7\n1 0 obj 1 0 R endobj xref\n0 0\ntrailer<</Root 1 0 R/Prev 26>>startxref 26",
		"text":                  "hello",
	} {
		t.Run(name, func(t *testing.T) {
			body := fmt.Sprintf(`{"data":%q}`, b64(document))
			for _, path := range []string{"/api/v1/invoice/parse", "/api/v1/invoice/de/xrechnung/parse", "/api/v1/invoice/de/validate", "/api/v1/invoice/de/xrechnung/validate"} {
				started := time.Now()
				r := f.ask(t, "full", "POST", path, body)
				if strings.HasSuffix(path, "validate") {
					if bare := f.ask(t, "full", "POST", path, document, "Content-Type", "text/xml"); bare.status != r.status || string(bare.body) != string(r.body) {
						t.Errorf("%s: bare: status %d: %.300s", path, bare.status, bare.body)
					}
				}
				checkContract(t, "POST", path, r)
				if r.status != 400 && r.status != 422 || bytes.Contains(r.body, []byte("root:")) {
					t.Errorf("%s: status %d after %s: %.300s", path, r.status, time.Since(started), r.body)
				}
			}
		})
	}
}
