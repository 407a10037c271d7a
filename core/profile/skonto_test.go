package profile

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The conditions of BR-DE-18 on the terms of payment (BT-20): a line that begins with a number sign has the form of a cash
// discount, and behind the last text between number signs comes white space with a line feed.
var (
	discountForm = regexp.MustCompile(`(^|\r?\n)#(SKONTO)#TAGE=([0-9]+#PROZENT=[0-9]+\.[0-9]{2})(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$`)
	lineEnd      = regexp.MustCompile(`\r?\n`)
	betweenSigns = regexp.MustCompile(`#.+#`)
	goesOn       = regexp.MustCompile(`^\s*\n`)
)

// keepsBRDE18 judges a text as the rule does.
func keepsBRDE18(text string) bool {
	lines := slices.DeleteFunc(lineEnd.Split(text, -1), func(line string) bool { return !strings.HasPrefix(strings.TrimSpace(line), "#") })
	parts := betweenSigns.Split(text, -1)
	for _, line := range lines {
		if !discountForm.MatchString(strings.Join(strings.Fields(line), " ")) || !goesOn.MatchString(parts[len(parts)-1]) {
			return false
		}
	}
	return true
}

func TestTheJudgeOfBRDE18IsTheRule(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "net": true, "#SKONTO#TAGE=14#PROZENT=2.25#\n": true, "net\n #SKONTO#TAGE=14#PROZENT=2.25#BASISBETRAG=-9.00# \nmore": true, "net #1#": true,
		"#SKONTO#TAGE=14#PROZENT=2.25#": false, "#SKONTO#TAGE=14#PROZENT=2.2#\n": false, "#SKONTO#TAGE=14#PROZENT=2.25#\nref #1#": false, "#VERZUG#TAGE=1#PROZENT=2.25#\n": false,
	} {
		if keepsBRDE18(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

// TestDiscountsAreWrittenAsBRDE18Wants draws terms and discounts of both forms and judges what Derive makes of them.
func TestDiscountsAreWrittenAsBRDE18Wants(t *testing.T) {
	p := XRechnung()
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.IntRange(0, 365).Draw(t, "days")
		percent := decimal.New(rapid.Int64Range(1, 10_000).Draw(t, "percent"), 2)
		var base decimal.Decimal
		if rapid.Bool().Draw(t, "base") {
			base = decimal.New(rapid.Int64Range(-1e9, 1e9).Draw(t, "amount"), rapid.IntRange(0, 4).Draw(t, "scale"))
		}
		inv := &invoice.Invoice{Type: invoice.TypeInvoice, IssueDate: "2026-01-01", Currency: "EUR", DueDate: "2026-02-01"}
		text := rapid.SampledFrom([]string{"", "net", "net\n", "net\r\n", "see #1#", "see #1# ", "#SKONTO#TAGE=30#PROZENT=1.00#", "a\r\n#SKONTO#TAGE=30#PROZENT=1.00#\r\nb", " #SKONTO#TAGE=30#PROZENT=1.00# "}).Draw(t, "text")
		inv.PaymentTerms = &invoice.PaymentTerms{Description: text}
		switch rapid.IntRange(0, 2).Draw(t, "form") {
		case 0:
			inv.CashDiscountDays, inv.CashDiscountPercent, inv.CashDiscountBaseAmount = &days, percent, base
		case 1:
			inv.PaymentTerms.EarlyPaymentDiscount = &invoice.EarlyDiscount{Days: &days, DiscountPercent: percent, BaseAmount: base}
		}
		if rapid.Bool().Draw(t, "retention") {
			inv.Retention = &invoice.Retention{Amount: decimal.New(5, 0)}
		}
		inv = p.Derive(inv).Invoice
		if !keepsBRDE18(inv.PaymentTerms.Description) {
			t.Fatalf("%q", inv.PaymentTerms.Description)
		}
	})
}
