package tabletest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/mapping"
)

// Page is a page of the documentation that shows a mapping table.
type Page[T any] struct {
	File   string                       // in docs/, such as mapping-ubl.md
	Folder string                       // of the format, such as ubl
	Syntax string                       // as readers know it, such as UBL
	Intro  string                       // the sentence below the title
	Remark func(*mapping.Row[T]) string // where a row does not hold for every document; it begins with a semicolon
}

// Check ensures that the page is what the table says; with update it writes the page. Tests run in core/format/<Folder>.
func (p Page[T]) Check(t *testing.T, table *mapping.Table[T], update bool) {
	t.Helper()
	file, want := "../../../docs/"+p.File, p.text(table)
	if update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != want {
		t.Errorf("docs/%s is not what the table says: run this test with -update", p.File)
	}
}

func (p Page[T]) text(table *mapping.Table[T]) string {
	var page strings.Builder
	fmt.Fprintf(&page, "# Business terms in %[1]s\n\n%[2]s This page is written from the table in\n"+
		"[core/format/%[3]s/binding.go](../core/format/%[3]s/binding.go): change that, then run `go test ./core/format/%[3]s -update`.\n\n"+
		"| Term | Occurs | Field | %[1]s |\n|---|---|---|---|\n", p.Syntax, p.Intro, p.Folder)
	p.writeRows(&page, table.Rows, "", "")
	return page.String()
}

// writeRows writes a line for each row with a term, below the members and the path of the groups around it.
func (p Page[T]) writeRows(page *strings.Builder, rows []mapping.Row[T], field, path string) {
	for i := range rows {
		row := &rows[i]
		at := path + row.Path
		name := strings.TrimPrefix(field+row.Field, field+"/")
		if row.Field == "" {
			name = row.From
		}
		if row.Term != "" {
			fmt.Fprintf(page, "| %s | %s | %s | `%s`%s%s |\n", row.Term, row.Card, quoted(name), strings.ReplaceAll(at, "|", "\\|"), attributes(row.Attrs), p.Remark(row))
		}
		group := field
		if row.Field != "" {
			group = name + "."
		}
		p.writeRows(page, row.Rows, group, at+"/")
	}
}

// attributes lists the attributes that carry members.
func attributes(attrs []mapping.Attr) string {
	text := ""
	for _, a := range attrs {
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
