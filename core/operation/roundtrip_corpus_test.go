//go:build corpus

package operation

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
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

// added are the members that writing fills in where a document leaves them out, with the sentence that says so: by the sets whose names
// begin so, and "" for all. Lines within lines have those of lines. Every other member comes back as it was.
var added = map[string]map[string]string{
	"": {
		"items[].itemDescription":             "contract, item: itemDescription, when omitted the name is repeated",
		"items[].priceBaseUnit":               "contract, item: priceBaseUnit defaults to unit",
		"items[].priceDiscount":               "contract, item: priceDiscount is grossPrice minus unitPrice",
		"items[].grossPrice":                  "contract, item: priceDiscount is grossPrice minus unitPrice",
		"items[].taxCategoryCode":             "supplement §1, rule 12: S or Z when only taxRate is given",
		"taxSummary[].taxCategoryCode":        "supplement §1, rule 12: S or Z when only taxRate is given",
		"allowancesCharges[].taxCategoryCode": "supplement §1, rule 12: S or Z when only taxRate is given",
		"seller.electronicAddress":            "supplement §1, rule 12: the party's e-mail with scheme EM",
		"buyer.electronicAddress":             "supplement §1, rule 12: the party's e-mail with scheme EM",
		"seller.contact.name":                 "supplement §1, rule 12: contact name falls back to the party name",
		"cardAccount.networkId":               "UBL 2.1 demands cbc:NetworkID, for which EN 16931 has no term",
		"taxSummary[].taxRate":                "supplement §1, rule 12: defaults a document needs (BR-DE-14 wants a rate in category O)",
		"businessProcess":                     "contract: when omitted the format's prescribed profile is used",
		"prepaidAmount":                       "supplement §1b: prepayments without prepaidAmount: BT-113 is their sum",
		"taxSummary[].exemptionReason":        "EN 16931: the reason of an exemption stands once for each tax group (BT-120)",
		"taxSummary[].exemptionReasonCode":    "EN 16931: the reason of an exemption stands once for each tax group (BT-121)",
	},
	"pint-": {
		"items[].taxExemptionReason":              "PINT: the reason of an exemption stands at lines as well (IBT-185)",
		"items[].taxExemptionReasonCode":          "PINT: the reason of an exemption stands at lines as well (IBT-186)",
		"allowancesCharges[].exemptionReason":     "PINT: the reason of an exemption stands at allowances and charges as well (IBT-197, IBT-199)",
		"allowancesCharges[].exemptionReasonCode": "PINT: the reason of an exemption stands at allowances and charges as well (IBT-196, IBT-198)",
	},
	"pint-ae": {
		"taxCurrencyCode":                 "PINT AE: an invoice in another currency has its tax in dirhams (ibr-175-ae)",
		"items[].grossAmount":             "PINT AE: each line states its amount with tax in dirhams (BTAE-10)",
		"items[].priceBaseQuantity":       "PINT AE: a price has the quantity that it is for (ibr-126-ae)",
		"countrySpecific.transactionType": "PINT AE: what is not marked is none of the special transactions (BTAE-02)",
		"countrySpecific.uuid":            "PINT AE: a document has a UUID (BTAE-07)",
	},
	"pint-om": {
		"taxCurrencyCode":                 "PINT OM: an invoice in another currency has its tax in rials (IBR-034-OM)",
		"items[].grossAmount":             "PINT OM: each line states its amount with VAT (BTOM-017)",
		"items[].classification[]":        "PINT OM: an item has an activity and a kind (BTOM-033, BTOM-034, BTOM-019)",
		"countrySpecific.transactionType": "PINT OM: a document is a full tax invoice unless it says more (BTOM-001)",
		"countrySpecific.uuid":            "PINT OM: a document has a UUID (BTOM-002)",
		"countrySpecific.issueTime":       "PINT OM: the time of issue is demanded (IBT-168)",
	},
	"hr": {
		"items[].taxExemptionReason":          "HR CIUS: what is exempt says why (HR-BT-13)",
		"allowancesCharges[].exemptionReason": "HR CIUS: what is exempt says why (HR-BT-7)",
		"items[].taxCategoryName":             "HR CIUS: what is exempt names its category (HR-BT-12)",
		"allowancesCharges[].taxCategoryName": "HR CIUS: what is exempt names its category (HR-BT-6)",
	},
}

// mayAdd tells whether writing may fill in a member of a document of a set.
func mayAdd(set, path string) bool {
	path = strings.ReplaceAll(pattern(path), ".subItems[]", "")
	for begin, members := range added {
		if !strings.HasPrefix(set, begin) {
			continue
		}
		for at := path; at != ""; at = at[:max(0, strings.LastIndexAny(at, "."))] {
			if members[at] != "" {
				return true
			}
		}
	}
	return false
}

// schemaValid is the number of UBL documents of the corpus that a schema accepts.
const schemaValid = 1504

// TestWritingWhatWasReadGivesTheSameInvoice reads, writes and reads again every schema-valid document: every member comes back in its place
// with the value that it had, or writing has said that it does not; and nothing comes beside them but what a sentence wants. Numbers are
// compared by value.
func TestWritingWhatWasReadGivesTheSameInvoice(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	seen, flipped := 0, 0
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		src, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		first, specification, found := read(t, s, src)
		draft := followed(found).Derive(first)
		if slices.ContainsFunc(draft.Warnings, turnsSigns) {
			flipped++
			continue
		}
		w := xmltree.NewWriter(xmltree.WriterOptions{})
		unwritten, err := s.formats.Syntax("ubl").Codec.Write(context.Background(), w, draft.Invoice, format.Edition{Specification: specification})
		if err != nil {
			t.Error(d.Path, err)
			continue
		}
		second, _, _ := read(t, s, w.Bytes())
		checkComesBack(t, &d, plainOf(first), plainOf(second), missedBy(unwritten, draft))
		seen++
	}
	t.Logf("%d documents compared, %d left out because their signs are turned", seen, flipped)
	if seen+flipped != schemaValid {
		t.Errorf("%d documents, want %d", seen+flipped, schemaValid)
	}
}

// missedBy are the members of which writing says that they are not written, or not as they were.
func missedBy(unwritten []mapping.Unwritten, draft *profile.Draft) map[string]bool {
	said := map[string]bool{}
	for _, u := range unwritten {
		said[pattern(draft.Original(u.Field))] = true
	}
	for _, w := range draft.Warnings {
		said[pattern(w.Field)] = true
	}
	return said
}

func checkComesBack(t *testing.T, d *corpus.Document, first, second map[string]string, said map[string]bool) {
	t.Helper()
	for path, value := range first {
		if got, there := second[path]; (!there || got != value) && elsewhere[pattern(path)] == "" && !told(said, pattern(path)) {
			t.Errorf("%s/%s: %s is %q, and %q when it is written and read again", d.Set, d.Name, path, value, got)
		}
	}
	for path, value := range second {
		if _, there := first[path]; !there && !mayAdd(d.Set, path) {
			t.Errorf("%s/%s: %s is not set, and %q when it is written and read again", d.Set, d.Name, path, value)
		}
	}
}

// plainOf are the members of an invoice by their paths, as they are compared: its notes in one text, as formats with one note have them,
// and the amounts of lines with tax only where they say something else than the other amounts of the line.
func plainOf(inv *invoice.Invoice) map[string]string {
	inv = inv.Clone()
	for _, note := range inv.NoteEntries {
		mark := ""
		if note.SubjectCode != "" {
			mark = "#" + note.SubjectCode + "#"
		}
		inv.Notes = strings.TrimPrefix(inv.Notes+"\n"+mark+note.Text, "\n")
	}
	inv.NoteEntries = nil
	withoutRepeatedGross(inv)
	plain := map[string]string{}
	for path, value := range invoice.Leaves(inv) {
		plain[path] = compared(path, value)
	}
	return plain
}

// withoutRepeatedGross takes the amounts with tax out of lines where they are the net amount and its tax, to within one of the smallest
// units of the currency: EN 16931 has no term for them, and formats that have one want them computed.
func withoutRepeatedGross(inv *invoice.Invoice) {
	unit := decimal.New(1, invoice.AmountDecimals(inv.Currency))
	for _, it := range inv.Lines() {
		tax := it.GrossAmount.Sub(it.NetAmount)
		repeats := func(said decimal.Decimal) bool { return tax.Sub(said).Abs().Cmp(unit) <= 0 }
		if it.GrossAmount.IsSet() && (repeats(it.TaxAmount) || repeats(invoice.TaxOf(it.NetAmount, it.TaxRate))) {
			it.GrossAmount = decimal.Decimal{}
		}
	}
}
