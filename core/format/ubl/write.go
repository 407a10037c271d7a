package ubl

import "github.com/einvoiced/einvoiced/core/en16931"

// The conditions of the payment means: an invoice has one card and one mandate (UBL-SR-54, UBL-SR-55).

func byCard(s scope) bool { return s.Index == s.Once("card", en16931.CardMethod) }
func byDirectDebit(s scope) bool {
	return s.Index == s.Once("direct debit", en16931.DirectDebitMethod)
}

// firstMethod keeps the due date of a credit note in the first payment means, where EN 16931 allows one only.
func firstMethod(s scope) bool { return s.Index == 0 }
