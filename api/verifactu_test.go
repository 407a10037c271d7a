package api

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

const askQR = "POST /api/v1/invoice/es/verifactu-qr"

// TestVerifactuQR_LeadsToTheTaxOffice ensures what the code holds, by a decoder of others: the host for tests with test keys, the page for systems
// that do not send.
func TestVerifactuQR_LeadsToTheTaxOffice(t *testing.T) {
	f := newFixture(t, Config{})
	for _, c := range []struct{ role, path, mode, want string }{
		{"full", "/api/v1/invoice/es/verifactu-qr", "", "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?"},
		{"full", "/api/v1/invoice/ES/verifactu-qr", `,"verifactuMode":true`, "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?"},
		{"full", "/api/v1/invoice/es/verifactu-qr", `,"verifactuMode":false`, "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQRNoVerifactu?"},
		{"live", "/api/v1/invoice/es/verifactu-qr", "", "https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?"},
	} {
		r := f.ask(t, c.role, "POST", c.path, `{"sellerNif":"ESB12345674","invoiceSeries":"A2026-","invoiceNumber":"0042","invoiceDate":"30-06-2026","total":1210.5`+c.mode+`}`)
		if r.status != 200 {
			t.Fatalf("%s: status %d: %s", c.path, r.status, r.body)
		}
		var view qrView
		if err := json.Unmarshal(r.body, &view); err != nil {
			t.Fatal(err)
		}
		if want := c.want + "nif=B12345674&numserie=A2026-0042&fecha=30-06-2026&importe=1210.50"; view.URL != want {
			t.Errorf("%s: %s, want %s", c.path, view.URL, want)
		}
		picture, err := png.Decode(bytes.NewReader(view.PNG))
		if err != nil {
			t.Fatal(err)
		}
		bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
		if err != nil {
			t.Fatal(err)
		}
		read, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
		if err != nil || read.GetText() != view.URL {
			t.Errorf("the picture holds %v (%v), want %s", read, err, view.URL)
		}
		if !strings.HasPrefix(view.SVG, "<svg ") {
			t.Errorf("%s", view.SVG)
		}
	}
}

// TestVerifactuQR_RefusesInvalidInput ensures the word of the contract for each kind of wrong input, and who may ask.
func TestVerifactuQR_RefusesInvalidInput(t *testing.T) {
	f := newFixture(t, Config{})
	const right = `{"sellerNif":"B12345674","invoiceSeries":"","invoiceNumber":"1","invoiceDate":"30-06-2026","total":1}`
	refused := func(code, field, message string) string {
		return `{"error":"INVALID_REQUEST","message":"` + message + `","code":"INVALID_REQUEST","field":"` + field + `","errors":[{"code":"` + code + `","message":"` + message + `","field":"` + field + `"}]}`
	}
	date := "invoiceDate must be a date DD-MM-YYYY"
	total := "total must be a number of at most 12 digits before the point and two after it"
	runScenarios(t, f, []scenario{
		{name: "right", role: "full", do: askQR, body: right, status: 200},
		{name: "no key", do: askQR, body: right, status: 401},
		{name: "another entitlement", role: "italy", do: askQR, body: right, status: 403, want: wordJSON("FORBIDDEN", "Missing entitlement: verifactu:read")},
		{name: "a date of another form", role: "full", do: askQR, body: strings.Replace(right, "30-06-2026", "2026-06-30", 1), status: 400, want: refused("INVALID_VALUE", "invoiceDate", date)},
		{name: "a total that is no number", role: "full", do: askQR, body: strings.Replace(right, `"total":1`, `"total":"1"`, 1), status: 400, want: refused("INVALID_VALUE", "total", total)},
		{name: "three decimals", role: "full", do: askQR, body: strings.Replace(right, `"total":1`, `"total":1.001`, 1), status: 400, want: refused("INVALID_VALUE", "total", total)},
		{name: "a wrong type", role: "full", do: askQR, body: strings.Replace(right, `"invoiceNumber":"1"`, `"invoiceNumber":1`, 1), status: 400, want: refused("INVALID_TYPE", "invoiceNumber", "invoiceNumber: must be a string")},
		{name: "nothing", role: "full", do: askQR, body: "{}", status: 400},
		{name: "no JSON", role: "full", do: askQR, body: "x", status: 400},
		{name: "a list", role: "full", do: askQR, body: "[]", status: 400},
	})
	for _, body := range []string{"", "{}", "x", "[]", `{"total":1e400}`} {
		if r := f.ask(t, "full", "POST", "/api/v1/invoice/es/verifactu-qr", body); !bytes.Contains(r.body, []byte(`"error":"INVALID_REQUEST"`)) {
			t.Errorf("%q: %s", body, r.body)
		}
	}
}
