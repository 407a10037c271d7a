package operation

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// qrBillInputs are the inputs for QR-bills by name.
func qrBillInputs(t testing.TB) map[string][]byte {
	t.Helper()
	return inputsIn(t, "../../testdata/qr-bill")
}

// billingCountry is the country whose route takes an input.
func billingCountry(name string) string {
	if strings.Contains(name, "liechtenstein") {
		return "LI"
	}
	return "CH"
}

// toldOfQRBills are the warnings of inputs.
var toldOfQRBills = map[string][]string{
	"09-debtor-left-open": {"FIELD_NOT_WRITTEN buyer"},
	"13-long-texts":       {"FIELD_NOT_WRITTEN invoiceNumber", "FIELD_TOO_LONG seller.name"},
	"14-other-letters":    {"TEXT_TRANSLITERATED buyer.name"},
	"16-debtor-abroad":    {"FIELD_NOT_WRITTEN buyer"},
}

// TestQRBill_InputsGiveTheirGoldens ensures the payload of each input, and that the rules have nothing against it.
func TestQRBill_InputsGiveTheirGoldens(t *testing.T) {
	s := shippedService(t, today)
	for name, body := range qrBillInputs(t) {
		t.Run(name, func(t *testing.T) {
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: billingCountry(name), Format: "qr-bill", Body: body})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			var warnings []string
			for _, w := range answer.Warnings {
				warnings = append(warnings, w.Code+" "+w.Field)
			}
			if !slices.Equal(warnings, toldOfQRBills[name]) {
				t.Errorf("%q", warnings)
			}
			if answer.MimeType != "text/plain" || !strings.HasSuffix(answer.Filename, ".txt") || len(answer.Rulebooks) != 1 || answer.Rulebooks[0].ID != "qr-bill" {
				t.Errorf("%s %s, judged by %v", answer.MimeType, answer.Filename, answer.Rulebooks)
			}
			compareGolden(t, "../../testdata/qr-bill/"+name+".txt", answer.Data)
		})
	}
}

// TestQRBill_InputsComeBack ensures that a payload is read without a rest, with LF and with CRLF, and that its invoice gives the same payload.
func TestQRBill_InputsComeBack(t *testing.T) {
	s := shippedService(t, today)
	for name, body := range qrBillInputs(t) {
		t.Run(name, func(t *testing.T) {
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: billingCountry(name), Format: "qr-bill", Body: body})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			for _, text := range []string{string(answer.Data), strings.ReplaceAll(string(answer.Data), "\n", "\r\n") + "\r\n", "\uFEFF" + string(answer.Data)} {
				parsed, err := s.Parse(t.Context(), ParseRequest{Document: []byte(text)})
				if err != nil || parsed.Format != "QR_BILL" || len(parsed.Warnings) > 0 || *parsed.Detection.CountryCode != billingCountry(name) ||
					*parsed.Detection.FormatVersion != "0200" || parsed.Detection.FormatMethod != "HEURISTIC" {
					t.Fatalf("%v %+v", err, parsed)
				}
				again, err := s.Convert(t.Context(), ConvertRequest{Document: []byte(text), Options: invoice.ConvertBody{TargetFormat: "qr-bill"}})
				if err != nil {
					t.Fatal(refusalOf(err))
				}
				if diff := cmp.Diff(string(answer.Data), string(again.Data)); diff != "" || len(again.ConversionWarnings) > 0 {
					t.Errorf("%s %+v", diff, again.ConversionWarnings)
				}
			}
		})
	}
}

// TestQRBill_EmptyLinesEndThere ensures that lines behind the trailer stand there only as far as they say something, and that an empty bill
// information keeps its line before an alternative scheme.
func TestQRBill_EmptyLinesEndThere(t *testing.T) {
	s := shippedService(t, today)
	golden, err := os.ReadFile("../../testdata/qr-bill/08-alternative-schemes.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := string(golden)
	lines := strings.Split(text, "\n")
	if len(lines) != 34 || strings.HasSuffix(text, "\n") {
		t.Fatalf("%d lines", len(lines))
	}
	for _, keep := range []int{31, 34} {
		source := slices.Clone(lines[:keep])
		if keep == 34 {
			source[31] = ""
		}
		again, err := s.Convert(t.Context(), ConvertRequest{Document: []byte(strings.Join(source, "\n")), Options: invoice.ConvertBody{TargetFormat: "qr-bill"}})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		if diff := cmp.Diff(strings.Join(source, "\n"), string(again.Data)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestQRBill_RefusesWhatIsNoBill ensures the code and the member of each refusal of generate.
func TestQRBill_RefusesWhatIsNoBill(t *testing.T) {
	s := shippedService(t, today)
	const payee = `"payee": {"name": "Factoring AG", "street": "Bundesplatz 3", "city": "Zug", "postalCode": "6300", "countryCode": "CH", "bankAccount": {"iban": "CH5604835012345678009"}}`
	with := func(members string) func(string) string {
		return func(body string) string {
			return strings.Replace(body, `"invoiceNumber"`, members+`, "invoiceNumber"`, 1)
		}
	}
	instead := func(from, to string) func(string) string {
		return func(body string) string {
			if !strings.Contains(body, from) {
				t.Fatalf("%q is not in the input", from)
			}
			return strings.Replace(body, from, to, 1)
		}
	}
	for name, c := range map[string]struct {
		change       func(string) string
		code, field  string
		contractWord bool
	}{
		"payee without postal code":  {with(strings.Replace(payee, `"postalCode": "6300", `, "", 1)), "CH_ADDR_004", "payee.postalCode", true},
		"payee without city":         {with(strings.Replace(payee, `"city": "Zug", `, "", 1)), "CH_ADDR_005", "payee.city", true},
		"payee without country":      {with(strings.Replace(payee, `"countryCode": "CH", `, "", 1)), "CH_ADDR_006", "payee.countryCode", true},
		"payee without account":      {with(strings.Replace(payee, `, "bankAccount": {"iban": "CH5604835012345678009"}`, "", 1)), "CH_IBAN_003", "payee.bankAccount.iban", true},
		"seller without postal code": {instead(`"postalCode": "2501",`, ``), "CH_ADDR_004", "seller.postalCode", true},
		"foreign account":            {instead("CH93 0076 2011 6238 5295 7", "DE89370400440532013000"), "IBAN_FORMAT", "seller.bankAccount.iban", false},
		"other currency":             {instead(`"currency": "CHF"`, `"currency": "USD"`), "CURRENCY", "currency", false},
		"QR reference without QR-IBAN": {with(`"countrySpecific": {"countryCode": "CH", "qrReference": "210000000003139471430009017", "referenceType": "QRR"}`),
			"QRR_NEEDS_QR_IBAN", "countrySpecific.referenceType", false},
		"wrong check digit": {with(`"countrySpecific": {"countryCode": "CH", "qrReference": "RF19539007547034"}`), "SCOR_CHECK", "countrySpecific.qrReference", false},
		"message too long": {with(`"countrySpecific": {"countryCode": "CH", "unstructuredMessage": "` + strings.Repeat("a", 100) + `", "billInformation": "` + strings.Repeat("b", 41) + `"}`),
			"ADDITIONAL_INFORMATION_LENGTH", "countrySpecific.unstructuredMessage", false},
		"alternative scheme too long": {with(`"countrySpecific": {"countryCode": "CH", "alternativeSchemes": ["` + strings.Repeat("a", 101) + `"]}`),
			"ALTERNATIVE_SCHEME_LENGTH", "countrySpecific.alternativeSchemes", false},
		"letters of another script": {instead("Muster Uhren AG", "Юлия"), "INVALID_CHARACTER", "seller.name", false},
		"amount too large":          {instead(`"total": 1081.0`, `"total": 1000000000.0`), "AMOUNT_FORMAT", "total", false},
		"credit note":               {instead(`"type": "invoice"`, `"type": "credit_note"`), "TYPE_NOT_PERMITTED", "type", false},
	} {
		body := c.change(string(qrBillInputs(t)["01-creditor-reference-from-number"]))
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "CH", Format: "qr-bill", Body: []byte(body)})
		refusal, refused := errors.AsType[*finding.Refusal](err)
		if !refused || refusal.Kind != finding.Unprocessable || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s: %v %+v", name, err, refusal)
			continue
		}
		if c.contractWord && refusal.Word != c.code {
			t.Errorf("%s: the word is %s", name, refusal.Word)
		}
	}
}
