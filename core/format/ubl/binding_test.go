package ubl

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/core/profile"
)

func parsed(tb rapid.TB, src []byte) *xmltree.Document {
	tb.Helper()
	doc, err := xmltree.Parse(src, xmltree.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// texts gives the texts at a path of local names below the document element, in document order.
func texts(tb testing.TB, src []byte, path string) (list []string) {
	tb.Helper()
	doc := parsed(tb, src)
	for n := doc.Root(); int(n) < doc.Len(); n++ {
		if doc.Kind(n) == xmltree.KindElement && localPath(doc, n) == path {
			list = append(list, doc.String(n))
		}
	}
	return list
}

func localPath(doc *xmltree.Document, n xmltree.Node) string {
	if n == doc.Root() {
		return ""
	}
	return strings.TrimPrefix(localPath(doc, doc.Parent(n))+"/"+doc.Local(n), "/")
}

// TestEachTotalStandsInItsElement has a different amount for each total of the standard.
func TestEachTotalStandsInItsElement(t *testing.T) {
	yes, no, d := true, false, decimal.MustParse
	src := written(t, newFormat(t), &invoice.Invoice{Currency: "EUR", TaxCurrencyCode: "SEK", Subtotal: d("35"), Total: d("40.00"), PrepaidAmount: d("5.00"),
		Items:             []invoice.Item{{NetAmount: d("10.00")}, {NetAmount: d("21.00")}},
		AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &no, Amount: d("2.00")}, {IsCharge: &yes, Amount: d("6.00")}},
		TaxSummary:        []invoice.TaxSummary{{TaxAmount: d("5.00"), TaxCurrencyTaxAmount: d("50.00")}}})
	for path, want := range map[string]string{
		"LegalMonetaryTotal/LineExtensionAmount": "31.00", "LegalMonetaryTotal/AllowanceTotalAmount": "2.00", "LegalMonetaryTotal/ChargeTotalAmount": "6.00",
		"TaxTotal/TaxAmount": "5.00 50.00", "LegalMonetaryTotal/PayableAmount": "35.00",
	} {
		if got := strings.Join(texts(t, src, path), " "); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

func TestNotesHoldTheirSubjectInFrontOfTheText(t *testing.T) {
	cases := []struct {
		text string
		note invoice.Note
		back string // what is written again, where that differs
	}{
		{"#AAI#Terms apply", invoice.Note{SubjectCode: "AAI", Text: "Terms apply"}, ""},
		{"Terms apply", invoice.Note{Text: "Terms apply"}, ""},
		{" #REG# HRB 1\n", invoice.Note{SubjectCode: "REG", Text: "HRB 1"}, "#REG#HRB 1"},
		{"#AAI#", invoice.Note{SubjectCode: "AAI"}, ""},
		{"#FREISTELLUNG#Nummer 1", invoice.Note{Text: "#FREISTELLUNG#Nummer 1"}, ""},
		{"#aai#lower case", invoice.Note{Text: "#aai#lower case"}, ""},
		{"#AAI Terms#", invoice.Note{Text: "#AAI Terms#"}, ""},
		{"see #AAI# below", invoice.Note{Text: "see #AAI# below"}, ""},
		{"#AAI##REG#two", invoice.Note{SubjectCode: "AAI", Text: "#REG#two"}, ""},
	}
	for _, c := range cases {
		var note invoice.Note
		subjectNote.Parse(c.text, &note)
		if note != c.note {
			t.Errorf("%q is read as %+v", c.text, note)
		}
		want := c.text
		if c.back != "" {
			want = c.back
		}
		if got := subjectNote.Format(&c.note); got != want {
			t.Errorf("%+v is written as %q, want %q", c.note, got, want)
		}
	}
}

func TestTheDocumentElementFollowsTypeAndCode(t *testing.T) {
	cases := []struct {
		typ  invoice.Type
		code string
		want string
	}{
		{invoice.TypeInvoice, "380", Invoice}, {invoice.TypeCreditNote, "381", CreditNote}, {invoice.TypeCreditNote, "", CreditNote},
		{invoice.TypeCorrection, "384", Invoice}, {invoice.TypeSelfBilled, "389", Invoice}, {invoice.TypeInvoice, "81", Invoice}, {invoice.TypeCreditNote, "81", CreditNote},
		{invoice.TypeInvoice, "261", CreditNote}, {invoice.TypeInvoice, "396", CreditNote}, {invoice.TypeInvoice, "532", CreditNote}, {"", "", Invoice},
	}
	for _, c := range cases {
		inv := &invoice.Invoice{Type: c.typ, CountrySpecific: &invoice.CountrySpecific{InvoiceTypeCode: c.code}}
		if got := elementOf(inv); got != c.want {
			t.Errorf("type %q with code %q: %s, want %s", c.typ, c.code, got, c.want)
		}
		if src := written(t, newFormat(t), inv); parsed(t, src).Local(parsed(t, src).Root()) != c.want {
			t.Errorf("type %q with code %q is not written as %s", c.typ, c.code, c.want)
		}
	}
	if elementOf(&invoice.Invoice{Type: invoice.TypeInvoice}) != Invoice {
		t.Error("without countrySpecific")
	}
}

// TestPaymentStandsWhereItBelongs has one case for each condition of the payment means and of the creditor identifier.
func TestPaymentStandsWhereItBelongs(t *testing.T) {
	card := &invoice.CardAccount{PAN: "****1234"}
	mandate := &invoice.DirectDebit{MandateID: "M-1", CreditorID: "DE98ZZZ", DebitAccountID: "DE1"}
	methods := func(codes ...string) (list []invoice.PaymentMethod) {
		for _, code := range codes {
			list = append(list, invoice.PaymentMethod{Code: code})
		}
		return list
	}
	seller := &invoice.Party{Name: "S", Identifiers: []invoice.Identifier{{ID: "4012345000009", SchemeID: "0088"}}}
	cases := []struct {
		name string
		inv  invoice.Invoice
		path string
		want []string
	}{
		{"the card with its method", invoice.Invoice{CardAccount: card, PaymentMethods: methods("58", "48", "54")}, "PaymentMeans/CardAccount/PrimaryAccountNumberID", []string{"", "****1234", ""}},
		{"the card without a method of its own", invoice.Invoice{CardAccount: card, PaymentMethods: methods("58", "1")}, "PaymentMeans/CardAccount/PrimaryAccountNumberID", []string{"****1234", ""}},
		{"the network that the schema demands", invoice.Invoice{CardAccount: card, PaymentMethods: methods("48", "58")}, "PaymentMeans/CardAccount/NetworkID", []string{"NA", ""}},
		{"the mandate with its method", invoice.Invoice{DirectDebitMandate: mandate, PaymentMethods: methods("58", "59", "49")}, "PaymentMeans/PaymentMandate/ID", []string{"", "M-1", ""}},
		{"the debited account", invoice.Invoice{DirectDebitMandate: mandate, PaymentMethods: methods("49")}, "PaymentMeans/PaymentMandate/PayerFinancialAccount/ID", []string{"DE1"}},
		{"the reference with every method", invoice.Invoice{PaymentReference: "R", PaymentMethods: methods("58", "30")}, "PaymentMeans/PaymentID", []string{"R", "R"}},
		{"the due day of a credit note with the first method", invoice.Invoice{Type: invoice.TypeCreditNote, DueDate: "2026-01-02", PaymentMethods: methods("58", "30")},
			"PaymentMeans/PaymentDueDate", []string{"2026-01-02", ""}},
		{"the creditor with the seller", invoice.Invoice{Seller: seller, DirectDebitMandate: mandate}, "AccountingSupplierParty/Party/PartyIdentification/ID", []string{"4012345000009", "DE98ZZZ"}},
		{"the creditor with the payee", invoice.Invoice{Seller: seller, Payee: &invoice.Party{Name: "P"}, DirectDebitMandate: mandate}, "PayeeParty/PartyIdentification/ID", []string{"DE98ZZZ"}},
		{"the creditor with the payee alone", invoice.Invoice{Seller: seller, Payee: &invoice.Party{Name: "P"}, DirectDebitMandate: mandate},
			"AccountingSupplierParty/Party/PartyIdentification/ID", []string{"4012345000009"}},
	}
	f := newFormat(t)
	for _, c := range cases {
		src := written(t, f, &c.inv)
		got := texts(t, src, c.path)
		if strings.HasPrefix(c.path, "PaymentMeans/") {
			got = perMethod(t, src, strings.TrimPrefix(c.path, "PaymentMeans/"))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s\n%s", c.name, diff, src)
		}
	}
}

// perMethod gives for each payment means the text at a path below it.
func perMethod(t *testing.T, src []byte, path string) (list []string) {
	t.Helper()
	doc := parsed(t, src)
	for n := doc.Root(); int(n) < doc.Len(); n++ {
		if doc.Kind(n) != xmltree.KindElement || doc.Local(n) != "PaymentMeans" {
			continue
		}
		text := ""
		for c := n; c < doc.End(n); c++ {
			if doc.Kind(c) == xmltree.KindElement && localPath(doc, c) == "PaymentMeans/"+path {
				text = doc.String(c)
			}
		}
		list = append(list, text)
	}
	return list
}

// TestReadingTellsApartWhatSharesAnElement has the elements that several terms share.
func TestReadingTellsApartWhatSharesAnElement(t *testing.T) {
	d := decimal.MustParse
	yes := true
	inv := &invoice.Invoice{
		InvoiceNumber: "1", Type: invoice.TypeCreditNote, Currency: "EUR", TaxCurrencyCode: "SEK", ProjectNumber: "P", ObjectID: "O", ObjectIDScheme: "ABC", TaxPointDateCode: "3",
		Attachments:         []invoice.Attachment{{Reference: "A", Filename: "a.csv", MimeType: "text/csv", Content: "QQ==", URI: "https://a.example"}},
		SupportingDocuments: []invoice.SupportingDocument{{ID: "S", URI: "https://s.example"}},
		Seller:              &invoice.Party{Name: "S", VATID: "DE1", TaxID: "12/3", Identifiers: []invoice.Identifier{{ID: "I", SchemeID: "0088"}}},
		DirectDebitMandate:  &invoice.DirectDebit{CreditorID: "C"},
		AllowancesCharges:   []invoice.DocumentCharge{{IsCharge: &yes, Amount: d("1.00"), TaxCategoryCode: "S", TaxRate: d("19")}},
		TaxSummary:          []invoice.TaxSummary{{TaxCategoryCode: "S", TaxRate: d("19"), NetAmount: d("10.00"), TaxAmount: d("1.90"), TaxCurrencyTaxAmount: d("20.00")}},
		Subtotal:            d("10.00"), Total: d("11.90"),
		Items: []invoice.Item{{LineID: "1", NetAmount: d("9.00"), UnitPrice: d("9"), GrossPrice: d("10"), PriceDiscount: d("1"), ObjectID: "LO",
			Allowances: []invoice.LineCharge{{Amount: d("1.00"), Reason: "less"}}, Charges: []invoice.LineCharge{{Amount: d("2.00"), Reason: "more"}}}},
	}
	f := newFormat(t)
	src := written(t, f, inv)
	got, err := f.Read(context.Background(), parsed(t, src))
	if err != nil {
		t.Fatal(err)
	}
	inv.Type = ""
	if diff := cmp.Diff(inv, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
		t.Errorf("%s\n%s", diff, src)
	}
	if got.Account.Reported > 0 {
		t.Errorf("%+v", got.Account.Leaves)
	}
}

// TestEachTextIsLocatedAtTheMemberThatSaysSo looks up the place of each text and attribute in the invoice that was written.
func TestEachTextIsLocatedAtTheMemberThatSaysSo(t *testing.T) {
	inv := sampleInvoice(12)
	inv.Items[3].Allowances = append(inv.Items[3].Allowances, inv.Items[2].Allowances...)
	t.Run("EN 16931", func(t *testing.T) { checkPlaces(t, inv, "urn:cen.eu:en16931:2017") })
	inv.Items[0].SubItems = []invoice.Item{sampleItem(20), sampleItem(21)}
	inv.Items[0].SubItems[1].SubItems = []invoice.Item{sampleItem(23), sampleItem(25)}
	inv.Items[11].SubItems = []invoice.Item{sampleItem(29)}
	inv.ThirdPartyPayments = thirdPartyPayments()
	inv.ThirdPartyPayments[1].PaidAmount = inv.ThirdPartyPayments[0].PaidAmount.Neg() // so that the amount due is the total
	t.Run("XRechnung extension", func(t *testing.T) { checkPlaces(t, inv, profile.XRechnungExtension) })
}

// checkPlaces holds that each text is located at a member that says it.
func checkPlaces(t *testing.T, inv *invoice.Invoice, specification string) {
	f := newFormat(t)
	said := map[string]string{}
	for path, value := range invoice.Leaves(inv) {
		switch v := value.(type) {
		case string:
			said[path] = v
		case invoice.Date:
			said[path] = string(v)
		case decimal.Decimal:
			said[path] = v.String()
		}
	}
	doc := parsed(t, writtenBy(t, f, inv, specification))
	l := f.NewLocator(doc)
	checked := 0
	for n := doc.Root(); int(n) < doc.Len(); n++ {
		if doc.Kind(n) != xmltree.KindText && doc.Kind(n) != xmltree.KindAttribute || strings.TrimSpace(doc.String(n)) == "" {
			continue
		}
		place := l.Locate(n)
		value, stated := said[place.Field]
		if place != f.Locate(doc, n) {
			t.Errorf("%s: the places differ", doc.Path(n))
		}
		if !stated || doc.Kind(n) == xmltree.KindAttribute && doc.Local(n) == "currencyID" {
			continue
		}
		checked++
		if number, err := decimal.Parse(doc.String(n)); err == nil && number.Cmp(decimalOf(value)) == 0 {
			continue
		}
		if doc.String(n) != value {
			t.Errorf("%s with %q is located at %s, which is %q", doc.Path(n), doc.String(n), place.Field, value)
		}
	}
	if checked < len(said) {
		t.Errorf("%d texts for %d members", checked, len(said))
	}
}

func decimalOf(text string) decimal.Decimal {
	d, _ := decimal.Parse(text)
	return d
}

// FuzzRead holds that any document of UBL can be read, that each of its leaves is accounted for once, and that writing what was
// read works.
func FuzzRead(f *testing.F) {
	ubl := newFormat(f)
	f.Add(written(f, ubl, sampleInvoice(4)))
	credit := sampleInvoice(3)
	credit.Type = invoice.TypeCreditNote
	f.Add(written(f, ubl, credit))
	nested := sampleInvoice(2)
	nested.Items[0].SubItems = []invoice.Item{sampleItem(1), {SubItems: []invoice.Item{sampleItem(2)}}}
	nested.ThirdPartyPayments = thirdPartyPayments()
	f.Add(writtenBy(f, ubl, nested, profile.XRechnungExtension))
	for _, content := range []string{
		``, `<b:ID>1<!-- -->2</b:ID><a:AdditionalDocumentReference><b:ID schemeID="X">3</b:ID><b:DocumentTypeCode>130</b:DocumentTypeCode></a:AdditionalDocumentReference>`,
		`<b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode><a:TaxTotal><b:TaxAmount currencyID="EUR">x</b:TaxAmount><a:TaxSubtotal/></a:TaxTotal>`,
		`<b:TaxCurrencyCode>SEK</b:TaxCurrencyCode><a:TaxTotal><b:TaxAmount currencyID="SEK">1</b:TaxAmount></a:TaxTotal><b:Note>#AAI#</b:Note>`,
		`<a:InvoiceLine><b:ID/><a:AllowanceCharge><b:ChargeIndicator>1</b:ChargeIndicator><b:Amount>1</b:Amount></a:AllowanceCharge></a:InvoiceLine>`,
	} {
		f.Add([]byte(`<Invoice xmlns="` + Table.Elements[0].Namespace + `" xmlns:a="` + Table.Namespaces["cac"] + `" xmlns:b="` + Table.Namespaces["cbc"] + `">` + content + `</Invoice>`))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := xmltree.Parse(src, xmltree.Options{})
		if err != nil {
			return
		}
		reading, err := ubl.Read(context.Background(), doc)
		if err != nil {
			return
		}
		if a := reading.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(doc) {
			t.Fatalf("%d leaves, %+v", mappingtest.Leaves(doc), a)
		}
		again, err := ubl.Read(context.Background(), parsed(t, writtenBy(t, ubl, reading.Invoice, reading.Specification)))
		if err != nil || again.Element != elementOf(reading.Invoice) {
			t.Fatal(err)
		}
	})
}
