package ebinterface

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// document has two lists of lines, amounts that no invoice computes, and comments on taxed amounts; lines and the rest are put in.
const document = `<Invoice xmlns="http://www.ebinterface.at/schema/6p1/" GeneratingSystem="einvoiced" DocumentType="Invoice" InvoiceCurrency="EUR" Language="de">` +
	`<InvoiceNumber>1</InvoiceNumber><InvoiceDate>2026-03-05</InvoiceDate><Biller><VATIdentificationNumber>00000000</VATIdentificationNumber></Biller>` +
	`<InvoiceRecipient><VATIdentificationNumber>ATU00000000</VATIdentificationNumber></InvoiceRecipient>` +
	`<Details><ItemList><HeaderDescription>A</HeaderDescription><ListLineItem>LINE</ListLineItem></ItemList>` +
	`<ItemList><ListLineItem>LINE</ListLineItem><ListLineItem>LINE</ListLineItem><FooterDescription>B</FooterDescription></ItemList></Details>` +
	`<Tax><TaxItem><TaxableAmount>3.00</TaxableAmount><TaxPercent TaxCategoryCode="S">20</TaxPercent><TaxAmount>0.60</TaxAmount><Comment>20 %</Comment></TaxItem></Tax>` +
	`<TotalGrossAmount>3.60</TotalGrossAmount><PayableAmount>9.99</PayableAmount><PaymentMethod><OtherPayment/></PaymentMethod></Invoice>`

const lineItem = `<Description>x</Description><Quantity Unit="C62">1.00</Quantity><UnitPrice>1.00</UnitPrice><TaxItem><TaxableAmount>1.00</TaxableAmount>` +
	`<TaxPercent TaxCategoryCode="S">20</TaxPercent><Comment>c</Comment></TaxItem><LineItemAmount>1.00</LineItemAmount>`

func newFormat(t testing.TB) *Format {
	t.Helper()
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t testing.TB, f *Format, text string) *m.Reading[invoice.Invoice] {
	t.Helper()
	doc, err := xmltree.Parse([]byte(text), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Release()
	said, err := f.Read(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// TestRead_KeepsWhatNoMemberHolds ensures where several lists of lines, amounts that the invoice computes otherwise, and comments on taxed
// amounts go, and that the same document is written of them.
func TestRead_KeepsWhatNoMemberHolds(t *testing.T) {
	f := newFormat(t)
	source := strings.ReplaceAll(document, "LINE", lineItem)
	said := read(t, f, source)
	want := invoice.National{
		"@Language": {"de"}, "Details/ItemList": {"1", "2"}, "Details/ItemList[1]/HeaderDescription": {"A"}, "Details/ItemList[2]/FooterDescription": {"B"},
		"Details/ItemList[1]/ListLineItem/TaxItem/Comment": {"c"}, "Details/ItemList[2]/ListLineItem[1]/TaxItem/Comment": {"c"},
		"Details/ItemList[2]/ListLineItem[2]/TaxItem/Comment": {"c"}, "Tax/TaxItem/Comment": {"20 %"}, "PayableAmount": {"9.99"},
	}
	if diff := cmp.Diff(want, said.Invoice.CountrySpecific.National); diff != "" {
		t.Error(diff)
	}
	prefixed := strings.NewReplacer("</", "</eb:", "<", "<eb:", "xmlns=", "xmlns:eb=").Replace(source)
	if diff := cmp.Diff(want, read(t, f, prefixed).Invoice.CountrySpecific.National); diff != "" {
		t.Errorf("with prefixes: %s", diff)
	}
	if a := said.Account; a.Reported != 0 || len(said.Invoice.PaymentMethods) != 1 || said.Invoice.PaymentMethods[0].Code != "1" || said.Invoice.Seller != nil {
		t.Errorf("%+v %+v", a, said.Invoice)
	}
	out := xmltree.NewWriter(xmltree.WriterOptions{Compact: true, NoDecl: true})
	if _, err := f.write(t.Context(), out, said.Invoice, false); err != nil {
		t.Fatal(err)
	}
	if err := out.Finish(); err != nil {
		t.Fatal(err)
	}
	written := read(t, f, string(out.Bytes()))
	if diff := cmp.Diff(said.Invoice, written.Invoice); diff != "" {
		t.Errorf("%s\n%s", diff, out.Bytes())
	}
}

// TestRead_RenamesWhatFiveNamesOtherwise ensures that national members of a document of 5.0 are those that 6.1 has.
func TestRead_RenamesWhatFiveNamesOtherwise(t *testing.T) {
	source := strings.NewReplacer("6p1", "5p0", "LINE", lineItem, `Language="de"`, `Language="ger"`,
		"</TaxItem></Tax>", "</TaxItem><OtherTax><Comment>Beer</Comment><Amount>1.00</Amount></OtherTax></Tax>",
		"</VATIdentificationNumber></Biller>", "</VATIdentificationNumber><Address><Name>n</Name><Town>t</Town><ZIP>1</ZIP><Country>AT</Country><AddressExtension>floor</AddressExtension></Address></Biller>").
		Replace(document)
	told := read(t, newFormat(t), source).Invoice.CountrySpecific.National
	for path, want := range map[string]string{"@Language": "de", "Tax/OtherTax/TaxAmount": "1.00", "Biller/Address/AdditionalInformation": "floor"} {
		if got := told[path]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q in %v", path, got, told)
		}
	}
}

// FuzzRead reads any document, and what is written of it again: neither panics, and the second reading reports no more than the first.
func FuzzRead(f *testing.F) {
	goldens, err := filepath.Glob("../../../testdata/ebinterface/*.xml")
	if err != nil || len(goldens) == 0 {
		f.Fatal(err)
	}
	for _, name := range goldens {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(strings.ReplaceAll(document, "LINE", lineItem)))
	format, err := New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := xmltree.Parse(data, xmltree.Options{})
		if err != nil {
			return
		}
		defer doc.Release()
		said, err := format.Read(context.Background(), doc)
		if err != nil {
			return
		}
		out := xmltree.NewWriter(xmltree.WriterOptions{})
		if _, err := format.write(context.Background(), out, said.Invoice, true); err != nil {
			return
		}
		again, err := xmltree.Parse(out.Bytes(), xmltree.Options{})
		if err != nil {
			t.Fatalf("%v: %s", err, out.Bytes())
		}
		again.Release()
	})
}
