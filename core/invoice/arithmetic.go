package invoice

import "einvoiced/core/decimal"

var percent = decimal.New(1, 2)

// TaxOf is the tax on an amount at a rate in percent, rounded half up to two decimals.
func TaxOf(net, rate decimal.Decimal) decimal.Decimal {
	return net.Mul(rate).Mul(percent).Round(2, decimal.HalfUp)
}

// Gross is the quantity at the unit price for its base quantity (BT-129 × BT-146 ÷ BT-149), before allowances and charges. A
// base quantity of zero counts as one: the rules have their own word on it.
func (it *Item) Gross() decimal.Decimal {
	amount := it.Quantity.Mul(it.UnitPrice)
	if quotient, ok := amount.Quo(it.PriceBaseQuantity, 10, decimal.HalfUp); ok {
		return quotient
	}
	return amount
}

// Net is the line net amount (BT-131) that the line's parts give, rounded half up to two decimals.
func (it *Item) Net() decimal.Decimal {
	net := it.Gross()
	for i := range it.Allowances {
		net = net.Sub(it.Allowances[i].Amount)
	}
	for i := range it.Charges {
		net = net.Add(it.Charges[i].Amount)
	}
	if discount, ok := it.DiscountAllowance(); ok {
		net = net.Sub(discount.Amount)
	}
	return net.Round(2, decimal.HalfUp)
}

// reasonDiscount is the code of UNTDID 5189 for a discount.
const reasonDiscount = "95"

// DiscountAllowance is the allowance (BG-27) that the line's discount stands for; false when it has none.
func (it *Item) DiscountAllowance() (LineCharge, bool) {
	if it.Discount == nil {
		return LineCharge{}, false
	}
	allowance := LineCharge{Amount: it.Discount.Value, Reason: it.Discount.Reason}
	if it.Discount.Type == DiscountPercentage {
		allowance.Percentage = it.Discount.Value
		allowance.BaseAmount = it.Gross().Round(2, decimal.HalfUp)
		allowance.Amount = TaxOf(allowance.BaseAmount, it.Discount.Value)
	}
	if allowance.Reason == "" {
		allowance.ReasonCode = reasonDiscount
	}
	return allowance, true
}

// Calculated names a value that Calculate filled in.
type Calculated struct {
	Field string // JSON path
	Value decimal.Decimal
}

// Calculate fills in the line, tax and document amounts that the invoice leaves out, by the arithmetic of EN 16931-1 clause
// 6.4: line net and tax, the tax groups, the net and the gross total. Amounts that are there stay as they are.
func Calculate(inv *Invoice) []Calculated {
	c := &calculation{inv: inv}
	for i := range inv.Items {
		it := &inv.Items[i]
		c.fill(&it.NetAmount, it.Net, "items", i, "netAmount")
		c.fill(&it.TaxAmount, func() decimal.Decimal { return TaxOf(it.NetAmount, it.TaxRate) }, "items", i, "taxAmount")
	}
	if len(inv.TaxSummary) == 0 {
		c.groups()
	}
	c.total(&inv.Subtotal, c.net, "subtotal")
	c.total(&inv.Total, c.gross, "total")
	return c.done
}
