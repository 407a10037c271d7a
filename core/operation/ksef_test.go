package operation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

var ksefFormat = nationalFormat{country: "PL", token: "ksef", folder: "ksef", detection: "KSEF_FA3", rulebook: "ksef-fa3",
	told: map[string][]string{"11-discounts": {"FIELD_NOT_WRITTEN items[0].allowances[0].reason"}}}

// TestKSeF_InputsGiveTheirGoldens ensures the document of each input, that schema and rules have nothing against it, and that the slot ubl of
// Poland gives the same.
func TestKSeF_InputsGiveTheirGoldens(t *testing.T) {
	ksefFormat.goldens(t, func(t *testing.T, s *Service, body []byte, answer *GenerateAnswer) {
		slot, err := s.Generate(t.Context(), GenerateRequest{Country: "PL", Format: "ubl", Body: body})
		if err != nil || string(slot.Data) != string(answer.Data) || slot.Format != "ubl" {
			t.Errorf("ubl: %v", err)
		}
	})
}

// TestKSeF_InputsComeBack ensures that a written document is read without a rest, and that its invoice gives the same document again.
func TestKSeF_InputsComeBack(t *testing.T) {
	ksefFormat.comesBack(t)
}

// ksefBody is the first input with a JSON merge patch.
func ksefBody(t testing.TB, patch string) []byte {
	t.Helper()
	return ksefFormat.body(t, "01-invoice", patch)
}

// patched is a body whose invoice a merge patch changes.
func patched(t testing.TB, body []byte, patch string) []byte {
	t.Helper()
	changed, err := testdata.Patched(body, []byte(`{"invoice":`+patch+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

const ksefCorrection = `"type":"correction","referencedInvoiceNumber":"1","referencedInvoiceDate":"2026-01-02"`

// ksefKeyCases has every key of the supplement §3 for Poland as a merge patch, with the part of the document where it lands.
var ksefKeyCases = map[string]string{
	`{"seller":{"vatId":""},"countrySpecific":{"nip":"1234563218"}}`:                                  "<NIP>1234563218</NIP>",
	`{"countrySpecific":{"splitPayment":true}}`:                                                       "<P_18A>1</P_18A>",
	`{"countrySpecific":{"selfBilling":true}}`:                                                        "<P_17>1</P_17>",
	`{"countrySpecific":{"cashMethod":true}}`:                                                         "<P_16>1</P_16>",
	`{"countrySpecific":{"placeOfIssue":"Gdynia"}}`:                                                   "<P_1M>Gdynia</P_1M>",
	`{"countrySpecific":{"systemInfo":"ERP 3"}}`:                                                      "<SystemInfo>ERP 3</SystemInfo>",
	`{` + ksefCorrection + `,"countrySpecific":{"correctionReason":"cena"}}`:                          "<PrzyczynaKorekty>cena</PrzyczynaKorekty>",
	`{` + ksefCorrection + `,"countrySpecific":{"correctionType":3}}`:                                 "<TypKorekty>3</TypKorekty>",
	`{` + ksefCorrection + `,"countrySpecific":{"ksefNumber":"1234563218-20260205-8BEF280C8D35-42"}}`: "<NrKSeF>1</NrKSeF><NrKSeFFaKorygowanej>1234563218-20260205-8BEF280C8D35-42</NrKSeFFaKorygowanej>",
	`{` + ksefCorrection + `}`:                                                                        "<NrFaKorygowanej>1</NrFaKorygowanej><NrKSeFN>1</NrKSeFN>",
	`{"countrySpecific":{"isJst":true,"national":{"Podmiot3/DaneIdentyfikacyjne/BrakID":"1","Podmiot3/DaneIdentyfikacyjne/Nazwa":"Gmina","Podmiot3/Rola":"8"}}}`:             "<JST>1</JST>",
	`{"countrySpecific":{"isVatGroupMember":true,"national":{"Podmiot3/DaneIdentyfikacyjne/BrakID":"1","Podmiot3/DaneIdentyfikacyjne/Nazwa":"Grupa","Podmiot3/Rola":"10"}}}`: "<GV>1</GV>",
	`{"currency":"EUR","countrySpecific":{"exchangeRate":4.5}}`:         "<P_14_1W>3726.00</P_14_1W>",
	`{"currency":"EUR","countrySpecific":{"exchangeRate":4.50}}`:        "<KursWaluty>4.50</KursWaluty>",
	`{"countrySpecific":{"documentType":"UPR"}}`:                        "<RodzajFaktury>UPR</RodzajFaktury>",
	`{"countrySpecific":{"national":{"Fa/WZ[2]":"WZ/13","Fa/FP":"1"}}}`: "<WZ>WZ/12</WZ><WZ>WZ/13</WZ>",
	`{"items":[{"description":"A","quantity":1,"unit":"C62","unitPrice":4100,"taxRate":23,"netAmount":4100,"taxAmount":943,"gtu":"GTU_06"}],"taxSummary":[{"taxRate":23,"taxCategoryCode":"S","netAmount":4100,"taxAmount":943}],"subtotal":4100,"total":5043}`:                                                                                                                    "<GTU>GTU_06</GTU>",
	`{"items":[{"description":"A","quantity":1,"unit":"C62","unitPrice":4100,"taxRate":0,"taxCategoryCode":"E","taxExemptionReasonCode":"VATEX-EU-I","netAmount":4100,"taxAmount":0}],"taxSummary":[{"taxRate":0,"taxCategoryCode":"E","exemptionReasonCode":"VATEX-EU-I","netAmount":4100,"taxAmount":0}],"subtotal":4100,"total":4100,"countrySpecific":{"marginScheme":"art"}}`: "<PMarzy><P_PMarzy>1</P_PMarzy><P_PMarzy_3_2>1</P_PMarzy_3_2></PMarzy>",
}

// TestKSeF_Keys ensures where each key lands.
func TestKSeF_Keys(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range ksefKeyCases {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: ksefBody(t, patch)})
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

// squeezedXML is a document without the white space between elements.
func squeezedXML(document []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(document)) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

// TestKSeF_WhatItCannotSayIsTold has members without a place, and what they are warned of with.
func TestKSeF_WhatItCannotSayIsTold(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range map[string]string{
		`{"countrySpecific":{"exchangeRate":4.12345678}}`:               "DECIMALS_REDUCED countrySpecific.exchangeRate",
		`{"servicePeriod":{"start":"2026-02-01"}}`:                      "INVOICE_SERVICE_PERIOD_NOT_REPRESENTABLE servicePeriod",
		`{"servicePeriod":{"start":"2026-02-01","end":"2026-02-28"}}`:   "FIELD_NOT_WRITTEN deliveryDate",
		`{"referencedInvoiceNumber":"1"}`:                               "FIELD_NOT_WRITTEN referencedInvoices",
		`{"buyer":{"taxId":"X-1"}}`:                                     "FIELD_NOT_WRITTEN buyer.taxId",
		`{"seller":{"identifiers":[{"id":"1","schemeId":"0060"}]}}`:     "FIELD_NOT_WRITTEN seller.identifiers[0]",
		`{"paymentMethods":[{"type":"cash"},{"type":"other"}]}`:         "FIELD_NOT_WRITTEN paymentMethods[1]",
		`{"prepaidAmount":100}`:                                         "FIELD_NOT_WRITTEN prepaidAmount",
		`{"type":"partial"}`:                                            "DOCUMENT_TYPE_FALLBACK type",
		`{"countrySpecific":{"national":{"Tax/Total":"1"}}}`:            "FIELD_NOT_WRITTEN countrySpecific.national.Tax/Total",
		`{"countrySpecific":{"national":{"Fa/FaWiersz[9]/UU_ID":"1"}}}`: "FIELD_NOT_WRITTEN countrySpecific.national.Fa/FaWiersz[9]/UU_ID",
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: ksefBody(t, patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code+" "+w.Field == want }) {
			t.Errorf("%s: no %s in %+v", patch, want, answer.Warnings)
		}
	}
	grouped := ksefBody(t, `{"items":[{"description":"Zestaw","quantity":1,"unit":"C62","unitPrice":100,"netAmount":100,"taxAmount":23,"taxRate":23,"lineSubtype":"GROUP",
		"subItems":[{"description":"A","quantity":1,"unit":"C62","unitPrice":60,"netAmount":60,"taxAmount":13.8,"taxRate":23},
		{"description":"B","quantity":1,"unit":"C62","unitPrice":40,"netAmount":40,"taxAmount":9.2,"taxRate":23}]},
		{"description":"Informacja","quantity":1,"unit":"C62","unitPrice":0,"netAmount":0,"taxAmount":0,"taxRate":23,"lineSubtype":"INFORMATION"}],
		"taxSummary":[{"taxRate":23,"netAmount":100,"taxAmount":23}],"subtotal":100,"total":123}`)
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: grouped})
	if err != nil || strings.Count(string(answer.Data), "<FaWiersz>") != 2 ||
		!slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.GroupNotRepresentable }) {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestKSeF_WhatItLacksIsRefused has what FA(3) demands and the invoice does not say.
func TestKSeF_WhatItLacksIsRefused(t *testing.T) {
	s := shippedService(t, today)
	exempt := ksefFormat.inputs(t)["08-exempt"]
	for _, c := range []struct {
		body        []byte
		code, field string
	}{
		{ksefBody(t, `{"seller":{"vatId":"DE123456789"}}`), finding.MissingField, "seller.vatId"},
		{ksefBody(t, `{"seller":{"street":"","city":"","postalCode":""}}`), finding.MissingField, "seller.street"},
		{ksefBody(t, `{"type":"credit_note"}`), finding.MissingField, "referencedInvoiceNumber"},
		{ksefBody(t, `{"type":"credit_note","referencedInvoiceNumber":"1"}`), finding.MissingField, "referencedInvoiceDate"},
		{ksefBody(t, `{"type":"proforma"}`), finding.TypeNotPermitted, "type"},
		{ksefBody(t, `{"currency":"EUR"}`), finding.ForeignCurrencyTaxPLN, "taxSummary[0].taxCurrencyTaxAmount"},
		{ksefBody(t, `{"currency":"EUR","taxCurrencyCode":"CZK"}`), finding.ForeignCurrencyTaxPLN, "taxCurrencyCode"},
		{ksefBody(t, `{"countrySpecific":{"documentType":"KOR"}}`), finding.TypeContradiction, "countrySpecific.documentType"},
		{ksefBody(t, `{"countrySpecific":{"documentType":"TD01"}}`), finding.InvalidValue, "countrySpecific.documentType"},
		{ksefBody(t, `{"countrySpecific":{"marginScheme":"cars"}}`), finding.InvalidValue, "countrySpecific.marginScheme"},
		{ksefBody(t, `{"countrySpecific":{"isJst":true}}`), "JST_REQUIRES_PODMIOT3", "countrySpecific.isJst"},
		{patched(t, exempt, `{"taxSummary":[{"taxCategoryCode":"E","taxRate":0,"netAmount":1500,"taxAmount":0}]}`), finding.MissingField, "taxSummary[0].exemptionReason"},
	} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: c.body})
		refusal, ok := err.(*finding.Refusal)
		if !ok || len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s %s: %v", c.code, c.field, refusalOf(err))
		}
	}
}

// TestKSeF_FA2IsRead reads documents of the version before with all of their leaves, and writes them as FA(3), which is read as the same invoice, but for the
// time at which the document was made.
func TestKSeF_FA2IsRead(t *testing.T) {
	s := shippedService(t, today)
	paths, err := filepath.Glob("../../testdata/ksef-fa2/*.xml")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: source})
		if err != nil {
			t.Errorf("%s: %v", path, refusalOf(err))
			continue
		}
		if parsed.Format != "KSEF_FA2" || len(parsed.Warnings) != 0 || len(parsed.Invoice.CountrySpecific.National["Naglowek/DataWytworzeniaFa"]) != 1 {
			t.Errorf("%s: %s %+v", path, parsed.Format, parsed.Warnings)
		}
		written, err := s.Generate(t.Context(), GenerateRequest{Country: "PL", Format: "ksef", Body: generateBody(t, parsed.Invoice)})
		if err != nil {
			t.Errorf("%s: %v", path, refusalOf(err))
			continue
		}
		if w := written.Warnings; len(w) == 0 || w[0].Code != finding.FieldNotWritten || w[0].Field != "countrySpecific.national.Naglowek/DataWytworzeniaFa" {
			t.Errorf("%s: %+v", path, w)
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: written.Data})
		if err != nil || again.Format != "KSEF_FA3" {
			t.Fatalf("%s: %v", path, err)
		}
		delete(parsed.Invoice.CountrySpecific.National, "Naglowek/DataWytworzeniaFa")
		if diff := cmp.Diff(parsed.Invoice, again.Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// TestKSeF_LargeDocumentsAreWarnedOf ensures that what KSeF would refuse for its size is given out with a warning.
func TestKSeF_LargeDocumentsAreWarnedOf(t *testing.T) {
	s := newService(t)
	for lines, want := range map[int]bool{1_000: false, 10_000: true} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "PL", Format: "ksef", Body: ksefRequest(lines)})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		warned := slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == "KSEF-430" && w.Maximum == 1_000_000 })
		if warned != want {
			t.Errorf("%d lines, %d bytes: %+v", lines, len(answer.Data), answer.Warnings)
		}
	}
}
