package profile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The categories without VAT (AADE, vatCategory): with a ground of exemption, and what has nothing to do with VAT.
const (
	exemptFromVAT = "7"
	outsideVAT    = "8"
)

// greekRates are the categories of VAT by their rates; of 4 % the first is that of the islands, the other that of law 5057/2023.
var greekRates = []struct {
	rate     decimal.Decimal
	category string
}{
	{decimal.New(24, 0), "1"}, {decimal.New(13, 0), "2"}, {decimal.New(6, 0), "3"}, {decimal.New(17, 0), "4"}, {decimal.New(9, 0), "5"}, {decimal.New(4, 0), "6"},
	{decimal.New(3, 0), "9"}, {decimal.New(4, 0), "10"},
}

// greekExemptions are the grounds of exemption (AADE, vatExemptionCategory) with the VAT category that they are read as, the exemption code
// that has the same meaning, and the provision of the Greek VAT code.
var greekExemptions = []struct{ code, category, vatex, provision string }{
	{"1", "O", "VATEX-EU-O", "Χωρίς ΦΠΑ - άρθρα 2 και 3 του Κώδικα ΦΠΑ"},
	{"2", "O", "VATEX-EU-O", "Χωρίς ΦΠΑ - άρθρο 5 του Κώδικα ΦΠΑ"},
	{"3", "O", "VATEX-EU-O", "Χωρίς ΦΠΑ - άρθρο 13 του Κώδικα ΦΠΑ"},
	{"4", "O", "VATEX-EU-O", "Χωρίς ΦΠΑ - άρθρο 14 του Κώδικα ΦΠΑ"},
	{"5", "E", "", "Χωρίς ΦΠΑ - άρθρο 16 του Κώδικα ΦΠΑ"},
	{"6", "E", "", "Χωρίς ΦΠΑ - άρθρο 19 του Κώδικα ΦΠΑ"},
	{"7", "E", "VATEX-EU-132", "Χωρίς ΦΠΑ - άρθρο 22 του Κώδικα ΦΠΑ"},
	{"8", "G", "VATEX-EU-G", "Χωρίς ΦΠΑ - άρθρο 24 του Κώδικα ΦΠΑ"},
	{"9", "E", "", "Χωρίς ΦΠΑ - άρθρο 25 του Κώδικα ΦΠΑ"},
	{"10", "E", "", "Χωρίς ΦΠΑ - άρθρο 26 του Κώδικα ΦΠΑ"},
	{"11", "E", "", "Χωρίς ΦΠΑ - άρθρο 27 του Κώδικα ΦΠΑ"},
	{"12", "E", "", "Χωρίς ΦΠΑ - άρθρο 27 του Κώδικα ΦΠΑ, πλοία ανοικτής θαλάσσης"},
	{"13", "E", "", "Χωρίς ΦΠΑ - άρθρο 27 παρ. 1 περ. γ του Κώδικα ΦΠΑ, πλοία ανοικτής θαλάσσης"},
	{"14", "K", "VATEX-EU-IC", "Χωρίς ΦΠΑ - άρθρο 28 του Κώδικα ΦΠΑ"},
	{"15", "E", "", "Χωρίς ΦΠΑ - άρθρο 39 του Κώδικα ΦΠΑ"},
	{"16", "AE", "VATEX-EU-AE", "Χωρίς ΦΠΑ - άρθρο 39α του Κώδικα ΦΠΑ"},
	{"17", "E", "", "Χωρίς ΦΠΑ - άρθρο 40 του Κώδικα ΦΠΑ"},
	{"18", "E", "", "Χωρίς ΦΠΑ - άρθρο 41 του Κώδικα ΦΠΑ"},
	{"19", "E", "", "Χωρίς ΦΠΑ - άρθρο 47 του Κώδικα ΦΠΑ"},
	{"20", "E", "VATEX-EU-D", "ΦΠΑ εμπεριεχόμενος - άρθρο 43 του Κώδικα ΦΠΑ"},
	{"21", "E", "VATEX-EU-F", "ΦΠΑ εμπεριεχόμενος - άρθρο 44 του Κώδικα ΦΠΑ"},
	{"22", "E", "VATEX-EU-I", "ΦΠΑ εμπεριεχόμενος - άρθρο 45 του Κώδικα ΦΠΑ"},
	{"23", "E", "VATEX-EU-J", "ΦΠΑ εμπεριεχόμενος - άρθρο 46 του Κώδικα ΦΠΑ"},
	{"24", "E", "", "Χωρίς ΦΠΑ - άρθρο 6 του Κώδικα ΦΠΑ"},
	{"25", "E", "", "Χωρίς ΦΠΑ - ΠΟΛ.1029/1995"},
	{"26", "E", "", "Χωρίς ΦΠΑ - ΠΟΛ.1167/2015"},
	{"27", "E", "", "Λοιπές εξαιρέσεις ΦΠΑ"},
	{"28", "G", "VATEX-EU-G", "Χωρίς ΦΠΑ - άρθρο 24 του Κώδικα ΦΠΑ, tax free"},
	{"29", "O", "VATEX-EU-O", "Χωρίς ΦΠΑ - OSS, μη ενωσιακό καθεστώς"},
	{"30", "O", "VATEX-EU-O", "Χωρίς ΦΠΑ - OSS, ενωσιακό καθεστώς"},
	{"31", "O", "VATEX-EU-O", "Χωρίς ΦΠΑ - IOSS"},
}

// servicesAbroad is the ground of services whose place is abroad, which the buyer in another member state accounts for.
const servicesAbroad = "4"

// sureExemptions are those that their VAT category stands for.
var sureExemptions = map[string]string{"K": "14", "G": "8"}

// greekAmounts are the amounts of lines; the tax of a line is one of its own here.
var greekAmounts = Step{
	Name:  lineAmounts.Name,
	Moves: lineAmounts.Moves,
	Derive: func(d *Draft) {
		items := d.Invoice.Items
		taxes := make([]decimal.Decimal, len(items))
		for i := range items {
			taxes[i] = items[i].TaxAmount
		}
		lineAmounts.Derive(d)
		for i := range items {
			items[i].TaxAmount = taxes[i]
		}
	},
}

// greekTaxes: a line states its category of VAT and its VAT, whose sum is that of the groups.
var greekTaxes = Step{
	Name: "VAT",
	Moves: []Move{{"items[].taxRate", "items[].taxCategoryName"}, {"items[].taxCategoryCode", "items[].vatExemptionCategory"},
		{"taxSummary[].exemptionReasonCode", "items[].vatExemptionCategory"}},
	Derive:  deriveGreekTaxes,
	Restore: restoreGreekTaxes,
}

func deriveGreekTaxes(d *Draft) {
	inv := d.Invoice
	groups := inv.TaxGroups()
	told := map[string]bool{}
	lines := map[invoice.TaxKey][]int{}
	for i := range inv.Items {
		it := &inv.Items[i]
		key := invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)
		lines[key] = append(lines[key], i)
		named := it.TaxCategoryName
		d.greekCategory(told, i, groups[key])
		if it.TaxCategoryName != named {
			leave(d, &named, entry("items", i)()+".taxCategoryName", "the rate of the line gives its category of VAT (vatCategory)")
		}
	}
	for key, of := range lines {
		d.shareTax(of, groups[key])
	}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		d.missGroup(entry("taxSummary", i)(), g, lines[invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)])
		for _, e := range greekExemptions {
			if g.ExemptionReason == e.provision {
				g.ExemptionReason = "" // which vatExemptionCategory says
			}
		}
	}
}

// missGroup tells what a tax group says that its lines do not: they are all that is written of it but for its tax.
func (d *Draft) missGroup(group string, g *invoice.TaxSummary, lines []int) {
	net := decimal.New(0, 2)
	for _, i := range lines {
		net = net.Add(d.Invoice.Items[i].NetAmount)
	}
	if !near(net, g.NetAmount) {
		field := group + ".netAmount"
		d.warn(finding.FieldNotWritten, field, "%s is %s, which is not written: its lines come to %s", field, g.NetAmount, net)
	}
	if g.TaxRate.Sign() != 0 {
		leave(d, &g.ExemptionReasonCode, group+".exemptionReasonCode", "what is taxed has no ground of an exemption")
	}
}

// greekCategory gives the category of VAT of a line, and the ground where it has none.
func (d *Draft) greekCategory(told map[string]bool, i int, group *invoice.TaxSummary) {
	it := &d.Invoice.Items[i]
	if it.TaxRate.Sign() != 0 {
		category := ""
		for _, r := range greekRates {
			if it.TaxRate.Cmp(r.rate) == 0 && (category == "" || r.category == it.TaxCategoryName) {
				category = r.category
			}
		}
		if field := fmt.Sprintf("items[%d].taxRate", i); category == "" {
			d.refuse(finding.InvalidValue, field, "%s is %s, a rate that myDATA does not have: 24, 13, 6, 17, 9, 4 and 3 are those of Greece", field, it.TaxRate)
		}
		it.TaxCategoryName = category
		return
	}
	if it.VATExemptionCategory == "" && it.TaxCategoryCode == "O" && (it.TaxCategoryName == outsideVAT || strings.HasPrefix(specificOf(d.Invoice).MyDataInvoiceType, "8.")) {
		it.TaxCategoryName = outsideVAT
		return
	}
	it.TaxCategoryName = exemptFromVAT
	if it.VATExemptionCategory != "" {
		return
	}
	code := ""
	if group != nil {
		code = strings.ToUpper(group.ExemptionReasonCode)
	}
	ground, sure := d.exemptionOf(it, code)
	it.VATExemptionCategory = ground
	if !sure && !told[ground] {
		told[ground] = true
		field := fmt.Sprintf("items[%d].vatExemptionCategory", i)
		d.warn(finding.ValueAssumed, field, "%s is missing: %s is written for the VAT category %s, here and wherever else it is missing; send it where another ground is meant",
			field, ground, cmp.Or(it.TaxCategoryCode, "Z"))
	}
}

// exemptionOf gives the ground of exemption of a line without VAT, and whether its category or code tells it for sure.
func (d *Draft) exemptionOf(it *invoice.Item, vatex string) (ground string, sure bool) {
	inv := d.Invoice
	service := strings.HasPrefix(specificOf(inv).MyDataInvoiceType, "2.")
	switch it.TaxCategoryCode {
	case "AE":
		if region := regionOf(inv.Buyer); region == "GR" || region == retailBuyer {
			return "16", true
		}
		return servicesAbroad, true
	case "O":
		if service {
			return servicesAbroad, false
		}
		return "3", false
	case "E":
		for _, e := range greekExemptions {
			if e.category == "E" && e.vatex != "" && strings.HasPrefix(vatex, e.vatex) {
				return e.code, true
			}
		}
		return "7", false
	}
	if ground = sureExemptions[it.TaxCategoryCode]; ground != "" {
		return ground, true
	}
	return "27", false
}

// shareTax gives lines of one rate their VAT: what they state where that adds up to the group, else that of the rate, of which the cents of
// the sum go to the lines one after the other. They are shared as in takeOff.
func (d *Draft) shareTax(lines []int, group *invoice.TaxSummary) {
	items := d.Invoice.Items
	var stated, plain, net decimal.Decimal
	complete := true
	for _, i := range lines {
		it := &items[i]
		complete = complete && it.TaxAmount.IsSet()
		stated, net = stated.Add(it.TaxAmount), net.Add(it.NetAmount)
		plain = plain.Add(invoice.TaxOf(it.NetAmount, it.TaxRate))
	}
	if group == nil || complete && stated.Cmp(group.TaxAmount) == 0 {
		for _, i := range lines {
			if !items[i].TaxAmount.IsSet() {
				items[i].TaxAmount = invoice.TaxOf(items[i].NetAmount, items[i].TaxRate)
			}
		}
		return
	}
	distributed := invoice.TaxOf(net, items[lines[0]].TaxRate).Cmp(group.TaxAmount) == 0 && plain.Cmp(group.TaxAmount) != 0
	var before, sum decimal.Decimal
	for _, i := range lines {
		it := &items[i]
		given := it.TaxAmount
		it.TaxAmount = invoice.TaxOf(it.NetAmount, it.TaxRate)
		if distributed {
			sum = sum.Add(it.NetAmount)
			upTo := invoice.TaxOf(sum, it.TaxRate)
			it.TaxAmount, before = upTo.Sub(before), upTo
		}
		if field := entry("items", i); given.IsSet() && !near(given, it.TaxAmount) {
			d.warn(finding.FieldNotWritten, field()+".taxAmount", "%s.taxAmount is %s, which is not written: with it the lines do not come to the tax of their group, and the rate gives %s",
				field(), given, it.TaxAmount)
		}
	}
}

// restoreGreekTaxes gives category and rate of the lines, and the groups that they make.
func restoreGreekTaxes(d *Draft) {
	inv := d.Invoice
	var groups []invoice.TaxSummary
	place := map[string]int{}
	for i := range inv.Items {
		it := &inv.Items[i]
		g := restoreGreekTax(inv, it)
		key := g.TaxCategoryCode + " " + g.TaxRate.Trim().String()
		at, known := place[key]
		if !known {
			place[key] = len(groups)
			groups = append(groups, g)
			continue
		}
		o := &groups[at]
		o.NetAmount, o.TaxAmount = o.NetAmount.Add(g.NetAmount), o.TaxAmount.Add(g.TaxAmount)
		if o.ExemptionReason != g.ExemptionReason {
			o.ExemptionReason = joinTexts(o.ExemptionReason, g.ExemptionReason)
		}
	}
	if groups == nil {
		groups = []invoice.TaxSummary{}
	}
	inv.TaxSummary = groups
}

func joinTexts(a, b string) string {
	if a == "" || b == "" || strings.Contains(a, b) {
		return cmp.Or(a, b)
	}
	return a + "; " + b
}

// restoreGreekTax gives category and rate of a line, and the group that it is of.
func restoreGreekTax(inv *invoice.Invoice, it *invoice.Item) invoice.TaxSummary {
	it.TaxRate, it.TaxCategoryCode = decimal.New(0, 0), "E"
	g := invoice.TaxSummary{NetAmount: it.NetAmount, TaxAmount: it.TaxAmount}
	for _, r := range greekRates {
		if r.category == it.TaxCategoryName {
			it.TaxRate, it.TaxCategoryCode = r.rate, "S"
		}
	}
	if it.TaxCategoryName == outsideVAT {
		it.TaxCategoryCode, g.ExemptionReasonCode = "O", "VATEX-EU-O"
	}
	for _, e := range greekExemptions {
		if e.code == it.VATExemptionCategory && it.TaxRate.Sign() == 0 {
			it.TaxCategoryCode, g.ExemptionReasonCode, g.ExemptionReason = e.category, e.vatex, e.provision
		}
	}
	if it.VATExemptionCategory == servicesAbroad && regionOf(inv.Buyer) == "EU" {
		it.TaxCategoryCode, g.ExemptionReasonCode = "AE", "VATEX-EU-AE"
	}
	if it.TaxCategoryCode == "O" {
		it.TaxRate = decimal.Decimal{}
	}
	// Category and rate of EN 16931 do not tell 10 from 6, nor 8 from the exemptions of category O.
	if it.TaxCategoryName != "10" && it.TaxCategoryName != outsideVAT {
		it.TaxCategoryName = ""
	}
	g.TaxCategoryCode, g.TaxRate = it.TaxCategoryCode, it.TaxRate
	return g
}
