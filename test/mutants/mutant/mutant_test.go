package mutant

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// invoice is a small document with what edits work on: leaves of several kinds, attributes, an empty element, a comment, quotes
// of both kinds, a default namespace and prefixes.
const invoice = `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cbc="urn:b" xmlns:cac="urn:a">
  <cbc:ID>1</cbc:ID>
  <cbc:IssueDate>2024-05-06</cbc:IssueDate>
  <cbc:InvoiceTypeCode listID = 'UNCL1001'>380</cbc:InvoiceTypeCode>
  <cbc:Note>Thanks &amp; <!-- not to forget --> best</cbc:Note>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:Delivery/>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>
  <cac:InvoiceLine><cbc:ID>1</cbc:ID><cac:Item><cbc:Name>a > b</cbc:Name></cac:Item></cac:InvoiceLine>
  <cac:InvoiceLine><cbc:ID>2</cbc:ID><cac:Price><cbc:PriceAmount currencyID="EUR">5</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
</Invoice>
`

const cii = `<r:CrossIndustryInvoice xmlns:r="urn:r" xmlns:ram="urn:ram" xmlns:udt="urn:u"><ram:ExchangedDocument><ram:ID>7</ram:ID>` +
	`<ram:IssueDateTime><udt:DateTimeString format="102">20240506</udt:DateTimeString></ram:IssueDateTime></ram:ExchangedDocument></r:CrossIndustryInvoice>`

func parents(t testing.TB) []*Document {
	t.Helper()
	var all []*Document
	for name, text := range map[string]string{"a.xml": invoice, "b.xml": cii} {
		d, err := Read(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *Document) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func TestRead_FindsElementsAndAttributes(t *testing.T) {
	d := parents(t)[0]
	var lines []string
	for _, e := range d.elements {
		line := e.path()
		for _, a := range e.attributes {
			line += " @" + a.name + "=" + d.attribute(a)
		}
		if e.leaf() {
			line += " " + d.value(e)
		}
		lines = append(lines, line)
	}
	want := []string{
		"/Invoice", "/Invoice/ID 1", "/Invoice/IssueDate 2024-05-06", "/Invoice/InvoiceTypeCode @listID=UNCL1001 380",
		"/Invoice/Note Thanks &amp; <!-- not to forget --> best", "/Invoice/DocumentCurrencyCode EUR", "/Invoice/Delivery ",
		"/Invoice/TaxTotal", "/Invoice/TaxTotal/TaxAmount @currencyID=EUR 19.00", "/Invoice/InvoiceLine[1]", "/Invoice/InvoiceLine[1]/ID 1",
		"/Invoice/InvoiceLine[1]/Item", "/Invoice/InvoiceLine[1]/Item/Name a > b", "/Invoice/InvoiceLine[2]", "/Invoice/InvoiceLine[2]/ID 2",
		"/Invoice/InvoiceLine[2]/Price", "/Invoice/InvoiceLine[2]/Price/PriceAmount @currencyID=EUR 5",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestRead_RefusesWhatHasNoElements(t *testing.T) {
	for _, text := range []string{"", "no XML", "<a>", "<a></b>", "<a/><b/>", "</a>", `<?xml version="1.0" encoding="UTF-16"?><a/>`} {
		if _, err := Read("x", []byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestEdits_ChangeOnlyTheirPlace(t *testing.T) {
	d, err := Read("x", []byte(`<a><b x="1" y='2'>t</b><c/><b/></a>`))
	if err != nil {
		t.Fatal(err)
	}
	b, c := d.elements[1], d.elements[2]
	for want, edits := range map[string][]edit{
		`<a><c/><b/></a>`:                             {d.remove(b)},
		`<a><b x="1" y='2'>t</b><c/><c/><b/></a>`:     {d.double(c)},
		`<a><b x="1" y='2'>u</b><c/><b/></a>`:         {d.set(b, "u")},
		`<a><b x="1" y='2'>t</b><c>u</c><b/></a>`:     {d.set(c, "u")},
		`<a><b y='2'>t</b><c/><b/></a>`:               {d.removeAttribute(b, b.attributes[0])},
		`<a><b x="1" y='3'>t</b><c/><b/></a>`:         {d.setAttribute(b, b.attributes[1], "3")},
		`<a><b x="1" y='2'>t</b><c z="4"/><b/></a>`:   {d.addAttribute(c, "z", "4")},
		`<a><n/><b x="1" y='2'>t</b><c/><b/></a>`:     {d.insert(d.root, nil, "<n/>", "n")},
		`<a><b x="1" y='2'>t</b><n/><c/><b/></a>`:     {d.insert(d.root, b, "<n/>", "n")},
		`<a><b x="1" y='2'>t</b><c><n/></c><b/></a>`:  {d.insert(c, nil, "<n/>", "n")},
		`<a><b x="1" y='2'>u</b><b/></a>`:             {d.remove(c), d.set(b, "u"), d.set(c, "lost")},
		`<a><b x="1" y='2'>t</b><c>first</c><b/></a>`: {d.set(c, "first"), d.set(c, "second")},
	} {
		if got, _ := d.apply(edits); string(got) != want {
			t.Errorf("%s: got %s, want %s", edits[0].note, got, want)
		}
	}
}

// A mutant follows from seed and number alone, whatever was made before.
func TestGenerator_IsDeterministic(t *testing.T) {
	first, err := NewGenerator(7, parents(t))
	if err != nil {
		t.Fatal(err)
	}
	second, err := NewGenerator(7, parents(t))
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewGenerator(8, parents(t))
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for n := range 50 {
		a, err := first.Mutant(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := second.Mutant(49 - n); err != nil {
			t.Fatal(err)
		}
		b, err := second.Mutant(n)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("mutant %d: %s", n, diff)
		}
		if c, err := other.Mutant(n); err != nil || string(c.Text) != string(a.Text) {
			differ++
		}
	}
	if differ < 40 {
		t.Errorf("only %d of 50 mutants differ for another seed", differ)
	}
}

// Every mutant is well-formed, is not its parent and says what was done to it; all families come up.
func TestGenerator_MakesWellFormedMutants(t *testing.T) {
	documents := parents(t)
	texts := map[string]string{}
	for _, d := range documents {
		texts[d.Name] = string(d.text)
	}
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		g, err := NewGenerator(rapid.Uint64().Draw(t, "seed"), documents)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 10 {
			m, err := g.Mutant(n)
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(string(m.Text)); err != nil {
				t.Fatalf("%v: %v\n%s", m.Edits, err, m.Text)
			}
			if string(m.Text) == texts[m.Parent] || len(m.Edits) == 0 {
				t.Fatalf("%s: %v changes nothing", m.Parent, m.Edits)
			}
			seen[m.Family]++
		}
	})
	var all []string
	for _, f := range families {
		all = append(all, f.name)
	}
	slices.Sort(all)
	if diff := cmp.Diff(all, slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Error(diff)
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestGenerator_NeedsSomethingToChange(t *testing.T) {
	if _, err := NewGenerator(1, nil); err == nil {
		t.Error("mutants of nothing")
	}
	d, err := Read("x", []byte("<a/>"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGenerator(1, []*Document{d})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := g.Mutant(0); err == nil {
		t.Errorf("a mutant of an empty element: %s", m.Text)
	}
}

func TestValues_AreOddInTheWayOfTheirKind(t *testing.T) {
	for _, test := range []struct {
		derive    func(string) string
		old, want string
	}{
		{cent, "19.00", "19.01"}, {cent, "19", "19.01"}, {cent, "19.001", "19.011"}, {cent, "x", "x"}, {tenfold, "1.50", "15.00"},
		{negative, " -1 ", "1.00"}, {precise, "1.5", "1.51"}, {precise, "1", "1.001"}, {padded, "a", "\n  a "}, {signed, "1", "+1"},
		{shorter, "abc", "bc"}, {shorter, "a", "0"}, {shorter, "ä", "0"}, {split, "ab", "a<!-- -->b"}, {split, "&amp;", "&amp;"},
		{upper, "a&amp;", "a&amp;"}, {upper, "a", "A"}, {lower, "DE", "de"}, {longer, "a", "aX"}, {blanks, "aa", "   "},
		{cent, "1e9999999", "1e9999999"}, {cent, "1/3", "1/3"},
	} {
		if got := test.derive(test.old); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.old, got, test.want)
		}
	}
	for name, weight := range map[string]int{"TaxAmount": 8, "Percent": 10, "CountryID": 10, "PostcodeCode": 1, "Note": 1, "EndpointID": 8, "IssueDate": 6} {
		if got := kindOf(name).weight; got != weight {
			t.Errorf("%s weighs %d, want %d", name, got, weight)
		}
	}
}

// What is put in stands where the elements before it allow, with prefixes that mean the same.
func TestGrafts_KeepOrderAndNamespaces(t *testing.T) {
	documents := parents(t)
	l := learn(documents)
	var names []string
	for _, g := range l.children["Invoice"] {
		names = append(names, g.name)
	}
	want := []string{"ID", "IssueDate", "InvoiceTypeCode", "Note", "DocumentCurrencyCode", "Delivery", "TaxTotal", "InvoiceLine", "InvoiceLine"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	delivery := l.children["Invoice"][5]
	if diff := cmp.Diff([]string{"DocumentCurrencyCode", "Note", "InvoiceTypeCode", "IssueDate", "ID"}, delivery.before); diff != "" {
		t.Error(diff)
	}
	if e := after(documents[0].root, delivery.before); e == nil || e.name != "DocumentCurrencyCode" {
		t.Errorf("it would stand after %v", e)
	}
	if !documents[0].takes(&delivery) || documents[1].takes(&delivery) {
		t.Error("a graft goes where its prefix is not bound")
	}
	if _, ok := documents[0].bindings(`<x xmlns="urn:y"/>`); ok {
		t.Error("a graft declares a namespace of its own")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(invoice))
	f.Add([]byte(cii))
	f.Add([]byte(`<a b = "c>" d='"'><![CDATA[x]]></a>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read("x", text)
		if err != nil {
			return
		}
		g, err := NewGenerator(1, []*Document{d})
		if err != nil {
			t.Fatal(err)
		}
		if m, err := g.Mutant(0); err == nil && string(m.Text) == string(text) {
			t.Error("a mutant is its parent")
		}
	})
}
