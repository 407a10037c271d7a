package xsd

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// spaceNames are namespace names to try a set with: the absence of one, those that sets are made of, and another.
var spaceNames = []string{"", "a", "b", "c", "other"}

func drawSpaces(t *rapid.T, label string) spaceSet {
	words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "##local", "##targetNamespace"}), 0, 4, rapid.ID[string]).Draw(t, label)
	text := rapid.SampledFrom([]string{"##any", "##other", strings.Join(words, " ")}).Draw(t, label+" kind")
	return newSpaceSet(text, rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, label+" target"))
}

func TestSetsOfNamespacesBehaveAsSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := drawSpaces(t, "s"), drawSpaces(t, "o")
		union, hasUnion := s.union(o)
		both, hasBoth := s.intersection(o)
		meets, within := false, true
		for _, uri := range spaceNames {
			inS, inO := s.has(uri), o.has(uri)
			meets = meets || inS && inO
			within = within && (!inS || inO)
			// Two sets that each leave out a namespace are united to everything but the absence of one (clause 3.10.6).
			wide := s.kind == notSpace && o.kind == notSpace && uri != ""
			if hasUnion && union.has(uri) != (inS || inO) && !wide {
				t.Fatalf("%v united with %v is %v, which has %q: %v", s, o, union, uri, union.has(uri))
			}
			if hasBoth && both.has(uri) != (inS && inO) {
				t.Fatalf("%v and %v have in common %v, which has %q: %v", s, o, both, uri, both.has(uri))
			}
		}
		if got := s.meets(o); got != meets {
			t.Fatalf("%v meets %v: %v, want %v", s, o, got, meets)
		}
		if s.within(o) && !within {
			t.Fatalf("%v is said to be within %v", s, o)
		}
	})
}

func TestAttributeWildcardsOfDerivedTypes(t *testing.T) {
	base := `<xs:complexType name="base"><xs:anyAttribute namespace="a b" processContents="lax"/></xs:complexType>`
	derived := func(how, inside string) string {
		return `<xs:element name="root"><xs:complexType><xs:complexContent><xs:` + how + ` base="base">` + inside + `</xs:` + how + `></xs:complexContent></xs:complexType></xs:element>`
	}
	const with = `<root xmlns:p="a" xmlns:q="b" xmlns:r="c" `
	for _, c := range []construct{
		{"extension adds", base + derived("extension", `<xs:anyAttribute namespace="c" processContents="lax"/>`), []sample{
			{with + `p:x="" q:x="" r:x=""/>`, ""},
			{with + `x=""/>`, "attribute-not-allowed /root/@x"},
		}},
		{"extension inherits", base + derived("extension", ``), []sample{
			{with + `p:x=""/>`, ""},
			{with + `r:x=""/>`, "attribute-not-allowed /root/@r:x"},
		}},
		{"restriction takes away", base + derived("restriction", `<xs:anyAttribute namespace="b" processContents="strict"/>`), []sample{
			{with + `p:x="" q:x=""/>`, "attribute-not-allowed /root/@p:x\nattribute-not-allowed /root/@q:x"},
		}},
		{"restriction without wildcard", base + derived("restriction", ``), []sample{
			{with + `p:x=""/>`, "attribute-not-allowed /root/@p:x"},
		}},
		{"groups have in common", `<xs:attributeGroup name="g"><xs:anyAttribute namespace="a b" processContents="lax"/></xs:attributeGroup>
			<xs:attributeGroup name="h"><xs:anyAttribute namespace="b c" processContents="lax"/></xs:attributeGroup>` +
			rootOf(`<xs:attributeGroup ref="g"/><xs:attributeGroup ref="h"/>`), []sample{
			{with + `q:x=""/>`, ""},
			{with + `p:x="" r:x=""/>`, "attribute-not-allowed /root/@p:x\nattribute-not-allowed /root/@r:x"},
		}},
	} {
		c.run(t)
	}
}
