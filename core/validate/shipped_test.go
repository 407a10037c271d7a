package validate

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// TestOfBook_Shipped ensures that each rulebook that ships compiles, to something that judges.
func TestOfBook_Shipped(t *testing.T) {
	for _, book := range shippedBooks(t).Books() {
		if set, err := OfBook(book); err != nil || len(set.Schemas)+len(set.Rules) == 0 {
			t.Errorf("%s: %v", book.Name(), err)
		}
	}
}

// TestShippedRules_CostInProportionToLines ensures that no rule set of those that ship looks at all lines from every line: five times
// the lines take at most 5.5 times the steps. There are so few lines that no document has the 100,000 nodes from which on package xpath
// keeps what it has found, at some more steps for each line. The short form takes every eighth rulebook.
func TestShippedRules_CostInProportionToLines(t *testing.T) {
	const few = 160
	var documents [][2]*xmltree.Document // with fewer and with more lines
	for _, syntax := range []string{"ubl", "cii"} {
		m := readModelRules(t, syntax)
		documents = append(documents, [2]*xmltree.Document{m.withLines(t, few), m.withLines(t, 5*few)})
	}
	for _, national := range [][3]string{
		{"ebinterface/invoice.xml", "ListLineItem", "PositionNumber"},
		{"fatturapa/exempt.xml", "DettaglioLinee", "NumeroLinea"},
		{"ksef/01-invoice.xml", "FaWiersz", "NrWierszaFa"},
		{"verifactu/01-f1.xml", "sf:DetalleDesglose", "sf:Impuesto"},
		{"isdoc/10-foreign-currency.xml", "InvoiceLine", "ID"},
		{"facturae/exempt.xml", "InvoiceLine", "SequenceNumber"},
		{"nav/retention.xml", "line", "lineNumber"},
		{"mydata/05-reverse-charge-domestic.xml", "invoiceDetails", "lineNumber"},
	} {
		with := func(n int) *xmltree.Document { return goldenWithLines(t, national[0], national[1], national[2], n) }
		documents = append(documents, [2]*xmltree.Document{with(few), with(5 * few)})
	}
	for i, book := range shippedBooks(t).Books() {
		if testing.Short() && i%8 != 0 {
			continue
		}
		set, err := OfBook(book)
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range set.Rules {
			most := 0
			for _, pair := range documents {
				short, long := stepsOf(t, program, pair[0]), stepsOf(t, program, pair[1])
				most = max(most, short)
				if 2*long > 11*short {
					t.Errorf("%s: %d steps for %d lines, %d for %d", book.Name(), short, few, long, 5*few)
				}
			}
			if most < few {
				t.Errorf("%s: %d steps look at no line", book.Name(), most)
			}
		}
	}
}

// goldenWithLines repeats the first line of a golden, with the numbers 1 to n where its number stands in an element number.
func goldenWithLines(t *testing.T, golden, element, number string, n int) *xmltree.Document {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + golden)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<"+element+">", "</"+element+">"
	before, rest, _ := strings.Cut(string(data), begin)
	line, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no line", golden)
	}
	var b strings.Builder
	b.WriteString(before)
	for i := range n {
		b.WriteString(begin + strings.Replace(line, "<"+number+">1<", fmt.Sprintf("<%s>%d<", number, i+1), 1) + end)
	}
	doc, err := xmltree.Parse([]byte(b.String()+after), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func stepsOf(t testing.TB, program *schematron.Program, doc *xmltree.Document) int {
	t.Helper()
	v, err := program.Evaluate(t.Context(), doc, schematron.EvaluateOptions{})
	if err != nil || len(v.NotRun) > 0 {
		t.Fatal(v, err)
	}
	return v.Steps
}

// BenchmarkOfBook_Shipped measures how long it takes until all rulebooks that ship are compiled, on all cores.
func BenchmarkOfBook_Shipped(b *testing.B) {
	for b.Loop() {
		registry, err := loadShipped() // anew: what is compiled stays
		if err != nil {
			b.Fatal(err)
		}
		books := registry.Current().Books()
		var next atomic.Int64
		done := make(chan error)
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for i := next.Add(1) - 1; int(i) < len(books); i = next.Add(1) - 1 {
					if _, err := OfBook(books[i]); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range runtime.GOMAXPROCS(0) {
			if err := <-done; err != nil {
				b.Error(err)
			}
		}
	}
}
