package invoice

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

func linesInLines() *Invoice {
	return &Invoice{Items: []Item{
		{Description: "a", SubItems: []Item{{Description: "b", SubItems: []Item{{Description: "c"}}}, {Description: "d"}}},
		{Description: "e"},
	}}
}

// TestLinesGoesFromEachLineIntoIt has the order, the paths and which line holds which.
func TestLinesGoesFromEachLineIntoIt(t *testing.T) {
	var got []string
	for at, it := range linesInLines().Lines() {
		above, within := at.Above()
		name := it.Description + " " + at.String()
		if within {
			name += " in " + above.String()
		}
		got = append(got, name)
	}
	want := []string{"a items[0]", "b items[0].subItems[0] in items[0]", "c items[0].subItems[0].subItems[0] in items[0].subItems[0]",
		"d items[0].subItems[1] in items[0]", "e items[1]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTopLinesStaysAbove(t *testing.T) {
	got := ""
	for at, it := range linesInLines().TopLines() {
		got += it.Description + at.String()
	}
	if got != "aitems[0]eitems[1]" {
		t.Error(got)
	}
}

// TestLinesEndWhenTheVisitorHasEnough stops at each line in turn.
func TestLinesEndWhenTheVisitorHasEnough(t *testing.T) {
	inv := linesInLines()
	for limit := 1; limit <= 5; limit++ {
		seen := 0
		for range inv.Lines() {
			if seen++; seen == limit {
				break
			}
		}
		if seen != limit {
			t.Errorf("%d lines, want %d", seen, limit)
		}
	}
	for at := range inv.TopLines() {
		if at.String() != "items[0]" {
			t.Error("not ended at the first")
		}
		break
	}
}

// TestCalculateSumsLinesWithinALine has amounts at three levels; the profile without lines within lines leaves them alone.
func TestCalculateSumsLinesWithinALine(t *testing.T) {
	d := decimal.MustParse
	leaf := func(quantity, price string) Item {
		return Item{Quantity: d(quantity), UnitPrice: d(price), TaxRate: d("19")}
	}
	build := func(profile Profile) *Invoice {
		parent, top := leaf("1", "99"), leaf("1", "50")
		parent.SubItems = []Item{leaf("2", "1.50"), leaf("1", "0.255")}
		stated := leaf("1", "7")
		stated.NetAmount = d("6.50")
		top.SubItems = []Item{parent, stated}
		return &Invoice{Profile: profile, Items: []Item{top}}
	}
	inv := build(ProfileXRechnungExtension)
	var got []string
	for _, c := range Calculate(inv) {
		got = append(got, c.Field+" "+c.Value.String())
	}
	want := []string{
		"items[0].subItems[0].subItems[0].netAmount 3.00", "items[0].subItems[0].subItems[0].taxAmount 0.57",
		"items[0].subItems[0].subItems[1].netAmount 0.26", "items[0].subItems[0].subItems[1].taxAmount 0.05",
		"items[0].subItems[0].netAmount 3.26", "items[0].subItems[0].taxAmount 0.62", "items[0].subItems[1].taxAmount 1.24",
		"items[0].netAmount 9.76", "items[0].taxAmount 1.85", "taxSummary[0].netAmount 9.76", "taxSummary[0].taxAmount 1.85", "subtotal 9.76", "total 11.61",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	plain := build("")
	Calculate(plain)
	if it := plain.Items[0]; it.NetAmount.String() != "50" || it.SubItems[0].NetAmount.IsSet() {
		t.Errorf("without the extension: %s, %s", it.NetAmount, it.SubItems[0].NetAmount)
	}
}
