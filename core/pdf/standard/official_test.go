package standard

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
)

func amountOf(text string) decimal.Decimal { return decimal.MustParse(text) }

// filled is what templates see of an invoice.
func filled(t *testing.T, code string, inv *invoice.Invoice) block.Value {
	t.Helper()
	in, err := new(Layout).Fill(inv, code, "")
	if err != nil {
		t.Fatal(err)
	}
	return in.Data
}

func portugueseInvoice() *invoice.Invoice {
	return &invoice.Invoice{
		InvoiceNumber: "FT AB2026/35", Type: invoice.TypeInvoice, IssueDate: "2026-03-05", Currency: "EUR", Total: amountOf("384.3"),
		Seller: &invoice.Party{Name: "Exemplo", VATID: "PT123456789", CountryCode: "PT"}, Buyer: &invoice.Party{Name: "Modelo", CountryCode: "PT"},
		TaxSummary: []invoice.TaxSummary{
			{TaxRate: amountOf("6"), TaxCategoryCode: "S", NetAmount: amountOf("100"), TaxAmount: amountOf("6")},
			{TaxRate: amountOf("13.00"), TaxCategoryCode: "S", NetAmount: amountOf("100"), TaxAmount: amountOf("13")},
			{TaxRate: amountOf("23"), TaxCategoryCode: "S", NetAmount: amountOf("110"), TaxAmount: amountOf("25.3")},
			{TaxRate: amountOf("0"), TaxCategoryCode: "E", NetAmount: amountOf("20")},
			{TaxCategoryCode: "O", NetAmount: amountOf("10")},
		},
		CountrySpecific: &invoice.CountrySpecific{SeriesValidationCode: "CSDF7T5H", CertificateNumber: "9999", DocumentHash: "A123456789B123456789C123456789D123456789"},
	}
}

// TestPortugueseCode ensures the fields of the code of the Autoridade Tributária, and what stands beside it.
func TestPortugueseCode(t *testing.T) {
	data := filled(t, "PT", portugueseInvoice())
	want := "A:123456789*B:999999990*C:PT*D:FT*E:N*F:20260305*G:FT AB2026/35*H:CSDF7T5H-35*I1:PT*I2:20.00*I3:100.00*I4:6.00*I5:100.00*I6:13.00*I7:110.00*I8:25.30*" +
		"L:10.00*N:44.30*O:384.30*Q:ABCD*R:9999"
	if got := data.Get("official").Get("content").Text; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if official := data.Get("official"); official.Get("above").Text != "ATCUD:CSDF7T5H-35" || official.Get("beside").Text != "ABCD-Processado por programa certificado n.º 9999/AT" {
		t.Errorf("beside it %+v", official)
	}
	if foot := data.Get("seller").Get("foot").Text; !strings.Contains(foot, "ATCUD:CSDF7T5H-35") {
		t.Errorf("the foot of each page is %q", foot)
	}
}

// TestPortugueseCode_Regions has a row for each change that the code shows.
func TestPortugueseCode_Regions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*invoice.Invoice)
		want   string // in the code; empty where there is to be none
	}{
		"the Azores": {func(i *invoice.Invoice) {
			i.CountrySpecific.TaxRegion, i.TaxSummary[0].TaxRate = "PT-AC", amountOf("4")
		}, "*J1:PT-AC*J2:20.00*J3:100.00*J4:6.00*J7:210.00*J8:38.30*"},
		"Madeira": {func(i *invoice.Invoice) {
			i.CountrySpecific.TaxRegion, i.TaxSummary[1].TaxRate = "PT-MA", amountOf("12")
		}, "*K1:PT-MA*K2:20.00*K5:100.00*K6:13.00*"},
		"a credit note":   {func(i *invoice.Invoice) { i.Type = invoice.TypeCreditNote }, "*D:NC*E:N*"},
		"made by buyers":  {func(i *invoice.Invoice) { i.Type = invoice.TypeSelfBilled }, "*D:FT*E:S*"},
		"its own ATCUD":   {func(i *invoice.Invoice) { i.CountrySpecific.ATCUD = "XYZ-1" }, "*H:XYZ-1*"},
		"a buyer's NIF":   {func(i *invoice.Invoice) { i.Buyer.VATID = "PT987654321" }, "*B:987654321*C:PT*"},
		"four characters": {func(i *invoice.Invoice) { i.CountrySpecific.DocumentHash = "wxyz" }, "*Q:wxyz*"},
		"no hash":         {func(i *invoice.Invoice) { i.CountrySpecific.DocumentHash = "" }, ""},
		"no certificate":  {func(i *invoice.Invoice) { i.CountrySpecific.CertificateNumber = "" }, ""},
		"no series":       {func(i *invoice.Invoice) { i.CountrySpecific.SeriesValidationCode = "" }, ""},
		"in dollars":      {func(i *invoice.Invoice) { i.Currency = "USD" }, ""},
	} {
		inv := portugueseInvoice()
		c.change(inv)
		if got := filled(t, "PT", inv).Get("official").Get("content").Text; !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestGreekCode ensures that the address of myDATA is the code.
func TestGreekCode(t *testing.T) {
	inv := portugueseInvoice()
	inv.CountrySpecific = &invoice.CountrySpecific{QRURL: "https://mydata.example/q", Mark: "400001"}
	official := filled(t, "GR", inv).Get("official")
	if official.Get("content").Text != "https://mydata.example/q" || official.Get("below").Text != "myDATA" {
		t.Errorf("%+v", official)
	}
}

// TestTransferCode ensures the payload of the code for credit transfers, and when there is one (EPC069-12, version 002).
func TestTransferCode(t *testing.T) {
	inv := portugueseInvoice()
	inv.PaymentMethods = []invoice.PaymentMethod{{Type: invoice.PayCreditTransfer}}
	inv.Seller.BankAccount = &invoice.BankAccount{IBAN: "PT50 0002 0123 1234 5678 9015 4", BIC: "BCOMPTPL"}
	want := "BCD\n002\n1\nSCT\nBCOMPTPL\nExemplo\nPT50000201231234567890154\nEUR384.30\n\n\nFT AB2026/35"
	if got := filled(t, "PT", inv).Get("epc").Text; got != want {
		t.Errorf("%q", got)
	}
	for name, change := range map[string]func(*invoice.Invoice){
		"other means": func(i *invoice.Invoice) { i.PaymentMethods[0].Type = invoice.PayCash }, "dollars": func(i *invoice.Invoice) { i.Currency = "USD" },
		"nothing due": func(i *invoice.Invoice) { i.PrepaidAmount = i.Total }, "no account": func(i *invoice.Invoice) { i.Seller.BankAccount = nil },
	} {
		other := *inv
		other.PaymentMethods = []invoice.PaymentMethod{inv.PaymentMethods[0]}
		seller := *inv.Seller
		other.Seller = &seller
		change(&other)
		if got := filled(t, "PT", &other).Get("epc").Text; got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestPlaces ensures how places are written, and when the country is told.
func TestPlaces(t *testing.T) {
	for code, c := range map[string]struct {
		of   invoice.Party
		want string
	}{
		"DE": {invoice.Party{Name: "A", PostalCode: "28195", City: "Bremen", CountryCode: "DE"}, "A\n28195 Bremen"},
		"FR": {invoice.Party{Name: "A", PostalCode: "28195", City: "Bremen", CountryCode: "DE"}, "A\n28195 Bremen\nAllemagne"},
		"GB": {invoice.Party{Name: "A", PostalCode: "SW1A 1AA", City: "London", CountryCode: "GB"}, "A\nLondon SW1A 1AA"},
		"AU": {invoice.Party{Name: "A", PostalCode: "2000", City: "Sydney", State: "NSW", CountryCode: "AU"}, "A\nSydney NSW 2000"},
		"JP": {invoice.Party{Name: "A", PostalCode: "1010", City: "Wien", CountryCode: "AT"}, "A\n1010 Wien\nオーストリア"},
	} {
		inv := portugueseInvoice()
		inv.Buyer = &c.of
		if got := filled(t, code, inv).Get("buyer").Get("lines").Text; got != c.want {
			t.Errorf("%s: %q", code, got)
		}
	}
}

// TestLayouts ensures that each country has a template, and the unknown ones the generic.
func TestLayouts(t *testing.T) {
	l := new(Layout)
	seen := map[*block.Template]bool{}
	for _, code := range []string{"DE", "FR", "PL", "JP", "US"} {
		template, err := l.Template(code)
		if err != nil || template == nil {
			t.Fatalf("%s: %v", code, err)
		}
		seen[template] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d templates", len(seen))
	}
}

// TestShows ensures that members on paper in their country count as shown there alone.
func TestShows(t *testing.T) {
	l := new(Layout)
	for _, c := range []struct {
		code, path string
		want       bool
	}{
		{"BG", "countrySpecific.eik", true}, {"DE", "countrySpecific.eik", false}, {"PL", "countrySpecific.splitPayment", true}, {"PL", "countrySpecific.isJst", false},
		{"PT", "countrySpecific.documentHash", true}, {"GR", "countrySpecific.correlatedMarks[]", true}, {"DE", "invoiceNumber", true}, {"DE", "items[].gtin", false},
	} {
		if got := l.Shows(c.code, c.path); got != c.want {
			t.Errorf("%s %s: %v", c.code, c.path, got)
		}
	}
}

// TestReferencesOfCountries ensures that the national twins of the buyer's reference stand in its place, and how a Danish payment card is written.
func TestReferencesOfCountries(t *testing.T) {
	for _, c := range []struct {
		code, generic string
		specific      invoice.CountrySpecific
		want, card    string
	}{
		{"DE", "", invoice.CountrySpecific{BuyerReference: "B-1", LeitwegID: "04011000-1-23"}, "B-1", ""},
		{"DE", "", invoice.CountrySpecific{LeitwegID: "04011000-1-23"}, "04011000-1-23", ""},
		{"DE", "G-1", invoice.CountrySpecific{BuyerReference: "B-1"}, "G-1", ""},
		{"DK", "", invoice.CountrySpecific{FIK: &invoice.FIK{CardType: "71", CreditorNumber: "12345678", PaymentID: "000000000000012"}}, "", "+71<000000000000012+12345678<"},
		{"DK", "", invoice.CountrySpecific{GiroAccount: "1234567", FIK: &invoice.FIK{CardType: "04", PaymentID: "0000000000000012"}}, "", "+04<0000000000000012+1234567<"},
		{"DK", "", invoice.CountrySpecific{FIK: &invoice.FIK{CardType: "73", CreditorNumber: "12345678"}}, "", "+73<+12345678<"},
		{"SE", "", invoice.CountrySpecific{FIK: &invoice.FIK{CardType: "73", CreditorNumber: "12345678"}}, "", ""},
	} {
		inv := portugueseInvoice()
		inv.BuyerReference, inv.CountrySpecific = c.generic, &c.specific
		data := filled(t, c.code, inv)
		if got := data.Get("buyerReference").Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
		if payments := data.Get("payments").Text; !strings.Contains(payments, c.card) || c.card == "" && strings.Contains(payments, "<") {
			t.Errorf("%s: %q, want %q", c.code, payments, c.card)
		}
	}
}

// TestTitle ensures that a document is called as its country calls it, in a language of others by the words of that.
func TestTitle(t *testing.T) {
	inv := portugueseInvoice()
	inv.Type = invoice.TypeCreditNote
	for _, c := range []struct{ code, language, want string }{
		{"DE", "", "Rechnungskorrektur"}, {"DE", "fr", "Avoir"}, {"AE", "en", "Tax Credit Note / إشعار دائن ضريبي"}, {"US", "", "Credit note"},
	} {
		in, err := new(Layout).Fill(inv, c.code, c.language)
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Data.Get("title").Text; got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.code, c.language, got, c.want)
		}
	}
}

// TestLines_Details ensures what stands below the description of a line, and that a description which says the same again does not.
func TestLines_Details(t *testing.T) {
	inv := portugueseInvoice()
	inv.Items = []invoice.Item{{Description: "Chair", ItemDescription: "Chair", ArticleNumber: "A-1"}, {Description: "Chair", ItemDescription: "of wood"}}
	rows := filled(t, "PT", inv).Get("lines").List
	if first, second := rows[0], rows[1]; first.Get("text").Text != "Chair" || first.Get("details").Text != "A-1" || second.Get("details").Text != "of wood" {
		t.Errorf("%+v", rows)
	}
}
