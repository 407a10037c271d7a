//go:build corpus

package operation

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format/facturae"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_FacturaeIsJudgedAsOfficially ensures that our schemas accept what the official ones accept, and nothing else, that every rule case
// reports its codes, and that documents that are right break no rule that refuses them.
func TestCorpus_FacturaeIsJudgedAsOfficially(t *testing.T) {
	s := fullService(t)
	for _, d := range corpus.Nationals(t, "facturae") {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "ES", Format: "facturae", Document: must(os.ReadFile(d.Path))(t)})
		if err != nil {
			if d.Valid {
				t.Errorf("%s: %v", d.Name, err)
			}
			continue
		}
		var codes []string
		for _, e := range slices.Concat(answer.Errors, answer.Warnings) {
			codes = append(codes, e.Code)
		}
		if schema := !slices.Contains(codes, finding.SchemaViolation) && !slices.Contains(codes, finding.ValidationNotRun); schema != d.Valid {
			t.Errorf("%s: by our schema %t, officially %t: %+v", d.Name, schema, d.Valid, answer.Errors)
		}
		for _, want := range d.Expect {
			if !slices.Contains(codes, want) {
				t.Errorf("%s: %v without %s", d.Name, codes, want)
			}
		}
		if d.Valid && !d.Mutant && len(d.Expect) == 0 && !answer.Valid {
			t.Errorf("%s: %+v", d.Name, answer.Errors)
		}
	}
}

// TestCorpus_FacturaeComesBack ensures that every leaf of every valid document is in the invoice, each of a file with several, and that what is
// generated from it is read as the same invoice.
func TestCorpus_FacturaeComesBack(t *testing.T) {
	s := fullService(t)
	compared := 0
	for _, d := range corpus.Nationals(t, "facturae") {
		if !d.Valid || d.Mutant || len(d.Expect) > 0 {
			continue
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: must(os.ReadFile(d.Path))(t)})
		if err != nil || len(parsed.Warnings) > 0 {
			t.Errorf("%s: %v %+v", d.Name, err, parsed)
			continue
		}
		all := parsed.Invoices
		if all == nil {
			all = append(all, parsed.Invoice)
		}
		for _, inv := range all {
			compared++
			again, err := s.Parse(t.Context(), ParseRequest{Document: regeneratedFacturae(t, s, inv)})
			if err != nil {
				t.Errorf("%s: %v", d.Name, err)
				continue
			}
			if diff := gocmp.Diff(inv, again.Invoice, byValue); diff != "" {
				t.Errorf("%s: %s", d.Name, diff)
			}
		}
	}
	if compared < 16 {
		t.Errorf("only %d invoices", compared)
	}
}

// byValue compares numbers by their values.
var byValue = gocmp.Comparer(func(a, b decimal.Decimal) bool { return a.IsSet() == b.IsSet() && a.Cmp(b) == 0 })

// TestCorpus_FacturaeLeaves ensures the account of every valid document: what is mapped or derived, and what is reported is nothing.
func TestCorpus_FacturaeLeaves(t *testing.T) {
	f, err := facturae.New()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	for _, d := range corpus.Nationals(t, "facturae") {
		if !d.Valid || d.Mutant {
			continue
		}
		o := s.open(t.Context(), must(os.ReadFile(d.Path))(t), formatAndCountry)
		if o.Err != nil {
			t.Errorf("%s: %v", d.Name, o.Err)
			continue
		}
		if len(o.infos) > 0 {
			continue // the leaves of a signature are none of the invoice
		}
		said, err := f.Read(t.Context(), o.doc)
		if err != nil {
			t.Fatal(err)
		}
		if a := said.Account; a.Reported > 0 || a.Mapped+a.Derived != mappingtest.Leaves(o.doc) {
			t.Errorf("%s: %d leaves, %d mapped, %d derived, reported %+v", d.Name, mappingtest.Leaves(o.doc), a.Mapped, a.Derived, a.Leaves)
		}
		o.Release()
	}
}

// TestCorpus_UBLBecomesFacturae ensures that every valid UBL document either becomes a Facturae whose totals are its own, or is refused for a
// reason. Numbers and addresses are made to fit, without which most would be refused.
func TestCorpus_UBLBecomesFacturae(t *testing.T) {
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
		spanishParty(inv.Seller, "ESB12345674")
		spanishParty(inv.Buyer, "ESA98765432")
		inv.InvoiceNumber, inv.IssueDate = "T-1", "2026-03-31"
		if inv.ReferencedInvoiceNumber == "" && inv.Type != invoice.TypeInvoice {
			inv.ReferencedInvoiceNumber = "T-0"
		}
		inv.ReferencedInvoiceNumber = inv.ReferencedInvoiceNumber[:min(20, len(inv.ReferencedInvoiceNumber))]
		inv.CountrySpecific = nil
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "facturae", Body: must(json.Marshal(map[string]any{"invoice": inv}))(t)})
		var refusal *finding.Refusal
		switch {
		case errors.As(err, &refusal) && len(refusal.Errors) > 0 && refusal.Errors[0].Message != "":
			refused[refusal.Errors[0].Code]++
			if refusal.Errors[0].Code == finding.SchemaViolation {
				t.Errorf("%s/%s: %+v", d.Set, d.Name, refusal.Errors[0])
			}
			continue
		case err != nil:
			t.Errorf("%s/%s: %v", d.Set, d.Name, err)
			continue
		}
		made++
		for _, w := range answer.Warnings {
			if strings.HasPrefix(w.Code, "FACTURAE_TOTAL") || strings.HasPrefix(w.Code, "FACTURAE_BATCH") {
				t.Errorf("%s/%s: %+v", d.Set, d.Name, w)
			}
		}
		back, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil || len(back.Warnings) > 0 {
			t.Errorf("%s/%s: %v %+v", d.Set, d.Name, err, back)
			continue
		}
		if got := back.Invoice; got.Subtotal.Abs().Cmp(inv.Subtotal.Abs()) != 0 || got.Total.Abs().Cmp(inv.Total.Abs()) != 0 || len(got.Items) == 0 {
			t.Errorf("%s/%s: subtotal %s total %s, want %s %s", d.Set, d.Name, got.Subtotal, got.Total, inv.Subtotal, inv.Total)
		}
	}
	t.Logf("%d written, refused %v", made, refused)
	if made < 100 {
		t.Errorf("only %d documents became one", made)
	}
}

// spanishParty gives a party a number and an address in Spain.
func spanishParty(p *invoice.Party, vat string) {
	p.VATID, p.TaxID, p.CountryCode, p.PostalCode, p.State = vat, "", "ES", "28013", ""
	if p.Street == "" {
		p.Street = "Calle Mayor 1"
	}
	if p.City == "" {
		p.City = "Madrid"
	}
}
