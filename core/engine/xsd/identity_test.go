package xsd

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// shop has lines with numbers and references to them.
func shop(constraints string) string {
	return `<xs:element name="shop"><xs:complexType><xs:sequence>
		<xs:element name="line" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
			<xs:element name="no" type="xs:decimal" minOccurs="0" maxOccurs="2" nillable="true"/></xs:sequence>
			<xs:attribute name="id"/><xs:attribute name="lang" default="en"/></xs:complexType></xs:element>
		<xs:element name="ref" type="xs:decimal" minOccurs="0" maxOccurs="unbounded"/>
	</xs:sequence></xs:complexType>` + constraints + `</xs:element>`
}

func TestIdentityConstraints(t *testing.T) {
	const key = `<xs:key name="k"><xs:selector xpath="line"/><xs:field xpath="no"/></xs:key>`
	for _, c := range []construct{
		{"unique", shop(`<xs:unique name="u"><xs:selector xpath=".//line"/><xs:field xpath="@id"/></xs:unique>`), []sample{
			{`<shop><line id="a"/><line id="b"/><line/><line/></shop>`, ""},
			{`<shop><line id="a"/><line id="b"/><line id="a"/></shop>`, "identity /shop/line[3]"},
		}},
		{"unique pairs", shop(`<xs:unique name="u"><xs:selector xpath="./line"/><xs:field xpath="@id"/><xs:field xpath="no"/></xs:unique>`), []sample{
			{`<shop><line id="a"><no>1</no></line><line id="a"><no>2</no></line><line id="a"/><line id="a"/></shop>`, ""},
			{`<shop><line id="a"><no>1</no></line><line id="a"><no>1.0</no></line></shop>`, "identity /shop/line[2]"},
		}},
		{"default values are values", shop(`<xs:unique name="u"><xs:selector xpath="line"/><xs:field xpath="@lang"/></xs:unique>`), []sample{
			{`<shop><line/><line lang="de"/></shop>`, ""},
			{`<shop><line/><line lang="en"/></shop>`, "identity /shop/line[2]"},
		}},
		{"key", shop(key), []sample{
			{`<shop><line><no>1</no></line><line><no>2</no></line></shop>`, ""},
			{`<shop><line><no>1</no></line><line/></shop>`, "identity /shop/line[2]"},
			{`<shop><line><no>1</no></line><line><no>01</no></line></shop>`, "identity /shop/line[2]"},
			{`<shop><line><no>1</no><no>2</no></line></shop>`, "identity /shop/line"},
			{`<shop><line><no` + xsiPrefix + ` xsi:nil="true"/></line></shop>`, "identity /shop/line"},
		}},
		{"key and reference", shop(key + `<xs:keyref name="r" refer="k"><xs:selector xpath="ref"/><xs:field xpath="."/></xs:keyref>`), []sample{
			{`<shop><line><no>1</no></line><ref>1.0</ref></shop>`, ""},
			{`<shop><line><no>1</no></line><ref>2</ref></shop>`, "identity /shop/ref"},
		}},
		{"names with prefixes and any name", `<xs:element name="root"><xs:complexType><xs:sequence><xs:any processContents="lax" maxOccurs="9"/></xs:sequence></xs:complexType>
			<xs:unique name="u"><xs:selector xpath="*"/><xs:field xpath="@*"/></xs:unique></xs:element><xs:element name="e"><xs:complexType><xs:attribute name="x"/><xs:attribute name="y"/></xs:complexType></xs:element>`, []sample{
			{`<root><e x="1"/><e y="2"/></root>`, ""},
			{`<root><e x="1"/><e y="1"/></root>`, "identity /root/e[2]"},
			{`<root><e x="1" y="2"/></root>`, "identity /root/e"},
		}},
		{"default values of elements", `<xs:element name="root"><xs:complexType><xs:sequence><xs:element name="e" type="xs:int" default="5" maxOccurs="9"/></xs:sequence></xs:complexType>
			<xs:unique name="u"><xs:selector xpath="e"/><xs:field xpath="."/></xs:unique></xs:element>`, []sample{
			{`<root><e/><e>6</e></root>`, ""},
			{`<root><e/><e>5</e></root>`, "identity /root/e[2]"},
		}},
		{"references from one document to another", shop(key), []sample{ // memory of the first must not reach the second
			{`<shop><line><no>1</no></line></shop>`, ""},
			{`<shop><line><no>1</no></line></shop>`, ""},
		}},
		{"a field that is no value", shop(`<xs:unique name="u"><xs:selector xpath="."/><xs:field xpath="line"/></xs:unique>`), []sample{
			{`<shop/>`, ""},
			{`<shop><line/></shop>`, "identity /shop/line"},
		}},
		{"alternatives", shop(`<xs:unique name="u"><xs:selector xpath="line/no|ref"/><xs:field xpath="."/></xs:unique>`), []sample{
			{`<shop><line><no>1</no></line><ref>2</ref></shop>`, ""},
			{`<shop><line><no>1</no></line><ref>1</ref></shop>`, "identity /shop/ref"},
		}},
		{"keys of inner elements", `<xs:element name="root"><xs:complexType><xs:sequence><xs:element ref="shop" maxOccurs="2"/><xs:element name="ref" type="xs:decimal"/></xs:sequence></xs:complexType>
			<xs:keyref name="r" refer="k"><xs:selector xpath="ref"/><xs:field xpath="."/></xs:keyref></xs:element>` + shop(key), []sample{
			{`<root><shop><line><no>1</no></line></shop><shop><line><no>2</no></line></shop><ref>2</ref></root>`, ""},
			{`<root><shop><line><no>1</no></line></shop><ref>2</ref></root>`, "identity /root/ref"},
		}},
	} {
		c.run(t)
	}
}

func TestIDPathsAreTheSubsetOfTheStandard(t *testing.T) {
	scope := func(prefix string) (string, bool) { return "ns-" + prefix, prefix == "p" }
	test := func(space, local string) nameTest {
		return nameTest{name: xmltree.Name{Space: space, Local: local}}
	}
	id := test("", "id")
	for _, x := range []struct {
		text string
		want []idPath
	}{
		{"a", []idPath{{steps: []nameTest{test("", "a")}}}},
		{" .//p:a / b | ./c ", []idPath{{deep: true, steps: []nameTest{test("ns-p", "a"), test("", "b")}}, {steps: []nameTest{test("", "c")}}}},
		{"child::a/attribute::id", []idPath{{steps: []nameTest{test("", "a")}, attr: &id}}},
		{"@id", []idPath{{attr: &id}}},
		{".", []idPath{{}}},
		{"p:*/*", []idPath{{steps: []nameTest{{name: xmltree.Name{Space: "ns-p", Local: "*"}, space: true}, {any: true}}}}},
	} {
		got, err := parseIDPaths(x.text, true, scope)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
		}
		if diff := cmp.Diff(x.want, got, cmp.AllowUnexported(idPath{}, nameTest{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", x.text, diff)
		}
	}
	for _, text := range []string{"", "a//b", "//a", "a[1]", "q:a", "a|", "/a", "@id/a", "..", "a b", "parent::a", "1"} {
		if got, err := parseIDPaths(text, true, scope); err == nil {
			t.Errorf("%q is read as %v, want an error", text, got)
		}
	}
	if got, err := parseIDPaths("a/@id", false, scope); err == nil {
		t.Errorf("a selector with an attribute is read as %v, want an error", got)
	}
}
