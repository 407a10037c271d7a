package profile

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// CroatianCIUS is the specification identifier (BT-24) of HR CIUS with its extension (Ministarstvo financija).
const CroatianCIUS = "urn:cen.eu:en16931:2017#compliant#urn:mfin.gov.hr:cius-2025:1.0#conformant#urn:mfin.gov.hr:ext-2025:1.0"

// Fiskalizacija is HR CIUS with its extension, rules 1.0.3. Its documents are judged and not given out.
func Fiskalizacija() *Profile {
	steps := replaced(CommonSteps(), map[string][]Step{exemptionReasons.Name: {repeatedReasons}})
	return New(Profile{
		Token: "hr-fisk", Country: "HR", Specification: CroatianCIUS,
		Refused: map[invoice.Type]string{invoice.TypeProforma: "HR-FISK has no pro forma invoice; send it as pdf"},
		Steps:   slices.Concat([]Step{croatianMembers}, steps, []Step{vatAddresses, termsSentence, retention, discountSentence, croatianCategories, croatianBreakdown}),
	})
}

// croatianMembers: the OIB of the seller is the VAT identifier (BT-31) without its prefix, the operator is known by a mark (HR-BT-4), and
// the process is BT-23. The time of issue and the OIB of the operator have elements of their own; what is left out stays out, and its
// rule fires.
var croatianMembers = Step{
	Name: "Croatian members",
	Moves: []Move{
		{"countrySpecific.oib", "seller.vatId"}, {"countrySpecific.operatorName", "countrySpecific.operatorCode"}, {"countrySpecific.businessProcess", "businessProcess"},
	},
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		takeNumber(d, "HR", &cs.OIB)
		moveInto(&cs.OperatorCode, &cs.OperatorName)
		moveInto(&d.Invoice.BusinessProcess, &cs.BusinessProcess)
	},
}

// croatianNames are the names of the VAT categories (HR-BR-CL-1) that a category has by itself; S has one for each rate.
var croatianNames = map[string]string{
	"S 25": "HR:PDV25", "S 13": "HR:PDV13", "S 5": "HR:PDV5", "Z": "HR:Z", "K": "HR:K", "G": "HR:G", "AE": "HR:AE", "E": "HR:E", "O": "HR:O",
}

func croatianName(category string, rate decimal.Decimal) string {
	if category == "S" {
		category += " " + rate.Trim().String()
	}
	return croatianNames[category]
}

// croatianCategories: lines and charges that are exempt or out of scope name their category (HR-BT-6, HR-BT-12; HR-BR-11, HR-BR-16), unless
// the caller has done so.
var croatianCategories = Step{
	Name:   "names of categories",
	Copies: []Move{{"items[].taxCategoryCode", "items[].taxCategoryName"}, {"allowancesCharges[].taxCategoryCode", "allowancesCharges[].taxCategoryName"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			if it.TaxCategoryName == "" && untaxed(it.TaxCategoryCode) {
				it.TaxCategoryName = croatianName(it.TaxCategoryCode, it.TaxRate)
			}
		}
		for i := range d.Invoice.AllowancesCharges {
			if c := &d.Invoice.AllowancesCharges[i]; c.TaxCategoryName == "" && untaxed(c.TaxCategoryCode) {
				c.TaxCategoryName = croatianName(c.TaxCategoryCode, c.TaxRate)
			}
		}
	},
}

func untaxed(category string) bool { return category == "E" || category == "O" }

// croatianBreakdown: where something is exempt or out of scope the extension has the VAT breakdown again (HR-BG-2, HR-BG-3; HR-BR-26,
// HR-BR-30), unless the caller gives it.
var croatianBreakdown = Step{
	Name:   "breakdown of the extension",
	Copies: []Move{{"taxSummary[].netAmount", "countrySpecific.taxBreakdown[].netAmount"}, {"taxSummary[].taxAmount", "countrySpecific.taxBreakdown[].taxAmount"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		named := func(it invoice.Item) bool {
			return strings.HasPrefix(it.TaxCategoryName, "HR:") || untaxed(it.TaxCategoryCode)
		}
		if len(cs.TaxBreakdown) > 0 || !slices.ContainsFunc(inv.Items, named) && !slices.ContainsFunc(inv.TaxSummary, func(g invoice.TaxSummary) bool { return untaxed(g.TaxCategoryCode) }) {
			return
		}
		for _, g := range inv.TaxSummary {
			cs.TaxBreakdown = append(cs.TaxBreakdown, invoice.TaxBreakdown{NetAmount: g.NetAmount, TaxAmount: g.TaxAmount, TaxCategoryCode: g.TaxCategoryCode,
				TaxCategoryName: croatianName(g.TaxCategoryCode, g.TaxRate), TaxRate: g.TaxRate, ExemptionReason: g.ExemptionReason})
		}
	},
	Restore: func(d *Draft) {
		cs := d.Invoice.CountrySpecific
		if cs == nil || len(cs.TaxBreakdown) != len(d.Invoice.TaxSummary) {
			return
		}
		for i, g := range d.Invoice.TaxSummary {
			if b := cs.TaxBreakdown[i]; b.TaxCategoryCode != g.TaxCategoryCode || b.NetAmount.Cmp(g.NetAmount) != 0 || b.TaxAmount.Cmp(g.TaxAmount) != 0 ||
				b.TaxRate.Cmp(g.TaxRate) != 0 || b.TaxCategoryName != croatianName(g.TaxCategoryCode, g.TaxRate) || b.ExemptionReason != g.ExemptionReason {
				return
			}
		}
		cs.TaxBreakdown = nil
	},
}
