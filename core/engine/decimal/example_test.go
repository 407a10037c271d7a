package decimal_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// 3 pieces at 33.335 each, with 19 % VAT: every step is exact, and rounding happens where it is asked for.
func Example() {
	net := decimal.MustParse("3").Mul(decimal.MustParse("33.335"))
	fmt.Println(net, "has", net.Scale(), "decimals")
	net = net.Round(2, decimal.HalfUp)
	tax := net.Mul(decimal.MustParse("0.19")).Round(2, decimal.HalfUp)
	fmt.Println(net, tax, net.Add(tax))
	fmt.Println(decimal.MustParse("1.50").Equal(decimal.MustParse("1.5")))
	// Output:
	// 100.005 has 3 decimals
	// 100.01 19.00 119.01
	// true
}
