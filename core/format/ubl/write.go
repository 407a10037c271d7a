package ubl

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// The conditions of the payment means: an invoice has one card and one mandate (UBL-SR-54, UBL-SR-55). They stand with the
// first method of their kind, else with the first method.

func byCard(s m.Scope) bool        { return s.Index == methodFor(s.Invoice, "48", "54", "55") }
func byDirectDebit(s m.Scope) bool { return s.Index == methodFor(s.Invoice, "49", "59") }

// firstMethod keeps the due date of a credit note in the first payment means, where EN 16931 allows one only.
func firstMethod(s m.Scope) bool { return s.Index == 0 }

// methodFor is the index of the first method with one of the codes of UNTDID 4461, else 0.
func methodFor(inv *invoice.Invoice, codes ...string) int {
	for i := range inv.PaymentMethods {
		if slices.Contains(codes, inv.PaymentMethods[i].Code) {
			return i
		}
	}
	return 0
}

// totalLines is BT-106. Without allowances and charges on the document the caller's net total stands for it, so that the
// rules can tell when the lines do not add up.
func totalLines(inv *invoice.Invoice) decimal.Decimal {
	if len(inv.AllowancesCharges) == 0 {
		return inv.Subtotal
	}
	var sum decimal.Decimal
	for i := range inv.Items {
		sum = sum.Add(inv.Items[i].NetAmount)
	}
	return invoice.RoundTotal(sum)
}

// totalAllowances is BT-107, totalCharges BT-108; neither is set without an entry of its kind.
func totalAllowances(inv *invoice.Invoice) decimal.Decimal { return totalEntries(inv, false) }
func totalCharges(inv *invoice.Invoice) decimal.Decimal    { return totalEntries(inv, true) }

func totalEntries(inv *invoice.Invoice, charge bool) decimal.Decimal {
	var sum decimal.Decimal
	for i := range inv.AllowancesCharges {
		if entry := &inv.AllowancesCharges[i]; entry.Charge() == charge {
			sum = sum.Add(entry.Amount)
		}
	}
	return invoice.RoundTotal(sum)
}

// totalTax is BT-110, to two decimals (BR-CO-14).
func totalTax(inv *invoice.Invoice) decimal.Decimal {
	var sum decimal.Decimal
	for i := range inv.TaxSummary {
		sum = sum.Add(inv.TaxSummary[i].TaxAmount)
	}
	return invoice.RoundTotal(sum)
}

// totalTaxInTaxCurrency is BT-111. Where the tax currency is that of the invoice BT-110 says it, and a second total in the same
// currency would offend BR-CO-15.
func totalTaxInTaxCurrency(inv *invoice.Invoice) decimal.Decimal {
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

// amountDue is BT-115 = BT-112 - BT-113 + BT-114.
func amountDue(inv *invoice.Invoice) decimal.Decimal {
	if !inv.Total.IsSet() {
		return decimal.Decimal{}
	}
	return inv.Total.Sub(inv.PrepaidAmount).Add(inv.RoundingAmount)
}

// amountDueWithOthers is BT-115 of the XRechnung extension, where the payments of third parties (BT-DEX-002) are due as well
// (BR-DEX-09).
func amountDueWithOthers(inv *invoice.Invoice) decimal.Decimal {
	due := amountDue(inv)
	if !due.IsSet() {
		return due
	}
	for i := range inv.ThirdPartyPayments {
		due = due.Add(inv.ThirdPartyPayments[i].PaidAmount)
	}
	return due
}
