package invoice

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// checked decodes and checks an invoice with further members and gives errors and warnings as "CODE field".
func checked(t *testing.T, members string, o CheckOptions) (errs, warnings []string) {
	t.Helper()
	body, reported, err := Decode(with(members), Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.Reported = reported
	report := Check(body.Invoice, o)
	return brief(report.Errors), brief(report.Warnings)
}

// sentence is what a sentence of the contract does to an invoice with some members.
type sentence struct {
	members string
	want    string // errors, joined by comma
}

func checkSentences(t *testing.T, cases []sentence) {
	t.Helper()
	for _, c := range cases {
		errs, warnings := checked(t, c.members, CheckOptions{Country: "de"})
		if got := strings.Join(errs, ", "); got != c.want || len(warnings) > 0 {
			t.Errorf("%s:\n got %s\nwant %s (warnings %v)", c.members, got, c.want, warnings)
		}
	}
}

// line gives items with one line that has further members.
func line(members string) string {
	return `"items":[{"description":"x","quantity":1,"unit":"C62","unitPrice":1,"netAmount":1,"taxAmount":0` + members + `}]`
}

// withLine gives an invoice whose only line has further members.
func withLine(t *testing.T, members string) *Invoice {
	t.Helper()
	return decoded(t, []byte(`{"invoice":{`+strings.Replace(minimal, `"items":[]`, line(members), 1)+`}}`))
}

func TestMinimalInvoiceHasNoErrors(t *testing.T) { checkSentences(t, []sentence{{"", ""}}) }

func TestDocumentTotalsAreCappedAtTwoDecimals(t *testing.T) {
	cases := map[string]string{
		`"subtotal":1`:             `"subtotal":1.005`,
		`"total":1`:                `"total":1.001`,
		`"taxSummary":[]`:          `"taxSummary":[{"taxRate":19,"netAmount":0.001,"taxAmount":0.001,"taxCurrencyTaxAmount":0.0001}]`,
		`"invoiceNumber":"1"`:      `"invoiceNumber":"1","prepaidAmount":1.234,"prepayments":[{"amount":1.234}]`,
		`"currency":"EUR"`:         `"currency":"EUR","roundingAmount":-0.001`,
		`"type":"invoice"`:         `"type":"invoice","prepaidAmount":1.5000`,
		`"issueDate":"2026-11-20"`: `"issueDate":"2026-11-20","allowancesCharges":[{"isCharge":true,"amount":1.2345}]`,
	}
	want := map[string][]string{
		`"subtotal":1`:        {"TOO_MANY_DECIMALS subtotal"},
		`"total":1`:           {"TOO_MANY_DECIMALS total"},
		`"taxSummary":[]`:     {"TOO_MANY_DECIMALS taxSummary[0].taxAmount", "TOO_MANY_DECIMALS taxSummary[0].taxCurrencyTaxAmount"},
		`"invoiceNumber":"1"`: {"TOO_MANY_DECIMALS prepaidAmount", "TOO_MANY_DECIMALS prepayments[0].amount"},
		`"currency":"EUR"`:    {"TOO_MANY_DECIMALS roundingAmount"},
	}
	for from, to := range cases {
		inv := decoded(t, []byte(strings.Replace(string(with("")), from, to, 1)))
		if diff := cmp.Diff(want[from], brief(Check(inv, CheckOptions{}).Errors)); diff != "" {
			t.Errorf("%s: %s", to, diff)
		}
	}
	inv := decoded(t, []byte(strings.Replace(string(with("")), `"total":1`, `"total":1.001`, 1)))
	if got := Check(inv, CheckOptions{}).Errors[0].Message; got != "total must have at most two decimals, not 1.001: send 1.00" || inv.Total.String() != "1.001" {
		t.Errorf("%q, total %s", got, inv.Total)
	}
}

func TestServicePeriodNeedsOneEndOrBoth(t *testing.T) {
	checkSentences(t, []sentence{
		{`"servicePeriod":{}`, "MISSING_FIELD servicePeriod"},
		{`"servicePeriod":{"start":"","end":null}`, "MISSING_FIELD servicePeriod"},
		{`"servicePeriod":{"start":"2026-01-01"}`, ""},
		{`"servicePeriod":{"end":"2026-01-01"}`, ""},
		{`"servicePeriod":{"start":"2026-01-01","end":"2026-01-31"}`, ""},
		{`"servicePeriod":{"start":"2026-01-32"}`, "INVALID_DATE servicePeriod.start"},
	})
	if got := brief(Check(withLine(t, `,"taxRate":0,"servicePeriod":{}`), CheckOptions{}).Errors); len(got) != 1 || got[0] != "MISSING_FIELD items[0].servicePeriod" {
		t.Error(got)
	}
}

func TestPayeeNeedsAName(t *testing.T) {
	checkSentences(t, []sentence{
		{`"payee":{"countryCode":"DE"}`, "MISSING_FIELD payee.name"}, {`"payee":{"name":"P"}`, ""},
	})
}

func TestCashDiscountPercent(t *testing.T) {
	checkSentences(t, []sentence{
		{`"cashDiscountPercent":0`, "OUT_OF_RANGE cashDiscountPercent"},
		{`"cashDiscountPercent":-1`, "OUT_OF_RANGE cashDiscountPercent"},
		{`"cashDiscountPercent":100.01`, "OUT_OF_RANGE cashDiscountPercent"},
		{`"cashDiscountPercent":2.125`, "TOO_MANY_DECIMALS cashDiscountPercent"},
		{`"cashDiscountPercent":0.01`, ""}, {`"cashDiscountPercent":100`, ""}, {`"cashDiscountPercent":2.5000`, ""},
	})
}

func TestCashDiscountDays(t *testing.T) {
	checkSentences(t, []sentence{
		{`"cashDiscountDays":-1`, "OUT_OF_RANGE cashDiscountDays"}, {`"cashDiscountDays":366`, "OUT_OF_RANGE cashDiscountDays"},
		{`"cashDiscountDays":0`, ""}, {`"cashDiscountDays":365`, ""},
	})
}

func TestEarlyPaymentDiscount(t *testing.T) {
	discount := func(members string) string { return `"paymentTerms":{"earlyPaymentDiscount":{` + members + `}}` }
	const field = "paymentTerms.earlyPaymentDiscount."
	checkSentences(t, []sentence{
		{discount(`"days":0,"discountPercent":3`), ""},
		{discount(`"days":365,"discountPercent":100.00`), ""},
		{discount(`"days":366,"discountPercent":0`), "OUT_OF_RANGE " + field + "discountPercent, OUT_OF_RANGE " + field + "days"},
		{discount(`"days":7,"discountPercent":1.999`), "TOO_MANY_DECIMALS " + field + "discountPercent"},
		{discount(`"days":7`), "MISSING_FIELD " + field + "discountPercent"},
		{discount(`"discountPercent":7`), "MISSING_FIELD " + field + "days"},
	})
}

func TestDirectDebitNeedsAMandate(t *testing.T) {
	checkSentences(t, []sentence{
		{`"paymentMethods":[{"type":"cash"},{"type":"direct_debit"}]`, "MISSING_FIELD directDebitMandate"},
		{`"paymentMethods":[{"type":"direct_debit"}],"directDebitMandate":{"mandateId":"M"}`, ""},
		{`"paymentMethods":[{"type":"direct_debit"}],"directDebitMandate":{}`, "MISSING_FIELD directDebitMandate.mandateId"},
		{`"paymentMethods":[{"type":"direct_debit"}],"directDebitMandate":"M"`, "INVALID_TYPE directDebitMandate"},
		{`"paymentMethods":[{"type":"credit_card"}]`, ""},
	})
}

func TestCardNumberShowsAtMostTenDigits(t *testing.T) {
	checkSentences(t, []sentence{
		{`"cardAccount":{"pan":"123456******7890"}`, ""}, {`"cardAccount":{"pan":"1234 56XX XXXX 7890"}`, ""},
		{`"cardAccount":{"pan":"1234567****7890"}`, "INVALID_VALUE cardAccount.pan"},
	})
}

func TestIBANsAreCheckedModulo97(t *testing.T) {
	checkSentences(t, []sentence{
		{`"payee":{"name":"P","bankAccount":{"iban":"DE89370400440532013000"}}`, ""},
		{`"payee":{"name":"P","bankAccount":{"iban":"DE89 3704 0044 0532 0130 00"}}`, ""},
		{`"payee":{"name":"P","bankAccount":{"iban":"DE88370400440532013000"}}`, "INVALID_IBAN payee.bankAccount.iban"},
		{`"payee":{"name":"P","bankAccount":{"bic":"COBADEFF"}}`, "MISSING_FIELD payee.bankAccount.iban"},
		{`"paymentMethods":[{"type":"cash"},{"type":"credit_transfer","account":{"iban":"NO9386011117948"}}]`, "INVALID_IBAN paymentMethods[1].account.iban"},
		{`"paymentMethods":[{"type":"credit_transfer","account":{"id":"4711"}}]`, ""},
		{`"paymentMethods":[{"type":"credit_transfer","account":{"name":"N"}}]`, "MISSING_FIELD paymentMethods[0].account.iban"},
	})
	for _, party := range []string{"seller", "buyer"} {
		body := strings.Replace(string(with("")), `"`+party+`":{`, `"`+party+`":{"bankAccount":{"iban":"DE00"},`, 1)
		want := []string{"INVALID_IBAN " + party + ".bankAccount.iban"}
		if diff := cmp.Diff(want, brief(Check(decoded(t, []byte(body)), CheckOptions{}).Errors)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestValidIBAN(t *testing.T) {
	good := []string{"GB82WEST12345698765432", "NO9386011117947", "MT84MALT011000012345MTLCAST001S", "BE91000000143476", "NL57 RABO 0107307510", "GB82west12345698765432"}
	bad := []string{"", "GB82", "gb82WEST12345698765432", "GB82WEST1234569876543", "GB82-WEST-12345698765432", "GBX2WEST12345698765432", "4711", strings.Repeat("GB82WEST", 9), "DE8937040044053201300Ä"}
	for _, iban := range good {
		if !ValidIBAN(iban) {
			t.Errorf("%s is valid", iban)
		}
	}
	for _, iban := range bad {
		if ValidIBAN(iban) {
			t.Errorf("%s is not valid", iban)
		}
	}
}

// Every digit of a valid IBAN matters.
func TestIBANWithOneOtherDigitIsInvalid(t *testing.T) {
	const iban = "DE89370400440532013000"
	for i := 2; i < len(iban); i++ {
		for digit := '0'; digit <= '9'; digit++ {
			other := iban[:i] + string(digit) + iban[i+1:]
			if (other == iban) != ValidIBAN(other) {
				t.Errorf("%s", other)
			}
		}
	}
}

func TestBICHasEightOrElevenCharacters(t *testing.T) {
	account := func(bic string) string {
		return fmt.Sprintf(`"payee":{"name":"P","bankAccount":{"iban":"DE89370400440532013000","bic":%q}}`, bic)
	}
	checkSentences(t, []sentence{
		{account("COBADEFF"), ""}, {account("COBADEFFXXX"), ""}, {account(""), ""},
		{account("COBADEF"), "INVALID_BIC payee.bankAccount.bic"}, {account("COBADEFFX"), "INVALID_BIC payee.bankAccount.bic"},
		{account("[BIC....]"), "INVALID_BIC payee.bankAccount.bic"}, {account("COBA EFF"), "INVALID_BIC payee.bankAccount.bic"},
		{`"paymentMethods":[{"type":"credit_transfer","account":{"id":"1","bic":"SE:PLUSGIRO"}}]`, ""},
	})
}

func TestPrepaymentsAddUpToPrepaidAmount(t *testing.T) {
	checkSentences(t, []sentence{
		{`"prepaidAmount":30,"prepayments":[{"amount":10.00},{"amount":20}]`, ""},
		{`"prepaidAmount":30.01,"prepayments":[{"amount":10},{"amount":20}]`, "PREPAYMENTS_MISMATCH prepaidAmount"},
		{`"prepayments":[{"amount":10},{"amount":20}]`, ""},
		{`"prepaidAmount":30`, ""},
		{`"prepaidAmount":30,"prepayments":[{"amount":"10"},{"amount":20}]`, "INVALID_TYPE prepayments[0].amount"},
	})
	errs := Check(decoded(t, with(`"prepaidAmount":1,"prepayments":[{"amount":2}]`)), CheckOptions{}).Errors
	if errs[0].Message != "prepaidAmount is 1 but prepayments add up to 2" {
		t.Error(errs[0].Message)
	}
}

func TestTaxRateIsRequiredExceptForCategoryO(t *testing.T) {
	cases := map[string][]string{
		`,"taxRate":19`:                      nil,
		`,"taxRate":0,"taxCategoryCode":"Z"`: nil,
		`,"taxCategoryCode":"O"`:             nil,
		`,"taxRate":0,"taxCategoryCode":"O"`: nil, // BR-O-05 is a rule
		``:                                   {"MISSING_FIELD items[0].taxRate"},
		`,"taxCategoryCode":"E"`:             {"MISSING_FIELD items[0].taxRate"},
		`,"lineSubtype":"INFORMATION"`:       nil,
		`,"lineSubtype":"GROUP"`:             nil,
		`,"lineSubtype":"DETAIL"`:            {"MISSING_FIELD items[0].taxRate"},
		`,"taxRate":1,"subItems":[]`:         nil,
	}
	for members, want := range cases {
		if diff := cmp.Diff(want, brief(Check(withLine(t, members), CheckOptions{}).Errors)); diff != "" {
			t.Errorf("%s: %s", members, diff)
		}
	}
	sub := withLine(t, `,"taxRate":1,"subItems":`+strings.TrimPrefix(line(""), `"items":`))
	if got := brief(Check(sub, CheckOptions{}).Errors); len(got) != 1 || got[0] != "MISSING_FIELD items[0].subItems[0].taxRate" {
		t.Error(got)
	}
	inv := decoded(t, []byte(strings.Replace(string(with("")), `"taxSummary":[]`,
		`"taxSummary":[{"taxCategoryCode":"O","netAmount":1,"taxAmount":0},{"taxCategoryCode":"AE","netAmount":1,"taxAmount":0}]`, 1)))
	if got := brief(Check(inv, CheckOptions{}).Errors); len(got) != 1 || got[0] != "MISSING_FIELD taxSummary[1].taxRate" {
		t.Error(got)
	}
}

func TestPositionZeroAndNegativeQuantityAreAllowed(t *testing.T) {
	inv := withLine(t, `,"taxRate":0,"position":0`)
	if errs := Check(inv, CheckOptions{}).Errors; len(errs) > 0 || inv.Items[0].Position == nil {
		t.Errorf("position 0: %v", errs)
	}
	inv.Items[0].Quantity = decimal.MustParse("-3")
	if errs := Check(inv, CheckOptions{}).Errors; len(errs) > 0 {
		t.Errorf("negative quantity: %v", errs)
	}
}

func TestCodesHaveTheirForm(t *testing.T) {
	checkSentences(t, []sentence{
		{`"taxCurrencyCode":"CZK"`, ""}, {`"taxCurrencyCode":"czk"`, "INVALID_VALUE taxCurrencyCode"},
		{`"taxCurrencyCode":"EURO"`, "INVALID_VALUE taxCurrencyCode"}, {`"taxCurrencyCode":"E1R"`, "INVALID_VALUE taxCurrencyCode"},
		{`"payee":{"name":"P","countryCode":"de"}`, "INVALID_VALUE payee.countryCode"},
		{`"payee":{"name":"P","countryCode":"DEU"}`, "INVALID_VALUE payee.countryCode"},
		{`"payee":{"name":"P","countryCode":"XI"}`, ""}, {`"payee":{"name":"P","countryCode":"1A"}`, ""},
		{`"delivery":{"address":{"countryCode":"Germany"}}`, "INVALID_VALUE delivery.address.countryCode"},
		{`"taxRepresentative":{"name":"T","vatId":"DE1","countryCode":"D"}`, "INVALID_VALUE taxRepresentative.countryCode"},
	})
	if got := brief(Check(withLine(t, `,"taxRate":0,"originCountry":"China"`), CheckOptions{}).Errors); len(got) != 1 || got[0] != "INVALID_VALUE items[0].originCountry" {
		t.Error(got)
	}
}

func TestCheckDigitsOfVATAndLeitwegIDsAreNotJudged(t *testing.T) {
	checkSentences(t, []sentence{
		{`"payee":{"name":"P","vatId":"DE000000000","taxId":"x"},"countrySpecific":{"countryCode":"DE","leitwegId":"04011000-12345-00"}`, ""},
	})
}

func TestCountrySpecificMustBeForTheCountryOfThePath(t *testing.T) {
	checkSentences(t, []sentence{
		{`"countrySpecific":{"countryCode":"DE"}`, ""}, {`"countrySpecific":{"countryCode":"de"}`, ""},
		{`"countrySpecific":{"countryCode":"AT"}`, "COUNTRY_CODE_MISMATCH countrySpecific.countryCode"},
		{`"countrySpecific":{"countryCode":49}`, "INVALID_TYPE countrySpecific.countryCode"},
	})
	errs, _ := checked(t, `"countrySpecific":{"countryCode":"AT"}`, CheckOptions{})
	if len(errs) > 0 {
		t.Errorf("without a country to compare with: %v", errs)
	}
}

func TestCountrySpecificWithoutCountryCode(t *testing.T) {
	const members = `"countrySpecific":{"leitwegId":"991-1234512345-06"}`
	errs, warnings := checked(t, members, CheckOptions{Country: "de"})
	if len(errs) > 0 || len(warnings) != 1 || warnings[0] != "COUNTRY_CODE_ASSUMED countrySpecific.countryCode" {
		t.Errorf("%v %v", errs, warnings)
	}
	errs, warnings = checked(t, members, CheckOptions{Country: "de", StrictCountrySpecific: true})
	if len(errs) != 1 || errs[0] != "MISSING_FIELD countrySpecific.countryCode" || len(warnings) > 0 {
		t.Errorf("strict: %v %v", errs, warnings)
	}
	if errs, warnings = checked(t, members, CheckOptions{}); len(errs)+len(warnings) > 0 {
		t.Errorf("without a country: %v %v", errs, warnings)
	}
}

func TestLongAddressFieldsWarn(t *testing.T) {
	fields := map[string]int{"street": 200, "additionalStreet": 200, "city": 100, "postalCode": 20}
	for name, maximum := range fields {
		for at, form := range map[string]string{
			"payee": `"payee":{"name":"P",%s}`, "taxRepresentative": `"taxRepresentative":{"name":"T","vatId":"V","countryCode":"DE",%s}`,
			"delivery.address": `"delivery":{"address":{%s}}`,
		} {
			within := fmt.Sprintf(form, fmt.Sprintf("%q:%q", name, strings.Repeat("ß", maximum)))
			if errs, warnings := checked(t, within, CheckOptions{}); len(errs)+len(warnings) > 0 {
				t.Errorf("%s.%s of %d: %v %v", at, name, maximum, errs, warnings)
			}
			inv := decoded(t, with(fmt.Sprintf(form, fmt.Sprintf("%q:%q", name, strings.Repeat("ß", maximum+1)))))
			want := []finding.Finding{{
				Code: "FIELD_TOO_LONG", Field: at + "." + name, Maximum: int64(maximum),
				Message: at + "." + name + " is longer than the field allows; it is written unchanged, but a later release refuses it",
			}}
			report := Check(inv, CheckOptions{})
			if diff := cmp.Diff(want, report.Warnings); diff != "" || len(report.Errors) > 0 {
				t.Error(diff, report.Errors)
			}
		}
	}
	for _, party := range []string{"seller", "buyer"} {
		body := strings.Replace(string(with("")), `"`+party+`":{`, `"`+party+`":{"postalCode":"`+strings.Repeat("1", 21)+`",`, 1)
		if got := brief(Check(decoded(t, []byte(body)), CheckOptions{}).Warnings); len(got) != 1 || got[0] != "FIELD_TOO_LONG "+party+".postalCode" {
			t.Error(got)
		}
	}
}

func TestMoreLinesThanTheModeAllowsWarn(t *testing.T) {
	inv := &Invoice{Items: []Item{{TaxCategoryCode: "O", SubItems: []Item{{TaxCategoryCode: "O"}}}, {TaxCategoryCode: "O"}}}
	if got := Check(inv, CheckOptions{ModeLines: 3}); len(got.Warnings)+len(got.Errors) > 0 {
		t.Error(got)
	}
	want := []finding.Finding{{
		Code: "INVOICE_LINES_ABOVE_MODE_LIMIT", Field: "items", Count: 3, Limit: 2,
		Message: "items has 3 lines in all with its subItems; a later release refuses more than 2",
	}}
	if diff := cmp.Diff(want, Check(inv, CheckOptions{ModeLines: 2}).Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestAttachmentsNeedTheirContent(t *testing.T) {
	checkSentences(t, []sentence{
		{`"attachments":[{"filename":"f","mimeType":"m","uri":"https://example.org/"}]`, "MISSING_FIELD attachments[0].content"},
		{`"attachments":[{"filename":"f","mimeType":"m","content":"QUI=","uri":"https://example.org/"}]`, ""},
	})
}

func TestErrorsOfDecodeComeFirstAndAreNotRepeated(t *testing.T) {
	errs, _ := checked(t, `"payee":5,"prepaidAmount":1.001,"paymentMethods":[{"type":"direct_debit","account":{"iban":7}}]`, CheckOptions{})
	want := []string{"INVALID_TYPE payee", "INVALID_TYPE paymentMethods[0].account.iban", "TOO_MANY_DECIMALS prepaidAmount", "MISSING_FIELD directDebitMandate"}
	if diff := cmp.Diff(want, errs); diff != "" {
		t.Error(diff)
	}
	errs, _ = checked(t, `"items2":1,"payee":{"bankAccount":"x"}`, CheckOptions{})
	if diff := cmp.Diff([]string{"MISSING_FIELD payee.name", "INVALID_TYPE payee.bankAccount"}, errs); diff != "" {
		t.Error(diff)
	}
}

func TestWhatDecodeCutShortIsNotChecked(t *testing.T) {
	reported := []finding.Finding{missing("type"), findingsOmitted(1)}
	got := Check(&Invoice{ServicePeriod: &Period{}}, CheckOptions{Reported: reported})
	if diff := cmp.Diff(reported, got.Errors); diff != "" {
		t.Error(diff)
	}
	if got := Check(nil, CheckOptions{Reported: reported[:1]}); len(got.Errors) != 1 {
		t.Errorf("no invoice: %v", got)
	}
}

func TestErrorsOfCheckAreCapped(t *testing.T) {
	inv := &Invoice{Items: make([]Item, 3000)}
	got := brief(Check(inv, CheckOptions{}).Errors)
	if len(got) != 1001 || got[1000] != "FINDINGS_OMITTED" {
		t.Errorf("%d, last %s", len(got), got[len(got)-1])
	}
}

func BenchmarkCheck(b *testing.B) {
	body, _, err := Decode(bodyJSON(25_000), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := Check(body.Invoice, CheckOptions{Country: "DE"}); len(r.Errors) > 0 {
			b.Fatal(r.Errors)
		}
	}
}
