package profile

import (
	"cmp"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// chargesAsLines: an allowance or a charge on the document is a line of its own, since FA(3) has none.
var chargesAsLines = chargeLines("Opłata dodatkowa", "Rabat")

// chargeLines makes allowances and charges on the document lines; charge and allowance are the words for those without a
// reason. The minus of an allowance is that of its quantity, for a price has none (BR-27).
func chargeLines(charge, allowance string) Step {
	return Step{
		Name: "allowances and charges as lines",
		Moves: []Move{
			{"allowancesCharges[].amount", "items[].netAmount"}, {"allowancesCharges[].amount", "items[].unitPrice"}, {"allowancesCharges[].reason", "items[].description"},
			{"allowancesCharges[].taxCategoryCode", "items[].taxCategoryCode"}, {"allowancesCharges[].taxRate", "items[].taxRate"},
		},
		Derive: func(d *Draft) {
			inv := d.Invoice
			for i := range inv.AllowancesCharges {
				c := &inv.AllowancesCharges[i]
				amount, quantity, text := c.Amount, decimal.New(1, 0), charge
				if !c.Charge() {
					amount, quantity, text = amount.Neg(), quantity.Neg(), allowance
				}
				number := len(inv.Items) + 1
				inv.Items = append(inv.Items, invoice.Item{Position: &number, Description: cmp.Or(c.Reason, text), Quantity: quantity, Unit: "C62", UnitPrice: c.Amount,
					NetAmount: amount, TaxCategoryCode: c.TaxCategoryCode, TaxRate: c.TaxRate})
				c.Amount, c.Reason, c.TaxCategoryCode, c.TaxRate, c.IsCharge = decimal.Decimal{}, "", "", decimal.Decimal{}, nil
			}
		},
	}
}

// faNumbers: lines are numbered from 1 (NrWierszaFa); other identifiers of lines give way.
var faNumbers = Step{
	Name:  "line numbers",
	Moves: []Move{{"items[].lineId", "items[].position"}},
	Derive: func(d *Draft) {
		items := d.Invoice.Items
		kept := true
		for i := range items {
			if n, err := strconv.Atoi(items[i].LineID); err == nil {
				items[i].Position, items[i].LineID = &n, ""
			}
			kept = kept && items[i].Position != nil && *items[i].Position > 0
		}
		for i := range items {
			if number := i + 1; !kept {
				items[i].Position = &number
			}
		}
	},
}

// faPrices: the price is that of one unit; what lines of documents leave out is computed of what they state.
var faPrices = Step{
	Name:   "prices",
	Copies: []Move{{"items[].priceBaseQuantity", "items[].unitPrice"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			if it.PriceBaseQuantity.Sign() > 0 {
				price, exact := it.UnitPrice.Quo(it.PriceBaseQuantity, ksefPriceDecimals, decimal.HalfUp)
				if field := entry("items", i)() + ".unitPrice"; !exact || price.Mul(it.PriceBaseQuantity).Cmp(it.UnitPrice) != 0 {
					d.warn(finding.DecimalsReduced, field, "%s is written for one unit, as %s: FA(3) has no base quantity of prices, and %d decimals", field, price.Trim(), ksefPriceDecimals)
				}
				it.UnitPrice = price.Trim()
			}
			it.PriceBaseQuantity, it.PriceBaseUnit = decimal.Decimal{}, ""
			if it.Description == unnamed {
				it.Description = ""
			}
			if it.ItemDescription == it.Description {
				it.ItemDescription = ""
			}
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		for i := range inv.Items {
			restorePrice(inv, i)
		}
		if inv.Items == nil {
			inv.Items = []invoice.Item{}
		}
	},
}

// ksefPriceDecimals is the most decimals of a price (TKwotowy2).
const ksefPriceDecimals = 8

// restorePrice computes what a line leaves out: the net amount of a gross one, the price of a net amount, quantity and unit of a sum.
func restorePrice(inv *invoice.Invoice, i int) {
	it := &inv.Items[i]
	national := specificOf(inv).National
	stated := func(name string) decimal.Decimal {
		if texts := national[faLine(i, name)]; len(texts) == 1 {
			if d, err := decimal.Parse(texts[0]); err == nil {
				return d
			}
		}
		return decimal.Decimal{}
	}
	if gross := stated("P_11A"); !it.NetAmount.IsSet() && gross.IsSet() {
		// A line of the state before a correction, which the correction takes back.
		if national[faLine(i, "StanPrzed")] != nil {
			gross = gross.Neg()
		}
		it.NetAmount = netOf(gross, it.TaxRate, 2)
	}
	if !it.UnitPrice.IsSet() {
		switch price := stated("P_9B"); {
		case price.IsSet():
			it.UnitPrice = netOf(price, it.TaxRate, ksefPriceDecimals)
		case it.NetAmount.IsSet() && it.Quantity.Sign() != 0:
			it.UnitPrice, _ = it.NetAmount.Quo(it.Quantity, ksefPriceDecimals, decimal.HalfUp)
			it.UnitPrice = it.UnitPrice.Trim()
		case it.NetAmount.IsSet():
			it.UnitPrice = it.NetAmount.Abs()
		default:
			it.UnitPrice = decimal.New(0, 0)
		}
	}
	if !it.Quantity.IsSet() {
		it.Quantity = decimal.New(1, 0)
		if it.NetAmount.Sign() < 0 {
			it.Quantity = it.Quantity.Neg()
		}
	}
	if !it.NetAmount.IsSet() {
		it.NetAmount = it.Net()
	}
	it.Unit, it.Description = cmp.Or(it.Unit, "C62"), cmp.Or(it.Description, unnamed)
	it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
}

// netOf takes the tax out of a gross amount.
func netOf(gross, rate decimal.Decimal, places int) decimal.Decimal {
	net, ok := gross.Mul(hundred).Quo(hundred.Add(rate), places, decimal.HalfUp)
	if !ok {
		return gross
	}
	return net.Trim().WithMinScale(min(places, 2))
}

// faItems: of the classifications of an item FA(3) has that of the Combined Nomenclature, and of the days of a line one.
var faItems = Step{
	Name: "items",
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			var kept []invoice.Classification
			for j, c := range it.Classification {
				if c.SchemeID == CombinedNomenclature && kept == nil {
					kept = []invoice.Classification{c}
					continue
				}
				field := entry(entry("items", i)()+".classification", j)()
				d.warn(finding.FieldNotWritten, field, "%s is not written: FA(3) has one code of the Combined Nomenclature (scheme HS) for a line (CN)", field)
			}
			it.Classification = kept
			if p := it.ServicePeriod; p != nil && p.Start != "" && p.End != "" && p.Start != p.End {
				field := entry("items", i)() + ".servicePeriod"
				d.warn(finding.PeriodNotRepresentable, field, "%s is not written: FA(3) has one day for a line (P_6A)", field)
				it.ServicePeriod = nil
			}
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			for j := range d.Invoice.Items[i].Classification {
				d.Invoice.Items[i].Classification[j].SchemeID = CombinedNomenclature
			}
		}
	},
}

// CombinedNomenclature is the scheme of UNTDID 7143 for the codes of CN.
const CombinedNomenclature = "HS"

// polishPeriod: FA(3) has either a day of delivery (P_6) or a period with both days (OkresFa).
var polishPeriod = Step{
	Name:  "period",
	Moves: []Move{{"taxPointDate", "delivery.date"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.TaxPointDate != "" && (inv.Delivery == nil || inv.Delivery.Date == "") {
			if inv.Delivery == nil {
				inv.Delivery = &invoice.Delivery{}
			}
			inv.Delivery.Date, inv.TaxPointDate = inv.TaxPointDate, ""
		}
		p := inv.ServicePeriod
		if p == nil {
			return
		}
		if p.Start == "" || p.End == "" {
			d.warn(finding.PeriodNotRepresentable, "servicePeriod", "servicePeriod is not written: FA(3) has periods with both days only (OkresFa)")
			inv.ServicePeriod = nil
			return
		}
		if inv.Delivery != nil && inv.Delivery.Date != "" {
			field := d.Original("delivery.date")
			d.warn(finding.FieldNotWritten, field, "%s is not written: FA(3) has a day of delivery or a period (P_6, OkresFa), and servicePeriod is given", field)
			inv.Delivery.Date = ""
		}
	},
}
