package invoice

import "github.com/einvoiced/einvoiced/core/engine/decimal"

// Reduced is an amount that was rounded because of binary noise.
type Reduced struct {
	Field    string
	From, To decimal.Decimal
}

// ReduceNoise rounds amounts that differ from a short number by a relative 1e-12 at most, as programs send that calculate in binary:
// 10.000000000000002 is 10.00 (supplement §1b, amounts). The document totals subtotal, total, prepaidAmount and roundingAmount stay.
func ReduceNoise(inv *Invoice) []Reduced {
	r := &noise{}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		r.amounts(func() string { return at("taxSummary", i) }, amount{"netAmount", &g.NetAmount}, amount{"taxAmount", &g.TaxAmount},
			amount{"taxCurrencyTaxAmount", &g.TaxCurrencyTaxAmount})
	}
	for i := range inv.AllowancesCharges {
		c := &inv.AllowancesCharges[i]
		r.amounts(func() string { return at("allowancesCharges", i) }, amount{"amount", &c.Amount}, amount{"baseAmount", &c.BaseAmount})
	}
	for i := range inv.Prepayments {
		r.amounts(func() string { return at("prepayments", i) }, amount{"amount", &inv.Prepayments[i].Amount})
	}
	for path, it := range inv.Lines() {
		r.line(path, it)
	}
	return r.done
}

// noise collects what is rounded.
type noise struct{ done []Reduced }

// amount is a member of an entry.
type amount struct {
	name  string
	value *decimal.Decimal
}

func (r *noise) line(path LinePath, it *Item) {
	r.amounts(path.String, amount{"netAmount", &it.NetAmount}, amount{"taxAmount", &it.TaxAmount}, amount{"grossAmount", &it.GrossAmount})
	r.prices(path.String, amount{"unitPrice", &it.UnitPrice}, amount{"grossPrice", &it.GrossPrice}, amount{"priceDiscount", &it.PriceDiscount})
	r.charges(path, "allowances", it.Allowances)
	r.charges(path, "charges", it.Charges)
}

func (r *noise) charges(path LinePath, name string, list []LineCharge) {
	for i := range list {
		r.amounts(func() string { return path.String() + "." + at(name, i) }, amount{"amount", &list[i].Amount}, amount{"baseAmount", &list[i].BaseAmount})
	}
}

// amounts have two decimals.
func (r *noise) amounts(entry func() string, list ...amount) { r.reduce(2, entry, list) }

// prices have as many decimals as they need; with more than eight of them noise is not told from a price.
func (r *noise) prices(entry func() string, list ...amount) { r.reduce(8, entry, list) }

func (r *noise) reduce(most int, entry func() string, list []amount) {
	for _, a := range list {
		if short, ok := withoutNoise(*a.value, most); ok {
			r.done = append(r.done, Reduced{Field: entry() + "." + a.name, From: *a.value, To: short})
			*a.value = short
		}
	}
}

// leastNoisy is the number of decimals from which on a number can be noisy: a relative 1e-12 of a cent and more.
const leastNoisy = 9

// withoutNoise gives the number with the fewest decimals, from two to most, that is near enough.
func withoutNoise(d decimal.Decimal, most int) (decimal.Decimal, bool) {
	if !d.IsSet() || d.Scale() < leastNoisy || d.Trim().Scale() < leastNoisy {
		return d, false
	}
	scale := decimal.New(1_000_000_000_000, 0)
	for decimals := 2; decimals <= most; decimals++ {
		short := d.Round(decimals, decimal.HalfUp)
		if short.Sign() != 0 && short.Sub(d).Abs().Mul(scale).Cmp(d.Abs()) <= 0 {
			return short, true
		}
	}
	return d, false
}
