// Package ubl is EN 16931 on UBL 2.1 Invoice and CreditNote (CEN/TS 16931-3-2).
package ubl

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// The document elements of the table.
const (
	Invoice    = "Invoice"
	CreditNote = "CreditNote"
)

// The editions of the table.
const (
	EN16931   = "EN 16931"
	Extension = "XRechnung extension" // which has no credit note
	Pint      = "PINT"                // what the specifications of PINT have beside EN 16931; none is written in it alone
	PintAE    = "PINT AE"
	PintJP    = "PINT JP" // which has no credit note
	PintOM    = "PINT OM"
	Croatia   = "HR CIUS with its extension"
	Peppol    = "Peppol BIS" // which calls the seller's other tax scheme (BT-32) TAX
)

type (
	row   = m.Row[invoice.Invoice]
	scope = m.Scope[invoice.Invoice]
)

// Table is the one place where a business term meets its UBL element. Groups follow EN 16931-1; the compiler puts elements
// into schema order. Fields are those of the canonical invoice (see core/profile).
var Table = m.Table[invoice.Invoice]{
	Namespaces: map[string]string{
		"cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
		"cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
	},
	Elements: []m.Element{
		{Name: Invoice, Namespace: "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"},
		{Name: CreditNote, Namespace: "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"},
	},
	Editions: []m.Edition{
		{Name: EN16931},
		{Name: Extension, Includes: []string{EN16931}, Specifications: []string{profile.XRechnungExtension}, Elements: []string{Invoice}},
		{Name: Pint, Includes: []string{EN16931}, ByName: true},
		{Name: PintAE, Includes: []string{Pint}, Specifications: []string{profile.PintAE, profile.PintAESelfBilling}},
		{Name: PintJP, Includes: []string{Pint}, Specifications: []string{profile.PintJP, profile.PintJPNonTax, profile.PintJPSelfBilling}},
		{Name: PintOM, Includes: []string{Pint}, Specifications: []string{profile.PintOM, profile.PintOMSelfBilling}},
		{Name: Croatia, Includes: []string{EN16931}, Specifications: []string{profile.CroatianCIUS}, Namespaces: map[string]string{
			"ext":     "urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2",
			"hrextac": "urn:mfin.gov.hr:schema:xsd:HRExtensionAggregateComponents-1"}},
		{Name: Peppol, Includes: []string{EN16931}, Specifications: []string{profile.PeppolBilling, profile.PeppolSelfBilling}},
	},
	Variables: map[string]string{currency: "currency", taxCurrency: "taxCurrencyCode"},
	Lines:     "items[]",
	Order:     withCroatianOrder(elementorder.UBL()),
	Silent: map[string]string{
		"type":                        "the document element and BT-3 say it",
		"serviceCategory":             "it decides about a note and says nothing itself",
		"countrySpecific.countryCode": "it names the country whose members follow",
	},
	Rows: slices.Concat(croatianDocument, pintDocument, []row{
		// Document.
		{Term: "BT-24", Card: m.One, Const: m.Specification, From: "profile", Path: "cbc:CustomizationID"},
		{Term: "BT-23", Field: "businessProcess", Path: "cbc:ProfileID", Type: m.Identifier},
		{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "cbc:ID", Type: m.Identifier},
		{Term: "BT-2", Card: m.One, Field: "issueDate", Path: "cbc:IssueDate", Type: m.Day},
		{Term: "BT-3", Card: m.One, Field: "countrySpecific.invoiceTypeCode", Path: "cbc:InvoiceTypeCode|cbc:CreditNoteTypeCode", Type: m.Code},
		{Term: "BT-5", Card: m.One, Field: "currency", Path: "cbc:DocumentCurrencyCode", Type: m.Code},
		{Term: "BT-6", Field: "taxCurrencyCode", Path: "cbc:TaxCurrencyCode", Type: m.Code},
		{Term: "BT-7", Field: "taxPointDate", Path: "cbc:TaxPointDate", Type: m.Day},
		{Term: "BT-9", Field: "dueDate", Path: "cbc:DueDate", Type: m.Day, On: Invoice},
		{Term: "BT-10", Field: "buyerReference", Path: "cbc:BuyerReference"},
		{Term: "BT-11", Field: "projectNumber", Path: "cac:ProjectReference/cbc:ID", Type: m.Identifier, On: Invoice},
		{Term: "BT-11", Field: "projectNumber", Path: "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='50']/cbc:ID", Type: m.Identifier, On: CreditNote},
		{Term: "BT-12", Field: "contractNumber", Path: "cac:ContractDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-13", Field: "orderNumber", Path: "cac:OrderReference/cbc:ID", Type: m.Identifier, Fill: "NA"},
		{Term: "BT-14", Field: "salesOrderNumber", Path: "cac:OrderReference/cbc:SalesOrderID", Type: m.Identifier},
		{Term: "BT-15", Field: "receivingAdviceNumber", Path: "cac:ReceiptDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-16", Field: "deliveryNote.number", Path: "cac:DespatchDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-17", Field: "tenderReference", Path: "cac:OriginatorDocumentReference/cbc:ID", Type: m.Identifier},
		{Term: "BT-18", Field: "objectId", Path: "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='130']/cbc:ID", Type: m.Identifier,
			Attrs: schemeID("BT-18-1", "objectIdScheme")},
		{Term: "BT-19", Field: "buyerAccountingReference", Path: "cbc:AccountingCost"},
		{Term: "BT-20", Field: "paymentTerms.description", Path: "cac:PaymentTerms/cbc:Note"},
		{Term: "BG-1 BT-21 BT-22", Card: m.Many, Field: "noteEntries[]", Path: "cbc:Note", Codec: subjectNote},
		{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: "cac:BillingReference", Rows: []row{
			{Term: "BT-25", Card: m.One, Field: "number", Path: "cac:InvoiceDocumentReference/cbc:ID", Type: m.Identifier},
			{Term: "BT-26", Field: "date", Path: "cac:InvoiceDocumentReference/cbc:IssueDate", Type: m.Day},
			{Term: "BTOM-031", Field: "registryId", Path: "cac:InvoiceDocumentReference/cbc:UUID", Type: m.Identifier, In: PintOM},
			{Term: "BTOM-032", Field: "/countrySpecific.correctionReasonCode", Path: "cac:InvoiceDocumentReference/cbc:DocumentStatusCode", Type: m.Code, In: PintOM},
		}},
		{Term: "BG-14", Path: "cac:InvoicePeriod", Rows: []row{
			{Term: "BT-73", Field: "servicePeriod.start", Path: "cbc:StartDate", Type: m.Day},
			{Term: "BT-74", Field: "servicePeriod.end", Path: "cbc:EndDate", Type: m.Day},
			{Term: "BT-8", Field: "taxPointDateCode", Path: "cbc:DescriptionCode", Type: m.Code}, // of the document, but in this element
		}},

		// Supporting documents.
		{Term: "BG-24", Card: m.Many, Field: "attachments[]", Path: "cac:AdditionalDocumentReference[cac:Attachment/cbc:EmbeddedDocumentBinaryObject]", Rows: []row{
			{Term: "BT-122", Card: m.One, Field: "reference", Path: "cbc:ID", Type: m.Identifier},
			{Term: "BT-123", Field: "description", Path: "cbc:DocumentDescription"},
			{Term: "BT-125", Field: "content", Path: "cac:Attachment/cbc:EmbeddedDocumentBinaryObject", Type: m.Binary, Attrs: []m.Attr{
				{Name: "mimeCode", Term: "BT-125-1", Field: "mimeType"},
				{Name: "filename", Term: "BT-125-2", Field: "filename"}}},
			{Term: "BT-124", Field: "uri", Path: "cac:Attachment/cac:ExternalReference/cbc:URI", Type: m.Identifier},
		}},
		{Term: "BG-24", Card: m.Many, Field: "supportingDocuments[]", Path: "cac:AdditionalDocumentReference", Rows: []row{
			{Term: "BT-122", Card: m.One, Field: "id", Path: "cbc:ID", Type: m.Identifier},
			{Term: "BT-123", Field: "description", Path: "cbc:DocumentDescription"},
			{Term: "BT-124", Field: "uri", Path: "cac:Attachment/cac:ExternalReference/cbc:URI", Type: m.Identifier},
			{Term: "BTOM-023", Field: "registryId", Path: "cbc:UUID", Type: m.Identifier, In: PintOM},
		}},

		// Parties.
		{Term: "BG-4", Card: m.One, Field: "seller", Path: "cac:AccountingSupplierParty/cac:Party", Rows: seller},
		{Term: "BG-7", Card: m.One, Field: "buyer", Path: "cac:AccountingCustomerParty/cac:Party", Rows: buyer},
		{Term: "BG-10", Field: "payee", Path: "cac:PayeeParty", Rows: payee},
		{Term: "BG-11", Field: "taxRepresentative", Path: "cac:TaxRepresentativeParty", Rows: taxRepresentative},

		// Delivery.
		{Term: "BG-13", Field: "delivery", Path: "cac:Delivery", Rows: []row{
			{Term: "BT-70", Field: "name", Path: "cac:DeliveryParty/cac:PartyName/cbc:Name"},
			{Term: "BT-71", Field: "locationId", Path: "cac:DeliveryLocation/cbc:ID", Type: m.Identifier, Attrs: schemeID("BT-71-1", "locationIdScheme")},
			{Term: "BT-72", Field: "date", Path: "cbc:ActualDeliveryDate", Type: m.Day},
			{Term: "BG-15", Field: "address", Path: "cac:DeliveryLocation/cac:Address", Rows: address(75, 165)},
		}},

		// Money.
		{Term: "BG-16", Card: m.Many, Field: "paymentMethods[]", Path: "cac:PaymentMeans", Rows: paymentMeans},
		{Term: "BG-20 BG-21", Card: m.Many, Field: "allowancesCharges[]", Path: "cac:AllowanceCharge", Rows: documentCharge},
		{Term: "BT-110", Total: en16931.TotalTax, From: "taxSummary[].taxAmount", Path: taxTotal + "/cbc:TaxAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BG-23", Card: m.OneOrMore, Field: "taxSummary[]", Path: taxTotal + "/cac:TaxSubtotal", Rows: taxBreakdown},
		{Term: "BT-111", Total: en16931.TotalTaxInTaxCurrency, Keep: invoice.ShareTaxInTaxCurrency, From: "taxSummary[].taxCurrencyTaxAmount",
			Path: "cac:TaxTotal[cbc:TaxAmount/@currencyID=$taxCurrency]/cbc:TaxAmount", Type: m.Amount, Attrs: []m.Attr{{Name: "currencyID", Const: taxCurrency}}},
		{Term: "BG-22", Card: m.One, Path: "cac:LegalMonetaryTotal", Rows: []row{ // and BT-110, BT-111 in the tax totals
			{Term: "BT-106", Card: m.One, Total: en16931.TotalLines, From: "subtotal", Path: "cbc:LineExtensionAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-107", Total: en16931.TotalAllowances, From: "allowancesCharges[].amount", Path: "cbc:AllowanceTotalAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-108", Total: en16931.TotalCharges, From: "allowancesCharges[].amount", Path: "cbc:ChargeTotalAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-109", Card: m.One, Field: "subtotal", Path: "cbc:TaxExclusiveAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-112", Card: m.One, Field: "total", Path: "cbc:TaxInclusiveAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-113", Field: "prepaidAmount", Path: "cbc:PrepaidAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-114", Field: "roundingAmount", Path: "cbc:PayableRoundingAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-115", Card: m.One, Total: en16931.AmountDue, From: "total", Path: "cbc:PayableAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-115", Card: m.One, Total: en16931.AmountDueWithThirdParties, From: "total", Path: "cbc:PayableAmount", Type: m.Amount, Attrs: inCurrency, In: Extension},
		}},
		{Term: "BG-DEX-09", Card: m.Many, Field: "thirdPartyPayments[]", Path: "cac:PrepaidPayment", In: Extension, Rows: []row{
			{Term: "BT-DEX-001", Card: m.One, Field: "type", Path: "cbc:ID"},
			{Term: "BT-DEX-002", Card: m.One, Field: "paidAmount", Path: "cbc:PaidAmount", Type: m.Amount, Attrs: inCurrency},
			{Term: "BT-DEX-003", Card: m.One, Field: "description", Path: "cbc:InstructionID"},
		}},

		// Lines.
		{Term: "BG-25", Card: m.OneOrMore, Field: "items[]", Path: "cac:InvoiceLine|cac:CreditNoteLine", Rows: line},
	}, pintLast),
}

// taxTotal is the tax total in the invoice currency; the one in the tax currency holds BT-111 alone.
const taxTotal = "cac:TaxTotal[cbc:TaxAmount/@currencyID=$currency]"

// The variables of the table.
const (
	currency    = "$currency"    // BT-5
	taxCurrency = "$taxCurrency" // BT-6
)

var inCurrency = []m.Attr{{Name: "currencyID", Const: currency}}

// schemeID is the identification scheme of an identifier.
func schemeID(term, field string) []m.Attr {
	return []m.Attr{{Name: "schemeID", Term: term, Field: field}}
}
