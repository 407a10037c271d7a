package ebinterface

import (
	"strconv"

	m "github.com/einvoiced/einvoiced/core/mapping"

	"github.com/einvoiced/einvoiced/core/invoice"
)

var line = []row{
	{Term: "BT-126", Field: "lineId", Path: "PositionNumber", Type: m.Identifier, Convert: positionNumber},
	{Term: "BT-153 BT-154", Card: m.One, Field: "description", Path: "Description", Lines: true, Separate: true},
	{Term: "BT-155", Field: "articleNumber", Path: "ArticleNumber[@ArticleNumberType='BillersArticleNumber']", Type: m.Identifier},
	{Term: "BT-156", Field: "buyerItemId", Path: "ArticleNumber[@ArticleNumberType='InvoiceRecipientsArticleNumber']", Type: m.Identifier},
	{Term: "BT-157", Field: "gtin", Path: "ArticleNumber[@ArticleNumberType='GTIN']", Type: m.Identifier},
	{Term: "BT-129", Card: m.One, Field: "quantity", Path: "Quantity", Type: m.InvoicedQuantity, Convert: fourDecimals,
		Attrs: []m.Attr{{Name: "Unit", Term: "BT-130", Field: "unit"}}},
	{Term: "BT-146", Card: m.One, Field: "unitPrice", Path: "UnitPrice", Type: m.UnitPrice, Convert: fourDecimals,
		Attrs: []m.Attr{{Name: "BaseQuantity", Term: "BT-149", Field: "priceBaseQuantity"}}},
	{Term: "BG-27", Card: m.Many, Field: "allowances[]", Path: "ReductionAndSurchargeListLineItemDetails/ReductionListLineItem", Rows: charge(136)},
	{Term: "BG-28", Card: m.Many, Field: "charges[]", Path: "ReductionAndSurchargeListLineItemDetails/SurchargeListLineItem", Rows: charge(141)},
	{Term: "BG-26", Field: "servicePeriod", Path: "Delivery/Period", Rows: period("BT-134", "BT-135")},
	{Path: "InvoiceRecipientsOrderReference", When: withOrderLine, Rows: []row{
		{Term: "BT-13", Field: "/orderNumber", Path: "OrderID", Type: m.Identifier, Fill: "NA", Required: true},
		{Term: "BT-132", Field: "orderLineReference", Path: "OrderPositionNumber", Type: m.Identifier},
	}},
	{Term: "BT-158", Card: m.Many, Field: "classification[]", Path: "Classification", Rows: []row{
		{Term: "BT-158", Card: m.One, Field: "id", Path: ".", Type: m.Code, Attrs: []m.Attr{{Name: "ClassificationSchema", Term: "BT-158-1", Field: "schemeId"}}},
	}},
	{Term: "BG-32", Card: m.Many, Field: "attributes[]", Path: "AdditionalInformation[@Key]", Rows: []row{
		{Term: "BT-161", Card: m.One, Field: "value", Path: ".", Attrs: []m.Attr{{Name: "Key", Term: "BT-160", Field: "name"}}},
	}},
	{Term: "BT-127", Field: "note", Path: "AdditionalInformation[not(@Key)]", Lines: true},
	{Term: "BG-30", Card: m.One, Path: "TaxItem", Rows: []row{
		{Field: "netAmount", Path: "TaxableAmount", Type: m.Amount, Convert: cents, Last: true}, // of the two the one that the line is known by counts
		{Term: "BT-152", Field: "taxRate", Path: "TaxPercent", Type: m.Percentage, Convert: percent,
			Attrs: []m.Attr{{Name: "TaxCategoryCode", Term: "BT-151", Field: "taxCategoryCode"}}},
		{Field: "taxAmount", Path: "TaxAmount", Type: m.Amount, Convert: cents},
		{Term: "BT-120", Field: "taxExemptionReason", Path: "Comment"},
	}},
	{Term: "BT-131", Card: m.One, Field: "netAmount", Path: "LineItemAmount", Type: m.Amount, Convert: cents},
}

// withOrderLine tells whether a line names that of the order.
func withOrderLine(s scope) bool { return s.Group.(*invoice.Item).OrderLineReference != "" }

// positionNumber is for line identifiers that are whole numbers above 0: others have no place.
var positionNumber = &m.Converter{
	Write: func(id string) (string, bool) {
		n, err := strconv.Atoi(id)
		return id, err == nil && n > 0
	},
	Read: func(text string) (string, bool) { return text, true },
}

// The decimals of ebInterface: Decimal2Type, Decimal4Type.
var (
	cents        = m.Decimals(2, 2)
	percent      = m.Decimals(0, 2)
	fourDecimals = m.Decimals(2, 4)
)

// charge are the members of an allowance or a charge; its terms count on from that of the amount.
func charge(amount int) []row {
	term := func(n int) string { return "BT-" + strconv.Itoa(n) }
	return []row{
		{Term: term(amount + 1), Card: m.One, Field: "baseAmount", Path: "BaseAmount", Type: m.Amount, Convert: cents},
		{Term: term(amount + 2), Field: "percentage", Path: "Percentage", Type: m.Percentage, Convert: percent},
		{Term: term(amount), Field: "amount", Path: "Amount", Type: m.Amount, Convert: cents},
		{Term: reason(amount), Field: "reason", Path: "Comment"},
	}
}

// reason is the term of a reason: allowances and charges of the document have their VAT between it and the percentage.
func reason(amount int) string {
	if amount < 100 {
		return "BT-" + strconv.Itoa(amount+5)
	}
	return "BT-" + strconv.Itoa(amount+3)
}
