package invoice_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// Calculate fills in what lines and rates tell, and says what it has filled in.
func ExampleCalculate() {
	inv, _, err := invoice.DecodeInvoice([]byte(`{"currency": "EUR", "items": [
	  {"quantity": 2, "unitPrice": 49.95, "taxRate": 19},
	  {"quantity": 1, "unitPrice": 10, "taxRate": 7}]}`), invoice.Options{Calculate: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range invoice.Calculate(inv) {
		fmt.Println(c.Field, c.Value)
	}
	// Output:
	// items[0].netAmount 99.90
	// items[0].taxAmount 18.98
	// items[1].netAmount 10
	// items[1].taxAmount 0.70
	// taxSummary[0].netAmount 99.90
	// taxSummary[0].taxAmount 18.98
	// taxSummary[1].netAmount 10
	// taxSummary[1].taxAmount 0.70
	// subtotal 109.90
	// total 129.58
}
