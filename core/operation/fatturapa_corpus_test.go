//go:build corpus

package operation

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format/fatturapa"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_FatturaPAIsJudgedAsOfficially ensures that our schema accepts what the official one accepts, and nothing else, that every rule
// case reports its codes, and that what the authority publishes breaks no rule that refuses it.
func TestCorpus_FatturaPAIsJudgedAsOfficially(t *testing.T) {
	s := fullService(t)
	for _, d := range corpus.Nationals(t, "fatturapa") {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "IT", Format: "fatturapa", Document: must(os.ReadFile(d.Path))(t)})
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
		if (strings.HasPrefix(d.Name, "off-") || strings.HasPrefix(d.Name, "made-")) && !answer.Valid {
			t.Errorf("%s: %+v", d.Name, answer.Errors)
		}
	}
}

// TestCorpus_FatturaPAComesBack ensures that every leaf of every valid document is in the invoice, each of a file with several, that what is
// generated from it is read as the same invoice, and that convert writes it without a loss.
func TestCorpus_FatturaPAComesBack(t *testing.T) {
	s := fullService(t)
	compared := 0
	for _, d := range corpus.Nationals(t, "fatturapa") {
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
		if strings.HasPrefix(d.Name, "eigor-") {
			continue // both parties are in other countries than Italy (00476), and there is nothing to generate
		}
		for _, inv := range all {
			compared++
			again, err := s.Parse(t.Context(), ParseRequest{Document: regenerated(t, s, inv)})
			if err != nil {
				t.Errorf("%s: %v", d.Name, err)
				continue
			}
			if diff := gocmp.Diff(inv, again.Invoice, gocmp.Comparer(func(a, b decimal.Decimal) bool { return a.IsSet() == b.IsSet() && a.Cmp(b) == 0 })); diff != "" {
				t.Errorf("%s: %s", d.Name, diff)
			}
		}
	}
	if compared < 14 {
		t.Errorf("only %d invoices", compared)
	}
}

// TestCorpus_FatturaPALeaves ensures the account of every valid document: what is mapped or derived, and what is reported is nothing.
func TestCorpus_FatturaPALeaves(t *testing.T) {
	f, err := fatturapa.New()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	for _, d := range corpus.Nationals(t, "fatturapa") {
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

// TestCorpus_UBLBecomesFatturaPA ensures that every valid UBL document either becomes a FatturaPA whose totals are its own, or is refused for a
// reason. The parties are moved to Italy: of parties abroad the Sistema di Interscambio takes no invoice.
func TestCorpus_UBLBecomesFatturaPA(t *testing.T) {
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
		italian(inv.Seller, "IT12345678903")
		italian(inv.Buyer, "IT09876543217")
		inv.InvoiceNumber, inv.IssueDate, inv.ReferencedInvoiceDate = "T-1", "2026-08-31", ""
		inv.CountrySpecific = &invoice.CountrySpecific{CountryCode: "IT", RecipientCode: "ABC1234"}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "IT", Format: "fatturapa", Body: must(json.Marshal(map[string]any{"invoice": inv}))(t)})
		var refusal *finding.Refusal
		switch {
		case errors.As(err, &refusal) && len(refusal.Errors) > 0 && refusal.Errors[0].Message != "":
			refused[refusal.Errors[0].Code]++
			continue
		case err != nil:
			t.Errorf("%s/%s: %v", d.Set, d.Name, err)
			continue
		}
		made++
		back, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil {
			t.Errorf("%s/%s: %v", d.Set, d.Name, err)
			continue
		}
		if off := back.Invoice.Subtotal.Sub(inv.Subtotal).Abs(); off.Cmp(decimal.New(1, 0)) > 0 && back.Invoice.Subtotal.Sign() == inv.Subtotal.Sign() {
			t.Errorf("%s/%s: the groups add up to %s, subtotal is %s", d.Set, d.Name, back.Invoice.Subtotal, inv.Subtotal)
		}
		if again := regenerated(t, s, back.Invoice); len(again) == 0 {
			t.Errorf("%s/%s: nothing is written again", d.Set, d.Name)
		}
	}
	t.Logf("%d made, refused %v", made, refused)
	if made < 500 {
		t.Errorf("only %d documents were made", made)
	}
}

// italian moves a party to Italy.
func italian(p *invoice.Party, vatID string) {
	p.CountryCode, p.VATID, p.TaxID, p.PostalCode, p.State, p.ElectronicAddress = "IT", vatID, "", "20121", "", nil
	p.Street, p.City = cmp.Or(p.Street, "Via Roma 1"), cmp.Or(p.City, "Milano")
}
