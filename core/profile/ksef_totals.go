package profile

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// faGroups are the ends of the names of P_13_x and P_14_x, in their order.
var faGroups = []string{"1", "2", "3", "4", groupOSS, "6_1", "6_2", "6_3", "7", "8", "9", "10", groupMargin}

// FASum gives a sum of FA(3) by its element: P_13_x is the net amount of a group, P_14_x its tax, P_14_xW that in zloty. It is unset
// where the invoice has nothing in the group.
func FASum(inv *invoice.Invoice, element string) (sum decimal.Decimal) {
	kind, group := element[:len("P_13_")], element[len("P_13_"):]
	inPLN := group[len(group)-1] == 'W'
	if inPLN {
		group = group[:len(group)-1]
	}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if FARateOf(inv, g.TaxCategoryCode, g.TaxRate).Group != group {
			continue
		}
		amount := g.TaxAmount
		if inPLN {
			amount = g.TaxCurrencyTaxAmount
		} else if kind == "P_13_" {
			amount = g.NetAmount
		}
		if amount.IsSet() {
			sum = sum.Add(amount)
		}
	}
	return sum
}

// faTotals: the sums of FA(3) are the tax groups; several rates share a sum, which their lines tell apart.
var faTotals = Step{
	Name: "sums",
	Restore: func(d *Draft) {
		inv := d.Invoice
		for _, group := range faGroups {
			restoreGroup(inv, group)
		}
		var subtotal decimal.Decimal
		for i := range inv.TaxSummary {
			subtotal = subtotal.Add(inv.TaxSummary[i].NetAmount)
		}
		if !subtotal.IsSet() {
			subtotal = decimal.New(0, 2)
		}
		inv.Subtotal = subtotal
		if inv.TaxSummary == nil {
			inv.TaxSummary = []invoice.TaxSummary{}
		}
	},
}

// restoreGroup makes tax groups of the sums of one group.
func restoreGroup(inv *invoice.Invoice, group string) {
	net, tax, pln := taken(inv, "P_13_"+group), taken(inv, "P_14_"+group), taken(inv, "P_14_"+group+"W")
	if !net.IsSet() && !tax.IsSet() {
		return
	}
	g := invoice.TaxSummary{NetAmount: net, TaxAmount: tax, TaxCurrencyTaxAmount: pln}
	if !g.TaxAmount.IsSet() {
		g.TaxAmount = decimal.New(0, 0)
	}
	if !g.NetAmount.IsSet() {
		g.NetAmount = decimal.New(0, 0)
	}
	if pln.IsSet() {
		inv.TaxCurrencyCode = "PLN"
	}
	inv.TaxSummary = append(inv.TaxSummary, shared(inv, group, g)...)
}

// taken takes a sum out of national.
func taken(inv *invoice.Invoice, element string) decimal.Decimal {
	cs := specificOf(inv)
	texts := cs.National["Fa/"+element]
	if len(texts) != 1 {
		return decimal.Decimal{}
	}
	sum, err := decimal.Parse(texts[0])
	if err != nil {
		return decimal.Decimal{}
	}
	delete(cs.National, "Fa/"+element)
	return sum
}

// shared gives the tax groups of a sum: one for each rate that lines of the group have. The first takes what the amounts of the lines
// do not explain.
func shared(inv *invoice.Invoice, group string, sum invoice.TaxSummary) []invoice.TaxSummary {
	var groups []invoice.TaxSummary
	nets := map[invoice.TaxKey]decimal.Decimal{}
	for i := range inv.Items {
		it := &inv.Items[i]
		if FARateOf(inv, it.TaxCategoryCode, it.TaxRate).Group != group {
			continue
		}
		key := invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)
		if _, known := nets[key]; !known {
			groups = append(groups, invoice.TaxSummary{TaxCategoryCode: it.TaxCategoryCode, TaxRate: it.TaxRate})
		}
		nets[key] = nets[key].Add(it.NetAmount)
	}
	if len(groups) == 0 {
		groups = []invoice.TaxSummary{unlined(group)}
	}
	rest := sum
	for i := 1; i < len(groups); i++ {
		g := &groups[i]
		g.NetAmount = nets[invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)]
		g.TaxAmount = invoice.TaxOf(g.NetAmount, g.TaxRate)
		rest.NetAmount, rest.TaxAmount = rest.NetAmount.Sub(g.NetAmount), rest.TaxAmount.Sub(g.TaxAmount)
	}
	groups[0].NetAmount, groups[0].TaxAmount, groups[0].TaxCurrencyTaxAmount = rest.NetAmount, rest.TaxAmount, rest.TaxCurrencyTaxAmount
	return groups
}

// unlined is a tax group that no line belongs to, such as that of an advance payment. Without lines nothing tells the rate of
// sales under the one stop shop: 1 is none of the rates of FA(3), so that the group is that of such sales again.
func unlined(group string) invoice.TaxSummary {
	switch group {
	case groupOSS:
		return invoice.TaxSummary{TaxCategoryCode: "S", TaxRate: decimal.New(1, 0)}
	case groupMargin:
		return invoice.TaxSummary{TaxCategoryCode: "E", TaxRate: decimal.New(0, 0)}
	}
	for _, r := range faRateList {
		if r.Group == group {
			g := invoice.TaxSummary{TaxCategoryCode: r.Category, TaxRate: decimal.New(r.Rate, 0)}
			if g.TaxCategoryCode == "O" {
				g.TaxRate = decimal.Decimal{}
			}
			return g
		}
	}
	return invoice.TaxSummary{}
}
