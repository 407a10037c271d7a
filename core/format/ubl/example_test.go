package ubl_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/format/ubl"
)

// The table tells where UBL has a business term.
func ExampleFormat_Uses() {
	format, err := ubl.New()
	if err != nil {
		log.Fatal(err)
	}
	for _, use := range format.Uses("BT-10") {
		fmt.Println(use.Field, use.Path, use.Cardinality)
	}
	// Output:
	// buyerReference /Invoice/cbc:BuyerReference 0..1
	// buyerReference /CreditNote/cbc:BuyerReference 0..1
}
