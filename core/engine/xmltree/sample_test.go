package xmltree

import (
	"fmt"
	"strconv"
)

const (
	ublInvoice = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
	ublAgg     = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
	ublBasic   = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
)

// sampleNames makes the names of the sample ready once, as a mapping does.
var sampleNames = map[string]*QName{}

func sampleName(raw string) *QName {
	q := sampleNames[raw]
	if q == nil {
		q = MustQName(raw)
		sampleNames[raw] = q
	}
	return q
}

// sampleInvoice is a UBL invoice with n lines of about 1 kB, as a program would write it: indented, no comments.
func sampleInvoice(n int) []byte {
	w := NewWriter(WriterOptions{})
	writeSample(w, n)
	if err := w.Finish(); err != nil {
		panic(err)
	}
	return append([]byte(nil), w.Bytes()...)
}

// sampleRow is one step of a plan: open, leaf, or close.
type sampleRow struct {
	open, leaf *QName
	attr       *QName
	attrValue  string
	value      string // "#" is replaced by the number of the line
	times      bool   // the value is an amount made of the number
}

func open(name string) sampleRow        { return sampleRow{open: sampleName(name)} }
func leaf(name, value string) sampleRow { return sampleRow{leaf: sampleName(name), value: value} }
func amount(name string) sampleRow {
	return sampleRow{leaf: sampleName(name), attr: sampleName("currencyID"), attrValue: "EUR", times: true}
}

var shut = sampleRow{}

func writePlan(w *Writer, plan []sampleRow, number string) {
	for i := range plan {
		r := &plan[i]
		switch {
		case r.open != nil:
			w.Start(r.open)
		case r.leaf == nil:
			w.End()
		default:
			w.Start(r.leaf)
			if r.attr != nil {
				w.Attr(r.attr, r.attrValue)
			}
			switch {
			case r.times:
				w.Text(number)
				w.Text(".50")
			case r.value == "#":
				w.Text(number)
			default:
				w.Text(r.value)
			}
			w.End()
		}
	}
}

func writeSample(w *Writer, n int) {
	root := sampleName("Invoice")
	w.Start(root)
	w.Namespace("", ublInvoice)
	w.Namespace("cac", ublAgg)
	w.Namespace("cbc", ublBasic)
	writePlan(w, sampleHead, "4711")
	for _, party := range []string{"cac:AccountingSupplierParty", "cac:AccountingCustomerParty"} {
		w.Start(sampleName(party))
		writePlan(w, sampleParty, party[4:7])
		w.End()
	}
	writePlan(w, sampleTotals, strconv.Itoa(n*3))
	for i := range n {
		writePlan(w, sampleLine, strconv.Itoa(i+1))
	}
	w.End()
}

var sampleHead = []sampleRow{
	leaf("cbc:CustomizationID", "urn:cen.eu:en16931:2017"), leaf("cbc:ProfileID", "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"),
	leaf("cbc:ID", "#"), leaf("cbc:IssueDate", "2026-03-01"), leaf("cbc:DueDate", "2026-03-31"), leaf("cbc:InvoiceTypeCode", "380"),
	leaf("cbc:Note", "Lieferung frei Haus, Müller & Söhne <Abholung> am Tor 3"), leaf("cbc:DocumentCurrencyCode", "EUR"),
	leaf("cbc:BuyerReference", "04011000-12345-03"),
}

var sampleParty = []sampleRow{
	open("cac:Party"),
	{leaf: sampleName("cbc:EndpointID"), attr: sampleName("schemeID"), attrValue: "EM", value: "rechnung@example.com"},
	open("cac:PartyName"), leaf("cbc:Name", "Beispiel Handelsgesellschaft mbH"), shut,
	open("cac:PostalAddress"), leaf("cbc:StreetName", "Große Straße 12"), leaf("cbc:CityName", "Köln"), leaf("cbc:PostalZone", "50667"),
	open("cac:Country"), leaf("cbc:IdentificationCode", "DE"), shut, shut,
	open("cac:PartyTaxScheme"), leaf("cbc:CompanyID", "DE123456789"), open("cac:TaxScheme"), leaf("cbc:ID", "VAT"), shut, shut,
	open("cac:PartyLegalEntity"), leaf("cbc:RegistrationName", "Beispiel Handelsgesellschaft mbH"), leaf("cbc:CompanyID", "#"), shut,
	open("cac:Contact"), leaf("cbc:Name", "Erika Mustermann"), leaf("cbc:Telephone", "+49 221 123456"), leaf("cbc:ElectronicMail", "e@example.com"), shut,
	shut,
}

var sampleTotals = []sampleRow{
	open("cac:TaxTotal"), amount("cbc:TaxAmount"),
	open("cac:TaxSubtotal"), amount("cbc:TaxableAmount"), amount("cbc:TaxAmount"),
	open("cac:TaxCategory"), leaf("cbc:ID", "S"), leaf("cbc:Percent", "19"), open("cac:TaxScheme"), leaf("cbc:ID", "VAT"), shut, shut, shut, shut,
	open("cac:LegalMonetaryTotal"), amount("cbc:LineExtensionAmount"), amount("cbc:TaxExclusiveAmount"), amount("cbc:TaxInclusiveAmount"),
	amount("cbc:PayableAmount"), shut,
}

var sampleLine = []sampleRow{
	open("cac:InvoiceLine"), leaf("cbc:ID", "#"),
	{leaf: sampleName("cbc:InvoicedQuantity"), attr: sampleName("unitCode"), attrValue: "C62", value: "#"},
	amount("cbc:LineExtensionAmount"),
	open("cac:InvoicePeriod"), leaf("cbc:StartDate", "2026-02-01"), leaf("cbc:EndDate", "2026-02-28"), shut,
	open("cac:OrderLineReference"), leaf("cbc:LineID", "#"), shut,
	open("cac:Item"), leaf("cbc:Description", "Schrauben verzinkt, Packung mit hundert Stück"), leaf("cbc:Name", "Schraube M8"),
	open("cac:SellersItemIdentification"), leaf("cbc:ID", "#"), shut,
	open("cac:CommodityClassification"), {leaf: sampleName("cbc:ItemClassificationCode"), attr: sampleName("listID"), attrValue: "STI", value: "31161500"}, shut,
	open("cac:ClassifiedTaxCategory"), leaf("cbc:ID", "S"), leaf("cbc:Percent", "19"), open("cac:TaxScheme"), leaf("cbc:ID", "VAT"), shut, shut,
	open("cac:AdditionalItemProperty"), leaf("cbc:Name", "Farbe"), leaf("cbc:Value", "blau"), shut,
	shut,
	open("cac:Price"), amount("cbc:PriceAmount"), shut,
	shut,
}

func ExampleWriter() {
	w := NewWriter(WriterOptions{})
	w.Start(sampleName("a"))
	w.Attr(sampleName("b"), `"1"`)
	w.Leaf(sampleName("c"), "x < y")
	w.End()
	fmt.Println(w.Finish(), string(w.Bytes()))
	// Output:
	// <nil> <?xml version="1.0" encoding="UTF-8"?>
	// <a b="&quot;1&quot;">
	//   <c>x &lt; y</c>
	// </a>
}
