// Package ubl is EN 16931 on UBL 2.1 Invoice and CreditNote (CEN/TS 16931-3-2).
package ubl

import (
	"einvoiced/core/invoice"
	m "einvoiced/core/mapping"
)

// The roots of the table.
const (
	invoiceOnly    m.On = 1
	creditNoteOnly m.On = 2
)

// Indexes of the document elements, for mapping.Env.
const (
	RootInvoice    = 0
	RootCreditNote = 1
)

// Table is the one place where a business term meets its UBL element. Groups follow EN 16931-1; the compiler puts elements
// into schema order. Fields are those of the canonical invoice (see core/profile).
var Table = m.Table{
	Namespaces: map[string]string{
		"cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
		"cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
	},
	Roots: []m.RootElement{
		RootInvoice:    {Name: "Invoice", Namespace: "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"},
		RootCreditNote: {Name: "CreditNote", Namespace: "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"},
	},
	Order: order,
	Silent: map[string]string{
		"type":                              "the document element and BT-3 say it",
		"profile":                           "BT-24 says it",
		"serviceCategory":                   "it decides about a note and says nothing itself",
		"countrySpecific.countryCode":       "it names the country whose members follow",
		"taxSummary[].taxCurrencyTaxAmount": "their sum is BT-111",
	},
	Rows: []m.Row{
		// Document.
		{Term: "BT-24", Const: m.Specification, Path: "cbc:CustomizationID"},
		{Term: "BT-23", Field: "businessProcess", Path: "cbc:ProfileID", Type: m.Identifier},
		{Term: "BT-1", Field: "invoiceNumber", Path: "cbc:ID", Type: m.Identifier},
		{Term: "BT-2", Field: "issueDate", Path: "cbc:IssueDate", Type: m.Day},
		{Term: "BT-3", Field: "countrySpecific.invoiceTypeCode", Path: "cbc:InvoiceTypeCode|cbc:CreditNoteTypeCode", Type: m.Code},
		{Term: "BT-5", Field: "currency", Path: "cbc:DocumentCurrencyCode", Type: m.Code},
		{Term: "BT-6", Field: "taxCurrencyCode", Path: "cbc:TaxCurrencyCode", Type: m.Code},
		{Term: "BT-7", Field: "taxPointDate", Path: "cbc:TaxPointDate", Type: m.Day},
		{Term: "BT-8", Field: "taxPointDateCode", Path: "cac:InvoicePeriod/cbc:DescriptionCode", Type: m.Code},
		{Term: "BT-9", Field: "dueDate", Path: "cbc:DueDate", Type: m.Day, On: invoiceOnly},
		{Term: "BT-10", Field: "buyerReference", Path: "cbc:BuyerReference"},
		{Term: "BT-11", Field: "projectNumber", Path: "cac:ProjectReference/cbc:ID", Type: m.Identifier, On: invoiceOnly},
		{Term: "BT-11", Field: "projectNumber", Path: "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='50']/cbc:ID", Type: m.Identifier, On: creditNoteOnly},
		{Term: "BT-12", Field: "contractNumber", Path: "cac:ContractDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-13", Field: "orderNumber", Path: "cac:OrderReference/cbc:ID", Type: m.Identifier, Fill: "NA"},
		{Term: "BT-14", Field: "salesOrderNumber", Path: "cac:OrderReference/cbc:SalesOrderID", Type: m.Identifier},
		{Term: "BT-15", Field: "receivingAdviceNumber", Path: "cac:ReceiptDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-16", Field: "deliveryNote.number", Path: "cac:DespatchDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-17", Field: "tenderReference", Path: "cac:OriginatorDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-18", Field: "objectId", Path: "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='130']/cbc:ID", Type: m.Identifier,
			Attrs: []m.Attr{{Name: "schemeID", Field: "objectIdScheme"}}}, // BT-18-1
		{Term: "BT-19", Field: "buyerAccountingReference", Path: "cbc:AccountingCost"},
		{Term: "BT-20", Field: "paymentTerms.description", Path: "cac:PaymentTerms/cbc:Note"},
		{Term: "BG-1", Field: "noteEntries[]", Path: "cbc:Note", Codec: subjectNote}, // BT-21, BT-22
		{Term: "BG-3", Field: "referencedInvoices[]", Path: "cac:BillingReference", Rows: []m.Row{
			{Term: "BT-25", Field: "number", Path: "cac:InvoiceDocumentReference/cbc:ID", Type: m.Identifier},
			{Term: "BT-26", Field: "date", Path: "cac:InvoiceDocumentReference/cbc:IssueDate", Type: m.Day},
		}},
		{Term: "BT-73", Field: "servicePeriod.start", Path: "cac:InvoicePeriod/cbc:StartDate", Type: m.Day},
		{Term: "BT-74", Field: "servicePeriod.end", Path: "cac:InvoicePeriod/cbc:EndDate", Type: m.Day},

		// Supporting documents (BG-24).
		{Term: "BG-24", Field: "attachments[]", Path: "cac:AdditionalDocumentReference[cac:Attachment/cbc:EmbeddedDocumentBinaryObject]", Rows: []m.Row{
			{Term: "BT-122", Field: "reference", Path: "cbc:ID", Type: m.Identifier},
			{Term: "BT-123", Field: "description", Path: "cbc:DocumentDescription"},
			{Term: "BT-125", Field: "content", Path: "cac:Attachment/cbc:EmbeddedDocumentBinaryObject", Type: m.Binary, Attrs: []m.Attr{
				{Name: "mimeCode", Field: "mimeType"},   // BT-125-1
				{Name: "filename", Field: "filename"}}}, // BT-125-2
			{Term: "BT-124", Field: "uri", Path: "cac:Attachment/cac:ExternalReference/cbc:URI", Type: m.Identifier},
		}},
		{Term: "BG-24", Field: "supportingDocuments[]", Path: "cac:AdditionalDocumentReference", Rows: []m.Row{
			{Term: "BT-122", Field: "id", Path: "cbc:ID", Type: m.Identifier},
			{Term: "BT-123", Field: "description", Path: "cbc:DocumentDescription"},
			{Term: "BT-124", Field: "uri", Path: "cac:Attachment/cac:ExternalReference/cbc:URI", Type: m.Identifier},
		}},

		// Parties.
		{Term: "BG-4", Field: "seller", Path: "cac:AccountingSupplierParty/cac:Party", Rows: seller},
		{Term: "BG-7", Field: "buyer", Path: "cac:AccountingCustomerParty/cac:Party", Rows: buyer},
		{Term: "BG-10", Field: "payee", Path: "cac:PayeeParty", Rows: payee},
		{Term: "BG-11", Field: "taxRepresentative", Path: "cac:TaxRepresentativeParty", Rows: taxRepresentative},

		// Delivery (BG-13, BG-15).
		{Term: "BT-70", Field: "delivery.name", Path: "cac:Delivery/cac:DeliveryParty/cac:PartyName/cbc:Name"},
		{Term: "BT-71", Field: "delivery.locationId", Path: "cac:Delivery/cac:DeliveryLocation/cbc:ID", Type: m.Identifier,
			Attrs: []m.Attr{{Name: "schemeID", Field: "delivery.locationIdScheme"}}}, // BT-71-1
		{Term: "BT-72", Field: "delivery.date", Path: "cac:Delivery/cbc:ActualDeliveryDate", Type: m.Day},
		{Term: "BT-75", Field: "delivery.address.street", Path: "cac:Delivery/cac:DeliveryLocation/cac:Address/cbc:StreetName"},
		{Term: "BT-76", Field: "delivery.address.additionalStreet", Path: "cac:Delivery/cac:DeliveryLocation/cac:Address/cbc:AdditionalStreetName"},
		{Term: "BT-165", Field: "delivery.address.addressLine3", Path: "cac:Delivery/cac:DeliveryLocation/cac:Address/cac:AddressLine/cbc:Line"},
		{Term: "BT-77", Field: "delivery.address.city", Path: "cac:Delivery/cac:DeliveryLocation/cac:Address/cbc:CityName"},
		{Term: "BT-78", Field: "delivery.address.postalCode", Path: "cac:Delivery/cac:DeliveryLocation/cac:Address/cbc:PostalZone"},
		{Term: "BT-79", Field: "delivery.address.state", Path: "cac:Delivery/cac:DeliveryLocation/cac:Address/cbc:CountrySubentity"},
		{Term: "BT-80", Field: "delivery.address.countryCode", Path: "cac:Delivery/cac:DeliveryLocation/cac:Address/cac:Country/cbc:IdentificationCode", Type: m.Code},

		// Money.
		{Term: "BG-16", Field: "paymentMethods[]", Path: "cac:PaymentMeans", Rows: paymentMeans},
		{Term: "BG-20 BG-21", Field: "allowancesCharges[]", Path: "cac:AllowanceCharge", Rows: documentCharge},
		{Term: "BT-110", Total: totalTax, Path: taxTotal + "/cbc:TaxAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BG-23", Field: "taxSummary[]", Path: taxTotal + "/cac:TaxSubtotal", Rows: taxBreakdown},
		{Term: "BT-111", Total: totalTaxInTaxCurrency, Keep: invoice.ShareTaxInTaxCurrency, Path: "cac:TaxTotal[cbc:TaxAmount/@currencyID=$taxCurrency]/cbc:TaxAmount", Type: m.Amount,
			Attrs: []m.Attr{{Name: "currencyID", Const: m.TaxCurrency}}},
		{Term: "BT-106", Total: totalLines, Path: "cac:LegalMonetaryTotal/cbc:LineExtensionAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-107", Total: totalAllowances, Path: "cac:LegalMonetaryTotal/cbc:AllowanceTotalAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-108", Total: totalCharges, Path: "cac:LegalMonetaryTotal/cbc:ChargeTotalAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-109", Field: "subtotal", Path: "cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-112", Field: "total", Path: "cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-113", Field: "prepaidAmount", Path: "cac:LegalMonetaryTotal/cbc:PrepaidAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-114", Field: "roundingAmount", Path: "cac:LegalMonetaryTotal/cbc:PayableRoundingAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-115", Total: amountDue, Path: "cac:LegalMonetaryTotal/cbc:PayableAmount", Type: m.Amount, Attrs: inCurrency},

		// Lines.
		{Term: "BG-25", Field: "items[]", Path: "cac:InvoiceLine|cac:CreditNoteLine", Rows: line},
	},
}

// taxTotal is the tax total in the invoice currency; the one in the tax currency holds BT-111 alone.
const taxTotal = "cac:TaxTotal[cbc:TaxAmount/@currencyID=$currency]"

var inCurrency = []m.Attr{{Name: "currencyID", Const: m.Currency}}

// schemeID is the identification scheme of an identifier.
func schemeID(field string) []m.Attr { return []m.Attr{{Name: "schemeID", Field: field}} }
