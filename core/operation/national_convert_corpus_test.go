//go:build corpus

package operation

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_NationalsGoToUBLAndBack converts every valid document of a national format to UBL, and writes what is read of that in its own format: what the
// first invoice holds the last one holds as well, or one of both has said that it does not. What no UBL has, the members of countrySpecific and the national
// names of lines, is given for the way back as the sender of the invoice would give it.
func TestCorpus_NationalsGoToUBLAndBack(t *testing.T) {
	s := plainService(t)
	for _, f := range nationalFormats {
		t.Run(f.token, func(t *testing.T) {
			compared, refusedThere, refusedBack := 0, map[string]int{}, map[string]int{}
			for _, d := range validDocuments(t, f.token, f.older) {
				parsed, err := s.Parse(t.Context(), ParseRequest{Document: d.data})
				if err != nil {
					t.Errorf("%s: %v", d.name, refusalOf(err))
					continue
				}
				for i := range max(1, len(parsed.Invoices)) {
					there, err := s.Convert(t.Context(), ConvertRequest{Document: d.data, Options: ofSeveral(unchecked("ubl"), len(parsed.Invoices), i)})
					if isRefusal(t, err) {
						refusedThere[firstReason(err)]++
						continue
					}
					first := parsed.Invoice
					if len(parsed.Invoices) > 0 {
						first = parsed.Invoices[i]
					}
					middle := must(s.Parse(t.Context(), ParseRequest{Country: "de", Format: "ubl", Document: there.Data}))(t).Invoice
					withNationals(middle, first)
					back, err := s.Generate(t.Context(), GenerateRequest{Country: f.country, Format: f.token, Body: generateBody(t, middle)})
					if isRefusal(t, err) {
						refusedBack[firstReason(err)]++
						if refusedBack[firstReason(err)] == 1 {
							t.Logf("%s: %v", d.name, refusalOf(err))
						}
						continue
					}
					compared++
					last := must(s.Parse(t.Context(), ParseRequest{Document: back.Data}))(t).Invoice
					said := membersIn(there.ConversionWarnings, back.Warnings)
					restateNational(first, last)
					for _, lost := range missing(first, last) {
						if path, _, _ := strings.Cut(lost, " "); !told(said, path) && elsewhere[path] == "" {
							t.Errorf("%s loses %s in silence", d.name, lost)
						}
					}
				}
			}
			t.Logf("%d compared, refused on the way there %v, back %v", compared, refusedThere, refusedBack)
			if compared < 40 {
				t.Error("too few come back")
			}
		})
	}
}

// TestCorpus_UBLBecomesNational converts every valid UBL document to each national format: what is given out states the same amounts, and what is refused is so with
// 422 and a reason.
func TestCorpus_UBLBecomesNational(t *testing.T) {
	s := fullService(t)
	for _, f := range nationalFormats {
		t.Run(f.token, func(t *testing.T) {
			made, refused := 0, map[string]int{}
			for _, d := range corpus.UBL(t) {
				if !d.Valid {
					continue
				}
				source := must(os.ReadFile(d.Path))(t)
				answer, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: invoice.ConvertBody{TargetCountry: f.country, TargetFormat: f.token}})
				if r, is := errors.AsType[*finding.Refusal](err); is {
					if r.Kind != finding.Unprocessable || len(r.Errors) == 0 || r.Errors[0].Message == "" {
						t.Errorf("%s/%s: %+v", d.Set, d.Name, r)
					}
					refused[firstReason(err)]++
					continue
				}
				if err != nil {
					t.Fatal(d.Path, err)
				}
				made++
				before := must(s.Parse(t.Context(), ParseRequest{Country: "de", Format: "ubl", Document: source}))(t).Invoice
				after := must(s.Parse(t.Context(), ParseRequest{Document: answer.Data}))(t).Invoice
				if !sameCents(before.Total, after.Total) || !sameCents(before.Subtotal, after.Subtotal) {
					t.Errorf("%s/%s: %s and %s with tax became %s and %s", d.Set, d.Name, before.Subtotal, before.Total, after.Subtotal, after.Total)
				}
			}
			t.Logf("%d made, refused %v", made, refused)
		})
	}
}

// sameCents tells whether an amount, whatever its sign is, is the same but for what is less than a cent; one that the source does not state is any.
func sameCents(before, after decimal.Decimal) bool {
	return !before.IsSet() || before.Abs().Sub(after.Abs()).Abs().Cmp(decimal.New(5, 3)) < 0
}

// ofSeveral are the options for one of several invoices of a file.
func ofSeveral(options invoice.ConvertBody, count, i int) invoice.ConvertBody {
	if count > 0 {
		options.Index = &i
	}
	return options
}

// firstReason is the first code of a refusal with its member.
func firstReason(err error) string {
	if r, ok := err.(*finding.Refusal); ok && len(r.Errors) > 0 {
		return r.Errors[0].Code + " " + anyIndex.ReplaceAllString(r.Errors[0].Field, "[]")
	}
	return refusalOf(err)
}

// withNationals gives an invoice the members of another one that no UBL has.
func withNationals(to, from *invoice.Invoice) {
	to.CountrySpecific = from.CountrySpecific
	for i := range min(len(to.Items), len(from.Items)) {
		a, b := &to.Items[i], &from.Items[i]
		a.NatureCode, a.SupplyType, a.WithholdingFlag, a.GTU, a.VATExemptionCategory, a.IncomeClassification =
			b.NatureCode, b.SupplyType, b.WithholdingFlag, b.GTU, b.VATExemptionCategory, b.IncomeClassification
	}
	for i := range min(len(to.TaxSummary), len(from.TaxSummary)) {
		to.TaxSummary[i].NatureCode = from.TaxSummary[i].NatureCode
	}
}

// restateNational gives the first invoice the members that the last one has for the same terms, where their values are the same: telephone and address for mail of a
// party are those of its contact (BT-42, BT-43 …), a postcode that has no element is before the city, as a warning says, and a note alone has no code. The account
// that is paid to is the seller's where the payee has gone, as warnings say.
func restateNational(first, last *invoice.Invoice) {
	restate(first, last)
	for _, pair := range [][2]*invoice.Party{{first.Seller, last.Seller}, {first.Buyer, last.Buyer}} {
		a, b := pair[0], pair[1]
		if a == nil || b == nil {
			continue
		}
		if b.PostalCode == "" && b.City == a.PostalCode+" "+a.City {
			a.City = b.City
		}
		if b.Contact != nil {
			a.Phone, a.Email = elsewhereSaid(a.Phone, b.Phone, b.Contact.Phone), elsewhereSaid(a.Email, b.Email, b.Contact.Email)
		}
	}
	if p := first.Payee; p != nil && last.Payee == nil && p.BankAccount != nil && last.Seller.BankAccount != nil && *p.BankAccount == *last.Seller.BankAccount {
		p.BankAccount = nil
	}
	if notes := first.NoteEntries; len(notes) == 1 && len(last.NoteEntries) == 0 && notes[0].Text == last.Notes {
		first.NoteEntries = nil
	}
}

// elsewhereSaid is a text, or none where another member has it.
func elsewhereSaid(text, same, other string) string {
	if same == "" && text == other {
		return ""
	}
	return text
}

// membersIn are the members that messages and fields of findings name, without positions.
func membersIn(lists ...[]finding.Finding) map[string]bool {
	said := map[string]bool{}
	for _, w := range slices.Concat(lists...) {
		said[pattern(w.Field)] = true
		for _, m := range memberIn.FindAllStringSubmatch(w.Message, -1) {
			said[pattern(m[1])] = true
		}
	}
	return said
}
