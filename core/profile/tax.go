package profile

import (
	"fmt"

	"einvoiced/core/decimal"
	"einvoiced/core/finding"
	"einvoiced/core/invoice"
)

// taxCategories: a rate alone means standard rate (S), a rate of zero the zero rate (Z).
var taxCategories = Step{
	Name: "tax categories",
	Derive: func(d *Draft) {
		inv := d.Invoice
		for i := range inv.Items {
			defaultCategory(&inv.Items[i].TaxCategoryCode, inv.Items[i].TaxRate)
		}
		for i := range inv.TaxSummary {
			defaultCategory(&inv.TaxSummary[i].TaxCategoryCode, inv.TaxSummary[i].TaxRate)
		}
		for i := range inv.AllowancesCharges {
			defaultCategory(&inv.AllowancesCharges[i].TaxCategoryCode, inv.AllowancesCharges[i].TaxRate)
		}
	},
}

func defaultCategory(code *string, rate decimal.Decimal) {
	switch {
	case *code != "" || !rate.IsSet():
	case rate.Sign() > 0:
		*code = "S"
	default:
		*code = "Z"
	}
}

// exemptionReasons: EN 16931 states the reason of an exemption once for each tax group (BT-120, BT-121), not on the lines.
var exemptionReasons = Step{
	Name: "exemption reasons",
	Moves: []Move{
		{"items[].taxExemptionReason", "taxSummary[].exemptionReason"},
		{"items[].taxExemptionReasonCode", "taxSummary[].exemptionReasonCode"},
	},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			if it.TaxExemptionReason == "" && it.TaxExemptionReasonCode == "" {
				continue
			}
			if group := groupOf(d.Invoice, it); group != nil {
				moveInto(&group.ExemptionReason, &it.TaxExemptionReason)
				moveInto(&group.ExemptionReasonCode, &it.TaxExemptionReasonCode)
			}
		}
	},
}

// groupOf finds the tax group of a line.
func groupOf(inv *invoice.Invoice, it *invoice.Item) *invoice.TaxSummary {
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if g.TaxCategoryCode == it.TaxCategoryCode && g.TaxRate.Cmp(it.TaxRate) == 0 {
			return g
		}
	}
	return nil
}

// signs: documents state a credit as a positive credit note, and a price is never negative.
var signs = Step{
	Name: "signs",
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			if it := &d.Invoice.Items[i]; it.UnitPrice.Sign() < 0 && it.Quantity.Sign() > 0 {
				it.UnitPrice, it.Quantity = it.UnitPrice.Neg(), it.Quantity.Neg()
				d.warn(finding.LineSignMoved, fmt.Sprintf("items[%d].unitPrice", i),
					"items[%d].unitPrice is negative: written with quantity %s and price %s, because a price must not be negative (BR-27)",
					i, it.Quantity, it.UnitPrice)
			}
		}
		if inv := d.Invoice; inv.Type == invoice.TypeCreditNote && negativeTotals(inv) {
			negate(inv)
			d.warn(finding.CreditNoteSignFlipped, "total",
				"total is negative on a credit note: quantities and amounts are written with the opposite sign, as a credit note is itself the minus")
		}
	},
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
	if inv.Retention != nil {
		flip(&inv.Retention.Amount, &inv.Retention.BaseAmount)
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

// taxCurrency: the tax in the tax currency (BT-111) is what the groups state, else the tax at the exchange rate.
var taxCurrency = Step{
	Name:  "tax currency",
	Moves: []Move{{"countrySpecific.exchangeRate", "taxSummary[].taxCurrencyTaxAmount"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, d.Invoice.CountrySpecific
		stated, tax := false, decimal.Decimal{}
		for i := range inv.TaxSummary {
			stated = stated || inv.TaxSummary[i].TaxCurrencyTaxAmount.IsSet()
			tax = tax.Add(inv.TaxSummary[i].TaxAmount)
		}
		switch {
		case stated && inv.TaxCurrencyCode == "":
			d.warn(finding.FieldNotWritten, "taxSummary[0].taxCurrencyTaxAmount",
				"taxSummary[].taxCurrencyTaxAmount is not written, because the invoice states no taxCurrencyCode (BT-6)")
		case !stated && inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode != inv.Currency && cs != nil && cs.ExchangeRate.IsSet():
			invoice.ShareTaxInTaxCurrency(inv, tax.Mul(cs.ExchangeRate).Round(2, decimal.HalfUp))
			cs.ExchangeRate = decimal.Decimal{}
		}
	},
}
