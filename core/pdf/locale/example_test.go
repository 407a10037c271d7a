package locale_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
)

// The same number as Germans and as the British write it.
func Example() {
	amount := decimal.New(12345675, 3)
	for _, tag := range []string{"de", "en-GB"} {
		l, _ := locale.Of(tag)
		fmt.Println(l.Number(amount, 2))
	}
	// Output:
	// 12.345,68
	// 12,345.68
}
