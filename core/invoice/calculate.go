package invoice

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Calculated names a value that Calculate filled in.
type Calculated struct {
	Field string // JSON path
	Value decimal.Decimal
}

// Calculate fills in the line, tax and document amounts that the invoice leaves out, by the arithmetic of EN 16931-1 clause
// 6.4: line net and tax, the tax groups, the net and the gross total. Amounts that are there stay as they are. Under the profile
// xrechnung-extension lines within lines count as well. Amounts are rounded to two decimals, those in yen of a Japanese seller and in krónur of an Icelandic one to none where that can be.
func Calculate(inv *Invoice) []Calculated {
	c := &calculation{inv: inv, decimals: calculatedDecimals(inv), categories: CategoriesOf(inv)}
	c.lines("items", inv.Items)
	c.groups()
	c.fill(&inv.Subtotal, c.net, func() string { return "subtotal" })
	c.fill(&inv.Total, c.gross, func() string { return "total" })
	return c.done
}

// calculation is one run of Calculate.
type calculation struct {
	inv        *Invoice
	decimals   int // of amounts in the invoice currency
	categories Categories
	done       []Calculated
}

// lines fills in the amounts of lines, those of the lines within a line first: by the extension of XRechnung a line's net
// amount is the sum of theirs (BR-DEX-02).
func (c *calculation) lines(list string, items []Item) {
	for i := range items {
		it := &items[i]
		net := func() decimal.Decimal { return it.NetTo(c.decimals) }
		if len(it.SubItems) > 0 && c.inv.Profile == ProfileXRechnungExtension {
			c.lines(at(list, i)+".subItems", it.SubItems)
			net = it.SubNet
		}
		c.entry(&it.NetAmount, net, list, i, "netAmount")
		c.entry(&it.TaxAmount, func() decimal.Decimal { return taxTo(it.NetAmount, it.TaxRate, c.decimals) }, list, i, "taxAmount")
	}
}

// fill sets an amount that is not there.
func (c *calculation) fill(amount *decimal.Decimal, value func() decimal.Decimal, field func() string) {
	if amount.IsSet() {
		return
	}
	if *amount = value(); amount.IsSet() {
		if whole := amount.Round(0, decimal.HalfUp); wholeAmounts[c.inv.Currency] && whole.Cmp(*amount) == 0 {
			*amount = whole
		}
		c.done = append(c.done, Calculated{Field: field(), Value: *amount})
	}
}

// entry is fill for an entry of a list.
func (c *calculation) entry(amount *decimal.Decimal, value func() decimal.Decimal, list string, i int, name string) {
	c.fill(amount, value, func() string { return at(list, i) + "." + name })
}

// groups completes the VAT breakdown (BG-23). Where there is none it makes one: a group for each category and rate, in the
// order of the lines, then of the document's allowances and charges.
func (c *calculation) groups() {
	bases, order := c.bases()
	if len(c.inv.TaxSummary) == 0 {
		for _, g := range order {
			c.inv.TaxSummary = append(c.inv.TaxSummary, *g)
		}
	}
	for i := range c.inv.TaxSummary {
		g := &c.inv.TaxSummary[i]
		c.entry(&g.NetAmount, func() decimal.Decimal {
			category, _ := c.categories.Of(g.TaxCategoryCode, g.TaxRate, g.ExemptionReasonCode, g.ExemptionReason)
			if base := bases[TaxKeyOf(category, g.TaxRate)]; base != nil {
				return totalTo(*base, c.decimals)
			}
			return decimal.New(0, c.decimals)
		}, "taxSummary", i, "netAmount")
		c.entry(&g.TaxAmount, func() decimal.Decimal { return taxTo(g.NetAmount, g.TaxRate, c.decimals) }, "taxSummary", i, "taxAmount")
	}
}

// bases sums what is taxed alike (BT-116). The groups, without their amounts, stand in the order in which they come up.
func (c *calculation) bases() (bases map[TaxKey]*decimal.Decimal, order []*TaxSummary) {
	bases = map[TaxKey]*decimal.Decimal{}
	add := func(category string, rate decimal.Decimal, code, text string, amount decimal.Decimal) {
		category, _ = c.categories.Of(category, rate, code, text)
		key := TaxKeyOf(category, rate)
		if bases[key] == nil {
			bases[key] = &decimal.Decimal{}
			order = append(order, &TaxSummary{TaxCategoryCode: category, TaxRate: rate})
		}
		*bases[key] = bases[key].Add(amount)
	}
	for i := range c.inv.Items {
		it := &c.inv.Items[i]
		add(it.TaxCategoryCode, it.TaxRate, it.TaxExemptionReasonCode, it.TaxExemptionReason, it.NetAmount)
	}
	for i := range c.inv.AllowancesCharges {
		a := &c.inv.AllowancesCharges[i]
		add(a.TaxCategoryCode, a.TaxRate, "", "", a.signed())
	}
	return bases, order
}

// signed is the amount as it counts for the net total: an allowance lowers it.
func (c *DocumentCharge) signed() decimal.Decimal {
	if c.Charge() {
		return c.Amount
	}
	return c.Amount.Neg()
}

// net is BT-109: the lines less the allowances and plus the charges of the document.
func (c *calculation) net() decimal.Decimal {
	var sum decimal.Decimal
	for i := range c.inv.Items {
		sum = sum.Add(c.inv.Items[i].NetAmount)
	}
	for i := range c.inv.AllowancesCharges {
		sum = sum.Add(c.inv.AllowancesCharges[i].signed())
	}
	return totalTo(sum, c.decimals)
}

// gross is BT-112: the net total and the tax of all groups.
func (c *calculation) gross() decimal.Decimal {
	sum := c.inv.Subtotal
	for i := range c.inv.TaxSummary {
		sum = sum.Add(c.inv.TaxSummary[i].TaxAmount)
	}
	return totalTo(sum, c.decimals)
}
