package qrbill

import (
	"flag"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-qrbill.md anew")

// TestTable_OrderListsEveryChild ensures that each element of each path has its place.
func TestTable_OrderListsEveryChild(t *testing.T) { tabletest.Order(t, &Table) }

// TestTable_IsTheMappingPage keeps the documentation equal to the table.
func TestTable_IsTheMappingPage(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-qrbill.md", Folder: "qrbill", Syntax: "QR-bill", Remark: func(*row) string { return "" },
		Intro: "Where each business term of EN 16931 stands in the invoice object and in the payload of the Swiss QR code, whose lines have the names of the " +
			"guidelines; [qr-bill.md](qr-bill.md) tells the rest. `payee` is the creditor: the payee, and the seller where there is none."}.Check(t, &Table, *update)
}

// TestElements_AreThoseOfTheTable ensures that each line has its element in the table's order, at the number that the guidelines give it.
func TestElements_AreThoseOfTheTable(t *testing.T) {
	for line, want := range map[int]string{1: "QRType", 4: "IBAN", 5: "AdrTp", 11: "Ctry", 12: "AdrTp", 19: "Amt", 20: "Ccy", 21: "AdrTp", 28: "Tp", 29: "Ref", 30: "Ustrd",
		31: "Trailer", 32: "StrdBkgInf", 33: "AltPmt1", 34: "AltPmt2"} {
		if got := elements[line-1]; !strings.HasSuffix(got, "/"+want) {
			t.Errorf("line %d is %s, not %s", line, got, want)
		}
	}
	for _, path := range elements {
		steps := strings.Split(path, "/")
		for i, step := range steps {
			parent := "QRBill"
			if i > 0 {
				parent = steps[i-1]
			}
			if !strings.Contains(" "+Table.Order[parent]+" ", " "+step+" ") {
				t.Errorf("the order of %s does not have %s", parent, step)
			}
		}
	}
}
