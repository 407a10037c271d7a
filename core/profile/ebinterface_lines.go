package profile

import (
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// descriptions: the name of an item and its description are elements of one name, the name first.
var descriptions = Step{
	Name:  "descriptions",
	Moves: []Move{{"items[].itemDescription", "items[].description"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			it.Description = strings.Join(strings.Fields(it.Description), " ")
			if it.ItemDescription != "" && it.ItemDescription != it.Description {
				it.Description += "\n" + it.ItemDescription
			}
			it.ItemDescription = ""
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			it.Description, it.ItemDescription, _ = strings.Cut(it.Description, "\n")
		}
	},
}

// givenNumbers is lineNumbers, for a format in which a line needs no number.
var givenNumbers = Step{
	Name:  "line numbers",
	Moves: lineNumbers.Moves,
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			if it.Position != nil && (it.LineID == "" || it.LineID == strconv.Itoa(*it.Position)) {
				it.LineID, it.Position = strconv.Itoa(*it.Position), nil
			}
		}
	},
	Restore: lineNumbers.Restore,
}

// unitOfPrice: the price is for the unit of the quantity, so that only another one is missed. A quantity without unit is a number.
var unitOfPrice = Step{
	Name: "unit of the price",
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			if it.PriceBaseUnit == it.Unit {
				it.PriceBaseUnit = ""
			}
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			if it.Unit == "" {
				it.Unit = "C62"
			}
		}
	},
}

// lineDiscounts is lineAmounts, for a format that may state the tax of a line.
var lineDiscounts = Step{
	Name:   "line amounts",
	Moves:  lineAmounts.Moves,
	Derive: lineAmounts.Derive,
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			if it.NetAmount.IsSet() && !it.TaxAmount.IsSet() {
				it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
			}
		}
	},
}

// standardNumbers: a standard identifier with the scheme of GTINs is one.
var standardNumbers = Step{
	Name:  "GTIN",
	Moves: []Move{{"items[].standardItemId.id", "items[].gtin"}, {"items[].standardItemId.schemeId", "items[].gtin"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			if s := it.StandardItemID; s != nil && s.SchemeID == gtinScheme && (it.GTIN == "" || it.GTIN == s.ID) {
				it.GTIN, it.StandardItemID = s.ID, nil
			}
		}
	},
}

// priceDecimals are those that ebInterface has for prices (Decimal4Type).
const priceDecimals = 4

// scaledPrices: a price with more decimals is stated for 10, 100, … units.
var scaledPrices = Step{
	Name:   "prices for more units",
	Copies: []Move{{"items[].unitPrice", "items[].priceBaseQuantity"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			price := it.UnitPrice.Trim()
			excess := price.Scale() - priceDecimals
			if excess <= 0 || excess > 6 {
				continue
			}
			factor := decimal.New(1, 0)
			for range excess {
				factor = factor.Mul(decimal.New(10, 0))
			}
			base := it.PriceBaseQuantity
			if !base.IsSet() {
				base = decimal.New(1, 0)
			}
			it.UnitPrice, it.PriceBaseQuantity = price.Mul(factor).Trim(), base.Mul(factor).Trim()
		}
	},
}

// reductionBases: reductions and surcharges state the amount that they are of. Where the invoice does not it is that of the line, or of
// all lines.
var reductionBases = Step{
	Name: "bases of reductions",
	Copies: []Move{
		{"items[].allowances[].amount", "items[].allowances[].baseAmount"}, {"items[].charges[].amount", "items[].charges[].baseAmount"},
		{"allowancesCharges[].amount", "allowancesCharges[].baseAmount"},
	},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			for _, list := range [][]invoice.LineCharge{it.Allowances, it.Charges} {
				for i := range list {
					if !list[i].BaseAmount.IsSet() {
						list[i].BaseAmount = grossOf(it)
					}
				}
			}
		}
		for i := range d.Invoice.AllowancesCharges {
			if c := &d.Invoice.AllowancesCharges[i]; !c.BaseAmount.IsSet() {
				c.BaseAmount = linesOf(d.Invoice)
			}
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			for _, list := range [][]invoice.LineCharge{it.Allowances, it.Charges} {
				for i := range list {
					c := &list[i]
					settleBase(&c.Amount, &c.BaseAmount, c.Percentage, grossOf(it))
				}
			}
		}
		for i := range d.Invoice.AllowancesCharges {
			c := &d.Invoice.AllowancesCharges[i]
			settleBase(&c.Amount, &c.BaseAmount, c.Percentage, linesOf(d.Invoice))
		}
	},
}

// settleBase computes an amount that is left out, and leaves out a base that says nothing: one without percentage that is the whole.
func settleBase(amount, base *decimal.Decimal, percentage, whole decimal.Decimal) {
	if !amount.IsSet() && percentage.IsSet() {
		*amount = invoice.TaxOf(*base, percentage)
	}
	if !percentage.IsSet() && base.Equal(whole) {
		*base = decimal.Decimal{}
	}
}

// grossOf is the amount of a line before reductions and surcharges.
func grossOf(it *invoice.Item) decimal.Decimal {
	bare := invoice.Item{Quantity: it.Quantity, UnitPrice: it.UnitPrice, PriceBaseQuantity: it.PriceBaseQuantity}
	return bare.NetTo(2)
}

// linesOf is the sum of the lines.
func linesOf(inv *invoice.Invoice) decimal.Decimal {
	var sum decimal.Decimal
	for i := range inv.Items {
		sum = sum.Add(inv.Items[i].NetAmount)
	}
	return invoice.RoundTotal(sum)
}

// notWritten warns of what the format has no place for.
func (d *Draft) notWritten(field, format string, args ...any) {
	d.warn(finding.FieldNotWritten, field, format, args...)
}
