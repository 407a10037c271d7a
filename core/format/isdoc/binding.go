package isdoc

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

type (
	row      = m.Row[invoice.Invoice]
	scope    = m.Scope[invoice.Invoice]
	computed = m.Computed[invoice.Invoice]
)

// Table is the one place where a business term meets its element of ISDOC. Fields are those of the canonical invoice (see profile.ISDOC):
// currency is that of the invoice, taxCurrencyCode that of the country, and amounts of the country's currency are computed.
var Table = m.Table[invoice.Invoice]{
	Elements: []m.Element{{Name: "Invoice", Namespace: Namespace}},
	Editions: []m.Edition{{}}, // one
	Lines:    "items[]",
	Order:    elementorder.ISDOC(),
	Silent: map[string]string{
		"type":                          "the kind of document says it (DocumentType)",
		"currency":                      "it is that of the country unless ForeignCurrencyCode says another",
		"subtotal":                      "it is the sum of the tax groups",
		"items[].taxCategoryCode":       "rate, VATApplicable, LocalReverseCharge and VATNote say it",
		"taxSummary[].taxCategoryCode":  "rate, VATApplicable and LocalReverseChargeFlag say it",
		"countrySpecific.countryCode":   "it names the country whose members follow",
		"countrySpecific.national":      "its elements are written where they belong",
		"seller.identifiers[].schemeId": "the element is that of one scheme (GLN)",
		"buyer.identifiers[].schemeId":  "the element is that of one scheme (GLN)",
		"delivery.locationIdScheme":     "the element is that of one scheme (GLN)",
		"seller.registrationScheme":     "an IČO is a number of the Czech register",
		"buyer.registrationScheme":      "an IČO is a number of the Czech register",
		"serviceCategory":               "it decides about a note and says nothing itself",
	},
	Rows: slices.Concat([]row{
		{Path: ".", Attrs: []m.Attr{{Name: "version", Const: Version}}},
		{Term: "BT-3", Card: m.One, Path: "DocumentType", Computed: documentType},
		{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "ID", Type: m.Identifier},
		{Card: m.One, Field: "countrySpecific.uuid", Path: "UUID", Type: m.Identifier},
		{Term: "BT-11", Field: "projectNumber", Path: "FileReference", Type: m.Identifier},
		{Term: "BT-2", Card: m.One, Field: "issueDate", Path: "IssueDate", Type: m.Day},
		{Term: "BT-7 BT-72", Field: "taxPointDate", Path: "TaxPointDate", Type: m.Day},
		{Card: m.One, Field: "countrySpecific.vatPayer", Path: "VATApplicable", Type: m.Indicator},
		{Path: "ElectronicPossibilityAgreementReference", Required: true},
		{Term: "BT-22 BT-20", Field: "notes", Path: "Note"},
		{Term: "BT-6", Card: m.One, Field: "taxCurrencyCode", Path: "LocalCurrencyCode", Type: m.Code},
		{Term: "BT-5", Field: "currency", Path: "ForeignCurrencyCode", Type: m.Code, When: inForeign},
		{Card: m.One, Field: "countrySpecific.exchangeRate", Path: "CurrRate", Type: m.Quantity},
		{Card: m.One, Field: "countrySpecific.exchangeRateUnits", Path: "RefCurrRate", Type: m.Quantity},
		{Term: "BG-4", Card: m.One, Field: "seller", Path: "AccountingSupplierParty", Required: true, Rows: []row{
			{Path: "Party", Required: true, Rows: append(party(35, "BT-30", "BT-31", "BT-32", 41), row{Term: "BT-33", Field: "legalInformation", Path: "RegisterIdentification/Preformatted"})},
		}},
		{Term: "BG-7", Card: m.One, Field: "buyer", Path: "AccountingCustomerParty", Required: true, Rows: []row{
			{Path: "Party", Required: true, Rows: party(50, "BT-47", "BT-48", "", 56, row{Term: "BT-46", Field: "/customerNumber", Path: "UserID", Type: m.Identifier})},
		}},
	}, references, []row{
		{Term: "BG-13", Path: "Delivery/Party", Rows: delivery},
		{Term: "BG-25", Card: m.OneOrMore, Field: "items[]", Path: "InvoiceLines/InvoiceLine", Rows: line},
		{Card: m.Many, Field: "prepayments[]", Path: "NonTaxedDeposits/NonTaxedDeposit", When: documented, Rows: []row{
			{Field: "reference.documentNumber", Path: "ID", Type: m.Identifier},
			{Path: "VariableSymbol", Required: true},
			{Field: "amount", Path: "DepositAmountCurr", Type: m.Amount, Convert: cents, When: inForeign},
			{Path: "DepositAmount", Computed: amount("amount", depositOf)},
		}},
	}, totals, []row{
		{Term: "BG-16", Card: m.Many, Field: "paymentMethods[]", Path: "PaymentMeans/Payment", Rows: payment},
		{Term: "BG-24", Card: m.Many, Field: "supportingDocuments[]", Path: "SupplementsList/Supplement", Rows: []row{
			{Term: "BT-122", Card: m.One, Field: "id", Path: "Filename"},
			{Path: "DigestMethod", Required: true}, // national says both
			{Path: "DigestValue", Required: true},
		}},
	}),
}

var references = []row{
	{Path: "OrderReferences/OrderReference", Attrs: []m.Attr{{Name: "id", Const: orderID}}, Rows: []row{
		{Term: "BT-14", Field: "salesOrderNumber", Path: "SalesOrderID", Type: m.Identifier, Required: true},
		{Term: "BT-13", Field: "orderNumber", Path: "ExternalOrderID", Type: m.Identifier},
	}},
	{Path: "DeliveryNoteReferences/DeliveryNoteReference", Rows: []row{
		{Term: "BT-16", Field: "deliveryNote.number", Path: "ID", Type: m.Identifier},
		{Field: "deliveryNote.date", Path: "IssueDate", Type: m.Day},
	}},
	{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: "OriginalDocumentReferences/OriginalDocumentReference", Rows: []row{
		{Term: "BT-25", Card: m.One, Field: "number", Path: "ID", Type: m.Identifier},
		{Term: "BT-26", Field: "date", Path: "IssueDate", Type: m.Day},
		{Field: "registryId", Path: "UUID", Type: m.Identifier, Convert: uuid},
	}},
	{Term: "BT-12", Field: "contractNumber", Path: "ContractReferences/ContractReference/ID", Type: m.Identifier},
}

// orderID is what lines refer to the order by.
const orderID = "order"

var delivery = []row{
	{Path: "PartyIdentification", Required: true, Rows: []row{
		{Term: "BT-71", Field: "delivery.locationId", Path: "CatalogFirmIdentification", Type: m.Identifier, Convert: gln},
		{Path: "ID", Required: true},
	}},
	{Path: "PartyName", Required: true, Rows: []row{{Term: "BT-70", Field: "delivery.name", Path: "Name", Required: true}}},
	{Path: "PostalAddress", Required: true, Rows: []row{
		{Term: "BT-75 BT-76 BT-165", Path: "StreetName", Required: true, Codec: deliveryStreet(false)},
		{Term: "BT-75", Path: "BuildingNumber", Required: true, Codec: deliveryStreet(true)},
		{Term: "BT-77", Field: "delivery.address.city", Path: "CityName", Required: true},
		{Term: "BT-78", Field: "delivery.address.postalCode", Path: "PostalZone", Required: true},
		{Path: "Country", Required: true, Rows: []row{
			{Term: "BT-80", Field: "delivery.address.countryCode", Path: "IdentificationCode", Type: m.Code, Required: true},
			{Term: "BT-80", Path: "Name", Required: true, Computed: deliveryCountry},
		}},
	}},
}

var line = []row{
	{Term: "BT-126", Card: m.One, Field: "lineId", Path: "ID", Type: m.Identifier},
	{Path: "OrderReference", Attrs: []m.Attr{{Name: "ref", Const: orderID}}, Rows: []row{{Term: "BT-132", Field: "orderLineReference", Path: "LineID", Type: m.Identifier}}},
	{Term: "BT-129", Field: "quantity", Path: "InvoicedQuantity", Type: m.Quantity, Attrs: []m.Attr{{Name: "unitCode", Term: "BT-130", Field: "unit", Convert: units}}},
	{Term: "BT-131", Field: "netAmount", Path: "LineExtensionAmountCurr", Type: m.Amount, Convert: cents, When: inForeign},
	{Term: "BT-131", Card: m.One, Path: "LineExtensionAmount", Computed: amount("netAmount", netOf)},
	{Term: "BT-136 BT-141", Path: "LineExtensionAmountBeforeDiscount", Computed: beforeDiscount(false)},
	{Path: "LineExtensionAmountTaxInclusiveCurr", Computed: taxInclusive(true)},
	{Path: "LineExtensionAmountTaxInclusive", Computed: taxInclusive(false)},
	{Path: "LineExtensionAmountTaxInclusiveBeforeDiscount", Computed: beforeDiscount(true)},
	{Path: "LineExtensionTaxAmount", Computed: lineTax},
	{Term: "BT-146", Card: m.One, Path: "UnitPrice", Computed: unitPrice},
	{Path: "UnitPriceTaxInclusive", Computed: unitPriceWithTax},
	{Term: "BG-30", Path: "ClassifiedTaxCategory", Required: true, Rows: []row{
		{Term: "BT-152", Card: m.One, Field: "taxRate", Path: "Percent", Type: m.Percentage, Fill: "0"},
		{Path: "VATCalculationMethod", Computed: calculation},
		{Term: "BT-151", Path: "VATApplicable", Computed: lineApplies},
		{Term: "BT-151", Path: "LocalReverseCharge/LocalReverseChargeCode", Computed: reverseCharge, From: "countrySpecific.reverseChargeCode"},
	}},
	{Term: "BT-127", Field: "note", Path: "Note"},
	{Term: "BT-120 BT-121", Field: "taxExemptionReason", Path: "VATNote"},
	{Path: "Item", Rows: []row{
		{Term: "BT-153 BT-154", Path: "Description", Codec: description},
		{Term: "BT-157", Field: "gtin", Path: "CatalogueItemIdentification/ID", Type: m.Identifier, Convert: gtin},
		{Term: "BT-155", Field: "articleNumber", Path: "SellersItemIdentification/ID", Type: m.Identifier},
		{Term: "BT-156", Field: "buyerItemId", Path: "BuyersItemIdentification/ID", Type: m.Identifier},
	}},
}

var payment = []row{
	{Term: "BT-115", Card: m.One, Path: "PaidAmount", Computed: paid},
	{Term: "BT-81", Card: m.One, Field: "code", Path: "PaymentMeansCode", Type: m.Code, Convert: means},
	{Path: "Details", When: detailed, Rows: []row{
		{Term: "BT-9", Field: "/dueDate", Path: "PaymentDueDate", Type: m.Day},
		{Term: "BT-84", Path: "ID", Required: true, Computed: accountNumber},
		{Term: "BT-84", Path: "BankCode", Required: true, Computed: bankCode},
		{Field: "/seller.bankAccount.bankName", Path: "Name", Required: true},
		{Term: "BT-84", Field: "account.id", Path: "IBAN", Type: m.Identifier, Convert: iban, Required: true},
		{Term: "BT-86", Field: "account.bic", Path: "BIC", Type: m.Identifier, Required: true},
		{Term: "BT-83", Field: "/countrySpecific.variableSymbol", Path: "VariableSymbol"},
		{Field: "/countrySpecific.constantSymbol", Path: "ConstantSymbol"},
		{Field: "/countrySpecific.specificSymbol", Path: "SpecificSymbol"},
	}},
}
