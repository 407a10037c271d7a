package locale

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

func TestLocale_WritesAsThePlaceDoes(t *testing.T) {
	t.Parallel()
	amount, small := decimal.MustParse("-1234567.5"), decimal.MustParse("1234.565")
	for _, c := range []struct{ tag, amount, small, percent, date string }{
		{"de", "-1.234.567,50\u00a0€", "1.234,57", "7,7\u00a0%", "09.03.2026"},
		{"de-CH", "-€\u00a01’234’567.50", "1’234.57", "7.7%", "09.03.2026"},
		{"de_AT", "-€\u00a01\u00a0234\u00a0567,50", "1\u00a0234,57", "7,7\u00a0%", "09.03.2026"},
		{"en-US", "-€1,234,567.50", "1,234.57", "7.7%", "3/9/2026"},
		{"es-ES", "-1.234.567,50\u00a0€", "1234,57", "7,7\u00a0%", "9/3/2026"},
		{"sv", "-1\u00a0234\u00a0567,50\u00a0€", "1\u00a0234,57", "7,7\u00a0%", "2026-03-09"},
		{"hu", "-1\u00a0234\u00a0567,50\u00a0€", "1\u00a0234,57", "7,7%", "2026. 03. 09."},
	} {
		l, known := Of(c.tag)
		if !known {
			t.Errorf("%s is not known", c.tag)
		}
		for got, want := range map[string]string{l.Money(amount, 2, "€"): c.amount, l.Number(small, 2): c.small,
			l.Percent(decimal.MustParse("7.70"), -1): c.percent, l.Date("2026-03-09"): c.date} {
			if got != want {
				t.Errorf("%s: %q, not %q", c.tag, got, want)
			}
		}
	}
	if l, known := Of("tlh"); known || l.Tag != "en" {
		t.Errorf("an unknown language is %v", l)
	}
	if l, _ := Of("en"); l.Money(small, 2, "AED") != "AED\u00a01,234.57" || l.Date("soon") != "soon" {
		t.Error("a code stands apart, and what is no date stays")
	}
}

func TestPlaces_AreThoseOfTheCurrency(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{"EUR": 2, "JPY": 0, "OMR": 3} {
		if got := Places(code); got != want {
			t.Errorf("%s: %d", code, got)
		}
	}
}
