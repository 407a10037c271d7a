package xmltree_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

func ExampleParser() {
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	doc, err := parser.Parse([]byte(`<order xmlns="urn:example"><line qty="2">Nägel</line><line qty="3">Dübel &amp; Haken</line></order>`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer doc.Release()
	paths := xmltree.NewLocator(doc)
	for _, line := range doc.Elements(doc.Names().Lookup("urn:example", "line")) {
		quantity, _ := doc.AttrValue(line, "qty")
		text, _ := doc.TextOf(line)
		fmt.Printf("%s: %s × %s\n", paths.Path(line), quantity, text)
	}
	_, err = parser.Parse([]byte("<!DOCTYPE order><order/>"))
	fmt.Println(err)
	// Output:
	// /order/line[1]: 2 × Nägel
	// /order/line[2]: 3 × Dübel & Haken
	// XML line 1, column 1: the document has a DOCTYPE, which is not accepted
}
