package en16931

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// totals are the computed totals by term.
var totals = map[string]func(*invoice.Invoice) decimal.Decimal{"BT-106": TotalLines, "BT-107": TotalAllowances, "BT-108": TotalCharges,
	"BT-110": TotalTax, "BT-111": TotalTaxInTaxCurrency, "BT-112": TotalWithTax, "BT-115": AmountDue}

func TestTotalsAreTheSumsOfTheNorm(t *testing.T) {
	yes, no := true, false
	d := decimal.MustParse
	charge := func(isCharge *bool, amount string) invoice.DocumentCharge {
		return invoice.DocumentCharge{IsCharge: isCharge, Amount: d(amount)}
	}
	lines := []invoice.Item{{NetAmount: d("10.00")}, {NetAmount: d("20.5")}}
	cases := []struct {
		name string
		inv  invoice.Invoice
		want map[string]string // by term, "" for absent
	}{
		{"nothing is stated of nothing", invoice.Invoice{}, map[string]string{"BT-106": "", "BT-107": "", "BT-108": "", "BT-110": "", "BT-111": "", "BT-115": ""}},
		{"BT-106 is the net total where no charge makes a difference", invoice.Invoice{Subtotal: d("31.00"), Items: lines}, map[string]string{"BT-106": "31.00"}},
		{"BT-106 is the sum of the lines beside charges", invoice.Invoice{Subtotal: d("99"), Items: lines, AllowancesCharges: []invoice.DocumentCharge{charge(&yes, "1")}},
			map[string]string{"BT-106": "30.50", "BT-107": "", "BT-108": "1"}},
		{"an entry that does not say is an allowance", invoice.Invoice{AllowancesCharges: []invoice.DocumentCharge{charge(nil, "1.10"), charge(&no, "2.20"), charge(&yes, "3")}},
			map[string]string{"BT-107": "3.30", "BT-108": "3"}},
		{"computed totals have two decimals, halves upwards", invoice.Invoice{
			Items:             []invoice.Item{{NetAmount: d("0.004")}, {NetAmount: d("1.001")}},
			AllowancesCharges: []invoice.DocumentCharge{charge(&no, "0.005"), charge(&yes, "-0.005")},
			TaxSummary:        []invoice.TaxSummary{{TaxAmount: d("-1.005")}, {TaxAmount: d("0.010")}}},
			map[string]string{"BT-106": "1.01", "BT-107": "0.01", "BT-108": "0.00", "BT-110": "-0.99"}},
		{"BT-110 is the sum of the groups", invoice.Invoice{TaxSummary: []invoice.TaxSummary{{TaxAmount: d("19.00")}, {TaxAmount: d("0")}}}, map[string]string{"BT-110": "19.00"}},
		{"BT-111 is the sum in the tax currency", invoice.Invoice{Currency: "EUR", TaxCurrencyCode: "SEK",
			TaxSummary: []invoice.TaxSummary{{TaxCurrencyTaxAmount: d("1.5")}, {}, {TaxCurrencyTaxAmount: d("2.25")}}}, map[string]string{"BT-111": "3.75"}},
		{"BT-111 needs a tax currency", invoice.Invoice{Currency: "EUR", TaxSummary: []invoice.TaxSummary{{TaxCurrencyTaxAmount: d("1")}}}, map[string]string{"BT-111": ""}},
		{"BT-111 needs another currency than the invoice's", invoice.Invoice{Currency: "EUR", TaxCurrencyCode: "EUR", TaxSummary: []invoice.TaxSummary{{TaxCurrencyTaxAmount: d("1")}}},
			map[string]string{"BT-111": ""}},
		{"BT-111 is not made up", invoice.Invoice{Currency: "EUR", TaxCurrencyCode: "SEK", TaxSummary: []invoice.TaxSummary{{TaxAmount: d("1")}}}, map[string]string{"BT-111": ""}},
		{"BT-112 is BT-109 plus BT-110", invoice.Invoice{Subtotal: d("100.00"), TaxSummary: []invoice.TaxSummary{{TaxAmount: d("19.00")}, {TaxAmount: d("0.7")}}},
			map[string]string{"BT-112": "119.70"}},
		{"BT-112 needs BT-109", invoice.Invoice{TaxSummary: []invoice.TaxSummary{{TaxAmount: d("19.00")}}}, map[string]string{"BT-112": ""}},
		{"BT-115 is BT-112 less BT-113 plus BT-114", invoice.Invoice{Total: d("119.00"), PrepaidAmount: d("19.5"), RoundingAmount: d("-0.02")}, map[string]string{"BT-115": "99.48"}},
		{"BT-115 is BT-112 where nothing was paid", invoice.Invoice{Total: d("-119.00")}, map[string]string{"BT-115": "-119.00"}},
	}
	for _, c := range cases {
		for term, want := range c.want {
			if got := totals[term](&c.inv); got.String() != want {
				t.Errorf("%s: %s is %q, want %q", c.name, term, got, want)
			}
		}
	}
}

// TestTheAmountDueOfTheExtensionCountsThirdParties ensures BR-DEX-09.
func TestTheAmountDueOfTheExtensionCountsThirdParties(t *testing.T) {
	d := decimal.MustParse
	inv := &invoice.Invoice{Total: d("100.00"), PrepaidAmount: d("19.00"), RoundingAmount: d("0.02"),
		ThirdPartyPayments: []invoice.ThirdPartyPayment{{PaidAmount: d("75.00")}, {PaidAmount: d("-12.5")}}}
	if due := AmountDueWithThirdParties(inv); due.String() != "143.52" {
		t.Errorf("due are %s", due)
	}
	inv.Total = decimal.Decimal{}
	if due := AmountDueWithThirdParties(inv); due.IsSet() {
		t.Errorf("without a total: %s", due)
	}
}

// TestDetailLinesAloneCountInExtended ensures BR-FXEXT-CO-10.
func TestDetailLinesAloneCountInExtended(t *testing.T) {
	d, no := decimal.MustParse, false
	inv := &invoice.Invoice{Subtotal: d("29.50"), Items: []invoice.Item{{LineSubtype: invoice.LineGroup, NetAmount: d("30.50")}, {LineSubtype: invoice.LineDetail, NetAmount: d("10.50")},
		{NetAmount: d("20.00")}, {LineSubtype: invoice.LineInformation, NetAmount: d("7.00")}}}
	if sum := TotalDetailLines(inv); sum.String() != "29.50" {
		t.Errorf("without charges: %s", sum)
	}
	inv.AllowancesCharges = []invoice.DocumentCharge{{IsCharge: &no, Amount: d("1.00")}}
	if sum := TotalDetailLines(inv); sum.String() != "30.50" {
		t.Errorf("beside an allowance: %s", sum)
	}
}

// TestCreditNotesAreToldByTypeOrCode has the codes of both kinds, and the one that may be either.
func TestCreditNotesAreToldByTypeOrCode(t *testing.T) {
	for _, c := range []struct {
		typ  invoice.Type
		code string
		want bool
	}{
		{invoice.TypeInvoice, "380", false}, {invoice.TypeCreditNote, "", true}, {invoice.TypeInvoice, "261", true}, {"", "396", true},
		{invoice.TypeInvoice, "81", false}, {invoice.TypeCreditNote, "81", true}, {"", "", false},
	} {
		if got := IsCreditNote(&invoice.Invoice{Type: c.typ, CountrySpecific: &invoice.CountrySpecific{InvoiceTypeCode: c.code}}); got != c.want {
			t.Errorf("type %q with code %q: %t", c.typ, c.code, got)
		}
	}
	if IsCreditNote(&invoice.Invoice{Type: invoice.TypeInvoice}) {
		t.Error("without countrySpecific")
	}
}

// TestCardAndMandateStandWithTheirMethod ensures the first method of the kind, else the first one.
func TestCardAndMandateStandWithTheirMethod(t *testing.T) {
	for _, c := range []struct {
		codes       []string
		card, debit int
	}{
		{nil, 0, 0}, {[]string{"58", "30"}, 0, 0}, {[]string{"58", "48", "54"}, 1, 0}, {[]string{"58", "59", "49"}, 0, 1}, {[]string{"49", "55"}, 1, 0},
	} {
		inv := &invoice.Invoice{}
		for _, code := range c.codes {
			inv.PaymentMethods = append(inv.PaymentMethods, invoice.PaymentMethod{Code: code})
		}
		if card, debit := CardMethod(inv), DirectDebitMethod(inv); card != c.card || debit != c.debit {
			t.Errorf("%q: the card with %d, the mandate with %d", c.codes, card, debit)
		}
	}
}
