package cii

import (
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

var line = []row{
	{Path: "ram:AssociatedDocumentLineDocument", Rows: []row{
		{Term: "BT-126", Card: m.One, Field: "lineId", Path: "ram:LineID", Type: m.Identifier},
		{Term: "BT-X-304", Field: "parentLineId", Path: "ram:ParentLineID", Type: m.Identifier, In: Extended107},
		{Term: "BT-X-8", Field: "lineSubtype", Path: "ram:LineStatusReasonCode", Type: m.Code, In: Extended107},
		{Term: "BT-127", Field: "note", Path: "ram:IncludedNote/ram:Content", Lines: true},
	}},
	{Term: "BG-31", Card: m.One, Path: "ram:SpecifiedTradeProduct", Rows: item},
	{Path: "ram:SpecifiedLineTradeAgreement", Required: true, Rows: []row{
		{Term: "BT-132", Field: "orderLineReference", Path: "ram:BuyerOrderReferencedDocument/ram:LineID", Type: m.Identifier, In: EN16931},
		{Term: "BT-148", Field: "grossPrice", Path: grossPrice + "/ram:ChargeAmount", Type: m.UnitPrice},
		{Term: "BT-147", Field: "priceDiscount", Path: grossPrice + "/ram:AppliedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='false']/ram:ActualAmount",
			Type: m.UnitPrice},
		// BT-149 is a quantity for both prices: where they differ that of the net price, which the line is computed with, counts.
		{Field: "priceBaseQuantity", Path: grossPrice + "/ram:BasisQuantity", Type: m.Quantity, Attrs: baseUnit, When: withGrossPrice, Last: true},
		{Term: "BG-29", Card: m.One, Path: "ram:NetPriceProductTradePrice", Rows: []row{
			{Term: "BT-146", Card: m.One, Field: "unitPrice", Path: "ram:ChargeAmount", Type: m.UnitPrice},
			{Term: "BT-149", Field: "priceBaseQuantity", Path: "ram:BasisQuantity", Type: m.Quantity,
				Attrs: []m.Attr{{Name: "unitCode", Term: "BT-150", Field: "priceBaseUnit"}}},
		}},
	}},
	{Path: "ram:SpecifiedLineTradeDelivery", Required: true, Rows: []row{
		{Term: "BT-129", Card: m.One, Field: "quantity", Path: "ram:BilledQuantity", Type: m.InvoicedQuantity,
			Attrs: []m.Attr{{Name: "unitCode", Term: "BT-130", Field: "unit"}}},
		{Term: "BT-X-561", Field: "perPackageQuantity", Path: "ram:PerPackageUnitQuantity", Type: m.Quantity, In: Extended108,
			Attrs: []m.Attr{{Name: "unitCode", Field: "unit"}}},
	}},
	{Path: "ram:SpecifiedLineTradeSettlement", Rows: lineSettlement},
}

var lineSettlement = []row{
	{Term: "BG-30", Card: m.One, Path: "ram:ApplicableTradeTax", Rows: []row{
		{Const: "VAT", Path: "ram:TypeCode"},
		{Term: "BT-X-96", Field: "taxExemptionReason", Path: "ram:ExemptionReason", In: Extended107},
		{Term: "BT-151", Card: m.One, Field: "taxCategoryCode", Path: "ram:CategoryCode", Type: m.Code},
		{Term: "BT-X-97", Field: "taxExemptionReasonCode", Path: "ram:ExemptionReasonCode", Type: m.Code, In: Extended107},
		{Term: "BT-152", Field: "taxRate", Path: "ram:RateApplicablePercent", Type: m.Percentage},
	}},
	{Term: "BG-26", Field: "servicePeriod", Path: "ram:BillingSpecifiedPeriod", Rows: period("BT-134", "BT-135")},
	{Term: "BG-27", Card: m.Many, Field: "allowances[]", Path: "ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='false']", Rows: lineCharge(136)},
	{Term: "BG-28", Card: m.Many, Field: "charges[]", Path: "ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='true']", Rows: lineCharge(141)},
	{Term: "BT-131", Card: m.One, Field: "netAmount", Path: "ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount", Type: m.Amount},
	{Term: "BT-128", Field: "objectId", Path: invoicedObject + "/ram:IssuerAssignedID", Type: m.Identifier, In: EN16931},
	{Term: "BT-128-1", Field: "objectIdScheme", Path: invoicedObject + "/ram:ReferenceTypeCode", Type: m.Code, In: EN16931},
	{Term: "BT-133", Field: "buyerAccountingReference", Path: "ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID", In: EN16931},
}

// grossPrice is the price before the discount.
const grossPrice = "ram:GrossPriceProductTradePrice"

// baseUnit is the unit of the quantity that the gross price is for.
var baseUnit = []m.Attr{{Name: "unitCode", Field: "priceBaseUnit"}}

// withGrossPrice keeps the base quantity from making up a gross price.
func withGrossPrice(s scope) bool { return s.Group.(*invoice.Item).GrossPrice.IsSet() }

// lineCharge are the members of an allowance (BT-136 to BT-140) or a charge (BT-141 to BT-145) of a line, whose terms count on from the
// amount.
func lineCharge(amount int) []row {
	return []row{
		{Term: term(amount + 2), Field: "percentage", Path: "ram:CalculationPercent", Type: m.Percentage, In: EN16931},
		{Term: term(amount + 1), Field: "baseAmount", Path: "ram:BasisAmount", Type: m.Amount, In: EN16931},
		{Term: term(amount), Card: m.One, Field: "amount", Path: "ram:ActualAmount", Type: m.Amount},
		{Term: term(amount + 4), Field: "reasonCode", Path: "ram:ReasonCode", Type: m.Code},
		{Term: term(amount + 3), Field: "reason", Path: "ram:Reason"},
	}
}

// period are the members of a span of days.
func period(start, end string) []row {
	return []row{
		day(start, m.Optional, "start", "ram:StartDateTime/udt:DateTimeString"),
		day(end, m.Optional, "end", "ram:EndDateTime/udt:DateTimeString"),
	}
}

var item = []row{
	{Term: "BT-157", Field: "standardItemId.id", Path: "ram:GlobalID", Type: m.Identifier, Attrs: schemeID("BT-157-1", "standardItemId.schemeId")},
	{Term: "BT-155", Field: "articleNumber", Path: "ram:SellerAssignedID", Type: m.Identifier, In: EN16931},
	{Term: "BT-156", Field: "buyerItemId", Path: "ram:BuyerAssignedID", Type: m.Identifier, In: EN16931},
	{Term: "BT-153", Card: m.One, Field: "description", Path: "ram:Name"},
	{Term: "BT-154", Field: "itemDescription", Path: "ram:Description", In: EN16931},
	{Term: "BG-32", Card: m.Many, Field: "attributes[]", Path: "ram:ApplicableProductCharacteristic", In: EN16931, Rows: []row{
		{Term: "BT-160", Card: m.One, Field: "name", Path: "ram:Description"},
		{Term: "BT-161", Card: m.One, Field: "value", Path: "ram:Value"},
	}},
	{Term: "BT-158", Card: m.Many, Field: "classification[]", Path: "ram:DesignatedProductClassification", In: EN16931, Rows: []row{
		{Term: "BT-158", Card: m.One, Field: "id", Path: "ram:ClassCode", Type: m.Code, Attrs: []m.Attr{
			{Name: "listID", Term: "BT-158-1", Field: "schemeId"},
			{Name: "listVersionID", Term: "BT-158-2", Field: "schemeVersion"}}},
	}},
	{Term: "BT-159", Field: "originCountry", Path: "ram:OriginTradeCountry/ram:ID", Type: m.Code, In: EN16931},
}
