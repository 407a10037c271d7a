package decimal

import (
	"strings"

	shop "github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

// texts draws lexical forms from one digit to well beyond 128 bits.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		digits := rapid.OneOf(
			rapid.StringMatching(`[0-9]{1,6}`),
			rapid.StringMatching(`[0-9]{15,45}`),
			rapid.SampledFrom([]string{
				"340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
				"18446744073709551615", "18446744073709551616", "9999999999999999999", "10000000000000000000",
				"99999999999999999999999999999999999999", "100000000000000000000000000000000000000", "0", "5", "25",
			}),
		).Draw(t, "digits")
		scale := rapid.IntRange(0, min(len(digits)+3, 30)).Draw(t, "scale")
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		if scale == 0 {
			return sign + digits
		}
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	})
}

// pair is the same number here and in the reference.
type pair struct {
	text string
	ours Decimal
	ref  shop.Decimal
}

func drawPair(t *rapid.T, label string) pair {
	text := texts().Draw(t, label)
	return pair{text, MustParse(text), shop.RequireFromString(text)}
}

// agree fails unless both are the same number.
func agree(t rapid.TB, what string, ours Decimal, ref shop.Decimal) {
	t.Helper()
	if !ours.IsSet() || !shop.RequireFromString(ours.String()).Equal(ref) {
		t.Fatalf("%s: got %s, reference %s", what, ours, ref)
	}
	checkForm(t, what, ours)
}

// checkForm fails unless d is in its only form: big only above 128 bits, no negative zero, no negative scale.
func checkForm(t rapid.TB, what string, d Decimal) {
	t.Helper()
	switch {
	case d.large != nil && (d.large.BitLen() <= 128 || d.large.Sign() < 0 || d.coef != u128{}):
		t.Fatalf("%s: %s should not be big", what, d)
	case d.Sign() == 0 && d.neg():
		t.Fatalf("%s: negative zero", what)
	case d.Scale() < 0:
		t.Fatalf("%s: negative scale %d", what, d.Scale())
	}
}
