package invoice

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Categories gives the VAT categories (UNTDID 5305) that an invoice leaves out (supplement §1, rule 12).
type Categories struct {
	zero string // at a rate of zero; empty where the invoice does not tell it
}

// CategoriesOf looks through an invoice for what tells the category of a rate of zero: the one category that is given at such a rate, a
// small business, the code or text of an exemption, a note on reverse charge.
func CategoriesOf(inv *Invoice) Categories {
	t := &toldCategory{}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		t.look(g.TaxCategoryCode, g.TaxRate, g.ExemptionReasonCode, g.ExemptionReason)
	}
	for _, it := range inv.Lines() {
		category := it.TaxCategoryCode
		if len(inv.TaxSummary) == 0 {
			category = "" // it makes a group of its own
		}
		t.look(category, it.TaxRate, it.TaxExemptionReasonCode, it.TaxExemptionReason)
	}
	if t.mixed {
		t.given = ""
	}
	return Categories{zero: cmp.Or(t.given, smallBusiness(inv), t.reason, noted(inv))}
}

// toldCategory is what groups and lines tell of a rate of zero.
type toldCategory struct {
	given  string // the first category
	mixed  bool   // there is another one
	reason string // the category of the first exemption
}

func (t *toldCategory) look(category string, rate decimal.Decimal, code, text string) {
	if !rate.IsSet() || rate.Sign() != 0 {
		return
	}
	t.mixed = t.mixed || category != "" && t.given != "" && category != t.given
	if t.given = cmp.Or(t.given, category); t.reason == "" {
		t.reason = exempted(code, text)
	}
}

// Of is the category that is meant: the one that is given, S at a rate above zero, and at zero what the exemption of the entry or the
// rest of the invoice tells, else Z, which is assumed.
func (c Categories) Of(category string, rate decimal.Decimal, code, text string) (meant string, assumed bool) {
	switch {
	case category != "" || !rate.IsSet():
		return category, false
	case rate.Sign() > 0:
		return "S", false
	}
	told := cmp.Or(exempted(code, text), c.zero)
	return cmp.Or(told, "Z"), told == ""
}

func smallBusiness(inv *Invoice) string {
	if cs := inv.CountrySpecific; cs != nil && cs.IsKleinunternehmer != nil && *cs.IsKleinunternehmer {
		return "E"
	}
	return ""
}

// exemptionCodes are the codes of the VATEX list that mean another category than E (exempt).
var exemptionCodes = map[string]string{"VATEX-EU-AE": "AE", "VATEX-EU-IC": "K", "VATEX-EU-G": "G", "VATEX-EU-O": "O"}

// exemptionWords are words of the texts that the directive 2006/112/EC and national laws ask for, with their categories.
var exemptionWords = []struct {
	words    *regexp.Regexp
	category string
}{
	{reverseCharge, "AE"},
	{regexp.MustCompile(`(?i)intra-?\s?community|innergemeinschaftliche|intracommunautaire|intracomunitari`), "K"},
	{regexp.MustCompile(`(?i)\bexport|ausfuhr`), "G"},
	{regexp.MustCompile(`(?i)not subject to vat|outside the scope|nicht steuerbar`), "O"},
}

var reverseCharge = regexp.MustCompile(`(?i)reverse.charge|steuerschuldnerschaft des leistungsempfängers|§ ?13b|autoliquidation|` +
	`inversi[oó]n del sujeto pasivo|inversione contabile|btw verlegd`)

// ExemptionCategory is the category of VAT (BT-118, UNTDID 5305) that a code of the VATEX list (BT-121) belongs to: E but for those that
// stand for a whole category.
func ExemptionCategory(code string) string {
	return cmp.Or(exemptionCodes[strings.ToUpper(code)], "E")
}

// exempted is the category that the code or the text of an exemption means; empty where there is neither.
func exempted(code, text string) string {
	if code != "" {
		return ExemptionCategory(code)
	}
	if text == "" {
		return ""
	}
	for _, row := range exemptionWords {
		if row.words.MatchString(text) {
			return row.category
		}
	}
	return "E"
}

// noted is AE where a note says that the buyer owes the tax.
func noted(inv *Invoice) string {
	if reverseCharge.MatchString(inv.Notes) {
		return "AE"
	}
	for i := range inv.NoteEntries {
		if reverseCharge.MatchString(inv.NoteEntries[i].Text) {
			return "AE"
		}
	}
	return ""
}
