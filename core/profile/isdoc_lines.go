package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// isdocLineID is the most characters of the identifier of a line (ID36Type).
const isdocLineID = 36

// czechLines: the price is that of one unit, a line has one discount or surcharge and no period, and its tax is stated.
var czechLines = Step{
	Name:   "lines",
	Moves:  append(slices.Clone(lineAmounts.Moves), Move{"items[].standardItemId.id", "items[].gtin"}),
	Copies: []Move{{"items[].priceBaseQuantity", "items[].unitPrice"}, {"items[].netAmount", "items[].taxAmount"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		for i := range inv.Items {
			d.czechLine(i)
		}
		if p := inv.ServicePeriod; p != nil {
			d.warn(finding.PeriodNotRepresentable, "servicePeriod", "servicePeriod is not written: ISDOC has no period of delivery, but a day (TaxPointDate)")
			inv.ServicePeriod = nil
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			restoreCzechLine(&d.Invoice.Items[i])
		}
	},
}

func (d *Draft) czechLine(i int) {
	it := &d.Invoice.Items[i]
	applyDiscount(it)
	d.checkNet(invoice.LinePath{}, it)
	if len(it.LineID) > isdocLineID {
		field := d.Original(entry("items", i)() + ".lineId")
		d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: field, Maximum: isdocLineID,
			Message: field + " has more than the 36 characters of ISDOC: the number of the line is written"})
		it.LineID = lineNumberOf(i)
	}
	if it.PriceBaseQuantity.Sign() > 0 {
		d.oneUnit(it, entry("items", i)()+".unitPrice")
	}
	it.PriceBaseQuantity, it.PriceBaseUnit = decimal.Decimal{}, ""
	if it.ServicePeriod != nil {
		field := entry("items", i)() + ".servicePeriod"
		d.warn(finding.PeriodNotRepresentable, field, "%s is not written: ISDOC has no period of a line", field)
		it.ServicePeriod = nil
	}
	if s := it.StandardItemID; s != nil && s.SchemeID == gtinScheme {
		if moveInto(&it.GTIN, &s.ID); s.ID == "" {
			it.StandardItemID = nil
		}
	}
	if it.Description == unnamed {
		it.Description = ""
	}
	if it.ItemDescription == it.Description {
		it.ItemDescription = ""
	}
	if !it.TaxAmount.IsSet() || it.TaxRate.Sign() == 0 {
		it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
	}
	if it.GrossAmount.IsSet() && near(it.GrossAmount, it.NetAmount.Add(it.TaxAmount)) {
		it.GrossAmount = decimal.Decimal{}
	}
	d.oneChange(it, i)
}

// isdocPriceDecimals is how many decimals a price is given that does not divide.
const isdocPriceDecimals = 10

// oneUnit makes a price that of one unit.
func (d *Draft) oneUnit(it *invoice.Item, field string) {
	price, _ := it.UnitPrice.Quo(it.PriceBaseQuantity, isdocPriceDecimals, decimal.HalfUp)
	if price.Mul(it.PriceBaseQuantity).Cmp(it.UnitPrice) != 0 {
		d.warn(finding.DecimalsReduced, field, "%s is written for one unit, as %s: ISDOC has no base quantity of prices", field, price.Trim())
	}
	it.UnitPrice = price.Trim()
}

// oneChange leaves one discount or surcharge, which are the difference between two amounts of the line.
func (d *Draft) oneChange(it *invoice.Item, i int) {
	if len(it.Allowances)+len(it.Charges) < 2 {
		return
	}
	var sum decimal.Decimal
	for _, c := range it.Charges {
		sum = sum.Add(c.Amount)
	}
	for _, a := range it.Allowances {
		sum = sum.Sub(a.Amount)
	}
	field := entry("items", i)()
	d.warn(finding.FieldNotWritten, field+".allowances", "%s has several discounts and surcharges: ISDOC has what they come to (LineExtensionAmountBeforeDiscount), and no reasons", field)
	it.Allowances, it.Charges = nil, nil
	switch one := []invoice.LineCharge{{Amount: sum.Abs()}}; sum.Sign() {
	case 1:
		it.Charges = one
	case -1:
		it.Allowances = one
	}
}

// restoreCzechLine fills what a document left out.
func restoreCzechLine(it *invoice.Item) {
	if !it.NetAmount.IsSet() {
		it.NetAmount = decimal.New(0, 2)
	}
	if !it.Quantity.IsSet() {
		it.Quantity = decimal.New(1, 0)
		if it.NetAmount.Sign() < 0 {
			it.Quantity = it.Quantity.Neg()
		}
	}
	if !it.UnitPrice.IsSet() {
		it.UnitPrice = it.NetAmount.Abs()
	}
	if it.UnitPrice.Sign() < 0 && it.Quantity.Sign() > 0 {
		flip(&it.UnitPrice, &it.Quantity)
	}
	if !it.TaxAmount.IsSet() {
		it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
	}
	it.Unit, it.Description = cmp.Or(it.Unit, "C62"), cmp.Or(it.Description, unnamed)
}

// czechCharges: an allowance or a charge on the document is a line of its own, since ISDOC has none.
var czechCharges = Step{
	Name:  chargesAsLines.Name,
	Moves: chargesAsLines.Moves,
	Derive: func(d *Draft) {
		inv := d.Invoice
		taken := map[string]bool{}
		for i := range inv.Items {
			taken[inv.Items[i].LineID] = true
		}
		number := len(inv.Items)
		for i := range inv.AllowancesCharges {
			for number++; taken[lineNumberOf(number-1)]; {
				number++
			}
			inv.Items = append(inv.Items, czechChargeLine(&inv.AllowancesCharges[i], lineNumberOf(number-1)))
		}
	},
}

// czechChargeLine is the line of an allowance or a charge, of which the rest stays to be missed.
func czechChargeLine(c *invoice.DocumentCharge, id string) invoice.Item {
	amount, quantity, text := c.Amount, decimal.New(1, 0), "Přirážka"
	if !c.Charge() {
		amount, quantity, text = amount.Neg(), quantity.Neg(), "Sleva"
	}
	price := c.Amount
	if price.Sign() < 0 {
		flip(&price, &quantity)
	}
	it := invoice.Item{LineID: id, Description: cmp.Or(c.Reason, text), Quantity: quantity, Unit: "C62", UnitPrice: price, NetAmount: amount,
		TaxAmount: invoice.TaxOf(amount, c.TaxRate), TaxCategoryCode: c.TaxCategoryCode, TaxRate: c.TaxRate}
	c.Amount, c.Reason, c.TaxCategoryCode, c.TaxRate, c.IsCharge = decimal.Decimal{}, "", "", decimal.Decimal{}, nil
	return it
}

// DomesticReverseCharge tells whether the buyer owes the tax in Czechia (§ 92a zákona č. 235/2004 Sb.), which ISDOC has elements for.
func DomesticReverseCharge(inv *invoice.Invoice) bool {
	return inv.Buyer != nil && inv.Buyer.CountryCode == "CZ"
}

// czechGrounds are the codes of VATEX that tell a category, which ISDOC does not have, and the words of the law for it.
var czechGrounds = []struct{ category, code, text string }{
	{"AE", "VATEX-EU-AE", "daň odvede zákazník"},
	{"K", "VATEX-EU-IC", "dodání zboží do jiného členského státu"},
	{"G", "VATEX-EU-G", "vývoz zboží"},
	{"O", "VATEX-EU-O", "není předmětem daně"},
}

// czechCategories: a line states why it has no tax (VATNote), with the code of the reason before it; reverse charge within the country has a
// code of the goods or services.
var czechCategories = Step{
	Name: "tax categories of lines",
	Moves: []Move{{"taxSummary[].exemptionReason", "items[].taxExemptionReason"}, {"taxSummary[].exemptionReasonCode", "items[].taxExemptionReason"},
		{"items[].taxExemptionReasonCode", "items[].taxExemptionReason"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		groups := inv.TaxGroups()
		for i := range inv.Items {
			it := &inv.Items[i]
			text, code := it.TaxExemptionReason, it.TaxExemptionReasonCode
			if g := groups[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)]; g != nil {
				text, code = cmp.Or(text, g.ExemptionReason), cmp.Or(code, g.ExemptionReasonCode)
			}
			it.TaxExemptionReason, it.TaxExemptionReasonCode = vatNote(it.TaxCategoryCode, code, text), ""
		}
		d.spendGrounds()
		reversed := slices.ContainsFunc(inv.Items, func(it invoice.Item) bool { return it.TaxCategoryCode == "AE" })
		switch cs := specificOf(inv); {
		case cs.ReverseChargeCode != "" && !(reversed && DomesticReverseCharge(inv)):
			d.warn(finding.FieldNotWritten, "countrySpecific.reverseChargeCode", "countrySpecific.reverseChargeCode is not written: no line has its tax owed by a Czech buyer (category AE)")
			cs.ReverseChargeCode = ""
		case reversed && DomesticReverseCharge(inv) && cs.ReverseChargeCode == "":
			d.refuse(finding.MissingField, "countrySpecific.reverseChargeCode", "countrySpecific.reverseChargeCode is missing: a Czech buyer owes the tax for certain goods and "+
				"services only, and ISDOC names them (LocalReverseChargeCode), such as 1 for gold, 4 for construction work, 5 for scrap")
		}
	},
	Restore: func(d *Draft) {
		restoreCategories(d.Invoice)
	},
}

// spendGrounds takes reasons off the groups whose lines state them.
func (d *Draft) spendGrounds() {
	stated := map[invoice.TaxKey]bool{}
	for i := range d.Invoice.Items {
		it := &d.Invoice.Items[i]
		stated[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)] = true
	}
	for i := range d.Invoice.TaxSummary {
		if g := &d.Invoice.TaxSummary[i]; stated[invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)] {
			g.ExemptionReason, g.ExemptionReasonCode = "", ""
		}
	}
}

// vatNote is the reason of a line: code and text, of a category that ISDOC has no element for by what the law says.
func vatNote(category, code, text string) string {
	for _, g := range czechGrounds {
		if g.category == category {
			code, text = cmp.Or(code, g.code), cmp.Or(text, g.text)
		}
	}
	switch {
	case code == "":
		return text
	case text == "":
		return code
	}
	return code + ": " + text
}

// groundOf takes a reason apart.
func groundOf(note string) (code, text string) {
	code, text, _ = strings.Cut(note, ": ")
	if strings.HasPrefix(code, "VATEX-") && !strings.ContainsAny(code, " \n") {
		return code, text
	}
	return "", note
}

// categoryOf is the category of a line or group without tax.
func categoryOf(code, note string, payer bool) string {
	for _, g := range czechGrounds {
		if g.code == code {
			return g.category
		}
	}
	switch {
	case note != "":
		return "E"
	case !payer:
		return "O"
	}
	return "Z"
}

// restoreCategories finds the categories of lines and groups, and gives the groups the reasons of their lines.
func restoreCategories(inv *invoice.Invoice) {
	cs := specificOf(inv)
	payer := cs.VATPayer == nil || *cs.VATPayer
	nets := map[string]decimal.Decimal{} // of lines without tax, by category
	var order []string
	reasons := map[string]string{}
	for i := range inv.Items {
		it := &inv.Items[i]
		code, _ := groundOf(it.TaxExemptionReason)
		switch {
		case it.TaxRate.Sign() != 0:
			it.TaxCategoryCode = "S"
			continue
		case it.TaxCategoryCode == "":
			it.TaxCategoryCode = categoryOf(code, it.TaxExemptionReason, payer)
		}
		category := it.TaxCategoryCode
		if _, known := nets[category]; !known {
			order = append(order, category)
			reasons[category] = it.TaxExemptionReason
		}
		nets[category] = nets[category].Add(it.NetAmount)
		if it.TaxExemptionReason == reasons[category] {
			it.TaxExemptionReason = ""
		}
		if category == "O" {
			it.TaxRate = decimal.Decimal{}
		}
	}
	categoriseGroups(inv, order, nets, payer)
	for i := range inv.TaxSummary {
		if g := &inv.TaxSummary[i]; g.TaxCategoryCode != "S" {
			g.ExemptionReasonCode, g.ExemptionReason = czechReason(reasons[g.TaxCategoryCode], g.TaxCategoryCode)
		}
	}
}

// czechReason takes a reason apart and gives it as vatNote would find it: with the code of its category, and without the words of the law.
func czechReason(note, category string) (code, text string) {
	code, text = groundOf(note)
	for _, g := range czechGrounds {
		if g.category != category {
			continue
		}
		if code = cmp.Or(code, g.code); text == g.text {
			text = ""
		}
	}
	return code, text
}

// categoriseGroups gives groups without tax their categories: those of lines with the same sum first, then those that are left.
func categoriseGroups(inv *invoice.Invoice, order []string, nets map[string]decimal.Decimal, payer bool) {
	used := map[string]bool{}
	var open []*invoice.TaxSummary
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		switch {
		case g.TaxRate.Sign() != 0:
			g.TaxCategoryCode = "S"
		case g.TaxCategoryCode != "":
			used[g.TaxCategoryCode] = true
		default:
			open = append(open, g)
		}
	}
	for _, same := range []bool{true, false} {
		for _, g := range open {
			for _, category := range order {
				if g.TaxCategoryCode == "" && !used[category] && (!same || nets[category].Cmp(g.NetAmount) == 0) {
					g.TaxCategoryCode, used[category] = category, true
				}
			}
		}
	}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if g.TaxCategoryCode == "" {
			g.TaxCategoryCode = categoryOf("", "", payer)
		}
		if g.TaxCategoryCode == "O" {
			g.TaxRate = decimal.Decimal{}
		}
	}
}
