package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// austrianRate is the standard rate of Austria (UStG 1994, § 10), which the category S stands for in ebInterface.
var austrianRate = decimal.New(20, 0)

// austrianRates: S is the standard rate, and AA (lower rate) any other one. What is out of the scope of VAT has the rate 0.
var austrianRates = Step{
	Name: "Austrian rates",
	Derive: func(d *Draft) {
		each(d.Invoice, func(category *string, rate *decimal.Decimal) {
			switch {
			case *category == "S" && rate.IsSet() && rate.Cmp(austrianRate) != 0:
				*category = "AA"
			case !rate.IsSet() && slices.Contains([]string{"O", "Z", "E", "AE", "K", "G"}, *category):
				*rate = decimal.New(0, 0)
			}
		})
	},
	Restore: func(d *Draft) {
		each(d.Invoice, func(category *string, rate *decimal.Decimal) {
			switch {
			case *category == "AA":
				*category = "S"
			case *category == "O" && rate.Sign() == 0:
				*rate = decimal.Decimal{}
			}
		})
	},
}

// each gives all categories of the invoice with their rates.
func each(inv *invoice.Invoice, visit func(category *string, rate *decimal.Decimal)) {
	for i := range inv.Items {
		visit(&inv.Items[i].TaxCategoryCode, &inv.Items[i].TaxRate)
	}
	for i := range inv.TaxSummary {
		visit(&inv.TaxSummary[i].TaxCategoryCode, &inv.TaxSummary[i].TaxRate)
	}
	for i := range inv.AllowancesCharges {
		visit(&inv.AllowancesCharges[i].TaxCategoryCode, &inv.AllowancesCharges[i].TaxRate)
	}
}

// exemptionTexts: ebInterface has texts for reasons of exemption, and no codes. Of a code whose words the law has these are written.
var exemptionTexts = Step{
	Name:  "texts of exemptions",
	Moves: []Move{{"taxSummary[].exemptionReasonCode", "taxSummary[].exemptionReason"}, {"items[].taxExemptionReasonCode", "items[].taxExemptionReason"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			wordCode(&it.TaxExemptionReason, &it.TaxExemptionReasonCode)
		}
		for i := range d.Invoice.TaxSummary {
			g := &d.Invoice.TaxSummary[i]
			wordCode(&g.ExemptionReason, &g.ExemptionReasonCode)
		}
	},
	Restore: restoreTaxes,
}

// wordCode puts the words of a code in place of a text that is missing.
func wordCode(text, code *string) {
	if words := exemptionWords[*code]; *text == "" && words != "" {
		*text, *code = words, ""
	}
}

// exemptionWords are the words of the law for codes of VATEX (UStG 1994, § 6, § 11 Abs. 1a; VAT Directive, art. 226, point 11a).
var exemptionWords = map[string]string{
	"VATEX-EU-AE": "Steuerschuldnerschaft des Leistungsempfängers",
	"VATEX-EU-IC": "Steuerfreie innergemeinschaftliche Lieferung",
	"VATEX-EU-G":  "Steuerfreie Ausfuhrlieferung",
}

// restoreTaxes computes what documents may leave out: the tax of a rate, and the total without VAT, which ebInterface does not state.
func restoreTaxes(d *Draft) {
	inv := d.Invoice
	for i := range inv.TaxSummary {
		if g := &inv.TaxSummary[i]; g.NetAmount.IsSet() && !g.TaxAmount.IsSet() {
			g.TaxAmount = invoice.TaxOf(g.NetAmount, g.TaxRate)
		}
	}
	if !inv.Subtotal.IsSet() {
		inv.Subtotal = subtotalOf(inv)
	}
}

// subtotalOf is BT-109: the sum of the taxable amounts, without any that of the lines with allowances and charges.
func subtotalOf(inv *invoice.Invoice) decimal.Decimal {
	var sum decimal.Decimal
	for i := range inv.TaxSummary {
		sum = sum.Add(inv.TaxSummary[i].NetAmount)
	}
	if len(inv.TaxSummary) > 0 {
		return invoice.RoundTotal(sum)
	}
	sum = linesOf(inv)
	for i := range inv.AllowancesCharges {
		c := &inv.AllowancesCharges[i]
		if c.Charge() {
			sum = sum.Add(c.Amount)
		} else {
			sum = sum.Sub(c.Amount)
		}
	}
	return invoice.RoundTotal(sum)
}

// taxInEuros: the tax of an invoice in another currency is stated in euros as well (UStG 1994, § 11 Abs. 1). No tax is none in euros.
var taxInEuros = Step{
	Name: "tax in euros",
	Derive: func(d *Draft) {
		inv := d.Invoice
		other := inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode != "EUR"
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			switch {
			case other, inv.Currency == "EUR":
				g.TaxCurrencyTaxAmount = decimal.Decimal{}
			case !g.TaxCurrencyTaxAmount.IsSet() && g.TaxAmount.IsSet() && g.TaxAmount.Sign() == 0:
				g.TaxCurrencyTaxAmount = g.TaxAmount
			}
		}
		if other {
			d.notWritten("taxCurrencyCode", "taxCurrencyCode %s and the tax in it are not written: ebInterface states the tax in EUR", inv.TaxCurrencyCode)
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.TaxSummary {
			if d.Invoice.TaxSummary[i].TaxCurrencyTaxAmount.IsSet() {
				d.Invoice.TaxCurrencyCode = "EUR"
			}
		}
	},
}
