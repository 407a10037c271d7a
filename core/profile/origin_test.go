package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestOriginalIsTheMemberThatTheCallerSet derives an invoice and asks for the caller's names of canonical members.
func TestOriginalIsTheMemberThatTheCallerSet(t *testing.T) {
	cases := []struct {
		name, in string
		want     map[string]string
	}{
		{"what no step moves", `{"invoiceNumber":"1","seller":{"name":"S"}}`, map[string]string{"invoiceNumber": "invoiceNumber", "seller.name": "seller.name", "items[3].netAmount": "items[3].netAmount", "": ""}},
		{"one of several twins", `{"countrySpecific":{"leitwegId":"1"}}`, map[string]string{"buyerReference": "countrySpecific.leitwegId"}},
		{"the other twin", `{"countrySpecific":{"buyerReference":"1","leitwegId":"2"}}`, map[string]string{"buyerReference": "countrySpecific.buyerReference", "countrySpecific.leitwegId": "countrySpecific.leitwegId"}},
		{"the member itself before its twins", `{"buyerReference":"0","countrySpecific":{"leitwegId":"1"}}`, map[string]string{"buyerReference": "buyerReference"}},
		{"nothing where nothing was set", `{}`, map[string]string{"buyerReference": "buyerReference", "dueDate": "dueDate", "paymentMethods[0].code": "paymentMethods[0].code"}},
		{"members of lines", `{"items":[{"gtin":"1"},{"standardItemId":{"id":"2","schemeId":"0160"}},{},{"gtin":"3"}]}`, map[string]string{
			"items[0].standardItemId.id": "items[0].gtin", "items[1].standardItemId.id": "items[1].standardItemId.id", "items[2].standardItemId.id": "items[2].standardItemId.id",
			"items[3].standardItemId.id": "items[3].gtin", "items[3].standardItemId.schemeId": "items[3].gtin", "items[4].standardItemId.id": "items[4].standardItemId.id",
			"items[].standardItemId.id": "items[].standardItemId.id"}},
		{"lines within lines", `{"profile":"xrechnung-extension","items":[{"gtin":"1","subItems":[{"position":7,"gtin":"2"},{"subItems":[{"lineId":"a","gtin":"3","discount":{"type":"absolute","value":1}}]}]},` +
			`{"subItems":[{"standardItemId":{"id":"4","schemeId":"0160"},"unit":"C62","priceBaseQuantity":1}]}]}`, map[string]string{
			"items[0].standardItemId.id": "items[0].gtin", "items[0].subItems[0].standardItemId.schemeId": "items[0].subItems[0].gtin", "items[0].subItems[0].lineId": "items[0].subItems[0].position",
			"items[0].subItems[1].standardItemId.id": "items[0].subItems[1].standardItemId.id", "items[0].subItems[1].lineId": "items[0].subItems[1].lineId",
			"items[0].subItems[1].subItems[0].standardItemId.id": "items[0].subItems[1].subItems[0].gtin", "items[0].subItems[1].subItems[0].lineId": "items[0].subItems[1].subItems[0].lineId",
			"items[0].subItems[1].subItems[0].allowances[0].amount": "items[0].subItems[1].subItems[0].discount.value",
			"items[1].subItems[0].standardItemId.id":                "items[1].subItems[0].standardItemId.id", "items[1].subItems[0].priceBaseUnit": "items[1].subItems[0].unit",
			"items[1].subItems[0]": "items[1].subItems[0]", "items[1].subItems": "items[1].subItems", "items[1].subItems[9].lineId": "items[1].subItems[9].lineId", "items[2].subItems[0].lineId": "items[2].subItems[0].lineId"}},
		{"the reason of a line within a line", `{"profile":"xrechnung-extension","items":[{"taxCategoryCode":"S","taxRate":19,"subItems":[{"taxCategoryCode":"E","taxRate":0,"taxExemptionReason":"R"}]}],"taxSummary":[{"taxCategoryCode":"E","taxRate":0}]}`,
			map[string]string{"taxSummary[0].exemptionReason": "items[0].subItems[0].taxExemptionReason"}},
		{"lines within lines that are not written", `{"items":[{"subItems":[{"position":7}]}]}`, map[string]string{"items[0].subItems": "items[0].subItems", "items[0].subItems[0].lineId": "items[0].subItems[0].lineId"}},
		{"any line", `{"items":[{},{"gtin":"3"}]}`, map[string]string{"items[].standardItemId.id": "items[].gtin"}},
		{"line numbers and defaults", `{"items":[{"position":7,"description":"D","unit":"C62","priceBaseQuantity":10},{"lineId":"a","description":"D","itemDescription":"E"}]}`, map[string]string{
			"items[0].lineId": "items[0].position", "items[1].lineId": "items[1].lineId", "items[0].itemDescription": "items[0].description", "items[1].itemDescription": "items[1].itemDescription",
			"items[0].priceBaseUnit": "items[0].unit", "items[0].priceBaseQuantity": "items[0].priceBaseQuantity"}},
		{"a discount after allowances", `{"items":[{"allowances":[{"amount":1}],"discount":{"type":"percentage","value":5}}]}`, map[string]string{
			"items[0].allowances[1].amount": "items[0].discount.value", "items[0].allowances[1].percentage": "items[0].discount.value", "items[0].allowances[1].reasonCode": "items[0].discount.type",
			"items[0].allowances[1]": "items[0].discount", "items[0].allowances[0].amount": "items[0].allowances[0].amount", "items[0].allowances[0]": "items[0].allowances[0]"}},
		{"no discount", `{"items":[{"allowances":[{"amount":1}]}]}`, map[string]string{"items[0].allowances[0].amount": "items[0].allowances[0].amount"}},
		{"a note in front of others", `{"notes":"a","noteEntries":[{"text":"b"},{"text":"c","subjectCode":"AAI"}]}`, map[string]string{
			"noteEntries[0].text": "notes", "noteEntries[1].text": "noteEntries[0].text", "noteEntries[2].subjectCode": "noteEntries[1].subjectCode"}},
		{"notes without a note in front", `{"noteEntries":[{"text":"b"}]}`, map[string]string{"noteEntries[0].text": "noteEntries[0].text"}},
		{"a note behind others", `{"notes":"a","noteEntries":[{"text":"b"}],"constructionTax":{"recipientTaxOffice":"Kiel"}}`, map[string]string{
			"noteEntries[0].text": "notes", "noteEntries[1].text": "noteEntries[0].text", "noteEntries[2].text": "constructionTax.recipientTaxOffice"}},
		{"preceding invoices", `{"referencedInvoiceNumber":"1","referencedInvoiceDate":"2026-01-01","referencedInvoices":[{"number":"2"}]}`, map[string]string{
			"referencedInvoices[0].number": "referencedInvoiceNumber", "referencedInvoices[0].date": "referencedInvoiceDate", "referencedInvoices[1].number": "referencedInvoices[0].number"}},
		{"a preceding invoice in both", `{"referencedInvoiceNumber":"1","referencedInvoiceDate":"2026-01-01","referencedInvoices":[{"number":"1"},{"number":"2"}]}`, map[string]string{
			"referencedInvoices[0].number": "referencedInvoices[0].number", "referencedInvoices[0].date": "referencedInvoiceDate", "referencedInvoices[1].number": "referencedInvoices[1].number"}},
		{"parties", `{"customerNumber":"K","seller":{"name":"S","email":"s@a.example","taxId":"1"},"buyer":{"phone":"1","contact":{"email":"b@a.example","department":"D"}}}`, map[string]string{
			"buyer.identifiers[0].id": "customerNumber", "seller.contact.email": "seller.email", "seller.electronicAddress.id": "seller.email", "seller.contact.name": "seller.name",
			"seller.identifiers[0].id": "seller.taxId", "buyer.contact.phone": "buyer.phone", "buyer.contact.email": "buyer.contact.email", "buyer.electronicAddress.schemeId": "buyer.contact.email",
			"buyer.contact.name": "buyer.contact.department"}},
		{"accounts", `{"payee":{"bankAccount":{"iban":"` + ibanDE + `"}},"seller":{"bankAccount":{"iban":"` + ibanNL + `"}},"paymentMethods":[{"type":"cash"},{"type":"credit_transfer"},{"type":"giro","account":{"iban":"` + ibanNL + `"}},{"type":"giro","account":{"id":"1"}}]}`,
			map[string]string{"paymentMethods[1].account.id": "payee.bankAccount.iban", "paymentMethods[2].account.id": "paymentMethods[2].account.iban", "paymentMethods[3].account.id": "paymentMethods[3].account.id",
				"paymentMethods[0].code": "paymentMethods[0].type"}},
		{"the account of the seller and of the buyer", `{"seller":{"bankAccount":{"iban":"` + ibanDE + `"}},"buyer":{"bankAccount":{"iban":"` + ibanNL + `"}},"directDebitMandate":{"mandateId":"M"},"paymentMethods":[{"type":"credit_transfer"}]}`,
			map[string]string{"paymentMethods[0].account.id": "seller.bankAccount.iban", "directDebitMandate.debitAccountId": "buyer.bankAccount.iban"}},
		{"the code of the first method", `{"paymentMethods":[{"type":"credit_transfer"},{"type":"cash"}],"countrySpecific":{"paymentMeansCode":"58"}}`, map[string]string{
			"paymentMethods[0].code": "countrySpecific.paymentMeansCode", "paymentMethods[1].code": "paymentMethods[1].type"}},
		{"the reason of a line's tax group", `{"items":[{"taxRate":19},{"taxCategoryCode":"E","taxRate":0,"taxExemptionReason":"E"},{"taxCategoryCode":"AE","taxRate":0,"taxExemptionReason":"R","taxExemptionReasonCode":"C"}],` +
			`"taxSummary":[{"taxRate":19},{"taxCategoryCode":"AE","taxRate":0},{"taxCategoryCode":"E","taxRate":0}],"countrySpecific":{"isKleinunternehmer":true}}`, map[string]string{
			"taxSummary[1].exemptionReason": "items[2].taxExemptionReason", "taxSummary[1].exemptionReasonCode": "items[2].taxExemptionReasonCode", "taxSummary[2].exemptionReason": "items[1].taxExemptionReason",
			"taxSummary[0].exemptionReasonCode": "taxSummary[0].exemptionReasonCode"}},
		{"a small business", `{"taxSummary":[{"taxCategoryCode":"E","taxRate":0}],"countrySpecific":{"isKleinunternehmer":true}}`, map[string]string{"taxSummary[0].exemptionReason": "countrySpecific.isKleinunternehmer"}},
		{"amounts", `{"currency":"EUR","taxCurrencyCode":"SEK","taxSummary":[{"taxAmount":1}],"countrySpecific":{"exchangeRate":10},"prepayments":[{"amount":1},{"amount":2}]}`, map[string]string{
			"taxSummary[].taxCurrencyTaxAmount": "countrySpecific.exchangeRate", "taxSummary[0].taxCurrencyTaxAmount": "countrySpecific.exchangeRate", "prepaidAmount": "prepayments[0].amount"}},
		{"terms", `{"issueDate":"2026-01-01","paymentTerms":{"dueDays":7},"cashDiscountDays":2,"cashDiscountPercent":3}`, map[string]string{"dueDate": "paymentTerms.dueDays", "paymentTerms.description": "paymentTerms.dueDays"}},
		{"terms of a discount", `{"cashDiscountDays":2,"cashDiscountPercent":3}`, map[string]string{"paymentTerms.description": "cashDiscountPercent"}},
		{"terms of the caller's own", `{"paymentTerms":{"description":"D","earlyPaymentDiscount":{"days":1,"discountPercent":1}}}`, map[string]string{"paymentTerms.description": "paymentTerms.description"}},
		{"the type", `{"type":"invoice"}`, map[string]string{"countrySpecific.invoiceTypeCode": "type"}},
		{"the type as a code", `{"type":"self_billed","countrySpecific":{"invoiceTypeCode":"389"}}`, map[string]string{"countrySpecific.invoiceTypeCode": "countrySpecific.invoiceTypeCode"}},
		{"dates and documents", `{"deliveryDate":"2026-01-01","attachments":[{"filename":"a"},{"filename":"b","reference":"B"}]}`, map[string]string{
			"delivery.date": "deliveryDate", "attachments[0].reference": "attachments[0].filename", "attachments[1].reference": "attachments[1].reference"}},
	}
	p := XRechnung()
	for _, c := range cases {
		d := p.Derive(decode(t, c.in))
		for field, want := range c.want {
			if got := d.Original(field); got != want {
				t.Errorf("%s: %s was %s, want %s", c.name, field, got, want)
			}
		}
	}
}

func TestADraftWithoutAPastGivesEveryNameBack(t *testing.T) {
	for _, d := range []*Draft{{}, (&Profile{Steps: CommonSteps()}).Derive(decode(t, `{"notes":"a"}`)), XRechnung().Restore(decode(t, `{}`), "")} {
		if got := d.Original("noteEntries[1].text"); got != "noteEntries[1].text" {
			t.Error(got)
		}
	}
}

// TestMovesNameMembers holds the paths of all moves and copies against the invoice object.
func TestMovesNameMembers(t *testing.T) {
	leaves := invoice.LeafPaths()
	known := func(path string) bool {
		pattern := parsePlace(path).pattern
		return slices.ContainsFunc(leaves, func(leaf string) bool {
			return leaf == pattern || strings.HasPrefix(leaf, pattern+".")
		})
	}
	for _, s := range XRechnung().Steps {
		for _, m := range slices.Concat(s.Moves, s.Copies) {
			if !known(m.From) || !known(m.To) || m.From == m.To {
				t.Errorf("%s: %s to %s", s.Name, m.From, m.To)
			}
		}
	}
	if known("items[].nothing") || known("item") {
		t.Error("this test knows members that do not exist")
	}
	for _, path := range []string{"nothing", "seller.nothing", "items[].nothing", "items[].allowances[].nothing"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken as a member", path)
				}
			}()
			newTrails([]Step{{Moves: []Move{{From: path, To: "notes"}}}})
		}()
	}
}

func TestPlacesKeepTheirIndexes(t *testing.T) {
	for _, path := range []string{"", "a", "a.b", "a[0]", "a[].b", "a[12].b[].c[3]"} {
		if got := parsePlace(path).String(); got != path {
			t.Errorf("%q comes back as %q", path, got)
		}
	}
}

// BenchmarkDerive measures all steps and the record of what the caller had set.
func BenchmarkDerive(b *testing.B) {
	p := XRechnung()
	for _, lines := range []int{20, 25_000} {
		b.Run(map[int]string{20: "20-lines", 25_000: "25000-lines"}[lines], func(b *testing.B) {
			line := decode(b, `{"items":[{"position":1,"description":"Bolt","gtin":"4012345000009","quantity":4,"unit":"C62","unitPrice":2.5,"taxRate":19,"netAmount":10,"taxAmount":1.9,"attributes":[{"name":"a","value":"b"}]}]}`).Items[0]
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				inv := decode(b, `{"type":"invoice","issueDate":"2026-01-01","currency":"EUR","notes":"a","subtotal":10,"total":11.9,"seller":{"name":"S","email":"s@a.example"},"buyer":{"name":"B"},"taxSummary":[{"taxRate":19}],"paymentTerms":{"dueDays":7}}`)
				inv.Items = slices.Repeat([]invoice.Item{line}, lines)
				b.StartTimer()
				p.Derive(inv)
			}
		})
	}
}
