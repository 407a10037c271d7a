package verifactu_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/verifactu"
)

// The QR code of an invoice leads to the page on which the tax agency checks it.
func ExampleNewQR() {
	code, wrong := verifactu.NewQR(verifactu.QRInput{SellerNIF: "B12345674", Series: "A-", Number: "7", Date: "05-03-2026", Total: decimal.New(12100, 2), VerifactuMode: true, Test: true})
	if len(wrong) > 0 {
		fmt.Println(wrong[0].Message)
		return
	}
	fmt.Println(code.URL())
	// Output: https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B12345674&numserie=A-7&fecha=05-03-2026&importe=121.00
}
