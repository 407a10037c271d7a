package validate

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// fatturaWithLines is a FatturaPA with so many lines.
func fatturaWithLines(t testing.TB, lines int) *xmltree.Document {
	t.Helper()
	base, err := os.ReadFile("../../testdata/fatturapa/exempt.xml")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(base), "<DettaglioLinee>")
	line, after, _ := strings.Cut(rest, "</DettaglioLinee>")
	var b strings.Builder
	b.WriteString(before)
	for i := range lines {
		b.WriteString("<DettaglioLinee>" + strings.Replace(line, "<NumeroLinea>1<", fmt.Sprintf("<NumeroLinea>%d<", i+1), 1) + "</DettaglioLinee>")
	}
	doc, err := xmltree.Parse([]byte(b.String()+after), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
