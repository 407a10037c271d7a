package finding

import "testing"

// TestResembling_IsWithinTwoEdits has names at each distance.
func TestResembling_IsWithinTwoEdits(t *testing.T) {
	known := []string{"taxRate", "taxAmount", "id", "invoiceNumber", "iban"}
	for name, want := range map[string]string{
		"taxrate": "taxRate", "taxRat": "taxRate", "tax_rate": "taxRate", "taxRateXY": "taxRate", "taxRateXYZ": "", "taxrateXY": "",
		"IBAN": "", "Iban": "iban", "ids": "id", "xy": "", "x": "", "": "", "invoice_number": "invoiceNumber", "nonsense": "",
	} {
		if got := Resembling(name, known); got != want {
			t.Errorf("%q resembles %q, want %q", name, got, want)
		}
	}
}
