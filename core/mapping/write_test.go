package mapping

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

func TestWriteGivesExactlyTheTable(t *testing.T) {
	got, unwritten := write(t, testMapping(t), filled(), bill)
	want := `<Bill xmlns="urn:bill" xmlns:x="urn:x">
  <x:Spec>urn:spec</x:Spec>
  <x:No>R-7</x:No>
  <Local>local</Local>
  <x:Cur>EUR</x:Cur>
  <x:TaxCur>SEK</x:TaxCur>
  <x:BillType>380</x:BillType>
  <x:Day>2026-01-02</x:Day>
  <x:Due>2026-02-03</x:Due>
  <x:Note>first</x:Note>
  <x:Note>AAI:second</x:Note>
  <x:Order>
    <x:No kind="order">O-1</x:No>
    <x:Sales>S-2</x:Sales>
  </x:Order>
  <x:Ref>
    <x:No scheme="ABC">obj</x:No>
    <x:Kind>130</x:Kind>
  </x:Ref>
  <x:Doc>
    <x:No>A-1</x:No>
    <x:File mime="text/csv">QUI=</x:File>
  </x:Doc>
  <x:Doc>
    <x:No>A-2</x:No>
    <x:File mime="image/png">QUJD</x:File>
  </x:Doc>
  <x:Doc>
    <x:No>D-1</x:No>
  </x:Doc>
  <x:Doc>
    <x:No>D-2</x:No>
  </x:Doc>
  <x:Maker>
    <x:Name>Maker &amp; Söhne</x:Name>
    <x:Tax>
      <x:Id>DE1</x:Id>
      <x:Scheme>VAT</x:Scheme>
    </x:Tax>
    <x:Tax>
      <x:Id>12/3</x:Id>
      <x:Scheme>FC</x:Scheme>
    </x:Tax>
    <x:Person>
      <x:Name>Grete</x:Name>
    </x:Person>
  </x:Maker>
  <x:To country="DE">
    <x:City>Kiel</x:City>
  </x:To>
  <x:Means>
    <x:Code>58</x:Code>
    <x:Remark>remark</x:Remark>
    <x:Pan>**1234</x:Pan>
    <x:Net>EUR</x:Net>
  </x:Means>
  <x:Means>
    <x:Code>48</x:Code>
    <x:Remark>remark</x:Remark>
    <x:Net>EUR</x:Net>
  </x:Means>
  <x:Extra>
    <x:Is>false</x:Is>
    <x:Amount cur="EUR">1.5</x:Amount>
  </x:Extra>
  <x:Extra>
    <x:Is>true</x:Is>
    <x:Amount cur="EUR">2.125</x:Amount>
  </x:Extra>
  <x:Sum>
    <x:Amount cur="EUR">22.50</x:Amount>
    <x:Part>
      <x:Base>100</x:Base>
      <x:Rate>19</x:Rate>
      <x:Scheme>
        <x:Id>VAT</x:Id>
      </x:Scheme>
    </x:Part>
    <x:Part>
      <x:Base>50.00</x:Base>
      <x:Rate>7.0</x:Rate>
      <x:Scheme>
        <x:Id>VAT</x:Id>
      </x:Scheme>
    </x:Part>
  </x:Sum>
  <x:Sum>
    <x:Amount cur="SEK">237.50</x:Amount>
  </x:Sum>
  <x:Net>150</x:Net>
  <x:Row sub="DETAIL">
    <x:No>1</x:No>
    <x:Name>Bolt</x:Name>
    <x:Qty unit="C62" pack="10">3.00</x:Qty>
    <x:Price>0.0125</x:Price>
    <x:Trait>
      <x:Name>Size</x:Name>
      <x:Value>M</x:Value>
    </x:Trait>
    <x:Trait>
      <x:Name>Colour</x:Name>
      <x:Value>red</x:Value>
    </x:Trait>
  </x:Row>
  <x:Row sub="GROUP">
    <x:No>2</x:No>
    <x:Name>Nut</x:Name>
    <x:Qty unit="KGM">-1.2345</x:Qty>
    <x:Price>2</x:Price>
    <x:Trait>
      <x:Name>Size</x:Name>
      <x:Value>L</x:Value>
    </x:Trait>
  </x:Row>
</Bill>
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(unwritten) > 0 {
		t.Error("unwritten:", unwritten)
	}
}

func TestTheOtherRootHasItsOwnNamesOrderAndRows(t *testing.T) {
	inv := &invoice.Invoice{InvoiceNumber: "M-1", DueDate: "2026-02-03", CountrySpecific: &invoice.CountrySpecific{InvoiceTypeCode: "381"},
		PaymentMethods: []invoice.PaymentMethod{{Code: "58"}, {Code: "48"}}}
	got, _ := write(t, testMapping(t), inv, memo)
	want := `<Memo xmlns="urn:memo" xmlns:x="urn:x"><x:Spec>urn:spec</x:Spec><x:MemoType>381</x:MemoType><x:No>M-1</x:No>` +
		`<x:Means><x:Code>58</x:Code><x:Due>2026-02-03</x:Due><x:Pan>none</x:Pan></x:Means><x:Means><x:Code>48</x:Code></x:Means></Memo>`
	if flat(got) != want {
		t.Errorf("got  %s\nwant %s", flat(got), want)
	}
}

// flat takes the indentation out.
func flat(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "")
}

func TestWhatIsAbsentLeavesNothingBehind(t *testing.T) {
	m := testMapping(t)
	head := `<Bill xmlns="urn:bill" xmlns:x="urn:x"><x:Spec>urn:spec</x:Spec>`
	cases := []struct {
		name string
		inv  invoice.Invoice
		want string
	}{
		{"an empty invoice", invoice.Invoice{}, head + "</Bill>"},
		{"groups without content", invoice.Invoice{Seller: &invoice.Party{Contact: &invoice.Contact{}}, Items: []invoice.Item{{}}, TaxSummary: []invoice.TaxSummary{{}},
			Delivery: &invoice.Delivery{}, NoteEntries: []invoice.Note{{}}}, head + "</Bill>"},
		{"what the schema demands beside what is given", invoice.Invoice{SalesOrderNumber: "S"},
			head + `<x:Order><x:No kind="order">NA</x:No><x:Sales>S</x:Sales></x:Order></Bill>`},
		{"an empty entry between others", invoice.Invoice{SupportingDocuments: []invoice.SupportingDocument{{ID: "a"}, {}, {ID: "b"}}},
			head + "<x:Doc><x:No>a</x:No></x:Doc><x:Doc><x:No>b</x:No></x:Doc></Bill>"},
		{"a group that an attribute alone fills", invoice.Invoice{Delivery: &invoice.Delivery{Address: &invoice.Address{CountryCode: "DE"}}},
			head + `<x:To country="DE"/></Bill>`},
		{"zero is not absent", invoice.Invoice{Subtotal: decimal.New(0, 0)}, head + "<x:Net>0</x:Net></Bill>"},
	}
	for _, c := range cases {
		got, _ := write(t, m, &c.inv, bill)
		if flat(got) != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, flat(got), c.want)
		}
	}
}

func TestACharacterThatXMLForbidsIsBlamedOnTheMember(t *testing.T) {
	m := testMapping(t)
	cases := []struct {
		field string
		set   func(*invoice.Invoice)
	}{
		{"invoiceNumber", func(inv *invoice.Invoice) { inv.InvoiceNumber = "\x00" }},
		{"seller.contact.name", func(inv *invoice.Invoice) { inv.Seller.Contact.Name = "\x0B" }},
		{"delivery.address.countryCode", func(inv *invoice.Invoice) { inv.Delivery.Address.CountryCode = "\uFFFF" }},
		{"paymentReference", func(inv *invoice.Invoice) { inv.PaymentReference = "\x01" }},
		{"noteEntries[1].text", func(inv *invoice.Invoice) { inv.NoteEntries[1].Text = "\x02" }},
		{"items[1].attributes[0].value", func(inv *invoice.Invoice) { inv.Items[1].Attributes[0].Value = "a\x1Fb" }},
		{"items[1].unit", func(inv *invoice.Invoice) { inv.Items[1].Unit = "\xFF" }},
		{"profile", nil},
	}
	for _, c := range cases {
		inv, env := filled(), Env{Element: bill, Specification: "urn:spec"}
		if c.set == nil {
			env.Specification = "\x03"
		} else {
			c.set(inv)
		}
		_, err := m.Write(t.Context(), xmltree.NewWriter(xmltree.WriterOptions{}), inv, env)
		var blamed *FieldError
		var illegal *xmltree.IllegalCharError
		if !errors.As(err, &blamed) || blamed.Field != c.field || !errors.As(err, &illegal) {
			t.Errorf("%s: error %v", c.field, err)
		} else if !strings.HasPrefix(err.Error(), c.field+": ") {
			t.Errorf("%s: the message does not begin with the field: %v", c.field, err)
		}
	}
}

func TestAWriterThatFailsIsNoFaultOfAMember(t *testing.T) {
	w := xmltree.NewWriter(xmltree.WriterOptions{SizeLimit: 300})
	_, err := testMapping(t).Write(t.Context(), w, filled(), Env{})
	var blamed *FieldError
	if err == nil || errors.As(err, &blamed) {
		t.Errorf("error %v", err)
	}
	closed, other := io.Pipe()
	closed.Close()
	w = xmltree.NewWriter(xmltree.WriterOptions{Out: other, FlushAt: 1})
	if _, err := testMapping(t).Write(t.Context(), w, filled(), Env{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want that of the pipe", err)
	}
}

func TestUnwrittenNamesEachMemberWithoutPlaceOnce(t *testing.T) {
	m := testMapping(t)
	one := 1
	cases := []struct {
		name string
		inv  invoice.Invoice
		root string
		want []Unwritten
	}{
		{"nothing", invoice.Invoice{Type: invoice.TypeInvoice}, bill, nil},
		{"leaves and groups in the order of the members", invoice.Invoice{Notes: "n", Buyer: &invoice.Party{Name: "b", Contact: &invoice.Contact{Phone: "p"}}, Total: decimal.New(1, 0)},
			bill, []Unwritten{{Field: "notes"}, {Field: "buyer.name"}, {Field: "buyer.contact.phone"}, {Field: "total"}}},
		{"further entries of a list", invoice.Invoice{Items: []invoice.Item{{}, {GTIN: "1"}, {GTIN: "2"}, {GTIN: "3", Allowances: []invoice.LineCharge{{}, {Reason: "r"}}}}},
			bill, []Unwritten{{Field: "items[1].gtin", More: 2}, {Field: "items[3].allowances[1].reason"}}},
		{"lists of texts", invoice.Invoice{CountrySpecific: &invoice.CountrySpecific{AlternativeSchemes: []string{"a", "b"}}},
			bill, []Unwritten{{Field: "countrySpecific.alternativeSchemes"}}},
		{"lines in lines", invoice.Invoice{Items: []invoice.Item{{SubItems: []invoice.Item{{Description: "d"}}}}}, bill, []Unwritten{{Field: "items[0].subItems"}}},
		{"the invoice's own members below an empty list", invoice.Invoice{PaymentReference: "r", CardAccount: &invoice.CardAccount{PAN: "1", HolderName: "h"}},
			bill, []Unwritten{{Field: "cardAccount.holderName"}, {Field: "paymentReference"}, {Field: "cardAccount.pan"}}},
		{"a row of the other root", invoice.Invoice{DueDate: "2026-01-01"}, memo, []Unwritten{{Field: "dueDate"}}},
		{"numbers and flags", invoice.Invoice{CashDiscountDays: &one, CountrySpecific: &invoice.CountrySpecific{VATPayer: new(bool)}},
			bill, []Unwritten{{Field: "cashDiscountDays"}, {Field: "countrySpecific.vatPayer"}}},
		{"what qualifies a text that is not there", invoice.Invoice{ObjectIDScheme: "ABC", Items: []invoice.Item{{Unit: "C62", Quantity: decimal.New(1, 0)}, {Unit: "KGM"}, {Unit: "MTR"}}},
			bill, []Unwritten{{Field: "objectIdScheme"}, {Field: "items[1].unit", More: 1}}},
	}
	for _, c := range cases {
		_, got := write(t, m, &c.inv, c.root)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// TestUnwrittenNamesWhatNoConditionLetsIn has members whose rows stand under conditions: of their own, of the elements around them, of the
// invoice and of the entries of a list. Where one row or another takes a member it is written.
func TestUnwrittenNamesWhatNoConditionLetsIn(t *testing.T) {
	corrects := func(s Scope[invoice.Invoice]) bool { return s.Invoice.Type == invoice.TypeCorrection }
	taxed := func(s Scope[invoice.Invoice]) bool { return s.Group.(*invoice.Item).TaxRate.Sign() > 0 }
	m, err := Compile(&Table[invoice.Invoice]{
		Namespaces: testTable.Namespaces,
		Elements:   []Element{{Name: bill, Namespace: "urn:bill"}},
		Lines:      "items[]",
		Order:      map[string]string{"Bill": "x:No x:Old x:Day x:Any x:Row", "Old": "x:Why", "Row": "x:Name x:Word"},
		Rows: []testRow{
			{Field: "referencedInvoiceNumber", Path: "x:No", When: corrects, Attrs: []Attr{{Name: "day", Field: "referencedInvoiceDate"}}},
			{Path: "x:Old", When: corrects, Rows: []testRow{{Field: "seller.legalInformation", Path: "x:Why"}}},
			{Field: "orderNumber", Path: "x:Day", When: corrects},
			{Field: "orderNumber", Path: "x:Any", When: func(s Scope[invoice.Invoice]) bool { return !corrects(s) }},
			{Card: Many, Field: "items[]", Path: "x:Row", Rows: []testRow{{Field: "description", Path: "x:Name"}, {Field: "note", Path: "x:Word", When: taxed}}},
		},
		Silent: map[string]string{"type": "the rows ask for it", "items[].taxRate": "the rows ask for it"},
	})
	if err != nil {
		t.Fatal(err)
	}
	inv := invoice.Invoice{Type: invoice.TypeInvoice, ReferencedInvoiceNumber: "1", ReferencedInvoiceDate: "2026-01-02", OrderNumber: "2", Seller: &invoice.Party{LegalInformation: "l"},
		Items: []invoice.Item{{Note: "a"}, {Note: "b", TaxRate: decimal.New(1, 0)}, {Note: "c"}}}
	_, got := write(t, m, &inv, bill)
	want := []Unwritten{{Field: "referencedInvoiceNumber"}, {Field: "referencedInvoiceDate"}, {Field: "seller.legalInformation"}, {Field: "items[0].note", More: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	inv.Type, inv.Items = invoice.TypeCorrection, inv.Items[1:2]
	if _, got = write(t, m, &inv, bill); got != nil {
		t.Error(got)
	}
}

func TestWritingTwiceGivesTheSameBytes(t *testing.T) {
	m := testMapping(t)
	first, _ := write(t, m, filled(), bill)
	second, _ := write(t, testMapping(t), filled(), bill)
	if first != second {
		t.Error(cmp.Diff(first, second))
	}
}
