package profile

import (
	"runtime"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestWhatLinesKeepTakesItsShare ensures that ten times as many lines, each with a text that only countrySpecific.national can hold, take
// about ten times as much memory, which stands for the work: copying a map is one statement, however large it is.
func TestWhatLinesKeepTakesItsShare(t *testing.T) {
	less, more := keptBytes(t, 1_000), keptBytes(t, 10_000)
	if more > 15*less {
		t.Errorf("%d bytes for 1,000 lines, and %d for 10,000", less, more)
	}
}

// keptBytes is what reading n lines with an unknown rate allocates.
func keptBytes(t *testing.T, n int) uint64 {
	t.Helper()
	inv := &invoice.Invoice{Seller: &invoice.Party{}, Buyer: &invoice.Party{}, Items: make([]invoice.Item, n)}
	for i := range inv.Items {
		inv.Items[i] = invoice.Item{TaxCategoryName: "99", NetAmount: decimal.New(1, 0)}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	draft := KSeF("ksef").Restore(inv, invoice.TypeInvoice)
	runtime.ReadMemStats(&after)
	if kept := len(draft.Invoice.CountrySpecific.National); kept != n {
		t.Fatalf("%d texts are kept, want %d", kept, n)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// TestKeepingLeavesTheGivenAlone ensures that what a draft keeps does not show in the invoice that it was given a copy of.
func TestKeepingLeavesTheGivenAlone(t *testing.T) {
	given := &invoice.Invoice{CountrySpecific: &invoice.CountrySpecific{National: invoice.National{"a": {"1"}}}}
	d := &Draft{Invoice: given.Clone()}
	d.keep("b", "2")
	d.keep("c", "3")
	if len(given.CountrySpecific.National) != 1 || len(d.Invoice.CountrySpecific.National) != 3 {
		t.Errorf("given %v, kept %v", given.CountrySpecific.National, d.Invoice.CountrySpecific.National)
	}
}
