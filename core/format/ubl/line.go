package ubl

import (
	"slices"

	m "github.com/einvoiced/einvoiced/core/mapping"
)

var line = slices.Concat([]row{
	{Term: "BT-126", Card: m.One, Field: "lineId", Path: "cbc:ID", Type: m.Identifier},
	{Term: "BT-127", Field: "note", Path: "cbc:Note"},
	{Term: "BT-128", Field: "objectId", Path: "cac:DocumentReference[cbc:DocumentTypeCode='130']/cbc:ID", Type: m.Identifier,
		Attrs: schemeID("BT-128-1", "objectIdScheme")},
	{Term: "BT-129", Card: m.One, Field: "quantity", Path: "cbc:InvoicedQuantity|cbc:CreditedQuantity", Type: m.InvoicedQuantity,
		Attrs: []m.Attr{{Name: "unitCode", Term: "BT-130", Field: "unit"}}},
	{Term: "BT-131", Card: m.One, Field: "netAmount", Path: "cbc:LineExtensionAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-132", Field: "orderLineReference", Path: "cac:OrderLineReference/cbc:LineID", Type: m.Identifier},
	{Term: "BT-133", Field: "buyerAccountingReference", Path: "cbc:AccountingCost"},
	{Term: "BG-26", Field: "servicePeriod", Path: "cac:InvoicePeriod", Rows: []row{
		{Term: "BT-134", Field: "start", Path: "cbc:StartDate", Type: m.Day},
		{Term: "BT-135", Field: "end", Path: "cbc:EndDate", Type: m.Day},
	}},
	{Term: "BG-27", Card: m.Many, Field: "allowances[]", Path: "cac:AllowanceCharge[cbc:ChargeIndicator='false']", Rows: []row{
		{Term: "BT-136", Card: m.One, Field: "amount", Path: "cbc:Amount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-137", Field: "baseAmount", Path: "cbc:BaseAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-138", Field: "percentage", Path: "cbc:MultiplierFactorNumeric", Type: m.Percentage},
		{Term: "BT-139", Field: "reason", Path: "cbc:AllowanceChargeReason"},
		{Term: "BT-140", Field: "reasonCode", Path: "cbc:AllowanceChargeReasonCode", Type: m.Code},
	}},
	{Term: "BG-28", Card: m.Many, Field: "charges[]", Path: "cac:AllowanceCharge[cbc:ChargeIndicator='true']", Rows: []row{
		{Term: "BT-141", Card: m.One, Field: "amount", Path: "cbc:Amount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-142", Field: "baseAmount", Path: "cbc:BaseAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-143", Field: "percentage", Path: "cbc:MultiplierFactorNumeric", Type: m.Percentage},
		{Term: "BT-144", Field: "reason", Path: "cbc:AllowanceChargeReason"},
		{Term: "BT-145", Field: "reasonCode", Path: "cbc:AllowanceChargeReasonCode", Type: m.Code},
	}},
	{Term: "BG-29", Card: m.One, Path: "cac:Price", Rows: []row{
		{Term: "BT-146", Card: m.One, Field: "unitPrice", Path: "cbc:PriceAmount", Type: m.UnitPrice, Attrs: inCurrency},
		{Term: "BT-147", Field: "priceDiscount", Path: priceAllowance + "/cbc:Amount", Type: m.UnitPrice, Attrs: inCurrency},
		{Term: "BT-148", Field: "grossPrice", Path: priceAllowance + "/cbc:BaseAmount", Type: m.UnitPrice, Attrs: inCurrency},
		{Term: "BT-149", Field: "priceBaseQuantity", Path: "cbc:BaseQuantity", Type: m.Quantity,
			Attrs: []m.Attr{{Name: "unitCode", Term: "BT-150", Field: "priceBaseUnit"}}},
	}},
	{Term: "BG-31", Card: m.One, Path: "cac:Item", Rows: item},
	{Term: "BG-DEX-01", Card: m.Many, Field: "subItems[]", Path: "cac:SubInvoiceLine", In: Extension, Again: true},
}, pintLine)

// priceAllowance holds the gross price and what was taken off it.
const priceAllowance = "cac:AllowanceCharge[cbc:ChargeIndicator='false']"

var item = slices.Concat(pintItem, []row{
	{Term: "BT-153", Card: m.One, Field: "description", Path: "cbc:Name"},
	{Term: "BT-154", Field: "itemDescription", Path: "cbc:Description"},
	{Term: "BT-155", Field: "articleNumber", Path: "cac:SellersItemIdentification/cbc:ID", Type: m.Identifier},
	{Term: "BT-156", Field: "buyerItemId", Path: "cac:BuyersItemIdentification/cbc:ID", Type: m.Identifier},
	{Term: "BT-157", Field: "standardItemId.id", Path: "cac:StandardItemIdentification/cbc:ID", Type: m.Identifier,
		Attrs: schemeID("BT-157-1", "standardItemId.schemeId")},
	{Term: "BT-158", Card: m.Many, Field: "classification[]", Path: "cac:CommodityClassification", Rows: []row{
		{Term: "BT-158", Card: m.One, Field: "id", Path: "cbc:ItemClassificationCode", Type: m.Code, Attrs: []m.Attr{
			{Name: "listID", Term: "BT-158-1", Field: "schemeId"},
			{Name: "listVersionID", Term: "BT-158-2", Field: "schemeVersion"}}},
		{Term: "BTAE-09", Field: "natureCode", Path: "cbc:NatureCode", Type: m.Code, In: PintAE},
	}},
	{Term: "BT-159", Field: "originCountry", Path: "cac:OriginCountry/cbc:IdentificationCode", Type: m.Code},
	{Term: "BG-30", Card: m.One, Path: "cac:ClassifiedTaxCategory", Rows: []row{
		{Term: "BT-151", Card: m.One, Field: "taxCategoryCode", Path: "cbc:ID", Type: m.Code},
		{Term: "BT-152", Field: "taxRate", Path: "cbc:Percent", Type: m.Percentage},
		{Const: "VAT", Path: "cac:TaxScheme/cbc:ID"},
		{Term: "HR-BT-12", Field: "taxCategoryName", Path: "cbc:Name", In: Croatia},
		{Term: "HR-BT-13", Field: "taxExemptionReason", Path: "cbc:TaxExemptionReason", In: Croatia},
		{Term: "HR-BT-14", Field: "taxExemptionReasonCode", Path: "cbc:TaxExemptionReasonCode", Type: m.Code, In: Croatia},
		{Term: "IBT-185", Field: "taxExemptionReason", Path: "cbc:TaxExemptionReason", In: Pint},
		{Term: "IBT-186", Field: "taxExemptionReasonCode", Path: "cbc:TaxExemptionReasonCode", Type: m.Code, In: Pint},
	}},
	{Term: "BG-32", Card: m.Many, Field: "attributes[]", Path: "cac:AdditionalItemProperty", Rows: []row{
		{Term: "BT-160", Card: m.One, Field: "name", Path: "cbc:Name"},
		{Term: "BT-161", Card: m.One, Field: "value", Path: "cbc:Value"},
	}},
})
