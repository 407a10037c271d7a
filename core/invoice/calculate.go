package invoice

import (
	"fmt"

	"einvoiced/core/decimal"
)

// calculation is one run of Calculate.
type calculation struct {
	inv  *Invoice
	done []Calculated
}

func (c *calculation) fill(at *decimal.Decimal, value func() decimal.Decimal, list string, i int, name string) {
	if at.IsSet() {
		return
	}
	if *at = value(); at.IsSet() {
		c.done = append(c.done, Calculated{Field: fmt.Sprintf("%s[%d].%s", list, i, name), Value: *at})
	}
}

func (c *calculation) total(at *decimal.Decimal, value func() decimal.Decimal, name string) {
	if at.IsSet() {
		return
	}
	if *at = value(); at.IsSet() {
		c.done = append(c.done, Calculated{Field: name, Value: *at})
	}
}

// groups makes the VAT breakdown (BG-23): one group for each category and rate, in the order of the lines, then of the
// document's allowances and charges.
func (c *calculation) groups() {
	for i := range c.inv.Items {
		it := &c.inv.Items[i]
		c.group(it.TaxCategoryCode, it.TaxRate, it.NetAmount)
	}
	for i := range c.inv.AllowancesCharges {
		a := &c.inv.AllowancesCharges[i]
		amount := a.Amount
		if !a.Charge() {
			amount = amount.Neg()
		}
		c.group(a.TaxCategoryCode, a.TaxRate, amount)
	}
	for i := range c.inv.TaxSummary {
		g := &c.inv.TaxSummary[i]
		c.done = append(c.done, Calculated{Field: fmt.Sprintf("taxSummary[%d].netAmount", i), Value: g.NetAmount})
		c.fill(&g.TaxAmount, func() decimal.Decimal { return TaxOf(g.NetAmount, g.TaxRate) }, "taxSummary", i, "taxAmount")
	}
}

// group adds an amount to its group; category S or Z is what a rate alone means.
func (c *calculation) group(category string, rate, amount decimal.Decimal) {
	category = DefaultCategory(category, rate)
	for i := range c.inv.TaxSummary {
		if g := &c.inv.TaxSummary[i]; g.TaxCategoryCode == category && g.TaxRate.Cmp(rate) == 0 {
			g.NetAmount = g.NetAmount.Add(amount)
			return
		}
	}
	c.inv.TaxSummary = append(c.inv.TaxSummary, TaxSummary{TaxCategoryCode: category, TaxRate: rate, NetAmount: amount})
}

// DefaultCategory is the VAT category (UNTDID 5305) that is meant when a code is left out: S at a rate above zero, Z at zero.
func DefaultCategory(code string, rate decimal.Decimal) string {
	switch {
	case code != "" || !rate.IsSet():
		return code
	case rate.Sign() > 0:
		return "S"
	}
	return "Z"
}

// net is BT-109: the lines less the allowances and plus the charges of the document.
func (c *calculation) net() decimal.Decimal {
	var sum decimal.Decimal
	for i := range c.inv.Items {
		sum = sum.Add(c.inv.Items[i].NetAmount)
	}
	for i := range c.inv.AllowancesCharges {
		if a := &c.inv.AllowancesCharges[i]; a.Charge() {
			sum = sum.Add(a.Amount)
		} else {
			sum = sum.Sub(a.Amount)
		}
	}
	return sum
}

// gross is BT-112: the net total and the tax of all groups.
func (c *calculation) gross() decimal.Decimal {
	sum := c.inv.Subtotal
	for i := range c.inv.TaxSummary {
		sum = sum.Add(c.inv.TaxSummary[i].TaxAmount)
	}
	return sum
}
