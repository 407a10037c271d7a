package command

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// elsewhere are the codes that the service as it is started here does not give, with the reason.
var elsewhere = map[string]string{
	finding.ResultNotRechecked:        "TestEmbed_Carriers of the operations has it; the carrier is long",
	finding.VeriFactuNotSent:          "TestVerifactu_WarnsLiveKeys of the API has it, with a live key and an installation",
	finding.VeriFactuSendFailed:       "TestSubmit of the kinds of jobs has it; it is the failure of a job of the service's own",
	finding.PayloadTooLarge:           "TestBody_Limit of the API has it, with a limit that is quick to reach",
	finding.PeppolSendFailed:          "TestPeppolTestMode has it; it is the failure of a transmission",
	finding.PeppolReceiptMissing:      "TestFollow of worker/peppol has it; it takes an hour at least",
	finding.PeppolDocumentUnsupported: "TestPeppolTestMode has it; it is the failure of a transmission",
}

// lines are n items in JSON.
func lines(n int) string {
	item := `{"description":"a","quantity":1,"unit":"C62","unitPrice":1,"taxRate":19,"netAmount":1,"taxAmount":0.19}`
	return "[" + strings.Repeat(item+",", n-1) + item + "]"
}

// sampleOf is the sample of a country without a member that has a text.
func sampleOf(t *testing.T, country, without string) string {
	t.Helper()
	sample, err := os.ReadFile("../testdata/countries/" + country + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`,?\s*"`+without+`":\s*"[^"]*"`).ReplaceAllString(string(sample), "")
}

// nested are items with sub-items, so many levels deep.
func nested(levels int) string {
	return strings.Repeat(`[{"subItems":`, levels+1) + `[{}]` + strings.Repeat(`}]`, levels+1)
}

// TestEveryCodeIsGivenOverHTTP has a request for each code of the catalogue and each word of the contract's tables that can be
// reached so far.
func TestEveryCodeIsGivenOverHTTP(t *testing.T) {
	c := newContract(t)
	judge := newContract(t, fewRules...)
	small := newContract(t, "--no-large-invoices")
	tried := func(note string) func(*testing.T) reply {
		return func(t *testing.T) reply { return judge.validate(t, edited(t, "notes", `"TRY-`+note+`"`)) }
	}
	other := &contract{service: c.service, key: c.createKey(t, "e-invoice:fr:*:create")}
	with := func(edits ...string) func(*testing.T) reply {
		return func(t *testing.T) reply { return c.generate(t, edits...) }
	}
	raw := func(body string) func(*testing.T) reply {
		return func(t *testing.T) reply { return c.ask(t, "POST", generatePath, body) }
	}
	options := func(json string) func(*testing.T) reply {
		return raw(strings.Replace(string(docs.Example()), `"invoice":`, `"formatOptions": `+json+`, "invoice":`, 1))
	}
	embedded := func(extra, cut string) func(*testing.T) reply { // into a PDF with entries in its catalog, and without a text
		return func(t *testing.T) reply {
			pdf := strings.Replace(string(pdfmaker.PDF{Extra: extra}.Bytes()), cut, "", 1)
			body := fmt.Sprintf(`{"pdf":%q,%s`, base64.StdEncoding.EncodeToString([]byte(pdf)), strings.TrimPrefix(strings.TrimSpace(string(docs.Example())), "{"))
			return c.ask(t, "POST", "/api/v1/invoice/de/zugferd/embed", body)
		}
	}
	carried := func(t *testing.T, old, by string) reply { // the example in a PDF, in which a text of the same length stands for another
		pdf := pdfmaker.PDF{Files: []pdfmaker.File{{Name: "xrechnung.xml", Data: c.generate(t).Data}}}.Bytes()
		return c.ask(t, "POST", validatePath, string(bytes.Replace(pdf, []byte(old), []byte(by), 1)), "Content-Type", "application/pdf")
	}
	parse := func(route, document string) func(*testing.T) reply {
		return func(t *testing.T) reply { return c.parse(t, route, document) }
	}
	polish := func(old, by string) func(*testing.T) reply { // an invoice for KSeF, in which a text stands for another
		return func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/invoice/pl/ksef/generate", strings.Replace(sampleOf(t, "pl", "none"), old, by, 1))
		}
	}
	hellenic := func(old, by string) func(*testing.T) reply { // the same for myDATA
		return func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/invoice/gr/mydata/generate", strings.Replace(sampleOf(t, "gr", "none"), old, by, 1))
		}
	}
	rows := []struct {
		code   string
		status int
		ask    func(*testing.T) reply
	}{
		{finding.MissingField, 400, with("currency", "")},
		{finding.InvalidJSON, 400, raw(`{"invoice"`)},
		{finding.JSONTooDeep, 400, raw(`{"x":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + `}`)},
		{finding.DuplicateMember, 400, raw(`{"invoice":{"currency":"EUR","currency":"USD"}}`)},
		{finding.InvalidType, 400, with("items", `{}`)},
		{finding.InvalidNumber, 400, with("total", `1e400`)},
		{finding.InvalidDate, 400, with("issueDate", `"2026-02-30"`)},
		{finding.InvalidValue, 400, with("type", `"bill"`)},
		{finding.InvalidCharacter, 400, with("notes", `"\u0007"`)},
		{finding.InvalidBase64, 400, with("attachments", `[{"filename":"a","mimeType":"text/csv","content":"???"}]`)},
		{finding.StringTooLong, 400, with("notes", `"`+strings.Repeat("n", 1<<20+1)+`"`)},
		{finding.TooManyEntries, 400, with("noteEntries", "["+strings.Repeat(`{"text":"n"},`, 500_000)+`{"text":"n"}]`)},
		{finding.OutOfRange, 400, with("cashDiscountPercent", "101", "cashDiscountDays", "14")},
		{finding.TooManyDecimals, 400, with("total", "119.001")},
		{finding.InvalidIBAN, 400, with("seller.bankAccount.iban", `"DE00120300000000202051"`)},
		{finding.InvalidBIC, 400, with("seller.bankAccount.bic", `"X"`)},
		{finding.CountryCodeMismatch, 400, with("countrySpecific", `{"countryCode":"FR"}`)},
		{finding.PrepaymentsMismatch, 400, with("prepaidAmount", "10", "prepayments", `[{"amount":9}]`)},
		{finding.FindingsOmitted, 400, with("items", "["+strings.Repeat("{},", 1_000)+"{}]")},
		{finding.TooManyLineItems, 400, with("items", lines(25_001))},
		{finding.TooManyInvoiceLines, 400, with("items.0.subItems", lines(25_000))},
		{finding.SubItemsTooDeep, 400, with("items", nested(101))},
		{finding.FieldTooLong, 200, with("seller.city", `"`+strings.Repeat("x", 101)+`"`)},
		{finding.CountryCodeAssumed, 200, with("countrySpecific", `{}`)},
		{finding.InvalidMultipart, 400, func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/invoice/parse", "--b\r\nnothing", "Content-Type", "multipart/form-data; boundary=b")
		}},
		{finding.InvalidZIP, 400, func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/jobs?operation=/api/v1/invoice/parse", "PK", "Content-Type", "application/zip")
		}},
		{finding.TypeNotPermitted, 422, polish(`"type": "invoice"`, `"type": "proforma"`)},
		{finding.TypeContradiction, 422, with("countrySpecific", `{"countryCode":"DE","invoiceTypeCode":"381"}`)},
		{finding.SpecRuleFailed, 422, with("type", `"proforma"`)},
		{finding.ParseFailed, 422, parse("de/xrechnung", "<cut")},
		{finding.ConversionFailed, 422, func(t *testing.T) reply { // into a format without pro forma invoices
			document := strings.Replace(string(c.generate(t).Data), "TypeCode>380<", "TypeCode>325<", 1)
			return c.ask(t, "POST", "/api/v1/invoice/convert?targetFormat=xrechnung", document, "Content-Type", "application/xml")
		}},
		{finding.FormatNotDetected, 400, parse("", "<nothing/>")},
		{finding.CountryNotDetected, 400, parse("", `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>`)},
		{finding.ConflictingFormatOptions, 400, options(`{"profile":"BASIC","zugferdProfile":"EN16931"}`)},
		{finding.UnsupportedFormatVersion, 400, options(`{"version":"1.0"}`)},
		{finding.UnsupportedFormatProfile, 400, options(`{"profile":"BASIC"}`)},
		{finding.GroupNotRepresentable, 200, polish(`"description"`, `"lineSubtype": "DETAIL", "subItems": [{"description": "a", "quantity": 4, "unit": "C62", "unitPrice": 900, "taxRate": 23,
			"netAmount": 3600, "taxAmount": 828}], "description"`)},
		{finding.PeriodNotRepresentable, 200, polish(`"orderNumber"`, `"servicePeriod": {"start": "2026-03-01"}, "orderNumber"`)},
		{finding.RetentionNotCarried, 422, hellenic(`"paymentMethods": [{"type": "bank_transfer"}]`, `"retention": {"amount": 10}`)},
		{finding.GreekSellerAFM, 422, hellenic("EL123456783", "EL12345678")},
		{finding.GreekBuyerAFM, 422, hellenic("EL987654324", "EL98765432")},
		{finding.GreekMissingMark, 422, hellenic(`"type": "invoice"`, `"type": "credit_note", "countrySpecific": {"countryCode": "GR", "mydataInvoiceType": "5.1"}`)},
		{finding.GreekInvoiceType, 422, hellenic(`"orderNumber"`, `"countrySpecific": {"countryCode": "GR", "mydataInvoiceType": "TD01"}, "orderNumber"`)},
		{finding.GreekNegativeAmount, 422, hellenic(`"taxSummary"`, `"allowancesCharges": [{"isCharge": false, "amount": 2000, "taxRate": 24, "taxCategoryCode": "S", "reason": "r"}], "taxSummary"`)},
		{finding.GreekNumberRequired, 422, hellenic("GR-2026-0001", "GR")},
		{finding.ForeignCurrencyTaxPLN, 422, polish(`"currency": "PLN"`, `"currency": "EUR"`)},
		{finding.FieldNotWritten, 200, with("seller.website", `"https://weserhandel.example"`)},
		{finding.SellerIdentifierDerived, 200, with("seller.vatId", "", "seller.taxId", `"60/123/45678"`)},
		{finding.CreditNoteSignFlipped, 200, with("type", `"credit_note"`, "items.0.quantity", "-4", "items.0.netAmount", "-100",
			"items.0.taxAmount", "-19", "taxSummary.0.netAmount", "-100", "taxSummary.0.taxAmount", "-19", "subtotal", "-100", "total", "-119")},
		{finding.DocumentTypeFallback, 200, func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/invoice/at/ubl/generate", edited(t, "type", `"partial"`, "seller.countryCode", `"AT"`, "buyer.vatId", `"DE987654321"`, "countrySpecific", ""))
		}},
		{finding.GroupNotRepresentable, 200, c.inItaly("groups")},
		{finding.ValueAssumed, 200, c.inItaly("foreign-currency")},
		{finding.TextTransliterated, 200, c.inItaly("long-texts")},
		{finding.PeppolRecipientUnknown, 404, func(t *testing.T) reply { return c.ask(t, "GET", "/api/v1/peppol/participants/0088:a-unknown", "") }},
		{finding.PeppolNotConfigured, 409, func(t *testing.T) reply { return c.ask(t, "GET", "/api/v1/peppol/settings", "") }},
		{finding.Unwrapped, 200, func(t *testing.T) reply {
			return c.parse(t, "it/fatturapa", strings.Replace(string(italianFile(t, "goods.xml")), "</p:FatturaElettronica>",
				`<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/></p:FatturaElettronica>`, 1))
		}},
		{finding.UnsignedFacturae, 200, func(t *testing.T) reply {
			data, err := os.ReadFile("../testdata/facturae/public-administration.json")
			if err != nil {
				t.Fatal(err)
			}
			return c.ask(t, "POST", "/api/v1/invoice/es/facturae/generate", string(data))
		}},
		{finding.IssueTimeAssumed, 200, func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/invoice/om/ubl/generate", sampleOf(t, "om", "issueTime"))
		}},
		{finding.BothDatesRequired, 400, inAustria(c, "deliveryDate", "", "servicePeriod", `{"start":"2026-02-01"}`)},
		{finding.GroupNotRepresentable, 200, inAustria(c, "items.0.lineSubtype", `"GROUP"`, "items.0.subItems", `[{"description":"Bürostuhl","quantity":4,"unit":"C62","unitPrice":250,`+
			`"taxRate":20,"taxCategoryCode":"S","netAmount":1000,"taxAmount":200}]`)},
		{finding.DeliveryDateAssumed, 200, inAustria(c, "deliveryDate", "", "deliveryNote", `{"number":"1"}`)},
		{finding.CharacterNotShown, 200, func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/invoice/de/pdf/generate", edited(t, "notes", `"\ud80c\udc80"`))
		}},
		{finding.InvalidTemplate, 400, func(t *testing.T) reply {
			return c.ask(t, "POST", "/api/v1/invoice/de/pdf/generate", strings.Replace(string(docs.Example()), `"invoice":`, `"formatOptions": {"template": {"blocks": 1}}, "invoice":`, 1))
		}},
		{finding.LineSignMoved, 200, with("items.0.unitPrice", "-25")},
		{finding.DecimalsReduced, 200, with("items.0.netAmount", "100.00000000000001")},
		{finding.TaxCategoryAssumed, 200, with("items.0.taxRate", "0", "items.0.taxAmount", "0", "items.0.taxCategoryCode", "", "taxSummary.0.taxRate", "0",
			"taxSummary.0.taxCategoryCode", "", "taxSummary.0.taxAmount", "0", "total", "100")},
		{finding.SmallBusinessWithVAT, 200, with("countrySpecific", `{"countryCode":"DE","isKleinunternehmer":true}`)},
		{finding.LineNetMismatch, 200, with("items.0.netAmount", "99", "items.0.taxAmount", "18.81", "taxSummary.0.netAmount", "99",
			"taxSummary.0.taxAmount", "18.81", "subtotal", "99", "total", "117.81")},
		{finding.ValueCalculated, 200, func(t *testing.T) reply {
			return c.ask(t, "POST", generatePath+"?calculate=true", edited(t, "total", ""))
		}},
		{finding.ElementNotMapped, 200, parse("", readExample(t, "unknown-elements.xml"))},
		{finding.Specification, 200, parse("", readExample(t, "unknown-elements.xml"))},
		{finding.UnknownMember, 200, with("duedate", `"2026-04-01"`)},
		{finding.SelfCheckIncomplete, 200, func(t *testing.T) reply { return judge.generate(t, "notes", `"TRY-NUMBER x"`) }},
		{finding.ValidationNotRun, 200, tried("NUMBER x")},
		{finding.AssertWithoutID, 200, tried("NAMELESS-ASSERT")},
		{finding.ReportWithoutID, 200, tried("NAMELESS-REPORT")},
		{finding.SpecRulePending, 200, tried("PENDING")},
		{finding.VATIDCountryPrefixAdded, 200, func(t *testing.T) reply { return judge.generate(t, "seller.vatId", `"123456789"`) }},
		{finding.InvoiceLinesAboveModeLimit, 200, func(t *testing.T) reply {
			return small.generate(t, "items.0.subItems", lines(5_000))
		}},
		{finding.CarrierFontsNotEmbedded, 200, func(t *testing.T) reply { return carried(t, "", "") }},
		{finding.CarrierFontsNotChecked, 200, func(t *testing.T) reply { return carried(t, "/Kids[3 0 R]", "/Kids[2 0 R]") }},
		{finding.CarrierSignatureInvalidated, 200, embedded("/Perms<</UR3<</ByteRange[0 1]>>>>", "")},
		{finding.CarrierCertificationInvalidated, 200, embedded("/Perms<</DocMDP<</ByteRange[0 1]>>>>", "")},
		{finding.CarrierRepaired, 200, embedded("", "startxref\n")},
		{finding.SchemaViolation, 200, func(t *testing.T) reply {
			document := strings.Replace(string(c.generate(t).Data), "<Invoice ", "<Invoice wrong='1' ", 1)
			return judge.ask(t, "POST", validatePath, document, "Content-Type", "application/xml")
		}},
		{"DE_SUM_001", 422, func(t *testing.T) reply { return judge.generate(t, "subtotal", "101", "total", "120") }},
		{"BR-CO-10", 422, func(t *testing.T) reply { return judge.generate(t, "subtotal", "101", "total", "120") }},
		{"UNAUTHORIZED", 401, func(t *testing.T) reply {
			status, header, body := get(t, "POST", c.url+generatePath, "", string(docs.Example()))
			r := reply{}
			unmarshal(t, body, &r)
			r.Status, r.Header, r.Body = status, header, body
			return r
		}},
		{"FORBIDDEN", 403, func(t *testing.T) reply { return other.generate(t) }},
		{"NOT_FOUND", 404, func(t *testing.T) reply { return c.ask(t, "GET", "/api/v1/jobs/job_none", "") }},
		{"Bad Request", 400, with("currency", "")},
		{"BR-DE-17", 422, with("type", `"proforma"`)},
		{"BR-27", 422, with("items.0.unitPrice", "-25", "items.0.quantity", "-4")},
	}
	reached := map[string]bool{}
	for _, row := range rows {
		reached[row.code] = true
		t.Run(row.code, func(t *testing.T) {
			r := row.ask(t)
			given := slices.Concat(codes(r.Errors), codes(r.Warnings), codes(r.Compliance), codes(r.Carrier.Warnings), codes(r.Infos), []string{r.Error, r.Code})
			wants(t, r.Status == row.status && slices.Contains(given, row.code), r, "%d with %s, not %q", row.status, row.code, given)
		})
	}
	for _, e := range finding.Catalogue() {
		if !reached[e.Code] && elsewhere[e.Code] == "" {
			t.Errorf("no request gives %s", e.Code)
		}
	}
}

// inAustria generates the sample of Austria with changes, as ebInterface.
func inAustria(c *contract, changes ...string) func(*testing.T) reply {
	return func(t *testing.T) reply {
		sample, err := os.ReadFile("../testdata/countries/at.json")
		if err != nil {
			t.Fatal(err)
		}
		return c.ask(t, "POST", "/api/v1/invoice/at/ebinterface/generate", changed(t, sample, changes...))
	}
}

// createKey makes a key of the same account.
func (c *contract) createKey(t *testing.T, entitlement string) string {
	t.Helper()
	key, stderr, code := run(t, "", "keys", "create", "--data", c.dir, "--entitlement", entitlement)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return strings.TrimSpace(key)
}

// TestTheLinesAreCountedToTheEnd ensures that TOO_MANY_LINE_ITEMS tells the true count and the limit.
func TestTheLinesAreCountedToTheEnd(t *testing.T) {
	c := newContract(t)
	r := c.generate(t, "items", lines(30_007))
	wants(t, r.Status == 400 && r.LineItems["count"] == 30_007 && r.LineItems["limit"] == 25_000, r, "count and limit")
}

// TestTheEntitlementOfADetectedDocumentIsAsked ensures that an automatic parse asks for the entitlement of what it found.
func TestTheEntitlementOfADetectedDocumentIsAsked(t *testing.T) {
	c := newContract(t)
	document := readExample(t, "xrechnung-skonto.xml")
	body := fmt.Sprintf(`{"data":%q}`, base64.StdEncoding.EncodeToString([]byte(document)))
	for entitlement, status := range map[string]int{"e-invoice:de:xrechnung:parse": 200, "e-invoice:de:ubl:parse": 403} {
		key := c.createKey(t, entitlement)
		if got, _, answer := get(t, "POST", c.url+"/api/v1/invoice/parse", key, body); got != status {
			t.Errorf("%s gives %d, want %d: %.300s", entitlement, got, status, answer)
		}
	}
}

// inItaly generates an input of FatturaPA.
func (c *contract) inItaly(name string) func(*testing.T) reply {
	return func(t *testing.T) reply {
		return c.ask(t, "POST", "/api/v1/invoice/it/fatturapa/generate", string(italianFile(t, name+".json")))
	}
}

// italianFile is a file of the inputs and documents of FatturaPA.
func italianFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../testdata/fatturapa", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
