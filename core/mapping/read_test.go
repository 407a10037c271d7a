package mapping

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

func TestReadGivesBackWhatWriteWrote(t *testing.T) {
	m := testMapping(t)
	for _, root := range []string{bill, memo} {
		text, _ := write(t, m, filled(), root)
		got := read(t, m, text)
		if diff := cmp.Diff(filled(), got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
			t.Errorf("%s:\n%s", root, diff)
		}
		if got.Element != root || got.Specification != "urn:spec" {
			t.Errorf("%s, specification %q", got.Element, got.Specification)
		}
		if len(got.Account.Leaves) > 0 || got.Account.Reported > 0 || got.Account.Mapped+got.Account.Derived != mappingtest.Leaves(parse(t, text)) {
			t.Errorf("account %+v of %d leaves", got.Account, mappingtest.Leaves(parse(t, text)))
		}
	}
}

// leaf is what a test expects of an entry in the account.
type leaf struct{ path, term, value, reason string }

func leavesOf(a Account) (list []leaf) {
	for _, l := range a.Leaves {
		list = append(list, leaf{l.Path, l.Term, l.Value, l.Reason})
	}
	return list
}

func TestEachLeafIsMappedDerivedOrReported(t *testing.T) {
	cases := []struct {
		name            string
		content         string
		mapped, derived int
		reported        []leaf
	}{
		{name: "white space around a text", content: "<x:No>\n 7 \t</x:No>", mapped: 1},
		{name: "white space alone", content: "<x:No> \n </x:No><x:Maker>\n</x:Maker>"},
		{name: "comments and instructions", content: "<!-- a --><x:No><!-- b -->7<?c d?></x:No>", mapped: 1},
		{name: "a text in pieces", content: "<x:No>A<!-- -->B<![CDATA[C]]></x:No>", mapped: 2},
		{name: "an unknown element with all that is in it", content: `<x:New a="1" b=""><x:Deep>two</x:Deep>three<x:No c="4"/></x:New>`, reported: []leaf{
			{"/Bill/x:New/@a", "", "1", unknownPlace}, {"/Bill/x:New/x:Deep", "", "two", unknownPlace}, {"/Bill/x:New", "", "three", unknownPlace},
			{"/Bill/x:New/x:No/@c", "", "4", unknownPlace}}},
		{name: "a known name in another namespace", content: `<No xmlns="urn:y">7</No>`, reported: []leaf{{"/Bill/No", "", "7", unknownPlace}}},
		{name: "a known name in another place", content: "<x:City>Kiel</x:City>", reported: []leaf{{"/Bill/x:City", "", "Kiel", unknownPlace}}},
		{name: "an element in a text", content: "<x:No>7<x:No>8</x:No></x:No>", mapped: 1, reported: []leaf{{"/Bill/x:No/x:No", "", "8", unknownPlace}}},
		{name: "a text among elements", content: "<x:Maker>loose<x:Name>N</x:Name></x:Maker>", mapped: 1, reported: []leaf{{"/Bill/x:Maker", "BG-4", "loose", notText}}},
		{name: "schema locations", content: `<x:New xmlns:s="http://www.w3.org/2001/XMLSchema-instance" s:nil="true"/>`},
		{name: "attributes on an empty element", content: `<x:Ref><x:Kind>130</x:Kind><x:No scheme="ABC"/></x:Ref>`, derived: 1,
			reported: []leaf{{"/Bill/x:Ref/x:No/@scheme", "", "ABC", unknownPlace}}},
		{name: "an unknown attribute", content: `<x:No lang="de">7</x:No>`, mapped: 1, reported: []leaf{{"/Bill/x:No/@lang", "", "de", unknownPlace}}},
		{name: "an attribute of a group", content: `<x:To country="DE"/>`, mapped: 1},
		{name: "the same text again", content: "<x:No>7</x:No><x:No>7</x:No>", mapped: 2},
		{name: "another text for the same member", content: "<x:No>7</x:No><x:No>8</x:No>", mapped: 1, reported: []leaf{{"/Bill/x:No[2]", "BT-1", "8", string(duplicate)}}},
		{name: "other values of each kind", content: "<x:Net>1</x:Net><x:Net>1.0</x:Net><x:Net>2</x:Net><x:Day>2026-01-01</x:Day><x:Day>2026-01-01</x:Day><x:Day>2026-01-02</x:Day>" +
			"<x:Row><x:No>1</x:No><x:No>1</x:No><x:No>2</x:No></x:Row><x:Extra><x:Is>true</x:Is><x:Is>1</x:Is><x:Is>0</x:Is></x:Extra>", mapped: 8, reported: []leaf{
			{"/Bill/x:Net[3]", "BT-109", "2", string(duplicate)}, {"/Bill/x:Day[3]", "BT-2", "2026-01-02", string(duplicate)},
			{"/Bill/x:Row/x:No[3]", "BT-126", "2", string(duplicate)}, {"/Bill/x:Extra/x:Is[3]", "", "0", string(duplicate)}}},
		{name: "attributes of a text that is not taken", content: `<x:Ref><x:Kind>130</x:Kind><x:No>a</x:No></x:Ref><x:Ref><x:Kind>130</x:Kind><x:No scheme="S">b</x:No></x:Ref>`,
			mapped: 1, derived: 2, reported: []leaf{{"/Bill/x:Ref[2]/x:No", "BT-18", "b", string(duplicate)}, {"/Bill/x:Ref[2]/x:No/@scheme", "BT-18-1", "S", string(duplicate)}}},
		{name: "a group again", content: "<x:Maker><x:Name>A</x:Name></x:Maker><x:Maker><x:Name>B</x:Name><x:Person><x:Name>P</x:Name></x:Person></x:Maker>",
			mapped: 2, reported: []leaf{{"/Bill/x:Maker[2]/x:Name", "BT-27", "B", string(duplicate)}}},
		{name: "the invoice's own member in a list", content: "<x:Means><x:Remark>a</x:Remark></x:Means><x:Means><x:Remark>a</x:Remark></x:Means><x:Means><x:Remark>b</x:Remark></x:Means>",
			mapped: 2, reported: []leaf{{"/Bill/x:Means[3]/x:Remark", "BT-83", "b", string(duplicate)}}},
		{name: "what is no number", content: "<x:Net>1e5</x:Net>", reported: []leaf{{"/Bill/x:Net", "BT-109", "1e5", string(malformed)}}},
		{name: "what is no whole number", content: "<x:Row><x:No>1.5</x:No></x:Row>", reported: []leaf{{"/Bill/x:Row/x:No", "BT-126", "1.5", string(malformed)}}},
		{name: "what is no truth value", content: "<x:Extra><x:Is>TRUE</x:Is></x:Extra>", reported: []leaf{{"/Bill/x:Extra/x:Is", "", "TRUE", string(malformed)}}},
		{name: "what is no day", content: "<x:Day>2026-02-30</x:Day>", reported: []leaf{{"/Bill/x:Day", "BT-2", "2026-02-30", string(malformed)}}},
		{name: "a day with what is no time zone", content: "<x:Day>2026-02-28T00:00</x:Day>", reported: []leaf{{"/Bill/x:Day", "BT-2", "2026-02-28T00:00", string(malformed)}}},
		{name: "a day with its time zone", content: "<x:Day>2026-02-28+01:00</x:Day>", reported: []leaf{{"/Bill/x:Day", "BT-2", "2026-02-28+01:00", string(timezoned)}}},
		{name: "an attribute that is no number", content: `<x:Row><x:Qty pack="x">1</x:Qty></x:Row>`, mapped: 1, reported: []leaf{{"/Bill/x:Row/x:Qty/@pack", "BT-129", "x", string(malformed)}}},
		{name: "a constant", content: "<x:Means><x:Code>58</x:Code></x:Means><x:Sum><x:Part><x:Scheme><x:Id>GST</x:Id></x:Scheme></x:Part></x:Sum>", mapped: 1,
			reported: []leaf{{"/Bill/x:Sum/x:Part/x:Scheme/x:Id", "", "GST", unknownPlace}}},
		{name: "a constant that reads otherwise", content: `<x:Cur>EUR</x:Cur><x:Means><x:Net>USD</x:Net></x:Means>`, mapped: 1,
			reported: []leaf{{"/Bill/x:Means/x:Net", "", "USD", `written as "EUR"`}}},
		{name: "an attribute that reads otherwise", content: `<x:Cur>EUR</x:Cur><x:Extra><x:Amount cur="USD">1</x:Amount></x:Extra>`, mapped: 2,
			reported: []leaf{{"/Bill/x:Extra/x:Amount/@cur", "", "USD", `written as "EUR"`}}},
		{name: "a second specification", content: "<x:Spec>a</x:Spec><x:Spec>b</x:Spec>", derived: 1, reported: []leaf{{"/Bill/x:Spec[2]", "BT-24", "b", `written as "a"`}}},
		{name: "a total that adds up", content: `<x:Cur>EUR</x:Cur><x:Sum><x:Amount cur="EUR">9.5</x:Amount><x:Part><x:Base>50</x:Base><x:Rate>19</x:Rate></x:Part></x:Sum>`, mapped: 3, derived: 2},
		{name: "a total that does not", content: `<x:Cur>EUR</x:Cur><x:Sum><x:Amount cur="EUR">9.51</x:Amount><x:Part><x:Base>50</x:Base><x:Rate>19</x:Rate></x:Part></x:Sum>`, mapped: 3, derived: 1,
			reported: []leaf{{"/Bill/x:Sum/x:Amount", "BT-110", "9.51", "the invoice computes 9.50"}}},
		{name: "a total of nothing", content: `<x:Cur>EUR</x:Cur><x:Sum><x:Amount cur="EUR">1</x:Amount></x:Sum>`, mapped: 1, derived: 1,
			reported: []leaf{{"/Bill/x:Sum/x:Amount", "BT-110", "1", "the invoice computes nothing"}}},
		{name: "a total that is no number", content: `<x:Cur>EUR</x:Cur><x:Sum><x:Amount cur="EUR">one</x:Amount></x:Sum>`, mapped: 1, derived: 1,
			reported: []leaf{{"/Bill/x:Sum/x:Amount", "BT-110", "one", string(malformed)}}},
		{name: "a total that is kept, once", content: `<x:Cur>EUR</x:Cur><x:TaxCur>SEK</x:TaxCur><x:Sum><x:Amount cur="EUR">0</x:Amount><x:Part><x:Base>0</x:Base></x:Part></x:Sum>` +
			`<x:Sum><x:Amount cur="SEK">7</x:Amount></x:Sum><x:Sum><x:Amount cur="SEK">8</x:Amount></x:Sum>`, mapped: 3, derived: 5,
			reported: []leaf{{"/Bill/x:Sum[3]/x:Amount", "BT-111", "8", "the invoice computes 7"}}},
		{name: "an entry of which nothing is kept", content: "<x:Row><x:New>1</x:New></x:Row><x:Row><x:Name>N</x:Name></x:Row>", mapped: 1,
			reported: []leaf{{"/Bill/x:Row[1]/x:New", "", "1", unknownPlace}}},
	}
	m := testMapping(t)
	for _, c := range cases {
		got := read(t, m, document(c.content))
		account := got.Account
		if account.Mapped != c.mapped || account.Derived != c.derived || account.Reported != len(c.reported) {
			t.Errorf("%s: %d mapped, %d derived, %d reported, want %d, %d, %d", c.name, account.Mapped, account.Derived, account.Reported, c.mapped, c.derived, len(c.reported))
		}
		if diff := cmp.Diff(c.reported, leavesOf(account), cmp.AllowUnexported(leaf{})); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if all := mappingtest.Leaves(parse(t, document(c.content))); all != account.Mapped+account.Derived+account.Reported {
			t.Errorf("%s: the document has %d leaves", c.name, all)
		}
	}
}

func TestReadPutsEachTextWhereItBelongs(t *testing.T) {
	d := decimal.MustParse
	yes, no := true, false
	cases := []struct {
		name    string
		content string
		want    invoice.Invoice
	}{
		{"white space in base64", "<x:Doc><x:File>QUJD\n REVG\t</x:File></x:Doc>", invoice.Invoice{Attachments: []invoice.Attachment{{Content: "QUJDREVG"}}}},
		{"a text in pieces, without that of the elements in it", "<x:No>A<!-- -->B<x:New>C</x:New>D</x:No>", invoice.Invoice{InvoiceNumber: "ABD"}},
		{"scale and sign", "<x:Net>-1.500</x:Net>", invoice.Invoice{Subtotal: d("-1.500")}},
		{"the forms of truth", "<x:Extra><x:Is>1</x:Is></x:Extra><x:Extra><x:Is>0</x:Is></x:Extra>", invoice.Invoice{AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &yes}, {IsCharge: &no}}}},
		{"a day without its time zone", "<x:Day>2026-02-28Z</x:Day>", invoice.Invoice{IssueDate: "2026-02-28"}},
		{"a predicate that holds", "<x:Maker><x:Tax><x:Scheme> vat </x:Scheme><x:Id>V</x:Id></x:Tax></x:Maker>", invoice.Invoice{Seller: &invoice.Party{VATID: "V"}}},
		{"a predicate on what is absent", "<x:Maker><x:Tax><x:Id>T</x:Id></x:Tax></x:Maker>", invoice.Invoice{Seller: &invoice.Party{TaxID: "T"}}},
		{"existence", "<x:Doc><x:No>1</x:No><x:File>QQ==</x:File></x:Doc><x:Doc><x:No>2</x:No><x:File> </x:File></x:Doc>",
			invoice.Invoice{Attachments: []invoice.Attachment{{Reference: "1", Content: "QQ=="}}, SupportingDocuments: []invoice.SupportingDocument{{ID: "2"}}}},
		{"a variable, wherever the document states it", `<x:Sum><x:Amount cur="SEK">8</x:Amount></x:Sum><x:Sum><x:Part><x:Base>1</x:Base></x:Part><x:Amount cur="EUR">0</x:Amount></x:Sum>` +
			`<x:TaxCur> SEK </x:TaxCur><x:Cur>EUR</x:Cur>`, invoice.Invoice{Currency: "EUR", TaxCurrencyCode: "SEK", TaxSummary: []invoice.TaxSummary{{NetAmount: d("1"), TaxCurrencyTaxAmount: d("8")}}}},
		{"nothing for what is malformed", "<x:To><x:Size>1</x:Size></x:To><x:Day>never</x:Day><x:Maker><x:Person><x:New>1</x:New></x:Person></x:Maker>", invoice.Invoice{}},
		{"no list for entries of which nothing is kept", "<x:Row><x:New>1</x:New></x:Row><x:Row/><x:Doc/>", invoice.Invoice{}},
		{"lists in lists, with entries of which nothing is kept", "<x:Row><x:Name>a</x:Name><x:Trait/><x:Trait/></x:Row>" +
			"<x:Row><x:Trait/><x:Trait><x:Name>1</x:Name></x:Trait><x:Trait><x:Name>2</x:Name></x:Trait></x:Row><x:Row><x:Trait><x:New/></x:Trait><x:Name>c</x:Name></x:Row>" +
			"<x:Row><x:Trait><x:Name>3</x:Name></x:Trait><x:Trait/></x:Row>", invoice.Invoice{Items: []invoice.Item{{Description: "a"},
			{Attributes: []invoice.Attribute{{Name: "1"}, {Name: "2"}}}, {Description: "c"}, {Attributes: []invoice.Attribute{{Name: "3"}}}}}},
		{"attributes only with their text", `<x:Ref><x:Kind>130</x:Kind><x:No>a</x:No></x:Ref><x:Ref><x:Kind>130</x:Kind><x:No scheme="S">b</x:No></x:Ref>`, invoice.Invoice{ObjectID: "a"}},
		{"a group below a struct that is made for it", "<x:To><x:City>Kiel</x:City></x:To>", invoice.Invoice{Delivery: &invoice.Delivery{Address: &invoice.Address{City: "Kiel"}}}},
		{"a codec", "<x:Note>AAI:text: more</x:Note><x:Note>plain</x:Note>", invoice.Invoice{NoteEntries: []invoice.Note{{SubjectCode: "AAI", Text: "text: more"}, {Text: "plain"}}}},
	}
	m := testMapping(t)
	for _, c := range cases {
		got := read(t, m, document(c.content))
		if diff := cmp.Diff(&c.want, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestReportsNameTheLineAndBoundTheValue(t *testing.T) {
	long := strings.Repeat("ä", 150)
	got := read(t, testMapping(t), document("\n\n <x:New>"+long+"</x:New>\n<x:Far\na='1'/>"))
	if len(got.Account.Leaves) != 2 || got.Account.Leaves[0].Line != 3 || got.Account.Leaves[1].Line != 5 {
		t.Fatalf("%+v", got.Account.Leaves)
	}
	if value := got.Account.Leaves[0].Value; value != strings.Repeat("ä", 100) {
		t.Errorf("%d bytes %q", len(value), value)
	}
	got = read(t, testMapping(t), document("<x:New>a"+long+"</x:New>"))
	if value := got.Account.Leaves[0].Value; value != "a"+strings.Repeat("ä", 99) {
		t.Errorf("cut inside a character: %q", value)
	}
}

func TestTheAccountIsBounded(t *testing.T) {
	m := testMapping(t)
	got := read(t, m, document(strings.Repeat("<x:New>1</x:New>", LeafLimit+5)))
	if len(got.Account.Leaves) != LeafLimit || got.Account.Reported != LeafLimit+5 {
		t.Errorf("%d leaves, %d reported", len(got.Account.Leaves), got.Account.Reported)
	}
	deep := strings.Repeat("<"+strings.Repeat("n", 1000)+">", 200)
	got = read(t, m, document(deep+strings.Repeat("<a>1</a>", 1000)+strings.ReplaceAll(deep, "<", "</")))
	size := 0
	for _, l := range got.Account.Leaves {
		size += len(l.Path) + len(l.Value)
	}
	if got.Account.Reported != 1000 || size > LeafBytes+300_000 {
		t.Errorf("%d reported, %d bytes", got.Account.Reported, size)
	}
}

func TestReadRefusesAnotherDocumentElement(t *testing.T) {
	m := testMapping(t)
	for _, text := range []string{`<Bill xmlns="urn:memo"/>`, "<Bill/>", `<x:No xmlns:x="urn:x">1</x:No>`} {
		_, err := m.Read(context.Background(), parse(t, text))
		if err == nil || !strings.Contains(err.Error(), "not one of this syntax") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m, doc := testMapping(t), parse(t, document(strings.Repeat("<x:Row><x:Name>N</x:Name></x:Row>", 100)))
	if _, err := m.Read(ctx, doc); err != nil {
		t.Fatal(err)
	}
	cancel()
	if reading, err := m.Read(ctx, doc); !errors.Is(err, context.Canceled) || reading != nil {
		t.Errorf("reading %v, error %v", reading, err)
	}
}

func TestListsAreReadInOrderUpToTheLimit(t *testing.T) {
	var b strings.Builder
	for i := range lineLimit {
		fmt.Fprintf(&b, "<x:Row><x:Name>%d</x:Name></x:Row>", i)
	}
	items := read(t, testMapping(t), document(b.String())).Invoice.Items
	for i := range items {
		if items[i].Description != fmt.Sprint(i) {
			t.Fatalf("line %d is %q", i, items[i].Description)
		}
	}
	if len(items) != lineLimit {
		t.Errorf("%d lines", len(items))
	}
	b.WriteString("<x:Row><x:Name>more</x:Name></x:Row>")
	if _, err := testMapping(t).Read(context.Background(), parse(t, document(b.String()))); !errors.Is(err, ErrTooManyLines) {
		t.Errorf("one line more: error %v", err)
	}
}
