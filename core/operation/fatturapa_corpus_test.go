//go:build corpus

package operation

import (
	"cmp"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/format/fatturapa"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_FatturaPAIsJudgedAsOfficially ensures that our schema accepts what the official one accepts, and nothing else, that every rule
// case reports its codes, and that what the authority publishes breaks no rule that refuses it.
func TestCorpus_FatturaPAIsJudgedAsOfficially(t *testing.T) {
	fatturapaFormat.judgedAsOfficially(t, 14, func(d corpus.National) bool { return published(d) || strings.HasPrefix(d.Name, "made-") })
}

// TestCorpus_FatturaPAComesBack ensures that every leaf of every valid document is in the invoice, each of a file with several, that what is
// generated from it is read as the same invoice, and that convert writes it without a loss.
func TestCorpus_FatturaPAComesBack(t *testing.T) {
	abroad := func(d corpus.National) bool { return strings.HasPrefix(d.Name, "eigor-") } // no party is in Italy (00476): there is nothing to generate
	fatturapaFormat.corpusComesBack(t, wayBack{least: 14, skips: func(d corpus.National) bool { return !clean(d) }, reports: none, refuses: abroad})
}

// TestCorpus_FatturaPALeaves ensures the account of every valid document: what is mapped or derived, and what is reported is nothing.
func TestCorpus_FatturaPALeaves(t *testing.T) {
	fatturapaFormat.leaves(t, must(fatturapa.New())(t).Read, func(d corpus.National) bool { return d.Mutant }, func(mapping.Leaf) bool { return false })
}

// TestCorpus_UBLBecomesFatturaPA ensures that every valid UBL document either becomes a FatturaPA whose totals are its own, or is refused for a
// reason. The parties are moved to Italy: of parties abroad the Sistema di Interscambio takes no invoice.
func TestCorpus_UBLBecomesFatturaPA(t *testing.T) {
	s := fullService(t)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		parsed, err := s.Parse(t.Context(), ParseRequest{Country: "DE", Format: "ubl", Document: source})
		if err != nil || parsed.Invoice.Seller == nil || parsed.Invoice.Buyer == nil {
			return
		}
		inv := parsed.Invoice
		italian(inv.Seller, "IT12345678903")
		italian(inv.Buyer, "IT09876543217")
		inv.InvoiceNumber, inv.IssueDate, inv.ReferencedInvoiceDate = "T-1", "2026-08-31", ""
		inv.CountrySpecific = &invoice.CountrySpecific{CountryCode: "IT", RecipientCode: "ABC1234"}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "IT", Format: "fatturapa", Body: requestOf(t, inv)})
		if !all.count(t, path, err) {
			return
		}
		back, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if off := back.Invoice.Subtotal.Sub(inv.Subtotal).Abs(); off.Cmp(decimal.New(1, 0)) > 0 && back.Invoice.Subtotal.Sign() == inv.Subtotal.Sign() {
			t.Errorf("%s: the groups add up to %s, subtotal is %s", path, back.Invoice.Subtotal, inv.Subtotal)
		}
		if again := fatturapaFormat.generate(t, s, requestOf(t, back.Invoice)).Data; len(again) == 0 {
			t.Errorf("%s: nothing is written again", path)
		}
	})
	all.check(t, 500)
}

// italian moves a party to Italy.
func italian(p *invoice.Party, vatID string) {
	p.CountryCode, p.VATID, p.TaxID, p.PostalCode, p.State, p.ElectronicAddress = "IT", vatID, "", "20121", "", nil
	p.Street, p.City = cmp.Or(p.Street, "Via Roma 1"), cmp.Or(p.City, "Milano")
}
