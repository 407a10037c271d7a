package ebinterface

import (
	"flag"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-ebinterface.md anew")

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-ebinterface.md", Folder: "ebinterface", Syntax: "ebInterface", Remark: remark,
		Intro: "Where each business term of EN 16931 stands in the invoice object and in ebInterface 6.1; [ebinterface.md](ebinterface.md) tells the rest."}.Check(t, &Table, *update)
}

// remark says which members an element has a line of each for.
func remark(row *row) string {
	if row.Codec == nil || row.Field != "" {
		return ""
	}
	return "; lines of `" + strings.Join(row.Codec.Fields, "`, `") + "`"
}

// TestTheOrderListsAllElements ensures that every element of the table has its place.
func TestTheOrderListsAllElements(t *testing.T) { tabletest.Order(t, &Table) }
