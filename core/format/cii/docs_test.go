package cii

import (
	"flag"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/tabletest"
)

var update = flag.Bool("update", false, "write docs/mapping-cii.md anew")

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	tabletest.Page[invoice.Invoice]{File: "mapping-cii.md", Folder: "cii", Syntax: "CII", Remark: remark,
		Intro: "Where each business term of EN 16931 and of Factur-X stands in the invoice object and in CII."}.Check(t, &Table, *update)
}

// remark says where a row is not for every profile.
func remark(row *row) string {
	switch row.In {
	case EN16931:
		return "; not in BASIC"
	case Extended107:
		return "; EXTENDED"
	case Extended108:
		return "; EXTENDED from Factur-X 1.08 on"
	case Extended:
		return "; EXTENDED from Factur-X 1.09 on"
	case Any:
		return "; read where the document is not EXTENDED"
	}
	return ""
}
