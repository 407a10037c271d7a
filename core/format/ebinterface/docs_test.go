package ebinterface

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/mapping-ebinterface.md anew")

const mappingPage = "../../../docs/mapping-ebinterface.md"

// TestTheMappingPageIsTheTable keeps the documentation equal to the table.
func TestTheMappingPageIsTheTable(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Business terms in ebInterface\n\nWhere each business term of EN 16931 stands in the invoice object and in ebInterface 6.1; [ebinterface.md](ebinterface.md)\n" +
		"tells the rest. This page is written from the table in [core/format/ebinterface/binding.go](../core/format/ebinterface/binding.go):\nchange that, then run " +
		"`go test ./core/format/ebinterface -update`.\n\n| Term | Occurs | Field | ebInterface |\n|---|---|---|---|\n")
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
		t.Error("docs/mapping-ebinterface.md is not what the table says: run this test with -update")
	}
}

func writeRows(page *strings.Builder, rows []row, field, path string) {
	for _, row := range rows {
		at := strings.TrimSuffix(path+row.Path, "/.")
		name := strings.TrimPrefix(field+row.Field, field+"/")
		if row.Field == "" {
			name = row.From
		}
		if row.Field == "" && row.Codec != nil {
			name = field + strings.Join(row.Codec.Fields, ", "+field)
		}
		if row.Term != "" {
			fmt.Fprintf(page, "| %s | %s | %s | `%s`%s |\n", row.Term, row.Card, quoted(name), at, attributes(row))
		} else if at == "." {
			fmt.Fprintf(page, "| | | | `Invoice`%s |\n", attributes(row))
		}
		group := field
		if row.Field != "" {
			group = name + "."
		}
		writeRows(page, row.Rows, group, at+"/")
	}
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
