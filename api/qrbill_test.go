package api

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// newBilling is a fixture over the real operations and the rulebook of the QR-bill.
func newBilling(t testing.TB) *fixture {
	t.Helper()
	book := fstest.MapFS{}
	for _, name := range []string{"manifest.yaml", "rules.sch"} {
		book["qr-bill-2.3/"+name] = &fstest.MapFile{Data: must(os.ReadFile("../rulebooks/books/qr-bill-2.3/" + name))(t)}
	}
	layer := rulebook.Layer{Name: "QR-bill", Open: func() (fs.FS, error) { return book, nil }}
	registry := must(rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{layer}}))(t)
	day := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	operations := must(operation.New(operation.Config{Rulebooks: registry.In, Now: func() time.Time { return day }}))(t)
	return newFixture(t, Config{}, func(d *Deps) { d.Operations = operations })
}

// TestQRBill_OverHTTP generates a QR-bill as JSON and as its lines, and sends the lines to parse, validate and convert in each form of a body.
func TestQRBill_OverHTTP(t *testing.T) {
	f := newBilling(t)
	body := string(must(os.ReadFile("../testdata/qr-bill/03-qr-reference.json"))(t))
	lines := string(must(os.ReadFile("../testdata/qr-bill/03-qr-reference.txt"))(t))
	const path = "/api/v1/invoice/ch/qr-bill/generate"
	there := f.ask(t, "full", "POST", path, body)
	checkContract(t, "POST", path, there)
	var made struct {
		MimeType, Filename string
		Data               []byte
	}
	unmarshal(t, there.body, &made)
	if there.status != 200 || made.MimeType != "text/plain" || made.Filename != "2026-0417-qr-bill.txt" || string(made.Data) != lines {
		t.Fatalf("%d %s", there.status, there.body)
	}
	bare := f.ask(t, "full", "POST", path, body, "Accept", "text/plain")
	checkContract(t, "POST", path, bare)
	if bare.status != 200 || string(bare.body) != lines || bare.header.Get("Content-Type") != "text/plain; charset=utf-8" || bare.header.Get("X-Hash") == "" {
		t.Errorf("%d %v %s", bare.status, bare.header, bare.body)
	}
	if browser := f.ask(t, "full", "POST", path, body, "Accept", "application/json, text/plain, */*"); string(browser.body) != string(there.body) {
		t.Errorf("as clients ask by default: %s", browser.body)
	}
	crlf := strings.ReplaceAll(lines, "\n", "\r\n")
	for name, c := range map[string]struct {
		path, body string
		header     []string
		says       string
	}{
		"parse, lines":            {"/api/v1/invoice/parse", lines, []string{"Content-Type", "text/plain"}, `"format":"QR_BILL"`},
		"parse, CRLF, not told":   {"/api/v1/invoice/parse", crlf, []string{"Content-Type", "application/octet-stream"}, `"format":"QR_BILL"`},
		"parse, base64":           {"/api/v1/invoice/ch/qr-bill/parse", fmt.Sprintf(`{"data":%q,"filename":"a.txt"}`, b64(lines)), nil, `"paymentReference":"210000000003139471430009017"`},
		"validate, lines":         {"/api/v1/invoice/ch/validate", lines, []string{"Content-Type", "text/plain"}, `{"valid":true`},
		"validate, a wrong digit": {"/api/v1/invoice/ch/qr-bill/validate", strings.Replace(lines, "9017", "9018", 1), []string{"Content-Type", "text/plain"}, `"code":"QRR_CHECK"`},
		"convert, lines":          {"/api/v1/invoice/convert?targetFormat=qr-bill", lines, []string{"Content-Type", "text/plain"}, `"conversionWarnings":[]`},
		"convert, to the lines":   {"/api/v1/invoice/convert?targetFormat=qr-bill", lines, []string{"Content-Type", "text/plain", "Accept", "text/plain"}, "SPC\n0200"},
	} {
		r := f.ask(t, "full", "POST", c.path, c.body, c.header...)
		if r.status != 200 || !strings.Contains(string(r.body), c.says) {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	refused := f.ask(t, "full", "POST", path, strings.Replace(body, `"postalCode": "2501",`, "", 1))
	checkContract(t, "POST", path, refused)
	if refused.status != 422 || !strings.Contains(string(refused.body), `"error":"CH_ADDR_004"`) {
		t.Errorf("%d %s", refused.status, refused.body)
	}
}
