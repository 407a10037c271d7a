package ubl

import (
	"flag"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-ubl.md anew")

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-ubl.md", Folder: "ubl", Syntax: "UBL", Remark: remark,
		Intro: "Where each business term of EN 16931 stands in the invoice object and in UBL 2.1."}.Check(t, &Table, *update)
}

// remark says where a row is not for every document, and where its group is another one's.
func remark(row *row) string {
	text := ""
	if row.In != "" {
		text = "; " + row.In
	}
	if row.Again {
		text += "; with all that the line around it may have, itself included"
	}
	return text
}
