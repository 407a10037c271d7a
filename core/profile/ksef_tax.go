package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// FARate is a rate of FA(3): the text of P_12, the end of the names of the elements for its sums (P_13_x, P_14_x), and what it is in EN 16931.
type FARate struct {
	Text, Group, Category string
	Rate                  int64
}

// faRateList are all rates; of a category with a rate the first counts.
var faRateList = []FARate{
	{"23", "1", "S", 23}, {"22", "1", "S", 22}, {"8", "2", "S", 8}, {"7", "2", "S", 7}, {"5", "3", "S", 5}, {"4", "4", "S", 4}, {"3", "4", "S", 3},
	{"0 KR", "6_1", "Z", 0}, {"0 WDT", "6_2", "K", 0}, {"0 EX", "6_3", "G", 0}, {"zw", "7", "E", 0},
	{"np I", "8", "O", 0}, {"np II", "9", "AE", 0}, {"oo", "10", "AE", 0},
}

// The groups of sums without a rate of FA(3): sales under the one stop shop (P_12_XII) and those under a margin scheme.
const (
	groupOSS    = "5"
	groupMargin = "11"
)

// faRateNamed gives the rate with a text of P_12.
func faRateNamed(text string) (FARate, bool) {
	i := slices.IndexFunc(faRateList, func(r FARate) bool { return r.Text == text })
	if i < 0 {
		return FARate{}, false
	}
	return faRateList[i], true
}

// FARateOf gives the rate of a category and rate of EN 16931 in an invoice. Reverse charge is oo for a buyer in Poland, np II in another
// member state and np I elsewhere (art. 17, 28b and 100 ustawy o VAT). Margin schemes and other rates have a group and no text.
func FARateOf(inv *invoice.Invoice, category string, rate decimal.Decimal) FARate {
	switch {
	case category == "AE" || category == "O":
		if r, known := faRateNamed(namedRate(inv, category)); known {
			return r
		}
		if category == "AE" {
			return reverseCharge(inv)
		}
		return faRateList[slices.IndexFunc(faRateList, func(r FARate) bool { return r.Category == category })]
	case category == "E" && MarginScheme(inv) != "":
		return FARate{Group: groupMargin, Category: "E"}
	case category != "S":
		for _, r := range faRateList {
			if r.Category == category {
				return r
			}
		}
	}
	for _, r := range faRateList {
		if r.Category == category && rate.Cmp(decimal.New(r.Rate, 0)) == 0 {
			return r
		}
	}
	return FARate{Group: groupOSS, Category: category}
}

// namedRate is the rate that the first line of a category names, where that is another one than the buyer's country would give.
func namedRate(inv *invoice.Invoice, category string) string {
	for i := range inv.Items {
		if inv.Items[i].TaxCategoryCode == category {
			return inv.Items[i].TaxCategoryName
		}
	}
	return ""
}

// reverseCharge gives the rate by the country of the buyer. The 0 stands for some number: what is asked is whether the
// country is a member state.
func reverseCharge(inv *invoice.Invoice) FARate {
	country := ""
	if inv.Buyer != nil {
		country = inv.Buyer.CountryCode
	}
	text := "np I"
	if country == "PL" || country == "" {
		text = "oo"
	} else if prefix, _ := EuropeanVAT(country + "0"); prefix != "" {
		text = "np II"
	}
	r, _ := faRateNamed(text)
	return r
}

// faMargins are the margin schemes: as countrySpecific.marginScheme has them, the element, and the code of the exemption reason.
var faMargins = []struct{ Name, Element, Code string }{
	{"travel", "P_PMarzy_2", "VATEX-EU-D"}, {"used-goods", "P_PMarzy_3_1", "VATEX-EU-F"}, {"art", "P_PMarzy_3_2", "VATEX-EU-I"},
	{"antiques", "P_PMarzy_3_3", "VATEX-EU-J"},
}

// MarginScheme gives the element of the margin scheme that an invoice is under (PMarzy); empty where it is under none.
func MarginScheme(inv *invoice.Invoice) string {
	for _, m := range faMargins {
		if inv.CountrySpecific != nil && inv.CountrySpecific.MarginScheme == m.Name {
			return m.Element
		}
	}
	return ""
}

// marginSchemes: the code of an exemption reason tells the margin scheme where the key does not.
var marginSchemes = Step{
	Name:  "margin scheme",
	Moves: []Move{{"taxSummary[].exemptionReasonCode", "countrySpecific.marginScheme"}},
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		if cs.MarginScheme != "" && MarginScheme(d.Invoice) == "" {
			d.refuse(finding.InvalidValue, "countrySpecific.marginScheme", "countrySpecific.marginScheme must be one of travel, used-goods, art, antiques (PMarzy)")
			return
		}
		for i := range d.Invoice.TaxSummary {
			g := &d.Invoice.TaxSummary[i]
			for _, m := range faMargins {
				if g.TaxCategoryCode == "E" && g.ExemptionReasonCode == m.Code && (cs.MarginScheme == "" || cs.MarginScheme == m.Name) {
					cs.MarginScheme, g.ExemptionReasonCode, g.ExemptionReason = m.Name, "", ""
				}
			}
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.TaxSummary {
			g := &d.Invoice.TaxSummary[i]
			for _, m := range faMargins {
				if g.TaxCategoryCode == "E" && specificOf(d.Invoice).MarginScheme == m.Name {
					g.ExemptionReasonCode = m.Code
				}
			}
		}
	},
}

// smallBusinessPL: the reason of an exemption (P_19A to P_19C) is a text: that of the directive where a code names its article, and where
// nothing is said it cannot be derived.
var smallBusinessPL = Step{
	Name:  "ground of the exemption",
	Moves: []Move{{"taxSummary[].exemptionReasonCode", "taxSummary[].exemptionReason"}},
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		for i := range d.Invoice.TaxSummary {
			g := &d.Invoice.TaxSummary[i]
			if article := directiveArticle(g.ExemptionReasonCode); article != "" && g.TaxCategoryCode == "E" {
				if g.ExemptionReason == "" {
					g.ExemptionReason, cs.ExemptionBasis = article, cmp.Or(cs.ExemptionBasis, "B")
				}
				g.ExemptionReasonCode = ""
			}
			if g.TaxCategoryCode != "E" {
				d.leaveGround(entry("taxSummary", i)(), g)
			}
		}
		if cs.ExemptionBasis != "" && !slices.Contains([]string{"A", "B", "C"}, cs.ExemptionBasis) {
			d.refuse(finding.InvalidValue, "countrySpecific.exemptionBasis", "countrySpecific.exemptionBasis must be A (Polish act), B (Directive 2006/112/EC) or C (another ground)")
		}
	},
}

// leaveGround leaves out why there is no tax in a group that is not exempt: P_12 and P_18 say what its category and the code of that say.
func (d *Draft) leaveGround(group string, g *invoice.TaxSummary) {
	if invoice.ExemptionCategory(g.ExemptionReasonCode) == g.TaxCategoryCode {
		g.ExemptionReasonCode = ""
	}
	const why = "FA(3) has a ground for exempt sales only (P_19)"
	leave(d, &g.ExemptionReason, group+".exemptionReason", why)
	leave(d, &g.ExemptionReasonCode, group+".exemptionReasonCode", why)
}

// directiveArticle is the provision of Directive 2006/112/EC that a code of VATEX names, such as VATEX-EU-132-1I.
func directiveArticle(code string) string {
	rest, found := strings.CutPrefix(code, "VATEX-EU-")
	article, point, _ := strings.Cut(rest, "-")
	if !found || digits(article) != article || article == "" {
		return ""
	}
	text := "art. " + article
	if number := digits(point); number != "" {
		text += " ust. " + number
	}
	if letter := strings.TrimLeft(point, "0123456789"); letter != "" {
		text += " lit. " + strings.ToLower(letter[:1])
	}
	return text + " dyrektywy 2006/112/WE"
}

// faRates: each line has its rate as FA(3) has it, in taxCategoryName.
var faRates = Step{
	Name:   "rates",
	Copies: []Move{{"items[].taxCategoryCode", "items[].taxCategoryName"}, {"items[].taxRate", "items[].taxCategoryName"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			rate := FARateOf(d.Invoice, it.TaxCategoryCode, it.TaxRate).Text
			if line := entry("items", i); it.TaxCategoryName != rate || it.TaxExemptionReason != "" || it.TaxExemptionReasonCode != "" {
				leave(d, &it.TaxCategoryName, line()+".taxCategoryName", "the rate of the line says it (P_12)")
				leave(d, &it.TaxExemptionReason, line()+".taxExemptionReason", "FA(3) has the ground of an exemption once for the invoice (P_19)")
				leave(d, &it.TaxExemptionReasonCode, line()+".taxExemptionReasonCode", "FA(3) has the ground of an exemption once for the invoice (P_19)")
			}
			it.TaxCategoryName = rate
		}
		missesGround(d)
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			d.restoreRate(i)
		}
	},
}

// missesGround refuses exempt sales without a ground.
func missesGround(d *Draft) {
	for i := range d.Invoice.TaxSummary {
		g := &d.Invoice.TaxSummary[i]
		if FARateOf(d.Invoice, g.TaxCategoryCode, g.TaxRate).Text == "zw" && g.ExemptionReason == "" {
			field := entry("taxSummary", i)() + ".exemptionReason"
			d.refuse(finding.MissingField, field, "%s is missing: an invoice with exempt sales names the ground of the exemption (P_19A, P_19B or P_19C)", field)
		}
	}
}

// olderRate gives the rate of FA(3) for one of FA(2), where 0 and np are what the sums of the invoice tell.
func olderRate(inv *invoice.Invoice, text string) string {
	states := func(element string) bool { return countryOf(inv).National["Fa/"+element] != nil }
	switch {
	case text == "0" && states("P_13_6_2"):
		return "0 WDT"
	case text == "0" && states("P_13_6_3"):
		return "0 EX"
	case text == "0":
		return "0 KR"
	case text == "np" && states("P_13_9"):
		return "np II"
	case text == "np":
		return "np I"
	}
	return text
}

// restoreRate gives a line category and rate. A text that would not come back from them stays as it is, in national.
func (d *Draft) restoreRate(i int) {
	inv, it := d.Invoice, &d.Invoice.Items[i]
	text := olderRate(inv, it.TaxCategoryName)
	it.TaxCategoryName = ""
	if r, known := faRateNamed(text); known {
		it.TaxCategoryCode = r.Category
		if r.Category != "O" {
			it.TaxRate = decimal.New(r.Rate, 0)
		}
	} else if it.TaxRate.IsSet() {
		it.TaxCategoryCode = "S"
	} else if text == "" && MarginScheme(inv) != "" {
		it.TaxCategoryCode, it.TaxRate = "E", decimal.New(0, 0)
	}
	switch again := FARateOf(inv, it.TaxCategoryCode, it.TaxRate).Text; {
	case text == "" || again == text:
	case it.TaxCategoryCode == "AE" || it.TaxCategoryCode == "O":
		it.TaxCategoryName = text
	default:
		d.keep(faLine(i, "P_12"), text)
	}
}

// taxInPLN: tax in another currency is stated in zloty as well (art. 106e ust. 11 ustawy o VAT).
var taxInPLN = Step{
	Name:   "tax in PLN",
	Copies: []Move{{"countrySpecific.exchangeRate", "taxSummary[].taxCurrencyTaxAmount"}, {"currency", "taxCurrencyCode"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		accountedIn("PLN", true, true).Derive(d)
		if inv.Currency == "PLN" {
			return
		}
		if inv.TaxCurrencyCode != "PLN" {
			d.refuse(finding.ForeignCurrencyTaxPLN, "taxCurrencyCode", "taxCurrencyCode must be PLN: FA(3) states the tax of an invoice in %s in zloty (P_14_1W)", inv.Currency)
			return
		}
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			taxed := slices.Contains([]string{"1", "2", "3", "4"}, FARateOf(inv, g.TaxCategoryCode, g.TaxRate).Group)
			if taxed && !g.TaxCurrencyTaxAmount.IsSet() {
				field := entry("taxSummary", i)() + ".taxCurrencyTaxAmount"
				d.refuse(finding.ForeignCurrencyTaxPLN, field, "%s is missing, and countrySpecific.exchangeRate as well: the tax of an invoice in %s is stated in PLN (P_14_1W)",
					field, inv.Currency)
				return
			}
			if !taxed {
				g.TaxCurrencyTaxAmount = decimal.Decimal{}
			}
		}
	},
}
