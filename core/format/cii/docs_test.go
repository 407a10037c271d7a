package cii

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/mapping-cii.md anew")

const mappingPage = "../../../docs/mapping-cii.md"

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Business terms in CII\n\nWhere each business term of EN 16931 and of Factur-X stands in the invoice object and in CII. " +
		"This page is written from the table in\n[core/format/cii/binding.go](../core/format/cii/binding.go): change that, then run " +
		"`go test ./core/format/cii -update`.\n\n| Term | Occurs | Field | CII |\n|---|---|---|---|\n")
	writeRows(&page, Table.Rows, "", "")
	if *update {
		if err := os.WriteFile(mappingPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(mappingPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != page.String() {
		t.Error("docs/mapping-cii.md is not what the table says: run this test with -update")
	}
}

func writeRows(page *strings.Builder, rows []row, field, path string) {
	for _, row := range rows {
		at := path + row.Path
		name := strings.TrimPrefix(field+row.Field, field+"/")
		if row.Field == "" {
			name = row.From
		}
		if row.Term != "" {
			fmt.Fprintf(page, "| %s | %s | %s | `%s`%s%s |\n", row.Term, row.Card, quoted(name), strings.ReplaceAll(at, "|", "\\|"), attributes(row), remark(row))
		}
		group := field
		if row.Field != "" {
			group = name + "."
		}
		writeRows(page, row.Rows, group, at+"/")
	}
}

// remark says where a row is not for every profile.
func remark(row row) string {
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

// attributes lists the attributes of a row that carry fields.
func attributes(row row) string {
	text := ""
	for _, a := range row.Attrs {
		if a.Field != "" {
			text += "; " + strings.TrimPrefix(fmt.Sprintf("%s: `@%s` from `%s`", a.Term, a.Name, a.Field), ": ")
		}
	}
	return text
}

// quoted is a name as code; a group whose members stand in the group around it has none.
func quoted(name string) string {
	if name == "" {
		return ""
	}
	return "`" + name + "`"
}
