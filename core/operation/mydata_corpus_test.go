//go:build corpus

package operation

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/format/mydata"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestMyDataCorpus_VerdictsAreThoseOfTheSchema holds our schema against the official one, and the authority's examples against our rules.
func TestMyDataCorpus_VerdictsAreThoseOfTheSchema(t *testing.T) {
	myDataFormat.judgedAsOfficially(t, 45, func(d corpus.National) bool { return d.Valid && len(d.Expect) == 0 })
}

// TestMyDataCorpus_ComesBack parses every valid document, writes its invoice and parses that: every leaf is in the invoice, and the invoice
// is the same, numbers by value.
func TestMyDataCorpus_ComesBack(t *testing.T) {
	myDataFormat.corpusComesBack(t, wayBack{least: 16, skips: func(d corpus.National) bool { return len(d.Expect) > 0 }, reports: none, refuses: none})
}

// TestMyDataCorpus_UBLBecomesMyData converts every UBL invoice of the corpus, and writes it as if a Greek seller had sent it at the rate of
// Greece: it succeeds with totals that add up, or is refused with a reason.
func TestMyDataCorpus_UBLBecomesMyData(t *testing.T) {
	s := shippedService(t, today)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		_, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "GR", TargetFormat: "mydata"}})
		all.count(t, path, err)
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "DE", Format: "ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil || parsed.Invoice.Buyer == nil {
			return
		}
		inv := parsed.Invoice
		becomesGreek(inv)
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "GR", Format: "mydata", Body: generateBody(t, inv)})
		if all.count(t, path, err) {
			addsUp(t, s, path, inv, answer.Data)
		}
	})
	all.check(t, 500)
}

// becomesGreek makes an invoice that of a Greek seller: what is taxed is so at 24 %, as far as lines and groups have it.
func becomesGreek(inv *invoice.Invoice) {
	inv.Seller.VATID, inv.Seller.TaxID, inv.Seller.CountryCode, inv.TaxCurrencyCode, inv.Profile = "EL123456783", "", "GR", "", ""
	inv.InvoiceNumber, inv.Retention, inv.RoundingAmount = "T-1", nil, decimal.Decimal{}
	inv.CountrySpecific = &invoice.CountrySpecific{CountryCode: "GR", ExchangeRate: decimal.New(108420, 5)}
	greek := decimal.New(24, 0)
	for i := range inv.Items {
		if it := &inv.Items[i]; it.TaxRate.Sign() > 0 {
			it.TaxRate, it.TaxAmount, it.GrossAmount = greek, invoice.TaxOf(it.NetAmount, greek), decimal.Decimal{}
		}
	}
	for i := range inv.AllowancesCharges {
		if c := &inv.AllowancesCharges[i]; c.TaxRate.Sign() > 0 {
			c.TaxRate = greek
		}
	}
	var groups []invoice.TaxSummary
	taxed := -1
	for _, g := range inv.TaxSummary {
		g.TaxCurrencyTaxAmount = decimal.Decimal{}
		switch {
		case g.TaxRate.Sign() <= 0:
			groups = append(groups, g)
		case taxed < 0:
			taxed, g.TaxRate = len(groups), greek
			groups = append(groups, g)
		default:
			groups[taxed].NetAmount = groups[taxed].NetAmount.Add(g.NetAmount)
		}
	}
	inv.Total = inv.Subtotal
	if taxed >= 0 {
		groups[taxed].TaxAmount = invoice.TaxOf(groups[taxed].NetAmount, greek)
		inv.Total = inv.Subtotal.Add(groups[taxed].TaxAmount)
	}
	inv.TaxSummary = groups
}

// addsUp holds the totals of a document against those of its invoice.
func addsUp(t *testing.T, s *Service, path string, want *invoice.Invoice, document []byte) {
	t.Helper()
	got, err := s.Parse(t.Context(), ParseRequest{Document: document})
	if err != nil || len(got.Warnings) > 0 {
		t.Errorf("%s: %v %+v", path, err, got)
		return
	}
	if got.Invoice.Total.Abs().Cmp(want.Total.Abs()) != 0 || got.Invoice.Subtotal.Abs().Cmp(want.Subtotal.Abs()) != 0 {
		t.Errorf("%s: %s %s became %s %s", path, want.Subtotal, want.Total, got.Invoice.Subtotal, got.Invoice.Total)
	}
	myDataFormat.invoiceComesBack(t, s, corpus.National{Name: path}, wayBack{refuses: none, loses: true}, got.Invoice)
}

// TestMyDataCorpus_EveryLeafIsInTheInvoice ensures the account of every valid document: what is mapped or derived, and what is reported is
// nothing.
func TestMyDataCorpus_EveryLeafIsInTheInvoice(t *testing.T) {
	myDataFormat.leaves(t, must(mydata.New())(t).Read, func(d corpus.National) bool { return len(d.Expect) > 0 || strings.Contains(d.Name, "batch") },
		func(mapping.Leaf) bool { return false })
}
