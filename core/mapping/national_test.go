package mapping

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// slip is a format that has more than its table takes.
var slip = &Table[invoice.Invoice]{
	Elements: []Element{{Name: "Slip", Namespace: "urn:slip"}},
	Order:    map[string]string{"Slip": "Kind No Day Tag Line End", "Line": "Text Weight Mark", "End": "By At"},
	Silent:   map[string]string{"countrySpecific.national": "Nationals writes it"},
	Rows: []Row[invoice.Invoice]{
		{Const: "S", Path: "Kind"}, {Field: "invoiceNumber", Path: "No"}, {Field: "issueDate", Path: "Day"},
		{Card: Many, Field: "items[]", Path: "Line", Rows: []Row[invoice.Invoice]{{Field: "description", Path: "Text"}}},
	},
}

var slipNationals = Nationals{Order: slip.Order, Attributes: []string{"unit"}}

// TestNationalsHoldWhatNoRowTakes has a document that goes to an invoice and back: lists, positions, attributes, what no order names and
// what is computed.
func TestNationalsHoldWhatNoRowTakes(t *testing.T) {
	m, err := Compile(slip)
	if err != nil {
		t.Fatal(err)
	}
	const text = `<s:Slip xmlns:s="urn:slip"><s:Kind>T</s:Kind><s:No>1</s:No><s:Day>soon</s:Day><s:Tag>a</s:Tag><s:Tag/><s:Tag>b</s:Tag><s:Tag/>` +
		`<s:Line><s:Text>x</s:Text></s:Line><s:Line><s:Text>y</s:Text><s:Weight unit="kg"> 2 </s:Weight></s:Line><s:End><s:By>me</s:By><s:Odd>1</s:Odd></s:End></s:Slip>`
	doc := parse(t, text)
	reading, err := m.Read(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	before := reading.Account
	national := slipNationals.Take(doc, &reading.Account)
	want := invoice.National{"Day": {"soon"}, "Tag": {"a", "", "b", ""}, "Line[2]/Weight": {"2"}, "Line[2]/Weight/@unit": {"kg"}, "End/By": {"me"}}
	if diff := cmp.Diff(want, national); diff != "" {
		t.Error(diff)
	}
	if a := reading.Account; a.Mapped != before.Mapped+6 || a.Reported != 2 || len(a.Leaves) != 2 || !strings.HasSuffix(a.Leaves[0].Path, "Kind") || !strings.HasSuffix(a.Leaves[1].Path, "Odd") {
		t.Errorf("%+v", a)
	}
	national["Line[4]/Mark"], national["Nothing/There"], national["End/@unit"] = []string{"far"}, []string{"1"}, []string{"x", "y"}
	got, unplaced := writeSlip(t, m, reading.Invoice, national)
	const back = `<Slip xmlns="urn:slip"><Kind>S</Kind><No>1</No><Day>soon</Day><Tag>a</Tag><Tag/><Tag>b</Tag><Tag/><Line><Text>x</Text></Line>` +
		`<Line><Text>y</Text><Weight unit="kg">2</Weight></Line><End><By>me</By></End></Slip>`
	if got != back || !slices.Equal(unplaced, []string{"End/@unit", "Line[4]/Mark", "Nothing/There"}) {
		t.Errorf("%s\n%v", got, unplaced)
	}
}

func writeSlip(t *testing.T, m *Mapping[invoice.Invoice], inv *invoice.Invoice, national invoice.National) (string, []string) {
	t.Helper()
	plain, out := xmltree.NewWriter(xmltree.WriterOptions{}), xmltree.NewWriter(xmltree.WriterOptions{NoDecl: true})
	if _, err := m.Write(t.Context(), plain, inv, Env{}); err != nil {
		t.Fatal(err)
	}
	if err := plain.Finish(); err != nil {
		t.Fatal(err)
	}
	unplaced, err := slipNationals.Write(out, plain.Bytes(), national)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Finish(); err != nil {
		t.Fatal(err)
	}
	return flat(string(out.Bytes())), unplaced
}

// TestNationalsNameTheMember ensures that a text which XML cannot hold is laid at the caller's door.
func TestNationalsNameTheMember(t *testing.T) {
	out := xmltree.NewWriter(xmltree.WriterOptions{})
	_, err := slipNationals.Write(out, []byte(`<Slip xmlns="urn:slip"/>`), invoice.National{"No": {"\x01"}})
	if fault, ok := err.(*FieldError); !ok || fault.Field != "countrySpecific.national" {
		t.Error(err)
	}
}
