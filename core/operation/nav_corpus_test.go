//go:build corpus

package operation

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// navVerdict is what the corpus says of a document: whether the authority's schema takes it, and which codes the authority reports.
type navVerdict struct {
	Valid  bool
	Expect []string
	Level  string
}

// navVerdicts are those of the documents, mutants and rule cases of the corpus, by path.
func navVerdicts(t *testing.T) map[string]navVerdict {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "verdicts", "nav.json"))
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Documents, Mutants, Rules map[string]navVerdict }
	if err := json.Unmarshal(data, &said); err != nil {
		t.Fatal(err)
	}
	all := map[string]navVerdict{}
	for _, list := range []map[string]navVerdict{said.Documents, said.Mutants, said.Rules} {
		for name, v := range list {
			all[name] = v
		}
	}
	if len(all) < 48 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

func navDocument(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "nav", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCorpus_NAVIsJudgedAsOfficially holds our schema against the official one, the authority's examples against our rules, and each rule
// case against the codes that the authority reports.
func TestCorpus_NAVIsJudgedAsOfficially(t *testing.T) {
	s := shippedService(t, today)
	for name, said := range navVerdicts(t) {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "HU", Format: "nav", Document: navDocument(t, name)})
		if err != nil {
			if said.Valid {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		schema := !slices.ContainsFunc(answer.Errors, func(f finding.Finding) bool {
			return f.Code == finding.SchemaViolation || f.Code == finding.ValidationNotRun
		})
		if schema != said.Valid {
			t.Errorf("%s: valid is %v, want %v: %+v", name, schema, said.Valid, answer.Errors)
		}
		if strings.HasPrefix(name, "off-") && !answer.Valid {
			t.Errorf("%s: %+v", name, answer.Errors)
		}
		list := answer.Errors
		if said.Level == "warning" {
			list = answer.Warnings
		}
		for _, code := range said.Expect {
			if !slices.ContainsFunc(list, func(f finding.Finding) bool { return f.Code == code || f.Rule == code }) {
				t.Errorf("%s: no %s in %+v %+v", name, code, answer.Errors, answer.Warnings)
			}
		}
	}
}

// TestCorpus_NAVComesBack parses every valid document with all of its leaves, writes its invoice and parses that: it is the same.
func TestCorpus_NAVComesBack(t *testing.T) {
	s := shippedService(t, today)
	for name, said := range navVerdicts(t) {
		if !said.Valid {
			continue
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: navDocument(t, name)})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		if len(parsed.Warnings) > 0 {
			t.Errorf("%s: reported: %+v", name, parsed.Warnings)
		}
		written, err := s.Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, parsed.Invoice)})
		if err != nil {
			if !strings.HasPrefix(name, "rules/") && !strings.HasPrefix(name, "mutants/") {
				t.Errorf("%s: %v", name, refusalOf(err))
			}
			continue
		}
		if strings.HasPrefix(name, "rules/") { // what is wrong there is not written again
			continue
		}
		for _, w := range written.Warnings {
			if isLoss(w) {
				t.Errorf("%s: lost: %+v", name, w)
			}
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		if diff := cmp.Diff(parsed.Invoice, again.Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestCorpus_UBLBecomesNAV converts every UBL invoice of the corpus: what is made states the same total, and what is not is refused with a
// reason.
func TestCorpus_UBLBecomesNAV(t *testing.T) {
	s := shippedService(t, today)
	made, refused := 0, map[string]int{}
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		source, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetFormat: "nav"}})
		switch refusal, is := errors.AsType[*finding.Refusal](err); {
		case err == nil:
			made++
		case is && len(refusal.Errors) > 0 && refusal.Errors[0].Message != "":
			refused[refusal.Errors[0].Code+" "+anyIndex.ReplaceAllString(refusal.Errors[0].Field, "[]")]++
		default:
			t.Errorf("%s: %v", d.Path, err)
		}
	}
	t.Logf("%d made, refused %v", made, refused)
}

// TestCorpus_UBLOfAHungarianSellerBecomesNAV writes every UBL invoice of the corpus as if a Hungarian taxpayer had sent it: what is made adds
// up, and what is not has a reason.
func TestCorpus_UBLOfAHungarianSellerBecomesNAV(t *testing.T) {
	s := shippedService(t, today)
	made, refused := 0, map[string]int{}
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		source, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "hu", Format: "ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil {
			continue
		}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "HU", Format: "nav", Body: generateBody(t, ofHungary(parsed.Invoice))})
		switch refusal, is := errors.AsType[*finding.Refusal](err); {
		case is && len(refusal.Errors) > 0:
			refused[refusal.Errors[0].Code+" "+anyIndex.ReplaceAllString(refusal.Errors[0].Field, "[]")]++
			if refusal.Errors[0].Code == finding.SchemaViolation {
				t.Logf("%s: %s", d.Path, refusal.Errors[0].Message)
			}
		case err != nil:
			t.Errorf("%s: %v", d.Path, err)
		default:
			made++
			again, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
			if err != nil {
				t.Fatal(err)
			}
			if again.Invoice.Total.Abs().Cmp(parsed.Invoice.Total.Abs()) != 0 || len(again.Warnings) > 0 {
				t.Errorf("%s: total %s, was %s; %+v", d.Path, again.Invoice.Total, parsed.Invoice.Total, again.Warnings)
			}
			for _, w := range answer.Warnings {
				if strings.HasPrefix(w.Code, "INCORRECT_SUMMARY") {
					t.Errorf("%s: %+v", d.Path, w)
				}
			}
		}
	}
	t.Logf("%d made, refused %v", made, refused)
	if made < 100 {
		t.Errorf("only %d are made", made)
	}
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
	for name, said := range navVerdicts(t) {
		if !said.Valid || !strings.HasPrefix(name, "off-") {
			continue
		}
		source, off := navDocument(t, name), false
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
