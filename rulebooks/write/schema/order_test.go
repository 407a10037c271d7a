package schema

import (
	"strings"
	"testing"
)

// TestOrder ensures that the order of elements is that of the tables, groups and alternatives included, by local names.
func TestOrder(t *testing.T) {
	table := mustRead(t, "namespace a urn:a\nnamespace b urn:b\n"+
		"a:RootType\n  <Root>\n  b:ID? ( First=a:PartType | b:Second ) b:ID Part=a:PartType any/other/lax\n"+
		"a:PartType\n  One=xs:string b:ID*\n"+
		"values b : xs:string\n  ID Second\n")
	parents, err := table.parents()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"Root": "b:ID a:First b:Second a:Part", "First": "a:One b:ID", "Part": "a:One b:ID"}
	for name, typ := range parents {
		if table.sequence(typ) != want[name] {
			t.Errorf("%s: %q, want %q", name, table.sequence(typ), want[name])
		}
	}
	if len(parents) != len(want) {
		t.Errorf("%v", parents)
	}
	table = mustRead(t, "namespace a urn:a\na:RootType\n  <Root>\n  Part=a:OneType Other=a:OtherType\n"+
		"a:OneType\n  A=xs:string\na:OtherType\n  Part=a:OtherType?\n")
	if _, err := table.parents(); err == nil || !strings.Contains(err.Error(), "Part is of the type a:OneType and of the type a:OtherType") {
		t.Errorf("two orders of one name: %v", err)
	}
}

func mustRead(t *testing.T, text string) *table {
	t.Helper()
	table, err := read("", source{"test.txt", text})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestOrder_CII ensures that the elements of CII can be told apart by local names as well.
func TestOrder_CII(t *testing.T) {
	table, err := read("", cii)
	if err != nil {
		t.Fatal(err)
	}
	parents, err := table.parents()
	if err != nil {
		t.Fatal(err)
	}
	if got := table.sequence(parents["CrossIndustryInvoice"]); !strings.HasPrefix(got, "rsm:ExchangedDocumentContext rsm:ExchangedDocument rsm:SupplyChainTradeTransaction") {
		t.Errorf("%q", got)
	}
}
