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
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format/mydata"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// myDataVerdict is what the corpus says of a document: whether it is valid by the authority's schema, and the rules that it breaks.
type myDataVerdict struct {
	Valid  bool
	Expect []string
}

// myDataVerdicts are the verdicts of the corpus: of documents and mutants, and of documents that break a rule each.
func myDataVerdicts(t *testing.T) (documents, rules map[string]myDataVerdict) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "verdicts", "mydata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Documents, Mutants, Rules map[string]myDataVerdict }
	if err := json.Unmarshal(data, &said); err != nil {
		t.Fatal(err)
	}
	documents = map[string]myDataVerdict{}
	for _, list := range []map[string]myDataVerdict{said.Documents, said.Mutants} {
		for name, v := range list {
			documents[name] = v
		}
	}
	if len(documents) < 32 || len(said.Rules) < 13 {
		t.Fatalf("%d documents, %d rules", len(documents), len(said.Rules))
	}
	return documents, said.Rules
}

func myDataDocument(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "mydata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestMyDataCorpus_VerdictsAreThoseOfTheSchema holds our schema against the official one, and the authority's examples against our rules.
func TestMyDataCorpus_VerdictsAreThoseOfTheSchema(t *testing.T) {
	s := shippedService(t, today)
	documents, _ := myDataVerdicts(t)
	for name, v := range documents {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "GR", Format: "mydata", Document: myDataDocument(t, name)})
		if err != nil {
			if v.Valid {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		failed := slices.ContainsFunc(answer.Errors, func(f finding.Finding) bool {
			return f.Code == finding.SchemaViolation || f.Code == finding.ValidationNotRun
		})
		if failed == v.Valid {
			t.Errorf("%s: valid is %v, want %v: %+v", name, !failed, v.Valid, answer.Errors)
		}
		if v.Valid && !answer.Valid {
			t.Errorf("%s: %+v", name, answer.Errors)
		}
	}
}

// TestMyDataCorpus_RulesFire ensures that every rule case reports the code that it was made for.
func TestMyDataCorpus_RulesFire(t *testing.T) {
	s := shippedService(t, today)
	_, rules := myDataVerdicts(t)
	for name, v := range rules {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "GR", Format: "mydata", Document: myDataDocument(t, name)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, code := range v.Expect {
			if !slices.ContainsFunc(answer.Errors, func(f finding.Finding) bool { return f.Code == code || f.Rule == code }) {
				t.Errorf("%s: %s is not among %+v", name, code, answer.Errors)
			}
		}
	}
}

// TestMyDataCorpus_ComesBack parses every valid document, writes its invoice and parses that: every leaf is in the invoice, and the invoice
// is the same, numbers by value.
func TestMyDataCorpus_ComesBack(t *testing.T) {
	s := shippedService(t, today)
	documents, rules := myDataVerdicts(t)
	for name := range rules {
		documents[name] = myDataVerdict{}
	}
	for name, v := range documents {
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: myDataDocument(t, name)})
		if err != nil {
			if v.Valid {
				t.Errorf("%s: %v", name, refusalOf(err))
			}
			continue
		}
		if v.Valid && len(parsed.Warnings) > 0 {
			t.Errorf("%s: %+v", name, parsed.Warnings)
		}
		if !v.Valid {
			continue
		}
		invoices := parsed.Invoices
		if len(invoices) == 0 {
			invoices = []*invoice.Invoice{parsed.Invoice}
		}
		for i, inv := range invoices {
			comesBackAsMyData(t, s, name, i, inv)
		}
	}
}

func comesBackAsMyData(t *testing.T, s *Service, name string, i int, inv *invoice.Invoice) {
	t.Helper()
	written, err := s.Generate(t.Context(), GenerateRequest{Country: "GR", Format: "mydata", Body: generateBody(t, inv)})
	if err != nil {
		t.Errorf("%s %d: %v", name, i, refusalOf(err))
		return
	}
	again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
	if err != nil {
		t.Errorf("%s %d: %v", name, i, refusalOf(err))
		return
	}
	if diff := cmp.Diff(inv, again.Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s %d: %s", name, i, diff)
	}
}

// TestMyDataCorpus_UBLBecomesMyData converts every UBL invoice of the corpus, and writes it as if a Greek seller had sent it at the rate of
// Greece: it succeeds with totals that add up, or is refused with a reason.
func TestMyDataCorpus_UBLBecomesMyData(t *testing.T) {
	s := shippedService(t, today)
	made, refused := 0, map[string]int{}
	count := func(path string, err error) {
		var refusal *finding.Refusal
		switch {
		case err == nil:
			made++
		case errors.As(err, &refusal) && len(refusal.Errors) > 0 && refusal.Errors[0].Message != "":
			refused[refusal.Errors[0].Code+" "+anyIndex.ReplaceAllString(refusal.Errors[0].Field, "[]")]++
		default:
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		source, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: "GR", TargetFormat: "mydata"}})
		count(d.Path, err)
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "DE", Format: "ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil || parsed.Invoice.Buyer == nil {
			continue
		}
		inv := parsed.Invoice
		becomesGreek(inv)
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "GR", Format: "mydata", Body: generateBody(t, inv)})
		count(d.Path, err)
		if err == nil {
			addsUp(t, s, d.Path, inv, answer.Data)
		}
	}
	t.Logf("%d made, refused %v", made, refused)
	if made < 500 {
		t.Errorf("only %d are made", made)
	}
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
	comesBackAsMyData(t, s, path, 0, got.Invoice)
}

// TestMyDataCorpus_EveryLeafIsInTheInvoice ensures the account of every valid document: what is mapped or derived, and what is reported is
// nothing.
func TestMyDataCorpus_EveryLeafIsInTheInvoice(t *testing.T) {
	f, err := mydata.New()
	if err != nil {
		t.Fatal(err)
	}
	documents, _ := myDataVerdicts(t)
	for name, v := range documents {
		if !v.Valid || strings.Contains(name, "batch") {
			continue
		}
		doc, err := xmltree.Parse(myDataDocument(t, name), xmltree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		said, err := f.Read(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		if a := said.Account; a.Reported > 0 || a.Mapped+a.Derived != mappingtest.Leaves(doc) {
			t.Errorf("%s: %d leaves, %d mapped, %d derived, reported %+v", name, mappingtest.Leaves(doc), a.Mapped, a.Derived, a.Leaves)
		}
		doc.Release()
	}
}
