package operation

import (
	"bytes"
	"fmt"
	"testing"
)

// navRequest is a request for NAV with so many lines.
func navRequest(lines int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"invoice":{"invoiceNumber":"SZ/1","type":"invoice","issueDate":"2026-03-05","dueDate":"2026-04-04","deliveryDate":"2026-03-03","currency":"HUF",` +
		`"seller":{"name":"Minta Kft.","street":"Váci utca 10","city":"Budapest","postalCode":"1052","countryCode":"HU","taxId":"12345676-2-41","bankAccount":{"iban":"HU42117730161111101800000000"}},` +
		`"buyer":{"name":"Példa Zrt.","street":"Piac utca 3","city":"Debrecen","postalCode":"4024","countryCode":"HU","taxId":"76543212-2-09"},` +
		`"paymentMethods":[{"type":"bank_transfer"}],"countrySpecific":{"countryCode":"HU","customerVatStatus":"DOMESTIC"},"items":[`)
	for i := range lines {
		fmt.Fprintf(&b, `{"position":%d,"description":"Tétel %d","quantity":2,"unit":"C62","unitPrice":50.00,"taxRate":27,"taxCategoryCode":"S","netAmount":100.00,"taxAmount":27.00},`, i+1, i+1)
	}
	b.Truncate(b.Len() - 1)
	fmt.Fprintf(&b, `],"taxSummary":[{"taxRate":27,"taxCategoryCode":"S","netAmount":%d.00,"taxAmount":%d.00}],"subtotal":%[1]d.00,"total":%[3]d.00}}`, 100*lines, 27*lines, 127*lines)
	return b.Bytes()
}

// BenchmarkNAV generates InvoiceData with its self-check: the aim is 0.5 ms for 20 lines, and work that grows as the lines do.
func BenchmarkNAV(b *testing.B) {
	for _, lines := range []int{20, 5_000, 25_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s, body := fullService(b), navRequest(lines)
			steady(b, func() {
				if _, err := s.Generate(b.Context(), GenerateRequest{Country: "hu", Format: "nav", Body: body}); err != nil {
					b.Fatal(refusalOf(err))
				}
			})
		})
	}
}

// BenchmarkNAVParse reads what BenchmarkNAV writes.
func BenchmarkNAVParse(b *testing.B) {
	for _, lines := range []int{20, 25_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s := fullService(b)
			answer, err := s.Generate(b.Context(), GenerateRequest{Country: "hu", Format: "nav", Body: navRequest(lines)})
			if err != nil {
				b.Fatal(refusalOf(err))
			}
			steady(b, func() {
				if _, err := s.Parse(b.Context(), ParseRequest{Document: answer.Data}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
