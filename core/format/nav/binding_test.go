package nav

import (
	"flag"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-nav.md anew")

// TestTable_Compiles ensures that every row has a member and a place, in each version and for each form of document.
func TestTable_Compiles(t *testing.T) {
	if _, err := New(); err != nil {
		t.Fatal(err)
	}
}

// TestTable_OrderListsEveryChild ensures that the schema has each element of each path where the path has it.
func TestTable_OrderListsEveryChild(t *testing.T) {
	tabletest.Order(t, &Table)
}

// TestTable_IsTheMappingPage keeps the documentation equal to the table.
func TestTable_IsTheMappingPage(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-nav.md", Folder: "nav", Syntax: "NAV Online Számla", Remark: func(*row) string { return "" },
		Intro: "Where each business term of EN 16931 stands in the invoice object and in InvoiceData 3.0 of the Hungarian NAV Online Számla."}.Check(t, &Table, *update)
}
