package nav

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

type (
	row   = m.Row[invoice.Invoice]
	scope = m.Scope[invoice.Invoice]
)

// Table is the one place where a business term meets its element of InvoiceData 3.0. Fields are those of the canonical invoice (see
// profile.NAV); the compiler puts elements into schema order.
var Table = table(invoicePath, newest)

// The paths of an invoice below the document element: alone, and as one of those that a document modifies together.
const (
	invoicePath = "invoiceMain/invoice"
	batchPath   = "invoiceMain/batchInvoice/invoice"
)

// edition is what versions have in other places.
type edition struct {
	namespace, base string
	order           map[string]string
	document        []row
	customer        []row
	line            []row
	rates           func(taxes) []row
	simplified      func(path string, of taxes) row
}

var newest = edition{
	namespace: Namespace, base: baseNamespace, order: elementorder.NAV(),
	document: []row{{Path: "completenessIndicator", Computed: computed(always("false"))}},
	customer: []row{
		{Field: "countrySpecific.customerVatStatus", Path: "customerVatStatus", Type: m.Code},
		{Term: "BT-48", Path: "customerVatData", Rows: []row{
			{Term: "BT-48", Field: "buyer.taxId", Path: "customerTaxNumber", When: domestic, Split: taxNumber, Rows: taxParts()},
			{Term: "BT-48", Field: "buyer.vatId", Path: "communityVatNumber", Type: m.Identifier, When: foreign, Convert: communityNumber},
			{Term: "BT-48", Path: "thirdStateTaxId", When: thirdState, Codec: thirdStateNumber},
		}},
	},
	rates: ratesNow,
	simplified: func(path string, of taxes) row {
		return row{Path: path, Rows: ratesNow(of)}
	},
}

// table makes the table of a version, for invoices at a path.
func table(path string, of edition) m.Table[invoice.Invoice] {
	return m.Table[invoice.Invoice]{
		Elements:   []m.Element{{Name: "InvoiceData", Namespace: of.namespace}},
		Editions:   []m.Edition{{}}, // one
		Namespaces: map[string]string{"base": of.base},
		Lines:      "items[]",
		Order:      of.order,
		Silent:     silent,
		Rows: slices.Concat([]row{
			{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "invoiceNumber", Type: m.Identifier},
			{Term: "BT-2", Card: m.One, Field: "issueDate", Path: "invoiceIssueDate", Type: m.Day},
		}, of.document, []row{{Path: path, Rows: body(of)}}),
	}
}

// silent are the members that no row takes and that are not missed.
var silent = map[string]string{
	"type":                                     "what the document is reported as says it (CREATE, MODIFY, STORNO)",
	"countrySpecific.countryCode":              "it names the country whose members follow",
	"countrySpecific.invoiceTypeCode":          "invoiceReference and selfBillingIndicator say it",
	"countrySpecific.national":                 "its elements are written where they belong",
	"countrySpecific.cancelsReferencedInvoice": "it decides what the document is reported as (STORNO)",
	"countrySpecific.lineOffset":               "lines are numbered on from it (lineNumberReference)",
	"taxCurrencyCode":                          "every amount is stated in HUF as well",
	"subtotal":                                 "the sums of the VAT rates say it where the document has no total without VAT",
	"taxSummary[].taxCategoryCode":             "the kind of VAT rate says it",
	"taxSummary[].taxRate":                     "the kind of VAT rate says it",
	"items[].taxCategoryCode":                  "the kind of VAT rate says it",
	"items[].taxRate":                          "the kind of VAT rate says it",
	"serviceCategory":                          "it decides about a note and says nothing itself",
	"paymentMethods[].type":                    "its code says it (paymentMethod)",
}

// body are the rows of one invoice.
func body(of edition) []row {
	return []row{
		{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: "invoiceReference", Rows: []row{
			{Term: "BT-25", Card: m.One, Field: "number", Path: "originalInvoiceNumber", Type: m.Identifier},
			{Field: "/countrySpecific.modifyWithoutMaster", Path: "modifyWithoutMaster", Type: m.Indicator},
			{Field: "/countrySpecific.modificationIndex", Path: "modificationIndex", Type: m.Identifier},
		}},
		{Path: "invoiceHead", Rows: []row{
			{Term: "BG-4", Path: "supplierInfo", Rows: supplier},
			{Term: "BG-7", Path: "customerInfo", Rows: slices.Concat(of.customer, customer)},
			{Term: "BG-11", Path: "fiscalRepresentativeInfo", Rows: representative},
			{Path: "invoiceDetail", Rows: detail},
		}},
		{Path: "invoiceLines", Rows: slices.Concat(merged(of), []row{
			{Term: "BG-25", Card: m.Many, Field: "items[]", Path: "line", Rows: line(of)},
		})},
		{Path: "invoiceSummary", Rows: summary(of)},
	}
}

// merged says that no line stands for several.
func merged(of edition) []row {
	if of.namespace != Namespace {
		return nil
	}
	return []row{{Path: "mergedItemIndicator", Computed: computed(func(s scope) string {
		if len(s.Invoice.Items) == 0 {
			return ""
		}
		return "false"
	})}}
}

// taxParts are the three parts of a tax number.
func taxParts() []row {
	return []row{{Path: "base:taxpayerId"}, {Path: "base:vatCode"}, {Path: "base:countyCode"}}
}

var supplier = []row{
	{Term: "BT-32", Card: m.One, Field: "seller.taxId", Path: "supplierTaxNumber", Split: taxNumber, Rows: taxParts()},
	{Field: "countrySpecific.groupTaxNumber", Path: "groupMemberTaxNumber", Split: taxNumber, Rows: taxParts()},
	{Term: "BT-31", Field: "seller.vatId", Path: "communityVatNumber", Type: m.Identifier, Convert: communityNumber},
	{Term: "BT-27", Card: m.One, Field: "seller.name", Path: "supplierName"},
	{Term: "BG-5", Path: "supplierAddress/base:simpleAddress", Rows: simpleAddress("seller.", sellerAddress)},
	{Term: "BG-5", Path: "supplierAddress/base:detailedAddress", Rows: detailedAddress(sellerAddress)},
	{Term: "BT-84", Field: "seller.bankAccount.iban", Path: "supplierBankAccountNumber", Type: m.Identifier, Convert: account},
}

var customer = []row{
	{Term: "BT-44", Field: "buyer.name", Path: "customerName"},
	{Term: "BG-8", Path: "customerAddress/base:simpleAddress", Rows: simpleAddress("buyer.", buyerAddress)},
	{Term: "BG-8", Path: "customerAddress/base:detailedAddress", Rows: detailedAddress(buyerAddress)},
	{Field: "buyer.bankAccount.iban", Path: "customerBankAccountNumber", Type: m.Identifier, Convert: account},
}

var representative = []row{
	{Term: "BT-63", Field: "taxRepresentative.vatId", Path: "fiscalRepresentativeTaxNumber/base:taxpayerId", Type: m.Identifier, Convert: taxpayerOfVATID},
	{Term: "BT-62", Field: "taxRepresentative.name", Path: "fiscalRepresentativeName"},
	{Term: "BG-12", Path: "fiscalRepresentativeAddress/base:simpleAddress", Rows: simpleAddress("taxRepresentative.", representativeAddress)},
	{Term: "BG-12", Path: "fiscalRepresentativeAddress/base:detailedAddress", Rows: detailedAddress(representativeAddress)},
}

var detail = []row{
	{Field: "countrySpecific.invoiceCategory", Path: "invoiceCategory", Type: m.Code},
	{Term: "BT-72", Field: "delivery.date", Path: "invoiceDeliveryDate", Type: m.Day},
	{Term: "BT-73", Field: "servicePeriod.start", Path: "invoiceDeliveryPeriodStart", Type: m.Day},
	{Term: "BT-74", Field: "servicePeriod.end", Path: "invoiceDeliveryPeriodEnd", Type: m.Day},
	{Path: "periodicalSettlement", Computed: computed(func(s scope) string { return when(s.Invoice.ServicePeriod != nil, "true") })},
	{Field: "countrySpecific.smallBusiness", Path: "smallBusinessIndicator", Type: m.Indicator},
	{Term: "BT-5", Card: m.One, Field: "currency", Path: "currencyCode", Type: m.Code},
	{Card: m.One, Field: "countrySpecific.exchangeRate", Path: "exchangeRate", Type: m.Quantity, Convert: m.Decimals(0, 6)},
	{Term: "BT-3", Path: "selfBillingIndicator", Codec: selfBilled},
	{Term: "BT-81", Path: "paymentMethod", Codec: payment},
	{Term: "BT-9", Field: "dueDate", Path: "paymentDate", Type: m.Day},
	{Field: "countrySpecific.cashAccounting", Path: "cashAccountingIndicator", Type: m.Indicator},
	{Field: "countrySpecific.invoiceAppearance", Path: "invoiceAppearance", Type: m.Code},
	{Path: "conventionalInvoiceInfo", Rows: []row{
		{Term: "BT-13", Field: "orderNumber", Path: "orderNumbers/orderNumber", Convert: short(100)},
		{Term: "BT-16", Field: "deliveryNote.number", Path: "deliveryNotes/deliveryNote", Convert: short(100)},
		{Term: "BT-12", Field: "contractNumber", Path: "contractNumbers/contractNumber", Convert: short(100)},
		{Term: "BT-46", Field: "customerNumber", Path: "customerCompanyCodes/customerCompanyCode", Convert: short(100)},
		{Term: "BT-19", Field: "buyerAccountingReference", Path: "costCenters/costCenter", Convert: short(100)},
		{Term: "BT-11", Field: "projectNumber", Path: "projectNumbers/projectNumber", Convert: short(100)},
		{Term: "BT-29", Card: m.Many, Field: "seller.identifiers[]", Path: "glnNumbersSupplier/glnNumber", Rows: []row{{Term: "BT-29", Field: "id", Path: "."}}},
		{Term: "BT-46", Card: m.Many, Field: "buyer.identifiers[]", Path: "glnNumbersCustomer/glnNumber", Rows: []row{{Term: "BT-46", Field: "id", Path: "."}}},
	}},
	{Term: "BG-1", Card: m.Many, Field: "noteEntries[]", Path: "additionalInvoiceData", Rows: []row{
		{Path: "dataName", Codec: named(noteName, 0, "subjectCode")},
		{Path: "dataDescription", Codec: named(noteName, 1)},
		{Term: "BT-22", Field: "text", Path: "dataValue"},
	}},
}

// line are the rows of an invoice line.
func line(of edition) []row {
	return slices.Concat([]row{
		{Term: "BT-126", Card: m.One, Field: "position", Path: "lineNumber", Type: m.Identifier},
		{Path: "lineModificationReference", Rows: []row{
			{Path: "lineNumberReference", Computed: computedOf("position", reference)},
			{Path: "lineOperation", Computed: computed(func(s scope) string { return when(len(s.Invoice.ReferencedInvoices) > 0, "CREATE") })},
		}},
		{Term: "BT-158", Card: m.Many, Field: "classification[]", Path: "productCodes/productCode", Rows: []row{
			{Term: "BT-158-1", Field: "schemeId", Path: "productCodeCategory", Type: m.Code},
			{Term: "BT-158", Path: "productCodeValue", Codec: productCode(true)},
			{Term: "BT-158", Path: "productCodeOwnValue", Codec: productCode(false)},
		}},
		{Path: "lineExpressionIndicator", Computed: computed(expressed)},
		{Term: "BT-153", Field: "description", Path: "lineDescription"},
		{Term: "BT-129", Field: "quantity", Path: "quantity", Type: m.InvoicedQuantity, Convert: m.Decimals(0, 10)},
		{Term: "BT-130", Path: "unitOfMeasure", Codec: unit},
		{Term: "BT-130", Path: "unitOfMeasureOwn", Codec: ownUnit},
		{Term: "BT-146", Field: "unitPrice", Path: "unitPrice", Type: m.UnitPrice, Convert: m.Decimals(2, 10)},
		{Path: "unitPriceHUF", Computed: computedOf("unitPrice", func(s scope) string {
			return inHUF(s, s.Group.(*invoice.Item).UnitPrice, priceDecimals)
		})},
		{Term: "BG-27", Card: m.Many, Field: "allowances[]", Path: "lineDiscountData", Rows: []row{
			{Term: "BT-139", Field: "reason", Path: "discountDescription"},
			{Term: "BT-136", Field: "amount", Path: "discountValue", Type: m.Amount, Convert: m.Decimals(2, 2)},
			{Term: "BT-138", Path: "discountRate", Codec: discountRate},
		}},
	}, lineAmounts(of), lineInformation, of.line)
}

// lineInformation are the rows of what else a line says.
var lineInformation = []row{
	{Path: "conventionalLineInfo", Rows: []row{
		{Term: "BT-133", Field: "buyerAccountingReference", Path: "costCenters/costCenter", Convert: short(100)},
		{Term: "BT-156", Field: "buyerItemId", Path: "itemNumbers/itemNumber", Convert: short(100)},
	}},
	{Term: "BG-32", Card: m.Many, Field: "attributes[]", Path: "additionalLineData", Rows: []row{
		{Path: "dataName", Codec: named(attributeName, 0, "name")},
		{Term: "BT-160", Path: "dataDescription", Codec: named(attributeName, 1)},
		{Term: "BT-161", Field: "value", Path: "dataValue"},
	}},
}

// lineAmounts are the rows of a line's amounts: of a normal invoice, or of a simplified one.
func lineAmounts(of edition) []row {
	return []row{
		{Path: "lineAmountsNormal", When: normal, Rows: []row{
			{Term: "BT-131", Field: "netAmount", Path: "lineNetAmountData/lineNetAmount", Type: m.Amount, Convert: m.Decimals(2, 2)},
			{Path: "lineNetAmountData/lineNetAmountHUF", Computed: computedOf("netAmount", func(s scope) string { return inHUF(s, s.Group.(*invoice.Item).NetAmount, amountDecimals) })},
			{Term: "BT-151 BT-152", Path: "lineVatRate", Rows: of.rates(itemTaxes)},
			{Field: "taxAmount", Path: "lineVatData/lineVatAmount", Type: m.Amount, Convert: m.Decimals(2, 2)},
			{Path: "lineVatData/lineVatAmountHUF", Computed: computedOf("taxAmount", func(s scope) string { return inHUF(s, s.Group.(*invoice.Item).TaxAmount, amountDecimals) })},
			{Path: "lineGrossAmountData/lineGrossAmountNormal", Computed: computedOf("netAmount", func(s scope) string { return money(profile.NAVGross(s.Group.(*invoice.Item))) })},
			{Path: "lineGrossAmountData/lineGrossAmountNormalHUF", Computed: computedOf("netAmount", func(s scope) string {
				return inHUF(s, profile.NAVGross(s.Group.(*invoice.Item)), amountDecimals)
			})},
		}},
		{Path: "lineAmountsSimplified", When: simplified, Rows: []row{
			of.simplified("lineVatRate", itemTaxes),
			{Term: "BT-131", Path: "lineGrossAmountSimplified", Codec: lineGross},
			{Path: "lineGrossAmountSimplifiedHUF", Computed: computedOf("netAmount", func(s scope) string {
				return inHUF(s, profile.NAVGross(s.Group.(*invoice.Item)), amountDecimals)
			})},
		}},
		{Path: "aggregateInvoiceLineData", When: aggregate, Rows: []row{
			{Path: "lineExchangeRate", Computed: computed(func(s scope) string { return s.Invoice.CountrySpecific.ExchangeRate.Trim().String() })},
			{Term: "BT-134 BT-135", Path: "lineDeliveryDate", Codec: lineDay},
		}},
	}
}

// summary are the rows of the sums.
func summary(of edition) []row {
	return []row{
		{Term: "BG-23", Card: m.Many, Field: "taxSummary[]", Path: "summaryNormal/summaryByVatRate", When: normal, Rows: []row{
			{Term: "BT-118 BT-119", Path: "vatRate", Rows: of.rates(groupTaxes)},
			{Term: "BT-116", Field: "netAmount", Path: "vatRateNetData/vatRateNetAmount", Type: m.Amount, Convert: m.Decimals(2, 2)},
			{Path: "vatRateNetData/vatRateNetAmountHUF", Computed: computedOf("netAmount", func(s scope) string { return money(profile.NAVGroupNet(s.Invoice, s.Group.(*invoice.TaxSummary))) })},
			{Term: "BT-117", Field: "taxAmount", Path: "vatRateVatData/vatRateVatAmount", Type: m.Amount, Convert: m.Decimals(2, 2)},
			{Term: "BT-111", Field: "taxCurrencyTaxAmount", Path: "vatRateVatData/vatRateVatAmountHUF", Type: m.Amount, Convert: m.Decimals(2, 2)},
			{Path: "vatRateGrossData/vatRateGrossAmount", Computed: computedOf("netAmount", func(s scope) string { return money(groupGross(s)) })},
			{Path: "vatRateGrossData/vatRateGrossAmountHUF", Computed: computedOf("netAmount", groupGrossHUF)},
		}},
		{Term: "BG-23", Card: m.Many, Field: "taxSummary[]", Path: "summarySimplified", Rows: []row{
			of.simplified("vatRate", groupTaxes),
			{Term: "BT-116", Path: "vatContentGrossAmount", Codec: groupTotal},
			{Path: "vatContentGrossAmountHUF", Computed: computedOf("netAmount", groupGrossHUF)},
		}},
		{Term: "BT-109", Field: "subtotal", Path: "summaryNormal/invoiceNetAmount", Type: m.Amount, Convert: m.Decimals(2, 2), When: normal},
		{Path: "summaryNormal/invoiceNetAmountHUF", Computed: computed(total(profile.NAVGroupNet))},
		{Term: "BT-110", Path: "summaryNormal/invoiceVatAmount", Computed: computed(total(groupTax))},
		{Term: "BT-111", Path: "summaryNormal/invoiceVatAmountHUF", Computed: computed(total(groupTaxHUF))},
		{Term: "BT-112", Field: "total", Path: "summaryGrossData/invoiceGrossAmount", Type: m.Amount, Convert: m.Decimals(2, 2)},
		{Path: "summaryGrossData/invoiceGrossAmountHUF", Computed: computedOf("total", totalHUF)},
	}
}
