package operation

import (
	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// computed are the rules of EN 16931-1 (6.4.2) that compute one amount of the document from others.
var computed = map[string]func(*invoice.Invoice) decimal.Decimal{
	"BR-CO-10": sumOfLines,
	"BR-CO-11": en16931.TotalAllowances,
	"BR-CO-12": en16931.TotalCharges,
	"BR-CO-13": func(inv *invoice.Invoice) decimal.Decimal {
		return sumOfLines(inv).Sub(en16931.TotalAllowances(inv)).Add(en16931.TotalCharges(inv))
	},
	"BR-CO-14": en16931.TotalTax,
	"BR-CO-15": en16931.TotalWithTax,
	"BR-CO-16": en16931.AmountDue,
}

// sumOfLines is BT-106 as BR-CO-10 computes it.
func sumOfLines(inv *invoice.Invoice) decimal.Decimal {
	var sum decimal.Decimal
	for i := range inv.Items {
		sum = sum.Add(inv.Items[i].NetAmount)
	}
	return invoice.RoundTotal(sum)
}

// taxRule computes the tax of a group of the VAT breakdown.
const taxRule = "BR-CO-17"

// computes tells whether a rule computes a value, so that the other values tell what it should be.
func computes(rule string) bool {
	m := categoryRule.FindStringSubmatch(rule)
	return computed[rule] != nil || rule == taxRule || m != nil && m[2] == "8"
}

// expected is the value that a rule computes of the others; empty for rules that compute none. The field tells the group of the VAT
// breakdown.
func (f *figures) expected(rule, field string) string {
	group := entryOf(field)
	switch compute := computed[rule]; {
	case compute != nil:
		return compute(f.Invoice).String()
	case !computes(rule) || group < 0 || group >= len(f.TaxSummary):
		return ""
	case rule == taxRule:
		return taxOn(f.TaxSummary[group].NetAmount, f.TaxSummary[group].TaxRate).String()
	}
	if at := f.add().byKey[keyOf(&f.TaxSummary[group])]; at != nil {
		return at.net.String()
	}
	return decimal.Decimal{}.String()
}
