//go:build corpus

package operation

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestKSeFCorpus_UBLBecomesFA3 converts every UBL invoice of the corpus: it succeeds with a document that its rules let pass, or is
// refused with a reason.
func TestKSeFCorpus_UBLBecomesFA3(t *testing.T) {
	s := shippedService(t, today)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		_, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "PL", TargetFormat: "ksef"}})
		all.count(t, path, err)
	})
	all.check(t, 1)
}

// TestKSeFCorpus_UBLOfAPolishSellerBecomesFA3 writes every UBL invoice of the corpus as if a Polish taxpayer had sent it: what is made adds
// up, and what is not has a reason.
func TestKSeFCorpus_UBLOfAPolishSellerBecomesFA3(t *testing.T) {
	s := shippedService(t, today)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "pl", Format: "peppol-ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil {
			return
		}
		inv := parsed.Invoice
		inv.Seller.VATID, inv.Seller.CountryCode, inv.TaxCurrencyCode, inv.Profile = "PL1234563218", "PL", "", ""
		inv.CountrySpecific = &invoice.CountrySpecific{CountryCode: "PL", ExchangeRate: decimal.New(42567, 4)}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "PL", Format: "ksef", Body: generateBody(t, inv)})
		if !all.count(t, path, err) {
			return
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil || !sameCents(inv.Total, again.Invoice.Total) || len(again.Warnings) > 0 {
			t.Errorf("%s: %v, the total %s became another one", path, err, inv.Total)
		}
	})
	all.check(t, 100)
}

var anyIndex = regexp.MustCompile(`\[[0-9]+\]`)

// TestKSeFCorpus_GoesToUBLAndBack converts the ministry's examples to UBL and back: what both carry is kept.
func TestKSeFCorpus_GoesToUBLAndBack(t *testing.T) {
	s := shippedService(t, today)
	kept := 0
	for _, d := range ksefFormat.documents(t, 51) {
		name := d.Name
		if !d.Valid {
			continue
		}
		source := must(os.ReadFile(d.Path))(t)
		off := false
		there, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "PL", TargetFormat: "peppol-ubl", Validate: &off}})
		if err != nil {
			t.Logf("%s: %v", name, refusalOf(err))
			continue
		}
		back, err := s.Convert(t.Context(), ConvertRequest{Document: there.Data, Options: invoice.ConvertBody{TargetCountry: "PL", TargetFormat: "ksef", Validate: &off}})
		if err != nil {
			t.Logf("%s back: %v", name, refusalOf(err))
			continue
		}
		want, err := s.Parse(t.Context(), ParseRequest{Document: source})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Parse(t.Context(), ParseRequest{Document: back.Data})
		if err != nil {
			t.Fatal(err)
		}
		kept++
		for term, of := range ksefTerms {
			if term == "BT-3" && want.Invoice.Type == invoice.TypeCorrection {
				continue // Peppol BIS has no correction outside Germany
			}
			if diff := cmp.Diff(of(want.Invoice), of(got.Invoice), byDecimal); diff != "" {
				t.Errorf("%s: %s: %s", name, term, diff)
			}
		}
	}
	t.Logf("%d documents went there and back", kept)
	if kept < 10 {
		t.Error("too few documents go to UBL and back")
	}
}

// ksefTerms are terms that both formats carry.
var ksefTerms = map[string]func(*invoice.Invoice) any{
	"BT-1": func(i *invoice.Invoice) any { return i.InvoiceNumber }, "BT-2": func(i *invoice.Invoice) any { return i.IssueDate },
	"BT-3": func(i *invoice.Invoice) any { return i.Type }, "BT-5": func(i *invoice.Invoice) any { return i.Currency },
	"BT-9": func(i *invoice.Invoice) any { return i.DueDate }, "BT-13": func(i *invoice.Invoice) any { return i.OrderNumber },
	"BT-27": func(i *invoice.Invoice) any { return i.Seller.Name }, "BT-31": func(i *invoice.Invoice) any { return i.Seller.VATID },
	"BT-44": func(i *invoice.Invoice) any { return i.Buyer.Name }, "BT-48": func(i *invoice.Invoice) any { return i.Buyer.VATID },
	"BT-109": func(i *invoice.Invoice) any { return i.Subtotal }, "BT-112": func(i *invoice.Invoice) any { return i.Total },
	"BT-153": func(i *invoice.Invoice) any {
		var names []string
		for _, it := range i.Items {
			names = append(names, it.Description+" "+it.NetAmount.Trim().String())
		}
		return names
	},
	"BT-116": func(i *invoice.Invoice) any {
		var sums []string
		for _, g := range i.TaxSummary {
			sums = append(sums, g.TaxCategoryCode+" "+g.TaxRate.Trim().String()+" "+g.NetAmount.Trim().String()+" "+g.TaxAmount.Trim().String())
		}
		slices.Sort(sums)
		return sums
	},
}
