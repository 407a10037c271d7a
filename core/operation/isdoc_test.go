package operation

import (
	"archive/zip"
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

var isdocFormat = nationalFormat{country: "CZ", token: "isdoc", folder: "isdoc", detection: "ISDOC", version: "6.0.2", rulebook: "isdoc",
	told: map[string][]string{"20-supplements": {"FIELD_NOT_WRITTEN attachments[0].content"}}}

// TestISDOC_InputsGiveTheirGoldens ensures the document of each input, and that schema and rules have nothing against it.
func TestISDOC_InputsGiveTheirGoldens(t *testing.T) {
	isdocFormat.goldens(t, nil)
}

// TestISDOC_InputsComeBack ensures that a written document is read without a rest, and that its invoice gives the same document again.
func TestISDOC_InputsComeBack(t *testing.T) {
	isdocFormat.comesBack(t)
}

// isdocBody is the first input with a JSON merge patch.
func isdocBody(t testing.TB, patch string) []byte {
	t.Helper()
	return isdocFormat.body(t, "01-invoice", patch)
}

// isdocKeyCases has every key for Czechia as a merge patch, with the part of the document where it lands.
var isdocKeyCases = map[string]string{
	`{"countrySpecific":{"ico":"27074358"}}`:                         "<ID>27074358</ID>",
	`{"seller":{"vatId":""},"countrySpecific":{"dic":"CZ27074358"}}`: "<PartyTaxScheme><CompanyID>CZ27074358</CompanyID><TaxScheme>VAT</TaxScheme></PartyTaxScheme>",
	`{"seller":{"vatId":"","registrationNumber":"12345679"},"countrySpecific":{"dic":"CZ7001011234","vatPayer":false},"taxSummary":[{"taxCategoryCode":"O","netAmount":100,"taxAmount":0}],` +
		`"items":[{"description":"A","quantity":1,"unit":"C62","unitPrice":100,"taxCategoryCode":"O","netAmount":100,"taxAmount":0}],"subtotal":100,"total":100}`: "<TaxScheme>TIN</TaxScheme>",
	`{"countrySpecific":{"vatPayer":true}}`:         "<VATApplicable>true</VATApplicable>",
	`{"countrySpecific":{"variableSymbol":"4711"}}`: "<VariableSymbol>4711</VariableSymbol>",
	`{}`: "<VariableSymbol>20260001</VariableSymbol>",
	`{"countrySpecific":{"constantSymbol":"0308"}}`:                                     "<ConstantSymbol>0308</ConstantSymbol>",
	`{"countrySpecific":{"specificSymbol":"99"}}`:                                       "<SpecificSymbol>99</SpecificSymbol>",
	`{"currency":"EUR","countrySpecific":{"exchangeRate":25.10}}`:                       "<CurrRate>25.10</CurrRate><RefCurrRate>1</RefCurrRate>",
	`{"currency":"HUF","countrySpecific":{"exchangeRate":6.2,"exchangeRateUnits":100}}`: "<CurrRate>6.2</CurrRate><RefCurrRate>100</RefCurrRate>",
	`{"countrySpecific":{"uuid":"7B4C5BE0-288C-11D2-8E62-004095452B84"}}`:               "<UUID>7B4C5BE0-288C-11D2-8E62-004095452B84</UUID>",
	`{"countrySpecific":{"national":{"IssuingSystem":"ERP 3"}}}`:                        "<IssuingSystem>ERP 3</IssuingSystem>",
}

// TestISDOC_Keys ensures where each key lands.
func TestISDOC_Keys(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range isdocKeyCases {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: isdocBody(t, patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if got := squeezedXML(answer.Data); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", patch, want, got)
		}
		if slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.FieldNotWritten }) {
			t.Errorf("%s: %+v", patch, answer.Warnings)
		}
	}
}

// TestISDOC_WhatItCannotSayIsTold has members without a place, and what they are warned of with.
func TestISDOC_WhatItCannotSayIsTold(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range map[string]string{
		`{"servicePeriod":{"start":"2026-02-01","end":"2026-02-28"}}`: "INVOICE_SERVICE_PERIOD_NOT_REPRESENTABLE servicePeriod",
		`{"type":"partial"}`:                                                       "DOCUMENT_TYPE_FALLBACK type",
		`{"contractNumber":"S-1"}`:                                                 "FIELD_NOT_WRITTEN contractNumber",
		`{"taxPointDate":"2026-03-01"}`:                                            "FIELD_NOT_WRITTEN deliveryDate",
		`{"seller":{"identifiers":[{"id":"1","schemeId":"0060"}]}}`:                "FIELD_NOT_WRITTEN seller.identifiers[0]",
		`{"seller":{"registrationNumber":"HRB 1","registrationScheme":"0204"}}`:    "FIELD_NOT_WRITTEN seller.registrationScheme",
		`{"seller":{"vatId":"CZ12345678"}}`:                                        "DIC_CHECK_DIGIT seller.vatId",
		`{"buyer":{"vatId":"","registrationNumber":"12345678"}}`:                   "ICO_CHECK_DIGIT buyer.registrationNumber",
		`{"paymentMethods":[{"type":"cash"},{"type":"other"}]}`:                    "FIELD_NOT_WRITTEN paymentMethods[1]",
		`{"paymentMethods":[{"type":"paypal"}]}`:                                   "VALUE_ASSUMED paymentMethods[0].type",
		`{"dueDate":""}`:                                                           "VALUE_ASSUMED dueDate",
		`{"countrySpecific":{"reverseChargeCode":"4"}}`:                            "FIELD_NOT_WRITTEN countrySpecific.reverseChargeCode",
		`{"countrySpecific":{"exchangeRate":25}}`:                                  "FIELD_NOT_WRITTEN countrySpecific.exchangeRate",
		`{"countrySpecific":{"national":{"Tax/Total":"1"}}}`:                       "FIELD_NOT_WRITTEN countrySpecific.national.Tax/Total",
		`{"buyerReference":"R-1"}`:                                                 "FIELD_NOT_WRITTEN buyerReference",
		`{"delivery":{"name":"Sklad","locationId":"1","locationIdScheme":"0060"}}`: "FIELD_NOT_WRITTEN delivery.locationId",
		`{"items":[{"lineId":"1234567890123456789012345678901234567","description":"A","quantity":1,"unit":"C62","unitPrice":10600,"taxRate":21,"netAmount":10600,"taxAmount":2226}],` +
			`"taxSummary":[{"taxRate":21,"netAmount":10600,"taxAmount":2226}],"subtotal":10600,"total":12826}`: "FIELD_TOO_LONG items[0].lineId",
		`{"items":[{"description":"A","quantity":3,"unit":"C62","unitPrice":10,"priceBaseQuantity":3,"taxRate":21,"netAmount":10,"taxAmount":2.1}],` +
			`"taxSummary":[{"taxRate":21,"netAmount":10,"taxAmount":2.1}],"subtotal":10,"total":12.1}`: "DECIMALS_REDUCED items[0].unitPrice",
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: isdocBody(t, patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code+" "+w.Field == want || w.Rule+" "+w.Field == want }) {
			t.Errorf("%s: no %s in %+v", patch, want, answer.Warnings)
		}
	}
	grouped := isdocBody(t, `{"items":[{"description":"Sada","quantity":1,"unit":"C62","unitPrice":100,"netAmount":100,"taxAmount":21,"taxRate":21,"lineSubtype":"GROUP",
		"subItems":[{"description":"A","quantity":1,"unit":"C62","unitPrice":60,"netAmount":60,"taxAmount":12.6,"taxRate":21},
		{"description":"B","quantity":1,"unit":"C62","unitPrice":40,"netAmount":40,"taxAmount":8.4,"taxRate":21}]}],
		"taxSummary":[{"taxRate":21,"netAmount":100,"taxAmount":21}],"subtotal":100,"total":121}`)
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: grouped})
	if err != nil || strings.Count(string(answer.Data), "<InvoiceLine>") != 2 ||
		!slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.GroupNotRepresentable }) {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestISDOC_WhatItLacksIsRefused has what ISDOC demands and the invoice does not say.
func TestISDOC_WhatItLacksIsRefused(t *testing.T) {
	s := shippedService(t, today)
	reversed := isdocFormat.inputs(t)["04-reverse-charge-domestic"]
	for _, c := range []struct {
		body        []byte
		code, field string
	}{
		{isdocBody(t, `{"currency":"EUR"}`), finding.MissingField, "countrySpecific.exchangeRate"},
		{isdocBody(t, `{"type":"credit_note"}`), finding.MissingField, "referencedInvoiceNumber"},
		{isdocBody(t, `{"total":1}`), "BR-CO-15", "total"},
		{isdocBody(t, `{"items":[]}`), "BR-16", "items"},
		{isdocBody(t, `{"taxSummary":[{"taxRate":21,"netAmount":10,"taxAmount":2.1}],"subtotal":10,"total":12.1}`), "LINES_TOTAL", "taxSummary[0].netAmount"},
		{patched(t, reversed, `{"countrySpecific":{"reverseChargeCode":""}}`), finding.MissingField, "countrySpecific.reverseChargeCode"},
	} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: c.body})
		refusal, ok := err.(*finding.Refusal)
		if !ok || len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s %s: %v", c.code, c.field, refusalOf(err))
		}
	}
}

// TestISDOC_RulesFire breaks each rule in a document that is right otherwise.
func TestISDOC_RulesFire(t *testing.T) {
	const first, other, credit = "01-invoice", "10-foreign-currency", "02-credit-note"
	const batch = "<StoreBatches><StoreBatch><Name>A</Name><Quantity unitCode=\"C62\">4</Quantity><BatchOrSerialNumber>B</BatchOrSerialNumber></StoreBatch></StoreBatches></Item>"
	const after = "<BuyersItemIdentification><ID>B-77</ID></BuyersItemIdentification>"
	isdocFormat.rulesFire(t, []brokenRule{
		{"ORIGINAL_DOCUMENT", credit, []string{"<OriginalDocumentReferences><OriginalDocumentReference><ID>FV-2026-0001</ID><IssueDate>2026-03-05</IssueDate></OriginalDocumentReference></OriginalDocumentReferences>", ""}, false},
		{"CURR_MISSING", other, []string{"<LineExtensionAmountCurr>398.30</LineExtensionAmountCurr>", ""}, false},
		{"CURR_MISSING", other, []string{"<TaxInclusiveAmountCurr>602.93</TaxInclusiveAmountCurr><AlreadyClaimedTaxExclusiveAmount>", "<AlreadyClaimedTaxExclusiveAmount>"}, false},
		{"CURR_MISSING", other, []string{"<TaxAmountCurr>104.64</TaxAmountCurr>", ""}, false},
		{"CURR_INCOMPLETE", other, []string{"<PayableAmountCurr>502.96</PayableAmountCurr>", ""}, true},
		{"CURR_UNUSED", first, []string{"</PayableAmount>", "</PayableAmount><PayableAmountCurr>1</PayableAmountCurr>"}, true},
		{"CURR_RATE", first, []string{"<CurrRate>1<", "<CurrRate>2<"}, false},
		{"SAME_CURRENCY", other, []string{"<ForeignCurrencyCode>EUR", "<ForeignCurrencyCode>CZK"}, false},
		{"VAT_APPLICABLE", "09-small-business", []string{"<VATApplicable>false</VATApplicable></ClassifiedTaxCategory>", "<VATApplicable>true</VATApplicable></ClassifiedTaxCategory>"}, false},
		{"BATCH_UNIT", first, []string{after + "</Item>", after + strings.Replace(batch, "<StoreBatches>", "<StoreBatches><StoreBatch><Name>B</Name><Quantity unitCode=\"X\">0</Quantity><BatchOrSerialNumber>B</BatchOrSerialNumber></StoreBatch>", 1)}, false},
		{"BATCH_UNIT_OF_LINE", first, []string{after + "</Item>", after + strings.Replace(batch, "C62", "KGM", 1)}, false},
		{"BATCH_QUANTITY", first, []string{after + "</Item>", after + strings.Replace(batch, ">4<", ">3<", 1)}, false},
		{"SECONDARY_ITEM_ID", first, []string{"<SellersItemIdentification><ID>Z-4</ID></SellersItemIdentification>", "<SecondarySellersItemIdentification><ID>2</ID></SecondarySellersItemIdentification>"}, false},
		{"TERTIARY_ITEM_ID", first, []string{after, "<TertiarySellersItemIdentification><ID>2</ID></TertiarySellersItemIdentification>" + after}, false},
		{"ICO_CHECK_DIGIT", first, []string{"<ID>12345679<", "<ID>12345678<"}, true},
		{"DIC_CHECK_DIGIT", first, []string{"<CompanyID>CZ12345679<", "<CompanyID>CZ12345678<"}, true},
		{"TAX_EXCLUSIVE_TOTAL", first, []string{"<TaxExclusiveAmount>10600.00", "<TaxExclusiveAmount>10700.00"}, true},
		{"TAX_INCLUSIVE_TOTAL", first, []string{"<TaxInclusiveAmount>12772.00", "<TaxInclusiveAmount>12872.00"}, true},
		{"LINES_TOTAL", first, []string{"<LineExtensionAmount>600.00", "<LineExtensionAmount>700.00"}, true},
		{"PAYABLE_AMOUNT", first, []string{"<PayableAmount>12772.00", "<PayableAmount>12872.00"}, true},
	})
}

// TestISDOC_CheckDigits has numbers of companies with the right check digit and with another one.
func TestISDOC_CheckDigits(t *testing.T) {
	isdocFormat.checkDigits(t, "01-invoice", "", "12345679", 2, map[string]bool{"12345679": true, "27074358": true, "25596641": true, "45274649": true, "00006947": true, "25097563": true, "00000000": false,
		"12345678": false, "27074359": false, "25596640": false, "45274648": false, "00006948": false})
}

// TestISDOC_OlderVersions ensures that 6.0 and 6.0.1 are read as what they are, and that a version before is named as one that is not read.
func TestISDOC_OlderVersions(t *testing.T) {
	s := shippedService(t, today)
	for _, version := range []string{"6.0", "6.0.1"} {
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: isdocFormat.golden(t, "01-invoice", `version="6.0.2"`, `version="`+version+`"`)})
		if err != nil || parsed.Format != "ISDOC" || *parsed.Detection.FormatVersion != version || len(parsed.Warnings) != 1 || parsed.Warnings[0].Field != "/Invoice/@version" {
			t.Errorf("%s: %v %+v", version, refusalOf(err), parsed)
		}
	}
	_, err := s.Parse(t.Context(), ParseRequest{Document: isdocFormat.golden(t, "01-invoice", "http://isdoc.cz/namespace/2013", "http://isdoc.cz/namespace/invoice", `version="6.0.2"`, `version="5.3.1"`)})
	if refusal, ok := err.(*finding.Refusal); !ok || !strings.Contains(refusal.Error(), "5.3.1") {
		t.Errorf("5.3.1: %v", err)
	}
}

// TestISDOC_Archives ensures that an ISDOCX file is parsed, judged and converted as the document in it, and that the answer tells.
func TestISDOC_Archives(t *testing.T) {
	s := shippedService(t, today)
	document := isdocFormat.golden(t, "01-invoice")
	file := isdocArchive(t, document)
	parsed, err := s.Parse(t.Context(), ParseRequest{Document: file})
	if err != nil || parsed.Invoice.InvoiceNumber != "FV-2026-0001" || len(parsed.Infos) == 0 || parsed.Infos[0].Code != finding.Unwrapped || !strings.Contains(parsed.Infos[0].Message, "photo.jpg") {
		t.Errorf("%v %+v", refusalOf(err), parsed)
	}
	verdict, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Format: "isdoc", Document: file})
	if err != nil || !verdict.Valid || len(verdict.Infos) == 0 || verdict.Infos[0].Code != finding.Unwrapped {
		t.Errorf("%v %+v", refusalOf(err), verdict)
	}
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "ubl"}})
	if err != nil || !strings.Contains(string(converted.Data), "FV-2026-0001") {
		t.Errorf("%v", refusalOf(err))
	}
	if _, err := s.Parse(t.Context(), ParseRequest{Document: file[:len(file)/2]}); err == nil {
		t.Error("half an archive is parsed")
	}
	if _, err := s.Parse(t.Context(), ParseRequest{Document: isdocArchive(t, []byte("text"))}); err == nil {
		t.Error("a text is parsed")
	}
}

// isdocArchive is an ISDOCX file around a document, with other files, each a name and what is in it. Without any it has a photo.
func isdocArchive(t testing.TB, document []byte, files ...string) []byte {
	t.Helper()
	if files == nil {
		files = []string{"photo.jpg", "x"}
	}
	files = append(files, "manifest.xml", `<manifest xmlns="http://isdoc.cz/namespace/2013/manifest"><maindocument filename="invoice.isdoc"/></manifest>`, "invoice.isdoc", string(document))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Digests of the text "x", in base64.
const (
	sha1OfX   = "EfatjsUqKYSrqv18O1FlA3hcIHI="
	sha256OfX = "LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE="
)

// withSupplements is a document with supplements: file name, algorithm, digest and attributes of each.
func withSupplements(t testing.TB, supplements ...[4]string) []byte {
	t.Helper()
	list := ""
	for _, s := range supplements {
		list += "<Supplement" + s[3] + "><Filename>" + s[0] + `</Filename><DigestMethod Algorithm="` + s[1] + `"/><DigestValue>` + s[2] + "</DigestValue></Supplement>"
	}
	return isdocFormat.golden(t, "01-invoice", "</Invoice>", "<SupplementsList>"+list+"</SupplementsList></Invoice>")
}

const (
	sha1URI   = "http://www.w3.org/2000/09/xmldsig#sha1"
	sha256URI = "http://www.w3.org/2001/04/xmlenc#sha256"
)

// TestISDOC_Supplements ensures that supplements of a document alone are supporting documents with their digests in national, and are written as they were.
func TestISDOC_Supplements(t *testing.T) {
	s := shippedService(t, today)
	const second = "SupplementsList/Supplement[2]/"
	document := withSupplements(t, [4]string{"smlouva.pdf", sha1URI, sha1OfX, ""}, [4]string{`nahled\FV.pdf`, sha256URI, sha256OfX, ` preview="true"`})
	parsed := parsedAs(t, s, document)
	inv := parsed.Invoice
	if want := []invoice.SupportingDocument{{ID: "smlouva.pdf"}, {ID: `nahled\FV.pdf`}}; len(parsed.Warnings) > 0 || !slices.Equal(inv.SupportingDocuments, want) {
		t.Errorf("%+v %+v", inv.SupportingDocuments, parsed.Warnings)
	}
	national := inv.CountrySpecific.National
	for path, want := range map[string]string{"SupplementsList/Supplement[1]/DigestMethod/@Algorithm": sha1URI, second + "DigestValue": sha256OfX, second + "@preview": "true"} {
		if !slices.Equal(national[path], []string{want}) {
			t.Errorf("%s: %v", path, national[path])
		}
	}
	if again := squeezedXML(isdocFormat.generate(t, s, requestOf(t, inv)).Data); again != string(document) {
		t.Errorf("%s\n%s", document, again)
	}
}

// TestISDOC_SupplementsOfArchives ensures that files which came with a document are its attachments, and are written with the same digests.
func TestISDOC_SupplementsOfArchives(t *testing.T) {
	s := shippedService(t, today)
	document := withSupplements(t, [4]string{"smlouva.pdf", sha1URI, sha1OfX, ""}, [4]string{"chybi.pdf", sha1URI, sha1OfX, ""}, [4]string{`nahledy\FV.bmp`, sha256URI, sha256OfX, ` preview="true"`},
		[4]string{"jine.csv", "urn:other", "AA==", ""})
	parsed := parsedAs(t, s, isdocArchive(t, document, "smlouva.pdf", "x", "nahledy/FV.bmp", "x", "jine.csv", "y"))
	inv := parsed.Invoice
	want := []invoice.Attachment{{Filename: "smlouva.pdf", MimeType: "application/pdf", Content: "eA=="}, {Filename: `nahledy\FV.bmp`, MimeType: "image/bmp", Content: "eA=="},
		{Filename: "jine.csv", MimeType: "text/csv", Content: "eQ=="}}
	if len(parsed.Warnings) > 0 || !slices.Equal(inv.Attachments, want) || !slices.Equal(inv.SupportingDocuments, []invoice.SupportingDocument{{ID: "chybi.pdf"}}) {
		t.Errorf("%+v %+v %+v", inv.Attachments, inv.SupportingDocuments, parsed.Warnings)
	}
	answer := isdocFormat.generate(t, s, requestOf(t, inv))
	text := squeezedXML(answer.Data)
	for _, part := range []string{"<Filename>smlouva.pdf</Filename><DigestMethod Algorithm=\"" + sha1URI + "\"/><DigestValue>" + sha1OfX + "<", "<Filename>chybi.pdf<",
		"<Supplement preview=\"true\"><Filename>nahledy\\FV.bmp</Filename><DigestMethod Algorithm=\"" + sha256URI + "\"/><DigestValue>" + sha256OfX + "<",
		"<Filename>jine.csv</Filename><DigestMethod Algorithm=\"urn:other\"/><DigestValue>AA==<"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	if told := isdocFormat.warnings(answer.Warnings); !slices.Equal(told, []string{"FIELD_NOT_WRITTEN attachments[0].content", "FIELD_NOT_WRITTEN attachments[1].content", "FIELD_NOT_WRITTEN attachments[2].content"}) {
		t.Errorf("%q", told)
	}
	again := parsedAs(t, s, isdocArchive(t, answer.Data, "smlouva.pdf", "x", "nahledy/FV.bmp", "x", "jine.csv", "y"))
	if diff := cmp.Diff(inv, again.Invoice, byDecimal); diff != "" {
		t.Error(diff)
	}
}

// TestISDOC_OtherDigest ensures that a digest which is not that of the file in the archive is told, by parse and by convert.
func TestISDOC_OtherDigest(t *testing.T) {
	s := shippedService(t, today)
	file := isdocArchive(t, withSupplements(t, [4]string{"a.pdf", sha1URI, sha1OfX, ""}, [4]string{"b.pdf", sha256URI, sha1OfX, ""}), "a.pdf", "x", "b.pdf", "x")
	const path = "/Invoice/SupplementsList/Supplement[2]/DigestValue"
	parsed := parsedAs(t, s, file)
	if w := parsed.Warnings; len(w) != 1 || w[0].Code != finding.ElementNotMapped || w[0].Field != path || !strings.Contains(w[0].Message, "b.pdf in the archive has the digest "+sha256OfX) {
		t.Errorf("%+v", w)
	}
	if inv := parsed.Invoice; len(inv.Attachments) != 2 || inv.Attachments[1].Content != "eA==" {
		t.Errorf("%+v", inv.Attachments)
	}
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "ubl"}})
	if err != nil || !slices.ContainsFunc(converted.ConversionWarnings, func(w finding.Finding) bool { return w.Field == path }) {
		t.Errorf("%v %+v", err, converted)
	}
}

// TestISDOC_ArchivesAreJudgedWithTheirFiles ensures that validate says of the files of an archive what parse says of them, in whichever way it is
// asked, and that they do not make a document invalid.
func TestISDOC_ArchivesAreJudgedWithTheirFiles(t *testing.T) {
	s := shippedService(t, today)
	right, wrong := [4]string{"a.pdf", sha1URI, sha1OfX, ""}, [4]string{"b.pdf", sha256URI, sha1OfX, ""}
	for name, c := range map[string]struct {
		document []byte
		warnings int
		left     string // the file that could not be had
	}{
		"a wrong digest":                    {isdocArchive(t, withSupplements(t, right, wrong), "a.pdf", "x", "b.pdf", "x"), 1, ""},
		"a file named twice":                {isdocArchive(t, withSupplements(t, wrong, wrong), "b.pdf", "x"), 2, ""},
		"two lists":                         {isdocArchive(t, bytes.Replace(withSupplements(t, right, wrong), []byte("</Supplement><Supplement>"), []byte("</Supplement></SupplementsList><SupplementsList><Supplement>"), 1), "a.pdf", "y", "b.pdf", "x"), 1, ""},
		"right digests":                     {isdocArchive(t, withSupplements(t, right), "a.pdf", "x"), 0, ""},
		"no supplements":                    {isdocArchive(t, isdocFormat.golden(t, "01-invoice")), 0, ""},
		"a file that is not there":          {isdocArchive(t, withSupplements(t, wrong), "a.pdf", "x"), 0, ""},
		"no archive":                        {withSupplements(t, wrong), 0, ""},
		"a damaged file":                    {damaged(t, isdocArchive(t, withSupplements(t, wrong, right), "a.pdf", "y", "b.pdf", "x"), "b.pdf"), 1, "b.pdf"},
		"a file beyond measure":             {isdocArchive(t, withSupplements(t, wrong, wrong), "b.pdf", strings.Repeat("x", 5<<20)), 0, "b.pdf"},
		"an algorithm that nobody here has": {isdocArchive(t, withSupplements(t, [4]string{"a.pdf", "urn:other", sha1OfX, ""}), "a.pdf", "y"), 0, ""},
	} {
		parsed := parsedAs(t, s, c.document)
		for _, format := range []string{"", "isdoc"} {
			verdict, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Format: format, Document: c.document})
			if err != nil {
				t.Errorf("%s: %v", name, refusalOf(err))
				continue
			}
			told := slices.DeleteFunc(verdict.Warnings, func(w finding.Finding) bool { return w.Code != finding.ElementNotMapped })
			if diff := cmp.Diff(parsed.Warnings, told); len(told) != c.warnings || diff != "" || verdict.Valid != (name != "two lists") {
				t.Errorf("%s: %+v %v\n%s", name, told, verdict.Errors, diff)
			}
			if left := infosLike(verdict.Infos, "was left in the archive"); left != infosLike(parsed.Infos, "was left in the archive") || !strings.HasPrefix(left, c.left) || (left == "") != (c.left == "") {
				t.Errorf("%s: %+v %+v", name, verdict.Infos, parsed.Infos)
			}
		}
	}
	file := isdocArchive(t, withSupplements(t, wrong), "b.pdf", "x")
	_, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Document: file[:len(file)/2]})
	if refusal, is := errors.AsType[*finding.Refusal](err); !is || refusal.Kind != finding.BadRequest {
		t.Errorf("half an archive: %v", err)
	}
}

// infosLike is the messages with a text, a line each.
func infosLike(infos []Info, text string) (told string) {
	for _, info := range infos {
		if strings.Contains(info.Message, text) {
			told += info.Message + "\n"
		}
	}
	return told
}

// damaged gives a file of an archive another checksum in its directory, which is the one that counts (APPNOTE.TXT 4.3.12).
func damaged(t testing.TB, archive []byte, name string) []byte {
	t.Helper()
	const checksum, headerSize = 16, 46
	at := bytes.LastIndex(archive, []byte(name)) - headerSize
	if at < 0 || !bytes.HasPrefix(archive[at:], []byte("PK\x01\x02")) {
		t.Fatalf("no %s in the directory", name)
	}
	archive[at+checksum] ^= 1
	return archive
}

// TestISDOC_FilesForUBL ensures that files of an archive are attached where UBL has their type, and named where it has not.
func TestISDOC_FilesForUBL(t *testing.T) {
	s := shippedService(t, today)
	file := isdocArchive(t, withSupplements(t, [4]string{"a.pdf", sha1URI, sha1OfX, ""}, [4]string{"logo.bmp", sha1URI, sha1OfX, ""}), "a.pdf", "x", "logo.bmp", "x")
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "ubl"}})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	inv := parsedAs(t, s, converted.Data).Invoice
	if len(inv.Attachments) != 1 || inv.Attachments[0].Filename != "a.pdf" || len(inv.SupportingDocuments) != 1 || inv.SupportingDocuments[0].ID != "logo.bmp" {
		t.Errorf("%+v %+v", inv.Attachments, inv.SupportingDocuments)
	}
	if !slices.ContainsFunc(converted.ConversionWarnings, func(w finding.Finding) bool {
		return strings.Contains(w.Message, "logo.bmp") && strings.Contains(w.Message, "image/bmp")
	}) {
		t.Errorf("%+v", converted.ConversionWarnings)
	}
}

// TestISDOC_FileNamedAgainAndAgain ensures that a file which cannot be had is told once, however often a document names it, and that each of its
// supplements stays a supporting document.
func TestISDOC_FileNamedAgainAndAgain(t *testing.T) {
	s := shippedService(t, today)
	named := [4]string{"a.pdf", sha1URI, sha1OfX, ""}
	parsed := parsedAs(t, s, isdocArchive(t, withSupplements(t, named, named, named), "a.pdf", strings.Repeat("x", 5<<20)))
	told := 0
	for _, info := range parsed.Infos {
		if strings.Contains(info.Message, "a.pdf was left in the archive") {
			told++
		}
	}
	if inv := parsed.Invoice; told != 1 || len(inv.Attachments) != 0 || len(inv.SupportingDocuments) != 3 {
		t.Errorf("%+v %+v", parsed.Infos, inv.SupportingDocuments)
	}
}

// TestISDOC_SupplementsWithHoles ensures that a supplement without a name or without a digest does not take those of another one.
func TestISDOC_SupplementsWithHoles(t *testing.T) {
	s := shippedService(t, today)
	for _, list := range [][][4]string{
		{{"", sha1URI, sha1OfX, ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
		{{"a.pdf", sha1URI, "", ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
		{{"", "", "", ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
		{{"a.pdf", sha1URI, sha1OfX, ""}, {"", sha1URI, sha1OfX, ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
	} {
		document := withSupplements(t, list...)
		inv := parsedAs(t, s, document).Invoice
		again := squeezedXML(isdocFormat.generate(t, s, requestOf(t, inv)).Data)
		if diff := cmp.Diff(inv, parsedAs(t, s, []byte(again)).Invoice, byDecimal); diff != "" && list[0][1] != "" || !strings.Contains(again, "<Filename>b.pdf</Filename><DigestMethod Algorithm=\""+sha256URI+"\"/><DigestValue>"+sha256OfX) {
			t.Errorf("%q: %s\n%s", list, diff, again)
		}
		packed := parsedAs(t, s, isdocArchive(t, document, "b.pdf", "x", "a.pdf", "x"))
		if files := packed.Invoice.Attachments; len(packed.Warnings) > 0 || len(files) == 0 || files[len(files)-1].Filename != "b.pdf" {
			t.Errorf("%q: %+v %+v", list, files, packed.Warnings)
		}
	}
	bare := bytes.ReplaceAll(withSupplements(t, [4]string{"a.pdf", sha1URI, "", ""}), []byte("<DigestValue></DigestValue>"), nil)
	if packed := parsedAs(t, s, isdocArchive(t, bare, "a.pdf", "x")); len(packed.Warnings) > 0 || len(packed.Invoice.Attachments) != 1 {
		t.Errorf("%+v", packed)
	}
}

// TestISDOC_FilesOfNational ensures that files which national names itself are written after those of the invoice.
func TestISDOC_FilesOfNational(t *testing.T) {
	s := shippedService(t, today)
	answer := isdocFormat.generate(t, s, isdocBody(t, `{"attachments":[{"filename":"a.pdf","mimeType":"application/pdf","content":"eA=="}],"countrySpecific":{"national":{
		"SupplementsList/Supplement/Filename":"z.pdf","SupplementsList/Supplement/DigestMethod/@Algorithm":"urn:other","SupplementsList/Supplement/DigestValue":"AA=="}}}`))
	if text := squeezedXML(answer.Data); !strings.Contains(text, sha256OfX+"</DigestValue></Supplement><Supplement><Filename>z.pdf</Filename><DigestMethod Algorithm=\"urn:other\"/><DigestValue>AA==</DigestValue>") {
		t.Error(text)
	}
}

// TestISDOC_FilesStayInISDOC ensures that a file of an archive keeps its name and digest where the document is written again.
func TestISDOC_FilesStayInISDOC(t *testing.T) {
	s := shippedService(t, today)
	document := withSupplements(t, [4]string{"logo.bmp", sha1URI, sha1OfX, ""})
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: isdocArchive(t, document, "logo.bmp", "x"), Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "isdoc"}})
	if err != nil || squeezedXML(converted.Data) != string(document) || len(converted.ConversionWarnings) != 1 || !strings.Contains(converted.ConversionWarnings[0].Message, "ISDOCX") {
		t.Errorf("%v %+v", err, converted)
	}
}

// TestISDOC_FilesThatAreNamed ensures what is written of files and references: their names with digests, and what of them has no place is told.
func TestISDOC_FilesThatAreNamed(t *testing.T) {
	s := shippedService(t, today)
	answer := isdocFormat.generate(t, s, isdocBody(t, `{"attachments":[{"filename":"a.pdf","mimeType":"application/pdf","content":"eA==","description":"Smlouva","reference":"S-1"}],
		"supportingDocuments":[{"id":"D-1","description":"Protokol"}]}`))
	if text := squeezedXML(answer.Data); !strings.Contains(text, "<SupplementsList><Supplement><Filename>a.pdf</Filename><DigestMethod Algorithm=\""+sha256URI+"\"/><DigestValue>"+sha256OfX+
		"</DigestValue></Supplement></SupplementsList></Invoice>") {
		t.Error(text)
	}
	if told := isdocFormat.warnings(answer.Warnings); !slices.Equal(told, []string{"FIELD_NOT_WRITTEN supportingDocuments[0]", "FIELD_NOT_WRITTEN attachments[0].content",
		"FIELD_NOT_WRITTEN attachments[0].description", "FIELD_NOT_WRITTEN attachments[0].reference"}) {
		t.Errorf("%q", told)
	}
}
