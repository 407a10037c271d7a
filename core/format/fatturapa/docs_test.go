package fatturapa

import (
	"flag"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-fatturapa.md anew")

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-fatturapa.md", Folder: "fatturapa", Syntax: "FatturaPA", Remark: remark,
		Intro: "Where each business term of EN 16931 stands in the invoice object and in FatturaPA 1.2.3; [fatturapa.md](fatturapa.md) tells the rest."}.Check(t, &Table, *update)
}

// remark says where a member is written under a condition, or once in a list.
func remark(row *row) string {
	switch {
	case row.First:
		return "; with the first entry"
	case row.When == nil || row.On != "":
		return ""
	}
	return "; where the document has a place for it"
}

// TestTheOrderListsAllElements ensures that every element of the table has its place.
func TestTheOrderListsAllElements(t *testing.T) { tabletest.Order(t, &Table) }
