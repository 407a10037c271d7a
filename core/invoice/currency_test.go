package invoice

import "testing"

// TestCalculatedAmountsHaveTheDecimalsOfTheCurrency has currencies without minor unit, with hundredths and with less (ISO 4217), of which EN 16931 has two decimals.
func TestCalculatedAmountsHaveTheDecimalsOfTheCurrency(t *testing.T) {
	for currency, want := range map[string][4]string{
		"JPY": {"10", "1", "10", "11"}, "KRW": {"10", "1", "10", "11"}, "EUR": {"10.35", "0.83", "10.35", "11.18"}, "": {"10.35", "0.83", "10.35", "11.18"},
		"KWD": {"10.35", "0.83", "10.35", "11.18"}, "CLF": {"10.35", "0.83", "10.35", "11.18"},
	} {
		inv := &Invoice{Currency: currency, Items: []Item{{Quantity: num("1"), UnitPrice: num("10.3455"), TaxRate: num("8")}}}
		Calculate(inv)
		got := [4]string{inv.Items[0].NetAmount.String(), inv.TaxSummary[0].TaxAmount.String(), inv.Subtotal.String(), inv.Total.String()}
		if got != want {
			t.Errorf("%s: %v, want %v", currency, got, want)
		}
	}
}

// TestMembers_FindsALeafInAnyEntry has members of their own, below, and beside.
func TestMembers_FindsALeafInAnyEntry(t *testing.T) {
	inv := &Invoice{Items: []Item{{}, {Description: "D"}}, Seller: &Party{Name: "N", AddressLine3: "L"}}
	set := SetMembers(inv)
	for path, want := range map[string]bool{"items[0].description": true, "items[].description": true, "seller": true, "seller.name": true,
		"seller.nam": false, "items": true, "seller.addressLine3": true, "seller.addressLine": false, "items[1].quantity": false, "buyer": false} {
		if set.Has(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
