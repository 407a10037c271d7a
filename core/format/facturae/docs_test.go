package facturae

import (
	"flag"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-facturae.md anew")

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-facturae.md", Folder: "facturae", Syntax: "Facturae", Remark: remark,
		Intro: "Where each business term of EN 16931 stands in the invoice object and in Facturae 3.2.2; [facturae.md](facturae.md) tells the rest."}.Check(t, &Table, *update)
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
