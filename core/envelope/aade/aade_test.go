package aade

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// answerWith is an answer with this content.
func answerWith(content string) string {
	return `<RequestedDoc xmlns="` + Namespace + `">` + content + `</RequestedDoc>`
}

// TestUnwrap_WithoutInvoices ensures that an answer that holds none says so.
func TestUnwrap_WithoutInvoices(t *testing.T) {
	for _, content := range []string{"", "<invoicesDoc/>", "<invoicesDoc> </invoicesDoc>", "<continuationToken><nextRowKey>1</nextRowKey></continuationToken>",
		`<invoicesDoc xmlns="urn:other"><invoice/></invoicesDoc>`} {
		doc, err := xmltree.Parse([]byte(answerWith(content)), xmltree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Unwrap(doc); err != ErrEmpty {
			t.Errorf("%s: %v", content, err)
		}
		doc.Release()
	}
}

// TestIs ensures that only the authority's element is taken for its answer.
func TestIs(t *testing.T) {
	for source, want := range map[string]bool{answerWith(""): true, `<RequestedDoc/>`: false, `<InvoicesDoc xmlns="` + Namespace + `"/>`: false,
		`<a:RequestedDoc xmlns:a="` + Namespace + `"/>`: true} {
		doc, err := xmltree.Parse([]byte(source), xmltree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if Is(doc) != want {
			t.Errorf("%s: %t", source, !want)
		}
		doc.Release()
	}
}

// FuzzUnwrap takes the invoices out of any answer: they are a document with as many, each on the line where it stood.
func FuzzUnwrap(f *testing.F) {
	for _, content := range []string{"<invoicesDoc><invoice/></invoicesDoc>", "\n<!-- </x> --><invoicesDoc\n><invoice>1</invoice >\n<invoice/></invoicesDoc\n><!-- > -->\n<paymentMethodsDoc>1</paymentMethodsDoc>",
		`<a:invoicesDoc xmlns:a="` + Namespace + `"><a:invoice/><![CDATA[</a:invoicesDoc>]]></a:invoicesDoc><?p </invoicesDoc>?>`, "<invoicesDoc><invoice/></invoicesDoc><invoicesDoc><invoice/></invoicesDoc>"} {
		f.Add(answerWith(content))
	}
	f.Add(strings.Replace(answerWith("<r:invoicesDoc><r:invoice/></r:invoicesDoc>"), "<RequestedDoc", `<r:RequestedDoc xmlns:r="`+Namespace+`"`, 1))
	f.Fuzz(func(t *testing.T, source string) {
		doc, err := xmltree.Parse([]byte(source), xmltree.Options{})
		if err != nil {
			return
		}
		defer doc.Release()
		if !Is(doc) {
			return
		}
		inside, _, err := Unwrap(doc)
		if err != nil {
			return
		}
		inner, err := xmltree.Parse(inside, xmltree.Options{})
		if err != nil {
			t.Fatalf("%q gives %q: %v", source, inside, err)
		}
		defer inner.Release()
		if inner.Local(inner.Root()) != "InvoicesDoc" || inner.Namespace(inner.Root()) != Namespace {
			t.Fatalf("%q gives %q", source, inside)
		}
		checkInvoices(t, doc, inner)
	})
}

func checkInvoices(t *testing.T, answer, inner *xmltree.Document) {
	t.Helper()
	var want, got []int
	for c := answer.FirstChild(answer.Root()); c != xmltree.None && want == nil; c = answer.NextSibling(c) {
		if answer.Local(c) == invoicesName && answer.Namespace(c) == Namespace {
			want = linesOfInvoices(answer, c)
		}
	}
	if got = linesOfInvoices(inner, inner.Root()); len(got) == 0 || len(got) != len(want) {
		t.Fatalf("%d invoices of %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("invoice %d is on line %d, want %d", i, got[i], want[i])
		}
	}
}

func linesOfInvoices(doc *xmltree.Document, n xmltree.Node) (lines []int) {
	for c := doc.FirstChild(n); c != xmltree.None; c = doc.NextSibling(c) {
		if doc.Kind(c) == xmltree.KindElement && doc.Local(c) == "invoice" {
			lines = append(lines, doc.Line(c))
		}
	}
	return lines
}
