package operation

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// generateRequest is a request with n lines at two rates.
func generateRequest(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"invoice":{"invoiceNumber":"B-1","type":"invoice","issueDate":"2026-03-02","dueDate":"2026-04-01","currency":"EUR",` +
		`"buyerReference":"04011000-12345-34","seller":{"name":"Hafenwerk GmbH","street":"Kai 1","city":"Hamburg","postalCode":"20457",` +
		`"countryCode":"DE","vatId":"DE123456789","email":"rechnung@hafenwerk.example","phone":"+49 40 123456",` +
		`"bankAccount":{"iban":"DE89370400440532013000"}},"buyer":{"name":"Stadt Musterhausen","city":"Musterhausen","postalCode":"12345",` +
		`"countryCode":"DE","email":"eingang@musterhausen.example"},"paymentMethods":[{"type":"credit_transfer"}],`)
	tax := fmt.Sprintf("%d.%d0", n*19/10, n*19%10)
	fmt.Fprintf(&b, `"subtotal":%d.00,"total":%d.%d0,"taxSummary":[{"taxRate":19,"taxCategoryCode":"S","netAmount":%d.00,"taxAmount":%s}],"items":[`,
		n*10, n*119/10, n*119%10, n*10, tax)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"position":%d,"description":"Schraube M%d × 40, verzinkt","articleNumber":"A-%d","quantity":4.00,"unit":"C62",`+
			`"unitPrice":2.5000,"taxRate":19,"taxCategoryCode":"S","netAmount":10.00,"taxAmount":1.90,"orderLineReference":"%d",`+
			`"attributes":[{"name":"Farbe","value":"silber"}]}`, i+1, i%20, i, i)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

// heapFloor is the memory that a process which answers allocates at least before it is collected, as command has it for the API.
const heapFloor = 64 << 20

// steady measures what a request costs after the first one, which compiles the table of its format and the rulebooks, with the memory
// collected as often as the API does.
func steady(b *testing.B, request func()) {
	b.Helper()
	floor := make([]byte, heapFloor)
	defer runtime.KeepAlive(floor)
	request()
	b.ReportAllocs()
	for b.Loop() {
		request()
	}
}

func BenchmarkGenerate(b *testing.B) {
	benchmarkGenerate(b, newService(b), 20, 1_000, 25_000)
}

// benchmarkGenerate generates invoices with so many lines.
func benchmarkGenerate(b *testing.B, s *Service, sizes ...int) {
	b.Helper()
	for _, lines := range sizes {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			body := generateRequest(lines)
			b.SetBytes(int64(len(body)))
			steady(b, func() {
				if _, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: body}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, lines := range []int{20, 25_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s := newService(b)
			answer, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: generateRequest(lines)})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(answer.Data)))
			steady(b, func() {
				if _, err := s.Parse(context.Background(), ParseRequest{Document: answer.Data}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// benchRulebooks names a folder of rulebooks for the benchmarks of judging, in place of those that ship.
const benchRulebooks = "EINVOICED_BENCH_RULEBOOKS"

// fullService judges by the rulebooks that ship, or by those of the folder.
func fullService(b testing.TB) *Service {
	b.Helper()
	layer := shipped
	if folder := os.Getenv(benchRulebooks); folder != "" {
		layer = rulebook.Layer{Name: "folder", Trusted: true, Open: func() (fs.FS, error) { return os.DirFS(folder), nil }}
	}
	return serviceOf(b, layer, today)
}

// BenchmarkSelfCheck generates with the self-check: the aim is 0.7 ms for an ordinary invoice.
func BenchmarkSelfCheck(b *testing.B) {
	benchmarkGenerate(b, fullService(b), 3, 20, 25_000)
}

// BenchmarkSelfCheckUBL does the same for Peppol BIS, its variant for self-billing, and NLCIUS, with 20 lines: the aim is 0.35 ms.
func BenchmarkSelfCheckUBL(b *testing.B) {
	for _, c := range []struct{ name, country, edit string }{
		{"billing", "be", `"type":"invoice"`}, {"self-billing", "be", `"type":"self_billed"`}, {"nlcius", "nl", `"type":"invoice"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := fullService(b)
			seller := `"countryCode":"` + strings.ToUpper(c.country) + `","registrationNumber":"12345678",`
			body := []byte(strings.NewReplacer(`"type":"invoice"`, c.edit, `"countryCode":"DE",`, seller, `"email":"eingang`, `"street":"Kade 1","vatId":"BE0123456749","email":"eingang`,
				`"currency":"EUR",`, `"currency":"EUR","orderNumber":"1",`).Replace(string(generateRequest(20))))
			steady(b, func() {
				if _, err := s.Generate(context.Background(), GenerateRequest{Country: c.country, Format: "ubl", Body: body}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkSelfCheckCII does the same for the profiles of ZUGFeRD and for XRechnung in CII.
func BenchmarkSelfCheckCII(b *testing.B) {
	for _, c := range []struct{ format, options string }{
		{"xrechnung", `{"syntax":"cii"}`}, {"zugferd", `{"output":"xml","profile":"BASIC"}`}, {"zugferd", `{"output":"xml"}`}, {"zugferd", `{"output":"xml","profile":"EXTENDED"}`},
	} {
		b.Run(c.format+c.options, func(b *testing.B) {
			s := fullService(b)
			body := []byte(strings.Replace(string(generateRequest(20)), `{"invoice":`, `{"formatOptions":`+c.options+`,"invoice":`, 1))
			steady(b, func() {
				if _, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: c.format, Body: body}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkValidate judges documents: the aim is 1 s for 25,000 lines.
func BenchmarkValidate(b *testing.B) {
	for _, lines := range []int{3, 20, 25_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s := fullService(b)
			document := []byte(documentOf(b, generateRequest(lines)))
			b.SetBytes(int64(len(document)))
			steady(b, func() {
				if a, err := s.Validate(context.Background(), ValidateRequest{Country: "de", Document: document}); err != nil || len(a.Results) != 1 {
					b.Fatal(a, err)
				}
			})
		})
	}
}

// BenchmarkConvert converts UBL into CII: the aim for 25,000 lines is 0.8 s without and 1.5 s with the self-check, in 400 MB.
func BenchmarkConvert(b *testing.B) {
	for _, lines := range []int{20, 25_000} {
		for _, check := range []bool{false, true} {
			b.Run(fmt.Sprintf("lines=%d/check=%t", lines, check), func(b *testing.B) {
				s := fullService(b)
				req := ConvertRequest{Document: []byte(documentOf(b, generateRequest(lines))), Options: invoice.ConvertBody{TargetFormat: "xrechnung",
					FormatOptions: &invoice.FormatOptions{Syntax: "cii"}, Validate: &check}}
				b.SetBytes(int64(len(req.Document)))
				steady(b, func() {
					if a, err := s.Convert(context.Background(), req); err != nil || len(a.ConversionWarnings) > 0 {
						b.Fatal(a, err)
					}
				})
			})
		}
	}
}
