package mapping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// pairSplit takes a text apart at its first slash.
var pairSplit = &Split{
	Parts: func(text string) []string {
		before, after, ok := strings.Cut(text, "/")
		if !ok {
			return nil
		}
		return []string{before, after}
	},
	Join: func(parts []string) (string, bool) { return parts[0] + "/" + parts[1], parts[0] != "" },
}

// shapeTable has elements that UBL does not need: empty ones that are demanded, groups with a text, members in pieces, lists over
// several rows in one place and in two, converters in attributes.
var shapeTable = Table[invoice.Invoice]{
	Namespaces: testTable.Namespaces,
	Elements:   []Element{{Name: bill, Namespace: "urn:bill"}},
	Lines:      "items[]",
	Order: map[string]string{
		"Bill": "x:Series x:No x:Day x:Id|x:Code x:Less x:More x:Maker x:Ship x:Log x:Row",
		"Ship": "x:Mode x:To", "Row": "x:No x:Due x:Sub", "Less": "x:Entry x:Sum",
	},
	Rows: []testRow{
		{Term: "BT-1", Field: "invoiceNumber", Path: ".", Split: pairSplit, Rows: []testRow{{Path: "x:Series"}, {Path: "x:No", Attrs: []Attr{{Name: "kind", Const: "number"}}}}},
		{Term: "BT-2", Field: "issueDate", Path: "x:Day", Attrs: []Attr{{Name: "due", Term: "BT-9", Field: "dueDate", Convert: Format102}}},
		{Term: "BG-1", Card: Many, Field: "noteEntries[]", Path: "x:Code", When: withSubject, Rows: []testRow{{Term: "BT-22", Field: "text", Path: ".", Attrs: []Attr{{Name: "subject", Term: "BT-21", Field: "subjectCode"}}}}},
		{Term: "BG-1", Card: Many, Field: "noteEntries[]", Path: "x:Id", Rows: []testRow{{Term: "BT-22", Field: "text", Path: "."}}},
		{Term: "BG-21", Card: Many, Field: "allowancesCharges[]", Path: "x:More/x:Entry", When: isCharge, Rows: []testRow{{Term: "BT-99", Field: "amount", Path: ".", Type: Amount}, {Path: ".", Attrs: []Attr{{Name: "why", Term: "BT-104", Field: "reason"}}}}},
		{Term: "BG-20", Card: Many, Field: "allowancesCharges[]", Path: "x:Less/x:Entry", Rows: []testRow{{Term: "BT-92", Field: "amount", Path: ".", Type: Amount}}},
		{Path: "x:Maker", Rows: []testRow{{Term: "BT-27", Field: "seller.name", Path: "x:Name", Required: true}, {Term: "BT-28", Field: "seller.tradingName", Path: "x:Trade"}}},
		{Path: "x:Ship", Required: true, Rows: []testRow{{Const: "road", Path: "x:Mode"}, {Term: "BG-15", Field: "delivery.address", Path: "x:To", Rows: []testRow{{Term: "BT-77", Field: "city", Path: "x:City"}}}}},
		{Path: "x:Log", Required: true},
		{Term: "BG-25", Card: Many, Field: "items[]", Path: "x:Row", Required: true, Rows: []testRow{
			{Term: "BT-126", Field: "lineId", Path: "x:No", Required: true},
			{Term: "BT-8", Field: "/taxPointDateCode", Path: "x:Due", Convert: taxPoints},
			{Term: "BG-26", Field: "servicePeriod", Path: "x:Sub", Required: true, Rows: []testRow{{Term: "BT-134", Field: "start", Path: "x:From", Type: Day, Convert: Format102}}},
		}},
	},
	Silent: map[string]string{"allowancesCharges[].isCharge": "its element says it"},
}

func withSubject(s Scope[invoice.Invoice]) bool { return s.Group.(*invoice.Note).SubjectCode != "" }

func shapeMapping(t testing.TB) *mappings {
	t.Helper()
	m, err := Compile(&shapeTable)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shipped is what stands in a document of shapeTable without anything.
const shipped = "<x:Ship><x:Mode>road</x:Mode></x:Ship><x:Log/>"

// TestElementsOfEveryShapeAreWrittenAndRead has an invoice and what is written of it; unread is what reading gives instead.
func TestElementsOfEveryShapeAreWrittenAndRead(t *testing.T) {
	d, yes, no := decimal.MustParse, true, false
	const row = "<x:Row><x:No/><x:Sub/></x:Row>"
	for _, c := range []struct {
		name      string
		inv       invoice.Invoice
		content   string
		unread    *invoice.Invoice
		unwritten []Unwritten
	}{
		{name: "nothing", content: shipped + row},
		{name: "a member in two elements", inv: invoice.Invoice{InvoiceNumber: "2026/17/b"}, content: "<x:Series>2026</x:Series><x:No kind=\"number\">17/b</x:No>" + shipped + row},
		{name: "a piece that is empty", inv: invoice.Invoice{InvoiceNumber: "2026/"}, content: "<x:Series>2026</x:Series>" + shipped + row},
		{name: "a member without pieces", inv: invoice.Invoice{InvoiceNumber: "17"}, content: shipped + row, unread: &invoice.Invoice{}, unwritten: []Unwritten{{Field: "invoiceNumber"}}},
		{name: "a converter in an attribute", inv: invoice.Invoice{IssueDate: "2026-01-02", DueDate: "2026-02-03"}, content: `<x:Day due="20260203">2026-01-02</x:Day>` + shipped + row},
		{name: "an attribute without its text", inv: invoice.Invoice{DueDate: "2026-02-03"}, content: shipped + row, unread: &invoice.Invoice{}, unwritten: []Unwritten{{Field: "dueDate"}}},
		{name: "a list in one place", inv: invoice.Invoice{NoteEntries: []invoice.Note{{Text: "a"}, {Text: "b", SubjectCode: "X"}, {Text: "c"}, {Text: "d", SubjectCode: "Y"}}},
			content: `<x:Id>a</x:Id><x:Code subject="X">b</x:Code><x:Id>c</x:Id><x:Code subject="Y">d</x:Code>` + shipped + row},
		{name: "a group's attribute without its text", inv: invoice.Invoice{NoteEntries: []invoice.Note{{SubjectCode: "X"}}}, content: shipped + row, unread: &invoice.Invoice{},
			unwritten: []Unwritten{{Field: "noteEntries[0].subjectCode"}}},
		{name: "a member that another row of the list has", inv: invoice.Invoice{AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &no, Amount: d("2"), Reason: "r"}}},
			content: `<x:Less><x:Entry>2</x:Entry></x:Less>` + shipped + row, unread: &invoice.Invoice{AllowancesCharges: []invoice.DocumentCharge{{Amount: d("2")}}},
			unwritten: []Unwritten{{Field: "allowancesCharges[0].reason"}}},
		{name: "a list in two places", inv: invoice.Invoice{AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &yes, Amount: d("1"), Reason: "r"}, {IsCharge: &no, Amount: d("2")}, {IsCharge: &yes, Amount: d("3")}}},
			content: `<x:Less><x:Entry>2</x:Entry></x:Less><x:More><x:Entry why="r">1</x:Entry><x:Entry>3</x:Entry></x:More>` + shipped + row,
			unread:  &invoice.Invoice{AllowancesCharges: []invoice.DocumentCharge{{Amount: d("2")}, {Amount: d("1"), Reason: "r"}, {Amount: d("3")}}}},
		{name: "a demanded text beside another", inv: invoice.Invoice{Seller: &invoice.Party{TradingName: "t"}}, content: "<x:Maker><x:Name/><x:Trade>t</x:Trade></x:Maker>" + shipped + row},
		{name: "a demanded element with something in it", inv: invoice.Invoice{Delivery: &invoice.Delivery{Address: &invoice.Address{City: "Kiel"}}},
			content: "<x:Ship><x:Mode>road</x:Mode><x:To><x:City>Kiel</x:City></x:To></x:Ship><x:Log/>" + row},
		{name: "lines", inv: invoice.Invoice{TaxPointDateCode: "432", Items: []invoice.Item{{LineID: "1"}, {ServicePeriod: &invoice.Period{Start: "2026-01-31"}}}},
			content: shipped + "<x:Row><x:No>1</x:No><x:Due>72</x:Due><x:Sub/></x:Row><x:Row><x:No/><x:Due>72</x:Due><x:Sub><x:From>20260131</x:From></x:Sub></x:Row>"},
		{name: "a code without counterpart", inv: invoice.Invoice{TaxPointDateCode: "4", Items: []invoice.Item{{LineID: "1"}}},
			content: shipped + "<x:Row><x:No>1</x:No><x:Sub/></x:Row>", unread: &invoice.Invoice{Items: []invoice.Item{{LineID: "1"}}}, unwritten: []Unwritten{{Field: "taxPointDateCode"}}},
		{name: "the invoice's own member in a line that is demanded", inv: invoice.Invoice{TaxPointDateCode: "3"}, content: shipped + "<x:Row><x:No/><x:Due>5</x:Due><x:Sub/></x:Row>"},
	} {
		m := shapeMapping(t)
		text, unwritten := write(t, m, &c.inv, bill)
		if diff := cmp.Diff(document(c.content), flat(text)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff(c.unwritten, unwritten); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		want := &c.inv
		if c.unread != nil {
			want = c.unread
		}
		got := read(t, m, text)
		if diff := cmp.Diff(want, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if a := got.Account; a.Reported > 0 || a.Mapped+a.Derived != mappingtest.Leaves(parse(t, text)) {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

// TestWhatConvertersDoNotKnowIsReported has documents, and the leaves that stay out of the invoice.
func TestWhatConvertersDoNotKnowIsReported(t *testing.T) {
	for content, want := range map[string][]leaf{
		"<x:Row><x:Due>4</x:Due></x:Row>":                                      {{"/Bill/x:Row/x:Due", "BT-8", "4", string(unknown)}},
		"<x:Row><x:Due> 72\n</x:Due></x:Row><x:Row><x:Due>5</x:Due></x:Row>":   {{"/Bill/x:Row[2]/x:Due", "BT-8", "5", string(duplicate)}},
		"<x:Row><x:Sub><x:From>2026-01-31</x:From></x:Sub></x:Row>":            {{"/Bill/x:Row/x:Sub/x:From", "BT-134", "2026-01-31", string(unknown)}},
		"<x:Row><x:Sub><x:From>20260231</x:From></x:Sub></x:Row>":              {{"/Bill/x:Row/x:Sub/x:From", "BT-134", "20260231", string(unknown)}},
		"<x:Row><x:Sub><x:From>20260131Z</x:From></x:Sub></x:Row>":             {{"/Bill/x:Row/x:Sub/x:From", "BT-134", "20260131Z", string(unknown)}},
		`<x:Day due="2026">2026-01-02</x:Day>`:                                 {{"/Bill/x:Day/@due", "BT-9", "2026", string(unknown)}},
		"<x:No>17</x:No>":                                                      {{"/Bill/x:No", "BT-1", "17", string(unjoined)}},
		`<x:Series>1</x:Series><x:No kind="x">17</x:No>`:                       {{"/Bill/x:No/@kind", "", "x", `written as "number"`}},
		`<x:More><x:Entry why="r">1<x:B>2</x:B></x:Entry></x:More>`:            {{"/Bill/x:More/x:Entry/x:B", "", "2", unknownPlace}},
		`<x:Code subject="X"/><x:Log>1</x:Log><x:Ship><x:To>2</x:To></x:Ship>`: {{"/Bill/x:Code/@subject", "", "X", unknownPlace}, {"/Bill/x:Log", "", "1", notText}, {"/Bill/x:Ship/x:To", "BG-15", "2", notText}},
	} {
		got := read(t, shapeMapping(t), document(content))
		if diff := cmp.Diff(want, leavesOf(got.Account), cmp.AllowUnexported(leaf{})); diff != "" {
			t.Errorf("%s: %s", content, diff)
		}
		if a := got.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(parse(t, document(content))) {
			t.Errorf("%s: %+v", content, a)
		}
	}
}

// TestEntriesAreLocatedWhereTheInvoiceHasThem has the texts of lists over several rows, some of which are not written at all.
func TestEntriesAreLocatedWhereTheInvoiceHasThem(t *testing.T) {
	d, yes, no := decimal.MustParse, true, false
	inv := &invoice.Invoice{
		NoteEntries:       []invoice.Note{{}, {Text: "n1"}, {Text: "n2", SubjectCode: "X"}, {SubjectCode: "lost"}, {Text: "n4"}},
		AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &yes, Amount: d("100")}, {IsCharge: &no, Amount: d("101")}, {IsCharge: &yes}, {IsCharge: &yes, Amount: d("103")}},
		Items:             []invoice.Item{{}, {LineID: "l1"}, {LineID: "l2"}},
	}
	m := shapeMapping(t)
	text, _ := write(t, m, inv, bill)
	doc := parse(t, text)
	l := m.NewLocatorOf(doc, inv)
	alone := m.NewLocator(doc)
	for path, want := range map[string][2]string{
		"/Bill/x:Id[1]":           {"noteEntries[1].text", "noteEntries[0].text"},
		"/Bill/x:Code":            {"noteEntries[2].text", "noteEntries[1].text"},
		"/Bill/x:Id[2]":           {"noteEntries[4].text", "noteEntries[2].text"},
		"/Bill/x:Less/x:Entry":    {"allowancesCharges[1].amount", "allowancesCharges[0].amount"},
		"/Bill/x:More/x:Entry[1]": {"allowancesCharges[0].amount", "allowancesCharges[1].amount"},
		"/Bill/x:More/x:Entry[2]": {"allowancesCharges[3].amount", "allowancesCharges[2].amount"},
		"/Bill/x:Row[1]/x:No":     {"items[1].lineId", "items[0].lineId"},
		"/Bill/x:Row[2]/x:No":     {"items[2].lineId", "items[1].lineId"},
	} {
		at := nodeAt(t, doc, path)
		if got := [2]string{l.Locate(at).Field, alone.Locate(at).Field}; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	other := parse(t, "<Other/>")
	if got := m.NewLocatorOf(other, inv).Locate(other.Root()); got != (Place{}) {
		t.Errorf("in another syntax: %+v", got)
	}
	empty := parse(t, document(shipped+"<x:Row><x:No/></x:Row>"))
	if got := m.NewLocatorOf(empty, &invoice.Invoice{}).Locate(nodeAt(t, empty, "/Bill/x:Row/x:No")); got.Field != "items[0].lineId" {
		t.Errorf("of an entry that the invoice does not have: %+v", got)
	}
}

// TestCompileRefusesShapesThatCannotBe names what is wrong with a row.
func TestCompileRefusesShapesThatCannotBe(t *testing.T) {
	pieces := []testRow{{Path: "x:B"}, {Path: "x:C"}}
	inner := []testRow{{Path: ".", Field: "text"}}
	for name, c := range map[string]struct {
		rows []testRow
		want string
	}{
		"a split field without pieces":            {[]testRow{{Field: "notes", Path: "x:A", Split: pairSplit}}, errSplit.Error()},
		"a split field of another kind":           {[]testRow{{Field: "total", Path: "x:A", Split: pairSplit, Rows: pieces}}, errSplit.Error()},
		"a split field that is converted":         {[]testRow{{Field: "notes", Path: "x:A", Split: pairSplit, Rows: pieces, Convert: taxPoints}}, errSplit.Error()},
		"an unknown split field":                  {[]testRow{{Field: "note", Path: "x:A", Split: pairSplit, Rows: pieces}}, `has no member "note"`},
		"a piece with a field":                    {[]testRow{{Field: "notes", Path: "x:A", Split: pairSplit, Rows: []testRow{{Path: "x:B", Field: "currency"}}}}, errPiece.Error()},
		"a piece that another row has":            {[]testRow{{Field: "currency", Path: "x:B"}, {Field: "notes", Path: ".", Split: pairSplit, Rows: pieces}}, errTaken.Error()},
		"a text of an element with elements":      {[]testRow{{Path: "x:A", Rows: []testRow{{Path: ".", Field: "notes"}, {Path: "x:B", Field: "currency"}}}}, "an element with text cannot have the child x:B"},
		"two texts of an element":                 {[]testRow{{Path: "x:A", Rows: []testRow{{Path: ".", Field: "notes"}, {Path: ".", Field: "currency"}}}}, errTaken.Error()},
		"a constant as the text of a group":       {[]testRow{{Path: "x:A", Rows: []testRow{{Path: ".", Const: "c"}}}}, errSelf.Error()},
		"nothing of the element itself":           {[]testRow{{Path: "."}}, errSelf.Error()},
		"a condition on the element itself":       {[]testRow{{Path: ".", Field: "notes", When: atFirst}}, errSelf.Error()},
		"an unknown text of a group":              {[]testRow{{Card: Many, Field: "noteEntries[]", Path: "x:A", Rows: []testRow{{Path: ".", Field: "note"}}}}, `has no member "note"`},
		"a converter without a way back":          {[]testRow{{Field: "notes", Path: "x:A", Convert: &Converter{Write: taxPoints.Write}}}, errConverter.Error()},
		"a converter of numbers for a text":       {[]testRow{{Field: "notes", Path: "x:A", Convert: Decimals(2, 2)}}, errConverter.Error()},
		"a converter of texts for a total":        {[]testRow{{Total: testTax, Path: "x:A", Convert: taxPoints}}, errConverter.Error()},
		"a converter without a member":            {[]testRow{{Const: "c", Path: "x:A", Convert: Decimals(2, 2)}}, errConverter.Error()},
		"a converter of numbers for an attribute": {[]testRow{{Field: "notes", Path: "x:A", Attrs: []Attr{{Name: "b", Field: "currency", Convert: Decimals(0, 2)}}}}, errConverter.Error()},
		"a condition on the last row of a list":   {[]testRow{{Card: Many, Field: "noteEntries[]", Path: "x:A", When: withSubject, Rows: inner}, {Card: Many, Field: "noteEntries[]", Path: "x:B", When: withSubject, Rows: inner}}, errLast.Error()},
		"no condition on another row of a list":   {[]testRow{{Card: Many, Field: "noteEntries[]", Path: "x:A", Rows: inner}, {Card: Many, Field: "noteEntries[]", Path: "x:B", Rows: inner}}, errNotLast.Error()},
	} {
		_, err := Compile(&Table[invoice.Invoice]{Namespaces: testTable.Namespaces, Elements: shapeTable.Elements, Rows: c.rows})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestConvertersTranslateBothWays has the texts of the invoice and of the document; a text without counterpart is refused.
func TestConvertersTranslateBothWays(t *testing.T) {
	for _, c := range []struct {
		converter *Converter
		pairs     map[string]string
		written   []string // refused on the way out
		read      []string // refused on the way back
	}{
		{taxPoints, map[string]string{"3": "5", "35": "29", "432": "72"}, []string{"", "5", "29"}, []string{"", "3", "432"}},
		{Format102, map[string]string{"2026-01-31": "20260131", "0001-01-01": "00010101"}, nil, []string{"", "2026013", "202601311", "2026-1-1", "20261301", "abcdefgh"}},
	} {
		for in, out := range c.pairs {
			if got, ok := c.converter.Write(in); got != out || !ok {
				t.Errorf("%q is written as %q", in, got)
			}
			if got, ok := c.converter.Read(out); got != in || !ok {
				t.Errorf("%q is read as %q", out, got)
			}
		}
		for _, text := range c.written {
			if got, ok := c.converter.Write(text); ok {
				t.Errorf("%q is written as %q", text, got)
			}
		}
		for _, text := range c.read {
			if got, ok := c.converter.Read(text); ok {
				t.Errorf("%q is read as %q", text, got)
			}
		}
	}
	first := Codes([2]string{"a", "1"}, [2]string{"b", "1"}, [2]string{"a", "2"})
	for text, want := range map[string]string{"1": "a", "2": "a"} {
		if got, ok := first.Read(text); got != want || !ok {
			t.Errorf("%s is read as %q", text, got)
		}
	}
	for text, want := range map[string]string{"a": "1", "b": "1"} {
		if got, ok := first.Write(text); got != want || !ok {
			t.Errorf("%s is written as %q", text, got)
		}
	}
	for in, want := range map[string]string{"1": "1.00", "1.005": "1.01", "-1.005": "-1.01", "1.1": "1.10"} {
		if got := Decimals(2, 2).Number(decimal.MustParse(in)).String(); got != want {
			t.Errorf("%s is written as %s, want %s", in, got, want)
		}
	}
}
