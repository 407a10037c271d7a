package operation

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestGenerate_TellsWhyAMemberIsNotWritten ensures that a member with a place in the document, which another member has taken or which
// says nothing alone, is not said to have none.
func TestGenerate_TellsWhyAMemberIsNotWritten(t *testing.T) {
	s := newService(t)
	for name, c := range map[string]struct{ members, field, message string }{
		"the number of the buyer beside identifiers": {`"customerNumber":"C-1",`, "customerNumber",
			"customerNumber is not written: buyer.identifiers is given as well, and takes its place"},
		"a national twin of the reference": {`"countrySpecific":{"countryCode":"DE","buyerReference":"x"},`, "countrySpecific.buyerReference",
			"countrySpecific.buyerReference is not written: buyerReference is given as well, and takes its place"},
		"a cash discount beside the one of the terms": {`"paymentTerms":{"earlyPaymentDiscount":{"days":7,"discountPercent":3}},"cashDiscountPercent":2,"cashDiscountDays":14,`,
			"cashDiscountPercent", "cashDiscountPercent is not written: paymentTerms.earlyPaymentDiscount is given as well, and takes its place"},
		"a cash discount without days": {`"cashDiscountPercent":2,`, "cashDiscountPercent",
			"cashDiscountPercent is not written: without cashDiscountDays it is no cash discount"},
		"a date of the despatch advice": {`"deliveryNote":{"number":"1","date":"2026-03-01"},`, "deliveryNote.date",
			"deliveryNote.date is not written: XRechnung has no place for it"},
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.Replace(string(example(t)), `"currency":`, c.members+`"currency":`, 1)
			body = strings.Replace(body, `"name": "Amt Nord",`, `"name": "Amt Nord", "identifiers": [{"id": "B-1"}],`, 1)
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: []byte(body)})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range answer.Warnings {
				if w.Code == finding.FieldNotWritten && w.Field == c.field {
					if w.Message != c.message {
						t.Errorf("%s", w.Message)
					}
					return
				}
			}
			t.Errorf("no warning of %s: %v", c.field, answer.Warnings)
		})
	}
}
