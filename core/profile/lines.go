package profile

import (
	"cmp"
	"strconv"

	"einvoiced/core/decimal"
	"einvoiced/core/finding"
	"einvoiced/core/invoice"
)

var (
	zero    = decimal.New(0, 0)
	hundred = decimal.New(100, 0)
	cent    = decimal.New(1, 2)
)

// lineNumbers: position is the line identifier (BT-126) when that is an integer; a line without one gets its ordinal.
var lineNumbers = Step{
	Name:  "line numbers",
	Moves: []Move{{"items[].position", "items[].lineId"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			ordinal := i + 1
			if it.Position != nil {
				ordinal = *it.Position
			}
			it.LineID = cmp.Or(it.LineID, strconv.Itoa(ordinal))
			it.Position = nil
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			if n, err := strconv.Atoi(it.LineID); err == nil && strconv.Itoa(n) == it.LineID {
				it.Position, it.LineID = &n, ""
			}
		}
	},
}

// lineDefaults: what a line repeats or computes when it is left out.
var lineDefaults = Step{
	Name: "line defaults",
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			it.ItemDescription = cmp.Or(it.ItemDescription, it.Description)
			if it.PriceBaseQuantity.IsSet() {
				it.PriceBaseUnit = cmp.Or(it.PriceBaseUnit, it.Unit)
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
	Moves: []Move{{"items[].gtin", "items[].standardItemId.id"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			if it.GTIN != "" && it.StandardItemID == nil {
				it.StandardItemID = &invoice.StandardItemID{ID: it.GTIN, SchemeID: gtinScheme}
				it.GTIN = ""
			}
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
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
	Name:  "line amounts",
	Moves: []Move{{"items[].discount", "items[].allowances[]"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			applyDiscount(it)
			d.checkNet(i, it)
			dropRepeated(it)
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			if it.NetAmount.IsSet() {
				it.TaxAmount = taxOf(it.NetAmount, it.TaxRate)
			}
		}
	},
}

// reasonDiscount is the code of UNTDID 5189 for a discount.
const reasonDiscount = "95"

func applyDiscount(it *invoice.Item) {
	if it.Discount == nil {
		return
	}
	allowance := invoice.LineCharge{Amount: it.Discount.Value, Reason: it.Discount.Reason}
	if it.Discount.Type == invoice.DiscountPercentage {
		allowance.Percentage = it.Discount.Value
		allowance.BaseAmount = gross(it).Round(2, decimal.HalfUp)
		allowance.Amount = allowance.BaseAmount.Mul(it.Discount.Value).Mul(cent).Round(2, decimal.HalfUp)
	}
	if allowance.Reason == "" {
		allowance.ReasonCode = reasonDiscount
	}
	it.Allowances = append(it.Allowances, allowance)
	it.Discount = nil
}

// gross is the quantity at the unit price, before allowances and charges. A base quantity of zero counts as one: the rules
// have their own word on it.
func gross(it *invoice.Item) decimal.Decimal {
	amount := it.Quantity.Mul(it.UnitPrice)
	if it.PriceBaseQuantity.Sign() == 0 {
		return amount
	}
	quotient, ok := amount.Quo(it.PriceBaseQuantity, 10, decimal.HalfUp)
	if !ok {
		return amount
	}
	return quotient
}

// NetOf is the line net amount (BT-131) that quantity, price, allowances and charges of a line give, to two decimals.
func NetOf(it *invoice.Item) decimal.Decimal {
	net := gross(it)
	for _, a := range it.Allowances {
		net = net.Sub(a.Amount)
	}
	for _, c := range it.Charges {
		net = net.Add(c.Amount)
	}
	return net.Round(2, decimal.HalfUp)
}

func (d *Draft) checkNet(i int, it *invoice.Item) {
	if !it.NetAmount.IsSet() {
		return
	}
	if want := NetOf(it); want.Sub(it.NetAmount).Abs().Cmp(cent) > 0 {
		d.warn(finding.LineNetMismatch, "items["+strconv.Itoa(i)+"].netAmount",
			"items[%d].netAmount is %s, but quantity, unitPrice, allowances and charges give %s (BT-131)", i, it.NetAmount, want)
	}
}

// dropRepeated clears tax and gross amount of a line where they say what net amount and rate say already: EN 16931 has no
// term for either.
func dropRepeated(it *invoice.Item) {
	tax := taxOf(it.NetAmount, it.TaxRate)
	if it.GrossAmount.IsSet() && near(it.GrossAmount, it.NetAmount.Add(it.TaxAmount)) {
		it.GrossAmount = decimal.Decimal{}
	}
	if near(it.TaxAmount, tax) {
		it.TaxAmount = decimal.Decimal{}
	}
}

// near tells whether two amounts differ by no more than a cent.
func near(a, b decimal.Decimal) bool { return a.Sub(b).Abs().Cmp(cent) <= 0 }

// taxOf is the tax on an amount at a rate in percent, to two decimals.
func taxOf(net, rate decimal.Decimal) decimal.Decimal {
	return net.Mul(rate).Mul(cent).Round(2, decimal.HalfUp)
}
