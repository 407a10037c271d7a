package xsd

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// shippedSchemas are the schemas that ship: name in the verdicts of the corpus to entry file.
var shippedSchemas = map[string]string{
	"ubl-invoice":       "ubl-2.1/invoice.xsd",
	"ubl-creditnote":    "ubl-2.1/creditnote.xsd",
	"cii-d16b":          "cii-d16b/rsm.xsd",
	"fx-2.3.3-basic":    "factur-x/basic/rsm.xsd",
	"fx-2.4-basic":      "factur-x/basic/rsm.xsd",
	"fx-2.5.2-basic":    "factur-x/basic/rsm.xsd",
	"fx-2.3.3-en16931":  "factur-x/en16931/rsm.xsd",
	"fx-2.4-en16931":    "factur-x/en16931/rsm.xsd",
	"fx-2.5.2-en16931":  "factur-x/en16931/rsm.xsd",
	"fx-2.3.3-extended": "factur-x/extended-2.3.3/rsm.xsd",
	"fx-2.4-extended":   "factur-x/extended-2.4/rsm.xsd",
	"fx-2.5.2-extended": "factur-x/extended-2.5.2/rsm.xsd",
}

// shippedFiles gives the folder of the schemas that ship.
func shippedFiles(t testing.TB) fs.FS {
	t.Helper()
	files, err := fs.Sub(rulebooks.Books(), "ubl-invoice-2.1/shared/schema")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func shippedSchema(t testing.TB, name string) *Schema {
	t.Helper()
	s, err := Compile(shippedFiles(t), Options{}, shippedSchemas[name])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// TestShippedSchemas_AcceptWhatWeWrite ensures that the UBL documents that the program writes are valid.
func TestShippedSchemas_AcceptWhatWeWrite(t *testing.T) {
	schemas := map[string]*Schema{"Invoice": shippedSchema(t, "ubl-invoice"), "CreditNote": shippedSchema(t, "ubl-creditnote")}
	files, err := filepath.Glob("../../../testdata/documents/*.xml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc := parse(t, string(data))
		if found := validate(t, schemas[doc.Local(doc.Root())], doc); len(found) > 0 {
			t.Errorf("%s: %s", file, outline(found))
		}
	}
}

// smallCII is a document that each schema of CII accepts.
const smallCII = `<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>g</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>1</ram:ID><ram:TypeCode>380</ram:TypeCode><ram:IssueDateTime><udt:DateTimeString format="102">20260901</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction><ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument>
<ram:SpecifiedTradeProduct><ram:Name>n</ram:Name></ram:SpecifiedTradeProduct>
<ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>1</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">1</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
<ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode></ram:ApplicableTradeTax>
<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>1</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>
<ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>s</ram:Name></ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>b</ram:Name></ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery/><ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode></ram:ApplicableTradeTax>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:LineTotalAmount>1</ram:LineTotalAmount><ram:TaxBasisTotalAmount>1</ram:TaxBasisTotalAmount>
<ram:GrandTotalAmount>1</ram:GrandTotalAmount><ram:DuePayableAmount>1</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`

// TestShippedSchemas_TellProfilesApart ensures that each schema of CII allows what its profile and generation has, and no more.
func TestShippedSchemas_TellProfilesApart(t *testing.T) {
	schemas := map[string]*Schema{}
	for _, name := range []string{"cii-d16b", "fx-2.4-basic", "fx-2.4-en16931", "fx-2.3.3-extended", "fx-2.4-extended", "fx-2.5.2-extended"} {
		schemas[name] = shippedSchema(t, name)
	}
	for _, c := range []struct{ name, old, new, accepted string }{
		{"as it is", "<", "<", "cii-d16b fx-2.3.3-extended fx-2.4-basic fx-2.4-en16931 fx-2.4-extended fx-2.5.2-extended"},
		{"name of the document", "<ram:TypeCode>380", "<ram:Name>n</ram:Name><ram:TypeCode>380", "cii-d16b fx-2.3.3-extended fx-2.4-extended fx-2.5.2-extended"},
		{"description of the item", "<ram:Name>n</ram:Name>", "<ram:Name>n</ram:Name><ram:Description>d</ram:Description>", "cii-d16b fx-2.3.3-extended fx-2.4-en16931 fx-2.4-extended fx-2.5.2-extended"},
		{"second trade tax of a line", "<ram:SpecifiedLineTradeSettlement>", "<ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode></ram:ApplicableTradeTax>",
			"cii-d16b fx-2.3.3-extended fx-2.4-extended fx-2.5.2-extended"},
		{"line without quantity", `<ram:BilledQuantity unitCode="C62">1</ram:BilledQuantity>`, "", "cii-d16b fx-2.4-extended fx-2.5.2-extended"},
		{"tax without category", "<ram:CategoryCode>S</ram:CategoryCode>", "", "cii-d16b fx-2.5.2-extended"},
		{"date without format", ` format="102"`, "", "cii-d16b"},
		{"weight instead of quantity", `<ram:BilledQuantity unitCode="C62">1</ram:BilledQuantity>`, `<ram:NetWeightMeasure unitCode="KGM">1</ram:NetWeightMeasure>`, "cii-d16b"},
		{"weight in a unit with a long code", `<ram:BilledQuantity unitCode="C62">1</ram:BilledQuantity>`, `<ram:NetWeightMeasure unitCode="LONG">1</ram:NetWeightMeasure>`, ""},
		{"amount that is no number", "<ram:LineTotalAmount>1<", "<ram:LineTotalAmount>1,0<", ""},
	} {
		doc := parse(t, strings.ReplaceAll(smallCII, c.old, c.new))
		var accepted []string
		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			if len(validate(t, schemas[name], doc)) == 0 {
				accepted = append(accepted, name)
			}
		}
		if diff := cmp.Diff(c.accepted, strings.Join(accepted, " ")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// BenchmarkShipped measures how fast the schemas that ship compile, and judge a small document.
func BenchmarkShipped(b *testing.B) {
	files := shippedFiles(b)
	for name, document := range benchmarkDocuments(b) {
		benchmarkSchema(b, name, document, func() (*Schema, error) { return Compile(files, Options{}, shippedSchemas[name]) })
	}
}

// benchmarkDocuments gives a valid document for some of the schemas.
func benchmarkDocuments(b *testing.B) map[string][]byte {
	b.Helper()
	invoice, err := os.ReadFile("../../../testdata/documents/peppol-bis.xml")
	if err != nil {
		b.Fatal(err)
	}
	return map[string][]byte{"ubl-invoice": invoice, "cii-d16b": []byte(smallCII), "fx-2.4-extended": []byte(smallCII)}
}

func benchmarkSchema(b *testing.B, name string, document []byte, compile func() (*Schema, error)) {
	b.Helper()
	s, err := compile()
	if err != nil {
		b.Fatal(err)
	}
	b.Run(name+"/compile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := compile(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(name+"/validate", func(b *testing.B) { benchmarkValidate(b, s, document) })
}
