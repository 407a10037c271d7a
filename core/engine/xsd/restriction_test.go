package xsd

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// part is an element of a schema with its occurrence, such as any:0-2 or a:1-*; the names a, b … stand for element declarations.
func part(what string, inside ...string) string {
	name, count, found := strings.Cut(what, ":")
	if !found {
		count = "1-1"
	}
	least, most, _ := strings.Cut(count, "-")
	if most == "*" {
		most = "unbounded"
	}
	attributes := fmt.Sprintf(`minOccurs="%s" maxOccurs="%s"`, least, most)
	if len(name) == 1 {
		return fmt.Sprintf(`<xs:element name="%s" type="xs:string" %s/>`, name, attributes)
	}
	return fmt.Sprintf(`<xs:%s %s>%s</xs:%[1]s>`, name, attributes, strings.Join(inside, ""))
}

func sequence(inside ...string) string { return part("sequence", inside...) }

func choice(inside ...string) string { return part("choice", inside...) }

// restricting is a schema whose document element has a type that restricts one with another content model.
func restricting(model, base string) map[string]string {
	return map[string]string{"s.xsd": schemaText(`<xs:complexType name="base">` + base + `</xs:complexType><xs:element name="all" type="base"/>
		<xs:element name="less"><xs:complexType><xs:complexContent><xs:restriction base="base">` + model + `</xs:restriction></xs:complexContent></xs:complexType></xs:element>`)}
}

// TestRestrictions ensures which content models restrict which, by each rule of the standard.
func TestRestrictions(t *testing.T) {
	all := func(inside ...string) string { return part("all", inside...) }
	a, b, c := part("a"), part("b"), part("c")
	anyA, anyB := part("a:0-1"), part("b:0-1")
	lists := part("any:0-2")
	other := `<xs:any namespace="##other"/>`
	for _, x := range []struct {
		name, model, base string
		valid             bool
	}{
		{"the same", sequence(a, b), sequence(a, b), true},
		{"fewer occurrences", sequence(part("a:1-2")), sequence(part("a:0-3")), true},
		{"a lower minimum", sequence(anyA), sequence(a), false},
		{"a higher maximum", sequence(part("a:1-*")), sequence(part("a:1-3")), false},
		{"without a maximum in the base", sequence(part("a:1-9")), sequence(part("a:1-*")), true},
		{"another element", sequence(b), sequence(a), false},
		{"another order", sequence(b, a), sequence(a, b), false},
		{"an optional part left out", sequence(b), sequence(anyA, b), true},
		{"a required part left out", sequence(b), sequence(a, b), false},
		{"an optional part left out at the end", sequence(a), sequence(a, anyB), true},
		{"a required part left out at the end", sequence(a), sequence(a, b), false},
		{"nothing left", "", sequence(anyA, anyB), true},
		{"nothing left of what is required", "", sequence(anyA, b), false},
		{"something where there was nothing", sequence(a), "", false},
		{"groups that say nothing", sequence(sequence(choice(a), sequence()), b), sequence(a, sequence(b)), true},
		{"a choice of fewer", choice(a, c), choice(a, b, c), true},
		{"a choice in another order", choice(c, a), choice(a, c), false},
		{"one of a choice", sequence(a), choice(a, b), true},
		{"none of a choice", sequence(c), choice(a, b), false},
		{"sequence of a repeated choice", sequence(a, b), part("choice:0-2", a, b), true},
		{"sequence longer than a repeated choice", sequence(a, b, a), part("choice:0-2", a, b), false},
		{"a choice for a sequence", choice(a, b), sequence(anyA, anyB), false},
		{"a sequence of all", sequence(b, a), all(a, b), true},
		{"a sequence of all with a part twice", sequence(a, a), all(a, anyB), false},
		{"a sequence of all without a required part", sequence(a), all(a, b), false},
		{"all of all", all(a), all(a, anyB), true},
		{"all of a sequence", all(a, b), sequence(a, b), false},
		{"an element for any", sequence(part("a:1-2")), sequence(lists), true},
		{"an element of a namespace that any does not have", sequence(a), sequence(other), false},
		{"a sequence for any", sequence(a, b), sequence(lists), true},
		{"too many elements for any", sequence(a, b, c), sequence(lists), false},
		{"a choice for any", choice(a, part("b:2-2")), sequence(lists), true},
		{"any for any", sequence(part("any:1-2")), sequence(lists), true},
		{"a stricter any", sequence(`<xs:any/>`), sequence(`<xs:any processContents="lax"/>`), true},
		{"a laxer any", sequence(`<xs:any processContents="skip"/>`), sequence(`<xs:any processContents="lax"/>`), false},
		{"any of more namespaces", sequence(`<xs:any/>`), sequence(other), false},
		{"any for an element", sequence(`<xs:any/>`), sequence(a), false},
		{"any for a choice", sequence(`<xs:any/>`), choice(a, b), false},
		{"an element that may be nil", sequence(`<xs:element name="a" type="xs:string" nillable="true"/>`), sequence(a), false},
		{"an element with a fixed value", sequence(`<xs:element name="a" type="xs:string" fixed="x"/>`), sequence(a), true},
		{"an element without the fixed value", sequence(a), sequence(`<xs:element name="a" type="xs:string" fixed="x"/>`), false},
		{"an element of a derived type", sequence(`<xs:element name="a" type="xs:token"/>`), sequence(a), true},
		{"an element of any type at first", sequence(a), sequence(`<xs:element name="a"/>`), true},
		{"an element of another type", sequence(`<xs:element name="a" type="xs:int"/>`), sequence(a), false},
		{"an element with fewer blocks", sequence(a), sequence(`<xs:element name="a" type="xs:string" block="#all"/>`), false},
		{"an element with a key of its own", sequence(`<xs:element name="a" type="xs:string"><xs:unique name="u"><xs:selector xpath="x"/><xs:field xpath="@y"/></xs:unique></xs:element>`),
			sequence(a), false},
	} {
		_, err := Compile(folder(restricting(x.model, x.base)), Options{}, "s.xsd")
		if (err == nil) != x.valid {
			t.Errorf("%s: valid %v: %v", x.name, err == nil, err)
		}
	}
}

// TestRestrictions_SubstitutionGroups ensures that a member may stand where the base has the head of its group.
func TestRestrictions_SubstitutionGroups(t *testing.T) {
	const group = `<xs:element name="h" type="xs:string"/><xs:element name="m" type="xs:string" substitutionGroup="h"/><xs:element name="n" type="xs:string"/>`
	for member, valid := range map[string]bool{"h": true, "m": true, "n": false} {
		files := restricting(sequence(`<xs:element ref="`+member+`"/>`), sequence(`<xs:element ref="h"/>`))
		files["s.xsd"] = strings.Replace(files["s.xsd"], "<xs:complexType", group+"<xs:complexType", 1)
		if _, err := Compile(folder(files), Options{}, "s.xsd"); (err == nil) != valid {
			t.Errorf("%s: %v", member, err)
		}
	}
}

// TestRestrictions_OfOtherContent ensures that content stays of its kind.
func TestRestrictions_OfOtherContent(t *testing.T) {
	const simple = `<xs:simpleContent><xs:extension base="xs:string"/></xs:simpleContent>`
	files := restricting(sequence(), simple)
	if faults := schemaFaults(t, files); !strings.Contains(faults.Error(), "that of the base type base is simple") {
		t.Error(faults)
	}
	files = restricting(sequence(part("a")), sequence(part("a")))
	files["s.xsd"] = strings.Replace(files["s.xsd"], "<xs:complexContent>", `<xs:complexContent mixed="true">`, 1)
	if faults := schemaFaults(t, files); !strings.Contains(faults.Error(), "mixed") {
		t.Error(faults)
	}
}

// TestRestrictions_AreSound ensures that a document which a valid restriction allows is one that the base allows.
func TestRestrictions_AreSound(t *testing.T) {
	var model func(depth int) *rapid.Generator[string]
	model = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			count := ":" + rapid.SampledFrom([]string{"1-1", "0-1", "0-*", "1-2", "2-2"}).Draw(t, "count")
			if depth == 0 || rapid.Bool().Draw(t, "leaf") {
				return part(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name") + count)
			}
			return part(rapid.SampledFrom([]string{"sequence", "choice"}).Draw(t, "group")+count, rapid.SliceOfN(model(depth-1), 1, 3).Draw(t, "parts")...)
		})
	}
	restricted := 0
	rapid.Check(t, func(t *rapid.T) {
		less := model(1).Draw(t, "model")
		base := rapid.OneOf(rapid.Just(less), model(2)).Draw(t, "base") // a model is a valid restriction of itself
		s, err := Compile(folder(restricting(sequence(less), sequence(base))), Options{}, "s.xsd")
		var faults SchemaErrors
		if errors.As(err, &faults) {
			return
		}
		restricted++
		for _, word := range rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 4, -1), 1, 20).Draw(t, "words") {
			content := strings.NewReplacer("a", "<a/>", "b", "<b/>", "c", "<c/>").Replace(word)
			if accepts(t, s, "less", content) && !accepts(t, s, "all", content) {
				t.Errorf("%q is allowed by the restriction, but not by the base", word)
			}
		}
	})
	if restricted == 0 {
		t.Error("no restriction has been valid")
	}
}

func accepts(t *rapid.T, s *Schema, root, content string) bool {
	doc, err := xmltree.Parse([]byte("<"+root+">"+content+"</"+root+">"), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Validate(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return len(found) == 0
}

// TestRestrictions_OfRedefinedGroups ensures that a group is redefined by one that holds the original once, or restricts it.
func TestRestrictions_OfRedefinedGroups(t *testing.T) {
	original := schemaText(`<xs:group name="g">` + seq(part("a")+part("b:0-1")) + `</xs:group>`)
	for model, valid := range map[string]bool{
		seq(part("a")):                           true,
		seq(part("b")):                           false,
		seq(part("a") + part("b") + part("c")):   false,
		seq(`<xs:group ref="g"/>` + part("c")):   true,
		seq(`<xs:group ref="g" minOccurs="0"/>`): false,
	} {
		redefining := schemaText(`<xs:redefine schemaLocation="o.xsd"><xs:group name="g">` + model + `</xs:group></xs:redefine>`)
		_, err := Compile(folder(map[string]string{"o.xsd": original, "s.xsd": redefining}), Options{}, "s.xsd")
		if (err == nil) != valid {
			t.Errorf("%s: valid %v: %v", model, err == nil, err)
		}
	}
}
