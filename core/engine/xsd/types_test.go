package xsd

import "testing"

const xsiPrefix = ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema"`

func TestAttributes(t *testing.T) {
	for _, c := range []construct{
		{"uses", rootOf(`<xs:attribute name="a" type="xs:int" use="required"/><xs:attribute name="b"/><xs:attribute name="c" use="prohibited"/>`), []sample{
			{`<root a="1"/>`, ""},
			{`<root a="1" b="x"/>`, ""},
			{`<root b="x"/>`, "attribute-missing /root"},
			{`<root a="x"/>`, "datatype /root/@a"},
			{`<root a="1" c="x" d="y"/>`, "attribute-not-allowed /root/@c\nattribute-not-allowed /root/@d"},
			{`<root a="1"` + xsiPrefix + ` xsi:schemaLocation="u v" xsi:noNamespaceSchemaLocation="w"/>`, ""},
			{`<root a="1"` + xsiPrefix + ` xsi:other="x"/>`, "attribute-not-allowed /root/@xsi:other"},
		}},
		{"fixed and default", rootOf(`<xs:attribute name="f" type="xs:decimal" fixed="1.0"/><xs:attribute name="d" type="xs:int" default="3"/>`), []sample{
			{`<root/>`, ""},
			{`<root f="1.00" d="4"/>`, ""},
			{`<root f="2"/>`, "fixed /root/@f"},
		}},
		{"groups", `<xs:attributeGroup name="g"><xs:attribute name="a"/><xs:attributeGroup ref="h"/></xs:attributeGroup>
			<xs:attributeGroup name="h"><xs:attribute name="b" use="required"/><xs:anyAttribute namespace="u" processContents="skip"/></xs:attributeGroup>` +
			rootOf(`<xs:attributeGroup ref="g"/>`), []sample{
			{`<root a="" b=""/>`, ""},
			{`<root b="" u:x="" xmlns:u="u"/>`, ""},
			{`<root a="" x=""/>`, "attribute-not-allowed /root/@x\nattribute-missing /root"},
		}},
		{"of a simple type", `<xs:element name="root" type="xs:string"/>`, []sample{
			{`<root a="1">x</root>`, "attribute-not-allowed /root/@a"},
		}},
		{"of the namespace xml", rootOf(`<xs:attribute ref="xml:lang" use="required"/>`), []sample{
			{`<root xml:lang="de-AT"/>`, ""},
			{`<root xml:lang="!"/>`, "datatype /root/@xml:lang"},
		}},
	} {
		c.run(t)
	}
}

func TestDerivedTypes(t *testing.T) {
	const base = `<xs:complexType name="base">` + `<xs:sequence><xs:element name="a"/></xs:sequence><xs:attribute name="x"/></xs:complexType>`
	const ext = `<xs:complexType name="ext"><xs:complexContent><xs:extension base="base"><xs:sequence><xs:element name="b" minOccurs="0"/></xs:sequence>
		<xs:attribute name="y" use="required"/></xs:extension></xs:complexContent></xs:complexType>`
	for _, c := range []construct{
		{"extension", base + ext + `<xs:element name="root" type="ext"/>`, []sample{
			{`<root y=""><a/></root>`, ""},
			{`<root x="" y=""><a/><b/></root>`, ""},
			{`<root><b/></root>`, "attribute-missing /root\nelement-not-expected /root/b"},
		}},
		{"extension without elements", base + `<xs:element name="root"><xs:complexType><xs:complexContent><xs:extension base="base"/></xs:complexContent></xs:complexType></xs:element>`, []sample{
			{`<root><a/></root>`, ""},
			{`<root/>`, "missing-child /root"},
		}},
		{"restriction", base + ext + `<xs:element name="root"><xs:complexType><xs:complexContent><xs:restriction base="ext"><xs:sequence><xs:element name="a"/></xs:sequence>
			<xs:attribute name="x" use="prohibited"/></xs:restriction></xs:complexContent></xs:complexType></xs:element>`, []sample{
			{`<root y=""><a/></root>`, ""},
			{`<root x="" y=""><a/></root>`, "attribute-not-allowed /root/@x"},
			{`<root y=""><a/><b/></root>`, "element-not-expected /root/b"},
		}},
		{"simple content", `<xs:complexType name="amount"><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="currency" use="required"/></xs:extension></xs:simpleContent></xs:complexType>
			<xs:complexType name="small"><xs:simpleContent><xs:restriction base="amount"><xs:maxInclusive value="9.99"/></xs:restriction></xs:simpleContent></xs:complexType>
			<xs:element name="root" type="small"/>`, []sample{
			{`<root currency="EUR"> 9.990 </root>`, ""},
			{`<root currency="EUR">10</root>`, "facet /root"},
			{`<root>x</root>`, "attribute-missing /root\ndatatype /root"},
			{`<root currency="EUR"/>`, "datatype /root"},
		}},
		{"xsi:type", base + ext + `<xs:complexType name="alien"/><xs:element name="root" type="base"/>`, []sample{
			{`<root` + xsiPrefix + ` xsi:type="ext" y=""><a/><b/></root>`, ""},
			{`<root` + xsiPrefix + ` xsi:type="ext"><a/></root>`, "attribute-missing /root"},
			{`<root` + xsiPrefix + ` xsi:type="alien"/>`, "type /root/@xsi:type"},
			{`<root` + xsiPrefix + ` xsi:type="nowhere"/>`, "type /root/@xsi:type"},
			{`<root` + xsiPrefix + ` xsi:type="n:base"/>`, "type /root/@xsi:type"},
		}},
		{"xsi:type for a simple type", `<xs:element name="root" type="xs:decimal"/>`, []sample{
			{`<root` + xsiPrefix + ` xsi:type="xs:int">7</root>`, ""},
			{`<root` + xsiPrefix + ` xsi:type="xs:int">7.5</root>`, "datatype /root"},
			{`<root` + xsiPrefix + ` xsi:type="xs:string">7</root>`, "type /root/@xsi:type"},
		}},
		{"blocked", base + ext + `<xs:element name="root" type="base" block="extension"/>`, []sample{
			{`<root` + xsiPrefix + ` xsi:type="ext" y=""><a/></root>`, "type /root/@xsi:type"},
		}},
		{"abstract type", `<xs:complexType name="abs" abstract="true"/><xs:complexType name="real"><xs:complexContent><xs:extension base="abs"/></xs:complexContent></xs:complexType>
			<xs:element name="root" type="abs"/>`, []sample{
			{`<root/>`, "element-abstract /root"},
			{`<root` + xsiPrefix + ` xsi:type="real"/>`, ""},
		}},
		{"simple content of a type inside", `<xs:complexType name="b"><xs:simpleContent><xs:extension base="xs:decimal"/></xs:simpleContent></xs:complexType>
			<xs:element name="root"><xs:complexType><xs:simpleContent><xs:restriction base="b"><xs:simpleType><xs:restriction base="xs:int"/></xs:simpleType><xs:maxInclusive value="9"/></xs:restriction></xs:simpleContent></xs:complexType></xs:element>`, []sample{
			{`<root>9</root>`, ""},
			{`<root>9.0</root>`, "datatype /root"},
			{`<root>10</root>`, "facet /root"},
		}},
		{"simple content in place of mixed content", `<xs:complexType name="b" mixed="true">` + seq(`<xs:element name="a" minOccurs="0"/>`) + `</xs:complexType>
			<xs:element name="root"><xs:complexType><xs:simpleContent><xs:restriction base="b"><xs:simpleType><xs:restriction base="xs:int"/></xs:simpleType></xs:restriction></xs:simpleContent></xs:complexType></xs:element>`, []sample{
			{`<root>9</root>`, ""},
			{`<root>x</root>`, "datatype /root"},
		}},
		{"extension of an empty type", `<xs:complexType name="b"/><xs:element name="root"><xs:complexType><xs:complexContent><xs:extension base="b">` + seq(elemA) + `</xs:extension></xs:complexContent></xs:complexType></xs:element>`, []sample{
			{`<root><a/></root>`, ""},
			{`<root/>`, "missing-child /root"},
		}},
		{"extension of a mixed type", `<xs:complexType name="b" mixed="true">` + seq(elemA) + `</xs:complexType><xs:element name="root"><xs:complexType><xs:complexContent mixed="true"><xs:extension base="b">` + seq(elemB) + `</xs:extension></xs:complexContent></xs:complexType></xs:element>`, []sample{
			{`<root>x<a/>y<b/></root>`, ""},
			{`<root>x<a/>y</root>`, "missing-child /root"},
		}},
		{"complex extension of simple content", `<xs:complexType name="b"><xs:simpleContent><xs:extension base="xs:int"/></xs:simpleContent></xs:complexType>
			<xs:element name="root"><xs:complexType><xs:complexContent><xs:extension base="b"><xs:attribute name="x"/></xs:extension></xs:complexContent></xs:complexType></xs:element>`, []sample{
			{`<root x="">7</root>`, ""},
			{`<root>x</root>`, "datatype /root"},
		}},
		{"restriction with another fixed form", `<xs:complexType name="b"><xs:attribute name="x" type="xs:decimal" fixed="1"/></xs:complexType>
			<xs:element name="root"><xs:complexType><xs:complexContent><xs:restriction base="b"><xs:attribute name="x" type="xs:decimal" fixed="1.0"/></xs:restriction></xs:complexContent></xs:complexType></xs:element>`, []sample{
			{`<root x="1.00"/>`, ""},
			{`<root x="2"/>`, "fixed /root/@x"},
		}},
		{"anyType", `<xs:element name="root"/><xs:element name="known" type="xs:int"/>`, []sample{
			{`<root x="1">text<any><known>1</known></any></root>`, ""},
			{`<root><any><known>z</known></any></root>`, "datatype /root/any/known"},
		}},
		{"members of a union", `<xs:simpleType name="u"><xs:union memberTypes="xs:int xs:boolean"/></xs:simpleType><xs:element name="root" type="u"/>`, []sample{
			{`<root` + xsiPrefix + ` xsi:type="xs:boolean">true</root>`, ""},
			{`<root` + xsiPrefix + ` xsi:type="xs:boolean">7</root>`, "datatype /root"},
		}},
	} {
		c.run(t)
	}
}

func TestElementDeclarations(t *testing.T) {
	const group = `<xs:element name="head" type="xs:string" abstract="true"/><xs:element name="one" substitutionGroup="head"/>
		<xs:element name="two" substitutionGroup="one" type="xs:token"/><xs:element name="three" type="xs:int"/>`
	for _, c := range []construct{
		{"substitution", group + rootOf(seq(`<xs:element ref="head" maxOccurs="3"/>`)), []sample{
			{`<root><one>x</one><two>y</two></root>`, ""},
			{`<root><head>x</head></root>`, "element-abstract /root/head"},
			{`<root><three>1</three></root>`, "element-not-expected /root/three"},
		}},
		{"substitution blocked", `<xs:element name="head" block="substitution"/><xs:element name="one" substitutionGroup="head"/>` + rootOf(seq(`<xs:element ref="head"/>`)), []sample{
			{`<root><one/></root>`, "element-not-expected /root/one"},
		}},
		{"fixed and default", rootOf(seq(`<xs:element name="f" type="xs:decimal" fixed="1.0" minOccurs="0"/><xs:element name="d" type="xs:int" default="3" minOccurs="0"/>`)), []sample{
			{`<root><f>1</f><d/></root>`, ""},
			{`<root><f/><d>x</d></root>`, "datatype /root/d"},
			{`<root><f>2</f></root>`, "fixed /root/f"},
		}},
		{"fixed mixed content", `<xs:element name="root" fixed="x y"><xs:complexType mixed="true">` + seq(`<xs:element name="a" minOccurs="0"/>`) + `</xs:complexType></xs:element>`, []sample{
			{`<root>x y</root>`, ""},
			{`<root/>`, ""},
			{`<root>x</root>`, "fixed /root"},
			{`<root>x y<a/></root>`, "fixed /root"},
		}},
		{"nil", `<xs:element name="root" nillable="true" type="xs:int"/>` + `<xs:element name="not" type="xs:int"/>`, []sample{
			{`<root` + xsiPrefix + ` xsi:nil="true"/>`, ""},
			{`<root` + xsiPrefix + ` xsi:nil="false">1</root>`, ""},
			{`<root` + xsiPrefix + ` xsi:nil="1">1</root>`, "nil /root"},
			{`<root` + xsiPrefix + ` xsi:nil="yes">1</root>`, "datatype /root/@xsi:nil"},
			{`<root` + xsiPrefix + ` xsi:nil="true" a=""/>`, "attribute-not-allowed /root/@a"},
			{`<not` + xsiPrefix + ` xsi:nil="true"/>`, "nil /not/@xsi:nil\ndatatype /not"},
		}},
		{"root", `<xs:element name="root"/>`, []sample{
			{`<other/>`, "root /other"},
			{`<other` + xsiPrefix + ` xsi:type="xs:int">x</other>`, "datatype /other"},
			{`<root xmlns="u"/>`, "root /root"},
		}},
		{"IDs", rootOf(seq(`<xs:element name="a" maxOccurs="9"><xs:complexType><xs:attribute name="id" type="xs:ID"/><xs:attribute name="to" type="xs:IDREFS"/></xs:complexType></xs:element>`)), []sample{
			{`<root><a id="x" to="y x"/><a id="y"/></root>`, ""},
			{`<root><a id="x"/><a id="x"/></root>`, "id /root/a[2]"},
			{`<root><a id="x" to="x z"/></root>`, "id /root/a"},
			{`<root><a id="1"/></root>`, "datatype /root/a/@id"},
		}},
		{"a default that is a reference", rootOf(`<xs:attribute name="to" type="xs:IDREF" default="x"/>`), []sample{
			{`<root/>`, "id /root"},
		}},
	} {
		c.run(t)
	}
}
