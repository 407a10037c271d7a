//go:build corpus

package operation

import (
	"errors"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format/facturae"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_FacturaeIsJudgedAsOfficially ensures that our schemas accept what the official ones accept, and nothing else, that every rule case
// reports its codes, and that documents that are right break no rule that refuses them.
func TestCorpus_FacturaeIsJudgedAsOfficially(t *testing.T) {
	facturaeFormat.judgedAsOfficially(t, 16, clean)
}

// TestCorpus_FacturaeComesBack ensures that every leaf of every valid document is in the invoice, each of a file with several, and that what is
// generated from it is read as the same invoice.
func TestCorpus_FacturaeComesBack(t *testing.T) {
	facturaeFormat.corpusComesBack(t, wayBack{least: 16, skips: func(d corpus.National) bool { return !clean(d) }, reports: none, refuses: none})
}

// TestCorpus_FacturaeLeaves ensures the account of every valid document: what is mapped or derived, and what is reported is nothing.
func TestCorpus_FacturaeLeaves(t *testing.T) {
	facturaeFormat.leaves(t, must(facturae.New())(t).Read, func(d corpus.National) bool { return d.Mutant }, func(mapping.Leaf) bool { return false })
}

// TestCorpus_UBLBecomesFacturae ensures that every valid UBL document either becomes a Facturae whose totals are its own, or is refused for a
// reason. Numbers and addresses are made to fit, without which most would be refused.
func TestCorpus_UBLBecomesFacturae(t *testing.T) {
	s := fullService(t)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "DE", Format: "ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil || parsed.Invoice.Buyer == nil {
			return
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
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "facturae", Body: requestOf(t, inv)})
		if refusal, is := errors.AsType[*finding.Refusal](err); is && fires(refusal.Errors[:1], finding.SchemaViolation) {
			t.Errorf("%s: %+v", path, refusal.Errors[0])
		}
		if !all.count(t, path, err) {
			return
		}
		for _, w := range answer.Warnings {
			if strings.HasPrefix(w.Code, "FACTURAE_TOTAL") || strings.HasPrefix(w.Code, "FACTURAE_BATCH") {
				t.Errorf("%s: %+v", path, w)
			}
		}
		back, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil || len(back.Warnings) > 0 {
			t.Errorf("%s: %v %+v", path, err, back)
			return
		}
		if got := back.Invoice; got.Subtotal.Abs().Cmp(inv.Subtotal.Abs()) != 0 || got.Total.Abs().Cmp(inv.Total.Abs()) != 0 || len(got.Items) == 0 {
			t.Errorf("%s: subtotal %s total %s, want %s %s", path, got.Subtotal, got.Total, inv.Subtotal, inv.Total)
		}
	})
	all.check(t, 100)
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
