package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The kinds of supply that lines can be of (TipoCessionePrestazione).
const (
	supplyDiscount  = "SC"
	supplyAccessory = "AC"
)

// What such a line, and a discount or surcharge of a line, is called where nothing says why.
const (
	discountName  = "Sconto"
	surchargeName = "Maggiorazione"
	accessoryName = "Spesa accessoria"
)

// fundReason begins the reason of a charge that is the contribution to a pension fund, whose type follows.
const fundReason = "Contributo cassa previdenziale "

// italianArticles: the standard identifier of scheme 0160 (BT-157) is the GTIN.
var italianArticles = Step{
	Name:  articleNumbers.Name,
	Moves: []Move{{"items[].standardItemId.id", "items[].gtin"}},
	Derive: func(d *Draft) {
		for _, it := range d.Invoice.TopLines() {
			if s := it.StandardItemID; s != nil && s.SchemeID == gtinScheme && (it.GTIN == "" || it.GTIN == s.ID) {
				it.GTIN, it.StandardItemID = s.ID, nil
			}
		}
	},
}

// italianCharges: allowances and charges of the document are lines, since the groups of the VAT breakdown are the sums of lines (rule 00422
// of the Sistema di Interscambio). The contribution to a pension fund is a charge that has an element of its own.
var italianCharges = Step{
	Name: "charges",
	Moves: []Move{{"allowancesCharges[].amount", "items[].netAmount"}, {"allowancesCharges[].amount", "items[].unitPrice"}, {"allowancesCharges[].reason", "items[].description"},
		{"allowancesCharges[].taxRate", "items[].taxRate"}, {"allowancesCharges[].taxCategoryCode", "items[].natureCode"}, {"allowancesCharges[].isCharge", "items[].supplyType"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		natures := naturesTold(inv)
		for i := range inv.AllowancesCharges {
			c := &inv.AllowancesCharges[i]
			if !isFund(inv, c) {
				inv.Items = append(inv.Items, chargeLine(c, natures))
			}
			*c = invoice.DocumentCharge{Percentage: c.Percentage, BaseAmount: c.BaseAmount, ReasonCode: c.ReasonCode, TaxCategoryName: c.TaxCategoryName,
				ExemptionReason: c.ExemptionReason, ExemptionReasonCode: c.ExemptionReasonCode}
		}
	},
	Restore: restoreCharges,
}

// isFund tells whether a charge is the contribution to a pension fund that the national key has.
func isFund(inv *invoice.Invoice, c *invoice.DocumentCharge) bool {
	return inv.CountrySpecific != nil && slices.ContainsFunc(inv.CountrySpecific.PensionFund, func(f invoice.PensionFund) bool {
		return c.Charge() && c.Reason == fundReason+f.Type && c.Amount.Cmp(f.Amount) == 0
	})
}

// naturesTold gives the Natura of the first line that has one, else of the first tax group, by category and rate.
func naturesTold(inv *invoice.Invoice) map[invoice.TaxKey]string {
	natures := map[invoice.TaxKey]string{}
	for i := range inv.Items {
		it := &inv.Items[i]
		if key := invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate); natures[key] == "" {
			natures[key] = it.NatureCode
		}
	}
	for _, g := range inv.TaxSummary {
		if key := invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate); natures[key] == "" {
			natures[key] = g.NatureCode
		}
	}
	return natures
}

// chargeLine is the line of an allowance or charge. It is of the nature that is told of its category and rate.
func chargeLine(c *invoice.DocumentCharge, natures map[invoice.TaxKey]string) invoice.Item {
	it := invoice.Item{Description: cmp.Or(c.Reason, discountName), SupplyType: supplyDiscount, UnitPrice: c.Amount.Neg(), NetAmount: c.Amount.Neg(),
		TaxRate: c.TaxRate, TaxCategoryCode: c.TaxCategoryCode}
	if c.Charge() {
		it.Description, it.SupplyType = cmp.Or(c.Reason, accessoryName), supplyAccessory
		it.UnitPrice, it.NetAmount = c.Amount, c.Amount
	}
	it.NatureCode = natures[invoice.TaxKeyOf(c.TaxCategoryCode, c.TaxRate)]
	return it
}

// restoreCharges takes the lines at the end that are allowances or charges off, which say nothing but an amount. Derive puts
// them there; one between other lines is a line of its sender. A line stays in any case, since an invoice has one (BR-16).
func restoreCharges(d *Draft) {
	inv := d.Invoice
	var charges []invoice.DocumentCharge
	for len(inv.Items) > 1 {
		last := &inv.Items[len(inv.Items)-1]
		if !isCharge(last) {
			break
		}
		charges = append(charges, chargeOf(last))
		inv.Items = inv.Items[:len(inv.Items)-1]
	}
	slices.Reverse(charges)
	for i := range funds(inv) {
		f := &inv.CountrySpecific.PensionFund[i]
		yes := true
		category := restoreNature(new(f.Nature), new(f.TaxRate), "S")
		charge := invoice.DocumentCharge{IsCharge: &yes, Amount: f.Amount, Reason: fundReason + f.Type, TaxRate: f.TaxRate, TaxCategoryCode: category}
		if category == "O" {
			charge.TaxRate = decimal.Decimal{}
		}
		charges = append(charges, charge)
	}
	inv.AllowancesCharges = charges
	for i := range inv.Items {
		it := &inv.Items[i]
		it.Unit = cmp.Or(it.Unit, "C62")
		if !it.Quantity.IsSet() {
			it.Quantity = decimal.New(1, 0)
		}
	}
}

func funds(inv *invoice.Invoice) []invoice.PensionFund {
	if inv.CountrySpecific == nil {
		return nil
	}
	return inv.CountrySpecific.PensionFund
}

// isCharge tells whether a line says nothing but an amount and its tax.
func isCharge(it *invoice.Item) bool {
	plain := !it.Quantity.IsSet() && it.Unit == "" && it.ArticleNumber+it.BuyerItemID+it.GTIN+it.Note+it.BuyerAccountingReference == "" && it.ServicePeriod == nil &&
		len(it.Allowances)+len(it.Charges) == 0 && it.WithholdingFlag == nil && it.UnitPrice.Cmp(it.NetAmount) == 0
	return plain && (it.SupplyType == supplyDiscount && it.NetAmount.Sign() <= 0 || it.SupplyType == supplyAccessory && it.NetAmount.Sign() >= 0)
}

func chargeOf(it *invoice.Item) invoice.DocumentCharge {
	charge := it.SupplyType == supplyAccessory
	c := invoice.DocumentCharge{IsCharge: &charge, Amount: it.NetAmount.Abs(), TaxRate: it.TaxRate, TaxCategoryCode: it.TaxCategoryCode}
	c.Reason = it.Description
	return c
}

// mostLines is how many lines a document has at most (NumeroLinea).
const mostLines = 9999

// italianLines: a line has a number from 1 on, and is subject to the withholding of the invoice unless some line says which ones are. The
// period of the invoice (BG-14) is that of each line.
var italianLines = Step{
	Name: "lines",
	Moves: []Move{{"items[].position", "items[].lineId"}, {"servicePeriod.start", "items[].servicePeriod.start"}, {"servicePeriod.end", "items[].servicePeriod.end"},
		{"items[].itemDescription", "items[].description"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, italianKeys(d.Invoice)
		if len(inv.Items) > mostLines {
			d.refuse(finding.TooManyLineItems, "items", "items has %d lines with those of allowances and charges, and FatturaPA has room for %d", len(inv.Items), mostLines)
		}
		d.numberItalian()
		flagged := slices.ContainsFunc(inv.Items, func(it invoice.Item) bool { return it.WithholdingFlag != nil })
		yes := true
		for _, it := range inv.TopLines() {
			if it.WithholdingFlag != nil && !*it.WithholdingFlag {
				it.WithholdingFlag = nil
			} else if len(cs.Withholding) > 0 && !flagged && it.SupplyType == "" {
				it.WithholdingFlag = &yes
			}
			if it.ItemDescription != "" && it.ItemDescription != it.Description {
				it.Description += " - " + it.ItemDescription
			}
			it.ItemDescription = ""
			if inv.ServicePeriod != nil && it.ServicePeriod == nil {
				period := *inv.ServicePeriod
				it.ServicePeriod = &period
			}
		}
		inv.ServicePeriod = nil
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, italianKeys(d.Invoice)
		lineNumbers.Restore(d)
		all := !slices.ContainsFunc(inv.Items, func(it invoice.Item) bool { return it.WithholdingFlag == nil && it.SupplyType == "" })
		none := !slices.ContainsFunc(inv.Items, func(it invoice.Item) bool { return it.WithholdingFlag != nil })
		for i := range inv.Items {
			if len(cs.Withholding) > 0 && all && inv.Items[i].SupplyType == "" {
				inv.Items[i].WithholdingFlag = nil
			}
		}
		if len(cs.Withholding) > 0 && none && len(inv.Items) > 0 {
			inv.Items[0].WithholdingFlag = new(bool)
		}
	},
}

// numberItalian numbers the lines: as they are where all numbers will do, else from 1 on.
func (d *Draft) numberItalian() {
	items := d.Invoice.Items
	numberLines(items, "")
	seen := map[string]bool{}
	fit := true
	for i := range items {
		n, err := strconv.Atoi(items[i].LineID)
		fit = fit && err == nil && n >= 1 && n <= mostLines && !seen[items[i].LineID]
		seen[items[i].LineID] = true
	}
	if fit {
		return
	}
	for i := range items {
		given := items[i].LineID
		if items[i].LineID = strconv.Itoa(i + 1); i < len(items) && items[i].SupplyType == "" && given != items[i].LineID {
			if _, err := strconv.Atoi(given); err != nil {
				d.warn(finding.FieldNotWritten, fmt.Sprintf("items[%d].lineId", i), "items[%d].lineId is %s and written as %d: FatturaPA numbers lines from 1 to %d", i, given, i+1, mostLines)
			}
		}
		items[i].Position = nil
	}
}

// italianPrices: a price is for one unit and takes the minus of a quantity; discounts and surcharges of a line are for one unit as well.
// What cannot be divided to the cent is a line of its own. They have up to eight decimals.
var italianPrices = Step{
	Name: "prices",
	Derive: func(d *Draft) {
		for at, it := range d.Invoice.TopLines() {
			if it.PriceBaseQuantity.Sign() > 0 {
				if price, ok := it.UnitPrice.Quo(it.PriceBaseQuantity, 8, decimal.HalfUp); ok {
					it.UnitPrice = price.Trim().WithMinScale(min(2, it.UnitPrice.Scale()))
				}
			}
			it.PriceBaseQuantity, it.PriceBaseUnit = decimal.Decimal{}, ""
			if it.Quantity.Sign() < 0 {
				flip(&it.Quantity, &it.UnitPrice)
				d.warn(finding.LineSignMoved, at.String()+".quantity", "%s.quantity is negative: written with quantity %s and price %s, because a quantity has no sign in FatturaPA",
					at, it.Quantity, it.UnitPrice)
			}
			perUnit(it, it.Allowances, discountName)
			perUnit(it, it.Charges, surchargeName)
		}
	},
	Restore: func(d *Draft) {
		line := 0
		for _, it := range d.Invoice.TopLines() {
			line++
			restorePerUnit(d.Invoice, line, it)
		}
	},
}

// perUnit divides amounts by the quantity. The base is let go where it is that of the line, or the percentage tells it.
func perUnit(it *invoice.Item, charges []invoice.LineCharge, name string) {
	for i := range charges {
		c := &charges[i]
		if c.Reason == name {
			c.Reason = "" // which says no more than the element
		}
		if line := it.UnitPrice.Mul(it.Quantity); c.BaseAmount.IsSet() && near(c.BaseAmount, line) {
			c.BaseAmount = decimal.Decimal{}
		}
		if it.Quantity.Sign() > 0 {
			if amount, ok := c.Amount.Quo(it.Quantity, 8, decimal.HalfUp); ok {
				c.Amount = amount.Trim()
			}
		}
	}
}

// restorePerUnit multiplies what is for one unit. A percentage alone is of the price that the discounts before it left. Where cents cannot
// say what an amount is for one unit, that is kept as the format's own.
func restorePerUnit(inv *invoice.Invoice, line int, it *invoice.Item) {
	quantity := it.Quantity
	if !quantity.IsSet() {
		quantity = decimal.New(1, 0)
	}
	price, entry := it.UnitPrice, 0
	each := func(list []invoice.LineCharge, charge bool) {
		for i := range list {
			c := &list[i]
			entry++
			stated := c.Amount
			if !stated.IsSet() {
				c.Amount = price.Mul(c.Percentage).Mul(decimal.New(1, 2))
			}
			if charge {
				price = price.Add(c.Amount)
			} else {
				price = price.Sub(c.Amount)
			}
			c.Amount = c.Amount.Mul(quantity).Round(2, decimal.HalfUp)
			c.Reason = map[bool]string{true: surchargeName, false: discountName}[charge]
			if unit, ok := c.Amount.Quo(quantity, 8, decimal.HalfUp); stated.IsSet() && !(ok && unit.Equal(stated)) {
				keepUnitAmount(inv, line, entry, stated.String())
			}
		}
	}
	each(it.Allowances, false)
	each(it.Charges, true)
}

// keepUnitAmount keeps what a discount or surcharge of a line is for one unit; they are written discounts first.
func keepUnitAmount(inv *invoice.Invoice, line, entry int, amount string) {
	keepNational(inv, fmt.Sprintf("FatturaElettronicaBody/DatiBeniServizi/DettaglioLinee[%d]/ScontoMaggiorazione[%d]/Importo", line, entry), amount)
}

// addressLines joins the lines of an address as long as there is room. Indirizzo has 60 characters.
func addressLines(p *invoice.Party) {
	for _, more := range []*string{&p.AdditionalStreet, &p.AddressLine3} {
		if *more == "" {
			continue
		}
		if joined := strings.TrimPrefix(p.Street+", "+*more, ", "); len([]rune(joined)) <= 60 {
			p.Street, *more = joined, ""
		}
	}
}
