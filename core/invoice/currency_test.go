package invoice

import "testing"

// TestCalculatedAmountsHaveTheDecimalsOfTheirRules has currencies with and without minor unit, at home and abroad, with a line whose net amount
// is a whole number and with one whose is not: EN 16931 rounds to two decimals, PINT JP has whole yen, and Peppol BIS takes whole krónur
// only where nothing of a line is lost.
func TestCalculatedAmountsHaveTheDecimalsOfTheirRules(t *testing.T) {
	for _, c := range []struct {
		seller, currency, price string
		want                    [4]string // net amount of the line, tax, total without and with it
	}{
		{"DE", "EUR", "10.3455", [4]string{"10.35", "0.83", "10.35", "11.18"}},
		{"", "", "10.3455", [4]string{"10.35", "0.83", "10.35", "11.18"}},
		{"AE", "KWD", "10.3455", [4]string{"10.35", "0.83", "10.35", "11.18"}},
		{"JP", "JPY", "10.3455", [4]string{"10", "1", "10", "11"}},
		{"JP", "EUR", "10.3455", [4]string{"10.35", "0.83", "10.35", "11.18"}},
		{"DE", "JPY", "10.3455", [4]string{"10.35", "0.83", "10.35", "11.18"}},
		{"DE", "JPY", "105", [4]string{"105", "8.40", "105", "113.40"}},
		{"IS", "ISK", "105", [4]string{"105", "8", "105", "113"}},
		{"IS", "ISK", "10.3455", [4]string{"10.35", "0.83", "10.35", "11.18"}},
	} {
		inv := &Invoice{Seller: &Party{CountryCode: c.seller}, Currency: c.currency, Items: []Item{{Quantity: num("1"), UnitPrice: num(c.price), TaxRate: num("8")}}}
		Calculate(inv)
		got := [4]string{inv.Items[0].NetAmount.String(), inv.TaxSummary[0].TaxAmount.String(), inv.Subtotal.String(), inv.Total.String()}
		if got != c.want {
			t.Errorf("%s from %s at %s: %v, want %v", c.currency, c.seller, c.price, got, c.want)
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
