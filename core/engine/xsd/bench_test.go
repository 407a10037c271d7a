package xsd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// bills is a schema as large types of invoices are: long sequences of optional elements, values with attributes.
func bills() string {
	var b strings.Builder
	b.WriteString(`<xs:element name="bill"><xs:complexType><xs:sequence>`)
	for i := range 40 {
		fmt.Fprintf(&b, `<xs:element name="head%d" type="xs:token" minOccurs="0"/>`, i)
	}
	b.WriteString(`<xs:element name="line" maxOccurs="unbounded"><xs:complexType><xs:sequence>`)
	for i := range 20 {
		fmt.Fprintf(&b, `<xs:element name="part%d" type="amount" minOccurs="0"/>`, i)
	}
	b.WriteString(`</xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
		<xs:complexType name="amount"><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="unit" type="xs:normalizedString" use="required"/></xs:extension></xs:simpleContent></xs:complexType>`)
	return schemaText(b.String())
}

// bill has the given number of lines, each with ten values.
func bill(lines int) []byte {
	var b strings.Builder
	b.WriteString("<bill>\n")
	for i := 0; i < 40; i += 3 {
		fmt.Fprintf(&b, "  <head%d>value %d</head%d>\n", i, i, i)
	}
	for n := range lines {
		b.WriteString("  <line>\n")
		for i := 0; i < 20; i += 2 {
			fmt.Fprintf(&b, "    <part%d unit=\"EUR\">%d.50</part%d>\n", i, n+i, i)
		}
		b.WriteString("  </line>\n")
	}
	b.WriteString("</bill>")
	return []byte(b.String())
}

func BenchmarkValidate(b *testing.B) {
	s := compile(b, map[string]string{"s.xsd": bills()})
	for _, lines := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			benchmarkValidate(b, s, bill(lines))
		})
	}
}

// benchmarkValidate validates a valid document.
func benchmarkValidate(b *testing.B, s *Schema, text []byte) {
	doc := parse(b, string(text))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if found, err := s.Validate(b.Context(), doc); err != nil || len(found) > 0 {
			b.Fatal(outline(found), err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	fsys := folder(map[string]string{"s.xsd": bills()})
	for b.Loop() {
		if _, err := Compile(fsys, Options{}, "s.xsd"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestValidDocumentsCostNoMemory(t *testing.T) {
	s := compile(t, map[string]string{"s.xsd": bills()})
	doc, err := xmltree.Parse(bill(100), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	allocations := testing.AllocsPerRun(20, func() {
		if found, err := s.Validate(ctx, doc); err != nil || len(found) > 0 {
			t.Fatal(outline(found), err)
		}
	})
	if allocations > 2 { // the garbage collector may empty the pool of scratch memory
		t.Errorf("%.0f allocations for 1,100 elements", allocations)
	}
}
