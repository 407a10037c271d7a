//go:build corpus

package operation

import (
	"cmp"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/format/isdoc"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestISDOCCorpus_IsJudgedAsOfficially ensures that our schema accepts what the official one accepts, and nothing else, that every rule case
// reports its codes, and that no other document reports an error.
func TestISDOCCorpus_IsJudgedAsOfficially(t *testing.T) {
	isdocFormat.judgedAsOfficially(t, 37, clean)
}

// TestISDOCCorpus_ComesBack parses every valid document, writes its invoice and parses that: the invoice is the same, numbers by value.
func TestISDOCCorpus_ComesBack(t *testing.T) {
	isdocFormat.corpusComesBack(t, wayBack{least: 16, skips: func(d corpus.National) bool { return len(d.Expect) > 0 },
		reports: func(corpus.National) bool { return true }, refuses: none})
}

// reportedByISDOC are the leaves that are in no invoice, by what their paths end with, with the reason.
var reportedByISDOC = map[string]string{
	"/@version":   "what is written is 6.0.2; detection tells the version",
	"/Extensions": "elements in here are of the sender's own namespace, and mean something to the sender alone",
}

// TestISDOCCorpus_Leaves ensures the account of every valid document: what is mapped, derived or reported is all of it, and what is reported
// stands in the list.
func TestISDOCCorpus_Leaves(t *testing.T) {
	isdocFormat.leaves(t, must(isdoc.New())(t).Read, none, reported)
}

func reported(leaf mapping.Leaf) bool {
	if leaf.Path == "/Invoice/@version" {
		return reportedByISDOC["/@version"] != ""
	}
	return strings.Contains(leaf.Path, "/Extensions/") && reportedByISDOC["/Extensions"] != ""
}

// TestISDOCCorpus_UBLBecomesISDOC ensures that every valid UBL document, moved to a Czech seller, either becomes a document whose totals are its
// own, or is refused for a reason.
func TestISDOCCorpus_UBLBecomesISDOC(t *testing.T) {
	s := fullService(t)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "DE", Format: "ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil || parsed.Invoice.Buyer == nil {
			return
		}
		inv := parsed.Invoice
		inv.Seller.VATID, inv.Seller.CountryCode, inv.TaxCurrencyCode, inv.Profile = cmp.Or(inv.Seller.VATID, "CZ12345679"), "CZ", "", ""
		inv.CountrySpecific = &invoice.CountrySpecific{CountryCode: "CZ", ReverseChargeCode: "4"}
		if inv.Currency != "CZK" {
			inv.CountrySpecific.ExchangeRate = decimal.New(25105, 3)
		}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: generateBody(t, inv)})
		if !all.count(t, path, err) {
			return
		}
		back, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil || len(back.Warnings) > 0 {
			t.Errorf("%s: %v %+v", path, err, back)
			return
		}
		if back.Invoice.Subtotal.Abs().Cmp(inv.Subtotal.Abs()) != 0 || back.Invoice.Total.Abs().Cmp(inv.Total.Abs()) != 0 {
			t.Errorf("%s: %s %s, want %s %s", path, back.Invoice.Subtotal, back.Invoice.Total, inv.Subtotal, inv.Total)
		}
		if _, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: generateBody(t, back.Invoice)}); err != nil {
			t.Errorf("%s again: %v", path, refusalOf(err))
		}
	})
	all.check(t, 500)
}

// TestISDOCCorpus_GoesToUBLAndBack converts the documents of the corpus to UBL and back: what both carry is kept.
func TestISDOCCorpus_GoesToUBLAndBack(t *testing.T) {
	s := fullService(t)
	kept, off := 0, false
	for _, d := range isdocFormat.documents(t, 37) {
		if !d.Valid || len(d.Expect) > 0 {
			continue
		}
		source := must(os.ReadFile(d.Path))(t)
		there, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "ubl", Validate: &off}})
		if err != nil {
			t.Logf("%s: %v", d.Name, refusalOf(err))
			continue
		}
		want, err := s.Parse(t.Context(), ParseRequest{Document: source})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Parse(t.Context(), ParseRequest{Document: there.Data})
		if err != nil {
			t.Fatal(err)
		}
		if want.Invoice.Currency == "CZK" {
			back, err := s.Convert(t.Context(), ConvertRequest{Document: there.Data, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "isdoc", Validate: &off}})
			if err != nil {
				t.Errorf("%s back: %v", d.Name, refusalOf(err))
				continue
			}
			if got, err = s.Parse(t.Context(), ParseRequest{Document: back.Data}); err != nil {
				t.Fatal(err)
			}
		}
		kept++
		for term, of := range ksefTerms {
			if term == "BT-3" && want.Invoice.Type == invoice.TypeCorrection {
				continue // Peppol BIS has no correction outside Germany
			}
			if diff := gocmp.Diff(of(want.Invoice), of(got.Invoice), byDecimal); diff != "" {
				t.Errorf("%s: %s: %s", d.Name, term, diff)
			}
		}
	}
	t.Logf("%d documents went to UBL", kept)
	if kept < 8 {
		t.Error("too few documents go to UBL")
	}
}
