package ksef

import (
	"flag"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-ksef.md anew")

// TestTable_Compiles ensures that every row has a member and a place.
func TestTable_Compiles(t *testing.T) {
	if _, err := New(); err != nil {
		t.Fatal(err)
	}
}

// TestTable_OrderListsEveryChild ensures that the schema has each element of each path where the path has it.
func TestTable_OrderListsEveryChild(t *testing.T) { tabletest.Order(t, &Table) }

// TestTable_IsTheMappingPage keeps the documentation equal to the table.
func TestTable_IsTheMappingPage(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-ksef.md", Folder: "ksef", Syntax: "FA(3)", Remark: func(*row) string { return "" },
		Intro: "Where each business term of EN 16931 stands in the invoice object and in the Polish structured invoice FA(3)."}.Check(t, &Table, *update)
}
