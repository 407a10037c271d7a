package nav

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// The decimals of amounts (MonetaryType) and of prices (QuantityType).
const (
	amountDecimals = 2
	priceDecimals  = 10
)

// one is the exchange rate of HUF.
var one = decimal.New(1, 0)

// money is the text of an amount; empty for one that is not set.
func money(d decimal.Decimal) string {
	if !d.IsSet() {
		return ""
	}
	return d.Round(amountDecimals, decimal.HalfUp).WithMinScale(amountDecimals).String()
}

// inHUF is an amount of a line at the exchange rate.
func inHUF(s scope, amount decimal.Decimal, places int) string {
	cs := s.Invoice.CountrySpecific
	if !amount.IsSet() || cs == nil || !cs.ExchangeRate.IsSet() {
		return ""
	}
	if cs.ExchangeRate.Cmp(one) == 0 {
		return amount.Round(places, decimal.HalfUp).WithMinScale(amountDecimals).String()
	}
	return amount.Mul(cs.ExchangeRate).Round(places, decimal.HalfUp).Trim().WithMinScale(amountDecimals).String()
}

// reference is the number of a line in the chain of a modification: on from the lines before it.
func reference(s scope) string {
	if len(s.Invoice.ReferencedInvoices) == 0 {
		return ""
	}
	before := 0
	if cs := s.Invoice.CountrySpecific; cs != nil && cs.LineOffset != nil {
		before = *cs.LineOffset
	}
	if position := s.Group.(*invoice.Item).Position; position != nil {
		return strconv.Itoa(before + *position)
	}
	return ""
}

// expressed tells whether a line has quantity, unit, price and description.
func expressed(s scope) string {
	it := s.Group.(*invoice.Item)
	return strconv.FormatBool(it.Quantity.IsSet() && it.Unit != "" && it.UnitPrice.IsSet() && it.Description != "")
}

func groupGross(s scope) decimal.Decimal {
	g := s.Group.(*invoice.TaxSummary)
	return g.NetAmount.Add(g.TaxAmount)
}

// groupGrossHUF is a group with its tax in HUF.
func groupGrossHUF(s scope) string {
	g := s.Group.(*invoice.TaxSummary)
	if simplified(s) {
		return inHUF(s, groupGross(s), amountDecimals)
	}
	return money(profile.NAVGroupNet(s.Invoice, g).Add(g.TaxCurrencyTaxAmount))
}

func groupTax(_ *invoice.Invoice, g *invoice.TaxSummary) decimal.Decimal { return g.TaxAmount }

func groupTaxHUF(_ *invoice.Invoice, g *invoice.TaxSummary) decimal.Decimal {
	return g.TaxCurrencyTaxAmount
}

// total sums over the groups of an invoice that is not simplified.
func total(of func(*invoice.Invoice, *invoice.TaxSummary) decimal.Decimal) func(scope) string {
	return func(s scope) string {
		if simplified(s) {
			return ""
		}
		return money(sum(s.Invoice, of))
	}
}

func sum(inv *invoice.Invoice, of func(*invoice.Invoice, *invoice.TaxSummary) decimal.Decimal) decimal.Decimal {
	all := decimal.New(0, amountDecimals)
	for i := range inv.TaxSummary {
		all = all.Add(of(inv, &inv.TaxSummary[i]))
	}
	return all
}

// totalHUF is the total with tax in HUF: the sum of the groups.
func totalHUF(s scope) string {
	if simplified(s) {
		return inHUF(s, s.Invoice.Total, amountDecimals)
	}
	return money(sum(s.Invoice, profile.NAVGroupNet).Add(sum(s.Invoice, groupTaxHUF)))
}
