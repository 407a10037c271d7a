package operation

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
)

// TestKSeFCode_IsThatOfTheFileOfTheInvoice ensures that Polish pages have code I of the FA(3) that generate makes of the same invoice, and rendered
// ones that of the document itself.
func TestKSeFCode_IsThatOfTheFileOfTheInvoice(t *testing.T) {
	s := newService(t)
	body, err := os.ReadFile("../../testdata/countries/pl.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(file.Data)
	want := "https://qr.ksef.mf.gov.pl/invoice/1234563218/05-03-2026/" + base64.RawURLEncoding.EncodeToString(hash[:])
	country, _ := s.formats.Country("PL")
	decoded, err := s.decode(t.Context(), GenerateRequest{Body: body}, country)
	if err != nil {
		t.Fatal(err)
	}
	if code, err := s.ksefCode(t.Context(), country, decoded); err != nil || code.Content != want || code.Below != "OFFLINE" {
		t.Errorf("%+v %v, want %s", code, err, want)
	}
	opened := s.OpenRendering(t.Context(), file.Data)
	defer opened.Release()
	if code := ksefCodeOf(opened, file.Data, decoded.Invoice); code.Content != want {
		t.Errorf("of the document: %+v", code)
	}
	if code, err := s.ksefCode(t.Context(), format.Country{Code: "DE"}, decoded); err != nil || code.Content != "" {
		t.Errorf("in Germany: %+v %v", code, err)
	}
	other := bytes.ReplaceAll(body, []byte("PL1234563218"), []byte("DE123456788")) // whose invoices KSeF does not take
	if decoded, err = s.decode(t.Context(), GenerateRequest{Body: other}, country); err != nil {
		t.Fatal(err)
	}
	if code, err := s.ksefCode(t.Context(), country, decoded); err != nil || code.Content != "" {
		t.Errorf("without an FA(3): %+v %v", code, err)
	}
}

// TestKSeFCode_IsOnThePages ensures that the code is on the pages of generate and render.
func TestKSeFCode_IsOnThePages(t *testing.T) {
	s := newService(t)
	body, err := os.ReadFile("../../testdata/countries/pl.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	printed, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "pdf", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := s.Render(t.Context(), RenderRequest{Document: file.Data})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"generate": printed.Data, "render": rendered.Data} {
		report, err := inspect.Inspect(t.Context(), data)
		if err != nil || !strings.Contains(report.Text, "OFFLINE") || !slices.Contains(report.Alts, "QR KSeF") {
			t.Errorf("%s: %v %q %q", name, err, report.Text, report.Alts)
		}
	}
}
