package xmp_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/pdf/xmp"
)

// A PDF of another program gets an invoice inside: its metadata says so from then on, and that it is PDF/A-3; what it said before, stays.
func ExampleMerge() {
	before := xmp.Packet{Title: "Rechnung RE-10612", CreatorTool: "Warenwirtschaft 7"}.Bytes()
	after, err := xmp.Merge(before, xmp.FacturX{DocumentType: "INVOICE", DocumentFileName: "factur-x.xml", Version: "1.0", ConformanceLevel: "EN 16931"})
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse(after, xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for n := range xmltree.Node(doc.Len()) {
		if said := []string{"title", "CreatorTool", "part", "conformance", "DocumentFileName", "ConformanceLevel"}; slices.Contains(said, doc.Local(n)) {
			fmt.Println(doc.Local(n)+":", doc.String(n))
		}
	}
	// Output:
	// title: Rechnung RE-10612
	// CreatorTool: Warenwirtschaft 7
	// part: 3
	// conformance: B
	// DocumentFileName: factur-x.xml
	// ConformanceLevel: EN 16931
}
