package invoice

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReduceNoise_RoundsWhatIsNearAShortNumber ensures which amounts are rounded, to which number, and that document totals and numbers
// with decimals of their own stay.
func TestReduceNoise_RoundsWhatIsNearAShortNumber(t *testing.T) {
	inv := &Invoice{Subtotal: num("10.000000000000002"), Total: num("10.000000000000002"), PrepaidAmount: num("10.000000000000002"), RoundingAmount: num("0.10000000000000001"),
		TaxSummary:        []TaxSummary{{NetAmount: num("10.000000000000002"), TaxAmount: num("1.9000000000000001")}},
		AllowancesCharges: []DocumentCharge{{Amount: num("0.30000000000000004"), BaseAmount: num("0.3000001")}},
		Prepayments:       []Prepayment{{Amount: num("4.999999999999999")}},
		Items: []Item{{NetAmount: num("10.000000000000002"), TaxAmount: num("10.00500000000000001"), UnitPrice: num("0.12340000000000001"), GrossPrice: num("0.123456789012345"),
			Allowances: []LineCharge{{Amount: num("-0.30000000000000004")}}, SubItems: []Item{{NetAmount: num("0.000000000000002")}}}}}
	var got []string
	for _, r := range ReduceNoise(inv) {
		got = append(got, r.Field+" "+r.To.String())
	}
	want := []string{"taxSummary[0].netAmount 10.00", "taxSummary[0].taxAmount 1.90", "allowancesCharges[0].amount 0.30", "prepayments[0].amount 5.00",
		"items[0].netAmount 10.00", "items[0].unitPrice 0.1234", "items[0].allowances[0].amount -0.30"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if inv.Items[0].NetAmount.String() != "10.00" || inv.Total.String() != "10.000000000000002" {
		t.Errorf("net %s, total %s", inv.Items[0].NetAmount, inv.Total)
	}
}
