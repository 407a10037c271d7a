package xsd

import "testing"

// rootOf declares an element root with that content model and elements a, b, c, d, which are empty or hold text.
func rootOf(model string) string {
	return `<xs:element name="root"><xs:complexType>` + model + `</xs:complexType></xs:element>`
}

func seq(parts string) string { return `<xs:sequence>` + parts + `</xs:sequence>` }

const (
	elemA = `<xs:element name="a"/>`
	elemB = `<xs:element name="b"/>`
	elemC = `<xs:element name="c"/>`
)

func TestContentModels(t *testing.T) {
	for _, c := range []construct{
		{"sequence", rootOf(seq(elemA + elemB + elemC)), []sample{
			{`<root><a/><b/><c/></root>`, ""},
			{`<root> <a/> <!-- x --> <b/><?p?><c/> </root>`, ""},
			{`<root><a/><c/></root>`, "element-not-expected /root/c"},
			{`<root><a/><b/></root>`, "missing-child /root"},
			{`<root/>`, "missing-child /root"},
			{`<root><a/><b/><c/><c/></root>`, "element-not-expected /root/c[2]"},
		}},
		{"optional and repeated elements", rootOf(seq(`<xs:element name="a" minOccurs="0"/><xs:element name="b" maxOccurs="unbounded"/><xs:element name="c" minOccurs="2" maxOccurs="3"/>`)), []sample{
			{`<root><b/><c/><c/></root>`, ""},
			{`<root><a/><b/><b/><b/><c/><c/><c/></root>`, ""},
			{`<root><a/><a/><b/><c/><c/></root>`, "element-not-expected /root/a[2]"},
			{`<root><b/><c/></root>`, "missing-child /root"},
			{`<root><b/><c/><c/><c/><c/></root>`, "element-not-expected /root/c[4]"},
		}},
		{"choice", rootOf(`<xs:choice>` + elemA + seq(elemB+elemC) + `</xs:choice>`), []sample{
			{`<root><a/></root>`, ""},
			{`<root><b/><c/></root>`, ""},
			{`<root><a/><b/></root>`, "element-not-expected /root/b"},
			{`<root/>`, "missing-child /root"},
		}},
		{"repeated choice", rootOf(`<xs:choice minOccurs="2" maxOccurs="3">` + elemA + elemB + `</xs:choice>`), []sample{
			{`<root><b/><a/></root>`, ""},
			{`<root><a/><a/><a/></root>`, ""},
			{`<root><a/></root>`, "missing-child /root"},
			{`<root><a/><b/><a/><b/></root>`, "element-not-expected /root/b[2]"},
		}},
		{"repeated sequence", rootOf(`<xs:sequence minOccurs="0" maxOccurs="2">` + elemA + `<xs:element name="b" minOccurs="0"/></xs:sequence>`), []sample{
			{`<root/>`, ""},
			{`<root><a/><b/><a/></root>`, ""},
			{`<root><a/><a/><a/></root>`, "element-not-expected /root/a[3]"},
			{`<root><b/></root>`, "element-not-expected /root/b"},
		}},
		{"all", rootOf(`<xs:all>` + elemA + `<xs:element name="b" minOccurs="0"/>` + elemC + `</xs:all>`), []sample{
			{`<root><c/><a/></root>`, ""},
			{`<root><b/><c/><a/></root>`, ""},
			{`<root><a/></root>`, "missing-child /root"},
			{`<root><a/><c/><a/></root>`, "element-not-expected /root/a[2]"},
		}},
		{"optional all", rootOf(`<xs:all minOccurs="0">` + elemA + elemB + `</xs:all>`), []sample{
			{`<root/>`, ""},
			{`<root><b/><a/></root>`, ""},
			{`<root><b/></root>`, "missing-child /root"},
		}},
		{"groups", `<xs:group name="ab">` + seq(elemA+elemB) + `</xs:group>` + rootOf(seq(`<xs:group ref="ab" maxOccurs="2"/><xs:element name="c" minOccurs="0"/>`)), []sample{
			{`<root><a/><b/><a/><b/><c/></root>`, ""},
			{`<root><a/><b/><a/><c/></root>`, "element-not-expected /root/c"},
		}},
		{"nothing may occur", rootOf(seq(`<xs:element name="a" minOccurs="0" maxOccurs="0"/>`)), []sample{
			{`<root/>`, ""},
			{`<root><a/></root>`, "element-not-expected /root/a"},
			{`<root> </root>`, "text-not-allowed /root"},
		}},
		{"empty choice", rootOf(`<xs:choice/>`), []sample{
			{`<root/>`, "missing-child /root"},
			{`<root><a/></root>`, "element-not-expected /root/a"},
		}},
		{"empty element", rootOf(``), []sample{
			{`<root/>`, ""},
			{`<root><!-- x --></root>`, ""},
			{`<root>x</root>`, "text-not-allowed /root"},
		}},
		{"mixed", `<xs:element name="root"><xs:complexType mixed="true">` + seq(`<xs:element name="a" maxOccurs="2"/>`) + `</xs:complexType></xs:element>`, []sample{
			{`<root>x<a/>y<a/>z</root>`, ""},
			{`<root>x</root>`, "missing-child /root"},
		}},
		{"text between elements", rootOf(seq(elemA)), []sample{
			{`<root>x<a/>y</root>`, "text-not-allowed /root"},
			{`<root><![CDATA[ ]]><a/></root>`, ""},
		}},
		{"elements inside a value", `<xs:element name="root" type="xs:decimal"/>`, []sample{
			{`<root>1<!-- x -->2</root>`, ""},
			{`<root>1<a/>2</root>`, "element-not-allowed /root/a"},
		}},
	} {
		c.run(t)
	}
}

func TestCountsThatCountersAloneCannotTellApart(t *testing.T) {
	for _, c := range []construct{
		{"two or four", rootOf(`<xs:sequence minOccurs="1" maxOccurs="2"><xs:element name="a" minOccurs="2" maxOccurs="2"/></xs:sequence>`), []sample{
			{`<root><a/><a/></root>`, ""},
			{`<root><a/><a/><a/></root>`, "missing-child /root"},
			{`<root><a/><a/><a/><a/></root>`, ""},
		}},
		{"runs inside runs", rootOf(`<xs:choice minOccurs="2" maxOccurs="3"><xs:element name="a" maxOccurs="2"/>` + elemB + `</xs:choice>`), []sample{
			{`<root><a/></root>`, "missing-child /root"},
			{`<root><a/><a/></root>`, ""},
			{`<root><a/><a/><a/><a/><a/><a/></root>`, ""},
			{`<root><a/><a/><a/><a/><b/></root>`, ""},
			{`<root><a/><b/><a/><b/></root>`, "element-not-expected /root/b[2]"},
		}},
		{"endless runs inside a counted choice", rootOf(`<xs:choice maxOccurs="100000"><xs:sequence maxOccurs="100000000"><xs:element name="a" maxOccurs="unbounded"/></xs:sequence>` + elemB + `</xs:choice>`), []sample{
			{`<root><a/><a/><a/><b/><a/></root>`, ""},
			{`<root/>`, "missing-child /root"},
		}},
		{"optional parts of a counted sequence", rootOf(`<xs:sequence minOccurs="3" maxOccurs="4"><xs:element name="a" minOccurs="0"/></xs:sequence>`), []sample{
			{`<root/>`, ""},
			{`<root><a/><a/><a/><a/></root>`, ""},
			{`<root><a/><a/><a/><a/><a/></root>`, "element-not-expected /root/a[5]"},
		}},
		{"exact count before the same element", rootOf(seq(`<xs:element name="a" minOccurs="2" maxOccurs="2" type="xs:string"/><xs:element name="a" type="xs:string"/>`)), []sample{
			{`<root><a/><a/></root>`, "missing-child /root"},
			{`<root><a/><a/><a/></root>`, ""},
		}},
	} {
		c.run(t)
	}
}

func TestWildcards(t *testing.T) {
	for _, c := range []construct{
		{"other namespaces, lax", `<xs:element name="known" type="xs:int"/>` + rootOf(seq(`<xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="2"/>`)), []sample{
			{`<root><x xmlns="u"/><y xmlns="v">text<z/></y></root>`, ""},
			{`<root><x/></root>`, "element-not-expected /root/x"},
			{`<root><x xmlns="u"><known xmlns="">z</known></x></root>`, "datatype /root/x/known"},
		}},
		{"any namespace, strict", `<xs:element name="known" type="xs:int"/>` + rootOf(seq(`<xs:any/>`)), []sample{
			{`<root><known>1</known></root>`, ""},
			{`<root><known>z</known></root>`, "datatype /root/known"},
			{`<root><x/></root>`, "element-unknown /root/x"},
		}},
		{"skip", `<xs:element name="known" type="xs:int"/>` + rootOf(seq(`<xs:any processContents="skip"/>`)), []sample{
			{`<root><known>z</known></root>`, ""},
		}},
		{"listed namespaces", rootOf(seq(`<xs:any namespace="u ##local" processContents="skip" maxOccurs="2"/>`)), []sample{
			{`<root><x/><x xmlns="u"/></root>`, ""},
			{`<root><x xmlns="v"/></root>`, "element-not-expected /root/x"},
		}},
		{"no namespace at all", rootOf(seq(`<xs:any namespace="" processContents="skip"/>`)), []sample{
			{`<root><x/></root>`, "element-not-expected /root/x"},
		}},
		{"attributes", `<xs:attribute name="known" type="xs:int"/>` + rootOf(`<xs:anyAttribute processContents="lax"/>`), []sample{
			{`<root x="1" known="2"/>`, ""},
			{`<root known="z"/>`, "datatype /root/@known"},
		}},
		{"attributes, strict", `<xs:attribute name="known" type="xs:int"/>` + rootOf(`<xs:anyAttribute/>`), []sample{
			{`<root known="2"/>`, ""},
			{`<root x="1"/>`, "attribute-not-allowed /root/@x"},
		}},
		{"two IDs through a wildcard", `<xs:attribute name="i" type="xs:ID"/><xs:attribute name="j" type="xs:ID"/>` + rootOf(`<xs:anyAttribute/>`), []sample{
			{`<root i="x"/>`, ""},
			{`<root i="x" j="y"/>`, "attribute-not-allowed /root"},
		}},
	} {
		c.run(t)
	}
}
