//go:build corpus

package operation

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_NAVIsJudgedAsOfficially holds our schema against the official one, the authority's examples against our rules, and each rule
// case against the codes that the authority reports.
func TestCorpus_NAVIsJudgedAsOfficially(t *testing.T) {
	navFormat.judgedAsOfficially(t, 48, published)
}

// TestCorpus_NAVComesBack parses every valid document with all of its leaves, writes its invoice and parses that: it is the same.
func TestCorpus_NAVComesBack(t *testing.T) {
	navFormat.corpusComesBack(t, wayBack{least: 16, skips: none, reports: none,
		refuses: func(d corpus.National) bool { return d.Mutant || len(d.Expect) > 0 }})
}

// TestCorpus_UBLBecomesNAV converts every UBL invoice of the corpus: what is made states the same total, and what is not is refused with a
// reason.
func TestCorpus_UBLBecomesNAV(t *testing.T) {
	s := shippedService(t, today)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		_, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetFormat: "nav"}})
		all.count(t, path, err)
	})
	all.check(t, 0)
}

// TestCorpus_UBLOfAHungarianSellerBecomesNAV writes every UBL invoice of the corpus as if a Hungarian taxpayer had sent it: what is made adds
// up, and what is not has a reason.
func TestCorpus_UBLOfAHungarianSellerBecomesNAV(t *testing.T) {
	s := shippedService(t, today)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "hu", Format: "ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil {
			return
		}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, ofHungary(parsed.Invoice))})
		if !all.count(t, path, err) {
			return
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil {
			t.Fatal(err)
		}
		if again.Invoice.Total.Abs().Cmp(parsed.Invoice.Total.Abs()) != 0 || len(again.Warnings) > 0 {
			t.Errorf("%s: total %s, was %s; %+v", path, again.Invoice.Total, parsed.Invoice.Total, again.Warnings)
		}
		for _, w := range answer.Warnings {
			if strings.HasPrefix(w.Code, "INCORRECT_SUMMARY") {
				t.Errorf("%s: %+v", path, w)
			}
		}
	})
	all.check(t, 100)
}

// ofHungary gives an invoice a Hungarian seller and the rates of Hungary where it has others.
func ofHungary(inv *invoice.Invoice) *invoice.Invoice {
	inv.Seller.VATID, inv.Seller.TaxID, inv.Seller.CountryCode, inv.TaxCurrencyCode, inv.Profile = "HU12345676", "", "HU", "", ""
	inv.CountrySpecific = &invoice.CountrySpecific{CountryCode: "HU"}
	if inv.Currency != "HUF" {
		inv.CountrySpecific.ExchangeRate = decimal.New(38567, 2)
	}
	if inv.ReferencedInvoiceNumber == "" && inv.Type == invoice.TypeCreditNote {
		inv.ReferencedInvoiceNumber = "1"
	}
	return inv
}

// TestCorpus_NAVGoesToUBLAndBack converts the authority's examples to UBL and back: what both carry is kept.
func TestCorpus_NAVGoesToUBLAndBack(t *testing.T) {
	s := shippedService(t, today)
	kept := 0
	for _, d := range navFormat.documents(t, 48) {
		name := d.Name
		if !d.Valid || !published(d) {
			continue
		}
		source, off := must(os.ReadFile(d.Path))(t), false
		want, err := s.Parse(t.Context(), ParseRequest{Document: source})
		if err != nil {
			t.Fatal(err)
		}
		there, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "AT", TargetFormat: "ubl", Validate: &off}})
		if err != nil {
			t.Logf("%s: %v", name, refusalOf(err))
			continue
		}
		read, err := s.Parse(t.Context(), ParseRequest{Country: "at", Format: "ubl", Document: there.Data})
		if err != nil {
			t.Fatal(err)
		}
		read.Invoice.CountrySpecific = &invoice.CountrySpecific{CountryCode: "HU"}
		if want.Invoice.Currency != "HUF" {
			read.Invoice.CountrySpecific.ExchangeRate = want.Invoice.CountrySpecific.ExchangeRate
		}
		back, err := s.Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, read.Invoice)})
		if err != nil {
			t.Logf("%s back: %v", name, refusalOf(err))
			continue
		}
		got, err := s.Parse(t.Context(), ParseRequest{Document: back.Data})
		if err != nil {
			t.Fatal(err)
		}
		kept++
		for term, of := range ksefTerms {
			if term == "BT-3" && want.Invoice.Type == invoice.TypeCorrection || term == "BT-31" {
				continue
			}
			if diff := cmp.Diff(of(want.Invoice), of(got.Invoice), byDecimal); diff != "" {
				t.Errorf("%s: %s: %s", name, term, diff)
			}
		}
	}
	t.Logf("%d documents went there and back", kept)
	if kept < 8 {
		t.Error("too few documents go to UBL and back")
	}
}
