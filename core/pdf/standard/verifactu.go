package standard

import "github.com/einvoiced/einvoiced/core/pdf/block"

// VeriFactu is the QR code of a registered Spanish invoice as templates see it: verifactu.url, and what has to stand above and below the code, verifactu.above and
// verifactu.below (Orden HAC/1177/2024, art. 20 and 21).
func VeriFactu(url string) block.Value {
	var v block.Value
	v.Set("url", text(url))
	v.Set("above", text("QR tributario:"))
	v.Set("below", text("VERI*FACTU"))
	return v
}
