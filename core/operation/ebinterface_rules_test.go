package operation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestEbInterface_RulesFire breaks each rule in a document that is right otherwise.
func TestEbInterface_RulesFire(t *testing.T) {
	s := fullService(t)
	const (
		rate     = `<TaxPercent TaxCategoryCode="S">20`
		delivery = "<Delivery><Date>2026-03-03</Date></Delivery>"
		accounts = "<BeneficiaryAccount><BIC>BKAUATWW</BIC><IBAN>AT611904300234573201</IBAN><BankAccountOwner>Donau Werkzeug GmbH</BankAccountOwner></BeneficiaryAccount>"
	)
	for _, c := range []struct {
		rule    string
		pairs   []string
		warning bool
	}{
		{"001", []string{"R-2026-17", ""}, false},
		{"002", []string{"ATU12345675", ""}, false},
		{"003", []string{"<Address><Name>Donau", "<Contact><Name>A</Name></Contact><!-- <Name>Donau", "</Email></Address>", "</Email> -->"}, true},
		{"004", []string{"<Address><Name>Alpenbau", "<Contact><Name>A</Name></Contact><!-- <Name>Alpenbau", "</Country></Address></InvoiceRecipient>", "</Country> --></InvoiceRecipient>"}, true},
		{"005", []string{delivery, ""}, true},
		{"006", []string{`InvoiceCurrency="EUR"`, `InvoiceCurrency="EUX"`}, false},
		{"007", []string{"ATU13585627", "00000000", rate, `<TaxPercent TaxCategoryCode="AE">0`}, false},
		{"008", []string{`InvoiceCurrency="EUR"`, `InvoiceCurrency="EUR" Language="DE"`}, true},
		{"009", []string{`"Invoice"`, `"CreditMemo"`, "<TotalGrossAmount>1200.00", "<TotalGrossAmount>-1200.00"}, true},
		{"010", []string{"<Date>2026-03-03</Date>", "<Period><FromDate>2026-03-03</FromDate><ToDate>2026-03-02</ToDate></Period>"}, false},
		{"011", []string{`InvoiceCurrency="EUR"`, `InvoiceCurrency="USD"`}, false},
		{"012", []string{"200.00</TaxAmount>", `200.00</TaxAmount><AccountingCurrencyAmount Currency="USD">200.00</AccountingCurrencyAmount>`}, false},
		{"013", []string{`CountryCode="AT"`, `CountryCode="XX"`}, false},
		{"014", []string{"ATU13585627", "ATU13585628"}, true},
		{"020", []string{`Code="S"`, `Code="Q"`}, false},
		{"021", []string{rate, `<TaxPercent TaxCategoryCode="S">10`}, true},
		{"022", []string{rate, `<TaxPercent TaxCategoryCode="E">20`}, false},
		{"024", []string{rate, `<TaxPercent TaxCategoryCode="E">0`}, true},
		{"030", []string{"<UnitPrice>250", "<UnitPrice>240"}, true},
		{"031", []string{"<TaxableAmount>1000.00</TaxableAmount>" + rate + "</TaxPercent></TaxItem><LineItemAmount>", "<TaxableAmount>999.00</TaxableAmount>" + rate + "</TaxPercent></TaxItem><LineItemAmount>"}, true},
		{"032", []string{"<Tax><TaxItem><TaxableAmount>1000.00", "<Tax><TaxItem><TaxableAmount>900.00"}, false},
		{"033", []string{rate + "</TaxPercent></TaxItem><Line", `<TaxPercent TaxCategoryCode="AA">10</TaxPercent></TaxItem><Line`}, false},
		{"034", []string{"<TaxAmount>200.00", "<TaxAmount>300.00"}, false},
		{"035", []string{"<TotalGrossAmount>1200.00", "<TotalGrossAmount>1200.01"}, false},
		{"036", []string{"<DueDate>2026-04-04</DueDate>", "<DueDate>2026-04-04</DueDate><Discount><PaymentDate>2026-03-10</PaymentDate></Discount>"}, true},
		{"037", []string{"<PayableAmount>1200.00", "<PayableAmount>1100.00"}, false},
		{"040", []string{"AT611904300234573201", "AT611904300234573202"}, true},
		{"041", []string{accounts, ""}, true},
		{"042", []string{"<UniversalBankTransaction>" + accounts + "</UniversalBankTransaction>", "<SEPADirectDebit><Type>B2C</Type></SEPADirectDebit>"}, true},
	} {
		answer := judgedEbInterface(t, s, c.pairs...)
		list := answer.Errors
		if c.warning {
			list = answer.Warnings
		}
		code := "AT-EBI61-" + c.rule
		if !slices.ContainsFunc(list, func(f finding.Finding) bool { return f.Code == code || f.Rule == code }) {
			t.Errorf("%s does not fire: %+v %+v", code, answer.Errors, answer.Warnings)
		}
	}
	if before := judgedEbInterface(t, s); !before.Valid || len(before.Warnings) > 0 {
		t.Errorf("%+v", before)
	}
}

// judgedEbInterface is what validate says of the first golden with texts replaced, pair by pair.
func judgedEbInterface(t *testing.T, s *Service, pairs ...string) *ValidateAnswer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(ebInterfaceFolder, "invoice.xml"))
	if err != nil {
		t.Fatal(err)
	}
	text := squeezedXML(data)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("no %s", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	answer, err := s.Validate(t.Context(), ValidateRequest{Country: "AT", Format: "ebinterface", Document: []byte(text)})
	if err != nil {
		t.Fatal(pairs, err)
	}
	return answer
}
