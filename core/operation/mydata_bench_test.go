package operation

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// myDataRequest is a request for myDATA with so many lines.
func myDataRequest(lines int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"invoice":{"invoiceNumber":"A-1","type":"invoice","issueDate":"2026-03-05","currency":"EUR",` +
		`"seller":{"name":"Παράδειγμα ΑΕ","countryCode":"GR","vatId":"EL123456783","bankAccount":{"iban":"GR1601101250000000012300695"}},` +
		`"buyer":{"name":"Δείγμα ΕΠΕ","street":"Τσιμισκή 3","city":"Θεσσαλονίκη","postalCode":"54624","countryCode":"GR","vatId":"EL987654324"},"paymentMethods":[{"type":"bank_transfer"}],"items":[`)
	for i := range lines {
		fmt.Fprintf(&b, `{"position":%d,"description":"Είδος %d","quantity":2,"unit":"C62","unitPrice":50.00,"taxRate":24,"taxCategoryCode":"S","netAmount":100.00,"taxAmount":24.00},`, i+1, i+1)
	}
	b.Truncate(b.Len() - 1)
	fmt.Fprintf(&b, `],"taxSummary":[{"taxRate":24,"taxCategoryCode":"S","netAmount":%d.00,"taxAmount":%d.00}],"subtotal":%[1]d.00,"total":%[3]d.00}}`, 100*lines, 24*lines, 124*lines)
	return b.Bytes()
}

// BenchmarkMyData generates documents of myDATA with their self-check: the aim is 0.5 ms for 20 lines.
func BenchmarkMyData(b *testing.B) {
	for _, lines := range []int{20, 5_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s, body := fullService(b), myDataRequest(lines)
			steady(b, func() {
				if _, err := s.Generate(b.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: body}); err != nil {
					b.Fatal(refusalOf(err))
				}
			})
		})
	}
}

// BenchmarkMyDataNational does the same for an invoice with elements in countrySpecific.national.
func BenchmarkMyDataNational(b *testing.B) {
	s := fullService(b)
	body := []byte(strings.Replace(string(myDataRequest(20)), `{"invoice":{`,
		`{"invoice":{"countrySpecific":{"countryCode":"GR","national":{"invoice/invoiceHeader/vatPaymentSuspension":"true"}},`, 1))
	steady(b, func() {
		if _, err := s.Generate(b.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: body}); err != nil {
			b.Fatal(refusalOf(err))
		}
	})
}
