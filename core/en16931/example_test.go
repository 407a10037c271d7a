package en16931_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// BT-115 is BT-112 less what was paid, with the rounding amount.
func ExampleAmountDue() {
	inv := &invoice.Invoice{
		Total: decimal.MustParse("119.00"), PrepaidAmount: decimal.MustParse("19.00"), RoundingAmount: decimal.MustParse("0.02"),
	}
	fmt.Println(en16931.AmountDue(inv))
	// Output: 100.02
}
