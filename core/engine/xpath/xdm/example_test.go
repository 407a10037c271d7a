package xdm_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Amounts are read, added and compared as rules do it: exactly, and by value, so that 119.00 equals 119. What no cast allows has the code of
// the standard.
func Example() {
	net, err := xdm.Parse("100.10", xdm.Decimal) // BT-109
	if err != nil {
		log.Fatal(err)
	}
	tax, err := xdm.Cast(xdm.Untyped(" 18.90 "), xdm.Decimal) // BT-110, as it stands in a document
	if err != nil {
		log.Fatal(err)
	}
	total, err := xdm.Arithmetic(xdm.Add, net, tax, xdm.NoZone)
	if err != nil {
		log.Fatal(err)
	}
	equal, err := xdm.Compare(xdm.Equal, total, xdm.Int64(119), xdm.NoZone)
	fmt.Println(total, total.Type(), equal, err)

	_, err = xdm.Cast(xdm.Text("2026-02-30"), xdm.Date)
	var wrong *xdm.Error
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Code)
	}
	// Output:
	// 119 xs:decimal true <nil>
	// FORG0001
}
