package cii

import (
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// The editions of the table: the profiles of Factur-X and ZUGFeRD, each with what the one before has. Documents are read as one of the
// last two, whatever they say they are, so that nothing that the invoice has a member for is left out.
const (
	Basic       = "BASIC"
	EN16931     = "EN 16931"
	Extended107 = "EXTENDED 1.07" // of Factur-X 1.07 and ZUGFeRD 2.3
	Extended108 = "EXTENDED 1.08" // of Factur-X 1.08 and ZUGFeRD 2.4
	Extended    = "EXTENDED"      // of Factur-X 1.09 and ZUGFeRD 2.5
	Any         = "any"           // documents that are not EXTENDED: all elements of that, with the totals of EN 16931
)

type (
	row   = m.Row[invoice.Invoice]
	scope = m.Scope[invoice.Invoice]
)

// Table is the one place where a business term meets its CII element. Terms with an X are those of Factur-X EXTENDED. Fields are
// those of the canonical invoice (see core/profile); the compiler puts elements into schema order.
var Table = m.Table[invoice.Invoice]{
	Namespaces: map[string]string{
		"rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
		"ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
		"udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
		"qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
	},
	Elements: []m.Element{{Name: "rsm:CrossIndustryInvoice"}},
	Editions: []m.Edition{
		{Name: Basic, ByName: true},
		{Name: EN16931, Includes: []string{Basic}, ByName: true},
		{Name: Extended107, Includes: []string{EN16931}, ByName: true},
		{Name: Extended108, Includes: []string{Extended107}, ByName: true},
		{Name: Extended, Includes: []string{Extended108}, Specifications: []string{
			"urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
			"urn:cen.eu:en16931:2017#conformant#urn:zugferd.de:2p0:extended",
			"urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr",
		}},
		{Name: Any, Includes: []string{Extended}},
	},
	Variables: map[string]string{currency: "currency", taxCurrency: "taxCurrencyCode"},
	Lines:     "items[]",
	Order:     elementorder.CII(),
	Silent: map[string]string{
		"type":                        "BT-3 says it",
		"profile":                     "BT-24 says it",
		"serviceCategory":             "it decides about a note and says nothing itself",
		"countrySpecific.countryCode": "it names the country whose members follow",
	},
	Rows: []row{
		{Path: "rsm:ExchangedDocumentContext", Required: true, Rows: []row{
			{Term: "BT-23", Field: "businessProcess", Path: "ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID", Type: m.Identifier},
			{Term: "BT-24", Card: m.One, Const: m.Specification, From: "profile", Path: "ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"},
		}},
		{Path: "rsm:ExchangedDocument", Rows: []row{
			{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "ram:ID", Type: m.Identifier},
			{Term: "BT-3", Card: m.One, Field: "countrySpecific.invoiceTypeCode", Path: "ram:TypeCode", Type: m.Code},
			day("BT-2", m.One, "issueDate", "ram:IssueDateTime/udt:DateTimeString"),
			{Term: "BG-1", Card: m.Many, Field: "noteEntries[]", Path: "ram:IncludedNote", Rows: []row{
				{Term: "BT-22", Card: m.One, Field: "text", Path: "ram:Content"},
				{Term: "BT-21", Field: "subjectCode", Path: "ram:SubjectCode", Type: m.Code},
			}},
		}},
		{Path: "rsm:SupplyChainTradeTransaction", Rows: []row{
			{Term: "BG-25", Card: m.OneOrMore, Field: "items[]", Path: "ram:IncludedSupplyChainTradeLineItem", Rows: line},
			{Path: "ram:ApplicableHeaderTradeAgreement", Required: true, Rows: agreement},
			{Path: "ram:ApplicableHeaderTradeDelivery", Required: true, Rows: delivery},
			{Path: "ram:ApplicableHeaderTradeSettlement", Required: true, Rows: settlement},
		}},
	},
}

var agreement = []row{
	{Term: "BT-10", Field: "buyerReference", Path: "ram:BuyerReference"},
	{Term: "BG-4", Card: m.One, Field: "seller", Path: "ram:SellerTradeParty", Rows: seller},
	{Term: "BG-7", Card: m.One, Field: "buyer", Path: "ram:BuyerTradeParty", Rows: buyer},
	{Term: "BG-11", Field: "taxRepresentative", Path: "ram:SellerTaxRepresentativeTradeParty", Rows: taxRepresentative},
	{Term: "BT-14", Field: "salesOrderNumber", Path: "ram:SellerOrderReferencedDocument/ram:IssuerAssignedID", Type: m.Identifier, In: EN16931},
	{Term: "BT-13", Field: "orderNumber", Path: "ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID", Type: m.Identifier},
	{Term: "BT-12", Field: "contractNumber", Path: "ram:ContractReferencedDocument/ram:IssuerAssignedID", Type: m.Identifier},
	{Term: "BG-24", Card: m.Many, Field: "attachments[]", Path: "ram:AdditionalReferencedDocument[ram:TypeCode='916'][ram:AttachmentBinaryObject]", In: EN16931, Rows: []row{
		{Term: "BT-122", Card: m.One, Field: "reference", Path: "ram:IssuerAssignedID", Type: m.Identifier},
		{Term: "BT-123", Field: "description", Path: "ram:Name"},
		{Term: "BT-124", Field: "uri", Path: "ram:URIID", Type: m.Identifier},
		{Term: "BT-125", Field: "content", Path: "ram:AttachmentBinaryObject", Type: m.Binary, Attrs: []m.Attr{
			{Name: "mimeCode", Term: "BT-125-1", Field: "mimeType"},
			{Name: "filename", Term: "BT-125-2", Field: "filename"}}},
	}},
	{Term: "BG-24", Card: m.Many, Field: "supportingDocuments[]", Path: "ram:AdditionalReferencedDocument[ram:TypeCode='916']", In: EN16931, Rows: []row{
		{Term: "BT-122", Card: m.One, Field: "id", Path: "ram:IssuerAssignedID", Type: m.Identifier},
		{Term: "BT-123", Field: "description", Path: "ram:Name"},
		{Term: "BT-124", Field: "uri", Path: "ram:URIID", Type: m.Identifier},
	}},
	{Term: "BT-17", Field: "tenderReference", Path: "ram:AdditionalReferencedDocument[ram:TypeCode='50']/ram:IssuerAssignedID", Type: m.Identifier, In: EN16931},
	{Term: "BT-18", Field: "objectId", Path: invoicedObject + "/ram:IssuerAssignedID", Type: m.Identifier, In: EN16931},
	{Term: "BT-18-1", Field: "objectIdScheme", Path: invoicedObject + "/ram:ReferenceTypeCode", Type: m.Code, In: EN16931},
	{Term: "BT-11", Field: "projectNumber", Path: "ram:SpecifiedProcuringProject/ram:ID", Type: m.Identifier, In: EN16931},
	{Const: "Project reference", Path: "ram:SpecifiedProcuringProject/ram:Name", In: EN16931}, // the schema demands a name
}

// invoicedObject is the reference to the object that is invoiced, on the document and on lines (UNTDID 1001, code 130).
const invoicedObject = "ram:AdditionalReferencedDocument[ram:TypeCode='130']"

var delivery = []row{
	{Term: "BG-13", Path: "ram:ShipToTradeParty", Rows: []row{
		{Term: "BT-71", Field: "delivery.locationId", Path: "ram:ID", Type: m.Identifier, When: withoutLocationScheme},
		{Term: "BT-71", Field: "delivery.locationId", Path: "ram:GlobalID", Type: m.Identifier, When: withLocationScheme,
			Attrs: schemeID("BT-71-1", "delivery.locationIdScheme")},
		{Term: "BT-70", Field: "delivery.name", Path: "ram:Name"},
		{Term: "BG-15", Field: "delivery.address", Path: "ram:PostalTradeAddress", Rows: address(75, 165)},
	}},
	day("BT-72", m.Optional, "delivery.date", "ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/udt:DateTimeString"),
	{Term: "BT-16", Field: "deliveryNote.number", Path: "ram:DespatchAdviceReferencedDocument/ram:IssuerAssignedID", Type: m.Identifier},
	in(Extended107, day("BT-X-200", m.Optional, "deliveryNote.date", "ram:DespatchAdviceReferencedDocument/ram:FormattedIssueDateTime/qdt:DateTimeString")),
	{Term: "BT-15", Field: "receivingAdviceNumber", Path: "ram:ReceivingAdviceReferencedDocument/ram:IssuerAssignedID", Type: m.Identifier, In: EN16931},
}

func withLocationScheme(s scope) bool {
	return s.Invoice.Delivery != nil && s.Invoice.Delivery.LocationIDScheme != ""
}

func withoutLocationScheme(s scope) bool { return !withLocationScheme(s) }

// The variables of the table.
const (
	currency    = "$currency"    // BT-5
	taxCurrency = "$taxCurrency" // BT-6
)

// schemeID is the identification scheme of an identifier.
func schemeID(term, field string) []m.Attr {
	return []m.Attr{{Name: "schemeID", Term: term, Field: field}}
}

// day is a row for a date, which CII has as YYYYMMDD with the code of that form (UNTDID 2379, code 102).
func day(term string, card m.Cardinality, field, path string) row {
	return row{Term: term, Card: card, Field: field, Path: path, Type: m.Day, Convert: m.Format102, Attrs: []m.Attr{{Name: "format", Const: "102"}}}
}

// in gives a row to an edition and those that include it.
func in(edition string, r row) row {
	r.In = edition
	return r
}

// readOnly is for a text that the invoice has a member for and that documents are not written with.
var readOnly = &m.Converter{
	Write: func(string) (string, bool) { return "", false },
	Read:  func(text string) (string, bool) { return text, true },
}

// taxPoints are the codes of BT-8: EN 16931 has those of UNTDID 2005, CII those of UNTDID 2475.
var taxPoints = m.Codes([2]string{"3", "5"}, [2]string{"35", "29"}, [2]string{"432", "72"})
