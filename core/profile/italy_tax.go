package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// natures are the codes of Natura (specifiche tecniche 1.9) with the VAT category that they are, the exemption code (VATEX) of those that
// have the same meaning, and the provision that they name (RiferimentoNormativo). Documents of up to 2020 have N2, N3 and N6
// without a subdivision.
var natures = []struct{ code, category, vatex, provision string }{
	{"N1", "O", "VATEX-EU-O", "Escluso ex art. 15 D.P.R. 633/72"},
	{"N2.1", "O", "VATEX-EU-O", "Non soggetto ad IVA ex artt. da 7 a 7-septies D.P.R. 633/72"},
	{"N2.2", "O", "VATEX-EU-O", "Non soggetto ad IVA"},
	{"N3.1", "G", "VATEX-EU-G", "Non imponibile ex art. 8 D.P.R. 633/72 - esportazioni"},
	{"N3.2", "K", "VATEX-EU-IC", "Non imponibile ex art. 41 D.L. 331/93 - cessioni intracomunitarie"},
	{"N3.3", "E", "", "Non imponibile ex art. 71 D.P.R. 633/72 - cessioni verso San Marino"},
	{"N3.4", "E", "", "Non imponibile ex art. 8-bis D.P.R. 633/72"},
	{"N3.5", "E", "", "Non imponibile ex art. 8 c. 1 lett. c) D.P.R. 633/72 - dichiarazione d'intento"},
	{"N3.6", "E", "", "Non imponibile"},
	{"N4", "E", "", "Esente ex art. 10 D.P.R. 633/72"},
	{"N5", "E", "", "Regime del margine / IVA non esposta in fattura"},
	{"N6.1", "AE", "VATEX-EU-AE", "Inversione contabile - rottami"},
	{"N6.2", "AE", "VATEX-EU-AE", "Inversione contabile - oro e argento"},
	{"N6.3", "AE", "VATEX-EU-AE", "Inversione contabile - subappalto nel settore edile"},
	{"N6.4", "AE", "VATEX-EU-AE", "Inversione contabile - fabbricati"},
	{"N6.5", "AE", "VATEX-EU-AE", "Inversione contabile - telefoni cellulari"},
	{"N6.6", "AE", "VATEX-EU-AE", "Inversione contabile - prodotti elettronici"},
	{"N6.7", "AE", "VATEX-EU-AE", "Inversione contabile - prestazioni nel comparto edile"},
	{"N6.8", "AE", "VATEX-EU-AE", "Inversione contabile - settore energetico"},
	{"N6.9", "AE", "VATEX-EU-AE", "Inversione contabile"},
	{"N7", "O", "VATEX-EU-O", "IVA assolta in altro stato UE"},
	{"N2", "O", "VATEX-EU-O", "Non soggetto ad IVA"},
	{"N3", "E", "", "Non imponibile"},
	{"N6", "AE", "VATEX-EU-AE", "Inversione contabile"},
}

// natureByCode finds the Natura of exemption codes (VATEX), by what these begin with.
var natureByCode = []struct{ prefix, nature string }{
	{"VATEX-EU-79-C", "N1"}, {"VATEX-EU-132", "N4"}, {"VATEX-EU-148", "N3.4"}, {"VATEX-EU-IC", "N3.2"}, {"VATEX-EU-G", "N3.1"}, {"VATEX-EU-AE", "N6.9"},
	{"VATEX-EU-O", "N2.2"}, {"VATEX-EU-D", "N5"}, {"VATEX-EU-F", "N5"}, {"VATEX-EU-I", "N5"}, {"VATEX-EU-J", "N5"},
}

// natureByCategory is what a VAT category stands for where nothing tells it more exactly.
var natureByCategory = map[string]string{"Z": "N2.2", "E": "N4", "AE": "N6.9", "K": "N3.2", "G": "N3.1", "O": "N2.2", "S": "N2.2"}

// uncertain are the natures that a category or code does not tell for sure, so that assuming them is told.
var uncertain = []string{"N2.2", "N6.9"}

func natureOf(category, vatex string) string {
	for _, row := range natureByCode {
		if strings.HasPrefix(strings.ToUpper(vatex), row.prefix) {
			return row.nature
		}
	}
	return cmp.Or(natureByCategory[category], "N2.2")
}

// italianNatures: what is without tax says why by its Natura. Groups of the VAT breakdown are by rate and Natura; the VAT of categories B
// and S differs in who pays it (EsigibilitaIVA).
var italianNatures = Step{
	Name: "natures",
	Moves: []Move{{"items[].taxCategoryCode", "items[].natureCode"}, {"taxSummary[].exemptionReasonCode", "taxSummary[].natureCode"},
		{"taxSummary[].taxCategoryCode", "taxSummary[].natureCode"}},
	Derive:  deriveNatures,
	Restore: restoreNatures,
}

// deriveNatures gives the lines their natures before the groups, which are taken apart by those of their lines.
func deriveNatures(d *Draft) {
	inv, cs := d.Invoice, italianKeys(d.Invoice)
	d.refuseIslands()
	told := map[string]bool{}
	split := false
	codes := map[invoice.TaxKey]string{}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		split = split || g.TaxCategoryCode == "B"
		codes[invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)] = g.ExemptionReasonCode
	}
	for at, it := range d.Invoice.TopLines() {
		if it.TaxRate.Sign() == 0 && it.NatureCode == "" {
			it.NatureCode = natureOf(it.TaxCategoryCode, codes[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)])
			d.assumeNature(told, it.NatureCode, at.String()+".natureCode", it.TaxCategoryCode)
		}
	}
	inv.TaxSummary = groupNatures(inv)
	for i := range inv.Items {
		zeroRate(&inv.Items[i].TaxRate)
	}
	if cs.VATCollectability == "" {
		cs.VATCollectability = "I"
		if split {
			cs.VATCollectability = splitPayment
		}
	}
}

// refuseIslands refuses the taxes of the Canary Islands, Ceuta and Melilla.
func (d *Draft) refuseIslands() {
	for i, g := range d.Invoice.TaxSummary {
		if g.TaxCategoryCode == "L" || g.TaxCategoryCode == "M" {
			field := fmt.Sprintf("taxSummary[%d].taxCategoryCode", i)
			d.refuse(finding.InvalidValue, field, "%s is %s, a tax of Spain that FatturaPA does not have", field, g.TaxCategoryCode)
		}
	}
}

// assumeNature tells of a Natura that was assumed, once for each.
func (d *Draft) assumeNature(told map[string]bool, nature, field, category string) {
	if told[nature] || !slices.Contains(uncertain, nature) {
		return
	}
	told[nature] = true
	d.warn(finding.ValueAssumed, field, "%s is missing: %s is written for the VAT category %s, here and wherever else it is missing; send natureCode where another one is meant",
		field, nature, cmp.Or(category, "Z"))
}

func zeroRate(rate *decimal.Decimal) {
	if !rate.IsSet() {
		*rate = decimal.New(0, 0)
	}
}

// groupNatures gives the groups by rate and Natura: one of the invoice whose lines are of several natures is taken apart, and those of one
// are one.
func groupNatures(inv *invoice.Invoice) []invoice.TaxSummary {
	var groups []invoice.TaxSummary
	lines := untaxedLines(inv)
	place := map[string]int{} // in groups, by Natura
	for _, g := range inv.TaxSummary {
		if g.TaxRate.Sign() != 0 {
			groups = append(groups, g)
			continue
		}
		for _, part := range lines[g.TaxCategoryCode].parts(g) {
			at, known := place[part.NatureCode]
			if !known {
				place[part.NatureCode] = len(groups)
				groups = append(groups, part)
				continue
			}
			o := &groups[at]
			o.NetAmount, o.TaxAmount = o.NetAmount.Add(part.NetAmount), o.TaxAmount.Add(part.TaxAmount)
		}
	}
	return groups
}

// natureSums are the lines without tax of one VAT category: their natures in order, and the net amount of each.
type natureSums struct {
	order []string
	sums  map[string]decimal.Decimal
}

// untaxedLines gives the lines without tax whose Natura is known, by VAT category.
func untaxedLines(inv *invoice.Invoice) map[string]*natureSums {
	all := map[string]*natureSums{}
	for i := range inv.Items {
		it := &inv.Items[i]
		if it.TaxRate.Sign() != 0 || it.NatureCode == "" {
			continue
		}
		of := all[it.TaxCategoryCode]
		if of == nil {
			of = &natureSums{sums: map[string]decimal.Decimal{}}
			all[it.TaxCategoryCode] = of
		}
		if _, known := of.sums[it.NatureCode]; !known {
			of.order = append(of.order, it.NatureCode)
		}
		of.sums[it.NatureCode] = of.sums[it.NatureCode].Add(it.NetAmount)
	}
	return all
}

// parts takes a group without tax apart by the natures of its lines; nil has none.
func (u *natureSums) parts(g invoice.TaxSummary) []invoice.TaxSummary {
	var order []string
	if u != nil {
		order = u.order
	}
	zeroRate(&g.TaxRate)
	if len(order) == 1 && g.NatureCode == "" {
		g.NatureCode = order[0]
	}
	if len(order) < 2 || g.NatureCode != "" {
		g.NatureCode = cmp.Or(g.NatureCode, natureOf(g.TaxCategoryCode, g.ExemptionReasonCode))
		return []invoice.TaxSummary{withProvision(g)}
	}
	if isProvision(g.ExemptionReason) {
		g.ExemptionReason = "" // each nature has its own
	}
	var parts []invoice.TaxSummary
	for _, nature := range order {
		part := g
		part.NatureCode, part.NetAmount = nature, u.sums[nature]
		parts = append(parts, withProvision(part))
	}
	return parts
}

// isProvision tells whether a text is the provision of some nature.
func isProvision(text string) bool {
	for _, n := range natures {
		if n.provision == text {
			return true
		}
	}
	return false
}

// joinNatures makes one group of those that differ in their Natura alone, which their lines tell: EN 16931 has one group for each category and
// rate.
func joinNatures(inv *invoice.Invoice) {
	var joined []invoice.TaxSummary
	place := map[invoice.TaxKey]int{}
	for _, g := range inv.TaxSummary {
		key := invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)
		at, known := place[key]
		if !known {
			place[key] = len(joined)
			joined = append(joined, g)
			continue
		}
		if o := &joined[at]; g.TaxRate.Sign() != 0 || !told(inv, g) || o.NatureCode != "" && !told(inv, *o) {
			return
		} else {
			o.NetAmount, o.TaxAmount, o.NatureCode = o.NetAmount.Add(g.NetAmount), o.TaxAmount.Add(g.TaxAmount), ""
		}
	}
	inv.TaxSummary = joined
}

// told tells whether the lines say what a group without tax says.
func told(inv *invoice.Invoice, g invoice.TaxSummary) bool {
	nature := cmp.Or(g.NatureCode, natureOf(g.TaxCategoryCode, ""))
	var sum decimal.Decimal
	for i := range inv.Items {
		it := &inv.Items[i]
		if it.TaxCategoryCode == g.TaxCategoryCode && it.TaxRate.Sign() == 0 && cmp.Or(it.NatureCode, natureOf(it.TaxCategoryCode, "")) == nature {
			sum = sum.Add(it.NetAmount)
		}
	}
	provided := slices.ContainsFunc(natures, func(n struct{ code, category, vatex, provision string }) bool {
		return n.code == nature && n.provision == g.ExemptionReason
	})
	return provided && sum.Cmp(g.NetAmount) == 0
}

// withProvision says why there is no tax, and lets go the code that says the same.
func withProvision(g invoice.TaxSummary) invoice.TaxSummary {
	for _, n := range natures {
		if n.code == g.NatureCode {
			g.ExemptionReason = cmp.Or(g.ExemptionReason, n.provision)
		}
	}
	for _, row := range natureByCode {
		if strings.HasPrefix(strings.ToUpper(g.ExemptionReasonCode), row.prefix) {
			g.ExemptionReasonCode = ""
		}
	}
	return g
}

// sureNatures are those that their category stands for.
var sureNatures = []string{"N4", "N3.1", "N3.2"}

func restoreNatures(d *Draft) {
	inv, cs := d.Invoice, italianKeys(d.Invoice)
	taxed := "S"
	switch cs.VATCollectability {
	case splitPayment:
		taxed, cs.VATCollectability = "B", ""
	case "I":
		cs.VATCollectability = ""
	}
	for i := range inv.Items {
		it := &inv.Items[i]
		it.TaxCategoryCode = restoreNature(&it.NatureCode, &it.TaxRate, taxed)
	}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		for _, n := range natures {
			if n.code == g.NatureCode {
				g.ExemptionReasonCode = n.vatex
				g.ExemptionReason = cmp.Or(g.ExemptionReason, n.provision)
			}
		}
		g.TaxCategoryCode = restoreNature(&g.NatureCode, &g.TaxRate, taxed)
	}
	joinNatures(inv)
}

// restoreNature gives the VAT category, and lets go a Natura that this stands for.
func restoreNature(nature *string, rate *decimal.Decimal, taxed string) string {
	category := taxed
	if rate.Sign() == 0 {
		category = "Z"
	}
	for _, n := range natures {
		if n.code == *nature {
			category = n.category
		}
	}
	if category == "O" && rate.Sign() == 0 {
		*rate = decimal.Decimal{}
	}
	if slices.Contains(sureNatures, *nature) && natureByCategory[category] == *nature {
		*nature = ""
	}
	return category
}
