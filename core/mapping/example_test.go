package mapping_test

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// A table of three rows writes, reads and locates.
func Example() {
	table := mapping.Table[invoice.Invoice]{
		Elements: []mapping.Element{{Name: "Bill"}},
		Rows: []mapping.Row[invoice.Invoice]{
			{Term: "BT-1", Card: mapping.One, Field: "invoiceNumber", Path: "Number"},
			{Term: "BG-25", Card: mapping.Many, Field: "items[]", Path: "Line", Rows: []mapping.Row[invoice.Invoice]{
				{Term: "BT-153", Card: mapping.One, Field: "description", Path: "Name"},
			}},
		},
	}
	m, err := mapping.Compile(&table)
	if err != nil {
		fmt.Println(err)
		return
	}

	w := xmltree.NewWriter(xmltree.WriterOptions{NoDecl: true})
	inv := &invoice.Invoice{InvoiceNumber: "7", BuyerReference: "lost", Items: []invoice.Item{{Description: "Bolt"}, {Description: "Nut"}}}
	unwritten, err := m.Write(context.Background(), w, inv, mapping.Env{})
	fmt.Print(string(w.Bytes()), "\n")
	fmt.Println("unwritten:", unwritten[0].Field, err)

	doc, err := xmltree.Parse([]byte("<Bill><Number>8</Number><Line><Name>Screw</Name></Line><Colour>red</Colour></Bill>"), xmltree.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	reading, err := m.Read(context.Background(), doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("read:", reading.Invoice.InvoiceNumber, reading.Invoice.Items[0].Description)
	fmt.Println("not read:", reading.Account.Leaves[0].Path)
	if seen, ok := m.NewLocator(doc).Nearest("BT-153", doc.Root()); ok {
		fmt.Println("BT-153 is", seen.Field)
	}
	// Output:
	// <Bill>
	//   <Number>7</Number>
	//   <Line>
	//     <Name>Bolt</Name>
	//   </Line>
	//   <Line>
	//     <Name>Nut</Name>
	//   </Line>
	// </Bill>
	// unwritten: buyerReference <nil>
	// read: 8 Screw
	// not read: /Bill/Colour
	// BT-153 is items[0].description
}
