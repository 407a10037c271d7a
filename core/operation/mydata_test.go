package operation

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// myDataFormat has of the Greek parties neither names nor the address of the seller: they are warned of with every invoice.
var myDataFormat = nationalFormat{country: "GR", token: "mydata", folder: "mydata", detection: "MYDATA", rulebook: "mydata", firstOnly: true,
	always: []string{"seller.name", "seller.street", "seller.city", "seller.postalCode", "buyer.name"},
	told: map[string][]string{
		"02-services":                 {"FIELD_NOT_WRITTEN items[0].unit"},
		"03-credit-note":              {"FIELD_NOT_WRITTEN referencedInvoiceNumber"},
		"04-credit-note-without-mark": {"CREDIT_NOTE_SIGN_FLIPPED total", "GR_CREDIT_NOTE_MISSING_MARK countrySpecific.correlatedMarks"},
		"08-exempt":                   {"FIELD_NOT_WRITTEN items[0].unit"},
		"11-discounts":                {"FIELD_NOT_WRITTEN items[0].allowances[0]", "FIELD_NOT_WRITTEN allowancesCharges[0]"},
		"12-long-texts":               {"FIELD_NOT_WRITTEN items[0].note", "FIELD_NOT_WRITTEN notes", "FIELD_TOO_LONG items[0].description"},
		"17-services-eu":              {"FIELD_NOT_WRITTEN items[0].unit"},
		"22-assumed":                  {"VALUE_ASSUMED countrySpecific.mydataInvoiceType", "VALUE_ASSUMED items[0].incomeClassification"},
	}}

// TestMyData_InputsGiveTheirGoldens ensures the document of each input, and that schema and rules have nothing against it.
func TestMyData_InputsGiveTheirGoldens(t *testing.T) {
	myDataFormat.goldens(t, nil)
}

// TestMyData_InputsComeBack ensures that a written document is read without a rest, and that its invoice gives the same document again.
func TestMyData_InputsComeBack(t *testing.T) {
	myDataFormat.comesBack(t)
}

// myDataBody is an input with a JSON merge patch.
func myDataBody(t testing.TB, input, patch string) []byte {
	t.Helper()
	return myDataFormat.body(t, input, patch)
}

// myDataKeyCases has every key of the supplement §3 for Greece as a merge patch on an input, with the part of the document where it lands,
// and the warnings beside those of the parties.
var myDataKeyCases = []struct{ in, patch, want, told string }{
	{"01-goods", `{"seller":{"vatId":null},"countrySpecific":{"afm":"094014201"}}`, "<issuer><vatNumber>094014201</vatNumber>", ""},
	{"01-goods", `{"countrySpecific":{"branch":7}}`, "<country>GR</country><branch>7</branch></issuer>", ""},
	{"01-goods", `{"countrySpecific":{"series":"ΤΔΑ"},"invoiceNumber":"ΤΔΑ-12"}`, "<series>ΤΔΑ</series><aa>12</aa>", ""},
	{"01-goods", `{"countrySpecific":{"series":"B"},"invoiceNumber":"12"}`, "<series>B</series><aa>12</aa>", ""},
	{"01-goods", `{"invoiceNumber":"12"}`, "<series>0</series><aa>12</aa>", ""},
	{"01-goods", `{"countrySpecific":{"mydataInvoiceType":"2.1"}}`, "<invoiceType>2.1</invoiceType>", "308"},
	{"22-assumed", `{"countrySpecific":{"countryCode":"GR","mydataInvoiceType":"1.1"}}`, "<invoiceType>1.1</invoiceType>", "VALUE_ASSUMED items[0].incomeClassification"},
	{"03-credit-note", `{"countrySpecific":{"correlatedMarks":["1","2"]}}`, "<correlatedInvoices>1</correlatedInvoices><correlatedInvoices>2</correlatedInvoices>", "FIELD_NOT_WRITTEN referencedInvoiceNumber"},
	{"01-goods", `{"countrySpecific":{"mark":"400001234567890"}}`, "<invoice><issuer>", "FIELD_NOT_WRITTEN countrySpecific.mark"},
	{"01-goods", `{"countrySpecific":{"uid":"F1"}}`, "<invoice><issuer>", "FIELD_NOT_WRITTEN countrySpecific.uid"},
	{"01-goods", `{"countrySpecific":{"qrUrl":"https://mydata.example/1"}}`, "</invoiceSummary></invoice>", "FIELD_NOT_WRITTEN countrySpecific.qrUrl"},
	{"01-goods", `{"countrySpecific":{"taxOffice":"ΔΟΥ Α' Αθηνών"}}`, "<invoice><issuer>", "FIELD_NOT_WRITTEN countrySpecific.taxOffice"},
	{"10-foreign-currency", `{"countrySpecific":{"exchangeRate":1.1}}`, "<currency>USD</currency><exchangeRate>1.1</exchangeRate>", ""},
	{"10-foreign-currency", `{"countrySpecific":{"exchangeRate":1.123456}}`, "<exchangeRate>1.12346</exchangeRate>", "DECIMALS_REDUCED countrySpecific.exchangeRate"},
	{"08-exempt", `{}`, "<vatCategory>7</vatCategory><vatAmount>0.00</vatAmount><vatExemptionCategory>7</vatExemptionCategory>", "FIELD_NOT_WRITTEN items[0].unit"},
	{"09-small-business", `{}`, "<vatExemptionCategory>15</vatExemptionCategory>", ""},
	{"06-intra-community", `{}`, "<classificationType>E3_561_005</classificationType><classificationCategory>category1_1</classificationCategory><amount>3200.00</amount>", ""},
	{"14-withholding", `{}`, "<withheldAmount>200.00</withheldAmount><withheldPercentCategory>3</withheldPercentCategory><stampDutyAmount>12.00</stampDutyAmount>", ""},
	{"14-withholding", `{}`, "<totalWithheldAmount>200.00</totalWithheldAmount><totalFeesAmount>0.00</totalFeesAmount><totalStampDutyAmount>12.00</totalStampDutyAmount>", ""},
	{"14-withholding", `{}`, "<totalGrossValue>1052.00</totalGrossValue>", ""},
	{"14-withholding", `{}`, "<type>1</type><amount>1052.00</amount>", ""},
}

// TestMyData_Keys ensures where each key lands, and what is told of it.
func TestMyData_Keys(t *testing.T) {
	s := shippedService(t, today)
	for _, c := range myDataKeyCases {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: myDataBody(t, c.in, c.patch)})
		if refusal, refused := err.(*finding.Refusal); refused && len(c.told) == 3 {
			if refusal.Errors[0].Code != c.told {
				t.Errorf("%s %s: %v", c.in, c.patch, refusalOf(err))
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.in, c.patch, refusalOf(err))
			continue
		}
		if got := strings.ReplaceAll(squeezedXML(answer.Data), "icls:", ""); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: no %s in %s", c.in, c.patch, c.want, got)
		}
		if told := strings.Join(myDataFormat.warnings(answer.Warnings), ", "); told != c.told {
			t.Errorf("%s %s: told %s", c.in, c.patch, told)
		}
	}
}

// TestMyData_DefaultsAreTold ensures that what is assumed and changes tax or routing is warned of with its key.
func TestMyData_DefaultsAreTold(t *testing.T) {
	s := shippedService(t, today)
	const untaxed = `"taxSummary":[{"taxRate":0,"taxCategoryCode":%q,"netAmount":120,"taxAmount":0}],"subtotal":120,"total":120,
		"items":[{"description":"a","quantity":1,"unit":%q,"unitPrice":120,"taxRate":0,"taxCategoryCode":%q,"netAmount":120,"taxAmount":0}]`
	for _, c := range []struct{ patch, want, told string }{
		{`{}`, "<invoiceType>1.1</invoiceType>", "countrySpecific.mydataInvoiceType items[0].incomeClassification"},
		{`{"items":[{"description":"a","quantity":4,"unit":"HUR","unitPrice":250,"taxRate":24,"taxCategoryCode":"S","netAmount":1000,"taxAmount":240}]}`,
			"<invoiceType>2.1</invoiceType>", "countrySpecific.mydataInvoiceType items[0].incomeClassification"},
		{`{"buyer":{"vatId":null}}`, "<invoiceType>11.1</invoiceType>", "countrySpecific.mydataInvoiceType items[0].incomeClassification"},
		{`{` + fmt.Sprintf(untaxed, "E", "C62", "E") + `}`, "<vatExemptionCategory>7</vatExemptionCategory>",
			"countrySpecific.mydataInvoiceType items[0].incomeClassification items[0].vatExemptionCategory"},
		{`{` + fmt.Sprintf(untaxed, "Z", "C62", "Z") + `}`, "<vatExemptionCategory>27</vatExemptionCategory>",
			"countrySpecific.mydataInvoiceType items[0].incomeClassification items[0].vatExemptionCategory"},
		{`{` + fmt.Sprintf(untaxed, "O", "HUR", "O") + `}`, "<vatExemptionCategory>4</vatExemptionCategory>",
			"countrySpecific.mydataInvoiceType items[0].incomeClassification items[0].vatExemptionCategory"},
		{`{"currency":"USD","taxCurrencyCode":"EUR","taxSummary":[{"taxRate":24,"taxCategoryCode":"S","netAmount":1000,"taxAmount":240,"taxCurrencyTaxAmount":200}]}`,
			"<exchangeRate>1.20000</exchangeRate>", "countrySpecific.mydataInvoiceType items[0].incomeClassification countrySpecific.exchangeRate"},
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: myDataBody(t, "22-assumed", c.patch)})
		if err != nil {
			t.Errorf("%s: %v", c.patch, refusalOf(err))
			continue
		}
		var told []string
		for _, w := range answer.Warnings {
			if w.Code == finding.ValueAssumed {
				told = append(told, w.Field)
			}
		}
		if got := squeezedXML(answer.Data); !strings.Contains(got, c.want) || strings.Join(told, " ") != c.told {
			t.Errorf("%s: told %q, %s", c.patch, told, got)
		}
	}
}

// TestMyData_WhatItCannotSayIsTold has members without a place, and what they are warned of with.
func TestMyData_WhatItCannotSayIsTold(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range map[string]string{
		`{"prepaidAmount":100}`: "FIELD_NOT_WRITTEN prepaidAmount",
		`{"servicePeriod":{"start":"2026-02-01","end":"2026-02-28"}}`: "INVOICE_SERVICE_PERIOD_NOT_REPRESENTABLE servicePeriod",
		`{"type":"partial"}`:                                    "DOCUMENT_TYPE_FALLBACK type",
		`{"dueDate":"2026-04-05"}`:                              "FIELD_NOT_WRITTEN dueDate",
		`{"orderNumber":"PO-7"}`:                                "FIELD_NOT_WRITTEN orderNumber",
		`{"paymentMethods":[{"type":"cash"},{"type":"other"}]}`: "FIELD_NOT_WRITTEN paymentMethods[1]",
		`{"seller":{"vatId":"EL123456784"}}`:                    "GR_AFM_001 seller.vatId",
		`{"countrySpecific":{"national":{"invoice/none":"1"}}}`: "FIELD_NOT_WRITTEN countrySpecific.national.invoice/none",
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: myDataBody(t, "01-goods", patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code+" "+w.Field == want }) {
			t.Errorf("%s: no %s in %+v", patch, want, answer.Warnings)
		}
	}
	grouped := `{"items":[{"description":"a","quantity":1,"unit":"C62","unitPrice":1000,"taxRate":24,"netAmount":1000,"taxAmount":240,"lineSubtype":"GROUP",
		"subItems":[{"description":"b","quantity":1,"unit":"C62","unitPrice":1000,"taxRate":24,"netAmount":1000,"taxAmount":240}]}]}`
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: myDataBody(t, "22-assumed", grouped)})
	if err != nil || !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.GroupNotRepresentable }) {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestMyData_WhatItLacksIsRefused has what myDATA demands and the invoice does not say.
func TestMyData_WhatItLacksIsRefused(t *testing.T) {
	s := shippedService(t, today)
	for _, c := range []struct{ in, patch, code, field string }{
		{"01-goods", `{"seller":{"vatId":"DE123456789"}}`, "GR_AFM_001", "seller.vatId"},
		{"01-goods", `{"buyer":{"vatId":"EL12345"}}`, "GR_AFM_002", "buyer.vatId"},
		{"01-goods", `{"invoiceNumber":"ΑΒΓ"}`, "GR_INV_NUM_REQUIRED", "invoiceNumber"},
		{"01-goods", `{"countrySpecific":{"mydataInvoiceType":"TD01"}}`, "GR_INV_001", "countrySpecific.mydataInvoiceType"},
		{"01-goods", `{"countrySpecific":{"mydataInvoiceType":"5.1"}}`, finding.TypeContradiction, "countrySpecific.mydataInvoiceType"},
		{"01-goods", `{"type":"proforma"}`, finding.TypeNotPermitted, "type"},
		{"01-goods", `{"currency":"USD"}`, finding.MissingField, "countrySpecific.exchangeRate"},
		{"01-goods", `{"countrySpecific":{"correlatedMarks":["x"]}}`, finding.InvalidValue, "countrySpecific.correlatedMarks[0]"},
		{"03-credit-note", `{"countrySpecific":{"correlatedMarks":null}}`, "GR_CREDIT_NOTE_MISSING_MARK", "countrySpecific.correlatedMarks"},
		{"18-supplementary", `{"countrySpecific":{"correlatedMarks":null,"mydataInvoiceType":null}}`, finding.MissingField, "countrySpecific.correlatedMarks"},
		{"13-retention", `{"paymentMethods":null}`, finding.RetentionNotCarried, "retention"},
		{"04-credit-note-without-mark", `{"type":"invoice"}`, "GR_INV_002", "items[0].netAmount"},
		{"06-intra-community", `{"buyer":{"city":null}}`, finding.MissingField, "buyer.city"},
		{"22-assumed", `{"taxSummary":[{"taxRate":19,"netAmount":1000,"taxAmount":190}],"total":1190,"items":[{"description":"a","quantity":4,"unit":"C62","unitPrice":250,"taxRate":19,"netAmount":1000,"taxAmount":190}]}`,
			finding.InvalidValue, "items[0].taxRate"},
		{"22-assumed", `{"subtotal":1100}`, "207", "subtotal"},
		{"22-assumed", `{"total":1241}`, "203", "total"},
		{"22-assumed", `{"taxSummary":[{"taxRate":24,"taxCategoryCode":"S","netAmount":1000,"taxAmount":250}],"total":1250}`, "209", "taxSummary[0].taxAmount"},
	} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: myDataBody(t, c.in, c.patch)})
		refusal, ok := err.(*finding.Refusal)
		if !ok || len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s %s: %v", c.code, c.field, refusalOf(err))
		}
	}
}

// TestMyData_VersionsDifferInWhatIsNew ensures that 1.0.10 leaves out what only 2.0.1 has, and that there are no other versions.
func TestMyData_VersionsDifferInWhatIsNew(t *testing.T) {
	s := shippedService(t, today)
	for version, written := range map[string]bool{"": true, "2.0.1": true, "1.0.10": false} {
		body := withOptionsOf(t, myDataBody(t, "01-goods", `{"countrySpecific":{"national":{"invoice/invoiceHeader/toWeigh":"true"}}}`), version)
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: body})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		told := slices.Contains(myDataFormat.warnings(answer.Warnings), "FIELD_NOT_WRITTEN countrySpecific.national.invoice/invoiceHeader/toWeigh")
		if has := strings.Contains(string(answer.Data), "<toWeigh>"); has != written || told == written {
			t.Errorf("%q: %v %v", version, has, told)
		}
	}
	_, err := s.Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: withOptionsOf(t, myDataBody(t, "01-goods", `{}`), "3.0")})
	if refusal, ok := err.(*finding.Refusal); !ok || refusal.Code != finding.UnsupportedFormatVersion {
		t.Error(err)
	}
}

// withOptionsOf is a body that asks for a version.
func withOptionsOf(t testing.TB, body []byte, version string) []byte {
	t.Helper()
	if version == "" {
		return body
	}
	return []byte(strings.Replace(string(body), "{", `{"formatOptions":{"version":"`+version+`"},`, 1))
}

// TestMyData_SeveralInvoicesOfAFile ensures that all are parsed, and that one is converted by its index.
func TestMyData_SeveralInvoicesOfAFile(t *testing.T) {
	s := shippedService(t, today)
	first, second := readGolden(t, "01-goods"), readGolden(t, "10-foreign-currency")
	from, to := strings.Index(second, "<invoice>"), strings.Index(second, "</InvoicesDoc>")
	file := []byte(strings.Replace(first, "</InvoicesDoc>", second[from:to]+"</InvoicesDoc>", 1))
	parsed, err := s.Parse(t.Context(), ParseRequest{Document: file})
	if err != nil || len(parsed.Invoices) != 2 || parsed.Invoices[1].Currency != "USD" || parsed.Invoice.InvoiceNumber != "A-1" || len(parsed.Warnings) > 0 {
		t.Fatalf("%v %+v", err, parsed)
	}
	off := false
	options := invoice.ConvertBody{TargetCountry: "DE", TargetFormat: "xrechnung", Validate: &off}
	if _, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: options}); err == nil || !strings.Contains(refusalOf(err), "index is required") {
		t.Errorf("without an index: %v", err)
	}
	one := 1
	options.Index = &one
	answer, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: options})
	if err != nil || !strings.Contains(string(answer.Data), ">USD<") {
		t.Error(err)
	}
}

func readGolden(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/mydata/" + name + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestMyData_MarksOfTheAuthorityAreRead ensures that what the authority adds to a document is in the invoice.
func TestMyData_MarksOfTheAuthorityAreRead(t *testing.T) {
	s := shippedService(t, today)
	document := strings.Replace(readGolden(t, "01-goods"), "<issuer>", "<uid>F1</uid><mark>400001</mark><authenticationCode>A1</authenticationCode><issuer>", 1)
	document = strings.Replace(document, "</invoiceSummary>", "</invoiceSummary><qrCodeUrl>https://mydata.example/1</qrCodeUrl>", 1)
	parsed, err := s.Parse(t.Context(), ParseRequest{Document: []byte(document)})
	if err != nil || len(parsed.Warnings) > 0 {
		t.Fatalf("%v %+v", err, parsed)
	}
	cs := parsed.Invoice.CountrySpecific
	if cs.UID != "F1" || cs.Mark != "400001" || cs.QRURL != "https://mydata.example/1" || cs.National["invoice/authenticationCode"] == nil {
		t.Errorf("%+v", cs)
	}
}

// TestGenerate_CallsFilesByTheWholeNumber ensures that a number which the format splits into series and number is whole in the name of the file.
func TestGenerate_CallsFilesByTheWholeNumber(t *testing.T) {
	body := sample(t, "countries/gr.json")
	a, err := newService(t).Generate(t.Context(), GenerateRequest{Country: "gr", Format: "mydata", Body: body})
	if err != nil || a.Filename != a.Summary.InvoiceNumber+"-mydata.xml" {
		t.Errorf("%v %+v", err, a)
	}
}
