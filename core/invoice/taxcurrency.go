package invoice

import "github.com/einvoiced/einvoiced/core/engine/decimal"

// ShareTaxInTaxCurrency shares BT-111, of which documents of EN 16931 state only the sum, among the tax groups in proportion
// to their tax (BT-117). Shares have two decimals and the last group takes the rest, so that the sum comes out again.
func ShareTaxInTaxCurrency(inv *Invoice, sum decimal.Decimal) {
	var tax decimal.Decimal
	for i := range inv.TaxSummary {
		tax = tax.Add(inv.TaxSummary[i].TaxAmount)
	}
	rest, last := sum, len(inv.TaxSummary)-1
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if i == last {
			g.TaxCurrencyTaxAmount = rest
			return
		}
		share, ok := sum.Mul(g.TaxAmount).Quo(tax, 2, decimal.HalfUp)
		if !ok {
			share = decimal.New(0, 2)
		}
		g.TaxCurrencyTaxAmount, rest = share, rest.Sub(share)
	}
}
