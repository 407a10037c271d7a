package mydata

import (
	"flag"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-mydata.md anew")

// TestTable_OrderListsEveryChild ensures that the schema has each element of each path where the path has it.
func TestTable_OrderListsEveryChild(t *testing.T) { tabletest.Order(t, &Table) }

// TestTable_IsTheMappingPage keeps the documentation equal to the table.
func TestTable_IsTheMappingPage(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-mydata.md", Folder: "mydata", Syntax: "myDATA", Remark: func(*row) string { return "" },
		Intro: "Where each business term of EN 16931 stands in the invoice object and in documents of myDATA; [mydata.md](mydata.md) tells the rest."}.Check(t, &Table, *update)
}

// TestVersion1_LacksWhatIsNew ensures that the order of 1.0.10 has no element that only 2.0.1 has, and the other way round.
func TestVersion1_LacksWhatIsNew(t *testing.T) {
	for version, wanting := range map[string]string{Version1: "toWeigh", Version2: "otherTransportDetails"} {
		for parent, children := range nationalsOf[version].Order {
			if containsWord(children, wanting) {
				t.Errorf("%s: %s has %s", version, parent, wanting)
			}
		}
	}
	if !containsWord(nationals.Order["invoiceHeader"], "toWeigh") || !containsWord(nationals.Order["invoice"], "otherTransportDetails") {
		t.Error("an element of one version is not read")
	}
}

func containsWord(list, word string) bool {
	for name := range strings.FieldsSeq(list) {
		if name == word {
			return true
		}
	}
	return false
}
