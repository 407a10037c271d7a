package profile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// withoutTax are the categories without tax that Facturae tells apart: the code of the special event (SpecialTaxableEventCode), the exemption
// code (VATEX) of the same meaning, the provision of Ley 37/1992 that is the reason where none is given, and words that tell the category.
var withoutTax = []struct{ category, event, vatex, provision, words string }{
	{"K", exemptEvent, "VATEX-EU-IC", "Entrega intracomunitaria exenta (art. 25 de la Ley 37/1992)", "intracomunitari|art. 25"},
	{"G", exemptEvent, "VATEX-EU-G", "Exportación exenta (art. 21 de la Ley 37/1992)", "exportaci|art. 21"},
	{"E", exemptEvent, "", "Operación exenta (art. 20 de la Ley 37/1992)", ""},
	{"O", outsideEvent, "VATEX-EU-O", "Operación no sujeta (Ley 37/1992)", ""},
	{"AE", "", "VATEX-EU-AE", reverseChargeText, ""},
}

// The special events: subject to the tax and exempt, not subject to it.
const (
	exemptEvent  = "01"
	outsideEvent = "02"
)

// reverseChargeText is what an invoice under reverse charge says (Real Decreto 1619/2012, art. 6.1.m).
const reverseChargeText = "Inversión del sujeto pasivo (art. 84.Uno.2º de la Ley 37/1992)"

// SpecialTaxableEvent is the code of the special event of a line; empty for a line that has none.
func SpecialTaxableEvent(it *invoice.Item) string {
	if it.TaxRate.Sign() != 0 {
		return ""
	}
	for _, row := range withoutTax {
		if row.category == it.TaxCategoryCode {
			return row.event
		}
	}
	return ""
}

// facturaeTaxes: a line without tax says why; a reverse charge is a legal reference of the invoice. The groups give their
// lines the reasons before they let them go.
var facturaeTaxes = Step{
	Name:  "taxes",
	Moves: []Move{{"taxSummary[].exemptionReason", "items[].taxExemptionReason"}, {"taxSummary[].exemptionReasonCode", "items[].taxExemptionReason"}, {"taxSummary[].exemptionReason", "noteEntries[].text"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		lined := map[string]bool{} // categories with lines
		reasons := map[string]string{}
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			d.oneOf(g.TaxCategoryCode, entry("taxSummary", i)()+".taxCategoryCode", "S", "Z", "E", "AE", "K", "G", "O", "B", "L", "M")
			reasons[g.TaxCategoryCode] = cmp.Or(reasons[g.TaxCategoryCode], g.ExemptionReason)
		}
		for i := range inv.Items {
			it := &inv.Items[i]
			lined[it.TaxCategoryCode] = true
			event := SpecialTaxableEvent(it)
			if it.NatureCode != event {
				leave(d, &it.NatureCode, entry("items", i)()+".natureCode", "the category of the line gives its special event (SpecialTaxableEvent)")
			}
			if event != "" {
				it.TaxExemptionReason = cmp.Or(it.TaxExemptionReason, reasons[it.TaxCategoryCode], untaxedRow(it.TaxCategoryCode).provision)
			}
		}
		for i := range inv.TaxSummary {
			d.facturaeReason(&inv.TaxSummary[i], lined)
		}
	},
}

func untaxedRow(category string) (row struct{ category, event, vatex, provision, words string }) {
	for _, r := range withoutTax {
		if r.category == category {
			return r
		}
	}
	return row
}

// facturaeReason lets go what the lines of a group say, and says of a reverse charge what the law wants.
func (d *Draft) facturaeReason(g *invoice.TaxSummary, lined map[string]bool) {
	inv, row := d.Invoice, untaxedRow(g.TaxCategoryCode)
	if row.category == "" {
		return
	}
	if strings.EqualFold(g.ExemptionReasonCode, row.vatex) {
		g.ExemptionReasonCode = ""
	}
	switch {
	case row.category == "AE":
		text := g.ExemptionReason
		if text != "" && !saysReverseCharge(text) {
			text = "Inversión del sujeto pasivo: " + text
		}
		addNote(inv, cmp.Or(text, reverseChargeText))
	case !lined[g.TaxCategoryCode]:
		addNote(inv, g.ExemptionReason)
	}
	g.ExemptionReason = ""
}

// saysReverseCharge tells whether a text says that the buyer owes the tax.
func saysReverseCharge(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "inversión del sujeto pasivo") || strings.Contains(lower, "inversion del sujeto pasivo") || strings.Contains(lower, "reverse charge")
}

// facturaeLines: a price is for one unit, the cost of a line is that before discounts and surcharges, and units have codes of their own.
var facturaeLines = Step{
	Name:   "lines",
	Copies: []Move{{"items[].unitPrice", "items[].grossAmount"}, {"items[].netAmount", "items[].taxAmount"}},
	Derive: func(d *Draft) {
		told, gross := false, facturaeGross(d.Invoice)
		for i := range d.Invoice.AllowancesCharges {
			c := &d.Invoice.AllowancesCharges[i]
			if c.BaseAmount.IsSet() && c.Percentage.IsSet() && near(c.BaseAmount, gross) {
				c.BaseAmount = decimal.Decimal{} // the lines say it
			}
			if c.ReasonCode == discountCode && !c.Charge() {
				c.ReasonCode = ""
			}
		}
		for at, it := range d.Invoice.TopLines() {
			if it.PriceBaseQuantity.Sign() > 0 {
				if price, ok := it.UnitPrice.Quo(it.PriceBaseQuantity, 8, decimal.HalfUp); ok {
					it.UnitPrice = price.Trim().WithMinScale(min(2, it.UnitPrice.Scale()))
				}
			}
			it.PriceBaseQuantity, it.PriceBaseUnit = decimal.Decimal{}, ""
			cost := facturaeCost(it)
			if it.GrossAmount.IsSet() {
				d.warn(finding.FieldNotWritten, at.String()+".grossAmount", "%s.grossAmount is %s, which is not written: Facturae has no place for it", at, it.GrossAmount)
			}
			if it.GrossAmount = cost; !it.TaxAmount.IsSet() {
				it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
			}
			if it.ItemDescription == it.Description {
				it.ItemDescription = ""
			}
			for _, list := range [][]invoice.LineCharge{it.Allowances, it.Charges} {
				for i := range list {
					if list[i].ReasonCode == discountCode {
						list[i].ReasonCode = "" // the element says it
					}
					if list[i].BaseAmount.IsSet() && near(list[i].BaseAmount, cost) {
						list[i].BaseAmount = decimal.Decimal{} // the cost says it
					}
				}
			}
			if !told && it.Unit != "" && it.Unit != "ZZ" && UnitOfFacturae(it.Unit) == otherUnit {
				told = true
				d.warn(finding.FieldNotWritten, at.String()+".unit", "%s.unit is %s, which Facturae has no code for: 05 (other units) is written, here and wherever else it has none", at, it.Unit)
			}
		}
	},
}

// discountCode is the reason of an allowance that is a discount (UNTDID 5189).
const discountCode = "95"

// facturaeCost is the amount of a line before its discounts and surcharges: what these leave of it is the net amount, to the cent.
func facturaeCost(it *invoice.Item) decimal.Decimal {
	before := it.NetAmount
	for i := range it.Allowances {
		before = before.Add(it.Allowances[i].Amount)
	}
	for i := range it.Charges {
		before = before.Sub(it.Charges[i].Amount)
	}
	cost := it.Quantity.Mul(it.UnitPrice)
	if near(cost, before) {
		return before
	}
	return cost.Round(8, decimal.HalfUp).Trim()
}

// linePath is the path of the elements of a line.
func linePath(inv *invoice.Invoice, i int) string {
	if len(inv.Items) == 1 {
		return facturaeBody + "Items/InvoiceLine/"
	}
	return fmt.Sprintf("%sItems/InvoiceLine[%d]/", facturaeBody, i+1)
}
