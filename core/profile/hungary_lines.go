package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// navCharges: NAV has no allowances and charges on the document.
var navCharges = chargeLines("Felár", "Engedmény")

// navAmounts: the discount is an allowance, and the tax of a line is stated.
var navAmounts = Step{
	Name: lineAmounts.Name, Moves: lineAmounts.Moves,
	Derive: func(d *Draft) {
		for at, it := range d.lines() {
			applyDiscount(it)
			d.checkNet(at, it)
			if it.GrossAmount.IsSet() && near(it.GrossAmount, it.NetAmount.Add(it.TaxAmount)) {
				it.GrossAmount = decimal.Decimal{}
			}
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			if !it.TaxAmount.IsSet() {
				it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
			}
		}
	},
}

// navPositions: lines are numbered from 1 without a gap (lineNumber).
var navPositions = Step{
	Name:  "line numbers",
	Moves: []Move{{"items[].lineId", "items[].position"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it, number := &d.Invoice.Items[i], i+1
			if _, err := strconv.Atoi(it.LineID); err == nil {
				it.LineID = ""
			}
			it.Position = &number
		}
	},
}

// navPriceDecimals is the most decimals of a price (QuantityType).
const navPriceDecimals = 10

// navPrices: the price is that of one unit, with the charges of the line; a line has one discount.
var navPrices = Step{
	Name:   "prices",
	Copies: []Move{{"items[].priceBaseQuantity", "items[].unitPrice"}, {"items[].charges[].amount", "items[].unitPrice"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			at := entry("items", i)()
			if it.Description == unnamed {
				it.Description = ""
			}
			if it.ItemDescription == it.Description {
				it.ItemDescription = ""
			}
			d.navUnitPrice(at, it)
			d.oneDiscount(at, it)
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		for i := range inv.Items {
			navRestorePrice(&inv.Items[i])
		}
		if inv.Items == nil {
			inv.Items = []invoice.Item{}
		}
	},
}

func (d *Draft) navUnitPrice(at string, it *invoice.Item) {
	if it.PriceBaseQuantity.Sign() > 0 {
		price, exact := it.UnitPrice.Quo(it.PriceBaseQuantity, navPriceDecimals, decimal.HalfUp)
		if !exact || price.Mul(it.PriceBaseQuantity).Cmp(it.UnitPrice) != 0 {
			d.warn(finding.DecimalsReduced, at+".unitPrice", "%s.unitPrice is written for one unit, as %s: NAV has no base quantity of prices, and %d decimals", at, price.Trim(), navPriceDecimals)
		}
		it.UnitPrice = price.Trim()
	}
	it.PriceBaseQuantity, it.PriceBaseUnit = decimal.Decimal{}, ""
	if len(it.Charges) == 0 || it.Quantity.Sign() == 0 {
		return
	}
	var sum decimal.Decimal
	for i := range it.Charges {
		sum = sum.Add(it.Charges[i].Amount)
	}
	each, _ := sum.Quo(it.Quantity, navPriceDecimals, decimal.HalfUp)
	it.UnitPrice, it.Charges = it.UnitPrice.Add(each).Trim(), nil
	d.warn(finding.FieldNotWritten, at+".charges", "%s.charges is not written apart: NAV has no charges of a line, so that they are part of the price, %s", at, it.UnitPrice)
}

// oneDiscount makes the allowances of a line one discount.
func (d *Draft) oneDiscount(at string, it *invoice.Item) {
	if len(it.Allowances) == 0 {
		return
	}
	one := it.Allowances[0]
	if field := at + ".allowances[0].reasonCode"; d.Original(field) == field { // and not of discount
		leave(d, &one.ReasonCode, field, "NAV has a text of a discount (discountDescription)")
	}
	one.ReasonCode = ""
	if base := it.Quantity.Mul(it.UnitPrice); len(it.Allowances) == 1 && near(one.BaseAmount, base) {
		one.BaseAmount = decimal.Decimal{}
	}
	for i := 1; i < len(it.Allowances); i++ {
		c := &it.Allowances[i]
		one.Amount = one.Amount.Add(c.Amount)
		if c.Reason != "" && c.Reason != one.Reason {
			one.Reason = joined(one.Reason, c.Reason, "; ")
		}
		one.Percentage, one.BaseAmount = decimal.Decimal{}, decimal.Decimal{}
		field := at + ".allowances[" + strconv.Itoa(i) + "]"
		d.warn(finding.FieldNotWritten, field, "%s is not written apart: NAV has one discount of a line, which is the sum, without percentages", field)
	}
	if one.Percentage.Sign() < 0 || one.Percentage.Cmp(hundred) > 0 {
		d.warn(finding.FieldNotWritten, at+".allowances[0].percentage", "%s.allowances[0].percentage is not written: the rate of a discount is between 0 and 100 %% (discountRate)", at)
		one.Percentage = decimal.Decimal{}
	}
	d.shorten(&one.Reason, navDescriptionLimit, at+".allowances[0].reason", "discountDescription")
	it.Allowances = []invoice.LineCharge{one}
}

// navRestorePrice computes what a line leaves out.
func navRestorePrice(it *invoice.Item) {
	if !it.NetAmount.IsSet() {
		it.NetAmount = decimal.New(0, 2)
		if it.Quantity.IsSet() && it.UnitPrice.IsSet() {
			it.NetAmount = it.Net()
		}
	}
	if !it.Quantity.IsSet() {
		it.Quantity = decimal.New(1, 0)
		if it.NetAmount.Sign() < 0 {
			it.Quantity = it.Quantity.Neg()
		}
	}
	if !it.UnitPrice.IsSet() {
		it.UnitPrice = it.NetAmount.Abs()
		if price, ok := it.NetAmount.Quo(it.Quantity, navPriceDecimals, decimal.HalfUp); ok {
			it.UnitPrice = price.Trim()
		}
	}
	for i := range it.Allowances {
		if c := &it.Allowances[i]; !c.Amount.IsSet() {
			c.Amount = it.Quantity.Mul(it.UnitPrice).Mul(c.Percentage).Mul(cent).Round(2, decimal.HalfUp)
		}
	}
	if it.UnitPrice.Sign() < 0 {
		flip(&it.Quantity, &it.UnitPrice) // a price has no minus in the invoice
	}
	it.Unit, it.Description = cmp.Or(it.Unit, "C62"), cmp.Or(it.Description, unnamed)
}

// navSimplify: a simplified invoice has amounts and prices with tax; others state the tax of what has a percentage.
var navSimplify = Step{
	Name: "simplified invoice",
	Derive: func(d *Draft) {
		inv := d.Invoice
		simplified := specificOf(inv).InvoiceCategory == NAVSimplified
		for i := range inv.Items {
			it := &inv.Items[i]
			taxed := it.NatureCode == "" || NAVKindOf(it.NatureCode) == NAVMismatch
			switch {
			case taxed && !it.TaxAmount.IsSet():
				it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
			case !taxed && it.TaxAmount.Sign() == 0:
				it.TaxAmount = decimal.Decimal{}
			}
			if simplified {
				it.UnitPrice = withTax(it.UnitPrice, it.TaxRate, navPriceDecimals-2)
				for j := range it.Allowances {
					it.Allowances[j].Amount = withTax(it.Allowances[j].Amount, it.TaxRate, 2)
				}
			}
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if specificOf(inv).InvoiceCategory != NAVSimplified {
			return
		}
		taxes := map[invoice.TaxKey]decimal.Decimal{}
		grosses := map[invoice.TaxKey]decimal.Decimal{}
		for i := range inv.Items {
			it := &inv.Items[i]
			gross, key := it.NetAmount, invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)
			it.NetAmount = netOf(gross, it.TaxRate, 2)
			it.TaxAmount = gross.Sub(it.NetAmount)
			taxes[key], grosses[key] = taxes[key].Add(it.TaxAmount), grosses[key].Add(gross)
			if it.UnitPrice.IsSet() {
				it.UnitPrice = netOf(it.UnitPrice, it.TaxRate, navPriceDecimals)
			}
			for j := range it.Allowances {
				if c := &it.Allowances[j]; c.Amount.IsSet() {
					c.Amount = netOf(c.Amount, it.TaxRate, 2)
				}
			}
		}
		navSplitGroups(inv, taxes, grosses)
	},
}

// withTax adds the tax of a rate.
func withTax(amount, rate decimal.Decimal, places int) decimal.Decimal {
	return amount.Mul(hundred.Add(rate)).Mul(cent).Round(places, decimal.HalfUp).Trim()
}

// navSplitGroups takes the tax out of the groups of a simplified invoice: that of their lines where those give the same amount.
func navSplitGroups(inv *invoice.Invoice, taxes, grosses map[invoice.TaxKey]decimal.Decimal) {
	subtotal := decimal.New(0, 2)
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		gross, key := g.NetAmount, invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)
		g.TaxAmount = gross.Sub(netOf(gross, g.TaxRate, 2))
		if grosses[key].Cmp(gross) == 0 {
			g.TaxAmount = taxes[key]
		}
		g.NetAmount = gross.Sub(g.TaxAmount)
		if inv.Currency != "HUF" {
			g.TaxCurrencyTaxAmount = g.TaxAmount.Mul(specificOf(inv).ExchangeRate).Round(2, decimal.HalfUp)
		}
		subtotal = subtotal.Add(g.NetAmount)
	}
	inv.Subtotal = subtotal
}

// NAVOwnUnit is the word for units that the authority has no word for.
const NAVOwnUnit = "OWN"

// navUnits are the words for units of UN/ECE Recommendation 20 (UnitOfMeasureType); of several with one word the first is read.
var navUnits = []struct{ code, word string }{
	{"C62", "PIECE"}, {"H87", "PIECE"}, {"EA", "PIECE"}, {"KGM", "KILOGRAM"}, {"TNE", "TON"}, {"KWH", "KWH"}, {"DAY", "DAY"}, {"HUR", "HOUR"}, {"MIN", "MINUTE"},
	{"MON", "MONTH"}, {"LTR", "LITER"}, {"KMT", "KILOMETER"}, {"MTQ", "CUBIC_METER"}, {"MTR", "METER"}, {"LM", "LINEAR_METER"}, {"CT", "CARTON"}, {"XCT", "CARTON"},
	{"PK", "PACK"}, {"XPK", "PACK"},
}

// NAVUnit is the word for a unit.
func NAVUnit(code string) string {
	for i := range navUnits {
		if navUnits[i].code == code {
			return navUnits[i].word
		}
	}
	return NAVOwnUnit
}

// NAVUnitCode is the code of a word for a unit; empty for a unit of its own.
func NAVUnitCode(word string) string {
	for i := range navUnits {
		if navUnits[i].word == word {
			return navUnits[i].code
		}
	}
	return ""
}

// NAVOwnProduct is the category of a product code of the seller's own (ProductCodeCategoryType).
const NAVOwnProduct = "OWN"

// The categories of product codes that members of the invoice stand for (ProductCodeCategoryType), beside the number of the seller: another
// number, and the customs tariff number. The others are classifications of the scheme ZZZ, mutually defined, with the category as version.
const (
	productOther  = "OTHER"
	productTariff = "VTSZ"
	schemeMutual  = "ZZZ"
)

var (
	navProductForm = regexp.MustCompile(`^[A-Z0-9]{2,30}$`)
	navCategories  = regexp.MustCompile(`^(VTSZ|SZJ|KN|AHK|CSK|KT|EJ|TESZOR|OWN|OTHER)$`)
	gtinForm       = regexp.MustCompile(`^([0-9]{8}|[0-9]{12,14})$`)
)

// navProducts: the numbers of an item are product codes, each with a category.
var navProducts = Step{
	Name:  "product codes",
	Moves: []Move{{"items[].articleNumber", "items[].classification[].id"}, {"items[].gtin", "items[].classification[].id"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			var codes []invoice.Classification
			if it.ArticleNumber != "" {
				codes, it.ArticleNumber = append(codes, invoice.Classification{ID: it.ArticleNumber, SchemeID: NAVOwnProduct}), ""
			}
			if gtinForm.MatchString(it.GTIN) {
				codes, it.GTIN = append(codes, invoice.Classification{ID: it.GTIN, SchemeID: productOther}), ""
			}
			for j, c := range it.Classification {
				category := ""
				switch {
				case c.SchemeID == CombinedNomenclature:
					category = productTariff
				case c.SchemeID == schemeMutual && navCategories.MatchString(c.SchemeVersion):
					category = c.SchemeVersion
				}
				id := c.ID
				if category != NAVOwnProduct {
					id = strings.ToUpper(strings.NewReplacer(" ", "", ".", "", "-", "").Replace(id))
				}
				if category == "" || category != NAVOwnProduct && !navProductForm.MatchString(id) {
					field := entry(entry("items", i)()+".classification", j)()
					d.warn(finding.FieldNotWritten, field, "%s is not written: NAV has codes of the customs tariff (scheme HS), and those of scheme ZZZ whose version is one of "+
						"VTSZ, SZJ, KN, AHK, CSK, KT, EJ, TESZOR, OWN, OTHER; 2 to 30 capital letters and digits", field)
					continue
				}
				if c.SchemeID == schemeMutual {
					c.SchemeVersion = "" // the category says it
				}
				c.ID, c.SchemeID = id, category
				codes = append(codes, c)
			}
			it.Classification = codes
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			var kept []invoice.Classification
			for _, c := range it.Classification {
				switch {
				case c.SchemeID == NAVOwnProduct && it.ArticleNumber == "":
					it.ArticleNumber = c.ID
				case c.SchemeID == productOther && it.GTIN == "" && gtinForm.MatchString(c.ID):
					it.GTIN = c.ID
				case c.SchemeID == productTariff:
					kept = append(kept, invoice.Classification{ID: c.ID, SchemeID: CombinedNomenclature})
				default:
					kept = append(kept, invoice.Classification{ID: c.ID, SchemeID: schemeMutual, SchemeVersion: c.SchemeID})
				}
			}
			it.Classification = kept
		}
	},
}

// navLinePath matches paths of elements of a line.
var navLinePath = regexp.MustCompile(`^invoiceMain/(?:batchInvoice/)?invoice/invoiceLines/line\[([0-9]+)\]/lineModificationReference/lineNumberReference$`)

// restoreOffset finds how many lines stand before those of a modification, where its lines are numbered on.
func restoreOffset(inv *invoice.Invoice) {
	cs := specificOf(inv)
	zero := 0
	if len(inv.ReferencedInvoices) == 0 {
		return
	}
	cs.LineOffset = &zero
	var paths []string
	offset := -1
	for path, texts := range cs.National {
		at := navLinePath.FindStringSubmatch(path)
		if at == nil || len(texts) != 1 {
			continue
		}
		line, _ := strconv.Atoi(at[1])
		number, err := strconv.Atoi(texts[0])
		if err != nil || offset >= 0 && number-line != offset || number < line {
			return
		}
		offset = number - line
		paths = append(paths, path)
	}
	if len(paths) == 0 || len(paths) != len(inv.Items) {
		return
	}
	cs.LineOffset = &offset
	for _, path := range paths {
		delete(cs.National, path)
	}
	if len(cs.National) == 0 {
		cs.National = nil
	}
}

// shorten cuts a text that is longer than an element holds, and says so.
func (d *Draft) shorten(text *string, most int, field, element string) {
	runes := []rune(*text)
	if len(runes) <= most {
		return
	}
	*text = strings.TrimSpace(string(runes[:most]))
	d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: field, Maximum: int64(most),
		Message: fmt.Sprintf("%s is cut: NAV has room for %d characters (%s)", field, most, element)})
}
