package operation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// navBroken breaks rules in documents that are right otherwise.
var navBroken = []brokenRule{
	{"INVALID_INVOICE_NUMBER", "invoice", []string{"<invoiceNumber>SZ", "<invoiceNumber> SZ"}, false},
	{"INVOICE_APPEARANCE_MISMATCH", "simplified", []string{"<completenessIndicator>false", "<completenessIndicator>true"}, false},
	{"INVOICE_COMPLETENESS_MERGED_ITEM_INDICATOR_MISMATCH", "invoice", []string{"<completenessIndicator>false", "<completenessIndicator>true", "<mergedItemIndicator>false", "<mergedItemIndicator>true"}, false},
	{"INVOICE_COMPLETENESS_PRIVATE_PERSON_INDICATOR_MISMATCH", "private-person", []string{"<completenessIndicator>false", "<completenessIndicator>true"}, false},
	{"INVOICE_COMPLETENESS_NOT_ALLOWED", "invoice", []string{"<completenessIndicator>false", "<completenessIndicator>true"}, true},
	{"INVOICE_DELIVERY_DATE_LATE", "invoice", []string{"<invoiceDeliveryDate>2026", "<invoiceDeliveryDate>2032"}, false},
	{"INCORRECT_DATE_INVOICE_DELIVERY_DATE_LATE", "invoice", []string{"<invoiceDeliveryDate>2026", "<invoiceDeliveryDate>2028"}, true},
	{"INCORRECT_HEAD_DATA_MOD_REF_INVOICE_NUMBER", "credit-note", []string{"<originalInvoiceNumber>SZ-2026/0001", "<originalInvoiceNumber>SZ-2026/0002"}, true},
	{"CUSTOMER_INFO_MISSING", "private-person", []string{"<customerInfo><customerVatStatus>PRIVATE_PERSON</customerVatStatus></customerInfo>", ""}, false},
	{"LINE_MODIFICATION_EXPECTED", "credit-note", []string{"<lineModificationReference><lineNumberReference>5</lineNumberReference><lineOperation>CREATE</lineOperation></lineModificationReference>", ""}, false},
	{"LINE_MODIFICATION_NOT_EXPECTED", "invoice", []string{"<lineNumber>1</lineNumber>", "<lineNumber>1</lineNumber><lineModificationReference><lineNumberReference>5</lineNumberReference><lineOperation>CREATE</lineOperation></lineModificationReference>"}, false},
	{"LINE_NUMBER_REFERENCE_NOT_UNIQUE", "correction", []string{"<lineNumberReference>9", "<lineNumberReference>8"}, false},
	{"LINE_SUMMARY_TYPE_MISMATCH_LINE_SIMPLIFIED", "simplified", []string{"<invoiceCategory>SIMPLIFIED", "<invoiceCategory>NORMAL"}, false},
	{"LINE_SUMMARY_TYPE_MISMATCH_SUMMARY_SIMPLIFIED", "simplified", []string{"<invoiceCategory>SIMPLIFIED", "<invoiceCategory>NORMAL"}, false},
	{"LINE_SUMMARY_TYPE_MISMATCH_LINE_NORMAL", "invoice", []string{"<invoiceCategory>NORMAL", "<invoiceCategory>SIMPLIFIED"}, false},
	{"LINE_SUMMARY_TYPE_MISMATCH_SUMMARY_NORMAL", "invoice", []string{"<invoiceCategory>NORMAL", "<invoiceCategory>SIMPLIFIED"}, false},
	{"DOMESTIC_TAXNUMBER_EXPECTED_REVERSE_CHARGE", "reverse-charge", []string{"<customerVatData><customerTaxNumber><base:taxpayerId>76543212</base:taxpayerId><base:vatCode>2</base:vatCode><base:countyCode>09</base:countyCode></customerTaxNumber></customerVatData>", ""}, false},
	{"MISSING_CUSTOMER_DOMESTIC_TAXNUMBER", "reverse-charge", []string{"<customerVatData><customerTaxNumber><base:taxpayerId>76543212</base:taxpayerId><base:vatCode>2</base:vatCode><base:countyCode>09</base:countyCode></customerTaxNumber></customerVatData>", ""}, false},
	{"INCORRECT_SUMMARY_DATA_VAT_PERCENTAGE", "foreign-currency", []string{"<vatRate><vatPercentage>0.27", "<vatRate><vatPercentage>0.18"}, true},
	{"INCORRECT_SUMMARY_DATA_VAT_EXEMPTION", "export", []string{"<vatRate><vatExemption><case>EAM", "<vatRate><vatExemption><case>NAM"}, true},
	{"INCORRECT_SUMMARY_DATA_VAT_OUT_OF_SCOPE", "reverse-charge-eu", []string{"<vatRate><vatOutOfScope><case>EUFAD37", "<vatRate><vatOutOfScope><case>EUFADE"}, true},
	{"INCORRECT_SUMMARY_DATA_VAT_DOMESTIC_REVERSE_CHARGE", "reverse-charge", []string{"<vatRate><vatDomesticReverseCharge>true</vatDomesticReverseCharge>", "<vatRate><noVatCharge>true</noVatCharge>"}, true},
	{"INCORRECT_SUMMARY_DATA_MARGIN_SCHEME_INDICATOR", "margin-scheme", []string{"<vatRate><marginSchemeIndicator>SECOND_HAND", "<vatRate><marginSchemeIndicator>ARTWORK"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_VAT_CONTENT_SUMMARY_SIMPLIFIED", "simplified", []string{"<vatRate><vatContent>0.2126", "<vatRate><vatContent>0.1525"}, true},
	{"LINE_NUMBER_NOT_SEQUENTIAL", "invoice", []string{"<lineNumber>4", "<lineNumber>5"}, false},
	{"INVALID_LINE_OPERATION", "credit-note", []string{"<lineOperation>CREATE", "<lineOperation>MODIFY"}, true},
	{"SUPPLIER_CUSTOMER_MATCH_TAXPAYER", "invoice", []string{"76543212", "12345676"}, true},
	{"SUPPLIER_CUSTOMER_MATCH_BANKACCOUNT", "invoice", []string{"</customerAddress>", "</customerAddress><customerBankAccountNumber>HU42117730161111101800000000</customerBankAccountNumber>"}, true},
	{"SUPPLIER_FISCAL_MATCH_TAXPAYER", "national", []string{"17782201", "12345676"}, true},
	{"SUPPLIER_FISCAL_MATCH_NAME", "national", []string{"Képviselő Zrt.", "Minta Iroda Kft."}, true},
	{"INCORRECT_HEAD_DATA_FISCALREPRESENTATIVE", "national", []string{"<base:countyCode>51", "<base:countyCode>41"}, true},
	{"INCORRECT_VAT_CODE_SUPPLIER", "invoice", []string{"<base:vatCode>2</base:vatCode><base:countyCode>41", "<base:vatCode>4</base:vatCode><base:countyCode>41"}, true},
	{"INCORRECT_VAT_CODE_SUPPLIER_GROUPMEMBER_MISSING", "invoice", []string{"<base:vatCode>2</base:vatCode><base:countyCode>41", "<base:vatCode>5</base:vatCode><base:countyCode>41"}, true},
	{"INCORRECT_HEAD_DATA_SUPPLIER_GROUPMEMBER_TAXPAYERID", "vat-group", []string{"17782201", "12345676"}, true},
	{"INCORRECT_VAT_CODE_SUPPLIER_GROUPMEMBER", "vat-group", []string{"<base:vatCode>4", "<base:vatCode>2"}, true},
	{"INCORRECT_HEAD_DATA_SUPPLIER_COMMUNITY_VAT_NUMBER", "invoice", []string{"<communityVatNumber>HU", "<communityVatNumber>AT"}, true},
	{"INCORRECT_COUNTRY_CODE_SUPPLIERADDRESS", "private-person", []string{"<base:countryCode>HU", "<base:countryCode>AT"}, true},
	{"CUSTOMER_DATA_NOT_EXPECTED", "invoice", []string{"<customerVatStatus>DOMESTIC", "<customerVatStatus>PRIVATE_PERSON"}, false},
	{"CUSTOMER_DATA_EXPECTED", "invoice", []string{"<customerName>Példa Építő Zrt.</customerName>", ""}, false},
	{"CUSTOMER_COMMUNITY_TAXNUMBER_NOT_EXPECTED", "intra-community", []string{"<customerVatStatus>OTHER", "<customerVatStatus>DOMESTIC"}, false},
	{"CUSTOMER_THIRD_STATE_TAXNUMBER_NOT_EXPECTED", "export", []string{"<customerVatStatus>OTHER", "<customerVatStatus>DOMESTIC"}, false},
	{"INCORRECT_HEAD_DATA_CUSTOMER_GROUPMEMBER_TAXNUMBER", "invoice", []string{"<base:vatCode>2</base:vatCode><base:countyCode>09", "<base:vatCode>5</base:vatCode><base:countyCode>09"}, true},
	{"INCORRECT_COUNTY_CODE_SUPPLIER", "invoice", []string{"<base:countyCode>41", "<base:countyCode>21"}, true},
	{"INCORRECT_COUNTY_CODE_SUPPLIER_GROUPMEMBER", "vat-group", []string{"<base:vatCode>4</base:vatCode><base:countyCode>41", "<base:vatCode>4</base:vatCode><base:countyCode>45"}, true},
	{"INVOICE_LINE_MISSING", "invoice", []string{"<invoiceLines>", "<!--", "</invoiceLines>", "-->"}, false},
	{"INCORRECT_HEAD_DATA_CUSTOMER_GROUPMEMBER_TAXPAYERID", "invoice", []string{"<base:vatCode>2</base:vatCode><base:countyCode>09</base:countyCode></customerTaxNumber>", "<base:vatCode>5</base:vatCode><base:countyCode>09</base:countyCode><groupMemberTaxNumber><base:taxpayerId>76543212</base:taxpayerId><base:vatCode>4</base:vatCode><base:countyCode>09</base:countyCode></groupMemberTaxNumber></customerTaxNumber>"}, true},
	{"INCORRECT_COUNTY_CODE_CUSTOMER_GROUPMEMBER", "invoice", []string{"<base:vatCode>2</base:vatCode><base:countyCode>09</base:countyCode></customerTaxNumber>", "<base:vatCode>5</base:vatCode><base:countyCode>09</base:countyCode><groupMemberTaxNumber><base:taxpayerId>17782201</base:taxpayerId><base:vatCode>4</base:vatCode><base:countyCode>45</base:countyCode></groupMemberTaxNumber></customerTaxNumber>"}, true},
	{"INCORRECT_VAT_CODE_FISCALREPRESENTATIVE", "national", []string{"17782201</base:taxpayerId></fiscalRepresentativeTaxNumber>", "17782201</base:taxpayerId><base:vatCode>4</base:vatCode><base:countyCode>08</base:countyCode></fiscalRepresentativeTaxNumber>"}, true},
	{"INCORRECT_COUNTY_CODE_FISCALREPRESENTATIVE", "national", []string{"17782201</base:taxpayerId></fiscalRepresentativeTaxNumber>", "17782201</base:taxpayerId><base:vatCode>2</base:vatCode><base:countyCode>45</base:countyCode></fiscalRepresentativeTaxNumber>"}, true},
	{"INCORRECT_COUNTRY_CODE_FISCALREPRESENTATIVEADDRESS", "national", []string{"<base:countryCode>HU</base:countryCode><base:postalCode>9021", "<base:countryCode>AT</base:countryCode><base:postalCode>9021"}, true},
	{"INCORRECT_LINE_DATA_VAT_STATUS_VAT_DATA_MISMATCH_EUFAD37", "reverse-charge-eu", []string{"<customerVatStatus>OTHER", "<customerVatStatus>DOMESTIC"}, true},
	{"INCORRECT_LINE_DATA_VAT_STATUS_VAT_DATA_MISMATCH_EUFADE", "reverse-charge-eu", []string{"<customerVatStatus>OTHER", "<customerVatStatus>DOMESTIC", "EUFAD37", "EUFADE"}, true},
	{"INCORRECT_COUNTY_CODE_TAXNUMBEROFOBLIGATOR", "invoice", []string{"</invoiceLines>", "</invoiceLines><productFeeSummary><productFeeOperation>REFUND</productFeeOperation><productFeeData><productFeeCode><productCodeCategory>KT</productCodeCategory><productCodeValue>1234567</productCodeValue></productFeeCode><productFeeQuantity>1</productFeeQuantity><productFeeMeasuringUnit>KG</productFeeMeasuringUnit><productFeeRate>1</productFeeRate><productFeeAmount>1</productFeeAmount></productFeeData><productChargeSum>1</productChargeSum><paymentEvidenceDocumentData><evidenceDocumentNo>1</evidenceDocumentNo><evidenceDocumentDate>2026-01-05</evidenceDocumentDate><obligatedName>Másik Kft.</obligatedName><obligatedAddress><base:simpleAddress><base:countryCode>HU</base:countryCode><base:postalCode>9021</base:postalCode><base:city>Győr</base:city><base:additionalAddressDetail>Fő utca 1</base:additionalAddressDetail></base:simpleAddress></obligatedAddress><obligatedTaxNumber><base:taxpayerId>17782201</base:taxpayerId><base:vatCode>2</base:vatCode><base:countyCode>45</base:countyCode></obligatedTaxNumber></paymentEvidenceDocumentData></productFeeSummary>"}, true},
	{"INCORRECT_COUNTY_CODE_CUSTOMER", "invoice", []string{"<base:countyCode>09", "<base:countyCode>01"}, true},
	{"INCORRECT_DATE_INVOICE_DELIVERY_TO_FROM", "aggregate", []string{"<invoiceDeliveryPeriodStart>2026-03-01", "<invoiceDeliveryPeriodStart>2026-05-01"}, true},
	{"INCORRECT_HEAD_DATA_PERIODICAL_SETTLEMENT", "aggregate", []string{"<periodicalSettlement>true</periodicalSettlement>", ""}, true},
	{"INCORRECT_DATE_AGGREGATE_INVOICE_ISSUE_DATE", "aggregate", []string{"<lineDeliveryDate>2026-03-31", "<lineDeliveryDate>2026-04-30"}, true},
	{"INCORRECT_DATE_AGGREGATE_INVOICE_DELIVERY_DATE", "aggregate", []string{"<invoiceDeliveryDate>2026-03-31", "<invoiceDeliveryDate>2026-03-30"}, true},
	{"INCORRECT_HEAD_DATA_CURRENCY_CODE_HUF", "invoice", []string{"<exchangeRate>1<", "<exchangeRate>2<"}, true},
	{"INCORRECT_HEAD_DATA_EXCHANGE_RATE_1", "invoice", []string{"<currencyCode>HUF", "<currencyCode>EUR"}, true},
	{"INCORRECT_HEAD_DATA_EXCHANGERATE_EXTREME", "export", []string{"<exchangeRate>385.67", "<exchangeRate>38567"}, true},
	{"MANDATORY_LINE_CONTENT_MISSING", "invoice", []string{"<lineDescription>Tej</lineDescription>", ""}, false},
	{"INVALID_UNIT_OF_MEASURE_OWN", "invoice", []string{"<unitOfMeasure>LITER</unitOfMeasure>", "<unitOfMeasure>LITER</unitOfMeasure><unitOfMeasureOwn>kancsó</unitOfMeasureOwn>"}, false},
	{"INCORRECT_LINE_DATA_UOM_INCOMPLETE", "invoice", []string{"<unitOfMeasure>LITER", "<unitOfMeasure>OWN"}, true},
	{"INCORRECT_LINE_DATA_SELF_LINE_NUMBER", "invoice", []string{"<lineNumber>4</lineNumber>", "<lineNumber>4</lineNumber><referencesToOtherLines><referenceToOtherLine>4</referenceToOtherLine></referencesToOtherLines>"}, true},
	{"INCORRECT_LINE_DATA_LINE_AMOUNTS_NORMAL_MANDATORY", "simplified", []string{"<invoiceCategory>SIMPLIFIED", "<invoiceCategory>NORMAL"}, true},
	{"INCORRECT_LINE_DATA_LINE_AMOUNTS_SIMPLIFIED_MANDATORY", "invoice", []string{"<invoiceCategory>NORMAL", "<invoiceCategory>SIMPLIFIED"}, true},
	{"INCORRECT_LINE_DATA_AGGREGATE_INV_LINE_DATA_MANDATORY", "invoice", []string{"<invoiceCategory>NORMAL", "<invoiceCategory>AGGREGATE"}, true},
	{"INCORRECT_LINE_DATA_AGGREGATE_INVOICE_LINE_DATA", "aggregate", []string{"<invoiceCategory>AGGREGATE", "<invoiceCategory>NORMAL"}, true},
	{"INVALID_LINE_VAT_RATE_NORMAL", "foreign-currency", []string{"<lineVatRate><vatPercentage>0.27</vatPercentage>", "<lineVatRate><vatContent>0.2126</vatContent>"}, false},
	{"INVALID_SUMMARY_VAT_RATE_NORMAL", "foreign-currency", []string{"<vatRate><vatPercentage>0.27</vatPercentage>", "<vatRate><vatContent>0.2126</vatContent>"}, false},
	{"INVALID_LINE_VAT_RATE_SIMPLIFIED", "simplified", []string{"<lineVatRate><vatContent>0.2126</vatContent>", "<lineVatRate><vatPercentage>0.27</vatPercentage>"}, false},
	{"INVALID_SUMMARY_VAT_RATE_SIMPLIFIED", "simplified", []string{"<vatRate><vatContent>0.2126</vatContent>", "<vatRate><vatPercentage>0.27</vatPercentage>"}, false},
	{"INVALID_VAT_DATA", "foreign-currency", []string{"<vatPercentage>0.27", "<vatPercentage>0.25"}, false},
	{"INVALID_LINE_VAT_EXEMPTION_CODE", "export", []string{"<lineVatRate><vatExemption><case>EAM", "<lineVatRate><vatExemption><case>ATK"}, false},
	{"INVALID_SUMMARY_VAT_EXEMPTION_CODE", "export", []string{"<vatRate><vatExemption><case>EAM", "<vatRate><vatExemption><case>ATK"}, false},
	{"INVALID_LINE_VAT_OUT_OF_SCOPE_CODE", "reverse-charge-eu", []string{"<lineVatRate><vatOutOfScope><case>EUFAD37", "<lineVatRate><vatOutOfScope><case>THK"}, false},
	{"INVALID_SUMMARY_VAT_OUT_OF_SCOPE_CODE", "reverse-charge-eu", []string{"<vatRate><vatOutOfScope><case>EUFAD37", "<vatRate><vatOutOfScope><case>THK"}, false},
	{"INVALID_LINE_VAT_AMOUNT_MISMATCH_CODE", "retention", []string{"<lineVatRate><vatPercentage>0.27</vatPercentage>", "<lineVatRate><vatAmountMismatch><vatRate>0.27</vatRate><case>X</case></vatAmountMismatch>"}, false},
	{"INVALID_LINE_VAT_AMOUNT_MISMATCH_VAT_RATE", "retention", []string{"<lineVatRate><vatPercentage>0.27</vatPercentage>", "<lineVatRate><vatAmountMismatch><vatRate>0.28</vatRate><case>REFUNDABLE_VAT</case></vatAmountMismatch>"}, false},
	{"INVALID_SUMMARY_VAT_AMOUNT_MISMATCH_CODE", "retention", []string{"<vatRate><vatPercentage>0.27</vatPercentage>", "<vatRate><vatAmountMismatch><vatRate>0.27</vatRate><case>X</case></vatAmountMismatch>"}, false},
	{"INVALID_SUMMARY_VAT_AMOUNT_MISMATCH_VAT_RATE", "retention", []string{"<vatRate><vatPercentage>0.27</vatPercentage>", "<vatRate><vatAmountMismatch><vatRate>0.28</vatRate><case>REFUNDABLE_VAT</case></vatAmountMismatch>"}, false},
	{"INCORRECT_LINE_DATA_VAT_DATA_MISMATCH_KBAET", "export", []string{"EAM", "KBAET"}, true},
	{"INCORRECT_LINE_DATA_VAT_STATUS_VAT_DATA_MISMATCH_KBAET", "exempt", []string{"TAM", "KBAET"}, true},
	{"INCORRECT_LINE_DATA_VAT_DATA_MISMATCH_EAM", "exempt", []string{"TAM", "EAM"}, true},
	{"INCORRECT_LINE_DATA_VAT_DATA_MISMATCH_EUFAD37", "reverse-charge-eu", []string{"<communityVatNumber>DE888888888</communityVatNumber>", "<thirdStateTaxId>DE888888888</thirdStateTaxId>"}, true},
	{"INCORRECT_LINE_CALCULATION_NET_AMOUNT", "foreign-currency", []string{"<quantity>3.00", "<quantity>4.00"}, true},
	{"INCORRECT_LINE_CALCULATION_GROSS_AMOUNT", "simplified", []string{"<quantity>3.00", "<quantity>4.00"}, true},
	{"INCORRECT_LINE_CALCULATION_LINE_UNIT_PRICE_HUF", "foreign-currency", []string{"<unitPriceHUF>7", "<unitPriceHUF>8"}, true},
	{"INCORRECT_LINE_CALCULATION_LINE_NET_AMOUNT_HUF", "export", []string{"<lineNetAmountHUF>1", "<lineNetAmountHUF>2"}, true},
	{"INCORRECT_LINE_CALCULATION_LINE_VAT_AMOUNT_HUF", "foreign-currency", []string{"<lineVatAmountHUF>5", "<lineVatAmountHUF>6"}, true},
	{"INCORRECT_LINE_CALCULATION_LINE_GROSS_AMOUNT_NORMAL_HUF", "export", []string{"<lineGrossAmountNormalHUF>1", "<lineGrossAmountNormalHUF>2"}, true},
	{"INCORRECT_LINE_CALCULATION_LINE_GROSS_AMOUNT_SIMPLIFIED_HUF", "simplified", []string{"<lineGrossAmountSimplifiedHUF>2", "<lineGrossAmountSimplifiedHUF>3"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_VAT_RATE_NET_AMOUNT_LINE", "export", []string{"<vatRateNetAmount>3", "<vatRateNetAmount>4"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_VAT_RATE_NET_AMOUNT_HUF_LINE", "export", []string{"<vatRateNetAmountHUF>1", "<vatRateNetAmountHUF>2"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_VAT_RATE_VAT_AMOUNT_SUMMARY", "retention", []string{"<vatRateVatAmount>2", "<vatRateVatAmount>3"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_VAT_RATE_VAT_AMOUNT_HUF_SUMMARY", "retention", []string{"<vatRateVatAmountHUF>2", "<vatRateVatAmountHUF>3"}, true},
	{"INCORRECT_SUMMARY_DATA_VAT_EXEMPTION_NORMAL", "export", []string{"<vatRateVatAmount>0.00", "<vatRateVatAmount>1.00"}, true},
	{"INCORRECT_SUMMARY_DATA_VAT_OUT_OF_SCOPE_NORMAL", "reverse-charge-eu", []string{"<vatRateVatAmount>0.00", "<vatRateVatAmount>1.00"}, true},
	{"INCORRECT_SUMMARY_DATA_VAT_DOMESTIC_REVERSE_CHARGE_NORMAL", "reverse-charge", []string{"<vatRateVatAmount>0.00", "<vatRateVatAmount>1.00"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_VAT_CONTENT_GROSS_AMOUNT_SUMMARY_SIMPLIFIED", "simplified", []string{"<vatContentGrossAmount>2", "<vatContentGrossAmount>3"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_VAT_CONTENT_GROSS_AMOUNT_HUF_SUMMARY_SIMPLIFIED", "simplified", []string{"<vatContentGrossAmountHUF>2", "<vatContentGrossAmountHUF>3"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_NET_AMOUNT", "export", []string{"<invoiceNetAmount>3", "<invoiceNetAmount>4"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_NET_AMOUNT_HUF", "export", []string{"<invoiceNetAmountHUF>1", "<invoiceNetAmountHUF>2"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_VAT_AMOUNT_SUMMARY", "retention", []string{"<invoiceVatAmount>2", "<invoiceVatAmount>3"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_VAT_AMOUNT_HUF_SUMMARY", "retention", []string{"<invoiceVatAmountHUF>2", "<invoiceVatAmountHUF>3"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_GROSS_AMOUNT_SUMMARY", "retention", []string{"<invoiceGrossAmount>1", "<invoiceGrossAmount>2"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_GROSS_AMOUNT_HUF_SUMMARY", "retention", []string{"<invoiceGrossAmountHUF>1", "<invoiceGrossAmountHUF>2"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_GROSS_AMOUNT_LINE", "simplified", []string{"<invoiceGrossAmount>3", "<invoiceGrossAmount>4"}, true},
	{"INCORRECT_SUMMARY_CALCULATION_INVOICE_GROSS_AMOUNT_HUF_LINE", "simplified", []string{"<invoiceGrossAmountHUF>3", "<invoiceGrossAmountHUF>4"}, true},
	{"INCORRECT_SUMMARY_DATA_INVOICE_NET_AMOUNT_HUF", "export", []string{"<invoiceNetAmountHUF>1", "<invoiceNetAmountHUF>2"}, true},
	{"INCORRECT_SUMMARY_DATA_INVOICE_VAT_AMOUNT_HUF", "retention", []string{"<invoiceVatAmountHUF>2", "<invoiceVatAmountHUF>3"}, true},
	{"INCORRECT_SUMMARY_DATA_INVOICE_GROSS_AMOUNT_HUF", "retention", []string{"<invoiceGrossAmountHUF>1", "<invoiceGrossAmountHUF>2"}, true},
	{"INCORRECT_SUMMARY_DATA_INVOICE_NET_AMOUNT", "retention", []string{"<invoiceNetAmount>1", "<invoiceNetAmount>-1"}, true},
	{"INCORRECT_SUMMARY_DATA_INVOICE_GROSS_AMOUNT", "simplified", []string{"<invoiceGrossAmount>3", "<invoiceGrossAmount>-3"}, true},
}

// TestNAV_RulesFire breaks each rule in a document that is right otherwise.
func TestNAV_RulesFire(t *testing.T) {
	navFormat.rulesFire(t, navBroken, "TAXPAYER_ID_CHECK_DIGIT", "CUSTOMER_NOT_IDENTICAL")
	s := shippedService(t, today)
	for name := range navFormat.inputs(t) {
		before, err := s.Validate(t.Context(), navFormat.validation(navFormat.golden(t, name)))
		if err != nil || !before.Valid || len(before.Warnings) > 0 {
			t.Errorf("%s: %v %+v", name, err, before)
		}
	}
}

// TestNAV_CheckDigits has tax numbers with the right check digit and with another one.
func TestNAV_CheckDigits(t *testing.T) {
	navFormat.checkDigits(t, "invoice", "<base:taxpayerId>", "76543212", 1, map[string]bool{"17782201": true, "76543212": true, "10537914": true, "99999999": true, "99887764": true, "10000009": false,
		"12345678": false, "76543210": false, "17782208": false, "99999990": false})
}

// TestParse_NAV2IsRead reads documents of the version before, and writes them as 3.0, which is read as the same invoice.
func TestParse_NAV2IsRead(t *testing.T) {
	s := shippedService(t, today)
	paths, err := filepath.Glob("../format/nav/testdata/2.0/*.xml")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: source})
		if err != nil || parsed.Format != "NAV" || *parsed.Detection.FormatVersion != "2.0" {
			t.Errorf("%s: %v", path, refusalOf(err))
			continue
		}
		for _, w := range parsed.Warnings {
			if !strings.HasSuffix(w.Field, "/electronicInvoiceHash") {
				t.Errorf("%s: %+v", path, w)
			}
		}
		written, err := s.Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, parsed.Invoice)})
		if err != nil {
			t.Errorf("%s: %v", path, refusalOf(err))
			continue
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
		if err != nil || *again.Detection.FormatVersion != "3.0" {
			t.Fatalf("%s: %v", path, err)
		}
		for i := range again.Invoice.Items { // which 3.0 has to say and 2.0 does not
			again.Invoice.Items[i].NatureCode = parsed.Invoice.Items[i].NatureCode
		}
		for i := range again.Invoice.TaxSummary {
			again.Invoice.TaxSummary[i].NatureCode = parsed.Invoice.TaxSummary[i].NatureCode
			if parsed.Invoice.TaxSummary[i].ExemptionReason == "" {
				again.Invoice.TaxSummary[i].ExemptionReason = ""
			}
		}
		if diff := cmp.Diff(parsed.Invoice, again.Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// TestParse_NAVSeveralInvoices ensures that a document that modifies several invoices is read as so many.
func TestParse_NAVSeveralInvoices(t *testing.T) {
	s := shippedService(t, today)
	answer, err := s.Parse(t.Context(), ParseRequest{Document: navBatch(t, "SZ-2026/0001", "SZ-2026/0009")})
	if err != nil || len(answer.Invoices) != 2 || len(answer.Warnings) > 0 {
		t.Fatalf("%v %+v", err, answer)
	}
	if a, b := answer.Invoices[0].ReferencedInvoiceNumber, answer.Invoices[1].ReferencedInvoiceNumber; a != "SZ-2026/0001" || b != "SZ-2026/0009" {
		t.Errorf("%s %s", a, b)
	}
	written, err := s.Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, answer.Invoices[1])})
	if err != nil || !strings.Contains(squeezedXML(written.Data), "<invoiceMain><batchInvoice><batchIndex>2</batchIndex><invoice><invoiceReference>") {
		t.Errorf("%v", refusalOf(err))
	}
}

// navBatch is a document that modifies two invoices, the second like the first but for some texts.
func navBatch(t *testing.T, pairs ...string) []byte {
	t.Helper()
	text := string(navFormat.golden(t, "credit-note"))
	from, to := strings.Index(text, "<invoice>"), strings.Index(text, "</invoiceMain>")
	one := text[from:to]
	return []byte(text[:from] + "<batchInvoice><batchIndex>1</batchIndex>" + one + "</batchInvoice><batchInvoice><batchIndex>2</batchIndex>" +
		strings.NewReplacer(pairs...).Replace(one) + "</batchInvoice>" + text[to:])
}

// TestNAV_BatchesAreOfOneCustomer ensures that a document which modifies invoices of several buyers breaks the rule, and one of one buyer does not.
func TestNAV_BatchesAreOfOneCustomer(t *testing.T) {
	s := shippedService(t, today)
	for other, broken := range map[string]bool{"76543212": false, "17782201": true} {
		a, err := s.Validate(t.Context(), navFormat.validation(navBatch(t, "SZ-2026/0001", "SZ-2026/0009", "76543212", other)))
		if err != nil || fires(a.Errors, "CUSTOMER_NOT_IDENTICAL") != broken {
			t.Errorf("%s: %v %+v", other, err, a)
		}
	}
}
