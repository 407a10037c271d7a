package operation

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// facturaeGolden is a golden without white space between elements and with texts replaced, pair by pair.
func facturaeGolden(t testing.TB, name string, pairs ...string) []byte {
	t.Helper()
	text := squeezedXML(facturaeFile(t, name+".xml"))
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s: no %s", name, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return []byte(text)
}

// TestFacturae_RulesFire breaks each rule in a document that is right otherwise.
func TestFacturae_RulesFire(t *testing.T) {
	s := shippedService(t, today)
	twice := func(of string) string {
		text := squeezedXML(facturaeFile(t, of+".xml"))
		return text[strings.Index(text, "<Invoice>"):strings.Index(text, "</Invoices>")]
	}
	goods := twice("goods")
	for _, c := range []struct {
		rule, golden string
		pairs        []string
		warning      bool
	}{
		{"FACTURAE_NIF", "goods", []string{"B12345674<", "B12345675<"}, true},
		{"FACTURAE_NIF", "withholding", []string{"12345678Z<", "12345678A<"}, true},
		{"FACTURAE_NIF", "goods", []string{"A58818501<", "A5881850A<"}, true},
		{"FACTURAE_PERSON_NIF", "goods", []string{"B12345674<", "12345678Z<"}, false},
		{"FACTURAE_PERSON", "intra-community", []string{"<PersonTypeCode>J</PersonTypeCode><ResidenceTypeCode>U", "<PersonTypeCode>F</PersonTypeCode><ResidenceTypeCode>U"}, false},
		{"FACTURAE_RESIDENCE", "intra-community", []string{"<ResidenceTypeCode>U", "<ResidenceTypeCode>R"}, false},
		{"FACTURAE_DIR3", "public-administration", []string{"<RoleTypeCode>02", "<RoleTypeCode>05"}, false},
		{"FACTURAE_MODALITY", "goods", []string{"<Modality>I", "<Modality>L"}, false},
		{"FACTURAE_COUNT", "goods", []string{"<InvoicesCount>1", "<InvoicesCount>2", "<Modality>I", "<Modality>L"}, false},
		{"FACTURAE_BATCH_TOTAL", "goods", []string{"<TotalInvoicesAmount><TotalAmount>", "<TotalInvoicesAmount><TotalAmount>1"}, true},
		{"FACTURAE_BATCH_OUTSTANDING", "goods", []string{"<TotalOutstandingAmount><TotalAmount>", "<TotalOutstandingAmount><TotalAmount>1"}, true},
		{"FACTURAE_BATCH_EXECUTABLE", "goods", []string{"<TotalExecutableAmount><TotalAmount>", "<TotalExecutableAmount><TotalAmount>1"}, true},
		{"FACTURAE_UNIQUE", "goods", []string{goods, goods + goods}, false},
		{"FACTURAE_COPY", "goods", []string{goods, goods + strings.Replace(goods, "<InvoiceClass>OO", "<InvoiceClass>CO", 1)}, false},
		{"FACTURAE_NUMBER", "goods", []string{"<InvoiceNumber>FE-1<", "<InvoiceNumber> <"}, false},
		{"FACTURAE_CORRECTIVE", "credit-note", []string{"<InvoiceClass>OR", "<InvoiceClass>OO"}, false},
		{"FACTURAE_CORRECTED_NUMBER", "credit-note", []string{"<Corrective><InvoiceNumber>FE-1</InvoiceNumber>", "<Corrective>"}, false},
		{"FACTURAE_REASON", "credit-note", []string{"<ReasonCode>83", "<ReasonCode>82"}, false},
		{"FACTURAE_METHOD", "credit-note", []string{"<CorrectionMethod>02", "<CorrectionMethod>01"}, false},
		{"FACTURAE_TAX_PERIOD", "credit-note", []string{"<EndDate>2026-02-28", "<EndDate>2026-01-28"}, false},
		{"FACTURAE_DATE", "goods", []string{"<IssueDate>2026", "<IssueDate>2126"}, false},
		{"FACTURAE_CURRENCY", "goods", []string{"<InvoiceCurrencyCode>EUR", "<InvoiceCurrencyCode>USD"}, true},
		{"FACTURAE_TAX", "credit-note", []string{"<TaxAmount><TotalAmount>-52.50", "<TaxAmount><TotalAmount>-52.52"}, true},
		{"FACTURAE_COST", "credit-note", []string{"<TotalCost>-250.00", "<TotalCost>-250.02"}, true},
		{"FACTURAE_GROSS", "discounts", []string{"<ChargeAmount>5.00", "<ChargeAmount>5.02"}, true},
		{"FACTURAE_TOTAL_GROSS", "goods", []string{"<TotalGrossAmount>", "<TotalGrossAmount>1"}, true},
		{"FACTURAE_TOTAL_BEFORE_TAXES", "goods", []string{"<TotalGrossAmountBeforeTaxes>", "<TotalGrossAmountBeforeTaxes>1"}, true},
		{"FACTURAE_TOTAL_OUTPUTS", "goods", []string{"<TotalTaxOutputs>", "<TotalTaxOutputs>1"}, true},
		{"FACTURAE_TOTAL_WITHHELD", "goods", []string{"<TotalTaxesWithheld>", "<TotalTaxesWithheld>1"}, true},
		{"FACTURAE_TOTAL", "goods", []string{"<InvoiceTotal>", "<InvoiceTotal>1"}, true},
		{"FACTURAE_TOTAL_OUTSTANDING", "full", []string{"<PaymentOnAccountAmount>", "<PaymentOnAccountAmount>1"}, true},
		{"FACTURAE_TOTAL_EXECUTABLE", "retention", []string{"<WithholdingAmount>", "<WithholdingAmount>1"}, true},
	} {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "ES", Format: "facturae", Document: facturaeGolden(t, c.golden, c.pairs...)})
		if err != nil {
			t.Errorf("%s: %v", c.rule, refusalOf(err))
			continue
		}
		fired := func(list []finding.Finding) bool {
			return slices.ContainsFunc(list, func(f finding.Finding) bool { return f.Code == c.rule || f.Rule == c.rule })
		}
		if in := map[bool][]finding.Finding{true: answer.Warnings, false: answer.Errors}[c.warning]; !fired(in) {
			t.Errorf("%s: errors %+v warnings %+v", c.rule, answer.Errors, answer.Warnings)
		}
		if answer.Valid != c.warning {
			t.Errorf("%s: valid %t %+v", c.rule, answer.Valid, answer.Errors)
		}
	}
}

// TestFacturae_TaxNumbers ensures the check digits of Spanish tax numbers.
func TestFacturae_TaxNumbers(t *testing.T) {
	s := shippedService(t, today)
	for number, right := range map[string]bool{
		"B12345674": true, "ESB12345674": true, "A58818501": true, "P2807900B": true, "Q2826004J": true, "G48200422": true, "S4611001A": true, "N1234567A": false,
		"B12345675": false, "P28079002": false, "B1234567D": false, "P4800000D": true, "12345678Z": true, "X1234567L": true, "Y1234567X": true, "Z1234567R": true, "12345678A": false,
		"X1234567A": false, "1234567": false, "es b12345674": false,
	} {
		document := facturaeGolden(t, "goods", "<TaxIdentificationNumber>A58818501", "<TaxIdentificationNumber>"+number)
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "ES", Format: "facturae", Document: document})
		if err != nil {
			t.Fatal(err)
		}
		wrong := slices.ContainsFunc(answer.Warnings, func(f finding.Finding) bool { return f.Code == "FACTURAE_NIF" || f.Rule == "FACTURAE_NIF" })
		if wrong == right {
			t.Errorf("%s: wrong %t", number, wrong)
		}
	}
}
