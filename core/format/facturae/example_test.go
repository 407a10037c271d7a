package facturae_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/facturae"
	"github.com/einvoiced/einvoiced/core/profile"
)

// A self-employed adviser bills with tax withheld (IRPF): Facturae takes it off the total, EN 16931 does not. The steps of the profile put
// back the total with tax (BT-112), and the name that Facturae takes apart.
func ExampleFormat_Read() {
	doc, err := xmltree.Parse([]byte(`<fe:Facturae xmlns:fe="http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml">
	  <Parties><SellerParty>
	    <TaxIdentification><PersonTypeCode>F</PersonTypeCode><TaxIdentificationNumber>12345678Z</TaxIdentificationNumber></TaxIdentification>
	    <Individual><Name>Lucía</Name><FirstSurname>Pérez</FirstSurname><SecondSurname>García</SecondSurname></Individual>
	  </SellerParty></Parties>
	  <Invoices><Invoice>
	    <InvoiceHeader><InvoiceNumber>FE-13</InvoiceNumber><InvoiceDocumentType>FC</InvoiceDocumentType><InvoiceClass>OO</InvoiceClass></InvoiceHeader>
	    <InvoiceIssueData><IssueDate>2026-03-05</IssueDate><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode></InvoiceIssueData>
	    <TaxesOutputs><Tax><TaxTypeCode>01</TaxTypeCode><TaxRate>21.00</TaxRate><TaxableBase><TotalAmount>600.00</TotalAmount></TaxableBase>
	      <TaxAmount><TotalAmount>126.00</TotalAmount></TaxAmount></Tax></TaxesOutputs>
	    <TaxesWithheld><Tax><TaxTypeCode>04</TaxTypeCode><TaxRate>15.00</TaxRate><TaxableBase><TotalAmount>600.00</TotalAmount></TaxableBase>
	      <TaxAmount><TotalAmount>90.00</TotalAmount></TaxAmount></Tax></TaxesWithheld>
	    <InvoiceTotals><TotalGrossAmountBeforeTaxes>600.00</TotalGrossAmountBeforeTaxes><TotalTaxOutputs>126.00</TotalTaxOutputs>
	      <TotalTaxesWithheld>90.00</TotalTaxesWithheld><InvoiceTotal>636.00</InvoiceTotal></InvoiceTotals>
	  </Invoice></Invoices>
	</fe:Facturae>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	format, err := facturae.New()
	if err != nil {
		log.Fatal(err)
	}
	reading, err := format.Read(context.Background(), doc)
	if err != nil {
		log.Fatal(err)
	}
	inv := profile.Facturae().Restore(reading.Invoice, reading.Invoice.Type).Invoice
	fmt.Println(inv.InvoiceNumber, inv.Seller.Name, inv.Seller.TaxID)
	fmt.Println("net", inv.Subtotal, "with tax", inv.Total, "withheld", inv.CountrySpecific.WithholdingRate, "%")
	// Output:
	// FE-13 Lucía Pérez García 12345678Z
	// net 600.00 with tax 726.00 withheld 15.00 %
}
