package qrcode_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/qrcode"
)

// A short text fits into the smallest code.
func Example() {
	code, err := qrcode.Encode("einvoiced", "M")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(code.Size(), code.Runs()[0])
	// Output: 21 {0 0 7}
}
