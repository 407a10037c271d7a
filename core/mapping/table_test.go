package mapping

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The document elements of the table of these tests.
const (
	bill = "Bill"
	memo = "Memo"
)

// The variables of the tables of these tests.
const (
	testCurrency    = "$currency"
	testTaxCurrency = "$taxCurrency"
)

// The types of these tests.
type (
	testRow  = Row[invoice.Invoice]
	mappings = Mapping[invoice.Invoice]
)

// testTable is a made-up syntax that has one of everything that UBL needs: two document elements, lists, groups in groups, predicates of all kinds,
// constants, variables, elements that the schema demands, a codec, totals with and without Keep, conditions, members of the
// invoice below lists, attributes of all kinds.
var testTable = Table[invoice.Invoice]{
	Namespaces: map[string]string{"x": "urn:x"},
	Elements:   []Element{{Name: bill, Namespace: "urn:bill"}, {Name: memo, Namespace: "urn:memo"}},
	Variables:  map[string]string{testCurrency: "currency", testTaxCurrency: "taxCurrencyCode"},
	Lines:      "items[]",
	Order: map[string]string{
		"Bill":  "x:Spec x:No Local x:Cur x:TaxCur x:BillType x:Day x:Due x:Note x:Order x:Ref x:Doc x:Maker x:To x:Means x:Extra x:Sum x:Net x:Row",
		"Memo":  "x:Spec x:MemoType x:No Local x:Cur x:TaxCur x:Day x:Note x:Order x:Ref x:Doc x:Maker x:To x:Means x:Extra x:Sum x:Net x:Row",
		"Order": "x:No x:Sales",
		"Ref":   "x:No x:Kind",
		"Doc":   "x:No x:File",
		"Maker": "x:Name x:Tax x:Person",
		"Tax":   "x:Id x:Scheme",
		"Means": "x:Code x:Due x:Remark x:Pan x:Net",
		"Extra": "x:Is x:Amount",
		"Sum":   "x:Amount x:Part",
		"Part":  "x:Base x:Rate x:Scheme",
		"Row":   "x:No x:Name x:Qty x:Price x:Trait",
		"Trait": "x:Name x:Value",
	},
	Rows: []testRow{
		{Term: "BT-24", Const: Specification, From: "profile", Path: "x:Spec"},
		{Term: "BT-1", Field: "invoiceNumber", Path: "x:No", Type: Identifier},
		{Term: "BT-10", Field: "buyerReference", Path: "Local"},
		{Term: "BT-5", Field: "currency", Path: "x:Cur", Type: Code},
		{Term: "BT-6", Field: "taxCurrencyCode", Path: "x:TaxCur", Type: Code},
		{Term: "BT-3", Field: "countrySpecific.invoiceTypeCode", Path: "x:BillType|x:MemoType", Type: Code},
		{Term: "BT-2", Field: "issueDate", Path: "x:Day", Type: Day},
		{Term: "BT-9", Field: "dueDate", Path: "x:Due", Type: Day, On: bill},
		{Term: "BG-1", Field: "noteEntries[]", Card: Many, Path: "x:Note", Codec: testCodec},
		{Term: "BT-13", Field: "orderNumber", Path: "x:Order/x:No", Type: Identifier, Fill: "NA", Attrs: []Attr{{Name: "kind", Const: "order"}}},
		{Term: "BT-14", Field: "salesOrderNumber", Path: "x:Order/x:Sales", Type: Identifier},
		{Term: "BT-18", Field: "objectId", Path: "x:Ref[x:Kind='130']/x:No", Type: Identifier, Attrs: []Attr{{Name: "scheme", Term: "BT-18-1", Field: "objectIdScheme"}}},
		{Term: "BG-24", Field: "attachments[]", Card: Many, Path: "x:Doc[x:File]", Rows: []testRow{
			{Term: "BT-122", Field: "reference", Path: "x:No", Type: Identifier},
			{Term: "BT-125", Field: "content", Path: "x:File", Type: Binary, Attrs: []Attr{{Name: "mime", Term: "BT-125-1", Field: "mimeType"}}},
		}},
		{Term: "BG-24", Field: "supportingDocuments[]", Card: Many, Path: "x:Doc[not(x:File)]", Rows: []testRow{
			{Term: "BT-122", Field: "id", Path: "x:No", Type: Identifier},
		}},
		{Term: "BG-4", Field: "seller", Path: "x:Maker", Rows: []testRow{
			{Term: "BT-27", Field: "name", Path: "x:Name"},
			{Term: "BT-31", Field: "vatId", Path: "x:Tax[x:Scheme='VAT']/x:Id", Type: Identifier},
			{Term: "BT-32", Field: "taxId", Path: "x:Tax[x:Scheme!='VAT']/x:Id", Type: Identifier},
			{Const: "FC", Path: "x:Tax[x:Scheme!='VAT']/x:Scheme"},
			{Term: "BT-41", Field: "contact.name", Path: "x:Person/x:Name"},
		}},
		{Term: "BG-15", Field: "delivery.address", Path: "x:To", Attrs: []Attr{{Name: "country", Term: "BT-80", Field: "countryCode"}}, Rows: []testRow{
			{Term: "BT-77", Field: "city", Path: "x:City"},
		}},
		{Term: "BG-16", Field: "paymentMethods[]", Card: Many, Path: "x:Means", Rows: []testRow{
			{Term: "BT-81", Field: "code", Path: "x:Code", Type: Code},
			{Term: "BT-9", Field: "/dueDate", Path: "x:Due", Type: Day, On: memo, When: atFirst},
			{Term: "BT-83", Field: "/paymentReference", Path: "x:Remark"},
			{Term: "BT-87", Field: "/cardAccount.pan", Path: "x:Pan", When: atFirst, Fill: "none"},
			{Const: testCurrency, Path: "x:Net"},
		}},
		{Term: "BG-20 BG-21", Field: "allowancesCharges[]", Card: Many, Path: "x:Extra", Rows: []testRow{
			{Term: "BT-92 BT-99", Field: "amount", Path: "x:Amount", Type: Amount, Attrs: inTestCurrency},
			{Field: "isCharge", Path: "x:Is", Type: Indicator},
		}},
		{Term: "BT-110", Total: testTax, From: "taxSummary[].taxAmount", Path: testSum + "/x:Amount", Type: Amount, Attrs: inTestCurrency},
		{Term: "BG-23", Field: "taxSummary[]", Card: Many, Path: testSum + "/x:Part", Rows: []testRow{
			{Term: "BT-116", Field: "netAmount", Path: "x:Base", Type: Amount},
			{Term: "BT-119", Field: "taxRate", Path: "x:Rate", Type: Percentage},
			{Const: "VAT", Path: "x:Scheme/x:Id"},
		}},
		{Term: "BT-111", Total: testTaxInTaxCurrency, Keep: invoice.ShareTaxInTaxCurrency, From: "taxSummary[].taxCurrencyTaxAmount",
			Path: "x:Sum[x:Amount/@cur=$taxCurrency]/x:Amount", Type: Amount},
		{Term: "BT-109", Field: "subtotal", Path: "x:Net", Type: Amount},
		{Term: "BG-25", Field: "items[]", Card: Many, Path: "x:Row", Attrs: []Attr{{Name: "sub", Field: "lineSubtype"}}, Rows: []testRow{
			{Term: "BT-126", Field: "position", Path: "x:No", Type: Identifier},
			{Term: "BT-153", Field: "description", Path: "x:Name"},
			{Term: "BT-129", Field: "quantity", Path: "x:Qty", Type: InvoicedQuantity, Attrs: []Attr{{Name: "unit", Term: "BT-130", Field: "unit"}, {Name: "pack", Field: "perPackageQuantity"}}},
			{Term: "BT-146", Field: "unitPrice", Path: "x:Price", Type: UnitPrice},
			{Term: "BG-32", Field: "attributes[]", Card: Many, Path: "x:Trait", Rows: []testRow{
				{Term: "BT-160", Field: "name", Path: "x:Name"},
				{Term: "BT-161", Field: "value", Path: "x:Value"},
			}},
		}},
	},
	Silent: map[string]string{"type": "the root says it"},
}

const testSum = "x:Sum[x:Amount/@cur=$currency]"

var inTestCurrency = []Attr{{Name: "cur", Const: testCurrency}}

func atFirst(s Scope[invoice.Invoice]) bool { return s.Index == 0 }

func testTax(inv *invoice.Invoice) (sum decimal.Decimal) {
	for i := range inv.TaxSummary {
		if g := &inv.TaxSummary[i]; g.NetAmount.IsSet() {
			sum = sum.Add(g.NetAmount.Mul(g.TaxRate).Mul(decimal.New(1, 2)))
		}
	}
	return sum.Round(2, decimal.HalfUp)
}

func testTaxInTaxCurrency(inv *invoice.Invoice) (sum decimal.Decimal) {
	for i := range inv.TaxSummary {
		if share := inv.TaxSummary[i].TaxCurrencyTaxAmount; share.IsSet() {
			sum = sum.Add(share)
		}
	}
	return sum
}

var testCodec = &Codec{
	Fields: []string{"text", "subjectCode"},
	Format: func(group any) string {
		note := group.(*invoice.Note)
		return strings.TrimPrefix(note.SubjectCode+":"+note.Text, ":")
	},
	Parse: func(text string, group any) {
		note := group.(*invoice.Note)
		code, rest, found := strings.Cut(text, ":")
		if !found {
			code, rest = "", text
		}
		note.SubjectCode, note.Text = code, rest
	},
}

func testMapping(t testing.TB) *mappings {
	t.Helper()
	m, err := Compile(&testTable)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// filled is an invoice with every member that testTable has, and two entries in each list.
func filled() *invoice.Invoice {
	d, yes, no, one, two := decimal.MustParse, true, false, 1, 2
	return &invoice.Invoice{
		InvoiceNumber: "R-7", BuyerReference: "local", Currency: "EUR", TaxCurrencyCode: "SEK", IssueDate: "2026-01-02", DueDate: "2026-02-03",
		CountrySpecific: &invoice.CountrySpecific{InvoiceTypeCode: "380"},
		NoteEntries:     []invoice.Note{{Text: "first"}, {Text: "second", SubjectCode: "AAI"}},
		OrderNumber:     "O-1", SalesOrderNumber: "S-2", ObjectID: "obj", ObjectIDScheme: "ABC",
		Attachments:         []invoice.Attachment{{Reference: "A-1", Content: "QUI=", MimeType: "text/csv"}, {Reference: "A-2", Content: "QUJD", MimeType: "image/png"}},
		SupportingDocuments: []invoice.SupportingDocument{{ID: "D-1"}, {ID: "D-2"}},
		Seller:              &invoice.Party{Name: "Maker & Söhne", VATID: "DE1", TaxID: "12/3", Contact: &invoice.Contact{Name: "Grete"}},
		Delivery:            &invoice.Delivery{Address: &invoice.Address{City: "Kiel", CountryCode: "DE"}},
		PaymentMethods:      []invoice.PaymentMethod{{Code: "58"}, {Code: "48"}},
		PaymentReference:    "remark", CardAccount: &invoice.CardAccount{PAN: "**1234"},
		AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &no, Amount: d("1.5")}, {IsCharge: &yes, Amount: d("2.125")}},
		TaxSummary: []invoice.TaxSummary{
			{NetAmount: d("100"), TaxRate: d("19"), TaxCurrencyTaxAmount: d("0.00")},
			{NetAmount: d("50.00"), TaxRate: d("7.0"), TaxCurrencyTaxAmount: d("237.50")},
		},
		Subtotal: d("150"),
		Items: []invoice.Item{
			{Position: &one, Description: "Bolt", Quantity: d("3"), Unit: "C62", PerPackageQuantity: d("10"), UnitPrice: d("0.0125"), LineSubtype: invoice.LineDetail,
				Attributes: []invoice.Attribute{{Name: "Size", Value: "M"}, {Name: "Colour", Value: "red"}}},
			{Position: &two, Description: "Nut", Quantity: d("-1.2345"), Unit: "KGM", UnitPrice: d("2"), LineSubtype: invoice.LineGroup,
				Attributes: []invoice.Attribute{{Name: "Size", Value: "L"}}},
		},
	}
}

func write(t rapid.TB, m *mappings, inv *invoice.Invoice, element string) (string, []Unwritten) {
	t.Helper()
	w := xmltree.NewWriter(xmltree.WriterOptions{NoDecl: true})
	unwritten, err := m.Write(context.Background(), w, inv, Env{Element: element, Specification: "urn:spec"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return string(w.Bytes()), unwritten
}

func parse(t rapid.TB, text string) *xmltree.Document {
	t.Helper()
	doc, err := xmltree.Parse([]byte(text), xmltree.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return doc
}

func read(t rapid.TB, m *mappings, text string) *Reading[invoice.Invoice] {
	t.Helper()
	reading, err := m.Read(context.Background(), parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return reading
}

// document wraps what stands below the document element Bill.
func document(content string) string {
	return `<Bill xmlns="urn:bill" xmlns:x="urn:x">` + content + "</Bill>"
}

// TestComputed_IsHeldAgainstItsEntry ensures that a row which computes a text of the invoice and its line writes it, takes what a document says
// that is the same number, and reports what is another one.
func TestComputed_IsHeldAgainstItsEntry(t *testing.T) {
	table := Table[invoice.Invoice]{Elements: []Element{{Name: "a"}}, Lines: "items[]", Rows: []Row[invoice.Invoice]{
		{Term: "BT-5", Field: "currency", Path: "currency"},
		{Term: "BG-25", Card: Many, Field: "items[]", Path: "line", Rows: []Row[invoice.Invoice]{
			{Term: "BT-131", Field: "netAmount", Path: "net", Type: Amount},
			{Path: "twice", Computed: &Computed[invoice.Invoice]{Of: []string{"netAmount"}, Text: func(s Scope[invoice.Invoice]) string {
				it := s.Group.(*invoice.Item)
				return s.Invoice.Currency + strings.Repeat("!", s.Index) + it.NetAmount.Add(it.NetAmount).String()
			}}},
		}},
	}}
	m, err := Compile(&table)
	if err != nil {
		t.Fatal(err)
	}
	inv := &invoice.Invoice{Items: []invoice.Item{{NetAmount: decimal.New(5, 0)}, {NetAmount: decimal.New(7, 0)}}}
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	if _, err := m.Write(t.Context(), w, inv, Env{}); err != nil || w.Finish() != nil {
		t.Fatal(err)
	}
	if got := string(w.Bytes()); !strings.Contains(got, "<twice>10.00</twice>") && !strings.Contains(got, "<twice>10</twice>") || !strings.Contains(got, "<twice>!14</twice>") {
		t.Error(got)
	}
	doc, err := xmltree.Parse([]byte(`<a><line><net>5</net><twice>10.000</twice></line><line><net>7</net><twice>13</twice></line></a>`), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := m.Read(t.Context(), doc)
	if err != nil || read.Account.Derived != 1 || read.Account.Mapped != 2 || read.Account.Reported != 1 || read.Account.Leaves[0].Value != "13" {
		t.Errorf("%v %+v", err, read)
	}
	if at := m.Locate(doc, read.Account.Leaves[0].Node); at.Field != "items[1].netAmount" {
		t.Errorf("%+v", at)
	}
}

// TestComputed_IsTakenWhereTheInvoiceGivesNothing ensures that a text which the invoice does not give yet goes to Take, that a second one is
// held against what has come of it, and that one which Take refuses, or which it makes something else of, is reported.
func TestComputed_IsTakenWhereTheInvoiceGivesNothing(t *testing.T) {
	table := Table[invoice.Invoice]{Elements: []Element{{Name: "a"}}, Rows: []Row[invoice.Invoice]{
		{Term: "BG-4", Field: "seller", Path: "seller", Rows: []Row[invoice.Invoice]{
			{Path: "country", Computed: &Computed[invoice.Invoice]{Of: []string{"countryCode"},
				Text: func(s Scope[invoice.Invoice]) string { return s.Group.(*invoice.Party).CountryCode },
				Take: func(stated string, s Scope[invoice.Invoice]) bool {
					s.Group.(*invoice.Party).CountryCode = strings.ToUpper(stated[:2])
					return stated != "XX"
				}}},
		}},
	}}
	m, err := Compile(&table)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, content            string
		mapped, derived, reports int
	}{
		{"one that is taken", "<country>de</country>", 1, 0, 0},
		{"the same again", "<country>de</country><country>DE</country>", 1, 1, 0},
		{"another one behind it", "<country>de</country><country>fr</country>", 1, 0, 1},
		{"one that is refused", "<country>XX</country>", 0, 0, 1},
		{"one that becomes another", "<country>Deutschland</country>", 0, 0, 1},
	} {
		doc, err := xmltree.Parse([]byte("<a><seller>"+c.content+"</seller></a>"), xmltree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		read, err := m.Read(t.Context(), doc)
		if got := read.Account; err != nil || got.Mapped != c.mapped || got.Derived != c.derived || got.Reported != c.reports {
			t.Errorf("%s: %v %+v", c.name, err, got)
		}
	}
}
