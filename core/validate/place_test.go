package validate

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/ubl"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// A credit transfer and a direct debit, two lines, two rates.
const placed = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:ID>1</cbc:ID><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty><cac:Party><cbc:EndpointID schemeID="x">a</cbc:EndpointID><cac:PartyIdentification><cbc:ID schemeID="y">b</cbc:ID></cac:PartyIdentification>
<cac:PostalAddress><cbc:CityName>c</cbc:CityName></cac:PostalAddress>
<cac:PartyTaxScheme><cbc:CompanyID>1</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme></cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party>
<cac:PartyTaxScheme><cbc:CompanyID>2</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme></cac:Party></cac:AccountingCustomerParty>
<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode></cac:PaymentMeans>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">1</cbc:TaxAmount>
<cac:TaxSubtotal><cbc:TaxableAmount>1</cbc:TaxableAmount><cac:TaxCategory><cbc:ID>S</cbc:ID></cac:TaxCategory></cac:TaxSubtotal>
<cac:TaxSubtotal><cbc:TaxableAmount>1</cbc:TaxableAmount><cac:TaxCategory><cbc:ID>E</cbc:ID></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>1</cbc:TaxExclusiveAmount></cac:LegalMonetaryTotal>
<cac:InvoiceLine><cbc:ID>1</cbc:ID></cac:InvoiceLine>
<cac:InvoiceLine><cbc:ID>2</cbc:ID><cbc:InvoicedQuantity unitCode="piece">2</cbc:InvoicedQuantity><cac:Item><cac:ClassifiedTaxCategory><cbc:ID>E</cbc:ID></cac:ClassifiedTaxCategory></cac:Item></cac:InvoiceLine>
</Invoice>`

// fixture is a document with its places.
type fixture struct {
	doc   *xmltree.Document
	nodes map[string]xmltree.Node // by XPath
	books []*rulebook.Book        // that ship
	named *rulebook.Book
	InvoicePlacer
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	tables, err := ubl.New()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := xmltree.Parse([]byte(placed), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{doc: doc, nodes: map[string]xmltree.Node{}, books: shippedBooks(t).Books(), named: namedBook(t)}
	f.Locator = tables.NewLocator(doc)
	f.Original = func(field string) string { return field }
	f.Blame = func(string, string) string { return "" }
	f.Explain = func(string, string) string { return "" }
	for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
		f.nodes[doc.Path(n)] = n
	}
	return f
}

// finding is one of a rule at an XPath. The rulebook is one that ships and has the rule, else one that says of its rules
// which terms their texts name.
func (f *fixture) finding(t *testing.T, rule, path, message string) *Finding {
	t.Helper()
	node, ok := f.nodes[path]
	if !ok {
		t.Fatalf("no node %s", path)
	}
	return &Finding{Book: f.bookOf(rule), Rule: rule, Node: node, Message: message}
}

// bookOf is the rulebook of a rule.
func (f *fixture) bookOf(rule string) *rulebook.Book {
	for _, book := range f.books {
		if s := book.Subject(rule); s.Member != "" || s.Terms != nil || s.Named != nil {
			return book
		}
	}
	return f.named
}

// subjectsOfX are the terms that the texts of rules name.
const subjectsOfX = `named:
  X-1: BT-9 BT-20
  X-2: BT-27 BG-4
  X-3: BT-131 BG-25
  X-4: BT-131
  X-5: BT-1
  X-7: BT-999 BT-1000
  X-8: BG-5
`

// namedBook is a rulebook with subjectsOfX.
func namedBook(t *testing.T) *rulebook.Book {
	t.Helper()
	return shelf{"x": {manifest: "schematron: [{file: r.sch}]\nsubjects: [s.yaml]\nbindings: [{name: a, root: a}]\n",
		files: map[string]string{"r.sch": twoRules, "s.yaml": subjectsOfX}}}.plan(t).Books[0]
}

// TestInvoicePlacer ensures which member a finding is about: that of the contract, that of the rule's subject, that of the node,
// or the nearest one that the text names.
func TestInvoicePlacer(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct{ rule, path, message, field string }{
		{"BR-DE-15", "/Invoice", "BT-10 is missing.", "countrySpecific.leitwegId"},
		{"BR-CL-23", "/Invoice/cac:InvoiceLine[2]/cbc:InvoicedQuantity", "The unit", "items[1].unit"},
		{"BR-CL-25", "/Invoice/cac:AccountingSupplierParty/cac:Party/cbc:EndpointID", "The scheme", "seller.electronicAddress.schemeId"},
		{"BR-CL-10", "/Invoice/cac:AccountingSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID", "The scheme", "seller.identifiers[0].schemeId"},
		{"BR-CO-09", "/Invoice/cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme", "BT-31, BT-48 and BT-63 begin with a country", "buyer.vatId"},
		{"BR-S-08", "/Invoice/cac:TaxTotal/cac:TaxSubtotal[1]/cac:TaxCategory", "BT-119 and BT-116", "taxSummary[0]"},
		{"BR-E-10", "/Invoice/cac:TaxTotal/cac:TaxSubtotal[2]/cac:TaxCategory", "a reason", "taxSummary[1].exemptionReason"},
		{"BR-E-05", "/Invoice/cac:InvoiceLine[2]/cac:Item/cac:ClassifiedTaxCategory", "a rate", "items[1]"},
		{"BR-S-02", "/Invoice", "BG-25 with BT-151", "seller.vatId"},
		{"BR-AE-02", "/Invoice", "both parties", "seller.vatId"},
		{"BR-29", "/Invoice", "BT-74 before BT-73", "servicePeriod"},
		{"X-1", "/Invoice", "Say (BT-9) or [BT-20].", "dueDate"},
		{"X-2", "/Invoice/cac:AccountingSupplierParty", "BG-4 needs BT-27.", "seller.name"},
		{"X-3", "/Invoice/cac:InvoiceLine[2]", "BG-25 needs BT-131.", "items[1].netAmount"},
		{"X-4", "/Invoice", "The sum of BT-131.", "items"},
		{"X-5", "/Invoice/cac:InvoiceLine[2]/cbc:ID", "Not BT-1.", "items[1].lineId"},
		{"X-6", "/Invoice/cac:InvoiceLine[2]/cac:Item", "Nothing is named.", "items[1]"},
		{"X-7", "/Invoice", "BT-999 and BT-1000 are no terms.", ""},
		{"X-8", "/Invoice/cac:AccountingSupplierParty/cac:Party/cac:PostalAddress", "BG-5 has a city.", "seller"},
		{SchemaRule, "/Invoice/cac:InvoiceLine[2]/cac:Item", "BT-1", "items[1]"},
	} {
		field, message, _ := f.Place(f.finding(t, c.rule, c.path, c.message))
		if field != c.field || !strings.HasSuffix(message, c.message) || !strings.HasPrefix(message, field) {
			t.Errorf("%s at %s: field %q, want %q; message %q", c.rule, c.path, field, c.field, message)
		}
	}
}

// TestInvoicePlacer_Hooks ensures that what the numbers show comes before the place, but not before the contract, under the name
// that the caller used, and that their explanation follows the text.
func TestInvoicePlacer_Hooks(t *testing.T) {
	f := newFixture(t)
	f.Blame = func(rule, field string) string { return map[string]string{"BR-CO-10": "items[3].netAmount"}[rule] }
	f.Original = func(field string) string { return strings.Replace(field, "netAmount", "net[].x", 1) }
	f.Explain = func(rule, field string) string { return " " + rule + " " + field }
	field, message, _ := f.Place(f.finding(t, "BR-CO-10", "/Invoice/cac:LegalMonetaryTotal", "BT-106"))
	if field != "items[3].net" || message != "items[3].net: BT-106 BR-CO-10 subtotal" {
		t.Errorf("%q %q", field, message)
	}
	if field, _, _ := f.Place(f.finding(t, "BR-16", "/Invoice", "")); field != "items" {
		t.Errorf("of the contract: %q", field)
	}
}

// TestDocumentPlacer ensures XPath, business term and line.
func TestDocumentPlacer(t *testing.T) {
	f := newFixture(t)
	p := &DocumentPlacer{Doc: f.doc, Paths: xmltree.NewLocator(f.doc), Locator: f.Locator}
	for _, c := range []struct{ rule, path, message, want string }{
		{"X-1", "/Invoice/cac:InvoiceLine[2]/cbc:ID", "Wrong.", "Wrong. (BT-126, /Invoice/cac:InvoiceLine[2]/cbc:ID, line 16)"},
		{"BR-DE-16", "/Invoice", "BG-11 or BT-31", "BG-11 or BT-31 (BT-31, /Invoice, line 1)"},
		{"BR-29", "/Invoice", "BT-74 before BT-73", "BT-74 before BT-73 (BT-74, /Invoice, line 1)"},
		{"X-9", "/Invoice", "No term", "No term (/Invoice, line 1)"},
	} {
		field, message, _ := p.Place(f.finding(t, c.rule, c.path, c.message))
		if field != c.path || message != c.want {
			t.Errorf("%s: %q %q, want %q", c.rule, field, message, c.want)
		}
	}
	p.Locator, p.Explain = nil, func(rule string) string { return " More." }
	if _, message, at := p.Place(f.finding(t, "X-5", "/Invoice", "BT-1.")); at.Line != 1 || message != "BT-1. More. (BT-1, /Invoice, line 1)" {
		t.Errorf("without a mapping: %q", message)
	}
}

// TestSubjectsAreTerms ensures that each subject is a term of the table, so that a slip of the pen is found.
func TestSubjectsAreTerms(t *testing.T) {
	f := newFixture(t)
	list := []string{}
	for _, subjects := range sharedSubjects(t) {
		list = append(list, slices.Collect(maps.Values(subjects.Terms))...)
	}
	if len(list) < 70 {
		t.Errorf("%d subjects", len(list))
	}
	for _, subject := range list {
		for term := range strings.FieldsSeq(subject) {
			if strings.HasPrefix(term, "/") {
				continue
			}
			if _, ok := f.Locator.Nearest(strings.TrimLeft(term, "+-"), f.doc.Root()); !ok {
				t.Errorf("subject %q: %s is no term of the table", subject, term)
			}
		}
	}
}

// TestWithIndexes ensures that lists of a pattern take the indexes of a field.
func TestWithIndexes(t *testing.T) {
	for _, c := range [][3]string{
		{"items[].unit", "items[3].quantity", "items[3].unit"},
		{"items[].attributes[].name", "items[3].attributes[12].value", "items[3].attributes[12].name"},
		{"items[].attributes[].name", "items[3].unit", "items[3].attributes"},
		{"items[].unit", "total", "items"},
		{"items[].unit", "items[3].subItems[0].subItems[12].quantity", "items[3].subItems[0].subItems[12].unit"},
		{"items[].unit", "items[3].subItems", "items[3].unit"},
		{"items[].unit", "items[3", "items"},
		{"paymentMethods", "items[3]", "paymentMethods"},
	} {
		if got := withIndexes(c[0], c[1]); got != c[2] {
			t.Errorf("%s with %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
