package mapping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// The editions of ciiTable: profiles of Factur-X, each with what the one before has.
const (
	ciiBasic    = "BASIC"
	ciiEN16931  = "EN 16931"
	ciiExtended = "EXTENDED"
)

// The specification identifiers of the editions.
const (
	basicID    = "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic"
	en16931ID  = "urn:cen.eu:en16931:2017"
	extendedID = "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended"
)

// ciiTable is a part of EN 16931 on UN/CEFACT CII (CEN/TS 16931-3-3): what the mapping must be able to do for that syntax.
var ciiTable = Table[invoice.Invoice]{
	Namespaces: map[string]string{
		"rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
		"ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
		"udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
	},
	Elements: []Element{{Name: "rsm:CrossIndustryInvoice"}},
	Editions: []Edition{
		{Name: ciiBasic, Specifications: []string{basicID}},
		{Name: ciiEN16931, Includes: []string{ciiBasic}},
		{Name: ciiExtended, Includes: []string{ciiEN16931}, Specifications: []string{extendedID}},
	},
	Variables: map[string]string{testCurrency: "currency", testTaxCurrency: "taxCurrencyCode"},
	Lines:     "items[]",
	Order: map[string]string{
		"ExchangedDocument": "ram:ID ram:TypeCode ram:IssueDateTime ram:IncludedNote",
		"IncludedNote":      "ram:Content ram:SubjectCode",
		"SupplyChainTradeTransaction": "ram:IncludedSupplyChainTradeLineItem ram:ApplicableHeaderTradeAgreement ram:ApplicableHeaderTradeDelivery " +
			"ram:ApplicableHeaderTradeSettlement",
		"IncludedSupplyChainTradeLineItem": "ram:AssociatedDocumentLineDocument ram:SpecifiedTradeProduct ram:SpecifiedLineTradeAgreement " +
			"ram:SpecifiedLineTradeDelivery ram:SpecifiedLineTradeSettlement",
		"AssociatedDocumentLineDocument": "ram:LineID ram:ParentLineID ram:LineStatusReasonCode ram:IncludedNote",
		"SpecifiedTradeProduct":          "ram:GlobalID ram:SellerAssignedID ram:Name ram:Description",
		"SpecifiedLineTradeSettlement":   "ram:ApplicableTradeTax ram:BillingSpecifiedPeriod ram:SpecifiedTradeSettlementLineMonetarySummation",
		"SellerTradeParty": "ram:ID ram:GlobalID ram:Name ram:SpecifiedLegalOrganization ram:DefinedTradeContact ram:PostalTradeAddress " +
			"ram:URIUniversalCommunication ram:SpecifiedTaxRegistration",
		"PostalTradeAddress": "ram:PostcodeCode ram:LineOne ram:CityName ram:CountryID",
		"ApplicableHeaderTradeSettlement": "ram:TaxCurrencyCode ram:InvoiceCurrencyCode ram:ApplicableTradeTax ram:SpecifiedTradeAllowanceCharge " +
			"ram:SpecifiedTradePaymentTerms ram:SpecifiedTradeSettlementHeaderMonetarySummation",
		"ApplicableTradeTax": "ram:CalculatedAmount ram:TypeCode ram:BasisAmount ram:CategoryCode ram:TaxPointDate ram:DueDateTypeCode ram:RateApplicablePercent",
		"SpecifiedTradeSettlementHeaderMonetarySummation": "ram:LineTotalAmount ram:ChargeTotalAmount ram:AllowanceTotalAmount ram:TaxBasisTotalAmount " +
			"ram:TaxTotalAmount ram:GrandTotalAmount ram:DuePayableAmount",
	},
	Silent: map[string]string{"type": "BT-3 says it"},
	Rows: []testRow{
		{Term: "BT-23", Field: "businessProcess", Path: "rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"},
		{Term: "BT-24", Const: Specification, From: "profile", Path: "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"},
		{Path: "rsm:ExchangedDocument", Rows: []testRow{
			{Term: "BT-1", Card: One, Field: "invoiceNumber", Path: "ram:ID"},
			{Term: "BT-3", Card: One, Field: "countrySpecific.invoiceTypeCode", Path: "ram:TypeCode", Type: Code},
			{Term: "BT-2", Card: One, Field: "issueDate", Path: "ram:IssueDateTime/udt:DateTimeString", Type: Day, Convert: Format102, Attrs: in102},
			{Term: "BG-1", Card: Many, Field: "noteEntries[]", Path: "ram:IncludedNote", Rows: []testRow{
				{Term: "BT-22", Card: One, Field: "text", Path: "ram:Content"},
				{Term: "BT-21", Field: "subjectCode", Path: "ram:SubjectCode", Type: Code},
			}},
		}},
		{Path: "rsm:SupplyChainTradeTransaction", Rows: []testRow{
			{Term: "BG-25", Card: OneOrMore, Field: "items[]", Path: "ram:IncludedSupplyChainTradeLineItem", Rows: ciiLine},
			{Path: "ram:ApplicableHeaderTradeAgreement", Rows: []testRow{
				{Term: "BT-10", Field: "buyerReference", Path: "ram:BuyerReference"},
				{Term: "BG-4", Card: One, Field: "seller", Path: "ram:SellerTradeParty", Rows: ciiSeller},
			}},
			{Path: "ram:ApplicableHeaderTradeDelivery", Required: true, Rows: []testRow{
				{Term: "BT-72", Field: "delivery.date", Path: "ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/udt:DateTimeString", Type: Day, Convert: Format102, Attrs: in102},
			}},
			{Path: "ram:ApplicableHeaderTradeSettlement", Rows: ciiSettlement},
		}},
	},
}

// in102 says that a day has the form YYYYMMDD.
var in102 = []Attr{{Name: "format", Const: "102"}}

// taxPoints are the codes of BT-8: EN 16931 has those of UNTDID 2005, CII those of UNTDID 2475.
var taxPoints = Codes([2]string{"3", "5"}, [2]string{"35", "29"}, [2]string{"432", "72"})

var ciiSeller = []testRow{
	{Term: "BT-29", Card: Many, Field: "identifiers[]", Path: "ram:GlobalID", When: withScheme, Rows: ciiIdentifier},
	{Term: "BT-29", Card: Many, Field: "identifiers[]", Path: "ram:ID", Rows: ciiIdentifier},
	{Term: "BT-27", Card: One, Field: "name", Path: "ram:Name"},
	{Term: "BT-30", Field: "registrationNumber", Path: "ram:SpecifiedLegalOrganization/ram:ID", Attrs: []Attr{{Name: "schemeID", Term: "BT-30-1", Field: "registrationScheme"}}},
	{Term: "BG-6", Field: "contact", Path: "ram:DefinedTradeContact", In: ciiEN16931, Rows: []testRow{{Term: "BT-41", Field: "name", Path: "ram:PersonName"}}},
	{Term: "BG-5", Card: One, Path: "ram:PostalTradeAddress", Rows: []testRow{
		{Term: "BT-38", Field: "postalCode", Path: "ram:PostcodeCode"},
		{Term: "BT-35", Field: "street", Path: "ram:LineOne"},
		{Term: "BT-37", Field: "city", Path: "ram:CityName"},
		{Term: "BT-40", Card: One, Field: "countryCode", Path: "ram:CountryID", Type: Code},
	}},
	{Term: "BT-34", Field: "electronicAddress.id", Path: "ram:URIUniversalCommunication/ram:URIID", Attrs: []Attr{{Name: "schemeID", Term: "BT-34-1", Field: "electronicAddress.schemeId"}}},
	{Term: "BT-31", Field: "vatId", Path: "ram:SpecifiedTaxRegistration[ram:ID/@schemeID='VA']/ram:ID"},
	{Term: "BT-32", Field: "taxId", Path: "ram:SpecifiedTaxRegistration[ram:ID/@schemeID='FC']/ram:ID"},
}

// ciiIdentifier is the identifier whose element is the entry of the list.
var ciiIdentifier = []testRow{{Path: ".", Field: "id", Type: Identifier, Attrs: []Attr{{Name: "schemeID", Term: "BT-29-1", Field: "schemeId"}}}}

func withScheme(s Scope[invoice.Invoice]) bool { return s.Group.(*invoice.Identifier).SchemeID != "" }

var ciiSettlement = []testRow{
	{Term: "BT-6", Field: "taxCurrencyCode", Path: "ram:TaxCurrencyCode", Type: Code, In: ciiEN16931},
	{Term: "BT-5", Card: One, Field: "currency", Path: "ram:InvoiceCurrencyCode", Type: Code},
	{Term: "BG-23", Card: OneOrMore, Field: "taxSummary[]", Path: "ram:ApplicableTradeTax", Rows: []testRow{
		{Term: "BT-117", Card: One, Field: "taxAmount", Path: "ram:CalculatedAmount", Type: Amount, Convert: Decimals(0, 2)},
		{Const: "VAT", Path: "ram:TypeCode"},
		{Term: "BT-116", Card: One, Field: "netAmount", Path: "ram:BasisAmount", Type: Amount, Convert: Decimals(0, 2)},
		{Term: "BT-118", Card: One, Field: "taxCategoryCode", Path: "ram:CategoryCode", Type: Code},
		{Term: "BT-7", Field: "/taxPointDate", Path: "ram:TaxPointDate/udt:DateString", Type: Day, Convert: Format102, Attrs: in102, In: ciiEN16931},
		{Term: "BT-8", Field: "/taxPointDateCode", Path: "ram:DueDateTypeCode", Type: Code, Convert: taxPoints},
		{Term: "BT-119", Field: "taxRate", Path: "ram:RateApplicablePercent", Type: Percentage},
	}},
	{Term: "BG-21", Card: Many, Field: "allowancesCharges[]", Path: "ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='true']", When: isCharge,
		Rows: []testRow{indicator, {Term: "BT-99", Card: One, Field: "amount", Path: "ram:ActualAmount", Type: Amount}, {Term: "BT-104", Field: "reason", Path: "ram:Reason"}}},
	{Term: "BG-20", Card: Many, Field: "allowancesCharges[]", Path: "ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='false']",
		Rows: []testRow{indicator, {Term: "BT-92", Card: One, Field: "amount", Path: "ram:ActualAmount", Type: Amount}, {Term: "BT-97", Field: "reason", Path: "ram:Reason"}}},
	{Term: "BT-9", Field: "dueDate", Path: "ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/udt:DateTimeString", Type: Day, Convert: Format102, Attrs: in102},
	{Term: "BG-22", Card: One, Path: "ram:SpecifiedTradeSettlementHeaderMonetarySummation", Rows: []testRow{
		{Term: "BT-106", Card: One, Total: en16931.TotalLines, From: "subtotal", Path: "ram:LineTotalAmount", Type: Amount},
		{Term: "BT-108", Total: en16931.TotalCharges, From: "allowancesCharges[].amount", Path: "ram:ChargeTotalAmount", Type: Amount},
		{Term: "BT-107", Total: en16931.TotalAllowances, From: "allowancesCharges[].amount", Path: "ram:AllowanceTotalAmount", Type: Amount},
		{Term: "BT-109", Card: One, Field: "subtotal", Path: "ram:TaxBasisTotalAmount", Type: Amount},
		{Term: "BT-110", Total: en16931.TotalTax, From: "taxSummary[].taxAmount", Path: "ram:TaxTotalAmount[@currencyID=$currency]", Type: Amount},
		{Term: "BT-111", Total: en16931.TotalTaxInTaxCurrency, Keep: invoice.ShareTaxInTaxCurrency, From: "taxSummary[].taxCurrencyTaxAmount",
			Path: "ram:TaxTotalAmount[@currencyID=$taxCurrency]", Type: Amount, In: ciiEN16931},
		{Term: "BT-112", Card: One, Field: "total", Path: "ram:GrandTotalAmount", Type: Amount},
		{Term: "BT-115", Card: One, Total: en16931.AmountDue, From: "total", Path: "ram:DuePayableAmount", Type: Amount},
	}},
}

// indicator is the member that tells the rows of a list apart.
var indicator = testRow{Field: "isCharge", Path: "ram:ChargeIndicator/udt:Indicator", Type: Indicator}

func isCharge(s Scope[invoice.Invoice]) bool { return s.Group.(*invoice.DocumentCharge).Charge() }

var ciiLine = []testRow{
	{Path: "ram:AssociatedDocumentLineDocument", Rows: []testRow{
		{Term: "BT-126", Card: One, Field: "lineId", Path: "ram:LineID"},
		{Term: "BT-X-304", Field: "parentLineId", Path: "ram:ParentLineID", In: ciiExtended},
		{Term: "BT-X-8", Field: "lineSubtype", Path: "ram:LineStatusReasonCode", In: ciiExtended},
		{Term: "BT-127", Field: "note", Path: "ram:IncludedNote/ram:Content"},
	}},
	{Path: "ram:SpecifiedTradeProduct", Rows: []testRow{
		{Term: "BT-157", Field: "standardItemId.id", Path: "ram:GlobalID", Attrs: []Attr{{Name: "schemeID", Term: "BT-157-1", Field: "standardItemId.schemeId"}}},
		{Term: "BT-155", Field: "articleNumber", Path: "ram:SellerAssignedID", In: ciiEN16931},
		{Term: "BT-153", Card: One, Field: "description", Path: "ram:Name"},
		{Term: "BT-154", Field: "itemDescription", Path: "ram:Description", In: ciiEN16931},
	}},
	{Path: "ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount", Term: "BT-146", Card: One, Field: "unitPrice", Type: UnitPrice},
	{Path: "ram:SpecifiedLineTradeDelivery", Required: true, Rows: []testRow{
		{Term: "BT-129", Card: One, Field: "quantity", Path: "ram:BilledQuantity", Type: Quantity, Attrs: []Attr{{Name: "unitCode", Term: "BT-130", Field: "unit"}}},
	}},
	{Path: "ram:SpecifiedLineTradeSettlement", Rows: []testRow{
		{Term: "BG-30", Card: One, Path: "ram:ApplicableTradeTax", Rows: []testRow{
			{Const: "VAT", Path: "ram:TypeCode"},
			{Term: "BT-151", Card: One, Field: "taxCategoryCode", Path: "ram:CategoryCode", Type: Code},
			{Term: "BT-152", Field: "taxRate", Path: "ram:RateApplicablePercent", Type: Percentage},
		}},
		{Term: "BG-26", Field: "servicePeriod", Path: "ram:BillingSpecifiedPeriod", Rows: []testRow{
			{Term: "BT-134", Field: "start", Path: "ram:StartDateTime/udt:DateTimeString", Type: Day, Convert: Format102, Attrs: in102},
			{Term: "BT-135", Field: "end", Path: "ram:EndDateTime/udt:DateTimeString", Type: Day, Convert: Format102, Attrs: in102},
		}},
		{Term: "BT-131", Card: One, Field: "netAmount", Path: "ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount", Type: Amount},
	}},
}

func ciiMapping(t testing.TB) *mappings {
	t.Helper()
	m, err := Compile(&ciiTable)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ciiInvoice has every member of ciiTable. Its identifiers are in another order than that of the schema.
func ciiInvoice() *invoice.Invoice {
	d, yes, no := decimal.MustParse, true, false
	return &invoice.Invoice{
		InvoiceNumber: "2026-17", IssueDate: "2026-01-31", DueDate: "2026-03-02", TaxPointDate: "2026-01-15", TaxPointDateCode: "35", Currency: "EUR", TaxCurrencyCode: "SEK",
		BusinessProcess: "A1", BuyerReference: "ref", CountrySpecific: &invoice.CountrySpecific{InvoiceTypeCode: "380"},
		NoteEntries: []invoice.Note{{Text: "Thanks", SubjectCode: "AAI"}, {Text: "Plain"}},
		Seller: &invoice.Party{Name: "Werft Nord", RegistrationNumber: "HRB 1", RegistrationScheme: "0198", Contact: &invoice.Contact{Name: "Grete"},
			PostalCode: "24103", Street: "Kai 1", City: "Kiel", CountryCode: "DE", VATID: "DE1", TaxID: "20/1",
			ElectronicAddress: &invoice.ElectronicAddress{ID: "a@b.example", SchemeID: "EM"},
			Identifiers:       []invoice.Identifier{{ID: "4000001", SchemeID: "0088"}, {ID: "K-7"}, {ID: "555", SchemeID: "0060"}, {ID: "K-8"}}},
		Delivery:          &invoice.Delivery{Date: "2026-01-30"},
		AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &yes, Amount: d("3.00"), Reason: "Freight"}, {IsCharge: &no, Amount: d("1.00"), Reason: "Bonus"}, {IsCharge: &yes, Amount: d("2.00"), Reason: "Packing"}},
		TaxSummary: []invoice.TaxSummary{{TaxAmount: d("19.76"), NetAmount: d("104.00"), TaxCategoryCode: "S", TaxRate: d("19"), TaxCurrencyTaxAmount: d("200.00")},
			{TaxAmount: d("0"), NetAmount: d("10.00"), TaxCategoryCode: "Z", TaxRate: d("0"), TaxCurrencyTaxAmount: d("0.00")}},
		Subtotal: d("114.00"), Total: d("133.76"),
		Items: []invoice.Item{
			{LineID: "1", LineSubtype: invoice.LineGroup, Note: "set", Description: "Rigging", TaxCategoryCode: "S", TaxRate: d("19"), UnitPrice: d("100.00"), Quantity: d("1"), Unit: "C62", NetAmount: d("100.00"),
				ServicePeriod: &invoice.Period{Start: "2026-01-01", End: "2026-01-31"}},
			{LineID: "1.1", ParentLineID: "1", LineSubtype: invoice.LineDetail, ArticleNumber: "S-1", StandardItemID: &invoice.StandardItemID{ID: "0730001", SchemeID: "0160"},
				Description: "Shroud", ItemDescription: "steel", TaxCategoryCode: "Z", UnitPrice: d("5.000"), Quantity: d("2"), Unit: "MTR", NetAmount: d("10.00")},
		},
	}
}

// ciiDocument is ciiInvoice in the edition EXTENDED.
const ciiDocument = `<rsm:CrossIndustryInvoice xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"` +
	` xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext>
<ram:BusinessProcessSpecifiedDocumentContextParameter><ram:ID>A1</ram:ID></ram:BusinessProcessSpecifiedDocumentContextParameter>
<ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter>
</rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument>
<ram:ID>2026-17</ram:ID>
<ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime><udt:DateTimeString format="102">20260131</udt:DateTimeString></ram:IssueDateTime>
<ram:IncludedNote><ram:Content>Thanks</ram:Content><ram:SubjectCode>AAI</ram:SubjectCode></ram:IncludedNote>
<ram:IncludedNote><ram:Content>Plain</ram:Content></ram:IncludedNote>
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:IncludedSupplyChainTradeLineItem>
<ram:AssociatedDocumentLineDocument>
<ram:LineID>1</ram:LineID><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode><ram:IncludedNote><ram:Content>set</ram:Content></ram:IncludedNote>
</ram:AssociatedDocumentLineDocument>
<ram:SpecifiedTradeProduct><ram:Name>Rigging</ram:Name></ram:SpecifiedTradeProduct>
<ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>100.00</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">1</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
<ram:SpecifiedLineTradeSettlement>
<ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>
<ram:BillingSpecifiedPeriod>
<ram:StartDateTime><udt:DateTimeString format="102">20260101</udt:DateTimeString></ram:StartDateTime>
<ram:EndDateTime><udt:DateTimeString format="102">20260131</udt:DateTimeString></ram:EndDateTime>
</ram:BillingSpecifiedPeriod>
<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>100.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
</ram:SpecifiedLineTradeSettlement>
</ram:IncludedSupplyChainTradeLineItem>
<ram:IncludedSupplyChainTradeLineItem>
<ram:AssociatedDocumentLineDocument>
<ram:LineID>1.1</ram:LineID><ram:ParentLineID>1</ram:ParentLineID><ram:LineStatusReasonCode>DETAIL</ram:LineStatusReasonCode>
</ram:AssociatedDocumentLineDocument>
<ram:SpecifiedTradeProduct>
<ram:GlobalID schemeID="0160">0730001</ram:GlobalID><ram:SellerAssignedID>S-1</ram:SellerAssignedID><ram:Name>Shroud</ram:Name><ram:Description>steel</ram:Description>
</ram:SpecifiedTradeProduct>
<ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>5.000</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="MTR">2</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
<ram:SpecifiedLineTradeSettlement>
<ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>Z</ram:CategoryCode></ram:ApplicableTradeTax>
<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>10.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
</ram:SpecifiedLineTradeSettlement>
</ram:IncludedSupplyChainTradeLineItem>
<ram:ApplicableHeaderTradeAgreement>
<ram:BuyerReference>ref</ram:BuyerReference>
<ram:SellerTradeParty>
<ram:ID>K-7</ram:ID><ram:ID>K-8</ram:ID><ram:GlobalID schemeID="0088">4000001</ram:GlobalID><ram:GlobalID schemeID="0060">555</ram:GlobalID>
<ram:Name>Werft Nord</ram:Name>
<ram:SpecifiedLegalOrganization><ram:ID schemeID="0198">HRB 1</ram:ID></ram:SpecifiedLegalOrganization>
<ram:DefinedTradeContact><ram:PersonName>Grete</ram:PersonName></ram:DefinedTradeContact>
<ram:PostalTradeAddress><ram:PostcodeCode>24103</ram:PostcodeCode><ram:LineOne>Kai 1</ram:LineOne><ram:CityName>Kiel</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>
<ram:URIUniversalCommunication><ram:URIID schemeID="EM">a@b.example</ram:URIID></ram:URIUniversalCommunication>
<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE1</ram:ID></ram:SpecifiedTaxRegistration>
<ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">20/1</ram:ID></ram:SpecifiedTaxRegistration>
</ram:SellerTradeParty>
</ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery>
<ram:ActualDeliverySupplyChainEvent><ram:OccurrenceDateTime><udt:DateTimeString format="102">20260130</udt:DateTimeString></ram:OccurrenceDateTime></ram:ActualDeliverySupplyChainEvent>
</ram:ApplicableHeaderTradeDelivery>
<ram:ApplicableHeaderTradeSettlement>
<ram:TaxCurrencyCode>SEK</ram:TaxCurrencyCode>
<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:ApplicableTradeTax>
<ram:CalculatedAmount>19.76</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>104.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode>
<ram:TaxPointDate><udt:DateString format="102">20260115</udt:DateString></ram:TaxPointDate><ram:DueDateTypeCode>29</ram:DueDateTypeCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent>
</ram:ApplicableTradeTax>
<ram:ApplicableTradeTax>
<ram:CalculatedAmount>0</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>10.00</ram:BasisAmount><ram:CategoryCode>Z</ram:CategoryCode>
<ram:TaxPointDate><udt:DateString format="102">20260115</udt:DateString></ram:TaxPointDate><ram:DueDateTypeCode>29</ram:DueDateTypeCode><ram:RateApplicablePercent>0</ram:RateApplicablePercent>
</ram:ApplicableTradeTax>
<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>true</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>3.00</ram:ActualAmount><ram:Reason>Freight</ram:Reason></ram:SpecifiedTradeAllowanceCharge>
<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>1.00</ram:ActualAmount><ram:Reason>Bonus</ram:Reason></ram:SpecifiedTradeAllowanceCharge>
<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>true</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>2.00</ram:ActualAmount><ram:Reason>Packing</ram:Reason></ram:SpecifiedTradeAllowanceCharge>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">20260302</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation>
<ram:LineTotalAmount>110.00</ram:LineTotalAmount><ram:ChargeTotalAmount>5.00</ram:ChargeTotalAmount><ram:AllowanceTotalAmount>1.00</ram:AllowanceTotalAmount>
<ram:TaxBasisTotalAmount>114.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="EUR">19.76</ram:TaxTotalAmount><ram:TaxTotalAmount currencyID="SEK">200.00</ram:TaxTotalAmount>
<ram:GrandTotalAmount>133.76</ram:GrandTotalAmount><ram:DuePayableAmount>133.76</ram:DuePayableAmount>
</ram:SpecifiedTradeSettlementHeaderMonetarySummation>
</ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>`

// TestCIIIsWrittenAndReadInItsLargestEdition ensures the document and the way back, every leaf of it. The schema wants identifiers
// without a scheme first; allowances and charges keep their order.
func TestCIIIsWrittenAndReadInItsLargestEdition(t *testing.T) {
	m := ciiMapping(t)
	text, unwritten := writeEdition(t, m, ciiInvoice(), extendedID)
	if diff := cmp.Diff(strings.ReplaceAll(ciiDocument, "\n", ""), flat(text)); diff != "" || len(unwritten) > 0 {
		t.Errorf("%+v\n%s", unwritten, diff)
	}
	got := read(t, m, ciiDocument)
	want := ciiInvoice()
	ids := want.Seller.Identifiers
	want.Seller.Identifiers = []invoice.Identifier{ids[1], ids[3], ids[0], ids[2]}
	if diff := cmp.Diff(want, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" || got.Edition != ciiExtended || got.Specification != extendedID {
		t.Errorf("%s %s\n%s", got.Edition, got.Specification, diff)
	}
	if a := got.Account; a.Reported > 0 || a.Mapped+a.Derived != mappingtest.Leaves(parse(t, ciiDocument)) {
		t.Errorf("%+v", a)
	}
	again, _ := writeEdition(t, m, got.Invoice, extendedID)
	if again != text {
		t.Error(cmp.Diff(text, again))
	}
}

// TestEachEditionOfCIIHasTheRowsOfThoseBeforeIt writes and reads the same invoice in every profile of the chain.
func TestEachEditionOfCIIHasTheRowsOfThoseBeforeIt(t *testing.T) {
	m := ciiMapping(t)
	beyondBasic := []Unwritten{{Field: "taxPointDate"}, {Field: "taxCurrencyCode"}, {Field: "seller.contact.name"}, {Field: "taxSummary[0].taxCurrencyTaxAmount", More: 1}}
	for _, c := range []struct {
		edition, specification string
		unwritten              []Unwritten
		lacks                  string // elements
		reported               int    // leaves of ciiDocument
	}{
		{ciiBasic, basicID, append(beyondBasic, Unwritten{Field: "items[0].lineSubtype", More: 1}, Unwritten{Field: "items[1].itemDescription"},
			Unwritten{Field: "items[1].articleNumber"}, Unwritten{Field: "items[1].parentLineId"}),
			"DefinedTradeContact SellerAssignedID ram:Description TaxPointDate TaxCurrencyCode SEK ParentLineID LineStatusReasonCode", 13},
		{ciiEN16931, en16931ID, []Unwritten{{Field: "items[0].lineSubtype", More: 1}, {Field: "items[1].parentLineId"}}, "ParentLineID LineStatusReasonCode", 3},
		{ciiEN16931, "urn:of:another", []Unwritten{{Field: "items[0].lineSubtype", More: 1}, {Field: "items[1].parentLineId"}}, "ParentLineID LineStatusReasonCode", 3},
		{ciiExtended, extendedID, nil, "", 0},
	} {
		text, unwritten := writeEdition(t, m, ciiInvoice(), c.specification)
		if diff := cmp.Diff(c.unwritten, unwritten); diff != "" {
			t.Errorf("%s: %s", c.edition, diff)
		}
		for name := range strings.FieldsSeq(c.lacks) {
			if strings.Contains(text, name) {
				t.Errorf("%s has %s", c.edition, name)
			}
		}
		for name := range strings.FieldsSeq("PostalTradeAddress ApplicableTradeTax BilledQuantity SpecifiedTaxRegistration") {
			if !strings.Contains(text, name) {
				t.Errorf("%s lacks %s", c.edition, name)
			}
		}
		if got := read(t, m, text); got.Edition != c.edition || got.Specification != c.specification || got.Account.Reported > 0 {
			t.Errorf("%s: %s %s %+v", c.edition, got.Edition, got.Specification, got.Account)
		}
		got := read(t, m, strings.Replace(ciiDocument, extendedID, c.specification, 1))
		if got.Account.Reported != c.reported {
			t.Errorf("%s: %+v", c.edition, got.Account)
		}
	}
}

// TestUsesTellWhereEditionsOfCIIHaveATerm counts the places: one where all editions have the term alike.
func TestUsesTellWhereEditionsOfCIIHaveATerm(t *testing.T) {
	m := ciiMapping(t)
	for term, want := range map[string]int{"BT-X-304": 1, "BT-154": 1, "BT-8": 1, "BT-29": 2, "BT-29-1": 2, "BT-111": 1} {
		if uses := m.Uses(term); len(uses) != want {
			t.Errorf("%s: %+v", term, uses)
		}
	}
	want := Use{Term: "BT-29", Field: "seller.identifiers[].id", Cardinality: "0..n",
		Path: "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty/ram:GlobalID"}
	if uses := m.Uses("BT-29"); len(uses) != 2 || uses[0] != want && uses[1] != want {
		t.Errorf("%+v", uses)
	}
}

// TestPartsOfCIIAreLocated has the last steps of paths, and the member from the document alone and from the invoice as well.
func TestPartsOfCIIAreLocated(t *testing.T) {
	m := ciiMapping(t)
	doc := parse(t, ciiDocument)
	alone, known := m.NewLocator(doc), m.NewLocatorOf(doc, ciiInvoice())
	const party = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty"
	const settlement = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement"
	const line = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem"
	for _, c := range []struct{ path, alone, known, term string }{
		{party + "/ram:ID[1]", "seller.identifiers[0].id", "seller.identifiers[1].id", "BT-29"},
		{party + "/ram:ID[2]", "seller.identifiers[1].id", "seller.identifiers[3].id", "BT-29"},
		{party + "/ram:GlobalID[1]", "seller.identifiers[2].id", "seller.identifiers[0].id", "BT-29"},
		{party + "/ram:GlobalID[2]", "seller.identifiers[3].id", "seller.identifiers[2].id", "BT-29"},
		{party + "/ram:GlobalID[2]/@schemeID", "seller.identifiers[3].schemeId", "seller.identifiers[2].schemeId", "BT-29-1"},
		{settlement + "/ram:SpecifiedTradeAllowanceCharge[2]/ram:ActualAmount", "allowancesCharges[1].amount", "allowancesCharges[1].amount", "BT-92"},
		{settlement + "/ram:SpecifiedTradeAllowanceCharge[3]/ram:ActualAmount", "allowancesCharges[2].amount", "allowancesCharges[2].amount", "BT-99"},
		{settlement + "/ram:ApplicableTradeTax[2]/ram:DueDateTypeCode", "taxPointDateCode", "taxPointDateCode", "BT-8"},
		{settlement + "/ram:ApplicableTradeTax[2]/ram:TaxPointDate/udt:DateString/@format", "taxPointDate", "taxPointDate", "BT-7"},
		{line + "[2]/ram:AssociatedDocumentLineDocument/ram:ParentLineID", "items[1].parentLineId", "items[1].parentLineId", "BT-X-304"},
		{line + "[2]/ram:SpecifiedTradeProduct/ram:GlobalID/@schemeID", "items[1].standardItemId.schemeId", "items[1].standardItemId.schemeId", "BT-157-1"},
	} {
		at := nodeAt(t, doc, c.path)
		if got := alone.Locate(at); got != (Place{c.alone, c.term}) {
			t.Errorf("%s: %+v, want %s %s", c.path, got, c.alone, c.term)
		}
		if got := known.Locate(at); got != (Place{c.known, c.term}) {
			t.Errorf("%s: %+v, want %s %s", c.path, got, c.known, c.term)
		}
	}
	if seen, ok := known.Nearest("BT-29-1", nodeAt(t, doc, party+"/ram:GlobalID[2]")); !ok || seen.Field != "seller.identifiers[2].schemeId" || !seen.Present {
		t.Errorf("%+v", seen)
	}
}
