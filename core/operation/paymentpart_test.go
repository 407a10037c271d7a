package operation

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// swissPages generates the PDF of an input for QR-bills after a change, and gives its text, its pages and the warnings.
func swissPages(t *testing.T, country, format, name string, changes ...string) (text string, pages int, warnings []finding.Finding) {
	t.Helper()
	body := strings.NewReplacer(changes...).Replace(string(qrBillInputs(t)[name]))
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(string(qrBillInputs(t)[name]), changes[i]) {
			t.Fatalf("%q is not in %s", changes[i], name)
		}
	}
	answer, err := shippedService(t, today).Generate(t.Context(), GenerateRequest{Country: country, Format: format, Body: []byte(body)})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	report := mustInspect(t, answer.Data)
	if len(report.Faults) > 0 {
		t.Errorf("%q", report.Faults)
	}
	return report.Text, report.Pages, answer.Warnings
}

// TestPaymentPart_IsOnDocumentsThatAskForASwissTransfer ensures which documents have one, and that it is in the language of the document.
func TestPaymentPart_IsOnDocumentsThatAskForASwissTransfer(t *testing.T) {
	const first = "01-creditor-reference-from-number"
	language := func(code string) []string {
		return []string{`{` + "\n" + `  "invoice"`, `{"formatOptions": {"language": "` + code + `"}, "invoice"`}
	}
	for name, c := range map[string]struct {
		country, format, input string
		changes                []string
		want                   string // empty for none
	}{
		"in Switzerland":                 {"CH", "pdf", first, nil, "Zahlteil"},
		"in French":                      {"CH", "pdf", first, language("fr"), "Section paiement"},
		"in Italian":                     {"CH", "pdf", first, language("it"), "Sezione pagamento"},
		"in English":                     {"CH", "pdf", first, language("en"), "Payment part"},
		"in a hybrid":                    {"CH", "zugferd", first, nil, "Zahlteil"},
		"in Liechtenstein":               {"LI", "pdf", "11-liechtenstein", nil, "Zahlteil"},
		"in euros":                       {"CH", "pdf", "07-euro", nil, "Zahlteil"},
		"for a seller elsewhere":         {"DE", "pdf", "07-euro", nil, "Zahlteil"},
		"paid by card":                   {"CH", "pdf", first, []string{`"type": "bank_transfer"`, `"type": "credit_card"`}, ""},
		"to an account elsewhere":        {"CH", "pdf", first, []string{"CH93 0076 2011 6238 5295 7", "DE89370400440532013000"}, ""},
		"in another currency":            {"CH", "pdf", first, []string{`"currency": "CHF"`, `"currency": "USD"`}, ""},
		"of a credit note":               {"CH", "pdf", first, []string{`"type": "invoice"`, `"type": "credit_note"`}, ""},
		"of a creditor without a town":   {"CH", "pdf", first, []string{`"city": "Biel",`, ``}, ""},
		"with a reference that is wrong": {"CH", "pdf", "04-creditor-reference", []string{`"paymentReference": "RF18 5390 0754 7034"`, `"countrySpecific": {"countryCode": "CH", "qrReference": "RF19539007547034"}`}, ""},
	} {
		text, pages, warnings := swissPages(t, c.country, c.format, c.input, c.changes...)
		const heading = "Zahlteil"
		switch {
		case c.want == "" && strings.Contains(text, heading), c.want != "" && !strings.Contains(text, c.want):
			t.Errorf("%s: %s", name, text)
		case pages != 1:
			t.Errorf("%s: %d pages", name, pages)
		}
		told := slices.IndexFunc(warnings, func(f finding.Finding) bool { return strings.Contains(f.Message, "no payment part") })
		switch name {
		case "of a creditor without a town":
			if told < 0 || warnings[told].Code != "CH_ADDR_005" || warnings[told].Field != "seller.city" {
				t.Errorf("%s: %+v", name, warnings)
			}
		case "with a reference that is wrong":
			if told < 0 || warnings[told].Code != "SCOR_CHECK" || warnings[told].Field != "countrySpecific.qrReference" {
				t.Errorf("%s: %+v", name, warnings)
			}
		default:
			if told >= 0 {
				t.Errorf("%s: %+v", name, warnings[told])
			}
		}
	}
}

// TestPaymentPart_SaysWhatTheKeysOfTheCountrySay ensures that each key of CH and LI whose basis is the QR-bill is on the page.
func TestPaymentPart_SaysWhatTheKeysOfTheCountrySay(t *testing.T) {
	text, _, _ := swissPages(t, "CH", "pdf", "03-qr-reference")
	for key, want := range map[string]string{"qrReference": "21 00000 00003 13947 14300 09017", "unstructuredMessage": "Auftrag vom 15.06.2025", "seller.bankAccount.iban": "CH44 3199 9123 0008 8901 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in %s", key, want, text)
		}
	}
	text, _, _ = swissPages(t, "CH", "pdf", "08-alternative-schemes")
	for key, want := range map[string]string{"billInformation": "//S1/10/2026-0417/11/260305", "alternativeSchemes": "eBill/B/john.doe@example.com"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in %s", key, want, text)
		}
	}
	if text, _, _ = swissPages(t, "CH", "pdf", "05-without-reference"); strings.Count(text, "Referenz") > 0 {
		t.Errorf("referenceType NON has a reference: %s", text)
	}
	if text, _, _ = swissPages(t, "LI", "pdf", "11-liechtenstein"); !strings.Contains(text, "/30/116281710") {
		t.Errorf("uid: %s", text)
	}
	if text, _, _ = swissPages(t, "CH", "pdf", "06-payee"); !strings.Contains(text, "Factoring Beispiel AG\nBundesplatz 3") && !strings.Contains(text, "Bundesplatz 3") {
		t.Errorf("the payee is not the creditor: %s", text)
	}
}

// TestPaymentPart_ItsReferenceIsInTheInvoiceOfTheHybrid ensures that pages and invoice of a hybrid ask for the same
// reference, that one which the caller gives stays, and that an invoice whose pages have no payment part, or one without a reference, gets none.
func TestPaymentPart_ItsReferenceIsInTheInvoiceOfTheHybrid(t *testing.T) {
	s := shippedService(t, today)
	for name, c := range map[string]struct{ input, from, to, want string }{
		"of the number":       {"01-creditor-reference-from-number", "", "", "RF5120260417"},
		"of the number, QR":   {"03-qr-reference", `"qrReference": "21 00000 00003 13947 14300 09017",`, ``, "000000000000000000202604174"},
		"of the caller":       {"03-qr-reference", "", "", "210000000003139471430009017"},
		"no reference":        {"05-without-reference", "", "", ""},
		"paid otherwise":      {"01-creditor-reference-from-number", `"type": "bank_transfer"`, `"type": "credit_card"`, ""},
		"no place to pay for": {"01-creditor-reference-from-number", `"city": "Biel",`, ``, ""},
	} {
		body := strings.Replace(string(qrBillInputs(t)[c.input]), c.from, c.to, 1)
		if c.from != "" && !strings.Contains(string(qrBillInputs(t)[c.input]), c.from) {
			t.Fatalf("%q is not in %s", c.from, c.input)
		}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "CH", Format: "zugferd", Body: []byte(body)})
		if err != nil {
			t.Fatal(name, refusalOf(err))
		}
		if got := referenceIn(answer.EmbeddedXML); squeezed(got) != c.want {
			t.Errorf("%s: the invoice has %q, want %q", name, got, c.want)
		}
		if text := squeezed(mustInspect(t, answer.Data).Text); c.want != "" && strings.Count(text, c.want) < 2 {
			t.Errorf("%s: %q is not on receipt and payment part: %s", name, c.want, text)
		}
	}
}

// TestPaymentPart_ItsReferenceIsInTheInvoiceOfAConvertedHybrid ensures the same of a document without a reference that is converted, and that a
// hybrid which keeps its pages gets none.
func TestPaymentPart_ItsReferenceIsInTheInvoiceOfAConvertedHybrid(t *testing.T) {
	s := shippedService(t, today)
	made, err := s.Generate(t.Context(), GenerateRequest{Country: "CH", Format: "zugferd", Body: qrBillInputs(t)["01-creditor-reference-from-number"]})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	xml := strings.Replace(made.EmbeddedXML, "<ram:PaymentReference>RF5120260417</ram:PaymentReference>", "", 1)
	to := invoice.ConvertBody{TargetFormat: "zugferd", TargetCountry: "CH"}
	hybrid, err := s.Convert(t.Context(), ConvertRequest{Document: []byte(xml), Options: to})
	if err != nil || referenceIn(hybrid.EmbeddedXML) != "RF5120260417" {
		t.Fatalf("%v: %s", err, hybrid.EmbeddedXML)
	}
	pages, err := s.Generate(t.Context(), GenerateRequest{Country: "CH", Format: "zugferd", Body: []byte(strings.Replace(string(
		qrBillInputs(t)["01-creditor-reference-from-number"]), `"type": "bank_transfer"`, `"type": "credit_card"`, 1))})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	if kept, err := s.Convert(t.Context(), ConvertRequest{Document: pages.Data, Options: to}); err != nil || referenceIn(kept.EmbeddedXML) != "" {
		t.Errorf("%v: %s", err, kept.EmbeddedXML)
	}
}

// referenceIn is the remittance information (BT-83) of a document in CII.
func referenceIn(xml string) string {
	_, after, _ := strings.Cut(xml, "<ram:PaymentReference>")
	reference, _, _ := strings.Cut(after, "</ram:PaymentReference>")
	return reference
}

// TestPaymentPart_HasItsOwnPageWhereTheLastHasNoRoom ensures that nothing stands over it: many lines give it a page of its own, and paper that is
// smaller than a payment part has A4 behind it.
func TestPaymentPart_HasItsOwnPageWhereTheLastHasNoRoom(t *testing.T) {
	const item = `"description": "Uhrwerk",`
	long := `"description": "` + strings.TrimSpace(strings.Repeat("Uhrwerk mit Zubehör und Anleitung. ", 60)) + `",`
	if text, pages, _ := swissPages(t, "CH", "pdf", "01-creditor-reference-from-number", item, long); pages != 2 || !strings.Contains(text, "Zahlteil") {
		t.Errorf("%d pages: %s", pages, text)
	}
	small := `{"formatOptions": {"template": {"version": "1.0.0", "name": "Small", "page": {"size": "A5", "margins": 40},
		"footer": {"repeatOnAllPages": true, "blocks": [{"type": "text", "data": {"content": "Ende"}}]},
		"body": {"blocks": [{"type": "text", "data": {"content": "{{invoiceNumber}}"}}]}}}, "invoice"`
	text, pages, _ := swissPages(t, "CH", "pdf", "01-creditor-reference-from-number", `{`+"\n"+`  "invoice"`, small)
	if pages != 2 || !strings.Contains(text, "Zahlteil") || strings.Count(text, "Ende") != 1 {
		t.Errorf("%d pages: %s", pages, text)
	}
}

// TestPaymentPart_OfADocumentThatIsRendered ensures that a payload without an amount and a debtor is rendered with fields to write in.
func TestPaymentPart_OfADocumentThatIsRendered(t *testing.T) {
	lines := strings.Split(string(goldenBill(t, "03-qr-reference")), "\n")
	lines[18] = ""
	for i := 20; i < 27; i++ {
		lines[i] = ""
	}
	a, err := shippedService(t, today).Render(t.Context(), RenderRequest{Document: []byte(strings.Join(lines, "\n"))})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	if report := mustInspect(t, a.Data); !strings.Contains(report.Text, "Zahlbar durch (Name/Adresse)") || len(report.Faults) > 0 {
		t.Errorf("%s %q", report.Text, report.Faults)
	}
}

// goldenBill is the payload of an input.
func goldenBill(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/qr-bill/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestPaymentPart_OfMoreThanACodeHolds ensures that texts of many bytes leave the payment part out, with a warning.
func TestPaymentPart_OfMoreThanACodeHolds(t *testing.T) {
	long := strings.Repeat("€", 70)
	text, _, warnings := swissPages(t, "CH", "pdf", "08-alternative-schemes", "Muster Uhren AG", long, "Rue du Lac 12b", long, "Juwelier Beispiel GmbH", long, "Marktgasse 20", long)
	if strings.Contains(text, "Zahlteil") || !slices.ContainsFunc(warnings, func(f finding.Finding) bool { return f.Code == "TOTAL_LENGTH" }) {
		t.Errorf("%+v: %s", warnings, text)
	}
}
