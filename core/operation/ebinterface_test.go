package operation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// ebInterfaceBody is the first input with replacements.
func ebInterfaceBody(t testing.TB, pairs ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(ebInterfaceFolder, "invoice.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(string(data), pairs[i]) {
			t.Fatalf("the input has no %s", pairs[i])
		}
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(data)))
}

// withKeys adds members of countrySpecific.
func withKeys(t testing.TB, keys string, pairs ...string) []byte {
	return ebInterfaceBody(t, append(pairs, `"invoiceNumber"`, `"countrySpecific": {"countryCode": "AT", `+keys+`}, "invoiceNumber"`)...)
}

// ebInterfaceKeyCases has each key of Austria with the elements where it lands (supplement §3).
func ebInterfaceKeyCases(t *testing.T) map[string]struct{ body, want string } {
	t.Helper()
	const order = `"orderNumber": "4700012345",`
	return map[string]struct{ body, want string }{
		"orderReference":      {string(withKeys(t, `"orderReference": "47:Z01"`, order, "")), "<OrderID>47:Z01</OrderID> </OrderReference> <Address> <Name>Alpenbau GmbH</Name>"},
		"buyerReference":      {string(withKeys(t, `"buyerReference": "B-1"`, order, "")), "<OrderID>B-1</OrderID> </OrderReference> <Address> <Name>Alpenbau GmbH</Name>"},
		"supplierNumber":      {string(withKeys(t, `"supplierNumber": "0011"`)), "<InvoiceRecipientsBillerID>0011</InvoiceRecipientsBillerID> </Biller>"},
		"accountingArea":      {string(withKeys(t, `"accountingArea": "BA-1"`)), "<AccountingArea>BA-1</AccountingArea>"},
		"govtSubOrganization": {string(withKeys(t, `"govtSubOrganization": "BH-7"`)), "<SubOrganizationID>BH-7</SubOrganizationID> </InvoiceRecipient>"},
		"payee": {string(ebInterfaceBody(t, `"accountHolder": "Donau Werkzeug GmbH"`, `"accountHolder": ""`, `"invoiceNumber"`, `"payee": {"name": "Faktor AG", "bankAccount": {"iban": "AT483200000012345864"}}, "invoiceNumber"`)),
			"<IBAN>AT483200000012345864</IBAN> <BankAccountOwner>Faktor AG</BankAccountOwner>"},
		"invoiceTypeCode": {string(withKeys(t, `"invoiceTypeCode": "386"`)), `DocumentType="InvoiceForAdvancePayment"`},
		"exchangeRate":    {string(withKeys(t, `"exchangeRate": 0.9`, `"currency": "EUR"`, `"currency": "USD", "taxCurrencyCode": "EUR"`)), `<AccountingCurrencyAmount Currency="EUR">180.00</AccountingCurrencyAmount>`},
		"national":        {string(withKeys(t, `"national": {"Details/HeaderDescription": "Wir verrechnen"}`)), "<Details> <HeaderDescription>Wir verrechnen</HeaderDescription> <ItemList>"},
		"cancelsReferencedInvoice": {string(withKeys(t, `"cancelsReferencedInvoice": true`, `"issueDate"`, `"referencedInvoiceNumber": "R-1", "referencedInvoiceDate": "2026-01-02", "issueDate"`)),
			"<CancelledOriginalDocument> <InvoiceNumber>R-1</InvoiceNumber> <InvoiceDate>2026-01-02</InvoiceDate> </CancelledOriginalDocument>"},
	}
}

// TestGenerate_EbInterfaceKeys ensures where each key lands.
func TestGenerate_EbInterfaceKeys(t *testing.T) {
	s := fullService(t)
	for key, c := range ebInterfaceKeyCases(t) {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "at", Format: "ebinterface", Body: []byte(c.body)})
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if got := strings.Join(strings.Fields(string(answer.Data)), " "); !strings.Contains(got, c.want) || len(answer.Warnings) > 0 && key != "payee" { // whose seller has an account of its own
			t.Errorf("%s: %+v %s", key, answer.Warnings, got)
		}
	}
}

// TestGenerate_EbInterfaceRefuses has what ebInterface cannot express, with the words of the contract.
func TestGenerate_EbInterfaceRefuses(t *testing.T) {
	s := fullService(t)
	const period = "INVOICE_SERVICE_PERIOD_BOTH_DATES_REQUIRED"
	for name, c := range map[string]struct {
		body              []byte
		kind              finding.Kind
		word, code, field string
	}{
		"a period with one date": {ebInterfaceBody(t, `"invoiceNumber"`, `"servicePeriod": {"start": "2026-02-01"}, "invoiceNumber"`), finding.BadRequest, period, period, "servicePeriod"},
		"a line's period with one date": {ebInterfaceBody(t, `"quantity"`, `"servicePeriod": {"end": "2026-02-01"}, "quantity"`), finding.BadRequest, period, period,
			"items[0].servicePeriod"},
		"a foreign currency without the tax in euros": {ebInterfaceBody(t, `"currency": "EUR"`, `"currency": "USD"`), finding.Unprocessable, "AT_EBI_TAX_EUR_AMOUNT_REQUIRED",
			"AT-EBI61-011", "taxSummary[0].taxCurrencyTaxAmount"},
		"a pro forma invoice":          {ebInterfaceBody(t, `"type": "invoice"`, `"type": "proforma"`), finding.Unprocessable, "Unprocessable Entity", finding.TypeNotPermitted, "type"},
		"a total that does not add up": {ebInterfaceBody(t, `"total": 1200.0`, `"total": 1300.0`), finding.Unprocessable, "Unprocessable Entity", "BR-CO-15", "total"},
		"lines that do not add up": {ebInterfaceBody(t, `"netAmount": 1000, "taxAmount": 200.0, "position"`, `"netAmount": 900, "taxAmount": 180.0, "position"`), finding.Unprocessable,
			"Unprocessable Entity", "AT-EBI61-032", "taxSummary[0].netAmount"},
		"a cancelled invoice without a date": {withKeys(t, `"cancelsReferencedInvoice": true`), finding.Unprocessable, "Unprocessable Entity", finding.MissingField, "referencedInvoiceDate"},
		"reverse charge without the buyer's number": {ebInterfaceBody(t, `"vatId": "ATU13585627"`, `"vatId": ""`, `"taxRate": 20`, `"taxRate": 0`, `"taxCategoryCode": "S"`, `"taxCategoryCode": "AE"`,
			`"taxAmount": 200.0`, `"taxAmount": 0`, `"total": 1200.0`, `"total": 1000`), finding.Unprocessable, "Unprocessable Entity", "AT-EBI61-007", "buyer.vatId"},
	} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "at", Format: "ebinterface", Body: c.body})
		refusal, ok := errors.AsType[*finding.Refusal](err)
		if !ok || refusal.Kind != c.kind || refusal.Word != c.word || len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s: %v %+v", name, err, refusal)
		}
	}
}

// TestGenerate_EbInterfaceTells ensures the warnings about what is assumed, rounded, or has no place.
func TestGenerate_EbInterfaceTells(t *testing.T) {
	s := fullService(t)
	for name, c := range map[string]struct{ body, code, field string }{
		"a delivery without a day":      {string(ebInterfaceBody(t, `"deliveryDate": "2026-03-03"`, `"delivery": {"name": "Lager"}`)), finding.DeliveryDateAssumed, "delivery.date"},
		"a quantity with five decimals": {string(ebInterfaceBody(t, `"quantity": 4`, `"quantity": 4.00001`)), finding.DecimalsReduced, "items[0].quantity"},
		"a second way to pay":           {string(ebInterfaceBody(t, `[{"type": "bank_transfer"}]`, `[{"type": "bank_transfer"}, {"type": "cash"}]`)), finding.FieldNotWritten, "paymentMethods[1]"},
		"a day and a period":            {string(ebInterfaceBody(t, `"invoiceNumber"`, `"servicePeriod": {"start": "2026-02-01", "end": "2026-02-28"}, "invoiceNumber"`)), finding.FieldNotWritten, "deliveryDate"},
		"another tax currency":          {string(ebInterfaceBody(t, `"invoiceNumber"`, `"taxCurrencyCode": "CHF", "invoiceNumber"`)), finding.FieldNotWritten, "taxCurrencyCode"},
		"a place that no element has":   {string(withKeys(t, `"national": {"Details/Colour": "red"}`)), finding.FieldNotWritten, "countrySpecific.national.Details/Colour"},
		"a long accounting area":        {string(withKeys(t, `"accountingArea": "123456789012345678901"`)), finding.FieldNotWritten, "countrySpecific.accountingArea"},
		"an attachment": {string(ebInterfaceBody(t, `"invoiceNumber"`, `"attachments": [{"filename": "a.pdf", "mimeType": "application/pdf", "content": "AAAA"}], "invoiceNumber"`)),
			finding.FieldNotWritten, "attachments[0].filename"},
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "at", Format: "ebinterface", Body: []byte(c.body)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		told := false
		for _, w := range answer.Warnings {
			told = told || w.Code == c.code && w.Field == c.field
		}
		if !told {
			t.Errorf("%s: %+v", name, answer.Warnings)
		}
	}
}

// TestConvert_EbInterface ensures that each golden becomes Peppol BIS in UBL, and from there ebInterface again with the same amounts,
// parties and lines.
func TestConvert_EbInterface(t *testing.T) {
	s := fullService(t)
	elsewhere := []string{
		"correction", // Peppol BIS has no negative invoice for Austria: it is a 380 with negative amounts
		"national",   // amounts below the line and taxes beside the VAT have no business terms
	}
	for _, name := range ebInterfaceInputs(t) {
		if slices.Contains(elsewhere, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			golden, err := os.ReadFile(filepath.Join(ebInterfaceFolder, name+".xml"))
			if err != nil {
				t.Fatal(err)
			}
			unjudged := false
			inUBL, err := s.Convert(t.Context(), ConvertRequest{Document: golden, Options: invoice.ConvertBody{TargetCountry: "AT", TargetFormat: "ubl", Validate: &unjudged}})
			if err != nil {
				t.Fatal(err)
			}
			if inUBL.SourceFormat != "ebinterface" {
				t.Errorf("from %s", inUBL.SourceFormat)
			}
			back, err := s.Convert(t.Context(), ConvertRequest{Document: inUBL.Data, Options: invoice.ConvertBody{TargetFormat: "ebinterface"}})
			if err != nil {
				t.Fatal(err)
			}
			sameFigures(t, golden, back.Data)
		})
	}
}

// sameFigures compares the elements that every format has.
func sameFigures(t *testing.T, a, b []byte) {
	t.Helper()
	for _, name := range []string{"InvoiceNumber", "InvoiceDate", "Name", "Town", "TaxableAmount", "TaxAmount", "LineItemAmount", "TotalGrossAmount", "PayableAmount", "DueDate", "IBAN"} {
		if got, want := textsOf(string(b), name), textsOf(string(a), name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func textsOf(document, name string) string {
	var texts []string
	for part := range strings.SplitSeq(document, "<"+name+">") {
		if text, _, ok := strings.Cut(part, "</"+name+">"); ok && !strings.Contains(text, "<") {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}

// BenchmarkEbInterface generates with the self-check: the aim is 0.5 ms for 20 lines.
func BenchmarkEbInterface(b *testing.B) {
	s := fullService(b)
	body := []byte(strings.NewReplacer(`"countryCode":"DE"`, `"countryCode":"AT"`, `"taxRate":19`, `"taxRate":20`, `"taxAmount":1.90`, `"taxAmount":2.00`, `"taxAmount":38.00`, `"taxAmount":40.00`,
		`"total":238.00`, `"total":240.00`, `"currency"`, `"deliveryDate":"2026-03-01","currency"`).Replace(string(generateRequest(20))))
	for name, run := range map[string]func() error{
		"generate": func() error {
			_, err := s.Generate(context.Background(), GenerateRequest{Country: "at", Format: "ebinterface", Body: body})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			steady(b, func() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	answer, err := s.Generate(context.Background(), GenerateRequest{Country: "at", Format: "ebinterface", Body: body})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("parse", func(b *testing.B) {
		steady(b, func() {
			if _, err := s.Parse(context.Background(), ParseRequest{Document: answer.Data}); err != nil {
				b.Fatal(err)
			}
		})
	})
}
