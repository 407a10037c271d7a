package ebinterface_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/ebinterface"
)

// Documents of 6.1 and of the versions before it are read as the same invoice, though 4.3 has another namespace, its attributes are in that,
// and its groups of tax have other names.
func ExampleFormat_Read() {
	format, err := ebinterface.New()
	if err != nil {
		log.Fatal(err)
	}
	newest := `<Invoice xmlns="http://www.ebinterface.at/schema/6p1/" DocumentType="Invoice" InvoiceCurrency="EUR">
	  <InvoiceNumber>R-2026-17</InvoiceNumber>
	  <InvoiceRecipient><OrderReference><OrderID>4700012345</OrderID></OrderReference></InvoiceRecipient>
	  <Tax><TaxItem><TaxableAmount>1000.00</TaxableAmount><TaxPercent TaxCategoryCode="S">20</TaxPercent><TaxAmount>200.00</TaxAmount></TaxItem></Tax>
	  <TotalGrossAmount>1200.00</TotalGrossAmount>
	</Invoice>`
	older := `<eb:Invoice xmlns:eb="http://www.ebinterface.at/schema/4p3/" eb:DocumentType="Invoice" eb:InvoiceCurrency="EUR">
	  <eb:InvoiceNumber>R-2026-17</eb:InvoiceNumber>
	  <eb:InvoiceRecipient><eb:OrderReference><eb:OrderID>4700012345</eb:OrderID></eb:OrderReference></eb:InvoiceRecipient>
	  <eb:Tax><eb:VAT><eb:VATItem><eb:TaxedAmount>1000.00</eb:TaxedAmount><eb:VATRate>20</eb:VATRate><eb:Amount>200.00</eb:Amount></eb:VATItem></eb:VAT></eb:Tax>
	  <eb:TotalGrossAmount>1200.00</eb:TotalGrossAmount>
	</eb:Invoice>`
	for _, text := range []string{newest, older} {
		doc, err := xmltree.Parse([]byte(text), xmltree.Options{})
		if err != nil {
			log.Fatal(err)
		}
		reading, err := format.Read(context.Background(), doc)
		if err != nil {
			log.Fatal(err)
		}
		inv := reading.Invoice
		fmt.Println(inv.InvoiceNumber, inv.Currency, inv.OrderNumber, inv.Total)
		for _, group := range inv.TaxSummary { // BG-23
			fmt.Printf("%s %% of %s is %s\n", group.TaxRate, group.NetAmount, group.TaxAmount)
		}
	}
	// Output:
	// R-2026-17 EUR 4700012345 1200.00
	// 20 % of 1000.00 is 200.00
	// R-2026-17 EUR 4700012345 1200.00
	// 20 % of 1000.00 is 200.00
}

// The table tells where ebInterface has a business term: the order number (BT-13) belongs to the buyer there, and each line
// names it again.
func ExampleFormat_Uses() {
	format, err := ebinterface.New()
	if err != nil {
		log.Fatal(err)
	}
	for _, use := range format.Uses("BT-13") {
		fmt.Println(use.Field, use.Path, use.Cardinality)
	}
	// Output:
	// orderNumber /Invoice/InvoiceRecipient/OrderReference/OrderID 0..1
	// orderNumber /Invoice/Details/ItemList/ListLineItem/InvoiceRecipientsOrderReference/OrderID 0..1
}
