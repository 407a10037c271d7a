package ubl

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/mapping-ubl.md anew")

const mappingPage = "../../../docs/mapping-ubl.md"

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Business terms in UBL\n\nWhere each business term of EN 16931 stands in the invoice object and in UBL 2.1. " +
		"This page is written from the table in\n[core/format/ubl/binding.go](../core/format/ubl/binding.go): change that, then run " +
		"`go test ./core/format/ubl -update`.\n\n| Term | Occurs | Field | UBL |\n|---|---|---|---|\n")
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
		t.Error("docs/mapping-ubl.md is not what the table says: run this test with -update")
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

// remark says where a row is not for every document, and where its group is another one's.
func remark(row row) string {
	text := ""
	if row.In != "" {
		text = "; " + row.In
	}
	if row.Again {
		text += "; with all that the line around it may have, itself included"
	}
	return text
}

// attributes lists the attributes of a row that carry fields.
func attributes(row row) string {
	text := ""
	for _, a := range row.Attrs {
		if a.Field != "" {
			text += fmt.Sprintf("; %s: `@%s` from `%s`", a.Term, a.Name, a.Field)
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
