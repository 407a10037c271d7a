package en16931

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// creditNoteCodes are the codes of UNTDID 1001 that are those of credit notes alone (BR-CL-01); 81 may be an invoice as well.
var creditNoteCodes = []string{"83", "261", "262", "296", "308", "381", "396", "420", "458", "502", "503", "532"}

// IsCreditNote tells whether an invoice is a credit note, by its type or by its code (BT-3).
func IsCreditNote(inv *invoice.Invoice) bool {
	return inv.Type == invoice.TypeCreditNote ||
		inv.CountrySpecific != nil && slices.Contains(creditNoteCodes, inv.CountrySpecific.InvoiceTypeCode)
}

// CardMethod is the index of the payment method (BG-16) that has the payment card (BG-18): the first that is a card, else the
// first.
func CardMethod(inv *invoice.Invoice) int { return methodFor(inv, "48", "54", "55") }

// DirectDebitMethod is the index of the payment method (BG-16) that has the direct debit (BG-19): the first that is one, else
// the first.
func DirectDebitMethod(inv *invoice.Invoice) int { return methodFor(inv, "49", "59") }

// methodFor is the index of the first method with one of the codes of UNTDID 4461, else 0.
func methodFor(inv *invoice.Invoice, codes ...string) int {
	for i := range inv.PaymentMethods {
		if slices.Contains(codes, inv.PaymentMethods[i].Code) {
			return i
		}
	}
	return 0
}
