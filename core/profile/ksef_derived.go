package profile

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// FADerived is an element of FA(3) that is computed of the invoice.
type FADerived struct {
	Path   string                        // below the document element
	Fields []string                      // members that it says
	Of     func(*invoice.Invoice) string // its text; empty where it is not written
}

const (
	annotations = "Fa/Adnotacje/"
	made        = "Naglowek/DataWytworzeniaFa"
)

// DerivedInFA lists the elements that are computed. What documents state there is read to national first, and stays there where it is
// something else.
func DerivedInFA() []FADerived {
	list := []FADerived{
		{Path: made, Of: faMade},
		{Path: annotations + "P_16", Fields: []string{"countrySpecific.cashMethod"}, Of: func(inv *invoice.Invoice) string { return oneOrTwo(isTrue(countryOf(inv).CashMethod)) }},
		{Path: annotations + "P_17", Fields: []string{"countrySpecific.selfBilling"}, Of: func(inv *invoice.Invoice) string {
			return oneOrTwo(isTrue(countryOf(inv).SelfBilling) || countryOf(inv).InvoiceTypeCode == "389" || inv.Type == invoice.TypeSelfBilled)
		}},
		{Path: annotations + "P_18", Of: func(inv *invoice.Invoice) string {
			return oneOrTwo(slices.ContainsFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return g.TaxCategoryCode == "AE" }))
		}},
		{Path: annotations + "P_18A", Fields: []string{"countrySpecific.splitPayment"}, Of: func(inv *invoice.Invoice) string { return oneOrTwo(isTrue(countryOf(inv).SplitPayment)) }},
		{Path: annotations + "P_23", Of: func(*invoice.Invoice) string { return "2" }},
		{Path: annotations + "Zwolnienie/P_19", Of: ifSet(exemptText, "1")},
		{Path: annotations + "Zwolnienie/P_19N", Of: unless("Zwolnienie/P_19", exemptText)},
		{Path: annotations + "NoweSrodkiTransportu/P_22N", Of: unless("NoweSrodkiTransportu/P_22", func(*invoice.Invoice) string { return "" })},
		{Path: annotations + "PMarzy/P_PMarzy", Fields: []string{"countrySpecific.marginScheme"}, Of: ifSet(MarginScheme, "1")},
		{Path: annotations + "PMarzy/P_PMarzyN", Of: unless("PMarzy/P_PMarzy", MarginScheme)},
		{Path: "Podmiot2/JST", Fields: []string{"countrySpecific.isJst"}, Of: func(inv *invoice.Invoice) string { return oneOrTwo(isTrue(countryOf(inv).IsJST)) }},
		{Path: "Podmiot2/GV", Fields: []string{"countrySpecific.isVatGroupMember"}, Of: func(inv *invoice.Invoice) string { return oneOrTwo(isTrue(countryOf(inv).IsVATGroupMember)) }},
	}
	for _, basis := range []string{"A", "B", "C"} {
		list = append(list, FADerived{Path: annotations + "Zwolnienie/P_19" + basis, Fields: []string{"taxSummary[].exemptionReason", "countrySpecific.exemptionBasis"},
			Of: func(inv *invoice.Invoice) string {
				if basisOf(inv) != basis {
					return ""
				}
				return exemptText(inv)
			}})
	}
	for _, m := range faMargins {
		list = append(list, FADerived{Path: annotations + "PMarzy/" + m.Element, Of: func(inv *invoice.Invoice) string {
			if MarginScheme(inv) == m.Element {
				return "1"
			}
			return ""
		}})
	}
	return append(list, sumsOfFA()...)
}

// sumsOfFA are the sums by rate. FA(3) has the tax of the groups 1 to 5 (P_14_x), and that in zloty of 1 to 4 (P_14_xW); the
// others are without tax.
func sumsOfFA() []FADerived {
	var list []FADerived
	for _, group := range faGroups {
		elements := []string{"P_13_" + group}
		if len(group) == 1 && group <= groupOSS {
			elements = append(elements, "P_14_"+group, "P_14_"+group+"W")
		}
		if group == groupOSS {
			elements = elements[:2]
		}
		for _, element := range elements {
			list = append(list, FADerived{Path: "Fa/" + element, Fields: []string{"taxSummary[].netAmount", "taxSummary[].taxAmount", "taxSummary[].taxCurrencyTaxAmount",
				"taxSummary[].taxRate", "taxSummary[].taxCategoryCode"}, Of: func(inv *invoice.Invoice) string { return sumText(inv, element) }})
		}
	}
	return list
}

// sumText is the text of a sum. The tax in zloty stands on invoices in other currencies only.
func sumText(inv *invoice.Invoice, element string) string {
	if strings.HasSuffix(element, "W") && inv.Currency == "PLN" {
		return ""
	}
	sum := FASum(inv, element)
	if !sum.IsSet() {
		return ""
	}
	return sum.Trim().WithMinScale(2).String()
}

// faMade is the time at which the invoice was made: the beginning of the day of issue, which is not before the first day of FA(3).
func faMade(inv *invoice.Invoice) string {
	return string(max(inv.IssueDate, "2025-09-01")) + "T00:00:00Z"
}

func oneOrTwo(yes bool) string {
	if yes {
		return "1"
	}
	return "2"
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

// noCountry stands for the members of a country that an invoice does not have.
var noCountry = invoice.CountrySpecific{}

func countryOf(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		return &noCountry
	}
	return inv.CountrySpecific
}

// exemptText is the ground of the exemption of exempt sales.
func exemptText(inv *invoice.Invoice) string {
	for i := range inv.TaxSummary {
		if g := &inv.TaxSummary[i]; g.ExemptionReason != "" && FARateOf(inv, g.TaxCategoryCode, g.TaxRate).Text == "zw" {
			return g.ExemptionReason
		}
	}
	return ""
}

func basisOf(inv *invoice.Invoice) string {
	if basis := countryOf(inv).ExemptionBasis; basis != "" {
		return basis
	}
	return "A"
}

// ifSet gives a text where another one is not empty.
func ifSet(of func(*invoice.Invoice) string, text string) func(*invoice.Invoice) string {
	return func(inv *invoice.Invoice) string {
		if of(inv) == "" {
			return ""
		}
		return text
	}
}

// unless gives 1 where neither the invoice nor national says the opposite.
func unless(opposite string, of func(*invoice.Invoice) string) func(*invoice.Invoice) string {
	return func(inv *invoice.Invoice) string {
		if of(inv) != "" || countryOf(inv).National[annotations+opposite] != nil {
			return ""
		}
		return "1"
	}
}

// faAnnotations: what computed elements state of members becomes these, and what they state otherwise stays in national.
var faAnnotations = Step{
	Name: "annotations",
	Derive: func(d *Draft) {
		seen := ""
		for i := range d.Invoice.TaxSummary {
			g := &d.Invoice.TaxSummary[i]
			if len([]rune(g.ExemptionReason)) > shortText {
				field := entry("taxSummary", i)() + ".exemptionReason"
				d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: field, Maximum: shortText, Message: field + " is longer than the 256 characters of FA(3) (P_19A)"})
			}
			if seen != "" && g.ExemptionReason != "" && g.ExemptionReason != seen {
				field := entry("taxSummary", i)() + ".exemptionReason"
				d.warn(finding.FieldNotWritten, field, "%s is not written: FA(3) has one ground of exemption for the invoice (P_19A)", field)
			}
			seen = firstOf(seen, g.ExemptionReason)
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		flag := func(path string, member **bool) {
			if texts := cs.National[path]; len(texts) == 1 && texts[0] == "1" {
				*member = new(bool)
				**member = true
			}
		}
		flag(annotations+"P_16", &cs.CashMethod)
		flag(annotations+"P_17", &cs.SelfBilling)
		flag(annotations+"P_18A", &cs.SplitPayment)
		flag("Podmiot2/JST", &cs.IsJST)
		flag("Podmiot2/GV", &cs.IsVATGroupMember)
		if cs.SelfBilling != nil && cs.InvoiceTypeCode == "380" && cs.DocumentType == "" {
			cs.SelfBilling, cs.InvoiceTypeCode = nil, "389"
		}
		restoreGround(inv)
		national := cs.National
		for _, e := range DerivedInFA() {
			if texts := national[e.Path]; len(texts) == 1 && sameText(texts[0], e.Of(inv), e.Path) {
				delete(national, e.Path)
			}
		}
		if len(national) == 0 {
			cs.National = nil
		}
	},
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// sameText tells whether a document states what is computed. The elements that say no and yes of one question are looked at together: one
// that stays keeps the others from being computed.
func sameText(stated, computed, path string) bool {
	if strings.HasSuffix(path, "N") && computed == "" {
		return false
	}
	return stated == computed
}

// restoreGround gives exempt sales the ground that the document states.
func restoreGround(inv *invoice.Invoice) {
	cs := specificOf(inv)
	for _, basis := range []string{"A", "B", "C"} {
		texts := cs.National[annotations+"Zwolnienie/P_19"+basis]
		if len(texts) != 1 {
			continue
		}
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			if FARateOf(inv, g.TaxCategoryCode, g.TaxRate).Text == "zw" && g.ExemptionReason == "" {
				g.ExemptionReason = texts[0]
				if basis != "A" {
					cs.ExemptionBasis = basis
				}
			}
		}
	}
}

// faMarginRead: the element of a margin scheme tells its name, before the rates are looked at.
var faMarginRead = Step{
	Name: "margin scheme of documents",
	Restore: func(d *Draft) {
		cs := specificOf(d.Invoice)
		for _, m := range faMargins {
			if cs.National[annotations+"PMarzy/"+m.Element] != nil && cs.MarginScheme == "" {
				cs.MarginScheme = m.Name
			}
		}
	},
}

// creditNotes: a correction that lowers the total is a credit note, which is positive.
var creditNotes = Step{
	Name: "credit notes of documents",
	Restore: func(d *Draft) {
		cs := specificOf(d.Invoice)
		if cs.InvoiceTypeCode == "384" && d.Invoice.Total.Sign() < 0 {
			cs.InvoiceTypeCode = "381"
			negate(d.Invoice)
		}
	},
}
