package isdoc

import (
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// taxInclusive is the gross amount of a line, in the currency of the invoice or in that of the country. What documents state there is the tax
// of the line, before its own element is looked at.
func taxInclusive(other bool) *computed {
	return &computed{
		Of: []string{"taxAmount"},
		Text: func(s scope) string {
			it := s.Group.(*invoice.Item)
			if other {
				return either(s.Invoice, false, added(it.NetAmount, it.TaxAmount))
			}
			return text(added(inLocal(s.Invoice, it.NetAmount), inLocal(s.Invoice, it.TaxAmount)))
		},
		Take: func(stated string, s scope) bool {
			it := s.Group.(*invoice.Item)
			d, err := decimal.Parse(stated)
			if err != nil || !it.NetAmount.IsSet() || other != foreign(s.Invoice) {
				return false
			}
			it.TaxAmount = d.Sub(it.NetAmount)
			return true
		},
	}
}

// lineTax is the tax of a line in the currency of the country.
var lineTax = &computed{
	Of: []string{"taxAmount"},
	Text: func(s scope) string {
		return text(inLocal(s.Invoice, s.Group.(*invoice.Item).TaxAmount))
	},
	Take: func(stated string, s scope) bool {
		d, err := decimal.Parse(stated)
		if err == nil {
			s.Group.(*invoice.Item).TaxAmount = fromLocal(s.Invoice, d, amountPlaces)
		}
		return err == nil
	},
}

// unitPrice is the price of one unit without tax in the currency of the country.
var unitPrice = &computed{
	Of: []string{"unitPrice"},
	Text: func(s scope) string {
		return text(converted(s.Invoice, s.Group.(*invoice.Item).UnitPrice, pricePlaces))
	},
	Take: func(stated string, s scope) bool {
		d, err := decimal.Parse(stated)
		if err == nil {
			s.Group.(*invoice.Item).UnitPrice = fromLocal(s.Invoice, d, pricePlaces)
		}
		return err == nil
	},
}

// unitPriceWithTax is the price of one unit with tax.
var unitPriceWithTax = &computed{
	Of: []string{"unitPrice"},
	Text: func(s scope) string {
		it := s.Group.(*invoice.Item)
		if !it.UnitPrice.IsSet() {
			return ""
		}
		price := converted(s.Invoice, it.UnitPrice, pricePlaces)
		with, _ := price.Mul(hundred.Add(it.TaxRate)).Quo(hundred, pricePlaces, decimal.HalfUp)
		return text(with)
	},
}

// calculation says that tax is computed of net amounts.
var calculation = &computed{Text: func(s scope) string { return "0" }}

// change is what the discounts and surcharges of a line come to: a minus for discounts.
func change(it *invoice.Item) (sum decimal.Decimal) {
	for i := range it.Charges {
		sum = sum.Add(it.Charges[i].Amount)
	}
	for i := range it.Allowances {
		sum = sum.Sub(it.Allowances[i].Amount)
	}
	return sum
}

// beforeDiscount is the amount of a line before its discounts and surcharges, without tax or with it.
func beforeDiscount(taxed bool) *computed {
	return &computed{
		Of: []string{"allowances[].amount", "charges[].amount", "allowances[].baseAmount", "charges[].baseAmount"},
		Text: func(s scope) string {
			it := s.Group.(*invoice.Item)
			if len(it.Allowances)+len(it.Charges) == 0 || !it.NetAmount.IsSet() {
				return ""
			}
			before := it.NetAmount.Sub(change(it))
			if taxed {
				with, _ := before.Mul(hundred.Add(it.TaxRate)).Quo(hundred, amountPlaces, decimal.HalfUp)
				before = with
			}
			return text(inLocal(s.Invoice, before))
		},
		Take: func(stated string, s scope) bool {
			it := s.Group.(*invoice.Item)
			d, err := decimal.Parse(stated)
			if err != nil || !it.NetAmount.IsSet() {
				return false
			}
			if taxed {
				return d.Cmp(inLocal(s.Invoice, added(it.NetAmount, it.TaxAmount))) == 0
			}
			takeChange(it, fromLocal(s.Invoice, d, amountPlaces).Sub(it.NetAmount))
			return true
		},
	}
}

// takeChange gives a line the discount or surcharge that its amounts tell.
func takeChange(it *invoice.Item, less decimal.Decimal) {
	switch one := []invoice.LineCharge{{Amount: less.Abs()}}; {
	case less.Sign() == 0:
	case less.Sign() > 0 == (it.NetAmount.Sign() >= 0 || it.Quantity.Sign() >= 0):
		it.Allowances = one
		if less.Sign() < 0 {
			it.Allowances[0].Amount = less
		}
	default:
		it.Charges = one
		it.Charges[0].Amount = less.Neg()
	}
}

// lineApplies tells lines that VAT does not apply to (category O), and all lines of who pays no VAT.
var lineApplies = &computed{
	Of: []string{"taxCategoryCode"},
	Text: func(s scope) string {
		return applies(s.Invoice, s.Group.(*invoice.Item).TaxCategoryCode)
	},
	Take: func(stated string, s scope) bool {
		it := s.Group.(*invoice.Item)
		return takeApplies(stated, it.TaxRate, &it.TaxCategoryCode)
	},
}

var groupApplies = &computed{
	Of: []string{"taxCategoryCode"},
	Text: func(s scope) string {
		return applies(s.Invoice, s.Group.(*invoice.TaxSummary).TaxCategoryCode)
	},
	Take: func(stated string, s scope) bool {
		g := s.Group.(*invoice.TaxSummary)
		return takeApplies(stated, g.TaxRate, &g.TaxCategoryCode)
	},
}

// applies is the text of VATApplicable: that VAT applies goes without saying.
func applies(inv *invoice.Invoice, category string) string {
	payer := inv.CountrySpecific == nil || inv.CountrySpecific.VATPayer == nil || *inv.CountrySpecific.VATPayer
	if !payer || category == outsideScope {
		return "false"
	}
	return ""
}

// takeApplies takes what a document states: that VAT does not apply where there is a rate, or reverse charge, contradicts itself.
func takeApplies(stated string, rate decimal.Decimal, category *string) bool {
	if stated == "false" && *category == "" && rate.Sign() == 0 {
		*category = outsideScope
		return true
	}
	return stated == "true"
}

// The categories of UNTDID 5305 that elements tell.
const (
	outsideScope   = "O"
	reverseCharged = "AE"
)

// reverseCharge is the code of goods and services whose tax the buyer in the country owes.
var reverseCharge = &computed{
	Of: []string{"taxCategoryCode"},
	Text: func(s scope) string {
		i := s.Invoice
		if s.Group.(*invoice.Item).TaxCategoryCode != reverseCharged || i.CountrySpecific == nil || !profile.DomesticReverseCharge(i) {
			return ""
		}
		return i.CountrySpecific.ReverseChargeCode
	},
	Take: func(stated string, s scope) bool {
		s.Group.(*invoice.Item).TaxCategoryCode = reverseCharged
		cs := countryOf(s.Invoice)
		if cs.ReverseChargeCode == "" {
			cs.ReverseChargeCode = stated
		}
		return cs.ReverseChargeCode == stated
	},
}

var groupReverseCharge = &computed{
	Of: []string{"taxCategoryCode"},
	Text: func(s scope) string {
		if s.Group.(*invoice.TaxSummary).TaxCategoryCode == reverseCharged && profile.DomesticReverseCharge(s.Invoice) {
			return "true"
		}
		return ""
	},
	Take: func(stated string, s scope) bool {
		if stated == "true" {
			s.Group.(*invoice.TaxSummary).TaxCategoryCode = reverseCharged
		}
		return stated == "true" || stated == "false"
	},
}

// description is the name of an item and what describes it, which is below it.
var description = &m.Codec{
	Fields: []string{"description", "itemDescription"},
	Format: func(group any) string {
		it := group.(*invoice.Item)
		if it.ItemDescription == "" {
			return it.Description
		}
		return it.Description + "\n" + it.ItemDescription
	},
	Parse: func(text string, group any) {
		it := group.(*invoice.Item)
		name, more, _ := strings.Cut(text, "\n")
		it.Description, it.ItemDescription = strings.TrimSpace(name), strings.TrimSpace(more)
	},
}

// formed is for texts of a form; others have no place.
func formed(form string) *m.Converter {
	is := regexp.MustCompile(form)
	same := func(text string) (string, bool) { return text, is.MatchString(text) }
	return &m.Converter{Write: same, Read: same}
}

var (
	gtin = formed(`^([0-9]{8}|[0-9]{12,14})$`)
	gln  = formed(`^[0-9]{13}$`)
	uuid = formed(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
)

// units are the words that Czech invoices have for units of UN/ECE Recommendation 20. Units are written as they are sent.
var units = &m.Converter{
	Write: func(unit string) (string, bool) { return unit, true },
	Read: func(text string) (string, bool) {
		if code := unitWords[strings.TrimSuffix(strings.ToLower(text), ".")]; code != "" {
			return code, true
		}
		return text, true
	},
}

var unitWords = map[string]string{"ks": "C62", "kus": "C62", "kusů": "C62", "hod": "HUR", "h": "HUR", "kg": "KGM", "g": "GRM", "t": "TNE", "l": "LTR", "m": "MTR", "km": "KMT",
	"m2": "MTK", "m3": "MTQ", "kwh": "KWH", "den": "DAY", "dny": "DAY", "dní": "DAY", "měs": "MON", "měsíc": "MON", "bal": "PK", "min": "MIN"}
