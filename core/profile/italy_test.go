package profile

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

var italianCases = []stepCase{
	{sentence: "an address of the IPA (EAS 0201) is the code of a public office, and the format of transmission follows", step: italianRecipient,
		in: `{"invoiceNumber":"1","seller":{"countryCode":"IT","vatId":"12345678903"},"buyer":{"countryCode":"IT","electronicAddress":{"schemeId":"0201","id":"UF1234"}},"countrySpecific":{"progressiveNumber":"1"}}`,
		out: `{"invoiceNumber":"1","businessProcess":"FPA12","seller":{"countryCode":"IT","vatId":"IT12345678903"},"buyer":{"countryCode":"IT"},
			"countrySpecific":{"progressiveNumber":"1","recipientCode":"UF1234","taxRegime":"RF01","transmitterId":"IT12345678903"}}`},
	{sentence: "a buyer abroad has the code XXXXXXX, which is told", step: italianRecipient,
		in:   `{"buyer":{"countryCode":"DE"},"countrySpecific":{"progressiveNumber":"1"}}`,
		out:  `{"businessProcess":"FPR12","buyer":{"countryCode":"DE"},"countrySpecific":{"progressiveNumber":"1","recipientCode":"XXXXXXX","taxRegime":"RF01"}}`,
		says: []string{"VALUE_ASSUMED countrySpecific.recipientCode"}},
	{sentence: "a correction that credits is TD04, one that debits TD05", step: italianDocument,
		in: `{"type":"correction","total":-10,"countrySpecific":{"invoiceTypeCode":"384"}}`, out: `{"type":"correction","total":-10,"countrySpecific":{"invoiceTypeCode":"384","documentType":"TD04"}}`},
	{sentence: "what the buyer issues says so", step: italianDocument,
		in: `{"type":"self_billed","countrySpecific":{"invoiceTypeCode":"389"}}`, out: `{"type":"self_billed","countrySpecific":{"invoiceTypeCode":"389","documentType":"TD01","issuedBy":"CC"}}`},
	{sentence: "a negative credit note is written positive", step: italianCredit,
		in:   `{"type":"credit_note","subtotal":-10,"total":-10,"items":[{"quantity":-1,"unitPrice":10,"netAmount":-10}],"countrySpecific":{"documentType":"TD04"}}`,
		out:  `{"type":"credit_note","subtotal":10,"total":10,"items":[{"quantity":1,"unitPrice":10,"netAmount":10}],"countrySpecific":{"documentType":"TD04"}}`,
		says: []string{"CREDIT_NOTE_SIGN_FLIPPED total"}},
	{sentence: "the minus of a quantity is that of the price", step: italianPrices,
		in: `{"items":[{"quantity":-2,"unitPrice":10,"netAmount":-20}]}`, out: `{"items":[{"quantity":2,"unitPrice":-10,"netAmount":-20}]}`, says: []string{"LINE_SIGN_MOVED items[0].quantity"}},
	{sentence: "a price is for one unit, and so is a discount", step: italianPrices,
		in:  `{"items":[{"quantity":3,"unitPrice":100,"priceBaseQuantity":10,"netAmount":20,"allowances":[{"amount":10,"reason":"Sconto"}]}]}`,
		out: `{"items":[{"quantity":3,"unitPrice":10,"netAmount":20,"allowances":[{"amount":3.33333333}]}]}`},
	{sentence: "an allowance of the document is a line of its own (00422)", step: italianCharges,
		in: `{"items":[{"netAmount":100,"taxRate":22,"taxCategoryCode":"S"}],"allowancesCharges":[{"isCharge":false,"amount":5,"taxRate":22,"taxCategoryCode":"S","reasonCode":"95"}]}`,
		out: `{"items":[{"netAmount":100,"taxRate":22,"taxCategoryCode":"S"},{"description":"Sconto","supplyType":"SC","unitPrice":-5,"netAmount":-5,"taxRate":22,"taxCategoryCode":"S"}],
			"allowancesCharges":[{"reasonCode":"95"}]}`},
	{sentence: "the charge that is a pension fund's contribution is no line", step: italianCharges,
		in:  `{"allowancesCharges":[{"isCharge":true,"amount":40,"reason":"Contributo cassa previdenziale TC01"}],"countrySpecific":{"pensionFund":[{"type":"TC01","amount":40}]}}`,
		out: `{"allowancesCharges":[{}],"countrySpecific":{"pensionFund":[{"type":"TC01","amount":40}]}}`},
	{sentence: "reverse charge is N6.9, which is told", step: italianNatures,
		in: `{"items":[{"netAmount":10,"taxRate":0,"taxCategoryCode":"AE"}],"taxSummary":[{"taxRate":0,"taxCategoryCode":"AE","netAmount":10,"taxAmount":0,"exemptionReasonCode":"VATEX-EU-AE"}],"countrySpecific":{}}`,
		out: `{"items":[{"netAmount":10,"taxRate":0,"taxCategoryCode":"AE","natureCode":"N6.9"}],
			"taxSummary":[{"taxRate":0,"taxCategoryCode":"AE","netAmount":10,"taxAmount":0,"natureCode":"N6.9","exemptionReason":"Inversione contabile"}],"countrySpecific":{"vatCollectability":"I"}}`,
		says: []string{"VALUE_ASSUMED items[0].natureCode"}},
	{sentence: "a group whose lines are of two natures is two", step: italianNatures,
		in: `{"items":[{"netAmount":10,"taxRate":0,"taxCategoryCode":"E","natureCode":"N4"},{"netAmount":5,"taxRate":0,"taxCategoryCode":"E","natureCode":"N3.5"}],
			"taxSummary":[{"taxRate":0,"taxCategoryCode":"E","netAmount":15,"taxAmount":0,"exemptionReason":"Perché"}],"countrySpecific":{}}`,
		out: `{"items":[{"netAmount":10,"taxRate":0,"taxCategoryCode":"E","natureCode":"N4"},{"netAmount":5,"taxRate":0,"taxCategoryCode":"E","natureCode":"N3.5"}],
			"taxSummary":[{"taxRate":0,"taxCategoryCode":"E","netAmount":10,"taxAmount":0,"natureCode":"N4","exemptionReason":"Perché"},
			{"taxRate":0,"taxCategoryCode":"E","netAmount":5,"taxAmount":0,"natureCode":"N3.5","exemptionReason":"Perché"}],"countrySpecific":{"vatCollectability":"I"}}`},
	{sentence: "category B is split payment at the ordinary rate", step: italianNatures,
		in:  `{"taxSummary":[{"taxRate":22,"taxCategoryCode":"B","netAmount":10,"taxAmount":2.2}],"countrySpecific":{}}`,
		out: `{"taxSummary":[{"taxRate":22,"taxCategoryCode":"B","netAmount":10,"taxAmount":2.2}],"countrySpecific":{"vatCollectability":"S"}}`},
	{sentence: "the taxes of the Canary Islands are not Italy's", step: italianNatures,
		in:   `{"taxSummary":[{"taxRate":7,"taxCategoryCode":"L","netAmount":10,"taxAmount":0.7}],"countrySpecific":{"vatCollectability":"I"}}`,
		says: []string{"INVALID_VALUE taxSummary[0].taxCategoryCode"}},
	{sentence: "lines are numbered from 1, and a line without a number is", step: italianLines,
		in:  `{"items":[{"position":0,"description":"a"},{"lineId":"A","description":"b","itemDescription":"c"}],"countrySpecific":{}}`,
		out: `{"items":[{"lineId":"1","description":"a"},{"lineId":"2","description":"b - c"}],"countrySpecific":{}}`, says: []string{"FIELD_NOT_WRITTEN items[1].lineId"}},
	{sentence: "a withholding is of every line, unless one says it", step: italianLines,
		in:  `{"items":[{"position":1,"description":"a"},{"position":2,"description":"b","supplyType":"AC"}],"countrySpecific":{"withholding":[{"type":"RT01"}]}}`,
		out: `{"items":[{"lineId":"1","description":"a","withholdingFlag":true},{"lineId":"2","description":"b","supplyType":"AC"}],"countrySpecific":{"withholding":[{"type":"RT01"}]}}`},
	{sentence: "texts are in Latin-1, what is too long is cut, and both are told", step: italianTexts,
		in:   `{"seller":{"name":"Łódź – € S.r.l."},"items":[{"description":"a","unit":"ABCDEFGHIJKL"}]}`,
		out:  `{"seller":{"name":"Lódz - EUR S.r.l."},"items":[{"description":"a","unit":"ABCDEFGHIJ"}]}`,
		says: []string{"TEXT_TRANSLITERATED seller.name", "FIELD_TOO_LONG items[0].unit"}},
	{sentence: "letters that are not Latin are refused", step: italianTexts, in: `{"buyer":{"name":"Ελλάς"}}`, out: `{"buyer":{"name":"Ελλας"}}`, says: []string{"INVALID_CHARACTER buyer.name"}},
	{sentence: "the register number of a company is that of the REA", step: italianParties,
		in:  `{"seller":{"countryCode":"IT","registrationNumber":"MI-1234567","street":"Via Roma 1","additionalStreet":"Scala B"},"countrySpecific":{}}`,
		out: `{"seller":{"countryCode":"IT","street":"Via Roma 1, Scala B"},"countrySpecific":{"rea":{"office":"MI","number":"1234567"}}}`},
	{sentence: "a delivery note without a day has that of issue, which is told", step: italianParties,
		in: `{"issueDate":"2026-03-05","deliveryNote":{"number":"7"}}`, out: `{"issueDate":"2026-03-05","deliveryNote":{"number":"7","date":"2026-03-05"},"countrySpecific":{}}`,
		says: []string{"VALUE_ASSUMED deliveryNote.date"}},
	{sentence: "a means without a code of FatturaPA is MP05, which is told; further ones are alternatives", step: italianMethods,
		in: `{"paymentMethods":[{"code":"1"},{"code":"10"}],"countrySpecific":{}}`, out: `{"paymentMethods":[{"code":"MP05"}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN paymentMethods[1]", "VALUE_ASSUMED paymentMethods[0].type"}},
	{sentence: "the terms of payment are a note", step: italianTerms,
		in: `{"paymentTerms":{"description":"Entro 30 giorni"},"paymentMethods":[{"code":"30"}]}`, out: `{"paymentTerms":{},"noteEntries":[{"text":"Entro 30 giorni"}],"paymentMethods":[{"code":"30"}]}`},
}

// TestItalianSteps ensures what each step makes of an invoice.
func TestItalianSteps(t *testing.T) {
	for _, c := range italianCases {
		t.Run(c.sentence, func(t *testing.T) { checkStep(t, c, c.step.Derive, invoice.Type("")) })
	}
}
