package lists_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/lists"
)

// The categories of VAT (BT-118) by EN 16931 and by Factur-X: the second is written as what it has less than the first.
func ExampleOpen() {
	for _, version := range []string{"en16931-1.3.16", "factur-x-1.07"} {
		list, err := lists.Open("untdid-5305", version)
		if err != nil {
			log.Fatal(err)
		}
		var codes []string
		for _, code := range list.Codes {
			codes = append(codes, code.Code)
		}
		fmt.Printf("%s: %s\n", list.Edition, strings.Join(codes, " "))
	}
	// Output:
	// EN 16931 1.3.16: AE B E G K L M O S Z
	// Factur-X 1.07: AE E G K L M O S Z
}
