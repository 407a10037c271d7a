package invoice

import "github.com/einvoiced/einvoiced/core/engine/decimal"

var percent = decimal.New(1, 2)

// TaxOf is the tax on an amount at a rate in percent, rounded half up to two decimals.
func TaxOf(net, rate decimal.Decimal) decimal.Decimal { return taxTo(net, rate, 2) }

func taxTo(net, rate decimal.Decimal, decimals int) decimal.Decimal {
	return net.Mul(rate).Mul(percent).Round(decimals, decimal.HalfUp)
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
func (it *Item) Net() decimal.Decimal { return it.NetTo(2) }

// NetTo is Net, rounded to the decimals that amounts of the invoice currency have (AmountDecimals).
func (it *Item) NetTo(decimals int) decimal.Decimal {
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
	return net.Round(decimals, decimal.HalfUp)
}

// SubNet is the sum of the net amounts of the lines directly within the line.
func (it *Item) SubNet() decimal.Decimal {
	var sum decimal.Decimal
	for i := range it.SubItems {
		sum = sum.Add(it.SubItems[i].NetAmount)
	}
	return sum
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

// RoundTotal rounds a sum that has more than two decimals to two, halves towards plus infinity as the rules of EN 16931 round.
func RoundTotal(d decimal.Decimal) decimal.Decimal { return totalTo(d, 2) }

func totalTo(d decimal.Decimal, decimals int) decimal.Decimal {
	return d.Round(decimals, decimal.HalfTowardsPositive)
}

// TaxKey is what a line and its group of the VAT breakdown have in common. Keys are equal where category and rate are, the
// rate by value; no rate is a rate of zero.
type TaxKey struct{ category, rate string }

// TaxKeyOf gives the key of a category and rate as they are, without defaults.
func TaxKeyOf(category string, rate decimal.Decimal) TaxKey {
	if rate.Sign() == 0 {
		return TaxKey{category: category}
	}
	return TaxKey{category: category, rate: rate.Trim().String()}
}

// TaxGroups indexes the VAT breakdown (BG-23) by what its groups are for; of several alike the first counts.
func (inv *Invoice) TaxGroups() map[TaxKey]*TaxSummary {
	groups := make(map[TaxKey]*TaxSummary, len(inv.TaxSummary))
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if key := TaxKeyOf(g.TaxCategoryCode, g.TaxRate); groups[key] == nil {
			groups[key] = g
		}
	}
	return groups
}
