//go:build corpus

package operation

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// read parses a document as the parse operation does, and gives BT-24 besides.
func read(t *testing.T, s *Service, src []byte) (*invoice.Invoice, string, detect.Result) {
	t.Helper()
	doc, err := s.parser.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Release()
	found := detect.Document(s.formats, doc)
	reading, err := s.formats.Syntax("ubl").Codec.Read(context.Background(), doc)
	if err != nil {
		t.Fatal(err)
	}
	restore(found, reading)
	return reading.Invoice, found.Specification, found
}

// added are the members that writing fills in where a document leaves them out, with the sentence that says so. Every other
// member comes back as it was.
var added = map[string]string{
	"Items.ItemDescription":             "contract, item: itemDescription, when omitted the name is repeated",
	"Items.PriceBaseUnit":               "contract, item: priceBaseUnit defaults to unit",
	"Items.PriceDiscount":               "contract, item: priceDiscount is grossPrice minus unitPrice",
	"Items.GrossPrice":                  "contract, item: priceDiscount is grossPrice minus unitPrice",
	"Items.TaxCategoryCode":             "supplement §1, rule 12: S or Z when only taxRate is given",
	"TaxSummary.TaxCategoryCode":        "supplement §1, rule 12: S or Z when only taxRate is given",
	"AllowancesCharges.TaxCategoryCode": "supplement §1, rule 12: S or Z when only taxRate is given",
	"Seller.ElectronicAddress":          "supplement §1, rule 12: the party's e-mail with scheme EM",
	"Buyer.ElectronicAddress":           "supplement §1, rule 12: the party's e-mail with scheme EM",
	"Seller.Contact.Name":               "supplement §1, rule 12: contact name falls back to the party name",
	"Seller.Contact":                    "supplement §1, rule 12: contact name falls back to the party name",
	"CardAccount.NetworkID":             "UBL 2.1 demands cbc:NetworkID, for which EN 16931 has no term",
	"TaxSummary.TaxRate":                "supplement §1, rule 12: defaults a document needs (BR-DE-14 wants a rate in category O)",
	"BusinessProcess":                   "contract: when omitted the format's prescribed profile is used",
}

// writingAdds lets a member of the list appear in the second reading; it must not change or disappear.
var writingAdds = cmp.FilterPath(func(p cmp.Path) bool {
	name := ""
	for _, step := range p {
		if f, ok := step.(cmp.StructField); ok {
			name += "." + f.Name()
		}
	}
	if added[strings.TrimPrefix(strings.ReplaceAll(name, ".SubItems", ""), ".")] == "" {
		return false
	}
	before, _ := p.Last().Values()
	return before.IsZero()
}, cmp.Ignore())

// plainIBANs compares IBANs as programs exchange them: writing takes out the white space that they have on paper (BR-DE-19 among the
// rules that ask for it).
var plainIBANs = cmp.FilterPath(func(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && f.Name() == "IBAN"
}, cmp.Comparer(func(a, b string) bool { return invoice.PlainIBAN(a) == invoice.PlainIBAN(b) }))

// schemaValid is the number of UBL documents of the corpus that a schema accepts.
const schemaValid = 1504

// TestWritingWhatWasReadGivesTheSameInvoice reads, writes and reads again every schema-valid document; numbers are compared by
// value.
func TestWritingWhatWasReadGivesTheSameInvoice(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	compared, flipped := 0, 0
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		src, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		first, specification, found := read(t, s, src)
		derived, _, _ := read(t, s, src)
		p := &profile.Profile{Steps: profile.CommonSteps()}
		if row := found.Customisation; row != nil && row.Steps != nil {
			p = row.Steps
		}
		draft := p.Derive(derived)
		if slices.ContainsFunc(draft.Warnings, func(w finding.Finding) bool {
			return w.Code == finding.LineSignMoved || w.Code == finding.CreditNoteSignFlipped
		}) {
			flipped++
			continue
		}
		w := xmltree.NewWriter(xmltree.WriterOptions{})
		if _, err := s.formats.Syntax("ubl").Codec.Write(context.Background(), w, derived, format.Edition{Specification: specification}); err != nil {
			t.Error(d.Path, err)
			continue
		}
		second, _, _ := read(t, s, w.Bytes())
		if diff := cmp.Diff(first, second, writingAdds, plainIBANs); diff != "" {
			t.Errorf("%s/%s changes when it is written and read again (-first +second):\n%s", d.Set, d.Name, diff)
		}
		compared++
	}
	t.Logf("%d documents compared, %d left out because their signs are turned", compared, flipped)
	if compared+flipped != schemaValid {
		t.Errorf("%d documents, want %d", compared+flipped, schemaValid)
	}
}
