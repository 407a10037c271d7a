// Package elementorder gives the order of the elements of documents, as their schemas fix it: those that ship are made from the same
// tables.
package elementorder

import (
	"maps"
	"strings"
)

// UBL gives the child elements of each element of UBL 2.1 invoices and credit notes that has some (OASIS UBL-Invoice-2.1,
// UBL-CreditNote-2.1, UBL-CommonAggregateComponents-2.1): local name of the element to names with the usual prefixes and a blank
// between them. It is not to be changed.
func UBL() map[string]string { return ubl }

// CII gives the same for Cross Industry Invoices of UN/CEFACT, as the largest profile of Factur-X 1.09 has them (D22B); CII D16B has
// what they share in the same order.
func CII() map[string]string { return cii }

// EbInterface gives the same for ebInterface 6.1, with names without prefixes. What a choice lets stand in any order is joined by bars.
func EbInterface() map[string]string {
	order := maps.Clone(ebinterface)
	for _, parent := range []string{"ReductionAndSurchargeDetails", "ReductionAndSurchargeListLineItemDetails"} {
		order[parent] = strings.ReplaceAll(order[parent], " ", "|")
	}
	return order
}

// NAV gives the same for InvoiceData of NAV Online Számla 3.0: names of the namespace for addresses and tax numbers have the prefix base.
func NAV() map[string]string { return nav }

// KSeF gives the same for invoices of KSeF FA(3), local names of which no element has children in two orders.
func KSeF() map[string]string { return ksef }

// ISDOC gives the same for invoices of ISDOC 6.0.2, local names of which no element has children in two orders. A party without a name of
// its own stands before the one that may follow it.
func ISDOC() map[string]string {
	order := maps.Clone(isdoc)
	order["Invoice"] = strings.Replace(order["Invoice"], "AccountingCustomerParty AnonymousCustomerParty", "AnonymousCustomerParty AccountingCustomerParty", 1)
	return order
}

// Facturae gives the same for invoices of Facturae 3.2.2; older versions have a part of its elements.
func Facturae() map[string]string { return facturae }
