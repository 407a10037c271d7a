package growth

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// rate is that of the i-th VAT breakdown and line.
type rate func(i int) string

// rates are the ways in which the rates of n VAT breakdowns and n lines go together.
var rates = map[string]rate{
	"distinct": func(i int) string { return fmt.Sprintf("%d.%02d", (i+1)/100, (i+1)%100) },
	"the same": func(int) string { return "19.00" },
}

// categories are the VAT categories whose rules differ.
var categories = []string{"S", "AE", "E", "L", "O", "Z"}

// ublOf is an invoice in UBL with n VAT breakdowns and n lines.
func ublOf(n int, category string, of rate) string {
	var b strings.Builder
	b.WriteString(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" ` +
		`xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:ID>1</cbc:ID><cbc:IssueDate>2026-03-02</cbc:IssueDate>` +
		`<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode><cac:TaxTotal><cbc:TaxAmount currencyID="EUR">1.00</cbc:TaxAmount>`)
	for i := range n {
		fmt.Fprintf(&b, `<cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">10.00</cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">1.00</cbc:TaxAmount>`+
			`<cac:TaxCategory><cbc:ID>%s</cbc:ID><cbc:Percent>%s</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>`, category, of(i))
	}
	b.WriteString(`</cac:TaxTotal>`)
	for i := range n {
		fmt.Fprintf(&b, `<cac:InvoiceLine><cbc:ID>%d</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">10.00</cbc:LineExtensionAmount>`+
			`<cac:Item><cbc:Name>x</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>%s</cbc:ID><cbc:Percent>%s</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>`+
			`</cac:ClassifiedTaxCategory></cac:Item><cac:Price><cbc:PriceAmount currencyID="EUR">10.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>`, i, category, of(i))
	}
	return b.String() + `</Invoice>`
}

// ciiOf is the same in CII.
func ciiOf(n int, category string, of rate) string {
	tax := func(i int, rest string) string {
		return `<ram:ApplicableTradeTax>` + rest + `<ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>` + category + `</ram:CategoryCode><ram:RateApplicablePercent>` + of(i) +
			`</ram:RateApplicablePercent></ram:ApplicableTradeTax>`
	}
	var b strings.Builder
	b.WriteString(`<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" ` +
		`xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"><rsm:SupplyChainTradeTransaction>`)
	for i := range n {
		fmt.Fprintf(&b, `<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>%d</ram:LineID></ram:AssociatedDocumentLineDocument>`+
			`<ram:SpecifiedLineTradeSettlement>%s<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>10.00</ram:LineTotalAmount>`+
			`</ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>`, i, tax(i, ""))
	}
	b.WriteString(`<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>`)
	for i := range n {
		b.WriteString(tax(i, `<ram:CalculatedAmount>1.00</ram:CalculatedAmount><ram:BasisAmount>10.00</ram:BasisAmount>`))
	}
	return b.String() + `</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`
}

// TestRules_TakeStepsInProportion ensures for the rulebooks that ship that their rules about VAT breakdowns and lines take ten times as
// many steps for ten times as many of both. The short form takes every eighth rulebook.
func TestRules_TakeStepsInProportion(t *testing.T) {
	for i, book := range shipped(t) {
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(book.Manifest.ID, func(t *testing.T) {
			t.Parallel()
			if said := outOfProportion(t, book); said != "" {
				t.Error(said)
			}
		})
	}
}

// outOfProportion tells of a document for which the rules of a rulebook take too many steps; empty when there is none.
func outOfProportion(t *testing.T, book *rulebook.Book) string {
	t.Helper()
	const few, many = 200, 2_000
	programs, err := book.Programs()
	if err != nil {
		t.Fatal(err)
	}
	for way, of := range rates {
		for _, category := range categories {
			for syntax, document := range map[string]func(int, string, rate) string{"ubl": ublOf, "cii": ciiOf} {
				if !strings.Contains(book.Manifest.Syntax, syntax) {
					continue
				}
				small, large := stepsOf(t, programs, document(few, category, of)), stepsOf(t, programs, document(many, category, of))
				if large > 11*small+500_000 {
					return fmt.Sprintf("%s, category %s, %s rates: %d steps for %d, %d for %d", syntax, category, way, small, few, large, many)
				}
			}
		}
	}
	return ""
}

// TestRules_ReadPaymentTermsInProportion ensures the same of ten times as many lines of a cash discount in the payment terms, which rules for German
// sellers and buyers take apart.
func TestRules_ReadPaymentTermsInProportion(t *testing.T) {
	const few, many = 200, 2_000
	of := map[string]func(n int) string{"ubl": discountsInUBL, "cii": discountsInCII}
	for _, book := range shipped(t) {
		for syntax, document := range of {
			if !strings.Contains(book.Manifest.Syntax, syntax) {
				continue
			}
			programs, err := book.Programs()
			if err != nil {
				t.Fatal(err)
			}
			if small, large := stepsOf(t, programs, document(few)), stepsOf(t, programs, document(many)); large > 11*small+500_000 {
				t.Errorf("%s: %d steps for %d lines, %d for %d", book.Manifest.ID, small, few, large, many)
			}
		}
	}
}

// discounts are n lines of a cash discount.
func discounts(n int) string { return strings.Repeat("#SKONTO#TAGE=14#PROZENT=2.00#\n", n) }

func discountsInUBL(n int) string {
	const party = `<cac:%[1]s><cac:Party><cac:PostalAddress><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress></cac:Party></cac:%[1]s>`
	const taxes = "<cac:TaxTotal>"
	return strings.Replace(ublOf(1, "S", rates["the same"]), taxes, fmt.Sprintf(party, "AccountingSupplierParty")+fmt.Sprintf(party, "AccountingCustomerParty")+
		"<cac:PaymentTerms><cbc:Note>"+discounts(n)+"</cbc:Note></cac:PaymentTerms>"+taxes, 1)
}

func discountsInCII(n int) string {
	const settlement = "<ram:ApplicableHeaderTradeSettlement>"
	return strings.Replace(ciiOf(1, "S", rates["the same"]), settlement,
		settlement+"<ram:SpecifiedTradePaymentTerms><ram:Description>"+discounts(n)+"</ram:Description></ram:SpecifiedTradePaymentTerms>", 1)
}

// shipped are the rulebooks that ship.
func shipped(t *testing.T) []*rulebook.Book {
	t.Helper()
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{
		{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	return registry.Current().Books()
}

// stepsOf counts the steps of rules on a document.
func stepsOf(t *testing.T, programs []*schematron.Program, source string) (steps int) {
	t.Helper()
	doc, err := xmltree.Parse([]byte(source), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		said, err := p.Evaluate(context.Background(), doc, schematron.EvaluateOptions{Now: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		steps += said.Steps
	}
	return steps
}
