package decimal

import (
	"fmt"
	"testing"

	shop "github.com/shopspring/decimal"
)

// benchLines gives 1,000 quantities and prices as text.
func benchLines() (quantities, prices []string) {
	for i := range 1000 {
		quantities = append(quantities, fmt.Sprintf("%d.%02d", i%97+1, i%100))
		prices = append(prices, fmt.Sprintf("%d.%04d", i*7%2003, i*31%10000))
	}
	return quantities, prices
}

// BenchmarkInvoiceLines: parse quantity and price, net and tax rounded to cents, sum, for 1,000 lines.
func BenchmarkInvoiceLines(b *testing.B) {
	quantities, prices := benchLines()
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		rate := MustParse("0.19")
		for b.Loop() {
			var sum Decimal
			for i := range quantities {
				quantity, _ := Parse(quantities[i])
				price, _ := Parse(prices[i])
				net := quantity.Mul(price).Round(2, HalfUp)
				sum = sum.Add(net).Add(net.Mul(rate).Round(2, HalfUp))
			}
		}
	})
	b.Run("shopspring", func(b *testing.B) {
		b.ReportAllocs()
		rate := shop.RequireFromString("0.19")
		for b.Loop() {
			var sum shop.Decimal
			for i := range quantities {
				quantity, _ := shop.NewFromString(quantities[i])
				price, _ := shop.NewFromString(prices[i])
				net := quantity.Mul(price).Round(2)
				sum = sum.Add(net).Add(net.Mul(rate).Round(2))
			}
		}
	})
}

func BenchmarkAppendText(b *testing.B) {
	d := MustParse("123456789.1234")
	var buf [64]byte
	b.ReportAllocs()
	for b.Loop() {
		d.AppendText(buf[:0])
	}
}
