package profile

import (
	"strings"
	"testing"
)

var nationalCases = []stepCase{
	{sentence: "CIUS-PT has a tax currency that is the invoice's (BT-6, DT-CIUS-PT-098)", step: portugueseCurrency,
		in:  `{"currency":"EUR","taxCurrencyCode":"EUR","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":1.00}],"countrySpecific":{}}`,
		out: `{"currency":"EUR","taxCurrencyCode":"EUR","taxSummary":[{"taxAmount":1}],"countrySpecific":{}}`},
	{sentence: "a tax in it that says something else is not written", step: portugueseCurrency,
		in:   `{"currency":"EUR","taxCurrencyCode":"EUR","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":2}],"countrySpecific":{}}`,
		out:  `{"currency":"EUR","taxCurrencyCode":"EUR","taxSummary":[{"taxAmount":1}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN taxSummary[0].taxCurrencyTaxAmount"}},
	{sentence: "CIUS-PT has the VAT in one currency: neither another one (BT-6) nor the tax in it (BT-111)", step: portugueseCurrency,
		in:   `{"currency":"EUR","taxCurrencyCode":"SEK","taxSummary":[{"taxAmount":1},{"taxAmount":1,"taxCurrencyTaxAmount":11}],"countrySpecific":{}}`,
		out:  `{"currency":"EUR","taxSummary":[{"taxAmount":1},{"taxAmount":1}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN taxCurrencyCode", "FIELD_NOT_WRITTEN taxSummary[1].taxCurrencyTaxAmount"}},
	{sentence: "CIUS-PT: an exempt line has its own text of why (BR-CIUS-PT-17), and no other line has one (BR-CIUS-PT-15)", step: portugueseTexts,
		in: `{"items":[{"taxCategoryCode":"E","taxExemptionReason":"Why"},{"taxCategoryCode":"S","taxExemptionReason":"Why"},{"taxCategoryCode":"ISE"}]}`,
		out: `{"items":[{"taxCategoryCode":"E","taxExemptionReason":"Why","attributes":[{"name":"#TAXEXEMPTIONREASON@CLASSIFIEDTAXCATEGORY#","value":"Why"}]},
			{"taxCategoryCode":"S","taxExemptionReason":"Why"},{"taxCategoryCode":"ISE"}]}`},
	{sentence: "CIUS-PT: an exempt line has the code of its group beside its own text", step: portugueseReasons,
		in: `{"items":[{"taxCategoryCode":"E","taxRate":0,"taxExemptionReason":"Why","attributes":[{"name":"#TAXEXEMPTIONREASON@CLASSIFIEDTAXCATEGORY#","value":"Why"}]}],
			"taxSummary":[{"taxCategoryCode":"E","taxRate":0,"exemptionReasonCode":"M99","exemptionReason":"Another"}]}`,
		out: `{"items":[{"taxCategoryCode":"E","taxRate":0,"attributes":[{"name":"#TAXEXEMPTIONREASON@CLASSIFIEDTAXCATEGORY#","value":"Why"},
			{"name":"#TAXEXEMPTIONREASONCODE@CLASSIFIEDTAXCATEGORY#","value":"M99"}]}],"taxSummary":[{"taxCategoryCode":"E","taxRate":0,"exemptionReasonCode":"M99","exemptionReason":"Another"}]}`},
	{sentence: "CIUS-PT: an exempt line without either has what its group has", step: portugueseReasons,
		in:  `{"items":[{"taxCategoryCode":"E","taxRate":0}],"taxSummary":[{"taxCategoryCode":"E","taxRate":0,"exemptionReason":"Why"}]}`,
		out: `{"items":[{"taxCategoryCode":"E","taxRate":0,"attributes":[{"name":"#TAXEXEMPTIONREASON@CLASSIFIEDTAXCATEGORY#","value":"Why"}]}],"taxSummary":[{"taxCategoryCode":"E","taxRate":0,"exemptionReason":"Why"}]}`},
	{sentence: "PINT has no tax currency that is the invoice's (ibr-077)", step: accountedIn("AED", true, true),
		in:   `{"currency":"AED","taxCurrencyCode":"AED","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":1}],"countrySpecific":{}}`,
		out:  `{"currency":"AED","taxSummary":[{"taxAmount":1}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN taxCurrencyCode"}},
	{sentence: "what is stated in the invoice's currency is no tax in that of the country", step: accountedIn("OMR", true, true),
		in:   `{"currency":"EUR","taxCurrencyCode":"EUR","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":2}],"countrySpecific":{"exchangeRate":0.4}}`,
		out:  `{"currency":"EUR","taxCurrencyCode":"OMR","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":0.400}],"countrySpecific":{"exchangeRate":0.4}}`,
		says: []string{"FIELD_NOT_WRITTEN taxSummary[0].taxCurrencyTaxAmount", "FIELD_NOT_WRITTEN taxCurrencyCode"}},
	{sentence: "a tax without a tax currency, in the currency of the country", step: accountedIn("JPY", false, false),
		in:   `{"currency":"JPY","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":2}],"countrySpecific":{}}`,
		out:  `{"currency":"JPY","taxSummary":[{"taxAmount":1}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN taxSummary[0].taxCurrencyTaxAmount"}},
	{sentence: "another tax currency stays for its rule to fire", step: accountedIn("JPY", false, false),
		in: `{"currency":"JPY","taxCurrencyCode":"USD","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":2}],"countrySpecific":{}}`},
	{sentence: "a breakdown in a tax currency without the tax in it has no total to stand under (IBT-111)", step: accountedBreakdown(),
		in:   `{"currency":"EUR","taxCurrencyCode":"JPY","taxSummary":[{"taxAmount":1}],"countrySpecific":{"taxBreakdown":[{"taxAmount":130}]}}`,
		out:  `{"currency":"EUR","taxCurrencyCode":"JPY","taxSummary":[{"taxAmount":1}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN countrySpecific.taxBreakdown"}},
	{sentence: "a breakdown of the caller's own stays", step: accountedBreakdown(),
		in: `{"currency":"EUR","taxCurrencyCode":"JPY","taxSummary":[{"taxAmount":1,"taxCurrencyTaxAmount":130}],"countrySpecific":{"taxBreakdown":[{"taxAmount":130}]}}`},
	{sentence: "PINT OM computes the amounts of a line (BTOM-016, BTOM-017); what differs is told", step: omanLines,
		in:   `{"currency":"OMR","items":[{"netAmount":100,"taxRate":5,"taxAmount":7,"grossAmount":107}]}`,
		out:  `{"currency":"OMR","items":[{"netAmount":100,"taxRate":5,"taxAmount":5.00,"grossAmount":105.00}]}`,
		says: []string{"FIELD_NOT_WRITTEN items[0].taxAmount", "FIELD_NOT_WRITTEN items[0].grossAmount"}},
	{sentence: "PINT OM: amounts that are as computed", step: omanLines,
		in: `{"currency":"OMR","items":[{"netAmount":100,"taxRate":5,"taxAmount":5.00,"grossAmount":105.00}]}`},
	{sentence: "PINT AE computes the amounts of a line in dirhams (BTAE-08, BTAE-10); what differs is told", step: dirhamLines,
		in:   `{"currency":"AED","items":[{"netAmount":100,"taxRate":5,"taxCategoryCode":"S","grossAmount":107}],"countrySpecific":{}}`,
		out:  `{"currency":"AED","items":[{"netAmount":100,"taxRate":5,"taxCategoryCode":"S","taxAmount":5.00,"grossAmount":105.00}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN items[0].grossAmount"}},
	{sentence: "PINT AE has no rule for more than a cent: what the caller states to a part of one stays", step: dirhamLines,
		in:  `{"currency":"AED","items":[{"netAmount":999.375,"taxRate":5,"taxCategoryCode":"S","taxAmount":49.9688,"grossAmount":1049.3438},{"netAmount":10,"taxRate":0,"taxCategoryCode":"Z","taxAmount":0.01}],"countrySpecific":{}}`,
		out: `{"currency":"AED","items":[{"netAmount":999.375,"taxRate":5,"taxCategoryCode":"S","taxAmount":49.9688,"grossAmount":1049.3438},{"netAmount":10,"taxRate":0,"taxCategoryCode":"Z","taxAmount":0.00,"grossAmount":10.00}],"countrySpecific":{}}`},
	{sentence: "PINT OM: a line may state its VAT one baisa off (IBR-168-OM), and another amount in cents is that of the rate", step: omanLines,
		in:  `{"currency":"USD","items":[{"netAmount":22.5,"taxRate":5,"taxAmount":1.126},{"netAmount":22.5,"taxRate":5,"taxAmount":1.13}]}`,
		out: `{"currency":"USD","items":[{"netAmount":22.5,"taxRate":5,"taxAmount":1.126,"grossAmount":23.626},{"netAmount":22.5,"taxRate":5,"taxAmount":1.125,"grossAmount":23.625}]}`},
	{sentence: "PINT JP: a correction of a seller who is not registered is an invoice, which is told", step: nonTaxCode,
		in: `{"type":"correction","countrySpecific":{}}`, out: `{"type":"invoice","countrySpecific":{"invoiceTypeCode":"480"}}`, says: []string{"DOCUMENT_TYPE_FALLBACK type"}},
	{sentence: "what a format without a total without VAT does not say is told", step: sumOfGroups,
		in: `{"subtotal":100,"taxSummary":[{"netAmount":60},{"netAmount":30}]}`, says: []string{"FIELD_NOT_WRITTEN subtotal"}},
	{sentence: "a total without VAT that the groups come to", step: sumOfGroups, in: `{"subtotal":90,"taxSummary":[{"netAmount":60},{"netAmount":30}]}`},
	{sentence: "myDATA states a day of dispatch for goods that are moved alone", step: dispatchDay,
		in: `{"delivery":{"date":"2026-01-02"},"countrySpecific":{}}`, out: `{"delivery":{},"countrySpecific":{}}`, says: []string{"FIELD_NOT_WRITTEN delivery.date"}},
	{sentence: "myDATA: the day on which goods leave", step: dispatchDay, in: `{"delivery":{"date":"2026-01-02"},"countrySpecific":{"mydataInvoiceType":"9.3"}}`},
	{sentence: "NAV: where a document stands among modifications is said of modifications alone", step: navReferences,
		in:  `{"referencedInvoices":[{"number":"1"}],"countrySpecific":{"modificationIndex":2,"lineOffset":4,"modifyWithoutMaster":false}}`,
		out: `{"countrySpecific":{}}`, says: []string{"FIELD_NOT_WRITTEN referencedInvoices[0].number", "FIELD_NOT_WRITTEN countrySpecific.modificationIndex", "FIELD_NOT_WRITTEN countrySpecific.lineOffset"}},
	{sentence: "FA(3): why there is no tax stands for exempt sales alone", step: smallBusinessPL,
		in:   `{"taxSummary":[{"taxCategoryCode":"AE","exemptionReason":"Reverse charge","exemptionReasonCode":"VATEX-EU-AE"},{"taxCategoryCode":"K","exemptionReasonCode":"VATEX-EU-D"}],"countrySpecific":{}}`,
		out:  `{"taxSummary":[{"taxCategoryCode":"AE"},{"taxCategoryCode":"K"}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN taxSummary[0].exemptionReason", "FIELD_NOT_WRITTEN taxSummary[1].exemptionReasonCode"}},
	{sentence: "PINT AE: without an exchange rate there are no amounts in dirhams", step: dirhamLines,
		in:   `{"currency":"USD","items":[{"netAmount":100,"taxRate":5,"taxCategoryCode":"S","taxAmount":7}],"countrySpecific":{}}`,
		out:  `{"currency":"USD","items":[{"netAmount":100,"taxRate":5,"taxCategoryCode":"S"}],"countrySpecific":{}}`,
		says: []string{"FIELD_NOT_WRITTEN items[0].taxAmount"}},
}

var nationalRestoreCases = []stepCase{
	{sentence: "PINT AE: the tax that a line states (BTAE-08) is that of the line", step: lineAmounts,
		in:  `{"items":[{"netAmount":100,"taxRate":5,"taxAmount":7},{"netAmount":100,"taxRate":5}]}`,
		out: `{"items":[{"netAmount":100,"taxRate":5,"taxAmount":7},{"netAmount":100,"taxRate":5,"taxAmount":5.00}]}`},
	{sentence: "PINT AE: amounts of lines in dirhams become those of the invoice's currency", step: dirhamLines,
		in: `{"currency":"USD","items":[{"netAmount":100,"taxRate":5,"taxCategoryCode":"S","taxAmount":18.35,"grossAmount":385.35},
			{"netAmount":100,"taxRate":5,"taxCategoryCode":"S","taxAmount":36.70,"grossAmount":403.70}],"countrySpecific":{"exchangeRate":3.67}}`,
		out: `{"currency":"USD","items":[{"netAmount":100,"taxRate":5,"taxCategoryCode":"S"},
			{"netAmount":100,"taxRate":5,"taxCategoryCode":"S","taxAmount":10.00,"grossAmount":110.00}],"countrySpecific":{"exchangeRate":3.67}}`},
	{sentence: "a breakdown in the tax currency (IBG-38) that comes to the total (IBT-111) gives the taxes of the groups", step: accountedBreakdown(),
		in:  `{"taxSummary":[{"taxCategoryCode":"S","taxRate":10,"taxCurrencyTaxAmount":130}],"countrySpecific":{"taxBreakdown":[{"taxCategoryCode":"S","taxRate":10,"taxAmount":130}]}}`,
		out: `{"taxSummary":[{"taxCategoryCode":"S","taxRate":10,"taxCurrencyTaxAmount":130}],"countrySpecific":{}}`},
	{sentence: "one that does not stands beside the total", step: accountedBreakdown(),
		in: `{"taxSummary":[{"taxCategoryCode":"S","taxRate":10,"taxCurrencyTaxAmount":130}],"countrySpecific":{"taxBreakdown":[{"taxCategoryCode":"S","taxRate":10,"taxAmount":129.99}]}}`},
}

// TestRestore_NationalSteps has what steps of single countries take back.
func TestRestore_NationalSteps(t *testing.T) {
	for _, c := range nationalRestoreCases {
		t.Run(c.step.Name+": "+strings.ReplaceAll(c.sentence, "/", " "), func(t *testing.T) { checkStep(t, c, c.step.Restore, "") })
	}
}

// TestDerive_NationalSteps has what steps of single countries make of an invoice, and what they say of members that they leave out or
// compute.
func TestDerive_NationalSteps(t *testing.T) {
	for _, c := range nationalCases {
		t.Run(c.step.Name+": "+strings.ReplaceAll(c.sentence, "/", " "), func(t *testing.T) { checkStep(t, c, c.step.Derive, "") })
	}
}
