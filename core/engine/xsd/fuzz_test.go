package xsd

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

func FuzzCompile(f *testing.F) {
	for _, body := range []string{
		rootOf(seq(elemA + `<xs:choice minOccurs="2" maxOccurs="5000"><xs:element name="b" maxOccurs="3"/>` + elemC + `</xs:choice>`)),
		rootOf(`<xs:all>` + elemA + elemB + `</xs:all><xs:anyAttribute namespace="##other"/>`),
		`<xs:simpleType name="x"><xs:restriction base="xs:decimal"><xs:pattern value="\d+"/><xs:totalDigits value="3"/><xs:enumeration value="1"/></xs:restriction></xs:simpleType>`,
		`<xs:complexType name="x"><xs:complexContent><xs:extension base="x"/></xs:complexContent></xs:complexType>`,
		`<xs:group name="g"><xs:sequence><xs:group ref="g"/></xs:sequence></xs:group>`,
		`<xs:redefine schemaLocation="s.xsd"><xs:simpleType name="x"><xs:restriction base="x"/></xs:simpleType></xs:redefine>`,
		`<xs:include schemaLocation="s.xsd"/><xs:import namespace="u"/>` + shop(`<xs:key name="k"><xs:selector xpath=".//line|a"/><xs:field xpath="@*"/></xs:key>`),
		`<xs:element name="a" substitutionGroup="b"/><xs:element name="b" substitutionGroup="a"/>`,
	} {
		f.Add(schemaText(body), `<root><a/><b/></root>`)
	}
	f.Add(orders, validOrder)
	f.Add(`<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "x">]>`+schemaText(`<xs:element name="&a;"/>`), `<x/>`)
	f.Fuzz(func(t *testing.T, schema, doc string) {
		s, err := Compile(folder(map[string]string{"s.xsd": schema}), Options{MaxViolations: 5}, "s.xsd")
		if err != nil {
			if s != nil {
				t.Error("a schema with faults is given out")
			}
			return
		}
		checkReport(t, s, doc)
	})
}

func FuzzValidate(f *testing.F) {
	s, err := Compile(folder(map[string]string{"o.xsd": orders, "s.xsd": schemaText(shop(`<xs:key name="k"><xs:selector xpath="line"/><xs:field xpath="no"/></xs:key>
		<xs:keyref name="r" refer="k"><xs:selector xpath="ref"/><xs:field xpath="."/></xs:keyref>`) +
		`<xs:element name="any"/><xs:element name="counted"><xs:complexType><xs:sequence minOccurs="2" maxOccurs="3"><xs:element name="a" maxOccurs="2"/><xs:any namespace="u" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>`)}),
		Options{MaxViolations: 5}, "s.xsd", "o.xsd")
	if err != nil {
		f.Fatal(err)
	}
	for _, doc := range []string{
		validOrder, `<shop><line><no>1</no></line><ref>2</ref></shop>`, `<counted><a/><a/><x xmlns="u"/><a/></counted>`,
		`<any` + xsiPrefix + ` xsi:type="xs:int" xsi:nil="1">x</any>`, `<shop><line id=""/><line/><x/><line><no/><no/><no/></line></shop>`,
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) { checkReport(t, s, doc) })
}

// checkReport validates a document, if it is one, and checks that the report is complete and the same again.
func checkReport(t *testing.T, s *Schema, text string) {
	doc, err := xmltree.Parse([]byte(text), xmltree.Options{})
	if err != nil {
		return
	}
	first, err := s.Validate(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range first {
		if v.Kind == "" || v.Path == "" || v.Line == 0 || v.Message == "" {
			t.Errorf("incomplete violation %+v", v)
		}
	}
	if len(first) > 6 {
		t.Errorf("%d violations, want 6 at most", len(first))
	}
	again, err := s.Validate(t.Context(), doc)
	if err != nil || outline(first) != outline(again) {
		t.Errorf("first %s, then %s, %v", outline(first), outline(again), err)
	}
}

func FuzzValues(f *testing.F) {
	for _, row := range lexicalSpaces {
		f.Add(row.typ, row.valid)
		f.Add(row.typ, row.invalid)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		typ := builtins[name]
		if typ == nil {
			return
		}
		c := &checker{}
		valid := c.check(typ, []byte(text))
		key, ok := c.valueKey(typ, []byte(text))
		if valid && !ok {
			t.Errorf("%q is a %s, but has no key", text, name)
		}
		if again, _ := c.valueKey(typ, []byte(" "+text+"\n")); valid && typ.white == collapse && again != key {
			t.Errorf("%q has another key with white space around it", text)
		}
	})
}
