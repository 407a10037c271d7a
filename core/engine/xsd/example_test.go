package xsd_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
)

// A schema is compiled once and judges documents; a violation has its place.
func Example() {
	files := fstest.MapFS{"order.xsd": {Data: []byte(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
	  <xs:element name="order"><xs:complexType><xs:sequence>
	    <xs:element name="date" type="xs:date"/>
	  </xs:sequence></xs:complexType></xs:element></xs:schema>`)}}
	schema, err := xsd.Compile(files, xsd.Options{}, "order.xsd")
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse([]byte("<order>\n  <date>2026-02-30</date>\n</order>"), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	violations, err := schema.Validate(context.Background(), doc)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range violations {
		fmt.Println(v.Kind, v.Path, "line", v.Line)
	}
	// Output: datatype /order/date line 2
}
