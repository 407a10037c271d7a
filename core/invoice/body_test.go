package invoice

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// lineJSON is a line as a shop sends it.
func lineJSON(i int) string {
	return fmt.Sprintf(`{"position":%d,"description":"Widget, galvanised, size %d","itemDescription":"Delivered as agreed on the phone; packed by dozens, pallet %d","articleNumber":"W-%06d","gtin":"4012345678901","orderLineReference":"%d","classification":[{"id":"65434568","schemeId":"STI"}],"attributes":[{"name":"colour","value":"galvanised steel"}],"quantity":%d.5,"unit":"C62","unitPrice":12.3450,"priceBaseQuantity":1,"taxRate":19.0,"taxCategoryCode":"S","netAmount":%d.17,"taxAmount":%d.03,"grossAmount":%d.20}`,
		i, i%40, i/12, i, i, i%97, i*7%5000, i%900, i*7%5000)
}

// bodyJSON is a generate body of n lines: about 480 bytes a line.
func bodyJSON(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"templateId":"","formatOptions":{"profile":"EN16931"},"invoice":{"invoiceNumber":"R-2026-0815","type":"invoice","issueDate":"2026-11-20","dueDate":"2026-12-20",` +
		`"currency":"EUR","subtotal":1000.00,"total":1190.00,"taxSummary":[{"taxRate":19,"taxCategoryCode":"S","netAmount":1000.00,"taxAmount":190.00}],` +
		`"seller":{"name":"Musterfirma GmbH","street":"Hauptstra\u00dfe 1","city":"Berlin","postalCode":"10115","countryCode":"DE","vatId":"DE123456789","bankAccount":{"iban":"DE89370400440532013000"}},` +
		`"buyer":{"name":"K\u00e4ufer AG","city":"Hamburg","postalCode":"20095","countryCode":"DE"},"paymentMethods":[{"type":"credit_transfer"}],"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(lineJSON(i))
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// nested gives an invoice whose only item has levels of subItems below it.
func nested(levels int) []byte {
	return []byte(`{"items":[` + strings.Repeat(`{"subItems":[`, levels) + `{}` + strings.Repeat(`]}`, levels) + `]}`)
}

// TestDecode_BareInvoice ensures that a body which is an invoice without the object around it is told so, and another is not.
func TestDecode_BareInvoice(t *testing.T) {
	for body, want := range map[string]bool{
		`{"invoiceNumber":"R-1","items":[{"quantity":1}]}`: true, `{"number":"R-1"}`: false, `{}`: false,
	} {
		_, errs, err := Decode([]byte(body), Options{})
		if err != nil || len(errs) != 1 || errs[0].Field != "invoice" || strings.Contains(errs[0].Message, "is an invoice itself") != want {
			t.Errorf("%s: %v %+v", body, err, errs)
		}
	}
}
