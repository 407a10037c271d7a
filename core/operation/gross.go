package operation

import (
	"regexp"
	"strconv"
	"strings"

	"einvoiced/core/decimal"
	"einvoiced/core/invoice"
)

// grossBases tells where the taxable bases of an invoice are its gross amounts, a common mistake.
type grossBases struct{ invoice *invoice.Invoice }

// baseRule are the rules that compare the taxable base of a VAT category with its lines: BR-S-08 and its kin.
var baseRule = regexp.MustCompile(`^BR-(S|Z|E|AE|IC|G|O|IG|IP|B)-0*8$`)

// explain adds to the message of such a rule what the numbers show.
func (g grossBases) explain(rule, field, _ string) string {
	if g.invoice == nil || !baseRule.MatchString(rule) {
		return ""
	}
	for i := range g.invoice.TaxSummary {
		if at := taxEntry(field); (at < 0 || at == i) && g.isGross(&g.invoice.TaxSummary[i]) {
			return " The taxable base equals the gross amount of the lines: it has to be the net amount, without VAT."
		}
	}
	return ""
}

// taxEntry is the index of the entry of taxSummary that a field is of; -1 where it is of none.
func taxEntry(field string) int {
	rest, ok := strings.CutPrefix(field, "taxSummary[")
	digits, _, closed := strings.Cut(rest, "]")
	i, err := strconv.Atoi(digits)
	if !ok || !closed || err != nil {
		return -1
	}
	return i
}

// isGross tells whether a base is the sum of its lines with their tax.
func (g grossBases) isGross(t *invoice.TaxSummary) bool {
	key := invoice.TaxKeyOf(t.TaxCategoryCode, t.TaxRate)
	var net, tax decimal.Decimal
	for i := range g.invoice.Items {
		item := &g.invoice.Items[i]
		if invoice.TaxKeyOf(item.TaxCategoryCode, item.TaxRate) == key {
			net, tax = net.Add(item.NetAmount), tax.Add(item.TaxAmount)
		}
	}
	for i := range g.invoice.AllowancesCharges {
		entry := &g.invoice.AllowancesCharges[i]
		switch {
		case invoice.TaxKeyOf(entry.TaxCategoryCode, entry.TaxRate) != key:
		case entry.Charge():
			net = net.Add(entry.Amount)
		default:
			net = net.Sub(entry.Amount)
		}
	}
	gross := t.NetAmount.Cmp(net.Add(t.TaxAmount)) == 0 || t.NetAmount.Cmp(net.Add(tax)) == 0
	return gross && t.NetAmount.Cmp(net) != 0
}
