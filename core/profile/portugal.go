package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// CIUSPT is the specification identifier (BT-24) of CIUS-PT 2.1.1 (eSPap).
const CIUSPT = "urn:cen.eu:en16931:2017#compliant#urn:feap.gov.pt:CIUS-PT:2.1.1"

// Portugal is CIUS-PT 2.1.1.
func Portugal() *Profile {
	return New(Profile{
		Token: "ubl", Country: "PT", Specification: CIUSPT, TypeCodes: []string{"380", "381", "383", "386", "389"}, TypeRule: "DT-CIUS-PT-003",
		Refused: map[invoice.Type]string{invoice.TypeProforma: "CIUS-PT has no pro forma invoice; send it as pdf"},
		Steps: slices.Concat([]Step{portugueseNumber}, replaced(CommonSteps(), map[string][]Step{taxCurrency.Name: {portugueseCurrency}, exemptionReasons.Name: {portugueseTexts, exemptionReasons}}), []Step{portugueseMeans, portugueseReference, termsSentence, retention, discountSentence, outsideScopeRate, deliveredToBuyer,
			shortReasons, portugueseReasons, portugueseCategories, portugueseDecimals, oneLineTerms}),
	})
}

// portugueseNumber: the NIF, with the prefix of the country, is the seller's VAT identifier (BT-31, DT-CIUS-PT-029).
var portugueseNumber = Step{
	Name:   "NIF",
	Moves:  []Move{{"countrySpecific.nif", "seller.vatId"}},
	Derive: func(d *Draft) { takeNumber(d, "PT", &specificOf(d.Invoice).NIF) },
}

// takeNumber makes a national tax number, with the prefix of the country, the VAT identifier of a seller who gives none, or the same.
func takeNumber(d *Draft, prefix string, number *string) {
	s := d.Invoice.Seller
	if s == nil || *number == "" {
		return
	}
	full := prefix + strings.TrimPrefix(*number, prefix)
	if s.VATID == "" || s.VATID == full {
		s.VATID, *number = full, ""
	}
}

// portugueseCurrency: CIUS-PT has the VAT in one currency (DT-CIUS-PT-098, 165), which may be named as the tax currency (BT-6) as well. What
// an invoice in another currency than the euro knows of the exchange stands in two notes, the currency and the rate (DT-CIUS-PT-020_2, 020_3).
var portugueseCurrency = Step{
	Name:  "currency of origin",
	Moves: []Move{{"countrySpecific.exchangeRate", "noteEntries[].text"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if inv.Currency != "EUR" && cs.ExchangeRate.IsSet() {
			rate := cs.ExchangeRate.Round(rateDecimals, decimal.HalfUp).WithMinScale(2)
			addNote(inv, "#SOURCECURRENCYCODE#"+inv.Currency+"#")
			addNote(inv, "#CALCULATIONRATE#"+rate.String()+"#")
			cs.ExchangeRate = decimal.Decimal{}
		}
		if inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode != inv.Currency {
			const oneCurrency = "CIUS-PT has the VAT in the currency of the invoice"
			d.missTaxCurrency(oneCurrency + " (BT-6)")
			d.missTaxes(oneCurrency+" (BT-111)", nil)
		} else {
			d.missTaxInTaxCurrency()
		}
		d.dropTaxes()
	},
}

// rateDecimals is the most decimals of an exchange rate in CIUS-PT (DT-CIUS-PT-020_3.1).
const rateDecimals = 5

// portugueseMeans: CIUS-PT has codes of its own for payment means that are no transfer, debit or card (DT-CIUS-PT-079): cash, cheque, other.
var portugueseMeans = Step{
	Name: "codes of payment means",
	Derive: func(d *Draft) {
		for i := range d.Invoice.PaymentMethods {
			m := &d.Invoice.PaymentMethods[i]
			m.Code = cmp.Or(portugueseCodes[m.Code], m.Code)
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.PaymentMethods {
			m := &d.Invoice.PaymentMethods[i]
			for code, own := range portugueseCodes {
				if m.Code == own {
					m.Code = code
				}
			}
		}
	},
}

// atmReference is the form of remittance information in CIUS-PT: the reference of a payment at a cash machine or of a collection document.
var atmReference = regexp.MustCompile(`^#REFERENCE@(ATM|DUC)PAYMENT#.{1,20}#$`)

// portugueseReference: CIUS-PT has no other remittance information (DT-CIUS-PT-080).
var portugueseReference = Step{
	Name: "remittance information",
	Derive: func(d *Draft) {
		if ref := &d.Invoice.PaymentReference; *ref != "" && !atmReference.MatchString(*ref) {
			const field = "paymentReference"
			d.warn(finding.FieldNotWritten, field, "%s is not written: CIUS-PT has remittance information (BT-83) of the form #REFERENCE@ATMPAYMENT#…# or "+
				"#REFERENCE@DUCPAYMENT#…# only, with 20 characters at most", field)
			*ref = ""
		}
	},
}

// portugueseCodes are the codes of Portugal by those of UNTDID 4461.
var portugueseCodes = map[string]string{"1": "OU", "10": "NU", "20": "CH"}

// deliveredToBuyer: CIUS-PT wants the address of delivery (BR-CIUS-PT-66); without another one it is the buyer's.
var deliveredToBuyer = Step{
	Name: "delivery to the buyer",
	Copies: []Move{
		{"buyer.street", "delivery.address.street"}, {"buyer.additionalStreet", "delivery.address.additionalStreet"}, {"buyer.addressLine3", "delivery.address.addressLine3"},
		{"buyer.city", "delivery.address.city"}, {"buyer.postalCode", "delivery.address.postalCode"}, {"buyer.state", "delivery.address.state"},
		{"buyer.countryCode", "delivery.address.countryCode"},
	},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if b := inv.Buyer; b != nil && (inv.Delivery == nil || inv.Delivery.Address == nil) {
			if inv.Delivery == nil {
				inv.Delivery = &invoice.Delivery{}
			}
			inv.Delivery.Address = &invoice.Address{Street: b.Street, AdditionalStreet: b.AdditionalStreet, AddressLine3: b.AddressLine3, City: b.City,
				PostalCode: b.PostalCode, State: b.State, CountryCode: b.CountryCode}
		}
	},
}

// reasonCodeLength is the most characters of BT-121 (DT-CIUS-PT-108): codes of the tax authority such as M07 have three.
const reasonCodeLength = 5

// shortReasons: a reason code that is longer than CIUS-PT allows, such as those of VATEX, is the text of the reason.
var shortReasons = Step{
	Name:  "codes of exemption reasons",
	Moves: []Move{{"taxSummary[].exemptionReasonCode", "taxSummary[].exemptionReason"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.TaxSummary {
			g := &d.Invoice.TaxSummary[i]
			if len(g.ExemptionReasonCode) <= reasonCodeLength {
				continue
			}
			if g.ExemptionReason == "" {
				g.ExemptionReason = g.ExemptionReasonCode
			} else {
				field := d.Original(fmt.Sprintf("taxSummary[%d].exemptionReasonCode", i))
				d.warn(finding.FieldNotWritten, field, "%s is not written: CIUS-PT has codes of %d characters at most (BT-121), such as M07", field, reasonCodeLength)
			}
			g.ExemptionReasonCode = ""
		}
	},
}

// The names of the item attributes that say why a line is exempt (BR-CIUS-PT-17).
const (
	reasonCodeProperty = "#TAXEXEMPTIONREASONCODE@CLASSIFIEDTAXCATEGORY#"
	reasonProperty     = "#TAXEXEMPTIONREASON@CLASSIFIEDTAXCATEGORY#"
)

// exemptsLines tells the categories whose lines say why they are exempt (BR-CIUS-PT-17); others must not (BR-CIUS-PT-13, BR-CIUS-PT-15).
func exemptsLines(category string) bool { return category == "E" || category == "ISE" }

// portugueseTexts: the text of why a line is exempt, where the line has one, is an attribute of its item (BG-32), beside that of its tax
// group (BT-120), which may be another one.
var portugueseTexts = Step{
	Name:   "exemption texts of lines",
	Copies: []Move{{"items[].taxExemptionReason", "items[].attributes[].value"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			if it.TaxExemptionReason != "" && exemptsLines(it.TaxCategoryCode) {
				it.Attributes = append(it.Attributes, invoice.Attribute{Name: reasonProperty, Value: it.TaxExemptionReason})
			}
		}
	},
}

// portugueseReasons: a line that is exempt says why in an attribute of its item (BG-32), by the code of its tax group where that has one. A
// line without a text of its own has that of its group where there is no code.
var portugueseReasons = Step{
	Name: "exemption reasons of lines",
	Moves: []Move{
		{"items[].taxExemptionReasonCode", "items[].attributes[].value"}, {"items[].taxExemptionReason", "items[].attributes[].value"},
	},
	Derive: func(d *Draft) {
		groups := d.Invoice.TaxGroups()
		for _, it := range d.lines() {
			g := groups[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)]
			if g == nil || !exemptsLines(it.TaxCategoryCode) {
				continue
			}
			text := slices.ContainsFunc(it.Attributes, func(a invoice.Attribute) bool { return a.Name == reasonProperty })
			if text {
				it.TaxExemptionReason = ""
			}
			switch {
			case g.ExemptionReasonCode != "":
				it.Attributes = append(it.Attributes, invoice.Attribute{Name: reasonCodeProperty, Value: g.ExemptionReasonCode})
			case g.ExemptionReason != "" && !text:
				it.Attributes = append(it.Attributes, invoice.Attribute{Name: reasonProperty, Value: g.ExemptionReason})
			}
		}
	},
	Restore: func(d *Draft) {
		for _, it := range d.lines() {
			it.Attributes = slices.DeleteFunc(it.Attributes, func(a invoice.Attribute) bool {
				switch {
				case a.Name == reasonCodeProperty && (it.TaxExemptionReasonCode == "" || it.TaxExemptionReasonCode == a.Value):
					it.TaxExemptionReasonCode = a.Value
				case a.Name == reasonProperty && (it.TaxExemptionReason == "" || it.TaxExemptionReason == a.Value):
					it.TaxExemptionReason = a.Value
				default:
					return false
				}
				return true
			})
			if len(it.Attributes) == 0 {
				it.Attributes = nil
			}
		}
	},
}

// portugueseCategories: intra-community supplies have the category IC where EN 16931 has K (DT-CIUS-PT-105).
var portugueseCategories = Step{
	Name:    "categories",
	Derive:  func(d *Draft) { d.recategorise("K", "IC") },
	Restore: func(d *Draft) { d.recategorise("IC", "K") },
}

// recategorise writes one category for another.
func (d *Draft) recategorise(from, to string) {
	change := func(category *string) {
		if *category == from {
			*category = to
		}
	}
	for _, it := range d.lines() {
		change(&it.TaxCategoryCode)
	}
	for i := range d.Invoice.TaxSummary {
		change(&d.Invoice.TaxSummary[i].TaxCategoryCode)
	}
	for i := range d.Invoice.AllowancesCharges {
		change(&d.Invoice.AllowancesCharges[i].TaxCategoryCode)
	}
}

// portugueseDecimals: CIUS-PT wants two decimals of each number, and quantities have three at most (contract, quantity).
var portugueseDecimals = Step{
	Name: "decimals",
	Derive: func(d *Draft) {
		inv := d.Invoice
		for _, n := range slices.Concat(amountsOf(inv), ratesOf(inv)) {
			*n = n.WithMinScale(2)
		}
		for at, it := range d.lines() {
			for _, price := range []*decimal.Decimal{&it.UnitPrice, &it.GrossPrice, &it.PriceDiscount} {
				*price = price.WithMinScale(2)
			}
			d.limitDecimals(&it.Quantity, at.String()+".quantity")
			d.limitDecimals(&it.PriceBaseQuantity, at.String()+".priceBaseQuantity")
			it.PriceBaseQuantity = it.PriceBaseQuantity.WithMinScale(2)
		}
	},
}

// quantityDecimals is the most decimals of a quantity in CIUS-PT (DT-CIUS-PT-117.1, 130.1).
const quantityDecimals = 3

// limitDecimals rounds a quantity that has more decimals than CIUS-PT has room for, and says so.
func (d *Draft) limitDecimals(n *decimal.Decimal, field string) {
	if rounded := n.Round(quantityDecimals, decimal.HalfUp); rounded.Cmp(*n) != 0 {
		d.warn(finding.DecimalsReduced, field, "%s is %s, which is written as %s: CIUS-PT has %d decimals at most", field, n, rounded, quantityDecimals)
		*n = rounded
	} else if n.IsSet() {
		*n = n.Trim()
	}
}

// ratesOf lists the percentages of an invoice.
func ratesOf(inv *invoice.Invoice) []*decimal.Decimal {
	var list []*decimal.Decimal
	for i := range inv.Items {
		it := &inv.Items[i]
		list = append(list, &it.TaxRate)
		for _, entries := range [][]invoice.LineCharge{it.Allowances, it.Charges} {
			for j := range entries {
				list = append(list, &entries[j].Percentage)
			}
		}
	}
	for i := range inv.TaxSummary {
		list = append(list, &inv.TaxSummary[i].TaxRate)
	}
	for i := range inv.AllowancesCharges {
		list = append(list, &inv.AllowancesCharges[i].TaxRate, &inv.AllowancesCharges[i].Percentage)
	}
	return list
}

// oneLineTerms: the terms of payment stand in one line (DT-CIUS-PT-019).
var oneLineTerms = Step{
	Name: "terms in one line",
	Derive: func(d *Draft) {
		if terms := d.Invoice.PaymentTerms; terms != nil {
			terms.Description = strings.Join(strings.Fields(terms.Description), " ")
		}
	},
}
