package ubl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

func thirdPartyPayments() []invoice.ThirdPartyPayment {
	return []invoice.ThirdPartyPayment{
		{Type: "Deposit", PaidAmount: decimal.MustParse("75.00"), Description: "Deposit for the pallets"},
		{Type: "Voucher", PaidAmount: decimal.MustParse("-12.5"), Description: "Voucher of another seller"},
	}
}

// TestAnyInvoiceOfTheExtensionComesBack draws lines within lines and payments of third parties, and reads what was written.
func TestAnyInvoiceOfTheExtensionComesBack(t *testing.T) {
	f := newFormat(t)
	rapid.Check(t, func(t *rapid.T) {
		inv := sampleInvoice(0)
		inv.Items = drawLines(t, 3)
		inv.ThirdPartyPayments = thirdPartyPayments()[:rapid.IntRange(0, 2).Draw(t, "payments")]
		if len(inv.ThirdPartyPayments) == 0 {
			inv.ThirdPartyPayments = nil
		}
		src := writtenBy(t, f, inv, profile.XRechnungExtension)
		got, err := f.Read(t.Context(), parsed(t, src))
		if err != nil {
			t.Fatal(err)
		}
		inv.Type = ""
		if diff := cmp.Diff(inv, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" || got.Account.Reported > 0 || got.Edition != Extension {
			t.Fatalf("%s\n%+v\n%s", diff, got.Account, src)
		}
	})
}

// drawLines draws lines with so many levels of lines within them at most.
func drawLines(t *rapid.T, levels int) []invoice.Item {
	var items []invoice.Item
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		it := sampleItem(rapid.IntRange(0, 99).Draw(t, "line"))
		if levels > 0 {
			it.SubItems = drawLines(t, levels-1)
		}
		items = append(items, it)
	}
	return items
}

// TestTheAmountDueIncludesPaymentsOfThirdParties ensures BR-DEX-09 in the extension, and BR-CO-16 without it.
func TestTheAmountDueIncludesPaymentsOfThirdParties(t *testing.T) {
	f := newFormat(t)
	inv := sampleInvoice(1)
	inv.PrepaidAmount, inv.RoundingAmount, inv.ThirdPartyPayments = decimal.MustParse("19.00"), decimal.MustParse("0.02"), thirdPartyPayments()
	for specification, want := range map[string]string{profile.XRechnungExtension: "162.52", "urn:cen.eu:en16931:2017": "100.02"} {
		src := writtenBy(t, f, inv, specification)
		if got := texts(t, src, "LegalMonetaryTotal/PayableAmount"); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %s", specification, got, want)
		}
	}
}

// TestOtherSpecificationsReportWhatTheExtensionReads ensures that lines within lines and prepaid payments, which may mean
// something else elsewhere, are taken from documents of the extension alone.
func TestOtherSpecificationsReportWhatTheExtensionReads(t *testing.T) {
	f := newFormat(t)
	inv := sampleInvoice(2)
	inv.Items[1].SubItems, inv.ThirdPartyPayments = []invoice.Item{sampleItem(3)}, thirdPartyPayments()
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	unwritten, err := f.Write(t.Context(), w, inv, "urn:cen.eu:en16931:2017")
	if err != nil {
		t.Fatal(err)
	}
	want := []m.Unwritten{{Field: "thirdPartyPayments[0].type", More: 1}, {Field: "thirdPartyPayments[0].paidAmount", More: 1},
		{Field: "thirdPartyPayments[0].description", More: 1}, {Field: "items[1].subItems"}}
	if diff := cmp.Diff(want, unwritten); diff != "" {
		t.Error(diff)
	}
	src := strings.Replace(string(writtenBy(t, f, inv, profile.XRechnungExtension)), profile.XRechnungExtension, "urn:cen.eu:en16931:2017", 1)
	got, err := f.Read(t.Context(), parsed(t, []byte(src)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Element != Invoice || got.Edition != EN16931 || got.Invoice.Items[1].SubItems != nil || got.Invoice.ThirdPartyPayments != nil || got.Account.Reported < 20 {
		t.Errorf("%s %s, %d leaves reported", got.Edition, got.Element, got.Account.Reported)
	}
}
