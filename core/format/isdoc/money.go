package isdoc

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// cents writes amounts with two decimals at least.
var cents = &m.Converter{Number: func(d decimal.Decimal) decimal.Decimal { return d.Trim().WithMinScale(2) }}

// text is the text of an amount, empty for one that is not set.
func text(d decimal.Decimal) string {
	if !d.IsSet() {
		return ""
	}
	return d.Trim().WithMinScale(2).String()
}

// foreign tells whether a canonical invoice is in another currency than the country's.
func foreign(inv *invoice.Invoice) bool {
	return inv.Currency != "" && inv.Currency != inv.TaxCurrencyCode
}

func inForeign(s scope) bool { return foreign(s.Invoice) }

// rateOf gives the exchange rate: so many of the country's currency for so many units of the other.
func rateOf(inv *invoice.Invoice) (rate, units decimal.Decimal) {
	if cs := inv.CountrySpecific; cs != nil {
		rate, units = cs.ExchangeRate, cs.ExchangeRateUnits
	}
	if !rate.IsSet() || rate.Sign() == 0 {
		rate = one
	}
	if !units.IsSet() || units.Sign() == 0 {
		units = one
	}
	return rate, units
}

var (
	one     = decimal.New(1, 0)
	hundred = decimal.New(100, 0)
)

// inLocal is an amount in the currency of the country, with two decimals where it is converted.
func inLocal(inv *invoice.Invoice, amount decimal.Decimal) decimal.Decimal {
	return converted(inv, amount, 2)
}

func converted(inv *invoice.Invoice, amount decimal.Decimal, places int) decimal.Decimal {
	if !amount.IsSet() || !foreign(inv) {
		return amount
	}
	return profile.InCrowns(inv, amount, places)
}

// fromLocal is the amount of the invoice's currency that one of the country's stands for.
func fromLocal(inv *invoice.Invoice, amount decimal.Decimal, places int) decimal.Decimal {
	if !foreign(inv) {
		return amount
	}
	rate, units := rateOf(inv)
	if back, ok := amount.Mul(units).Quo(rate, places, decimal.HalfUp); ok {
		return back.Trim()
	}
	return amount
}

// The most decimals of prices that are converted, and of amounts.
const (
	pricePlaces  = 10
	amountPlaces = 2
)

// member gives the amount of a group, or of the invoice.
type member func(inv *invoice.Invoice, group any) *decimal.Decimal

func netOf(_ *invoice.Invoice, group any) *decimal.Decimal { return &group.(*invoice.Item).NetAmount }

func netOfTax(_ *invoice.Invoice, group any) *decimal.Decimal {
	return &group.(*invoice.TaxSummary).NetAmount
}

func depositOf(_ *invoice.Invoice, group any) *decimal.Decimal {
	return &group.(*invoice.Prepayment).Amount
}

func roundingOf(inv *invoice.Invoice, _ any) *decimal.Decimal { return &inv.RoundingAmount }

// prepaidOf is what was paid before; the element is there even if it is nothing.
func prepaidOf(inv *invoice.Invoice, _ any) *decimal.Decimal { return &inv.PrepaidAmount }

// amount is the codec of an amount in the currency of the country: a member, or what it is at the exchange rate.
func amount(field string, of member) *computed {
	return &computed{
		Of: []string{field},
		Text: func(s scope) string {
			return text(inLocal(s.Invoice, *of(s.Invoice, s.Group)))
		},
		Take: func(stated string, s scope) bool {
			d, err := decimal.Parse(stated)
			if err == nil {
				*of(s.Invoice, s.Group) = fromLocal(s.Invoice, d, amountPlaces)
			}
			return err == nil
		},
	}
}
