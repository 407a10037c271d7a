package operation

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

var isdocFormat = nationalFormat{country: "CZ", token: "isdoc", folder: "isdoc", detection: "ISDOC", version: "6.0.2", rulebook: "isdoc",
	told: map[string][]string{"20-supplements": {"FIELD_NOT_WRITTEN attachments[0].content"}}}

// TestISDOC_InputsGiveTheirGoldens ensures the document of each input, and that schema and rules have nothing against it.
func TestISDOC_InputsGiveTheirGoldens(t *testing.T) {
	isdocFormat.goldens(t, nil)
}

// TestISDOC_InputsComeBack ensures that a written document is read without a rest, and that its invoice gives the same document again.
func TestISDOC_InputsComeBack(t *testing.T) {
	isdocFormat.comesBack(t)
}

// isdocBody is the first input with a JSON merge patch.
func isdocBody(t testing.TB, patch string) []byte {
	t.Helper()
	return isdocFormat.body(t, "01-invoice", patch)
}

// isdocKeyCases has every key for Czechia as a merge patch, with the part of the document where it lands.
var isdocKeyCases = map[string]string{
	`{"countrySpecific":{"ico":"27074358"}}`:                         "<ID>27074358</ID>",
	`{"seller":{"vatId":""},"countrySpecific":{"dic":"CZ27074358"}}`: "<PartyTaxScheme><CompanyID>CZ27074358</CompanyID><TaxScheme>VAT</TaxScheme></PartyTaxScheme>",
	`{"seller":{"vatId":"","registrationNumber":"12345679"},"countrySpecific":{"dic":"CZ7001011234","vatPayer":false},"taxSummary":[{"taxCategoryCode":"O","netAmount":100,"taxAmount":0}],` +
		`"items":[{"description":"A","quantity":1,"unit":"C62","unitPrice":100,"taxCategoryCode":"O","netAmount":100,"taxAmount":0}],"subtotal":100,"total":100}`: "<TaxScheme>TIN</TaxScheme>",
	`{"countrySpecific":{"vatPayer":true}}`:         "<VATApplicable>true</VATApplicable>",
	`{"countrySpecific":{"variableSymbol":"4711"}}`: "<VariableSymbol>4711</VariableSymbol>",
	`{}`: "<VariableSymbol>20260001</VariableSymbol>",
	`{"countrySpecific":{"constantSymbol":"0308"}}`:                                     "<ConstantSymbol>0308</ConstantSymbol>",
	`{"countrySpecific":{"specificSymbol":"99"}}`:                                       "<SpecificSymbol>99</SpecificSymbol>",
	`{"currency":"EUR","countrySpecific":{"exchangeRate":25.10}}`:                       "<CurrRate>25.10</CurrRate><RefCurrRate>1</RefCurrRate>",
	`{"currency":"HUF","countrySpecific":{"exchangeRate":6.2,"exchangeRateUnits":100}}`: "<CurrRate>6.2</CurrRate><RefCurrRate>100</RefCurrRate>",
	`{"countrySpecific":{"uuid":"7B4C5BE0-288C-11D2-8E62-004095452B84"}}`:               "<UUID>7B4C5BE0-288C-11D2-8E62-004095452B84</UUID>",
	`{"countrySpecific":{"national":{"IssuingSystem":"ERP 3"}}}`:                        "<IssuingSystem>ERP 3</IssuingSystem>",
}

// TestISDOC_Keys ensures where each key lands.
func TestISDOC_Keys(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range isdocKeyCases {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: isdocBody(t, patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if got := squeezedXML(answer.Data); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", patch, want, got)
		}
		if slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.FieldNotWritten }) {
			t.Errorf("%s: %+v", patch, answer.Warnings)
		}
	}
}

// TestISDOC_WhatItCannotSayIsTold has members without a place, and what they are warned of with.
func TestISDOC_WhatItCannotSayIsTold(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range map[string]string{
		`{"servicePeriod":{"start":"2026-02-01","end":"2026-02-28"}}`: "INVOICE_SERVICE_PERIOD_NOT_REPRESENTABLE servicePeriod",
		`{"type":"partial"}`:                                                       "DOCUMENT_TYPE_FALLBACK type",
		`{"contractNumber":"S-1"}`:                                                 "FIELD_NOT_WRITTEN contractNumber",
		`{"taxPointDate":"2026-03-01"}`:                                            "FIELD_NOT_WRITTEN deliveryDate",
		`{"seller":{"identifiers":[{"id":"1","schemeId":"0060"}]}}`:                "FIELD_NOT_WRITTEN seller.identifiers[0]",
		`{"seller":{"registrationNumber":"HRB 1","registrationScheme":"0204"}}`:    "FIELD_NOT_WRITTEN seller.registrationScheme",
		`{"seller":{"vatId":"CZ12345678"}}`:                                        "DIC_CHECK_DIGIT seller.vatId",
		`{"buyer":{"vatId":"","registrationNumber":"12345678"}}`:                   "ICO_CHECK_DIGIT buyer.registrationNumber",
		`{"paymentMethods":[{"type":"cash"},{"type":"other"}]}`:                    "FIELD_NOT_WRITTEN paymentMethods[1]",
		`{"paymentMethods":[{"type":"paypal"}]}`:                                   "VALUE_ASSUMED paymentMethods[0].type",
		`{"dueDate":""}`:                                                           "VALUE_ASSUMED dueDate",
		`{"countrySpecific":{"reverseChargeCode":"4"}}`:                            "FIELD_NOT_WRITTEN countrySpecific.reverseChargeCode",
		`{"countrySpecific":{"exchangeRate":25}}`:                                  "FIELD_NOT_WRITTEN countrySpecific.exchangeRate",
		`{"countrySpecific":{"national":{"Tax/Total":"1"}}}`:                       "FIELD_NOT_WRITTEN countrySpecific.national.Tax/Total",
		`{"buyerReference":"R-1"}`:                                                 "FIELD_NOT_WRITTEN buyerReference",
		`{"delivery":{"name":"Sklad","locationId":"1","locationIdScheme":"0060"}}`: "FIELD_NOT_WRITTEN delivery.locationId",
		`{"items":[{"lineId":"1234567890123456789012345678901234567","description":"A","quantity":1,"unit":"C62","unitPrice":10600,"taxRate":21,"netAmount":10600,"taxAmount":2226}],` +
			`"taxSummary":[{"taxRate":21,"netAmount":10600,"taxAmount":2226}],"subtotal":10600,"total":12826}`: "FIELD_TOO_LONG items[0].lineId",
		`{"items":[{"description":"A","quantity":3,"unit":"C62","unitPrice":10,"priceBaseQuantity":3,"taxRate":21,"netAmount":10,"taxAmount":2.1}],` +
			`"taxSummary":[{"taxRate":21,"netAmount":10,"taxAmount":2.1}],"subtotal":10,"total":12.1}`: "DECIMALS_REDUCED items[0].unitPrice",
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: isdocBody(t, patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code+" "+w.Field == want || w.Rule+" "+w.Field == want }) {
			t.Errorf("%s: no %s in %+v", patch, want, answer.Warnings)
		}
	}
	grouped := isdocBody(t, `{"items":[{"description":"Sada","quantity":1,"unit":"C62","unitPrice":100,"netAmount":100,"taxAmount":21,"taxRate":21,"lineSubtype":"GROUP",
		"subItems":[{"description":"A","quantity":1,"unit":"C62","unitPrice":60,"netAmount":60,"taxAmount":12.6,"taxRate":21},
		{"description":"B","quantity":1,"unit":"C62","unitPrice":40,"netAmount":40,"taxAmount":8.4,"taxRate":21}]}],
		"taxSummary":[{"taxRate":21,"netAmount":100,"taxAmount":21}],"subtotal":100,"total":121}`)
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: grouped})
	if err != nil || strings.Count(string(answer.Data), "<InvoiceLine>") != 2 ||
		!slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.GroupNotRepresentable }) {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestISDOC_WhatItLacksIsRefused has what ISDOC demands and the invoice does not say.
func TestISDOC_WhatItLacksIsRefused(t *testing.T) {
	s := shippedService(t, today)
	reversed := isdocFormat.inputs(t)["04-reverse-charge-domestic"]
	for _, c := range []struct {
		body        []byte
		code, field string
	}{
		{isdocBody(t, `{"currency":"EUR"}`), finding.MissingField, "countrySpecific.exchangeRate"},
		{isdocBody(t, `{"type":"credit_note"}`), finding.MissingField, "referencedInvoiceNumber"},
		{isdocBody(t, `{"total":1}`), "BR-CO-15", "total"},
		{isdocBody(t, `{"items":[]}`), "BR-16", "items"},
		{isdocBody(t, `{"taxSummary":[{"taxRate":21,"netAmount":10,"taxAmount":2.1}],"subtotal":10,"total":12.1}`), "LINES_TOTAL", "taxSummary[0].netAmount"},
		{patched(t, reversed, `{"countrySpecific":{"reverseChargeCode":""}}`), finding.MissingField, "countrySpecific.reverseChargeCode"},
	} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: c.body})
		refusal, ok := err.(*finding.Refusal)
		if !ok || len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s %s: %v", c.code, c.field, refusalOf(err))
		}
	}
}

// TestISDOC_RulesFire breaks each rule in a document that is right otherwise.
func TestISDOC_RulesFire(t *testing.T) {
	const first, other, credit = "01-invoice", "10-foreign-currency", "02-credit-note"
	const batch = "<StoreBatches><StoreBatch><Name>A</Name><Quantity unitCode=\"C62\">4</Quantity><BatchOrSerialNumber>B</BatchOrSerialNumber></StoreBatch></StoreBatches></Item>"
	const after = "<BuyersItemIdentification><ID>B-77</ID></BuyersItemIdentification>"
	isdocFormat.rulesFire(t, []brokenRule{
		{"ORIGINAL_DOCUMENT", credit, []string{"<OriginalDocumentReferences><OriginalDocumentReference><ID>FV-2026-0001</ID><IssueDate>2026-03-05</IssueDate></OriginalDocumentReference></OriginalDocumentReferences>", ""}, false},
		{"CURR_MISSING", other, []string{"<LineExtensionAmountCurr>398.30</LineExtensionAmountCurr>", ""}, false},
		{"CURR_MISSING", other, []string{"<TaxInclusiveAmountCurr>602.93</TaxInclusiveAmountCurr><AlreadyClaimedTaxExclusiveAmount>", "<AlreadyClaimedTaxExclusiveAmount>"}, false},
		{"CURR_MISSING", other, []string{"<TaxAmountCurr>104.64</TaxAmountCurr>", ""}, false},
		{"CURR_INCOMPLETE", other, []string{"<PayableAmountCurr>502.96</PayableAmountCurr>", ""}, true},
		{"CURR_UNUSED", first, []string{"</PayableAmount>", "</PayableAmount><PayableAmountCurr>1</PayableAmountCurr>"}, true},
		{"CURR_RATE", first, []string{"<CurrRate>1<", "<CurrRate>2<"}, false},
		{"SAME_CURRENCY", other, []string{"<ForeignCurrencyCode>EUR", "<ForeignCurrencyCode>CZK"}, false},
		{"VAT_APPLICABLE", "09-small-business", []string{"<VATApplicable>false</VATApplicable></ClassifiedTaxCategory>", "<VATApplicable>true</VATApplicable></ClassifiedTaxCategory>"}, false},
		{"BATCH_UNIT", first, []string{after + "</Item>", after + strings.Replace(batch, "<StoreBatches>", "<StoreBatches><StoreBatch><Name>B</Name><Quantity unitCode=\"X\">0</Quantity><BatchOrSerialNumber>B</BatchOrSerialNumber></StoreBatch>", 1)}, false},
		{"BATCH_UNIT_OF_LINE", first, []string{after + "</Item>", after + strings.Replace(batch, "C62", "KGM", 1)}, false},
		{"BATCH_QUANTITY", first, []string{after + "</Item>", after + strings.Replace(batch, ">4<", ">3<", 1)}, false},
		{"SECONDARY_ITEM_ID", first, []string{"<SellersItemIdentification><ID>Z-4</ID></SellersItemIdentification>", "<SecondarySellersItemIdentification><ID>2</ID></SecondarySellersItemIdentification>"}, false},
		{"TERTIARY_ITEM_ID", first, []string{after, "<TertiarySellersItemIdentification><ID>2</ID></TertiarySellersItemIdentification>" + after}, false},
		{"ICO_CHECK_DIGIT", first, []string{"<ID>12345679<", "<ID>12345678<"}, true},
		{"DIC_CHECK_DIGIT", first, []string{"<CompanyID>CZ12345679<", "<CompanyID>CZ12345678<"}, true},
		{"TAX_EXCLUSIVE_TOTAL", first, []string{"<TaxExclusiveAmount>10600.00", "<TaxExclusiveAmount>10700.00"}, true},
		{"TAX_INCLUSIVE_TOTAL", first, []string{"<TaxInclusiveAmount>12772.00", "<TaxInclusiveAmount>12872.00"}, true},
		{"LINES_TOTAL", first, []string{"<LineExtensionAmount>600.00", "<LineExtensionAmount>700.00"}, true},
		{"PAYABLE_AMOUNT", first, []string{"<PayableAmount>12772.00", "<PayableAmount>12872.00"}, true},
	})
}

// TestISDOC_CheckDigits has numbers of companies with the right check digit and with another one.
func TestISDOC_CheckDigits(t *testing.T) {
	isdocFormat.checkDigits(t, "01-invoice", "", "12345679", 2, map[string]bool{"12345679": true, "27074358": true, "25596641": true, "45274649": true, "00006947": true, "25097563": true, "00000000": false,
		"12345678": false, "27074359": false, "25596640": false, "45274648": false, "00006948": false})
}

// TestISDOC_OlderVersions ensures that 6.0 and 6.0.1 are read as what they are, and that a version before is named as one that is not read.
func TestISDOC_OlderVersions(t *testing.T) {
	s := shippedService(t, today)
	for _, version := range []string{"6.0", "6.0.1"} {
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: isdocFormat.golden(t, "01-invoice", `version="6.0.2"`, `version="`+version+`"`)})
		if err != nil || parsed.Format != "ISDOC" || *parsed.Detection.FormatVersion != version || len(parsed.Warnings) != 1 || parsed.Warnings[0].Field != "/Invoice/@version" {
			t.Errorf("%s: %v %+v", version, refusalOf(err), parsed)
		}
	}
	_, err := s.Parse(t.Context(), ParseRequest{Document: isdocFormat.golden(t, "01-invoice", "http://isdoc.cz/namespace/2013", "http://isdoc.cz/namespace/invoice", `version="6.0.2"`, `version="5.3.1"`)})
	if refusal, ok := err.(*finding.Refusal); !ok || !strings.Contains(refusal.Error(), "5.3.1") {
		t.Errorf("5.3.1: %v", err)
	}
}
