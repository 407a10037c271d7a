// Package en16931 is what EN 16931-1 says about an invoice whatever its syntax: the totals that it computes, and where a term
// belongs that several places could have. Invoices are canonical: what a profile derives has been derived.
package en16931

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TotalLines is BT-106. Without allowances and charges on the document the caller's net total stands for it, so that the
// rules can tell when the lines do not add up.
func TotalLines(inv *invoice.Invoice) decimal.Decimal {
	if len(inv.AllowancesCharges) == 0 {
		return inv.Subtotal
	}
	var sum decimal.Decimal
	for i := range inv.Items {
		sum = sum.Add(inv.Items[i].NetAmount)
	}
	return invoice.RoundTotal(sum)
}

// TotalDetailLines is BT-106 of Factur-X EXTENDED, where lines that group others, or are for information only, do not count
// (BR-FXEXT-CO-10).
func TotalDetailLines(inv *invoice.Invoice) decimal.Decimal {
	if len(inv.AllowancesCharges) == 0 {
		return inv.Subtotal
	}
	var sum decimal.Decimal
	for i := range inv.Items {
		if it := &inv.Items[i]; it.LineSubtype == "" || it.LineSubtype == invoice.LineDetail {
			sum = sum.Add(it.NetAmount)
		}
	}
	return invoice.RoundTotal(sum)
}

// TotalAllowances is BT-107; it is not set without an allowance on the document.
func TotalAllowances(inv *invoice.Invoice) decimal.Decimal { return totalEntries(inv, false) }

// TotalCharges is BT-108; it is not set without a charge on the document.
func TotalCharges(inv *invoice.Invoice) decimal.Decimal { return totalEntries(inv, true) }

func totalEntries(inv *invoice.Invoice, charge bool) decimal.Decimal {
	var sum decimal.Decimal
	for i := range inv.AllowancesCharges {
		if entry := &inv.AllowancesCharges[i]; entry.Charge() == charge {
			sum = sum.Add(entry.Amount)
		}
	}
	return invoice.RoundTotal(sum)
}

// TotalTax is BT-110, to two decimals (BR-CO-14).
func TotalTax(inv *invoice.Invoice) decimal.Decimal {
	var sum decimal.Decimal
	for i := range inv.TaxSummary {
		sum = sum.Add(inv.TaxSummary[i].TaxAmount)
	}
	return invoice.RoundTotal(sum)
}

// TotalWithTax is BT-112, to two decimals: BT-109 and BT-110 (BR-CO-15). Without BT-109 there is none.
func TotalWithTax(inv *invoice.Invoice) decimal.Decimal {
	if !inv.Subtotal.IsSet() {
		return decimal.Decimal{}
	}
	return invoice.RoundTotal(inv.Subtotal.Add(TotalTax(inv)))
}

// TotalTaxInTaxCurrency is BT-111. Where the tax currency is that of the invoice BT-110 says it, and a second total in the same
// currency would offend BR-CO-15.
func TotalTaxInTaxCurrency(inv *invoice.Invoice) decimal.Decimal {
	var sum decimal.Decimal
	if inv.TaxCurrencyCode == "" || inv.TaxCurrencyCode == inv.Currency {
		return sum
	}
	for i := range inv.TaxSummary {
		if share := inv.TaxSummary[i].TaxCurrencyTaxAmount; share.IsSet() {
			sum = sum.Add(share)
		}
	}
	return invoice.RoundTotal(sum)
}

// AmountDue is BT-115 = BT-112 - BT-113 + BT-114 (BR-CO-16).
func AmountDue(inv *invoice.Invoice) decimal.Decimal {
	if !inv.Total.IsSet() {
		return decimal.Decimal{}
	}
	return inv.Total.Sub(inv.PrepaidAmount).Add(inv.RoundingAmount)
}

// AmountDueWithThirdParties is BT-115 of the XRechnung extension, where the payments of third parties (BT-DEX-002) are due as
// well (BR-DEX-09).
func AmountDueWithThirdParties(inv *invoice.Invoice) decimal.Decimal {
	due := AmountDue(inv)
	if !due.IsSet() {
		return due
	}
	for i := range inv.ThirdPartyPayments {
		due = due.Add(inv.ThirdPartyPayments[i].PaidAmount)
	}
	return due
}
