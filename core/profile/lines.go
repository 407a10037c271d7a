package profile

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

var (
	hundred = decimal.New(100, 0)
	cent    = decimal.New(1, 2)
)

// lineNumbers: position is the line identifier (BT-126) when that is an integer; a line without one gets its ordinal, a line
// within a line that after the identifier of its parent.
var lineNumbers = Step{
	Name:  "line numbers",
	Moves: []Move{{"items[].position", "items[].lineId"}},
	Derive: func(d *Draft) {
		numberLines(d.Invoice.Items, "")
		for i := range d.Invoice.Items {
			if d.deep {
				numberWithin(&d.Invoice.Items[i])
			}
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			if n, err := strconv.Atoi(it.LineID); err == nil && strconv.Itoa(n) == it.LineID {
				it.Position, it.LineID = &n, ""
			}
		}
	},
}

// numberLines gives identifiers to the lines of one list; before stands before an ordinal that is made up.
func numberLines(items []invoice.Item, before string) {
	for i := range items {
		it := &items[i]
		id := before + strconv.Itoa(i+1)
		if it.Position != nil {
			id = strconv.Itoa(*it.Position)
		}
		it.LineID = cmp.Or(it.LineID, id)
		if it.LineID == id {
			it.Position = nil
		}
	}
}

func numberWithin(it *invoice.Item) {
	numberLines(it.SubItems, it.LineID+".")
	for i := range it.SubItems {
		numberWithin(&it.SubItems[i])
	}
}

// lineDefaults: what a line repeats or computes when it is left out. In UBL and CII the unit of the base quantity (BT-150) is
// an attribute of the quantity (BT-149), so that it needs one.
var lineDefaults = Step{
	Name: "line defaults",
	Copies: []Move{
		{"items[].description", "items[].itemDescription"},
		{"items[].unit", "items[].priceBaseUnit"}, {"items[].priceBaseUnit", "items[].priceBaseQuantity"},
		{"items[].grossPrice", "items[].priceDiscount"}, {"items[].priceDiscount", "items[].grossPrice"},
	},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			it.ItemDescription = cmp.Or(it.ItemDescription, it.Description)
			switch {
			case it.PriceBaseQuantity.IsSet():
				it.PriceBaseUnit = cmp.Or(it.PriceBaseUnit, it.Unit)
			case it.PriceBaseUnit != "":
				it.PriceBaseQuantity = decimal.New(1, 0)
			}
			switch {
			case it.GrossPrice.IsSet() && !it.PriceDiscount.IsSet():
				it.PriceDiscount = it.GrossPrice.Sub(it.UnitPrice)
			case it.PriceDiscount.IsSet() && !it.GrossPrice.IsSet():
				it.GrossPrice = it.UnitPrice.Add(it.PriceDiscount)
			}
		}
	},
}

// articleNumbers: gtin is the standard identifier (BT-157) of scheme 0160.
var articleNumbers = Step{
	Name:  "article numbers",
	Moves: []Move{{"items[].gtin", "items[].standardItemId.id"}, {"items[].gtin", "items[].standardItemId.schemeId"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			if it.GTIN != "" && it.StandardItemID == nil {
				it.StandardItemID = &invoice.StandardItemID{SchemeID: gtinScheme}
			}
			if it.StandardItemID != nil && it.StandardItemID.SchemeID == gtinScheme {
				moveInto(&it.StandardItemID.ID, &it.GTIN)
			}
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			if it.StandardItemID != nil && it.StandardItemID.SchemeID == gtinScheme {
				it.GTIN, it.StandardItemID = it.StandardItemID.ID, nil
			}
		}
	},
}

// gtinScheme is the ISO 6523 code of the Global Trade Item Number.
const gtinScheme = "0160"

// lineAmounts: the discount is one more allowance (BG-27), and amounts that only repeat others are let go.
var lineAmounts = Step{
	Name: "line amounts",
	Moves: []Move{
		{"items[].discount", "items[].allowances[]"},
		{"items[].discount.value", "items[].allowances[].amount"}, {"items[].discount.value", "items[].allowances[].baseAmount"},
		{"items[].discount.value", "items[].allowances[].percentage"}, {"items[].discount.type", "items[].allowances[].percentage"},
		{"items[].discount.reason", "items[].allowances[].reason"}, {"items[].discount.type", "items[].allowances[].reasonCode"},
	},
	Derive: func(d *Draft) {
		unit := decimal.New(1, invoice.AmountDecimals(d.Invoice.Currency))
		for at, it := range d.lines() {
			applyDiscount(it)
			d.checkNet(at, it)
			dropRepeated(it, unit)
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			if it.NetAmount.IsSet() && !it.TaxAmount.IsSet() {
				it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
			}
		}
	},
}

// statedAmounts is lineAmounts for a format whose lines state their tax and their amount with tax: neither is let go.
var statedAmounts = Step{
	Name:  lineAmounts.Name,
	Moves: lineAmounts.Moves,
	Derive: func(d *Draft) {
		for at, it := range d.lines() {
			applyDiscount(it)
			d.checkNet(at, it)
		}
	},
	Restore: lineAmounts.Restore,
}

func applyDiscount(it *invoice.Item) {
	if allowance, ok := it.DiscountAllowance(); ok {
		it.Allowances = append(it.Allowances, allowance)
		it.Discount = nil
	}
}

func (d *Draft) checkNet(at invoice.LinePath, it *invoice.Item) {
	if !it.NetAmount.IsSet() {
		return
	}
	if want := it.NetTo(invoice.AmountDecimals(d.Invoice.Currency)); !near(it.NetAmount, it.Net()) && want.Sub(it.NetAmount).Abs().Cmp(cent) > 0 {
		d.warn(finding.LineNetMismatch, at.String()+".netAmount",
			"%s.netAmount is %s, but quantity, unitPrice, allowances and charges give %s (BT-131)", at, it.NetAmount, want)
	}
}

// dropRepeated clears tax and gross amount of a line where they say what net amount and rate say already, but for one of the smallest
// units of the currency: EN 16931 has no term for either.
func dropRepeated(it *invoice.Item, unit decimal.Decimal) {
	tax := invoice.TaxOf(it.NetAmount, it.TaxRate)
	if it.GrossAmount.IsSet() && differByOne(it.GrossAmount, it.NetAmount.Add(it.TaxAmount), unit) {
		it.GrossAmount = decimal.Decimal{}
	}
	if differByOne(it.TaxAmount, tax, unit) {
		it.TaxAmount = decimal.Decimal{}
	}
}

// computed sets an amount of a line that the format wants computed; not set where there is nothing to compute it of. The caller's amount stays
// where it is within the tolerance of the rules of the format, unless it has to be zero. It warns where the caller's amount, which says
// something else than net amount and rate to the smallest unit of the currency, is not the one that is written.
func (d *Draft) computed(at invoice.LinePath, name string, given *decimal.Decimal, amount, tolerance decimal.Decimal) {
	if given.IsSet() && amount.Sign() != 0 && differByOne(*given, amount, tolerance) {
		return
	}
	if unit := decimal.New(1, invoice.AmountDecimals(d.Invoice.Currency)); given.IsSet() && !differByOne(*given, amount, unit) || given.Sign() != 0 && !amount.IsSet() {
		field, why := at.String()+"."+name, "nothing gives that amount here"
		if amount.IsSet() {
			why = fmt.Sprintf("the amount here is what netAmount and taxRate give, %s", amount)
		}
		d.warn(finding.FieldNotWritten, field, "%s is %s, which is not written: %s", field, given, why)
	}
	*given = amount
}

// near tells whether two amounts differ by no more than a cent.
func near(a, b decimal.Decimal) bool { return differByOne(a, b, cent) }

// differByOne tells whether two amounts differ by no more than one unit.
func differByOne(a, b, unit decimal.Decimal) bool { return a.Sub(b).Abs().Cmp(unit) <= 0 }
