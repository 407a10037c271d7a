package operation

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestQRBill_ConvertListsWhatAPayloadCannotCarry ensures that each term of the source which is not in the payload is told with its place.
func TestQRBill_ConvertListsWhatAPayloadCannotCarry(t *testing.T) {
	s := shippedService(t, today)
	body := strings.NewReplacer(`"postalCode": "9490"`, `"postalCode": "9490", "electronicAddress": {"id": "7300010000001", "schemeId": "0088"}`,
		`"postalCode": "3011"`, `"postalCode": "3011", "electronicAddress": {"id": "7300010000018", "schemeId": "0088"}`,
		`"type": "invoice"`, `"type": "invoice", "orderNumber": "PO-7"`).Replace(string(qrBillInputs(t)["11-liechtenstein"]))
	source, err := s.Generate(t.Context(), GenerateRequest{Country: "LI", Format: "ubl", Body: []byte(body)})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	answer, err := s.Convert(t.Context(), ConvertRequest{Document: source.Data, Options: invoice.ConvertBody{TargetFormat: "qr-bill"}})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	if answer.MimeType != "text/plain" || answer.TargetFormat != "qr-bill" || !strings.HasPrefix(string(answer.Data), "SPC\n") {
		t.Errorf("%+v", answer)
	}
	var lost []string
	for _, w := range answer.ConversionWarnings {
		lost = append(lost, w.Message)
	}
	for _, term := range []string{"BT-153", "BT-129", "BT-131", "BT-146"} {
		if !slices.ContainsFunc(lost, func(m string) bool { return strings.HasPrefix(m, term+" at /Invoice/") }) {
			t.Errorf("%s is not listed: %q", term, lost)
		}
	}
	for _, carried := range []string{"BT-1 ", "BT-2 ", "BT-27 ", "BT-44 ", "BT-84 ", "BT-112 ", "BT-5 ", "BT-9 "} {
		if slices.ContainsFunc(lost, func(m string) bool { return strings.HasPrefix(m, carried) }) {
			t.Errorf("%sis listed: %q", carried, lost)
		}
	}
}

// TestQRBill_ConvertFromAPayloadTellsWhatIsMissing ensures that no invoice is made of a payload, which has no lines, and that a PDF can be.
func TestQRBill_ConvertFromAPayloadTellsWhatIsMissing(t *testing.T) {
	s := shippedService(t, today)
	text := goldenBill(t, "03-qr-reference")
	_, err := s.Convert(t.Context(), ConvertRequest{Document: text, Options: invoice.ConvertBody{TargetFormat: "zugferd"}})
	refusal, refused := errors.AsType[*finding.Refusal](err)
	if !refused || refusal.Kind != finding.Unprocessable || refusal.Code != finding.ConversionFailed || !slices.ContainsFunc(refusal.Errors, func(f finding.Finding) bool { return f.Field == "items" }) {
		t.Errorf("%v %+v", err, refusal)
	}
	answer, err := s.Convert(t.Context(), ConvertRequest{Document: text, Options: invoice.ConvertBody{TargetFormat: "pdf"}})
	if err != nil || answer.MimeType != "application/pdf" || answer.SourceFormat != "qr-bill" {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestQRBill_ReadsWhatOlderBillsSay ensures that combined addresses are read, as are bill information of S1 and a reference of each kind.
func TestQRBill_ReadsWhatOlderBillsSay(t *testing.T) {
	s := shippedService(t, today)
	lines := strings.Split(string(goldenBill(t, "12-discount-and-rates")), "\n")
	lines[4], lines[6], lines[7], lines[8], lines[9] = "K", "Rue du Lac 12b", "2501 Biel/Bienne", "", ""
	parsed, err := s.Parse(t.Context(), ParseRequest{Document: []byte(strings.Join(lines, "\n"))})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	inv := parsed.Invoice
	if p := inv.Seller; p.Street != "Rue du Lac 12b" || p.PostalCode != "2501" || p.City != "Biel/Bienne" || p.VATID != "CHE-123.456.788" {
		t.Errorf("%+v", p)
	}
	if inv.InvoiceNumber != "2026-0417" || inv.IssueDate != "2026-03-05" || inv.DeliveryDate != "2026-03-03" || inv.Total.String() != "1163.08" || inv.Currency != "CHF" ||
		inv.PaymentReference != "RF5120260417" || inv.CountrySpecific.ReferenceType != "SCOR" || inv.CountrySpecific.CountryCode != "CH" {
		t.Errorf("%+v %+v", inv, inv.CountrySpecific)
	}
	if len(parsed.Warnings) != 1 || parsed.Warnings[0].Field != "/QRBill/CdtrInf/Cdtr/AdrTp" || !strings.Contains(parsed.Warnings[0].Message, "line 5") {
		t.Errorf("%+v", parsed.Warnings)
	}
}

// TestQRBill_NobodySendsTheXML ensures that the XML which payloads are between reading and writing is no format.
func TestQRBill_NobodySendsTheXML(t *testing.T) {
	s := shippedService(t, today)
	lifted, err := s.formats.Syntax("qr-bill").Text.Lift(goldenBill(t, "03-qr-reference"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Parse(t.Context(), ParseRequest{Document: lifted})
	if refusal, refused := errors.AsType[*finding.Refusal](err); !refused || refusal.Code != finding.FormatNotDetected {
		t.Errorf("%v", err)
	}
}

// TestQRBill_FilesThatAreNone ensures the answers on damaged texts.
func TestQRBill_FilesThatAreNone(t *testing.T) {
	s := shippedService(t, today)
	for text, want := range map[string]struct {
		kind finding.Kind
		says string
	}{
		"SPC\n0200\n1\x01\n":                        {finding.Unprocessable, "line 3"},
		"SPC\n0200\n" + strings.Repeat("a\n", 9000): {finding.Unprocessable, "997"},
		"Guten Tag": {finding.BadRequest, "neither XML nor PDF"},
	} {
		_, err := s.Parse(t.Context(), ParseRequest{Document: []byte(text)})
		if refusal, refused := errors.AsType[*finding.Refusal](err); !refused || refusal.Kind != want.kind || !strings.Contains(refusal.Message, want.says) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	answer, err := s.Validate(t.Context(), ValidateRequest{Country: "CH", Document: []byte("SPC\n0200\n1")})
	if err != nil || answer.Valid || answer.Results[0].Format != "qr-bill" || answer.Detection.Format != "QR_BILL" {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestQRBill_IsJudgedOnBothRoutes ensures that validate says of an invoice what generate refuses it for, and lists the format among those of the
// country.
func TestQRBill_IsJudgedOnBothRoutes(t *testing.T) {
	s := shippedService(t, today)
	body := []byte(strings.Replace(string(qrBillInputs(t)["01-creditor-reference-from-number"]), `"currency": "CHF"`, `"currency": "USD"`, 1))
	for _, format := range []string{"qr-bill", ""} {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "CH", Format: format, Body: body})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		at := slices.IndexFunc(answer.Results, func(r ValidateResult) bool { return r.Format == "qr-bill" })
		if answer.Valid || at < 0 || *answer.Results[at].Valid || answer.Results[at].Errors[0].RuleID != "CURRENCY" ||
			!slices.ContainsFunc(answer.Errors, func(f finding.Finding) bool { return f.Code == "CURRENCY" && f.Field == "currency" }) {
			t.Errorf("%+v", answer)
		}
	}
	right, err := s.Validate(t.Context(), ValidateRequest{Country: "CH", Format: "qr-bill", Body: qrBillInputs(t)["03-qr-reference"]})
	if err != nil || !right.Valid || right.Rulebooks[0].ID != "qr-bill" {
		t.Errorf("%v %+v", err, right)
	}
}

// BenchmarkQRBill_Generate writes and judges a payload.
func BenchmarkQRBill_Generate(b *testing.B) {
	s := shippedService(b, today)
	body := qrBillInputs(b)["12-discount-and-rates"]
	steady(b, func() {
		if _, err := s.Generate(b.Context(), GenerateRequest{Country: "CH", Format: "qr-bill", Body: body}); err != nil {
			b.Fatal(err)
		}
	})
}
