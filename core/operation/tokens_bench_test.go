package operation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// BenchmarkGenerate_EveryToken generates the sample of each country with 20 lines, in each of its formats and with the self-check: the
// aims are 0.35 ms for UBL and CII, and 0.5 ms for national formats.
func BenchmarkGenerate_EveryToken(b *testing.B) {
	s := fullService(b)
	for _, country := range s.formats.Countries() {
		for _, token := range country.Tokens {
			if known, _ := s.formats.Token(token); known.JudgedOnly || s.formats.Written(country, token, format.Options{}) == nil {
				continue // such as pdf, which is laid out
			}
			b.Run(country.Code+"/"+token, func(b *testing.B) {
				benchmarkToken(b, s, country.Code, token, "")
			})
			if slices.Contains(selfBilled, country.Code+"/"+token) {
				b.Run(country.Code+"/"+token+"/self-billed", func(b *testing.B) {
					benchmarkToken(b, s, country.Code, token, invoice.TypeSelfBilled)
				})
			}
		}
	}
}

// selfBilled are the formats with a variant for self-billing: one for each family.
var selfBilled = []string{"BE/ubl", "PL/peppol-ubl", "AE/ubl", "AU/ubl", "JP/ubl", "OM/ubl"}

func benchmarkToken(b *testing.B, s *Service, country, token string, as invoice.Type) {
	request := GenerateRequest{Country: country, Format: token, Body: sampleOfLines(b, country, token, 20, as)}
	steady(b, func() {
		if _, err := s.Generate(b.Context(), request); err != nil {
			b.Fatal(err, entriesOf(err))
		}
	})
}

// sampleOfLines is the sample of a country, which has one line, with so many of them; hybrids as XML alone. The type is that of the sample
// where none is given.
func sampleOfLines(t testing.TB, country, token string, lines int, as invoice.Type) []byte {
	t.Helper()
	sample, err := os.ReadFile(filepath.Join(repositoryRoot, samples, strings.ToLower(country)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	body, errs, err := invoice.Decode(sample, invoice.Options{})
	if err != nil || len(errs) > 0 || len(body.Invoice.Items) != 1 || len(body.Invoice.TaxSummary) != 1 {
		t.Fatal(country, errs, err)
	}
	inv, times := body.Invoice, decimal.New(int64(lines), 0)
	if as != "" {
		inv.Type = as
	}
	inv.Items = slices.Repeat(inv.Items, lines)
	group := &inv.TaxSummary[0]
	for _, sum := range []*decimal.Decimal{&inv.Subtotal, &inv.Total, &group.NetAmount, &group.TaxAmount} {
		*sum = sum.Mul(times)
	}
	if token == "zugferd" || token == "facturx" {
		body.FormatOptions = &invoice.FormatOptions{Output: "xml"}
	}
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
