//go:build corpus

package operation

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format/isdoc"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// isdocCorpus are the documents of the corpus, mutants and rule cases included.
func isdocCorpus(t *testing.T) []corpus.National {
	t.Helper()
	all := corpus.Nationals(t, "isdoc")
	if len(all) < 37 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

// TestISDOCCorpus_IsJudgedAsOfficially ensures that our schema accepts what the official one accepts, and nothing else, that every rule case
// reports its codes, and that no other document reports an error.
func TestISDOCCorpus_IsJudgedAsOfficially(t *testing.T) {
	s := fullService(t)
	for _, d := range isdocCorpus(t) {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Format: "isdoc", Document: must(os.ReadFile(d.Path))(t)})
		if err != nil {
			if d.Valid {
				t.Errorf("%s: %v", d.Name, err)
			}
			continue
		}
		var codes []string
		for _, e := range answer.Errors {
			codes = append(codes, e.Code)
		}
		schema := !slices.Contains(codes, finding.SchemaViolation) && !slices.Contains(codes, finding.ValidationNotRun)
		if schema != d.Valid {
			t.Errorf("%s: by our schema %t, officially %t: %+v", d.Name, schema, d.Valid, answer.Errors)
		}
		for _, want := range d.Expect {
			if !slices.Contains(codes, want) {
				t.Errorf("%s: %v without %s", d.Name, codes, want)
			}
		}
		if d.Valid && !d.Mutant && !answer.Valid && len(d.Expect) == 0 {
			t.Errorf("%s: %+v", d.Name, answer.Errors)
		}
	}
}

// TestISDOCCorpus_ComesBack parses every valid document, writes its invoice and parses that: the invoice is the same, numbers by value.
func TestISDOCCorpus_ComesBack(t *testing.T) {
	s := fullService(t)
	compared := 0
	for _, d := range isdocCorpus(t) {
		if !d.Valid || len(d.Expect) > 0 {
			continue
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: must(os.ReadFile(d.Path))(t)})
		if err != nil {
			t.Errorf("%s: %v", d.Name, refusalOf(err))
			continue
		}
		written, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: generateBody(t, parsed.Invoice)})
		if err != nil {
			t.Errorf("%s: %v", d.Name, refusalOf(err))
			continue
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
		if err != nil || len(again.Warnings) > 0 {
			t.Errorf("%s: %v %+v", d.Name, refusalOf(err), again)
			continue
		}
		compared++
		if diff := gocmp.Diff(parsed.Invoice, again.Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", d.Name, diff)
		}
	}
	if compared < 16 {
		t.Errorf("only %d documents", compared)
	}
}

// reportedByISDOC are the leaves that are in no invoice, by what their paths end with, with the reason.
var reportedByISDOC = map[string]string{
	"/@version":   "what is written is 6.0.2; detection tells the version",
	"/Extensions": "elements in here are of the sender's own namespace, and mean something to the sender alone",
}

// TestISDOCCorpus_Leaves ensures the account of every valid document: what is mapped, derived or reported is all of it, and what is reported
// stands in the list.
func TestISDOCCorpus_Leaves(t *testing.T) {
	f, err := isdoc.New()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	for _, d := range isdocCorpus(t) {
		if !d.Valid {
			continue
		}
		o := s.open(t.Context(), must(os.ReadFile(d.Path))(t), formatAndCountry)
		if o.Err != nil {
			t.Errorf("%s: %v", d.Name, o.Err)
			continue
		}
		said, err := f.Read(t.Context(), o.doc)
		if err != nil {
			t.Fatal(err)
		}
		if a := said.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(o.doc) || len(a.Leaves) != a.Reported {
			t.Errorf("%s: %d leaves, %d mapped, %d derived, %d reported", d.Name, mappingtest.Leaves(o.doc), a.Mapped, a.Derived, a.Reported)
		}
		for _, leaf := range said.Account.Leaves {
			if !reported(leaf) {
				t.Errorf("%s: %+v", d.Name, leaf)
			}
		}
		o.Release()
	}
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
	made, refused := 0, map[string]int{}
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "DE", Format: "ubl", Document: must(os.ReadFile(d.Path))(t)})
		if err != nil || parsed.Invoice.Seller == nil || parsed.Invoice.Buyer == nil {
			continue
		}
		inv := parsed.Invoice
		inv.Seller.VATID, inv.Seller.CountryCode, inv.TaxCurrencyCode, inv.Profile = cmp.Or(inv.Seller.VATID, "CZ12345679"), "CZ", "", ""
		inv.CountrySpecific = &invoice.CountrySpecific{CountryCode: "CZ", ReverseChargeCode: "4"}
		if inv.Currency != "CZK" {
			inv.CountrySpecific.ExchangeRate = decimal.New(25105, 3)
		}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: generateBody(t, inv)})
		var refusal *finding.Refusal
		switch {
		case errors.As(err, &refusal) && len(refusal.Errors) > 0 && refusal.Errors[0].Message != "":
			refused[refusal.Errors[0].Code+" "+anyIndex.ReplaceAllString(refusal.Errors[0].Field, "[]")]++
			continue
		case err != nil:
			t.Errorf("%s/%s: %v", d.Set, d.Name, err)
			continue
		}
		made++
		back, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil || len(back.Warnings) > 0 {
			t.Errorf("%s/%s: %v %+v", d.Set, d.Name, err, back)
			continue
		}
		if back.Invoice.Subtotal.Abs().Cmp(inv.Subtotal.Abs()) != 0 || back.Invoice.Total.Abs().Cmp(inv.Total.Abs()) != 0 {
			t.Errorf("%s/%s: %s %s, want %s %s", d.Set, d.Name, back.Invoice.Subtotal, back.Invoice.Total, inv.Subtotal, inv.Total)
		}
		if _, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: generateBody(t, back.Invoice)}); err != nil {
			t.Errorf("%s/%s again: %v", d.Set, d.Name, refusalOf(err))
		}
	}
	t.Logf("%d made, refused %v", made, refused)
	if made < 500 {
		t.Errorf("only %d documents were made", made)
	}
}

// TestISDOCCorpus_GoesToUBLAndBack converts the documents of the corpus to UBL and back: what both carry is kept.
func TestISDOCCorpus_GoesToUBLAndBack(t *testing.T) {
	s := fullService(t)
	kept, off := 0, false
	for _, d := range isdocCorpus(t) {
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
