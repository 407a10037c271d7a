package isdoc

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

var totals = []row{
	{Path: "TaxTotal", Required: true, Rows: append([]row{
		{Term: "BG-23", Card: m.OneOrMore, Field: "taxSummary[]", Path: "TaxSubTotal", Rows: subtotal()},
	}, sums("BT-110", "TaxAmount", "taxSummary[].taxAmount", func(inv *invoice.Invoice, local bool) decimal.Decimal { return sumOf(inv, local, taxOf) })...)},
	{Path: "LegalMonetaryTotal", Required: true, Rows: monetary()},
}

// total is an amount of the whole invoice, in the currency of the invoice or in that of the country.
type total func(inv *invoice.Invoice, local bool) decimal.Decimal

// ofGroup is an amount of a tax group.
type ofGroup func(inv *invoice.Invoice, g *invoice.TaxSummary, local bool) decimal.Decimal

func netOfGroup(inv *invoice.Invoice, g *invoice.TaxSummary, local bool) decimal.Decimal {
	if local {
		return inLocal(inv, g.NetAmount)
	}
	return g.NetAmount
}

// taxOf is the tax of a group; that in the currency of the country is a member of its own.
func taxOf(inv *invoice.Invoice, g *invoice.TaxSummary, local bool) decimal.Decimal {
	switch {
	case !local || !foreign(inv):
		return g.TaxAmount
	case g.TaxCurrencyTaxAmount.IsSet():
		return g.TaxCurrencyTaxAmount
	}
	return decimal.Decimal{}
}

func grossOfGroup(inv *invoice.Invoice, g *invoice.TaxSummary, local bool) decimal.Decimal {
	return added(netOfGroup(inv, g, local), taxOf(inv, g, local))
}

func nothingOfGroup(*invoice.Invoice, *invoice.TaxSummary, bool) decimal.Decimal { return zero }

func nothing(*invoice.Invoice, bool) decimal.Decimal { return zero }

var zero = decimal.New(0, 2)

// added is a sum that is set where both are.
func added(a, b decimal.Decimal) decimal.Decimal {
	if !a.IsSet() || !b.IsSet() {
		return decimal.Decimal{}
	}
	return a.Add(b)
}

func sumOf(inv *invoice.Invoice, local bool, of ofGroup) decimal.Decimal {
	sum := zero
	for i := range inv.TaxSummary {
		if amount := of(inv, &inv.TaxSummary[i], local); amount.IsSet() {
			sum = sum.Add(amount)
		}
	}
	return sum
}

// subtotal are the rows of a tax group: what it has, less what was claimed before, which national holds.
func subtotal() []row {
	rows := []row{
		{Term: "BT-116", Field: "netAmount", Path: "TaxableAmountCurr", Type: m.Amount, Convert: cents, When: inForeign},
		{Term: "BT-116", Card: m.One, Path: "TaxableAmount", Computed: amount("netAmount", netOfTax)},
		{Term: "BT-117", Field: "taxAmount", Path: "TaxAmountCurr", Type: m.Amount, Convert: cents, When: inForeign},
		{Term: "BT-117 BT-111", Card: m.One, Path: "TaxAmount", Computed: groupTax},
		{Term: "BT-119", Card: m.One, Field: "taxRate", Path: "TaxCategory/Percent", Type: m.Percentage, Fill: "0"},
		{Term: "BT-118", Path: "TaxCategory/VATApplicable", Computed: groupApplies},
		{Term: "BT-118", Path: "TaxCategory/LocalReverseChargeFlag", Computed: groupReverseCharge},
	}
	for _, a := range []struct {
		name string
		of   ofGroup
	}{
		{"TaxInclusiveAmount", grossOfGroup},
		{"AlreadyClaimedTaxableAmount", nothingOfGroup}, {"AlreadyClaimedTaxAmount", nothingOfGroup}, {"AlreadyClaimedTaxInclusiveAmount", nothingOfGroup},
		{"DifferenceTaxableAmount", netOfGroup}, {"DifferenceTaxAmount", taxOf}, {"DifferenceTaxInclusiveAmount", grossOfGroup},
	} {
		for _, local := range []bool{false, true} {
			rows = append(rows, row{Path: curr(a.name, local), Computed: &computed{Text: func(s scope) string {
				return either(s.Invoice, local, a.of(s.Invoice, s.Group.(*invoice.TaxSummary), local))
			}}})
		}
	}
	return rows
}

// sums are the two rows of an amount of the whole invoice.
func sums(term, name, member string, of total) []row {
	var rows []row
	for _, local := range []bool{false, true} {
		c := &computed{Text: func(s scope) string {
			return either(s.Invoice, local, of(s.Invoice, local))
		}}
		rows = append(rows, row{Term: term, Path: curr(name, local), Computed: c, From: member})
	}
	return rows
}

// curr is the name of an amount's element.
func curr(name string, local bool) string {
	if local {
		return name
	}
	return name + "Curr"
}

// either is the text of an amount: only invoices in another currency have one that is not local.
func either(inv *invoice.Invoice, local bool, amount decimal.Decimal) string {
	if !local && !foreign(inv) {
		return ""
	}
	return text(amount)
}

// monetary are the rows of the totals. The amount due is what is not claimed, less what was paid, plus the rounding.
func monetary() []row {
	exclusive := func(inv *invoice.Invoice, local bool) decimal.Decimal { return sumOf(inv, local, netOfGroup) }
	rows := []row{
		{Term: "BT-112", Field: "total", Path: "TaxInclusiveAmountCurr", Type: m.Amount, Convert: cents, When: inForeign},
		{Term: "BT-112", Card: m.One, Path: "TaxInclusiveAmount", Computed: grand},
		{Term: "BT-114", Field: "roundingAmount", Path: "PayableRoundingAmountCurr", Type: m.Amount, Convert: cents, When: inForeign},
		{Term: "BT-114", Path: "PayableRoundingAmount", Computed: amount("roundingAmount", roundingOf)},
		{Term: "BT-113", Field: "prepaidAmount", Path: "PaidDepositsAmountCurr", Type: m.Amount, Convert: cents, When: inForeign},
		{Term: "BT-113", Card: m.One, Path: "PaidDepositsAmount", Computed: amount("prepaidAmount", prepaidOf)},
	}
	for _, a := range []struct {
		term, name, member string
		of                 total
	}{
		{"BT-109", "TaxExclusiveAmount", "taxSummary[].netAmount", exclusive},
		{"", "AlreadyClaimedTaxExclusiveAmount", "", nothing}, {"", "AlreadyClaimedTaxInclusiveAmount", "", nothing},
		{"", "DifferenceTaxExclusiveAmount", "", exclusive}, {"", "DifferenceTaxInclusiveAmount", "total", inclusive},
		{"BT-115", "PayableAmount", "total", due},
	} {
		rows = append(rows, sums(a.term, a.name, a.member, a.of)...)
	}
	return rows
}

// inclusive is the total with tax. In the currency of the country it is the sum of the groups.
func inclusive(inv *invoice.Invoice, local bool) decimal.Decimal {
	if local && foreign(inv) {
		return sumOf(inv, true, grossOfGroup)
	}
	return inv.Total
}

// grand is the total with tax in the currency of the country.
var grand = &computed{
	Of:   []string{"total"},
	Text: func(s scope) string { return text(inclusive(s.Invoice, true)) },
	Take: func(stated string, s scope) bool {
		d, err := decimal.Parse(stated)
		if err == nil && !foreign(s.Invoice) {
			s.Invoice.Total = d
		}
		return err == nil
	},
}

// due is the amount due.
func due(inv *invoice.Invoice, local bool) decimal.Decimal {
	sum := inclusive(inv, local)
	if !sum.IsSet() {
		return sum
	}
	for _, part := range []struct {
		of    decimal.Decimal
		minus bool
	}{{inv.PrepaidAmount, true}, {inv.RoundingAmount, false}} {
		of := part.of
		if local {
			of = inLocal(inv, of)
		}
		switch {
		case !of.IsSet():
		case part.minus:
			sum = sum.Sub(of)
		default:
			sum = sum.Add(of)
		}
	}
	return sum
}

// groupTax is the tax of a group in the currency of the country.
var groupTax = &computed{
	Of: []string{"taxAmount", "taxCurrencyTaxAmount"},
	Text: func(s scope) string {
		return text(taxOf(s.Invoice, s.Group.(*invoice.TaxSummary), true))
	},
	Take: func(stated string, s scope) bool {
		d, err := decimal.Parse(stated)
		if err != nil {
			return false
		}
		if g := s.Group.(*invoice.TaxSummary); foreign(s.Invoice) {
			g.TaxCurrencyTaxAmount = d
		} else {
			g.TaxAmount = d
		}
		return true
	},
}
