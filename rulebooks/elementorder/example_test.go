package elementorder_test

import (
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// A schema of XML wants elements in its order: the amounts of an invoice stand in another one in UBL than in Cross Industry Invoices.
func Example() {
	for _, element := range strings.Fields(elementorder.UBL()["LegalMonetaryTotal"]) {
		fmt.Println(element)
	}
	fmt.Println()
	for _, element := range strings.Fields(elementorder.CII()["SpecifiedTradeSettlementHeaderMonetarySummation"]) {
		fmt.Println(element)
	}
	// Output:
	// cbc:LineExtensionAmount
	// cbc:TaxExclusiveAmount
	// cbc:TaxInclusiveAmount
	// cbc:AllowanceTotalAmount
	// cbc:ChargeTotalAmount
	// cbc:PrepaidAmount
	// cbc:PayableRoundingAmount
	// cbc:PayableAmount
	// cbc:PayableAlternativeAmount
	//
	// ram:LineTotalAmount
	// ram:ChargeTotalAmount
	// ram:AllowanceTotalAmount
	// ram:TaxBasisTotalAmount
	// ram:TaxTotalAmount
	// ram:RoundingAmount
	// ram:GrandTotalAmount
	// ram:TotalPrepaidAmount
	// ram:DuePayableAmount
}
