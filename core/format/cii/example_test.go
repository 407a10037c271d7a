package cii_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/cii"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// A Cross Industry Invoice becomes an invoice; what the invoice has no member for is accounted for with its path.
func ExampleFormat_Read() {
	doc, err := xmltree.Parse([]byte(`<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
	    xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100">
	  <rsm:ExchangedDocument><ram:ID>RE-10612</ram:ID><ram:TypeCode>380</ram:TypeCode><ram:Name>RECHNUNG</ram:Name></rsm:ExchangedDocument>
	  <rsm:SupplyChainTradeTransaction>
	    <ram:ApplicableHeaderTradeAgreement><ram:BuyerReference>04011000-12345-03</ram:BuyerReference></ram:ApplicableHeaderTradeAgreement>
	    <ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode></ram:ApplicableHeaderTradeSettlement>
	  </rsm:SupplyChainTradeTransaction>
	</rsm:CrossIndustryInvoice>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	format, err := cii.New()
	if err != nil {
		log.Fatal(err)
	}
	reading, err := format.Read(context.Background(), doc)
	if err != nil {
		log.Fatal(err)
	}
	inv := reading.Invoice
	fmt.Println("BT-1:", inv.InvoiceNumber, "BT-5:", inv.Currency, "BT-10:", inv.BuyerReference)
	for _, leaf := range reading.Account.Leaves {
		fmt.Println("not read:", leaf.Path, leaf.Value)
	}
	// Output:
	// BT-1: RE-10612 BT-5: EUR BT-10: 04011000-12345-03
	// not read: /rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:Name RECHNUNG
}

// The profiles of Factur-X have more or fewer of the elements: BASIC has no place for what EN 16931 says of an item.
func ExampleFormat_Write() {
	format, err := cii.New()
	if err != nil {
		log.Fatal(err)
	}
	inv := &invoice.Invoice{InvoiceNumber: "F-2026-31", Items: []invoice.Item{{
		LineID: "1", Description: "Courroie", ItemDescription: "trapézoïdale, 1250 mm", ArticleNumber: "K-1250", // BT-126, BT-153, BT-154, BT-155
		Quantity: decimal.New(3, 0), Unit: "C62", UnitPrice: decimal.New(1420, 2), NetAmount: decimal.New(4260, 2),
	}}}
	for _, profile := range []string{cii.Basic, cii.EN16931} {
		w := xmltree.NewWriter(xmltree.WriterOptions{})
		lost, err := format.Write(context.Background(), w, inv, "urn:cen.eu:en16931:2017", profile)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s has no place for %d members\n", profile, len(lost))
		for _, member := range lost {
			fmt.Println("-", member.Field)
		}
	}
	// Output:
	// BASIC has no place for 2 members
	// - items[0].itemDescription
	// - items[0].articleNumber
	// EN 16931 has no place for 0 members
}
