package operation

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// isdocRequest is a request for ISDOC with so many lines.
func isdocRequest(lines int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"invoice":{"invoiceNumber":"FV/1","type":"invoice","issueDate":"2026-03-05","dueDate":"2026-04-04","currency":"CZK",` +
		`"seller":{"name":"Vzor s.r.o.","street":"Prostá 1","city":"Praha","postalCode":"11000","countryCode":"CZ","vatId":"CZ12345679","bankAccount":{"iban":"CZ6508000000192000145399"}},` +
		`"buyer":{"name":"Příklad a.s.","street":"Dlouhá 3","city":"Brno","postalCode":"60200","countryCode":"CZ","vatId":"CZ76543218"},"paymentMethods":[{"type":"bank_transfer"}],"items":[`)
	for i := range lines {
		fmt.Fprintf(&b, `{"position":%d,"description":"Položka %d","quantity":2,"unit":"C62","unitPrice":50.00,"taxRate":21,"taxCategoryCode":"S","netAmount":100.00,"taxAmount":21.00},`, i+1, i+1)
	}
	b.Truncate(b.Len() - 1)
	fmt.Fprintf(&b, `],"taxSummary":[{"taxRate":21,"taxCategoryCode":"S","netAmount":%d.00,"taxAmount":%d.00}],"subtotal":%[1]d.00,"total":%[3]d.00}}`, 100*lines, 21*lines, 121*lines)
	return b.Bytes()
}

// BenchmarkISDOC generates ISDOC with its self-check: the aims are 0.5 ms for 20 lines and 0.5 s for 10,000.
func BenchmarkISDOC(b *testing.B) {
	for _, lines := range []int{20, 10_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s, body := fullService(b), isdocRequest(lines)
			steady(b, func() {
				if _, err := s.Generate(b.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: body}); err != nil {
					b.Fatal(refusalOf(err))
				}
			})
		})
	}
}

// BenchmarkISDOCNational does the same for an invoice with elements in countrySpecific.national.
func BenchmarkISDOCNational(b *testing.B) {
	s := fullService(b)
	body := []byte(strings.Replace(string(isdocRequest(20)), `{"invoice":{`, `{"invoice":{"countrySpecific":{"countryCode":"CZ","national":{"IssuingSystem":"ERP"}},`, 1))
	steady(b, func() {
		if _, err := s.Generate(b.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: body}); err != nil {
			b.Fatal(refusalOf(err))
		}
	})
}
