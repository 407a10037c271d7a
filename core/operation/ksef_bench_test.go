package operation

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// ksefRequest is a request for FA(3) with so many lines.
func ksefRequest(lines int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"invoice":{"invoiceNumber":"FV/1","type":"invoice","issueDate":"2026-03-05","dueDate":"2026-04-04","currency":"PLN",` +
		`"seller":{"name":"Przykład Sp. z o.o.","street":"ul. Prosta 1","city":"Warszawa","postalCode":"00-590","countryCode":"PL","vatId":"PL1234563218","bankAccount":{"iban":"PL61109010140000071219812874"}},` +
		`"buyer":{"name":"Wzór S.A.","street":"ul. Długa 3","city":"Kraków","postalCode":"31-147","countryCode":"PL","vatId":"PL9876543210"},"paymentMethods":[{"type":"bank_transfer"}],"items":[`)
	for i := range lines {
		fmt.Fprintf(&b, `{"position":%d,"description":"Pozycja %d","quantity":2,"unit":"C62","unitPrice":50.00,"taxRate":23,"taxCategoryCode":"S","netAmount":100.00,"taxAmount":23.00},`, i+1, i+1)
	}
	b.Truncate(b.Len() - 1)
	fmt.Fprintf(&b, `],"taxSummary":[{"taxRate":23,"taxCategoryCode":"S","netAmount":%d.00,"taxAmount":%d.00}],"subtotal":%[1]d.00,"total":%[3]d.00}}`, 100*lines, 23*lines, 123*lines)
	return b.Bytes()
}

// BenchmarkKSeF generates FA(3) with its self-check: the aims are 0.5 ms for 20 lines and 0.5 s for 10,000.
func BenchmarkKSeF(b *testing.B) {
	for _, lines := range []int{20, 10_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s, body := fullService(b), ksefRequest(lines)
			steady(b, func() {
				if _, err := s.Generate(b.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: body}); err != nil {
					b.Fatal(refusalOf(err))
				}
			})
		})
	}
}

// BenchmarkKSeFNational does the same for an invoice with elements in countrySpecific.national.
func BenchmarkKSeFNational(b *testing.B) {
	s := fullService(b)
	body := []byte(strings.Replace(string(ksefRequest(20)), `{"invoice":{`, `{"invoice":{"countrySpecific":{"countryCode":"PL","national":{"Fa/TP":"1"}},`, 1))
	steady(b, func() {
		if _, err := s.Generate(b.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: body}); err != nil {
			b.Fatal(refusalOf(err))
		}
	})
}
