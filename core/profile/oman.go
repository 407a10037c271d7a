package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Oman is PINT OM 1.0.1.
func Oman() *Profile { return New(oman()) }

func oman() Profile {
	return Profile{
		Token: "ubl", Country: "OM", Specification: PintOM, BusinessProcess: pintBilling, TypeCodes: pintBilled, TypeRule: "ibr-cl-01", Refused: pintRefused,
		Steps: replaced(pintSteps(accountedIn("OMR", true, true), accountedBreakdown("S"), omanLines, omanItems, withoutRate("E", "O"), omanTransaction, issueTime, documentUUID),
			map[string][]Step{lineAmounts.Name: {statedAmounts}, amountsPaid.Name: {documentedPrepayments}}), // PINT OM has the documents of prepayments, and not the amounts
	}
}

// OmanSelfBilled is the specification of PINT OM for self-billing.
func OmanSelfBilled() *Profile {
	p := oman()
	p.Specification, p.BusinessProcess, p.TypeCodes = PintOMSelfBilling, pintSelfBilling, pintSelfBilled
	return New(p)
}

// documentedPrepayments: PINT OM has the documents of prepayments (BTOM-027, BTOM-014), and of their amounts the sum (IBT-113). What is read
// has the sum in the first one.
var documentedPrepayments = Step{
	Name:   "documents of prepayments",
	Moves:  prepayments.Moves,
	Derive: prepayments.Derive,
	Restore: func(d *Draft) {
		for i := range d.Invoice.Prepayments {
			p := &d.Invoice.Prepayments[i]
			if p.Amount = decimal.New(0, 2); i == 0 && d.Invoice.PrepaidAmount.IsSet() {
				p.Amount = d.Invoice.PrepaidAmount
			}
		}
	},
}

// pintBilled are the codes of a seller's documents (IBT-3) that PINT has where a country does not limit them further.
var pintBilled = []string{"71", "80", "82", "84", "102", "218", "219", "331", "380", "382", "383", "386", "388", "393", "395", "480", "553", "575", "623",
	"780", "817", "870", "875", "876", "877", "81", "83", "381", "396", "532"}

// omanTransaction: a document is a full tax invoice unless the caller says more (BTOM-001; contract, transactionType); the third mark is
// for self-billing.
var omanTransaction = Step{
	Name:   "transaction type",
	Copies: []Move{{"type", "countrySpecific.transactionType"}},
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		switch {
		case cs.TransactionType != "":
		case d.Profile.Specification == PintOMSelfBilling:
			cs.TransactionType = "10100000000000000000"
		default:
			cs.TransactionType = "10000000000000000000"
		}
	},
}

// issueTime: Oman wants the time of issue (IBT-168). A day alone is its beginning; the clock has no say.
var issueTime = Step{
	Name:   "time of issue",
	Copies: []Move{{"issueDate", "countrySpecific.issueTime"}},
	Derive: func(d *Draft) {
		if cs := specificOf(d.Invoice); cs.IssueTime == "" {
			const field = "countrySpecific.issueTime"
			cs.IssueTime = "00:00:00"
			d.warn(finding.IssueTimeAssumed, field, "%s is missing: 00:00:00, the beginning of issueDate, is written as the time of issue (IBT-168)", field)
		}
	},
}

// omanLines: each line states its VAT to the baisa (BTOM-016) and its amount with VAT (BTOM-017).
var omanLines = Step{
	Name:   "line amounts with VAT",
	Copies: []Move{{"items[].netAmount", "items[].grossAmount"}, {"items[].netAmount", "items[].taxAmount"}},
	Derive: func(d *Draft) {
		for at, it := range d.lines() {
			if !it.NetAmount.IsSet() {
				continue
			}
			tax := it.NetAmount.Mul(it.TaxRate).Mul(decimal.New(1, 2)).Round(3, decimal.HalfUp).Trim().WithMinScale(2)
			d.computed(at, "taxAmount", &it.TaxAmount, tax, baisa)
			d.computed(at, "grossAmount", &it.GrossAmount, it.NetAmount.Add(it.TaxAmount), baisa)
		}
	},
}

var baisa = decimal.New(1, 3)

// omanItems: an item is goods, with a code of the Harmonized System, or a service, with one of the kinds that Oman lists (MP); it has an
// activity, too (CC). Codes of zeros stand for what is none of the list (PINT OM 1.0.1, code lists).
var omanItems = Step{
	Name:   "classification of items",
	Copies: []Move{{"items[].classification", "items[].classification"}},
	Derive: func(d *Draft) {
		for _, it := range d.lines() {
			has := func(scheme string) bool {
				return slices.ContainsFunc(it.Classification, func(c invoice.Classification) bool { return c.SchemeID == scheme })
			}
			goods, service := has("HS"), has("MP")
			if goods || service {
				it.Classification = slices.Grow(it.Classification, 2)
			}
			if goods && !service {
				it.Classification = append(it.Classification, invoice.Classification{ID: "00000000", SchemeID: "MP"})
			}
			if (goods || service) && !has("CC") {
				it.Classification = append(it.Classification, invoice.Classification{ID: "000000", SchemeID: "CC"})
			}
			for i := range it.Classification {
				if c := &it.Classification[i]; c.SchemeID == "MP" && c.NatureCode == "" {
					c.NatureCode = kindOfItem(goods)
				}
			}
		}
	},
}

// kindOfItem is BTOM-019.
func kindOfItem(goods bool) string {
	if goods {
		return "G"
	}
	return "S"
}
