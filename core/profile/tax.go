package profile

import (
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// taxCategories: a rate alone means standard rate (S), a rate of zero what the rest of the invoice tells, else the zero rate
// (Z). A group of reverse charge has to state why (BR-AE-10): where that category was told by the rest of the invoice, so is
// the reason.
var taxCategories = Step{
	Name: "tax categories",
	Derive: func(d *Draft) {
		inv, told := d.Invoice, invoice.CategoriesOf(d.Invoice)
		for at, it := range d.lines() {
			d.categorise(told, &it.TaxCategoryCode, it.TaxRate, it.TaxExemptionReasonCode, it.TaxExemptionReason, at.String)
		}
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			open := g.TaxCategoryCode == ""
			d.categorise(told, &g.TaxCategoryCode, g.TaxRate, g.ExemptionReasonCode, g.ExemptionReason, entry("taxSummary", i))
			if open && g.TaxCategoryCode == "AE" && !exempts(inv, g) {
				g.ExemptionReasonCode = "VATEX-EU-AE"
			}
		}
		for i := range inv.AllowancesCharges {
			c := &inv.AllowancesCharges[i]
			d.categorise(told, &c.TaxCategoryCode, c.TaxRate, "", "", entry("allowancesCharges", i))
		}
	},
}

func entry(list string, i int) func() string {
	return func() string { return fmt.Sprintf("%s[%d]", list, i) }
}

// categorise fills in a category that is left out. The first that has to be assumed is warned of; the others are of the same kind.
func (d *Draft) categorise(told invoice.Categories, category *string, rate decimal.Decimal, code, text string, entry func() string) {
	assumed := false
	if *category, assumed = told.Of(*category, rate, code, text); assumed && !d.assumed {
		d.assumed = true
		field := entry() + ".taxCategoryCode"
		d.warn(finding.TaxCategoryAssumed, field, "%s is missing at a rate of 0: Z (zero rated) is assumed here and wherever else it is missing; "+
			"send E, AE, K, G or O if one of these is meant", field)
	}
}

// exempts tells whether a group, or a line of its kind, says why there is no tax.
func exempts(inv *invoice.Invoice, g *invoice.TaxSummary) bool {
	return g.ExemptionReason != "" || g.ExemptionReasonCode != "" || slices.ContainsFunc(inv.Items, func(it invoice.Item) bool {
		return it.TaxExemptionReason != "" || it.TaxExemptionReasonCode != ""
	})
}

// exemptionReasons: EN 16931 states the reason of an exemption once for each tax group (BT-120, BT-121), not on the lines.
var exemptionReasons = Step{
	Name: "exemption reasons",
	Moves: []Move{
		{"items[].taxExemptionReason", "taxSummary[].exemptionReason"},
		{"items[].taxExemptionReasonCode", "taxSummary[].exemptionReasonCode"},
	},
	Derive: func(d *Draft) {
		var groups map[invoice.TaxKey]*invoice.TaxSummary
		for _, it := range d.lines() {
			if it.TaxExemptionReason == "" && it.TaxExemptionReasonCode == "" {
				continue
			}
			if groups == nil {
				groups = d.Invoice.TaxGroups()
			}
			if group := groups[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)]; group != nil {
				moveInto(&group.ExemptionReason, &it.TaxExemptionReason)
				moveInto(&group.ExemptionReasonCode, &it.TaxExemptionReasonCode)
			}
		}
	},
}

// signs: documents state a credit as a positive credit note, and a price is never negative.
var signs = Step{
	Name: "signs",
	Derive: func(d *Draft) {
		for at, it := range d.lines() {
			if it.UnitPrice.Sign() < 0 {
				d.moveSign(at, it)
			}
		}
		if inv := d.Invoice; inv.Type == invoice.TypeCreditNote && negativeTotals(inv) {
			negate(inv)
			d.warn(finding.CreditNoteSignFlipped, "total",
				"total is negative on a credit note: quantities and amounts are written with the opposite sign, as a credit note is itself the minus")
		}
	},
}

// moveSign moves the minus of a price to the quantity, where that is positive. The amount of the line stays what it is.
func (d *Draft) moveSign(at invoice.LinePath, it *invoice.Item) {
	field := at.String() + ".unitPrice"
	if it.Quantity.Sign() <= 0 {
		d.refuse("BR-27", field, "%s is %s: a price must not be negative (BT-146), and the quantity %s cannot take the minus", field, it.UnitPrice, it.Quantity)
		return
	}
	flip(&it.Quantity, &it.UnitPrice, &it.GrossPrice, &it.PriceDiscount)
	d.warn(finding.LineSignMoved, field, "%s is negative: written with quantity %s and price %s, because a price must not be negative (BR-27)",
		field, it.Quantity, it.UnitPrice)
}

func negativeTotals(inv *invoice.Invoice) bool {
	return inv.Subtotal.Sign() <= 0 && inv.Total.Sign() <= 0 && (inv.Subtotal.Sign() < 0 || inv.Total.Sign() < 0)
}

// negate turns the sign of every quantity and amount; prices and percentages keep theirs.
func negate(inv *invoice.Invoice) {
	flip(&inv.Subtotal, &inv.Total, &inv.RoundingAmount, &inv.PrepaidAmount, &inv.CashDiscountBaseAmount)
	for i := range inv.Items {
		negateItem(&inv.Items[i])
	}
	for i := range inv.TaxSummary {
		flip(&inv.TaxSummary[i].NetAmount, &inv.TaxSummary[i].TaxAmount, &inv.TaxSummary[i].TaxCurrencyTaxAmount)
	}
	for i := range inv.AllowancesCharges {
		flip(&inv.AllowancesCharges[i].Amount, &inv.AllowancesCharges[i].BaseAmount)
	}
	for i := range inv.Prepayments {
		flip(&inv.Prepayments[i].Amount)
	}
	for i := range inv.ThirdPartyPayments {
		flip(&inv.ThirdPartyPayments[i].PaidAmount)
	}
	if inv.Retention != nil {
		flip(&inv.Retention.Amount, &inv.Retention.BaseAmount)
	}
	if inv.PaymentTerms != nil && inv.PaymentTerms.EarlyPaymentDiscount != nil {
		flip(&inv.PaymentTerms.EarlyPaymentDiscount.BaseAmount)
	}
}

func negateItem(it *invoice.Item) {
	flip(&it.Quantity, &it.NetAmount, &it.TaxAmount, &it.GrossAmount)
	for i := range it.Allowances {
		flip(&it.Allowances[i].Amount, &it.Allowances[i].BaseAmount)
	}
	for i := range it.Charges {
		flip(&it.Charges[i].Amount, &it.Charges[i].BaseAmount)
	}
	if it.Discount != nil && it.Discount.Type == invoice.DiscountAbsolute {
		flip(&it.Discount.Value)
	}
	for i := range it.SubItems {
		negateItem(&it.SubItems[i])
	}
}

func flip(amounts ...*decimal.Decimal) {
	for _, a := range amounts {
		*a = a.Neg()
	}
}

// taxCurrency: the tax in the tax currency (BT-111) is what the groups state, else the tax at the exchange rate. In the
// invoice's own currency it is the tax (BT-110).
var taxCurrency = Step{
	Name:  "tax currency",
	Moves: []Move{{"countrySpecific.exchangeRate", "taxSummary[].taxCurrencyTaxAmount"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, d.Invoice.CountrySpecific
		other := inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode != inv.Currency
		stated := slices.IndexFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return g.TaxCurrencyTaxAmount.IsSet() })
		switch {
		case stated >= 0 && !other:
			d.missTaxInTaxCurrency()
		case stated < 0 && other && cs != nil && cs.ExchangeRate.IsSet():
			var tax decimal.Decimal
			for i := range inv.TaxSummary {
				tax = tax.Add(inv.TaxSummary[i].TaxAmount)
			}
			invoice.ShareTaxInTaxCurrency(inv, tax.Mul(cs.ExchangeRate).Round(2, decimal.HalfUp))
			cs.ExchangeRate = decimal.Decimal{}
		}
	},
}

// sumOfGroups is for a format that has no total without VAT (BT-109): the tax groups give it, and what differs is told.
var sumOfGroups = Step{
	Name: "total without VAT",
	Derive: func(d *Draft) {
		inv := d.Invoice
		var sum decimal.Decimal
		for i := range inv.TaxSummary {
			sum = sum.Add(inv.TaxSummary[i].NetAmount)
		}
		if inv.Subtotal.IsSet() && sum.IsSet() && inv.Subtotal.Cmp(sum) != 0 {
			d.warn(finding.FieldNotWritten, "subtotal", "subtotal is %s, which is not written: taxSummary comes to %s", inv.Subtotal, sum)
		}
	},
}

// missTaxInTaxCurrency warns of the first tax that says something else than the tax in the invoice's currency, where there is no other tax
// currency.
func (d *Draft) missTaxInTaxCurrency() {
	if d.Invoice.TaxCurrencyCode == "" {
		d.missTaxes("taxCurrencyCode is not given (BT-6)", nil)
		return
	}
	d.missTaxes("taxCurrencyCode is that of the invoice (BT-6, BT-5)", otherAmount)
}

// missTaxes warns of the first tax in the tax currency that says something, nil for any.
func (d *Draft) missTaxes(why string, says func(*invoice.TaxSummary) bool) {
	for i := range d.Invoice.TaxSummary {
		g := &d.Invoice.TaxSummary[i]
		if g.TaxCurrencyTaxAmount.IsSet() && (says == nil || says(g)) {
			field := fmt.Sprintf("taxSummary[%d].taxCurrencyTaxAmount", i)
			d.warn(finding.FieldNotWritten, field, "%s is not written, because %s", field, why)
			return
		}
	}
}

// otherAmount tells whether the tax in the tax currency is not that in the invoice's.
func otherAmount(g *invoice.TaxSummary) bool { return g.TaxCurrencyTaxAmount.Cmp(g.TaxAmount) != 0 }

// dropTaxes takes the tax in the tax currency out of the groups.
func (d *Draft) dropTaxes() {
	for i := range d.Invoice.TaxSummary {
		d.Invoice.TaxSummary[i].TaxCurrencyTaxAmount = decimal.Decimal{}
	}
}

// missTaxCurrency takes the tax currency (BT-6) out of the invoice and warns of it.
func (d *Draft) missTaxCurrency(why string) {
	const field = "taxCurrencyCode"
	d.warn(finding.FieldNotWritten, field, "%s is not written, because %s", field, why)
	d.Invoice.TaxCurrencyCode = ""
}
