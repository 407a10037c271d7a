package ubl

import m "einvoiced/core/mapping"

var line = []m.Row{
	{Term: "BT-126", Field: "lineId", Path: "cbc:ID", Type: m.Identifier},
	{Term: "BT-127", Field: "note", Path: "cbc:Note"},
	{Term: "BT-128", Field: "objectId", Path: "cac:DocumentReference[cbc:DocumentTypeCode='130']/cbc:ID", Type: m.Identifier, Attrs: schemeID("objectIdScheme")}, // BT-128-1
	{Term: "BT-129", Field: "quantity", Path: "cbc:InvoicedQuantity|cbc:CreditedQuantity", Type: m.Quantity, Attrs: []m.Attr{{Name: "unitCode", Field: "unit"}}}, // BT-130
	{Term: "BT-131", Field: "netAmount", Path: "cbc:LineExtensionAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-132", Field: "orderLineReference", Path: "cac:OrderLineReference/cbc:LineID", Type: m.Identifier},
	{Term: "BT-133", Field: "buyerAccountingReference", Path: "cbc:AccountingCost"},
	{Term: "BT-134", Field: "servicePeriod.start", Path: "cac:InvoicePeriod/cbc:StartDate", Type: m.Day},
	{Term: "BT-135", Field: "servicePeriod.end", Path: "cac:InvoicePeriod/cbc:EndDate", Type: m.Day},
	{Term: "BG-27", Field: "allowances[]", Path: "cac:AllowanceCharge[cbc:ChargeIndicator='false']", Rows: []m.Row{
		{Term: "BT-136", Field: "amount", Path: "cbc:Amount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-137", Field: "baseAmount", Path: "cbc:BaseAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-138", Field: "percentage", Path: "cbc:MultiplierFactorNumeric", Type: m.Percentage},
		{Term: "BT-139", Field: "reason", Path: "cbc:AllowanceChargeReason"},
		{Term: "BT-140", Field: "reasonCode", Path: "cbc:AllowanceChargeReasonCode", Type: m.Code},
	}},
	{Term: "BG-28", Field: "charges[]", Path: "cac:AllowanceCharge[cbc:ChargeIndicator='true']", Rows: []m.Row{
		{Term: "BT-141", Field: "amount", Path: "cbc:Amount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-142", Field: "baseAmount", Path: "cbc:BaseAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "BT-143", Field: "percentage", Path: "cbc:MultiplierFactorNumeric", Type: m.Percentage},
		{Term: "BT-144", Field: "reason", Path: "cbc:AllowanceChargeReason"},
		{Term: "BT-145", Field: "reasonCode", Path: "cbc:AllowanceChargeReasonCode", Type: m.Code},
	}},
	// Price (BG-29).
	{Term: "BT-146", Field: "unitPrice", Path: "cac:Price/cbc:PriceAmount", Type: m.UnitPrice, Attrs: inCurrency},
	{Term: "BT-147", Field: "priceDiscount", Path: priceAllowance + "/cbc:Amount", Type: m.UnitPrice, Attrs: inCurrency},
	{Term: "BT-148", Field: "grossPrice", Path: priceAllowance + "/cbc:BaseAmount", Type: m.UnitPrice, Attrs: inCurrency},
	{Term: "BT-149", Field: "priceBaseQuantity", Path: "cac:Price/cbc:BaseQuantity", Type: m.Quantity, Attrs: []m.Attr{{Name: "unitCode", Field: "priceBaseUnit"}}}, // BT-150
	// VAT (BG-30).
	{Term: "BT-151", Field: "taxCategoryCode", Path: "cac:Item/cac:ClassifiedTaxCategory/cbc:ID", Type: m.Code},
	{Term: "BT-152", Field: "taxRate", Path: "cac:Item/cac:ClassifiedTaxCategory/cbc:Percent", Type: m.Percentage},
	{Const: "VAT", Path: "cac:Item/cac:ClassifiedTaxCategory/cac:TaxScheme/cbc:ID"},
	// Item (BG-31).
	{Term: "BT-153", Field: "description", Path: "cac:Item/cbc:Name"},
	{Term: "BT-154", Field: "itemDescription", Path: "cac:Item/cbc:Description"},
	{Term: "BT-155", Field: "articleNumber", Path: "cac:Item/cac:SellersItemIdentification/cbc:ID", Type: m.Identifier},
	{Term: "BT-156", Field: "buyerItemId", Path: "cac:Item/cac:BuyersItemIdentification/cbc:ID", Type: m.Identifier},
	{Term: "BT-157", Field: "standardItemId.id", Path: "cac:Item/cac:StandardItemIdentification/cbc:ID", Type: m.Identifier, Attrs: schemeID("standardItemId.schemeId")}, // BT-157-1
	{Term: "BT-158", Field: "classification[]", Path: "cac:Item/cac:CommodityClassification", Rows: []m.Row{
		{Term: "BT-158", Field: "id", Path: "cbc:ItemClassificationCode", Type: m.Code, Attrs: []m.Attr{
			{Name: "listID", Field: "schemeId"},               // BT-158-1
			{Name: "listVersionID", Field: "schemeVersion"}}}, // BT-158-2
	}},
	{Term: "BT-159", Field: "originCountry", Path: "cac:Item/cac:OriginCountry/cbc:IdentificationCode", Type: m.Code},
	{Term: "BG-32", Field: "attributes[]", Path: "cac:Item/cac:AdditionalItemProperty", Rows: []m.Row{
		{Term: "BT-160", Field: "name", Path: "cbc:Name"},
		{Term: "BT-161", Field: "value", Path: "cbc:Value"},
	}},
}

// priceAllowance holds the gross price and what was taken off it.
const priceAllowance = "cac:Price/cac:AllowanceCharge[cbc:ChargeIndicator='false']"
