package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// NAVKind is a kind of VAT rate beside a percentage (VatRateType), by its element.
type NAVKind string

// The kinds of VAT rate.
const (
	NAVExemption     NAVKind = "vatExemption"
	NAVOutOfScope    NAVKind = "vatOutOfScope"
	NAVReverseCharge NAVKind = "vatDomesticReverseCharge"
	NAVMargin        NAVKind = "marginSchemeIndicator"
	NAVMismatch      NAVKind = "vatAmountMismatch"
	NAVNoCharge      NAVKind = "noVatCharge"
)

// Prefix is what stands before a case in natureCode that the authority does not have, or has in several kinds.
func (k NAVKind) Prefix() string { return string(k) + ":" }

// The natures of kinds without cases.
const (
	navReversed = "DOMESTIC_REVERSE_CHARGE"
	navFree     = "NO_VAT_CHARGE"
)

// navNature is a case of a kind of VAT rate: what it is in EN 16931, the code of VATEX that names it, and the reason that is written where
// none is given.
type navNature struct {
	code, category, vatex string
	kind                  NAVKind
	reason                string
}

// navNatures are all cases; of a category the first is the usual one.
var navNatures = []navNature{
	{"TAM", "E", "VATEX-EU-132", NAVExemption, "Tevékenység közérdekű vagy egyéb sajátos jellege miatt adómentes"},
	{"AAM", "E", "", NAVExemption, "Alanyi adómentes"},
	{"KBAET", "K", "VATEX-EU-IC", NAVExemption, "Közösségen belüli adómentes termékértékesítés"},
	{"KBAUK", "K", "", NAVExemption, "Közösségen belüli adómentes értékesítés: új közlekedési eszköz"},
	{"EAM", "G", "VATEX-EU-G", NAVExemption, "Adómentes termékértékesítés a Közösség területén kívülre"},
	{"NAM", "Z", "", NAVExemption, "Egyéb nemzetközi ügylet miatt adómentes"},
	{"ATK", "O", "VATEX-EU-O", NAVOutOfScope, "Az áfa tárgyi hatályán kívül"},
	{"HO", "O", "", NAVOutOfScope, "Harmadik országban teljesített ügylet"},
	{"EUE", "O", "", NAVOutOfScope, "Másik tagállamban teljesített, nem fordítottan adózó ügylet"},
	{"EUFAD37", "AE", "", NAVOutOfScope, "Másik tagállamban teljesített, fordítottan adózó ügylet (Áfa tv. 37. §)"},
	{"EUFADE", "AE", "", NAVOutOfScope, "Másik tagállamban teljesített, fordítottan adózó egyéb ügylet"},
	{navReversed, "AE", "VATEX-EU-AE", NAVReverseCharge, ""},
	{"TRAVEL_AGENCY", "E", "VATEX-EU-D", NAVMargin, ""},
	{"SECOND_HAND", "E", "VATEX-EU-F", NAVMargin, ""},
	{"ARTWORK", "E", "VATEX-EU-I", NAVMargin, ""},
	{"ANTIQUES", "E", "VATEX-EU-J", NAVMargin, ""},
	{"REFUNDABLE_VAT", "S", "", NAVMismatch, ""},
	{"NONREFUNDABLE_VAT", "S", "", NAVMismatch, ""},
	{navFree, "O", "", NAVNoCharge, ""},
}

func navNatureNamed(code string) (navNature, bool) {
	i := slices.IndexFunc(navNatures, func(n navNature) bool { return n.code == code })
	if i < 0 {
		return navNature{}, false
	}
	return navNatures[i], true
}

// NAVKindOf gives the kind of VAT rate of a natureCode; empty for a percentage.
func NAVKindOf(nature string) NAVKind {
	if nature == "" {
		return ""
	}
	if n, known := navNatureNamed(nature); known {
		return n.kind
	}
	kind, _, _ := strings.Cut(nature, ":")
	return NAVKind(kind)
}

// NAVNature gives the natureCode of a case in a kind of VAT rate; kinds without cases have the empty one.
func NAVNature(kind NAVKind, code string) string {
	switch kind {
	case NAVReverseCharge:
		return navReversed
	case NAVNoCharge:
		return navFree
	}
	if n, known := navNatureNamed(code); known && n.kind == kind {
		return code
	}
	return kind.Prefix() + code
}

// NAVCategory gives the category of UNTDID 5305 that a natureCode is of; empty where it does not tell.
func NAVCategory(nature string) string {
	if n, known := navNatureNamed(nature); known {
		return n.category
	}
	switch NAVKindOf(nature) {
	case NAVExemption:
		return "E"
	case NAVOutOfScope:
		return "O"
	}
	return ""
}

// NAVContent is the share of the tax in a gross amount, for a rate in percent. That of 27 % is 0.2126.
func NAVContent(rate decimal.Decimal) string {
	share, ok := rate.Quo(hundred.Add(rate), 4, decimal.HalfUp)
	if !ok {
		return ""
	}
	return share.Trim().WithMinScale(2).String()
}

// NAVRateOfContent is the rate in percent of a share of the tax in a gross amount: a whole number. The four decimals of a
// share do not tell more.
func NAVRateOfContent(share decimal.Decimal) decimal.Decimal {
	rate, ok := share.Mul(hundred).Quo(decimal.New(1, 0).Sub(share), 0, decimal.HalfUp)
	if !ok {
		return decimal.New(0, 0)
	}
	return rate
}

// NAVGross is the amount of a line with its tax.
func NAVGross(it *invoice.Item) decimal.Decimal {
	if !it.NetAmount.IsSet() || !it.TaxAmount.IsSet() {
		return it.NetAmount
	}
	return it.NetAmount.Add(it.TaxAmount)
}

// NAVGroupNet is the net amount of a group in HUF.
func NAVGroupNet(inv *invoice.Invoice, g *invoice.TaxSummary) decimal.Decimal {
	return g.NetAmount.Mul(countryOf(inv).ExchangeRate).Round(2, decimal.HalfUp)
}

// navRates: each line and group without a percentage has the case that it is, and the reason of it.
var navRates = Step{
	Name: "kinds of VAT rate",
	Moves: []Move{{"items[].taxCategoryCode", "items[].natureCode"}, {"taxSummary[].exemptionReasonCode", "taxSummary[].natureCode"},
		{"taxSummary[].taxCategoryCode", "taxSummary[].natureCode"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		codes := map[invoice.TaxKey]string{}
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			codes[invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)] = g.ExemptionReasonCode
		}
		told := map[string]bool{}
		for i := range inv.Items {
			it := &inv.Items[i]
			d.navNature(told, entry("items", i), &it.NatureCode, it.TaxCategoryCode, codes[invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)])
		}
		inv.TaxSummary = navGroups(inv)
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			d.navNature(told, entry("taxSummary", i), &g.NatureCode, g.TaxCategoryCode, g.ExemptionReasonCode)
			if n, known := navNatureNamed(g.NatureCode); known && n.vatex != "" && strings.HasPrefix(g.ExemptionReasonCode, n.vatex) {
				g.ExemptionReasonCode = ""
			}
		}
		navReasons(d)
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		navLendNatures(inv)
		for i := range inv.Items {
			it := &inv.Items[i]
			if it.TaxCategoryCode == "" && it.NatureCode == "" && len(inv.TaxSummary) > 0 { // a line without amounts is of the first group
				it.TaxCategoryCode, it.TaxRate = inv.TaxSummary[0].TaxCategoryCode, inv.TaxSummary[0].TaxRate
				it.NatureCode = inv.TaxSummary[0].NatureCode
			}
			if navKnown(inv, it.TaxCategoryCode) == it.NatureCode {
				it.NatureCode = ""
			}
		}
		for i := range inv.TaxSummary {
			g := &inv.TaxSummary[i]
			if n, known := navNatureNamed(g.NatureCode); known && n.kind == NAVMargin {
				g.ExemptionReasonCode = n.vatex
			}
			if navKnown(inv, g.TaxCategoryCode) == g.NatureCode {
				g.NatureCode = ""
			}
		}
		navUnlikeReasons(inv)
	},
}

// navLendNatures gives the groups of 2.0, whose margin schemes stand on the lines, the case of their first line.
func navLendNatures(inv *invoice.Invoice) {
	natures := map[string]string{}
	for i := range inv.Items {
		it := &inv.Items[i]
		if natures[it.TaxCategoryCode] == "" && it.TaxCategoryCode != "S" {
			natures[it.TaxCategoryCode] = it.NatureCode
		}
	}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		g.NatureCode = cmp.Or(g.NatureCode, natures[g.TaxCategoryCode])
	}
}

// navKnown is the natureCode that follows from a category and the buyer without an assumption.
func navKnown(inv *invoice.Invoice, category string) string {
	switch {
	case category == "K":
		return "KBAET"
	case category == "G":
		return "EAM"
	case category == "AE" && specificOf(inv).CustomerVATStatus == NAVDomestic:
		return navReversed
	}
	return ""
}

// foreignCategories are taxes of Italy and Spain: split payment, and those of the Canary Islands, Ceuta and Melilla.
var foreignCategories = []string{"B", "L", "M"}

// navNature fills in the case of a category, and tells once of each that is assumed.
func (d *Draft) navNature(told map[string]bool, at func() string, nature *string, category, vatex string) {
	field := func() string { return at() + ".natureCode" }
	if *nature != "" {
		if _, known := navNatureNamed(*nature); known || strings.Contains(*nature, ":") {
			return
		}
		d.warn(finding.FieldNotWritten, field(), "%s is not written: %q is no case of NAV: AAM, TAM, KBAET, KBAUK, EAM, NAM, ATK, EUFAD37, EUFADE, EUE, HO and others", field(), *nature)
		*nature = ""
	}
	for _, n := range navNatures {
		if n.vatex != "" && n.category == category && strings.HasPrefix(strings.ToUpper(vatex), n.vatex) && (category != "AE" || navKnown(d.Invoice, category) != "") {
			*nature = n.code
			return
		}
	}
	switch {
	case category == "S" || category == "":
		return
	case navKnown(d.Invoice, category) != "":
		*nature = navKnown(d.Invoice, category)
		return
	case category == "E" && isTrue(specificOf(d.Invoice).SmallBusiness):
		*nature = "AAM"
		return
	case category == "AE":
		*nature = "EUFAD37"
	default:
		i := slices.IndexFunc(navNatures, func(n navNature) bool { return n.category == category })
		if i < 0 {
			if slices.Contains(foreignCategories, category) {
				d.refuse(finding.InvalidValue, at()+".taxCategoryCode", "%s.taxCategoryCode is %s, a tax of another country that NAV does not have", at(), category)
			}
			return // a percentage
		}
		*nature = navNatures[i].code
	}
	if !told[*nature] {
		told[*nature] = true
		d.warn(finding.ValueAssumed, field(), "%s is missing: %s is written for the VAT category %s, here and wherever else it is missing; send natureCode where another case is meant",
			field(), *nature, category)
	}
}

// navGroups gives the groups by rate and case: one whose lines are of several is taken apart. The last part has what the
// others leave, so that the sums stay what they are.
func navGroups(inv *invoice.Invoice) []invoice.TaxSummary {
	type parts struct {
		order []string
		nets  map[string]decimal.Decimal
	}
	lines := map[invoice.TaxKey]*parts{}
	for i := range inv.Items {
		it := &inv.Items[i]
		key := invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)
		of := lines[key]
		if of == nil {
			of = &parts{nets: map[string]decimal.Decimal{}}
			lines[key] = of
		}
		if _, known := of.nets[it.NatureCode]; !known {
			of.order = append(of.order, it.NatureCode)
		}
		of.nets[it.NatureCode] = of.nets[it.NatureCode].Add(it.NetAmount)
	}
	var groups []invoice.TaxSummary
	for _, g := range inv.TaxSummary {
		of := lines[invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)]
		if of == nil || g.NatureCode != "" {
			groups = append(groups, g)
			continue
		}
		rest := g
		for i, nature := range of.order {
			part := g
			part.NatureCode = nature
			if i == len(of.order)-1 {
				part.NetAmount, part.TaxAmount = rest.NetAmount, rest.TaxAmount
			} else {
				part.NetAmount, part.TaxAmount = of.nets[nature], invoice.TaxOf(of.nets[nature], g.TaxRate)
				rest.NetAmount, rest.TaxAmount = rest.NetAmount.Sub(part.NetAmount), rest.TaxAmount.Sub(part.TaxAmount)
				part.TaxCurrencyTaxAmount, rest.TaxCurrencyTaxAmount = decimal.Decimal{}, decimal.Decimal{}
			}
			groups = append(groups, part)
		}
	}
	return groups
}

// navReasons gives each exemption a reason, which is mandatory and stands on the lines as well, and leaves it out of others.
func navReasons(d *Draft) {
	inv := d.Invoice
	reasons := map[string]string{}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if kind := NAVKindOf(g.NatureCode); kind != NAVExemption && kind != NAVOutOfScope {
			if kind == "" || kind == NAVReverseCharge {
				leave(d, &g.ExemptionReason, entry("taxSummary", i)()+".exemptionReason", "NAV has a reason for what is exempt or out of scope only; the kind of VAT rate says the rest")
			}
			continue
		}
		n, _ := navNatureNamed(g.NatureCode)
		g.ExemptionReason = cmp.Or(g.ExemptionReason, n.reason, g.NatureCode)
		oneLine(&g.ExemptionReason)
		field := entry("taxSummary", i)() + ".exemptionReason"
		d.shorten(&g.ExemptionReason, navReasonLimit, field, "reason")
		reasons[g.NatureCode] = cmp.Or(reasons[g.NatureCode], g.ExemptionReason)
	}
	for i := range inv.Items {
		it := &inv.Items[i]
		it.TaxExemptionReason, it.TaxExemptionReasonCode = cmp.Or(it.TaxExemptionReason, reasons[it.NatureCode]), ""
		if kind := NAVKindOf(it.NatureCode); kind != NAVExemption && kind != NAVOutOfScope {
			it.TaxExemptionReason = ""
		} else if it.TaxExemptionReason == "" {
			n, _ := navNatureNamed(it.NatureCode)
			it.TaxExemptionReason = cmp.Or(n.reason, it.NatureCode)
		}
	}
}

// navUnlikeReasons leaves the reasons of lines that are others than those of their groups.
func navUnlikeReasons(inv *invoice.Invoice) {
	reasons := map[string]string{}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		key := g.TaxCategoryCode + " " + g.NatureCode
		reasons[key] = cmp.Or(reasons[key], g.ExemptionReason)
	}
	for i := range inv.Items {
		it := &inv.Items[i]
		if it.TaxExemptionReason == reasons[it.TaxCategoryCode+" "+it.NatureCode] {
			it.TaxExemptionReason = ""
		}
	}
}
