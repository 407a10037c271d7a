package xsd

import (
	"strconv"
	"strings"
	"testing"
)

func TestFaultsOfSchemasAreFound(t *testing.T) {
	simple := func(inside string) string { return `<xs:simpleType name="x">` + inside + `</xs:simpleType>` }
	restriction := func(base, facets string) string {
		return simple(`<xs:restriction base="` + base + `">` + facets + `</xs:restriction>`)
	}
	derived := func(how, inside string) string {
		return `<xs:complexType name="x"><xs:complexContent><xs:` + how + ` base="base">` + inside + `</xs:` + how + `></xs:complexContent></xs:complexType>`
	}
	const base = `<xs:complexType name="base"><xs:sequence><xs:element name="a"/></xs:sequence><xs:attribute name="r" type="xs:int" use="required"/><xs:attribute name="f" fixed="1"/></xs:complexType>`
	for _, c := range []struct{ body, want string }{
		// the grammar
		{`<xs:elment name="a"/>`, "not expected here"},
		{`<xs:element/>`, "needs the attribute name"},
		{`<xs:element name="1"/>`, "expected is an XML name"},
		{`<xs:element name="a" type="q:b"/>`, "whose prefix is declared"},
		{`<xs:element name="a" minOccurs="0"/>`, "has no attribute minOccurs"},
		{`<xs:element name="a" final="list"/>`, "final"},
		{rootOf(seq(`<xs:element name="a" maxOccurs="many"/>`)), "maxOccurs"},
		{rootOf(`<xs:all><xs:element name="a" maxOccurs="2"/></xs:all>`), "maxOccurs"},
		{`<xs:annotation id="i"/><xs:annotation id="i"/>`, "has the ID"},
		// references
		{`<xs:element name="a" type="gone"/>`, "there is no type gone"},
		{rootOf(seq(`<xs:element ref="gone"/>`)), "there is no element gone"},
		{rootOf(seq(`<xs:group ref="gone"/>`)), "there is no group gone"},
		{rootOf(`<xs:attributeGroup ref="gone"/>`), "there is no attribute group gone"},
		{rootOf(`<xs:attribute ref="gone"/>`), "there is no attribute gone"},
		{`<xs:element name="a"/><xs:element name="a"/>`, "defined twice"},
		{`<xs:complexType name="a"/><xs:simpleType name="a"><xs:list itemType="xs:int"/></xs:simpleType>`, "defined twice"},
		// declarations
		{rootOf(seq(`<xs:element name="a" ref="b"/>`)), "either name or ref"},
		{`<xs:element name="b"/>` + rootOf(seq(`<xs:element ref="b" nillable="true"/>`)), "cannot have the attribute nillable"},
		{`<xs:element name="b"/>` + rootOf(seq(`<xs:element ref="b"><xs:complexType/></xs:element>`)), "cannot have content"},
		{`<xs:element name="a" type="xs:int"><xs:complexType/></xs:element>`, "both"},
		{`<xs:element name="a" default="1" fixed="1"/>`, "both default and fixed"},
		{`<xs:element name="a" type="xs:int" default="x"/>`, "is not of its type"},
		{`<xs:element name="a" default="x"><xs:complexType><xs:sequence/></xs:complexType></xs:element>`, "cannot have a value"},
		{`<xs:element name="a" type="xs:ID" default="x"/>`, "cannot be prescribed"},
		{rootOf(`<xs:attribute name="a" use="required" default="1"/>`), "must be optional"},
		{rootOf(`<xs:attribute name="a"/><xs:attribute name="a"/>`), "declared twice"},
		{rootOf(`<xs:attribute name="xmlns"/>`), "xmlns"},
		{rootOf(`<xs:attribute name="a" type="x"/>`) + `<xs:complexType name="x"/>`, "no simple type"},
		{rootOf(`<xs:attribute name="a" type="xs:ID"/><xs:attribute name="b" type="xs:ID"/>`), "one attribute of type ID"},
		{`<xs:element name="a" substitutionGroup="b"/><xs:element name="b" substitutionGroup="a"/>`, "its own substitution group"},
		{`<xs:element name="a" substitutionGroup="b" type="xs:int"/><xs:element name="b" type="xs:date"/>`, "is not derived"},
		{`<xs:element name="a"><xs:unique name="u"><xs:selector xpath="a[1]"/><xs:field xpath="."/></xs:unique></xs:element>`, "xpath"},
		{`<xs:element name="a"><xs:keyref name="u" refer="gone"><xs:selector xpath="a"/><xs:field xpath="."/></xs:keyref></xs:element>`, "there is no key gone"},
		// content models
		{rootOf(`<xs:choice>` + elemA + elemA + `</xs:choice>`), "may match two parts"},
		{rootOf(seq(`<xs:element name="a" minOccurs="0"/>` + elemA)), "may match two parts"},
		{rootOf(seq(`<xs:any/>` + `<xs:any minOccurs="0"/><xs:any minOccurs="0"/>`)), "two wildcards"},
		{rootOf(seq(`<xs:element name="a" minOccurs="0"/><xs:any/>`)), "may match two parts"},
		{rootOf(`<xs:all>` + elemA + elemA + `</xs:all>`), "may match two parts"},
		{rootOf(seq(elemA + elemB + `<xs:element name="a" type="xs:int"/>`)), "two elements a of different types"},
		{rootOf(seq(`<xs:element name="a" minOccurs="2"/>`)), "minOccurs is larger"},
		{`<xs:group name="g"><xs:all>` + elemA + `</xs:all></xs:group>` + rootOf(seq(`<xs:group ref="g"/>`)), "all group"},
		{`<xs:group name="g"><xs:sequence><xs:group ref="g"/></xs:sequence></xs:group>`, "made of itself"},
		{`<xs:attributeGroup name="g"><xs:attributeGroup ref="g"/></xs:attributeGroup>`, "made of itself"},
		{rootOf(`<xs:sequence minOccurs="2" maxOccurs="60000"><xs:element name="a" minOccurs="7000" maxOccurs="7001"/></xs:sequence>`), "too large"},
		// simple types
		{restriction("x", ""), "made of itself"},
		{restriction("xs:anySimpleType", ""), "cannot be restricted"},
		{restriction("xs:string", `<xs:totalDigits value="3"/>`), "no such facet"},
		{restriction("xs:int", `<xs:length value="3"/>`), "no such facet"},
		{restriction("xs:string", `<xs:length value="3"/><xs:length value="3"/>`), "set twice"},
		{restriction("xs:string", `<xs:minLength value="3"/><xs:maxLength value="2"/>`), "larger than maxLength"},
		{restriction("xs:string", `<xs:length value="3"/><xs:minLength value="2"/>`), "stands beside"},
		{restriction("xs:int", `<xs:minInclusive value="3"/><xs:maxInclusive value="2"/>`), "above the upper bound"},
		{restriction("xs:int", `<xs:minInclusive value="1"/><xs:minExclusive value="1"/>`), "set twice"},
		{restriction("xs:byte", `<xs:maxInclusive value="128"/>`), "outside the range"},
		{restriction("xs:int", `<xs:minInclusive value="x"/>`), "no value of the base type"},
		{restriction("xs:int", `<xs:enumeration value="x"/>`), "no value of the base type"},
		{restriction("xs:string", `<xs:pattern value="["/>`), "regular expression"},
		{restriction("xs:token", `<xs:whiteSpace value="preserve"/>`), "already changes more"},
		{restriction("xs:decimal", `<xs:fractionDigits value="3"/><xs:totalDigits value="2"/>`), "larger than totalDigits"},
		{`<xs:simpleType name="y"><xs:restriction base="xs:string"><xs:length value="3" fixed="true"/></xs:restriction></xs:simpleType>` + restriction("y", `<xs:length value="4"/>`), "fixes another value"},
		{simple(`<xs:list itemType="xs:NMTOKENS"/>`), "lists as items"},
		{simple(`<xs:list/>`), "either the attribute itemType"},
		{simple(`<xs:union/>`), "needs members"},
		{`<xs:simpleType name="y" final="#all"><xs:restriction base="xs:int"/></xs:simpleType>` + restriction("y", ""), "does not allow restriction"},
		// complex types
		{base + derived("restriction", `<xs:attribute name="n"/>`), "has no attribute n"},
		{base + derived("restriction", `<xs:attribute name="r" type="xs:int"/>`), "is required by the base type"},
		{base + derived("restriction", `<xs:attribute name="r" use="prohibited"/>`), "is required by the base type"},
		{base + derived("restriction", `<xs:attribute name="r" type="xs:date" use="required"/>`), "is not derived from"},
		{base + derived("restriction", `<xs:attribute name="f"/>`), "has a fixed value"},
		{base + derived("restriction", `<xs:anyAttribute/>`), "no attribute wildcard"},
		{base + derived("extension", `<xs:attribute name="r"/>`), "in the base type already"},
		{base + derived("extension", `<xs:all>`+elemB+`</xs:all>`), "all group"},
		{`<xs:complexType name="base" final="extension"/>` + derived("extension", ""), "does not allow this derivation"},
		{`<xs:complexType name="base" mixed="true"><xs:sequence>` + elemA + `</xs:sequence></xs:complexType>` + derived("extension", seq(elemB)), "both be mixed"},
		{`<xs:simpleType name="base"><xs:list itemType="xs:int"/></xs:simpleType>` + derived("extension", ""), "simple type"},
		{`<xs:complexType name="base"><xs:complexContent><xs:extension base="base"/></xs:complexContent></xs:complexType>`, "derived from itself"},
		{`<xs:complexType name="x"><xs:simpleContent><xs:extension base="base"/></xs:simpleContent></xs:complexType>` + base, "has no simple content"},
	} {
		faults := schemaFaults(t, map[string]string{"s.xsd": schemaText("\n" + c.body)})
		if !strings.Contains(faults.Error(), c.want) {
			t.Errorf("%s\n gives %q\n want  %q", c.body, faults.Error(), c.want)
		}
		if faults[0].File != "s.xsd" || faults[0].Line != 2 {
			t.Errorf("%s\n is at %s line %d, want s.xsd line 2", c.body, faults[0].File, faults[0].Line)
		}
	}
}

func TestFaultsBetweenFilesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no schema":                      {map[string]string{"s.xsd": `<root/>`}, "cannot be the document element"},
		"not well-formed":                {map[string]string{"s.xsd": "<a>\n<b></a>"}, "line 2"},
		"include of another namespace":   {map[string]string{"s.xsd": schemaText(`<xs:include schemaLocation="i.xsd"/>`), "i.xsd": `<xs:schema ` + xsNamespace + ` targetNamespace="t"/>`}, "cannot be included"},
		"import of another namespace":    {map[string]string{"s.xsd": schemaText(`<xs:import namespace="u" schemaLocation="i.xsd"/>`), "i.xsd": `<xs:schema ` + xsNamespace + ` targetNamespace="t"/>`}, `instead of "u"`},
		"import of itself":               {map[string]string{"s.xsd": `<xs:schema ` + xsNamespace + ` targetNamespace="t"><xs:import namespace="t"/></xs:schema>`}, "its own target namespace"},
		"empty target namespace":         {map[string]string{"s.xsd": `<xs:schema ` + xsNamespace + ` targetNamespace=""/>`}, "must not be empty"},
		"use without import":             {map[string]string{"s.xsd": `<xs:schema ` + xsNamespace + ` xmlns:t="t"><xs:include schemaLocation="i.xsd"/><xs:element name="a" type="t:x"/></xs:schema>`, "i.xsd": schemaText(`<xs:import namespace="t" schemaLocation="t.xsd"/>`), "t.xsd": `<xs:schema ` + xsNamespace + ` targetNamespace="t"><xs:complexType name="x"/></xs:schema>`}, "is not imported"},
		"file that is missed":            {map[string]string{"s.xsd": schemaText(`<xs:include schemaLocation="gone.xsd"/><xs:element name="a" type="x"/>`)}, "files that are not there: gone.xsd"},
		"redefinition of nothing":        {map[string]string{"s.xsd": schemaText(`<xs:redefine schemaLocation="i.xsd"><xs:complexType name="x"><xs:complexContent><xs:extension base="x"/></xs:complexContent></xs:complexType></xs:redefine>`), "i.xsd": schemaText(``)}, "to redefine"},
		"redefinition that is no change": {map[string]string{"s.xsd": schemaText(`<xs:redefine schemaLocation="i.xsd"><xs:simpleType name="x"><xs:restriction base="xs:int"/></xs:simpleType></xs:redefine>`), "i.xsd": schemaText(`<xs:simpleType name="x"><xs:restriction base="xs:int"/></xs:simpleType>`)}, "derived from itself"},
		"entity that grows":              {map[string]string{"s.xsd": `<!DOCTYPE x [<!ENTITY a "&b;&b;"><!ENTITY b "&a;">]><x>&a;</x>`}, "refers to itself"},
	} {
		if faults := schemaFaults(t, c.files); !strings.Contains(faults.Error(), c.want) {
			t.Errorf("%s: %q, want %q", name, faults.Error(), c.want)
		}
	}
}

func TestFaultsAreCapped(t *testing.T) {
	faults := schemaFaults(t, map[string]string{"s.xsd": schemaText(strings.Repeat(`<xs:element name="a" type="gone"/>`, 100))})
	if len(faults) != maxSchemaErrors {
		t.Errorf("%d faults, want %d", len(faults), maxSchemaErrors)
	}
}

func TestSchemasCannotAskForUnlimitedWork(t *testing.T) {
	doubling := func(levels int, first, format string) string {
		var b strings.Builder
		b.WriteString(first)
		for n := 1; n <= levels; n++ {
			b.WriteString(strings.NewReplacer("{n}", strconv.Itoa(n), "{m}", strconv.Itoa(n-1)).Replace(format))
		}
		return b.String()
	}
	repeat := func(n int, format string) string { return doubling(n, "", format) }
	for name, c := range map[string]struct{ body, want string }{
		"groups of groups": {doubling(60, `<xs:group name="g0"><xs:sequence>`+elemA+`</xs:sequence></xs:group>`,
			`<xs:group name="g{n}"><xs:sequence><xs:group ref="g{m}"/><xs:group ref="g{m}"/></xs:sequence></xs:group>`), "too large"},
		"unions of unions": {doubling(60, `<xs:simpleType name="u0"><xs:union memberTypes="xs:int"/></xs:simpleType>`,
			`<xs:simpleType name="u{n}"><xs:union memberTypes="u{m} u{m}"/></xs:simpleType>`), "too many members"},
		"choices of thousands of elements": {rootOf(`<xs:choice maxOccurs="unbounded">` + repeat(4000, `<xs:element name="e{n}"/>`) + `</xs:choice>`), "too large"},
		"thousands of attributes":          {rootOf(repeat(3000, `<xs:attribute name="a{n}"/>`)), "too many attributes"},
		"attributes in thousands of types": {`<xs:attributeGroup name="g">` + repeat(1000, `<xs:attribute name="a{n}"/>`) + `</xs:attributeGroup>` +
			repeat(2000, `<xs:complexType name="t{n}"><xs:attributeGroup ref="g"/></xs:complexType>`), "too many attributes"},
		"long chains of types": {doubling(3000, `<xs:complexType name="t0"/>`,
			`<xs:complexType name="t{n}"><xs:complexContent><xs:extension base="t{m}"/></xs:complexContent></xs:complexType>`), "too many steps"},
		"long chains of simple types, in order": {doubling(3000, `<xs:simpleType name="t0"><xs:restriction base="xs:int"/></xs:simpleType>`,
			`<xs:simpleType name="t{n}"><xs:restriction base="t{m}"/></xs:simpleType>`), "too many steps"},
		"long chains of simple types": {strings.ReplaceAll(repeat(3000, `<xs:simpleType name="t{m}"><xs:restriction base="t{n}"/></xs:simpleType>`), `"t3000"`, `"xs:int"`), "depends on too many others"},
		"crossing substitution groups": {doubling(900, `<xs:element name="e0"/>`, `<xs:element name="e{n}" substitutionGroup="e{m}"/>`) +
			repeat(400, `<xs:complexType name="t{n}"><xs:choice maxOccurs="unbounded">`+repeat(40, `<xs:element ref="e0"/>`)+`</xs:choice></xs:complexType>`), "may match two parts"},
	} {
		t.Run(name, func(t *testing.T) {
			if faults := schemaFaults(t, map[string]string{"s.xsd": schemaText(c.body)}); !strings.Contains(faults.Error(), c.want) {
				t.Errorf("%.300q, want %q", faults.Error(), c.want)
			}
		})
	}
}
