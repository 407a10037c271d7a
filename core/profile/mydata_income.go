package profile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The categories of income that are assumed (AADE, classification of income): sale of goods, provision of services.
const (
	incomeGoods    = "category1_1"
	incomeServices = "category1_3"
)

// incomeByRegion are the E3 types that are assumed by the buyer; that of retail is for buyers without a number.
var incomeByRegion = map[string]string{"GR": "E3_561_001", "EU": "E3_561_005", "": "E3_561_006", retailBuyer: "E3_561_003"}

// assumedIncome are the types of documents whose lines must have a classification of income.
var assumedIncome = map[string]bool{"1.1": true, "1.2": true, "1.3": true, "1.6": true, "2.1": true, "2.2": true, "2.3": true, "2.4": true, "5.1": true, "5.2": true,
	"11.1": true, "11.2": true, "11.3": true, "11.4": true}

// summaryIncome is the path of the sums of the classifications.
const summaryIncome = "invoice/invoiceSummary/incomeClassification"

// greekIncome: each line says which income it is, by category and E3 type, and the invoice has the sums of these. The sums
// stand in countrySpecific.taxBreakdown on their way, the E3 type as the name of the category. The amount of a line's
// classification comes in the gross amount of the line, which myDATA does not have.
var greekIncome = Step{
	Name:   "income",
	Copies: []Move{{"items[].incomeClassification.type", "countrySpecific.taxBreakdown[].taxCategoryName"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if len(cs.TaxBreakdown) > 0 {
			d.warn(finding.FieldNotWritten, "countrySpecific.taxBreakdown", "countrySpecific.taxBreakdown is not written: myDATA has no breakdown of the tax beside the lines")
			cs.TaxBreakdown = nil
		}
		if assumedIncome[cs.MyDataInvoiceType] {
			d.assumeIncome()
		}
		for i := range inv.Items {
			if c := inv.Items[i].IncomeClassification; c != nil && c.Category == "" {
				field := entry("items", i)() + ".incomeClassification.category"
				d.refuse(finding.MissingField, field, "%s is missing: a classification of income has a category, such as category1_1", field)
			}
		}
		if !hasPrefix(cs.National, summaryIncome) {
			cs.TaxBreakdown = incomeSums(inv)
		}
	},
	Restore: restoreIncome,
}

// assumeIncome gives the lines without a classification one, and tells of it.
func (d *Draft) assumeIncome() {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	told := false
	classified := classifiedLines(cs.National)
	for i := range inv.Items {
		it := &inv.Items[i]
		if it.IncomeClassification != nil || classified[i+1] {
			continue
		}
		category := incomeGoods
		if slices.Contains(serviceUnits, it.Unit) || strings.HasPrefix(cs.MyDataInvoiceType, "2.") || cs.MyDataInvoiceType == serviceTypes[retailBuyer] {
			category = incomeServices
		}
		it.IncomeClassification = &invoice.IncomeClassification{Category: category, Type: incomeByRegion[regionOf(inv.Buyer)]}
		if !told {
			told = true
			field := entry("items", i)() + ".incomeClassification"
			d.warn(finding.ValueAssumed, field, "%s is missing: %s with %s is written, here and wherever else it is missing; send category and E3 type where others are meant",
				field, category, it.IncomeClassification.Type)
		}
	}
}

// classifiedPath is an element of a classification of a line.
var classifiedPath = regexp.MustCompile(`^invoice/invoiceDetails(?:\[([0-9]+)\])?/(?:income|expenses)Classification`)

// classifiedLines are the lines, counted from 1, that national has a classification of.
func classifiedLines(national invoice.National) map[int]bool {
	lines := map[int]bool{}
	for path := range national {
		if at := classifiedPath.FindStringSubmatch(path); at != nil {
			n, err := strconv.Atoi(at[1])
			if err != nil {
				n = 1
			}
			lines[n] = true
		}
	}
	return lines
}

// greekLine is the path of an element of the line i.
func greekLine(i int, name string) string {
	return fmt.Sprintf("invoice/invoiceDetails[%d]/%s", i+1, name)
}

// hasPrefix tells whether national has something at or below a path.
func hasPrefix(national invoice.National, path string) bool {
	for key := range national {
		if strings.HasPrefix(key, path) {
			return true
		}
	}
	return false
}

// incomeSums are the sums of the classifications of the lines by category and type, in the order of the lines. Those that national has for
// lines count as well.
func incomeSums(inv *invoice.Invoice) []invoice.TaxBreakdown {
	var sums []invoice.TaxBreakdown
	place := map[invoice.IncomeClassification]int{}
	add := func(category, e3 string, amount decimal.Decimal) {
		key := invoice.IncomeClassification{Type: e3, Category: category}
		if i, known := place[key]; known {
			sums[i].NetAmount = sums[i].NetAmount.Add(amount)
			return
		}
		place[key] = len(sums)
		sums = append(sums, invoice.TaxBreakdown{TaxCategoryCode: category, TaxCategoryName: e3, NetAmount: amount})
	}
	national := specificOf(inv).National
	for i := range inv.Items {
		if c := inv.Items[i].IncomeClassification; c != nil {
			amount := inv.Items[i].NetAmount.Round(2, decimal.HalfUp)
			if stated := nationalAmount(national, greekLine(i, "incomeClassification/amount"), i == 0); stated.IsSet() {
				amount = stated
			} else if stated := nationalAmount(national, greekLine(i, "incomeClassification[1]/amount"), i == 0); stated.IsSet() {
				amount = stated
			}
			add(c.Category, c.Type, amount)
		}
		if len(national) == 0 {
			continue
		}
		for n := 2; ; n++ {
			below := greekLine(i, fmt.Sprintf("incomeClassification[%d]/", n))
			if only := fmt.Sprintf("invoice/invoiceDetails/incomeClassification[%d]/", n); i == 0 && national[only+"amount"] != nil {
				below = only
			}
			amount := nationalAmount(national, below+"amount", false)
			if !amount.IsSet() {
				break
			}
			add(nationalText(national, below+"classificationCategory"), nationalText(national, below+"classificationType"), amount)
		}
	}
	return sums
}

// nationalText is the text of a path that has one.
func nationalText(national invoice.National, path string) string {
	if texts := national[path]; len(texts) == 1 {
		return texts[0]
	}
	return ""
}

// nationalAmount is the amount of a path; of the only line of a document it may stand without the line's number.
func nationalAmount(national invoice.National, path string, only bool) decimal.Decimal {
	text := nationalText(national, path)
	if text == "" && only {
		text = nationalText(national, strings.Replace(path, "invoiceDetails[1]", "invoiceDetails", 1))
	}
	amount, err := decimal.Parse(text)
	if err != nil {
		return decimal.Decimal{}
	}
	return amount
}

// restoreIncome lets go the sums that the lines give, and keeps others.
func restoreIncome(d *Draft) {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	stated := cs.TaxBreakdown
	cs.TaxBreakdown = nil
	for i := range inv.Items {
		it := &inv.Items[i]
		if amount := it.GrossAmount; amount.IsSet() && amount.Cmp(it.NetAmount) != 0 {
			element := "incomeClassification/amount"
			if cs.National[greekLine(i, "incomeClassification[2]/amount")] != nil || i == 0 && cs.National["invoice/invoiceDetails/incomeClassification[2]/amount"] != nil {
				element = "incomeClassification[1]/amount"
			}
			putNational(cs, greekLine(i, element), amount.String())
		}
		it.GrossAmount = decimal.Decimal{}
	}
	if sameSums(stated, incomeSums(inv)) && !hasPrefix(cs.National, summaryIncome) {
		return
	}
	for i, s := range stated {
		at := fmt.Sprintf("%s[%d]/", summaryIncome, i+1)
		if s.TaxCategoryName != "" {
			putNational(cs, at+"classificationType", s.TaxCategoryName)
		}
		putNational(cs, at+"classificationCategory", s.TaxCategoryCode)
		putNational(cs, at+"amount", s.NetAmount.String())
	}
}

// putNational puts a text into what was read.
func putNational(cs *invoice.CountrySpecific, path, text string) {
	if cs.National == nil {
		cs.National = invoice.National{}
	}
	cs.National[path] = []string{text}
}

// sameSums tells whether two lists have the same sums in the same order.
func sameSums(a, b []invoice.TaxBreakdown) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].TaxCategoryCode != b[i].TaxCategoryCode || a[i].TaxCategoryName != b[i].TaxCategoryName || a[i].NetAmount.Cmp(b[i].NetAmount) != 0 {
			return false
		}
	}
	return true
}
