package xsd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// orders is a schema in a namespace, as invoices have it.
const orders = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:orders" xmlns="urn:orders" elementFormDefault="qualified">
	<xs:element name="order"><xs:complexType><xs:sequence>
		<xs:element name="number" type="xs:token"/>
		<xs:element name="date" type="xs:date"/>
		<xs:element name="due" type="xs:date" minOccurs="0"/>
		<xs:element name="currency" type="currency"/>
		<xs:element name="line" maxOccurs="3"><xs:complexType><xs:sequence>
			<xs:element name="text" type="short"/>
			<xs:element name="amount"><xs:complexType><xs:simpleContent><xs:extension base="amount"><xs:attribute name="unit" use="required"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
		</xs:sequence><xs:attribute name="id" type="xs:positiveInteger"/></xs:complexType></xs:element>
		<xs:any namespace="##other" processContents="skip" minOccurs="0"/>
	</xs:sequence></xs:complexType></xs:element>
	<xs:simpleType name="currency"><xs:restriction base="xs:token"><xs:enumeration value="EUR"/><xs:enumeration value="USD"/></xs:restriction></xs:simpleType>
	<xs:simpleType name="short"><xs:restriction base="xs:string"><xs:minLength value="1"/><xs:maxLength value="5"/></xs:restriction></xs:simpleType>
	<xs:simpleType name="amount"><xs:restriction base="xs:decimal"><xs:fractionDigits value="2"/><xs:minInclusive value="0"/></xs:restriction></xs:simpleType>
</xs:schema>`

const validOrder = `<o:order xmlns:o="urn:orders"><o:number>1</o:number><o:date>2026-01-31</o:date><o:currency>EUR</o:currency>
<o:line id="1"><o:text>a</o:text><o:amount unit="C62">1.50</o:amount></o:line></o:order>`

func TestMessagesSayWhatWasFoundAndWhatWasExpected(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": orders})
	for _, c := range []struct {
		old, new string // edit of the valid order
		want     string
	}{
		{"<o:number>1</o:number>", "", `<o:date> is not expected here: expected is <o:number>`},
		{"<o:number>1</o:number>", "<o:nr>1</o:nr>", `<o:nr> is not expected here: expected is <o:number>`},
		{"<o:number>1</o:number>", "<number>1</number>", `<number> is not expected here: expected is <o:number> of the namespace urn:orders`},
		{"EUR</o:currency>", "EUR</o:currency><o:date>2026-01-31</o:date>", `<o:date> is not expected here: expected is <o:line>`},
		{"<o:currency>EUR</o:currency>", "", `<o:line> is not expected here: expected is <o:due> or <o:currency>`},
		{"</o:line>", "</o:line><o:number>1</o:number>", `<o:number> is not expected here: expected is <o:line>, an element of another namespace or the end of <o:order>`},
		{`<o:amount unit="C62">1.50</o:amount>`, "", `<o:line> ends too early; expected is <o:amount>`},
		{"</o:line>", `</o:line><o:line/><o:line/><o:line/>`, `<o:line> ends too early; expected is <o:text>` + "\n" + `<o:line> ends too early; expected is <o:text>` + "\n" +
			`<o:line> is not expected here: it occurs too often; expected is an element of another namespace or the end of <o:order>` + "\n" + `<o:line> ends too early; expected is <o:text>`},
		{"2026-01-31", "31.1.2026", `<o:date> has the value "31.1.2026"; expected is a date such as 2026-01-31`},
		{">EUR<", ">eur<", `<o:currency> has the value "eur"; allowed is "EUR" or "USD"`},
		{">a<", "><", `<o:text> has the value ""; it must have at least 1 character`},
		{">a<", ">abcdef<", `<o:text> has the value "abcdef"; it must have at most 5 characters`},
		{"1.50", "1.505", `<o:amount> has the value "1.505"; it must have at most 2 digits after the point`},
		{"1.50", "-1", `<o:amount> has the value "-1"; it must be at least 0`},
		{"1.50", "1,50", `<o:amount> has the value "1,50"; expected is a decimal number such as 12.50`},
		{"1.50", strings.Repeat("x", 100), `<o:amount> has the value "` + strings.Repeat("x", 60) + `…"; expected is a decimal number such as 12.50`},
		{` unit="C62"`, "", `<o:amount> needs the attribute unit`},
		{` unit="C62"`, ` unit="C62" code="x"`, `<o:amount> has no attribute code`},
		{`id="1"`, `id="-1"`, `the attribute id of <o:line> has the value "-1"; it must be at least 1`},
		{"<o:text>", "words<o:text>", `<o:line> holds elements, but no text as here: "words"`},
		{">a<", "><o:b/><", `<o:b> cannot stand inside <o:text>, which holds a plain value` + "\n" + `<o:text> has the value ""; it must have at least 1 character`},
		{"<o:order xmlns:o", "<o:order xmlns:x='y' xmlns:o", ``},
	} {
		doc := strings.Replace(validOrder, c.old, c.new, 1)
		if doc == validOrder && c.want != "" {
			t.Fatalf("%q is not in the order", c.old)
		}
		var got []string
		for _, v := range violations(t, s, doc) {
			got = append(got, v.Message)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%q instead of %q (-want +got):\n%s", c.new, c.old, diff)
		}
	}
	got := violations(t, s, `<order/>`)[0].Message
	if want := `<order> without namespace cannot be the document element; expected is <order> of the namespace urn:orders`; got != want {
		t.Errorf("the root gives %q, want %q", got, want)
	}
}

// TestViolationsTellWhatHasToCome ensures that an offence names the elements of which one is missing, and none where nothing is.
func TestViolationsTellWhatHasToCome(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": orders})
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"<o:number>1</o:number>", "", []string{"o:number"}},
		{"<o:currency>EUR</o:currency>", "", []string{"o:due", "o:currency"}},
		{`<o:amount unit="C62">1.50</o:amount>`, "", []string{"o:amount"}},
		{"</o:line>", "</o:line><o:number>1</o:number>", nil},
	} {
		found := violations(t, s, strings.Replace(validOrder, c.old, c.new, 1))
		if len(found) != 1 || !slices.Equal(found[0].Expected, c.want) {
			t.Errorf("%q instead of %q: %+v, want %v", c.new, c.old, found, c.want)
		}
	}
}

func TestViolationsHaveTheirPlace(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": orders})
	doc := parse(t, strings.Replace(validOrder, `unit="C62"`, `unit="C62" ä="x"`, 1))
	found, err := s.Validate(t.Context(), doc)
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v, want one violation", found, err)
	}
	want := Violation{
		Kind: KindAttributeNotAllowed, Node: found[0].Node, Path: "/o:order/o:line/o:amount/@ä", Line: 2, Column: 55, Message: "<o:amount> has no attribute ä",
	}
	if diff := cmp.Diff(want, found[0]); diff != "" || doc.String(found[0].Node) != "x" {
		t.Errorf("the violation (-want +got):\n%s", diff)
	}
}

func TestOneMisspeltElementIsOneViolation(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": orders})
	for _, edit := range []string{"number", "date", "currency", "line", "text", "amount"} {
		doc := strings.ReplaceAll(validOrder, "o:"+edit+">", "o:"+edit+"x>")
		doc = strings.ReplaceAll(doc, "<o:"+edit+" ", "<o:"+edit+"x ")
		if found := violations(t, s, doc); len(found) != 1 || found[0].Kind != KindElementNotExpected {
			t.Errorf("%s misspelt gives %s", edit, outline(found))
		}
	}
	rows := strings.Replace(validOrder, "<o:line", strings.Repeat("<o:number/>", 500)+"<o:line", 1)
	if found := violations(t, s, rows); len(found) != 1 {
		t.Errorf("500 elements in a row give %d violations", len(found))
	}
}

func TestViolationsAreCapped(t *testing.T) {
	s, err := Compile(folder(map[string]string{"s.xsd": orders}), Options{MaxViolations: 3}, "s.xsd")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.Replace(validOrder, "<o:line", strings.Repeat("<o:x/>", 10)+"<o:line", 1)
	found := violations(t, s, doc)
	if len(found) != 4 || found[3].Kind != KindMore || found[2].Kind != KindElementNotExpected {
		t.Errorf("10 faults give %s, want 3 and one more", outline(found))
	}
}

func TestValidateObeysItsContext(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": orders})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if found, err := s.Validate(ctx, parse(t, validOrder)); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("%v, %v, want the error of the context", found, err)
	}
	if found := violations(t, s, validOrder); len(found) != 0 {
		t.Errorf("afterwards: %s", outline(found))
	}
}

func TestDocumentsWithoutIndentationAreTheSame(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": orders})
	doc, err := xmltree.Parse([]byte(validOrder), xmltree.Options{StripBlank: true})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := s.Validate(t.Context(), doc); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestManyGoroutinesValidateAtOnce(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": orders})
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bad := strings.Replace(validOrder, "EUR", "x", 1)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 50 {
				text, want := validOrder, ""
				if (i+n)%2 == 0 {
					text, want = bad, "enumeration /o:order/o:currency"
				}
				doc, err := parser.Parse([]byte(text))
				if err != nil {
					t.Error(err)
					return
				}
				found, err := s.Validate(t.Context(), doc)
				if got := outline(found); err != nil || got != want {
					t.Errorf("%q, %v, want %q", got, err, want)
				}
				doc.Release()
			}
		})
	}
	all.Wait()
}
