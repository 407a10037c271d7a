package operation

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

var navFormat = nationalFormat{country: "HU", token: "nav", folder: "nav", detection: "NAV", version: "3.0", rulebook: "nav",
	told: map[string][]string{"discounts": {"FIELD_NOT_WRITTEN items[1].charges"}, "groups": {"GROUP_NOT_REPRESENTABLE items[0]"},
		"long-texts": {"FIELD_TOO_LONG items[0].description"}}}

// TestGenerate_NAV ensures the document of each input, that schema and rules have nothing against it, and what the caller is warned of.
func TestGenerate_NAV(t *testing.T) {
	navFormat.goldens(t, func(t *testing.T, _ *Service, _ []byte, answer *GenerateAnswer) {
		if answer.Rulebooks[0].Version != "3.0" {
			t.Errorf("judged by %v", answer.Rulebooks)
		}
	})
}

// TestParse_NAVComesBack ensures that a written document is read without a rest, and that its invoice gives the same document again.
func TestParse_NAVComesBack(t *testing.T) {
	navFormat.comesBack(t)
}

// TestParse_NAVKeepsTaxOfCreditsInForints ensures that a tax in forints which is none of the amounts that the rate gives keeps its sign where the others are turned.
func TestParse_NAVKeepsTaxOfCreditsInForints(t *testing.T) {
	s := shippedService(t, today)
	source := navFormat.golden(t, "credit-note", "<vatRateVatAmount>-24300.00", "<vatRateVatAmount>0")
	for range 2 {
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: source})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		written, err := newService(t).Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, parsed.Invoice)})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		if source = written.Data; !strings.Contains(string(source), "<vatRateVatAmountHUF>-24300.00<") {
			t.Fatalf("%s", source)
		}
	}
}

// TestParse_NAVKeepsNumbersWithoutVATCode ensures that the numbers of a group and of its member stay those of the two where one of them lacks its VAT code.
func TestParse_NAVKeepsNumbersWithoutVATCode(t *testing.T) {
	for code, want := range map[string][]string{"5": {"12345676-4-41", "17782201-41"}, "4": {"12345676-41", "17782201-5-41"}} {
		s := newService(t)
		element := "<base:vatCode>" + code + "</base:vatCode>"
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: navFormat.golden(t, "vat-group", element, "")})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		if got := []string{parsed.Invoice.Seller.TaxID, parsed.Invoice.CountrySpecific.GroupTaxNumber}; !slices.Equal(got, want) {
			t.Errorf("without code %s: member and group %q, want %q", code, got, want)
		}
		written, err := s.Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, parsed.Invoice)})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		if got := []string{again.Invoice.Seller.TaxID, again.Invoice.CountrySpecific.GroupTaxNumber}; !slices.Equal(got, want) || strings.Contains(string(written.Data), element) {
			t.Errorf("without code %s: written again as %q, want %q", code, got, want)
		}
	}
}

// navKeyCases has every key of the supplement §3 for Hungary, and those that it lacks, as a merge patch on an input, with the part of the document
// where it lands and the key that it is warned of.
var navKeyCases = []struct{ in, patch, want, warned string }{
	{"invoice", `{"seller":{"taxId":null},"countrySpecific":{"taxNumber":"12345676-2-13"}}`,
		"<supplierTaxNumber><base:taxpayerId>12345676</base:taxpayerId><base:vatCode>2</base:vatCode><base:countyCode>13</base:countyCode></supplierTaxNumber>", ""},
	{"invoice", `{"seller":{"taxId":"12345676-2-41"},"countrySpecific":{"taxNumber":"17782201-2-13"}}`, "<supplierTaxNumber><base:taxpayerId>12345676<", ""},
	{"invoice", `{"seller":{"taxId":null}}`, "<supplierTaxNumber><base:taxpayerId>12345676</base:taxpayerId></supplierTaxNumber><communityVatNumber>HU12345676<", ""},
	{"vat-group", `{}`, "<supplierTaxNumber><base:taxpayerId>17782201</base:taxpayerId><base:vatCode>5</base:vatCode><base:countyCode>41</base:countyCode></supplierTaxNumber>" +
		"<groupMemberTaxNumber><base:taxpayerId>12345676</base:taxpayerId><base:vatCode>4<", ""},
	{"vat-group", `{"seller":{"taxId":"17782201-5-41"},"countrySpecific":{"groupTaxNumber":"12345676-4-41"}}`, "<groupMemberTaxNumber><base:taxpayerId>12345676<", ""},
	{"invoice", `{"countrySpecific":{"customerVatStatus":"DOMESTIC"}}`, "<customerVatStatus>DOMESTIC</customerVatStatus><customerVatData><customerTaxNumber>", ""},
	{"invoice", `{"countrySpecific":{"customerVatStatus":"OTHER"},"buyer":{"taxId":null}}`, "<customerVatStatus>OTHER</customerVatStatus><customerName>", ""},
	{"invoice", `{"countrySpecific":{"customerVatStatus":"PRIVATE_PERSON"}}`, "<customerInfo><customerVatStatus>PRIVATE_PERSON</customerVatStatus></customerInfo>", "buyer.name"},
	{"invoice", `{"countrySpecific":{"customerVatStatus":null}}`, "<customerVatStatus>DOMESTIC<", "countrySpecific.customerVatStatus"},
	{"invoice", `{"countrySpecific":{"customerVatStatus":null},"buyer":{"taxId":null,"vatId":"HU76543212"}}`, "<customerTaxNumber><base:taxpayerId>76543212<", "countrySpecific.customerVatStatus"},
	{"invoice", `{"countrySpecific":{"customerVatStatus":null},"buyer":{"taxId":null,"vatId":"DE888888888","countryCode":"DE"}}`,
		"<customerVatStatus>OTHER</customerVatStatus><customerVatData><communityVatNumber>DE888888888<", "countrySpecific.customerVatStatus"},
	{"invoice", `{"countrySpecific":{"customerVatStatus":null},"buyer":{"taxId":"98-7654321","countryCode":"US"}}`, "<thirdStateTaxId>98-7654321<", "countrySpecific.customerVatStatus"},
	{"invoice", `{"countrySpecific":{"customerVatStatus":null},"buyer":{"taxId":null}}`, "<customerVatStatus>PRIVATE_PERSON</customerVatStatus></customerInfo>", "countrySpecific.customerVatStatus"},
	{"invoice", `{}`, "<invoiceCategory>NORMAL<", ""},
	{"simplified", `{}`, "<vatContent>0.2126</vatContent></lineVatRate><lineGrossAmountSimplified>2476.50</lineGrossAmountSimplified>", ""},
	{"aggregate", `{}`, "<aggregateInvoiceLineData><lineExchangeRate>1</lineExchangeRate><lineDeliveryDate>2026-03-02<", ""},
	{"invoice", `{}`, "<invoiceAppearance>ELECTRONIC<", ""},
	{"invoice", `{"countrySpecific":{"invoiceAppearance":"PAPER"}}`, "<invoiceAppearance>PAPER<", ""},
	{"foreign-currency", `{"countrySpecific":{"exchangeRate":390.5}}`, "<exchangeRate>390.5</exchangeRate>", ""},
	{"foreign-currency", `{"countrySpecific":{"exchangeRate":390.5}}`, "<lineNetAmount>599.97</lineNetAmount><lineNetAmountHUF>234288.29</lineNetAmountHUF>", ""},
	{"foreign-currency", `{"countrySpecific":{"exchangeRate":null},"taxCurrencyCode":"HUF","taxSummary":[{"taxRate":27,"taxCategoryCode":"S","netAmount":1145.97,"taxAmount":309.41,"taxCurrencyTaxAmount":119305.40}]}`,
		"<exchangeRate>385.590</exchangeRate>|<exchangeRate>385.58999", "countrySpecific.exchangeRate"},
	{"invoice", `{"countrySpecific":{"cashAccounting":true}}`, "<cashAccountingIndicator>true<", ""},
	{"invoice", `{"countrySpecific":{"smallBusiness":true}}`, "<smallBusinessIndicator>true<", ""},
	{"small-business", `{}`, "<vatExemption><case>AAM</case><reason>Alanyi adómentes<", ""},
	{"credit-note", `{"countrySpecific":{"modificationIndex":7}}`, "<modificationIndex>7<", ""},
	{"credit-note", `{"countrySpecific":{"modificationIndex":null}}`, "<modificationIndex>1<", "countrySpecific.modificationIndex"},
	{"credit-note", `{"countrySpecific":{"modifyWithoutMaster":true}}`, "<modifyWithoutMaster>true<", ""},
	{"credit-note", `{}`, "<originalInvoiceNumber>SZ-2026/0001</originalInvoiceNumber><modifyWithoutMaster>false<", ""},
	{"credit-note", `{}`, "<lineNumberReference>5</lineNumberReference><lineOperation>CREATE<", ""},
	{"credit-note", `{"countrySpecific":{"lineOffset":null}}`, "<lineNumberReference>1<", "countrySpecific.lineOffset"},
	{"credit-note", `{"countrySpecific":{"cancelsReferencedInvoice":null}}`, "<lineNetAmount>-90000.00<", "countrySpecific.cancelsReferencedInvoice"},
	{"exempt", `{"taxSummary":[{"taxRate":0,"taxCategoryCode":"E","netAmount":160000,"taxAmount":0},{"taxRate":5,"taxCategoryCode":"S","netAmount":30000,"taxAmount":1500}]}`,
		"<vatExemption><case>TAM<", "items[0].natureCode"},
	{"exempt", `{}`, "<vatExemption><case>TAM</case><reason>Adómentes az Áfa tv. 85. § (1) i) alapján<", ""},
	{"exempt", `{"items":[{"description":"a","quantity":1,"unit":"C62","unitPrice":190000,"taxRate":0,"taxCategoryCode":"E","natureCode":"N4","netAmount":160000,"taxAmount":0},{"description":"b","quantity":1,"unit":"C62","unitPrice":30000,"taxRate":5,"netAmount":30000,"taxAmount":1500}]}`,
		"<vatExemption><case>TAM<", "items[0].natureCode"},
	{"reverse-charge", `{}`, "<vatDomesticReverseCharge>true<", ""},
	{"reverse-charge-eu", `{}`, "<vatOutOfScope><case>EUFAD37<", ""},
	{"margin-scheme", `{}`, "<marginSchemeIndicator>SECOND_HAND<", ""},
	{"national", `{}`, "<utilitySettlementIndicator>false<", ""},
	{"national", `{}`, "<advanceData><advanceIndicator>true<", ""},
	{"self-billed", `{}`, "<selfBillingIndicator>true<", ""},
	{"retention", `{}`, "<dataName>X00001_TERMS</dataName><dataDescription>Fizetési feltételek</dataDescription><dataValue>Jóteljesítési visszatartás: 635000.00 HUF (5 % alapja 12700000.00 HUF), esedékes: 2029-03-05.<", ""},
	{"invoice", `{"deliveryDate":null}`, "<invoiceDeliveryDate>2026-03-05<", "deliveryDate"},
}

// TestGenerate_HungarianKeys ensures where each key lands, and that a default which changes tax or routing is told with its key.
func TestGenerate_HungarianKeys(t *testing.T) {
	s, inputs := shippedService(t, today), navFormat.inputs(t)
	for _, c := range navKeyCases {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "hu", Format: "nav", Body: patched(t, inputs[c.in], c.patch)})
		if err != nil {
			t.Errorf("%s %s: %v", c.in, c.patch, refusalOf(err))
			continue
		}
		text := squeezedXML(answer.Data)
		if !slices.ContainsFunc(strings.Split(c.want, "|"), func(want string) bool { return strings.Contains(text, want) }) {
			t.Errorf("%s %s: no %s in %s", c.in, c.patch, c.want, text)
		}
		told := func(w finding.Finding) bool {
			return w.Field == c.warned || c.warned == "" && w.Code == finding.ValueAssumed
		}
		if slices.ContainsFunc(answer.Warnings, told) != (c.warned != "") {
			t.Errorf("%s %s: %+v", c.in, c.patch, answer.Warnings)
		}
	}
}

// TestGenerate_NAVTellsWhatItCannotSay has members without a place, and what they are warned of with.
func TestGenerate_NAVTellsWhatItCannotSay(t *testing.T) {
	s, inputs := shippedService(t, today), navFormat.inputs(t)
	for patch, want := range map[string]string{
		`{"prepaidAmount":1000}`:                                                     "FIELD_NOT_WRITTEN prepaidAmount",
		`{"roundingAmount":0.5}`:                                                     "FIELD_NOT_WRITTEN roundingAmount",
		`{"type":"partial"}`:                                                         "DOCUMENT_TYPE_FALLBACK type",
		`{"payee":{"name":"Faktor Zrt."}}`:                                           "FIELD_NOT_WRITTEN payee.name",
		`{"referencedInvoiceNumber":"1"}`:                                            "FIELD_NOT_WRITTEN referencedInvoiceNumber",
		`{"paymentMethods":[{"type":"cash"},{"type":"other"}]}`:                      "FIELD_NOT_WRITTEN paymentMethods[1]",
		`{"seller":{"identifiers":[{"id":"1","schemeId":"0060"}]}}`:                  "FIELD_NOT_WRITTEN seller.identifiers[0]",
		`{"countrySpecific":{"national":{"invoiceMain/invoice/noSuchElement":"1"}}}`: "FIELD_NOT_WRITTEN countrySpecific.national.invoiceMain/invoice/noSuchElement",
		`{"countrySpecific":{"customerVatStatus":"PRIVATE_PERSON"}}`:                 "FIELD_NOT_WRITTEN buyer.street",
		`{"buyer":{"postalCode":"!"}}`:                                               "FIELD_NOT_WRITTEN buyer.postalCode",
		`{"buyer":{"name":"` + strings.Repeat("Név ", 150) + `"}}`:                   "FIELD_TOO_LONG buyer.name",
		`{"currency":"EUR","countrySpecific":{"exchangeRate":385.12345678}}`:         "DECIMALS_REDUCED countrySpecific.exchangeRate",
		`{"items":[{"description":"a","quantity":3,"unit":"C62","unitPrice":10,"priceBaseQuantity":3,"taxRate":27,"netAmount":10,"taxAmount":2.7,"servicePeriod":{"start":"2026-03-01","end":"2026-03-31"}}],"taxSummary":[{"taxRate":27,"netAmount":10,"taxAmount":2.7}],"subtotal":10,"total":12.7}`: "INVOICE_SERVICE_PERIOD_NOT_REPRESENTABLE items[0].servicePeriod",
		`{"items":[{"description":"a","quantity":3,"unit":"C62","unitPrice":10,"priceBaseQuantity":3,"taxRate":27,"netAmount":10,"taxAmount":2.7}],"taxSummary":[{"taxRate":27,"netAmount":10,"taxAmount":2.7}],"subtotal":10,"total":12.7}`:                                                           "DECIMALS_REDUCED items[0].unitPrice",
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "hu", Format: "nav", Body: patched(t, inputs["invoice"], patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code+" "+w.Field == want }) {
			t.Errorf("%s: no %s in %+v", patch, want, answer.Warnings)
		}
	}
}

// TestGenerate_NAVRefusesWhatItLacks has what NAV demands and the invoice does not say.
func TestGenerate_NAVRefusesWhatItLacks(t *testing.T) {
	s, inputs := shippedService(t, today), navFormat.inputs(t)
	for _, c := range []struct{ in, patch, code, field string }{
		{"invoice", `{"seller":{"taxId":null,"vatId":"DE888888888"}}`, finding.MissingField, "seller.taxId"},
		{"invoice", `{"buyer":{"taxId":null}}`, finding.MissingField, "buyer.taxId"},
		{"invoice", `{"buyer":{"street":null}}`, finding.MissingField, "buyer.street"},
		{"invoice", `{"currency":"EUR"}`, finding.MissingField, "countrySpecific.exchangeRate"},
		{"invoice", `{"currency":"EUR","countrySpecific":{"exchangeRate":-1}}`, finding.OutOfRange, "countrySpecific.exchangeRate"},
		{"invoice", `{"type":"proforma"}`, finding.TypeNotPermitted, "type"},
		{"invoice", `{"countrySpecific":{"customerVatStatus":"FOREIGN"}}`, finding.InvalidValue, "countrySpecific.customerVatStatus"},
		{"invoice", `{"countrySpecific":{"invoiceCategory":"SPECIAL"}}`, finding.InvalidValue, "countrySpecific.invoiceCategory"},
		{"invoice", `{"countrySpecific":{"invoiceAppearance":"FAX"}}`, finding.InvalidValue, "countrySpecific.invoiceAppearance"},
		{"invoice", `{"countrySpecific":{"groupTaxNumber":"1"}}`, finding.InvalidValue, "countrySpecific.groupTaxNumber"},
		{"exempt", `{"items":[{"description":"a","quantity":1,"unit":"C62","unitPrice":190000,"taxRate":7,"taxCategoryCode":"L","netAmount":190000,"taxAmount":13300}]}`, finding.InvalidValue, "items[0].taxCategoryCode"},
		{"credit-note", `{"referencedInvoiceNumber":null}`, finding.MissingField, "referencedInvoiceNumber"},
		{"invoice", `{"items":[{"description":"a","quantity":1,"unit":"C62","unitPrice":100,"taxRate":19,"netAmount":100,"taxAmount":19}],"taxSummary":[{"taxRate":19,"netAmount":100,"taxAmount":19}],"subtotal":100,"total":119}`, "INVALID_VAT_DATA", ""},
		{"invoice", `{"invoiceNumber":"` + strings.Repeat("9", 51) + `"}`, finding.SchemaViolation, "invoiceNumber"},
	} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "hu", Format: "nav", Body: patched(t, inputs[c.in], c.patch)})
		refusal, is := errors.AsType[*finding.Refusal](err)
		if !is || len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || c.field != "" && refusal.Errors[0].Field != c.field {
			t.Errorf("%s %s: %v", c.in, c.patch, refusalOf(err))
		}
	}
}

// TestConvert_NAVToUBLAndBack ensures that a document goes to UBL, and that what UBL has no place for is told.
func TestConvert_NAVToUBLAndBack(t *testing.T) {
	s, off := shippedService(t, today), false
	source, err := os.ReadFile(filepath.Join("../../testdata/nav", "invoice.xml"))
	if err != nil {
		t.Fatal(err)
	}
	there, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "AT", TargetFormat: "ubl", Validate: &off}})
	if err != nil || there.SourceFormat != "nav" && there.SourceFormat != "NAV" || !slices.ContainsFunc(there.ConversionWarnings, func(w finding.Finding) bool {
		return strings.HasPrefix(w.Field, "/InvoiceData/") || strings.HasPrefix(w.Field, "countrySpecific.")
	}) {
		t.Fatalf("%v %+v", err, there)
	}
	back, err := s.Convert(t.Context(), ConvertRequest{Document: there.Data, Options: invoice.ConvertBody{TargetFormat: "nav"}})
	if err != nil || !strings.Contains(string(back.Data), "<lineDescription>Irodai szék</lineDescription>") {
		t.Errorf("%v %+v", refusalOf(err), back)
	}
}
