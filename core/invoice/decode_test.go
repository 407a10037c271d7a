package invoice

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// minimal is an invoice with the required members only.
const minimal = `"invoiceNumber":"1","type":"invoice","issueDate":"2026-11-20","currency":"EUR","subtotal":1,"total":1,"taxSummary":[],` +
	`"seller":{"name":"S","countryCode":"DE"},"buyer":{"name":"B","countryCode":"DE"},"items":[]`

// with gives a minimal generate body with further members of the invoice.
func with(members string) []byte {
	if members != "" {
		members = "," + members
	}
	return []byte(`{"invoice":{` + minimal + members + `}}`)
}

// decoded reads a body that must be in order.
func decoded(t *testing.T, body []byte) *Invoice {
	t.Helper()
	got, findings, err := Decode(body, Options{})
	if err != nil || len(findings) > 0 {
		t.Fatalf("%s: %v %v", body, findings, err)
	}
	return got.Invoice
}

// faults gives the findings as "CODE field".
func faults(t *testing.T, body []byte, o Options) []string {
	t.Helper()
	_, findings, err := Decode(body, o)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return brief(findings)
}

func brief(findings []finding.Finding) (out []string) {
	for _, f := range findings {
		out = append(out, strings.TrimSpace(f.Code+" "+f.Field))
	}
	return out
}

func refusal(t *testing.T, err error) *finding.Refusal {
	t.Helper()
	var r *finding.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r
}

func TestMinimalInvoice(t *testing.T) {
	inv := decoded(t, with(""))
	if inv.InvoiceNumber != "1" || inv.Seller.Name != "S" || inv.Items == nil || len(inv.Items) != 0 || inv.Payee != nil {
		t.Errorf("%+v", inv)
	}
}

func TestNumbersKeepTheScaleSent(t *testing.T) {
	inv := decoded(t, with(`"prepaidAmount":10.0,"roundingAmount":-0.00,"cashDiscountPercent":2,"cashDiscountBaseAmount":1.5e1`))
	for want, got := range map[string]decimal.Decimal{
		"10.0": inv.PrepaidAmount, "0.00": inv.RoundingAmount, "2": inv.CashDiscountPercent, "15": inv.CashDiscountBaseAmount,
	} {
		if got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestIntegersMayBeWrittenWithAPoint(t *testing.T) {
	inv := decoded(t, with(`"cashDiscountDays":10.0,"paymentTerms":{"dueDays":3e1}`))
	if *inv.CashDiscountDays != 10 || *inv.PaymentTerms.DueDays != 30 {
		t.Errorf("%d, %d", *inv.CashDiscountDays, *inv.PaymentTerms.DueDays)
	}
	got := faults(t, with(`"cashDiscountDays":10.5,"paymentTerms":{"dueDays":99999999999999999999}`), Options{})
	if diff := cmp.Diff([]string{"INVALID_NUMBER cashDiscountDays", "INVALID_NUMBER paymentTerms.dueDays"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownMembersAreIgnored(t *testing.T) {
	decoded(t, []byte(`{"x":{"a":[1,{"b":null}]},"invoice":{"unknown":"\u0000","Total":"x",`+minimal+`,"TYPE":5},"formatOptions":{"z":1}}`))
}

func TestNamesAreCaseSensitive(t *testing.T) {
	inv := decoded(t, []byte(`{"invoice":{`+minimal+`,"Total":2,"TOTAL":3,"Invoice":{}}}`))
	if inv.Total.String() != "1" {
		t.Errorf("total %s", inv.Total)
	}
}

func TestEmptyAndNullMeanAbsent(t *testing.T) {
	inv := decoded(t, with(`"dueDate":"","notes":null,"profile":"","payee":null,"attachments":null,"roundingAmount":null,"cashDiscountDays":null,`+
		`"countrySpecific":{"isKleinunternehmer":null,"leitwegId":""}`))
	if inv.Payee != nil || inv.Attachments != nil || inv.RoundingAmount.IsSet() || inv.CashDiscountDays != nil || inv.CountrySpecific.IsKleinunternehmer != nil {
		t.Errorf("%+v", inv)
	}
	got := faults(t, []byte(`{"invoice":{"invoiceNumber":"","type":"","issueDate":"","currency":null,"subtotal":null,"total":null,"taxSummary":null,`+
		`"seller":null,"buyer":null,"items":null}}`), Options{})
	if len(got) != 10 || got[0] != "MISSING_FIELD invoiceNumber" {
		t.Errorf("required members that are empty: %v", got)
	}
}

func TestMissingMembersAreAllReported(t *testing.T) {
	cases := []struct {
		body string
		want []string
	}{
		{`{}`, []string{"invoice"}},
		{`{"invoice":null}`, []string{"invoice"}},
		{`{"invoice":{}}`, []string{"invoiceNumber", "type", "issueDate", "currency", "seller", "buyer", "subtotal", "total", "taxSummary", "items"}},
		{`{"invoice":{` + strings.Replace(minimal, `"seller":{"name":"S","countryCode":"DE"}`, `"seller":{"identifiers":[{}]}`, 1) + `,"payee":{"identifiers":[{}]}}}`,
			[]string{"seller.name", "seller.countryCode", "seller.identifiers[0].id", "payee.name"}},
		{string(with(`"payee":{"bankAccount":{},"electronicAddress":{}}`)), []string{
			"payee.name", "payee.bankAccount.iban", "payee.electronicAddress.id", "payee.electronicAddress.schemeId"}},
		{string(with(`"taxRepresentative":{},"deliveryNote":{},"thirdPartyPayments":[{}],"noteEntries":[{}],"referencedInvoices":[{}]`)), []string{
			"taxRepresentative.name", "taxRepresentative.vatId", "taxRepresentative.countryCode", "deliveryNote.number",
			"thirdPartyPayments[0].type", "thirdPartyPayments[0].paidAmount", "thirdPartyPayments[0].description",
			"noteEntries[0].text", "referencedInvoices[0].number"}},
		{string(with(`"retention":{},"prepayments":[{"reference":{}}],"attachments":[{}],"supportingDocuments":[{}],"cardAccount":{},"directDebitMandate":{}`)), []string{
			"retention.amount", "prepayments[0].amount", "prepayments[0].reference.documentNumber",
			"attachments[0].filename", "attachments[0].mimeType", "attachments[0].content", "supportingDocuments[0].id", "cardAccount.pan", "directDebitMandate.mandateId"}},
		{string(with(`"paymentMethods":[{}],"allowancesCharges":[{}],"paymentTerms":{"earlyPaymentDiscount":{}}`)), []string{
			"paymentMethods[0].type", "allowancesCharges[0].isCharge", "allowancesCharges[0].amount",
			"paymentTerms.earlyPaymentDiscount.days", "paymentTerms.earlyPaymentDiscount.discountPercent"}},
	}
	for _, c := range cases {
		var want []string
		for _, field := range c.want {
			want = append(want, "MISSING_FIELD "+field)
		}
		if diff := cmp.Diff(want, faults(t, []byte(c.body), Options{})); diff != "" {
			t.Errorf("%s: %s", c.body, diff)
		}
	}
}

func TestRequiredMembersOfALine(t *testing.T) {
	body := []byte(strings.Replace(string(with("")), `"items":[]`, `"items":[{"subItems":[{}],"discount":{},"allowances":[{}],"charges":[{}],"classification":[{}],"attributes":[{}],"standardItemId":{}}]`, 1))
	want := []string{
		"items[0].description", "items[0].quantity", "items[0].unit", "items[0].unitPrice", "items[0].netAmount", "items[0].taxAmount",
		"items[0].subItems[0].description", "items[0].subItems[0].quantity", "items[0].subItems[0].unit", "items[0].subItems[0].unitPrice",
		"items[0].subItems[0].netAmount", "items[0].subItems[0].taxAmount",
		"items[0].discount.type", "items[0].discount.value", "items[0].allowances[0].amount", "items[0].charges[0].amount",
		"items[0].classification[0].id", "items[0].classification[0].schemeId", "items[0].attributes[0].name", "items[0].attributes[0].value",
		"items[0].standardItemId.id", "items[0].standardItemId.schemeId",
	}
	for i := range want {
		want[i] = "MISSING_FIELD " + want[i]
	}
	if diff := cmp.Diff(want, faults(t, body, Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestAmountsThatAreCalculatedMayBeAbsent(t *testing.T) {
	body := []byte(`{"invoice":{"invoiceNumber":"1","type":"invoice","issueDate":"2026-11-20","currency":"EUR","seller":{"name":"S","countryCode":"DE"},` +
		`"buyer":{"name":"B","countryCode":"DE"},"items":[{"description":"x","quantity":1,"unit":"C62","unitPrice":1}]}}`)
	if got := faults(t, body, Options{Calculate: true}); len(got) != 0 {
		t.Errorf("with calculation: %v", got)
	}
	want := []string{"MISSING_FIELD subtotal", "MISSING_FIELD total", "MISSING_FIELD taxSummary", "MISSING_FIELD items[0].netAmount", "MISSING_FIELD items[0].taxAmount"}
	if diff := cmp.Diff(want, faults(t, body, Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestEveryInputErrorAtOnceInTheOrderOfTheText(t *testing.T) {
	body := `{"templateId":5,"invoice":{"invoiceNumber":17,"type":"Invoice","issueDate":"2026-02-30","dueDate":20261231,"currency":"EUR",` +
		`"subtotal":"1.00","total":1e21,"taxSummary":{},"seller":[],"buyer":{"countryCode":true,"electronicAddress":"DE123"},` +
		`"items":[{"description":"ok","quantity":1,"unit":"C62","unitPrice":1,"netAmount":1,"taxAmount":0,"lineSubtype":"detail","attributes":[null,{"name":"n","value":{}}]},5],` +
		`"attachments":[{"filename":"f","mimeType":"m","content":"QUJ"}],"paymentMethods":[{"type":"iou"}],"countrySpecific":{"isKleinunternehmer":"yes","branch":1.5}},"formatOptions":{"profile":[]}}`
	_, findings, err := Decode([]byte(body), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []finding.Finding{
		{Code: "INVALID_TYPE", Field: "templateId", Message: "templateId must be a string, not a number"},
		{Code: "INVALID_TYPE", Field: "invoiceNumber", Message: "invoiceNumber must be a string, not a number"},
		{Code: "INVALID_VALUE", Field: "type", Message: `type must be one of invoice, credit_note, proforma, correction, partial, partial_construction, partial_final_construction, final_construction, self_billed, not "Invoice"`},
		{Code: "INVALID_DATE", Field: "issueDate", Message: `issueDate must be a calendar date YYYY-MM-DD, not "2026-02-30"`},
		{Code: "INVALID_TYPE", Field: "dueDate", Message: "dueDate must be a calendar date YYYY-MM-DD, not a number"},
		{Code: "INVALID_TYPE", Field: "subtotal", Message: "subtotal must be a number, not a string"},
		{Code: "INVALID_NUMBER", Field: "total", Message: "total has an exponent beyond ±20"},
		{Code: "INVALID_TYPE", Field: "taxSummary", Message: "taxSummary must be an array, not an object"},
		{Code: "INVALID_TYPE", Field: "seller", Message: "seller must be an object, not an array"},
		{Code: "MISSING_FIELD", Field: "buyer.name", Message: "buyer.name is required"},
		{Code: "INVALID_TYPE", Field: "buyer.countryCode", Message: "buyer.countryCode must be a string, not true"},
		{Code: "INVALID_VALUE", Field: "buyer.electronicAddress", Message: `buyer.electronicAddress must be an object or a string "scheme:value", not "DE123"`},
		{Code: "INVALID_VALUE", Field: "items[0].lineSubtype", Message: `items[0].lineSubtype must be one of DETAIL, INFORMATION, GROUP, not "detail"`},
		{Code: "INVALID_TYPE", Field: "items[0].attributes[0]", Message: "items[0].attributes[0] must be an object, not null"},
		{Code: "INVALID_TYPE", Field: "items[0].attributes[1].value", Message: "items[0].attributes[1].value must be a string, not an object"},
		{Code: "INVALID_TYPE", Field: "items[1]", Message: "items[1] must be an object, not a number"},
		{Code: "INVALID_BASE64", Field: "attachments[0].content", Message: "attachments[0].content must be base64 (RFC 4648)"},
		{Code: "INVALID_VALUE", Field: "paymentMethods[0].type", Message: `paymentMethods[0].type must be one of bank_transfer, credit_transfer, direct_debit, credit_card, paypal, cash, danish_fik, giro, other, not "iou"`},
		{Code: "INVALID_TYPE", Field: "countrySpecific.isKleinunternehmer", Message: "countrySpecific.isKleinunternehmer must be true or false, not a string"},
		{Code: "INVALID_NUMBER", Field: "countrySpecific.branch", Message: "countrySpecific.branch must be a whole number of at most 64 bits, not 1.5"},
		{Code: "INVALID_TYPE", Field: "formatOptions.profile", Message: "formatOptions.profile must be a string, not an array"},
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsAreCappedWithANote(t *testing.T) {
	body := with(`"noteEntries":[` + strings.Repeat(`{},`, 5000) + `{}]`)
	got := faults(t, body, Options{})
	if len(got) != 1001 || got[1000] != "FINDINGS_OMITTED" || got[999] != "MISSING_FIELD noteEntries[999].text" {
		t.Errorf("%d findings, the last %s", len(got), got[len(got)-1])
	}
	if got := faults(t, body, Options{Limits: Limits{MaxFindings: 3}}); len(got) != 4 {
		t.Errorf("%v", got)
	}
}

func TestDoubledMembersAreRefused(t *testing.T) {
	cases := map[string]string{
		`{"invoice":{` + minimal + `,"total":2}}`:                                   "total",
		`{"invoice":{` + minimal + `,"t\u006ftal":2}}`:                              "total",
		`{"invoice":{` + minimal + `,"delivery":{"name":"a","name":"a"}}}`:          "delivery.name",
		`{"invoice":{` + minimal + `,"noteEntries":[{"text":"a","text":"b"}]}}`:     "noteEntries[0].text",
		`{"invoice":{` + minimal + `,"mine":1,"other":2,"mine":1}}`:                 "mine",
		`{"invoice":{` + minimal + `},"invoice":{` + minimal + `}}`:                 "invoice",
		`{"invoice":{` + minimal + `},"formatOptions":{"profile":"","profile":""}}`: "formatOptions.profile",
	}
	for body, field := range cases {
		if diff := cmp.Diff([]string{"DUPLICATE_MEMBER " + field}, faults(t, []byte(body), Options{})); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func TestManyUnknownMembersCostNoMemory(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, `"u%d":%d,`, i, i)
	}
	body := []byte(`{` + b.String() + `"invoice":{` + b.String() + minimal + `}}`)
	allocated := allocatedBy(func() {
		if _, findings, err := Decode(body, Options{}); err != nil || len(findings) > 0 {
			t.Fatal(findings, err)
		}
	})
	if allocated > 200_000 {
		t.Errorf("%d bytes for %d bytes of unknown members", allocated, len(body))
	}
}

// allocatedBy gives the bytes that a function allocates.
func allocatedBy(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestElectronicAddressForms(t *testing.T) {
	want := &ElectronicAddress{ID: "a:b", SchemeID: "0204"}
	for _, form := range []string{
		`{"id":"a:b","schemeId":"0204"}`, `{"value":"a:b","schemeId":"0204"}`, `"0204:a:b"`, `{"value":"x","id":"a:b","schemeId":"0204"}`,
		`{"id":"a:b","value":"x","schemeId":"0204"}`, `{"id":"","value":"a:b","schemeId":"0204"}`, `{"value":"a:b","id":null,"schemeId":"0204"}`,
	} {
		inv := decoded(t, with(`"payee":{"name":"P","electronicAddress":`+form+`}`))
		if diff := cmp.Diff(want, inv.Payee.ElectronicAddress); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
	}
	if inv := decoded(t, with(`"payee":{"name":"P","electronicAddress":""}`)); inv.Payee.ElectronicAddress != nil {
		t.Error("an empty address is an absent one")
	}
	for _, form := range []string{`"x"`, `":x"`, `"x:"`, `7`} {
		if got := faults(t, with(`"payee":{"name":"P","electronicAddress":`+form+`}`), Options{}); len(got) != 1 {
			t.Errorf("%s: %v", form, got)
		}
	}
	got := faults(t, with(`"payee":{"name":"P","electronicAddress":{"id":"a","value":5,"schemeId":"EM"}}`), Options{})
	if diff := cmp.Diff([]string{"INVALID_TYPE payee.electronicAddress.value"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFormatOptionsAreRead(t *testing.T) {
	got, findings, err := Decode([]byte(`{"templateId":"t","formatOptions":{"template":{"version":"1.0.0", "page":{}},"profile":"BASIC","zugferdProfile":"EXTENDED","version":"2.4","syntax":"cii"},"invoice":{`+minimal+`}}`), Options{})
	if err != nil || len(findings) > 0 {
		t.Fatal(findings, err)
	}
	want := &FormatOptions{Template: []byte(`{"version":"1.0.0", "page":{}}`), Profile: "BASIC", ZugferdProfile: "EXTENDED", Version: "2.4", Syntax: "cii"}
	if diff := cmp.Diff(want, got.FormatOptions); diff != "" || got.TemplateID != "t" {
		t.Error(diff)
	}
}

func TestTextThatIsNotJSONIsRefusedWithItsPlace(t *testing.T) {
	cases := []struct{ name, body, message, field string }{
		{"empty", "", "it is empty", ""},
		{"white space", " \n", "it is empty", ""},
		{"UTF-16", "\xFF\xFE{\x00}\x00", "it is not UTF-8", ""},
		{"UTF-16 without mark", "{\x00}\x00", "it is not UTF-8", ""},
		{"breaks off", `{"invoice":{"items":[{"note":"abc`, "it ends in the middle at line 1, column 34, in items[0].note", "items[0].note"},
		{"NaN", "{\"invoice\":{\n \"total\":NaN}}", "invalid character 'N' at start of value at line 2, column 10, in total", "total"},
		{"lone surrogate", `{"invoice":{"notes":"\ud800"}}`, "", "notes"},
		{"lone surrogate in an ignored member", `{"x":"\udc00"}`, "", ""},
		{"invalid UTF-8", "{\"invoice\":{\"notes\":\"\xC3\x28\"}}", "invalid UTF-8", "notes"},
		{"raw control character", "{\"invoice\":{\"notes\":\"a\nb\"}}", "", "notes"},
		{"more after the end", `{} {}`, "there is more after its end at line 1, column 4", ""},
		{"trailing comma", `{"invoice":{"items":[1,]}}`, "", ""},
		{"single quotes", `{'invoice':{}}`, "", ""},
		{"comment", `{/**/}`, "", ""},
		{"leading zero", `{"invoice":{"total":01}}`, "", ""},
		{"plus", `{"invoice":{"total":+1}}`, "", ""},
		{"bare point", `{"invoice":{"total":.5}}`, "", ""},
		{"name without value", `{"invoice":{"total"}}`, "", ""},
		{"garbage", "\x00\x01", "it is not UTF-8", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			value, findings, err := Decode([]byte(c.body), Options{})
			r := refusal(t, err)
			if value != nil || findings != nil || r.Kind != finding.BadRequest || r.Word != "Bad Request" || r.Code != finding.InvalidJSON {
				t.Errorf("%+v", r)
			}
			if !strings.HasPrefix(r.Message, "the request is not valid JSON: ") || !strings.Contains(r.Message, c.message) {
				t.Errorf("message %q", r.Message)
			}
			if c.field != "" && r.Field != c.field {
				t.Errorf("field %q, want %q", r.Field, c.field)
			}
		})
	}
}

func TestBodyThatIsNoObject(t *testing.T) {
	for _, body := range []string{`null`, `[]`, `"x"`, `1`, `true`} {
		got := faults(t, []byte(body), Options{})
		if diff := cmp.Diff([]string{"INVALID_TYPE"}, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	if got := faults(t, []byte(`{"invoice":[]}`), Options{}); got[0] != "INVALID_TYPE invoice" || len(got) != 1 {
		t.Error(got)
	}
}

func TestHostileNumbersAreRefusedWithTheField(t *testing.T) {
	for _, number := range []string{"1e400", "-1e999999999", strings.Repeat("9", 1_000_000), "1." + strings.Repeat("1", 30), "1e-21"} {
		got := faults(t, with(`"roundingAmount":`+number), Options{})
		if diff := cmp.Diff([]string{"INVALID_NUMBER roundingAmount"}, got); diff != "" {
			t.Errorf("%.20s: %s", number, diff)
		}
	}
}

func TestLongStringsAreRefusedExceptBase64(t *testing.T) {
	most, content := strings.Repeat("ä", 1<<19), strings.Repeat("QUJD", 1<<19)
	inv := decoded(t, with(`"notes":"`+most+`","attachments":[{"filename":"f","mimeType":"m","content":"`+content+`"}]`))
	if inv.Notes != most || string(inv.Attachments[0].Content) != content {
		t.Error("values differ")
	}
	if diff := cmp.Diff([]string{"STRING_TOO_LONG notes"}, faults(t, with(`"notes":"`+most+`x"`), Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestAttachmentsAreNotCopied(t *testing.T) {
	body := with(`"attachments":[{"filename":"f","mimeType":"m","content":"` + strings.Repeat("QUJD", 1000) + `"}]`)
	content := string(decoded(t, body).Attachments[0].Content)
	from, start := uintptr(unsafe.Pointer(unsafe.StringData(content))), uintptr(unsafe.Pointer(&body[0]))
	if from < start || from >= start+uintptr(len(body)) {
		t.Error("the content is a copy")
	}
}

func TestEscapedBase64(t *testing.T) {
	content := base64.StdEncoding.EncodeToString([]byte{0xFF, 0xFF, 0xFE, 0xFF, 0xFF})
	inv := decoded(t, with(`"attachments":[{"filename":"f","mimeType":"m","content":"`+strings.ReplaceAll(content, "/", `\/`)+`"}]`))
	if string(inv.Attachments[0].Content) != content || !strings.Contains(content, "/") {
		t.Errorf("%s", inv.Attachments[0].Content)
	}
}

func TestAttachmentsTogetherAreLimited(t *testing.T) {
	attachment := `{"filename":"f","mimeType":"m","content":"QUJDREVGRw=="}` // 7 bytes
	limits := Options{Limits: Limits{MaxAttachmentBytes: 14}}
	if _, _, err := Decode(with(`"attachments":[`+attachment+`,`+attachment+`]`), limits); err != nil {
		t.Fatal(err)
	}
	_, _, err := Decode(with(`"attachments":[`+attachment+`,`+attachment+`,`+attachment+`]`), limits)
	r := refusal(t, err)
	if r.Kind != finding.TooLarge || r.Word != "PAYLOAD_TOO_LARGE" || r.Field != "attachments" {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]finding.Extra{{Name: "limit", Value: 14}}, r.Extra); diff != "" {
		t.Error(diff)
	}
	if got := (Limits{}).withDefaults().MaxAttachmentBytes; got != 95*1024*1024 {
		t.Errorf("default %d", got)
	}
}

func TestListsTogetherAreLimited(t *testing.T) {
	body := with(`"countrySpecific":{"correlatedMarks":[` + strings.Repeat(`"",`, 60) + `""],"alternativeSchemes":[""]}`)
	got := faults(t, body, Options{Limits: Limits{MaxEntries: 50}})
	if diff := cmp.Diff([]string{"TOO_MANY_ENTRIES countrySpecific.correlatedMarks[50]"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestEachListIsLimited ensures that no list has more entries than an invoice may have lines.
func TestEachListIsLimited(t *testing.T) {
	notes := func(n int) []byte {
		return with(`"noteEntries":[{"text":"n"}` + strings.Repeat(`,{"text":"n"}`, n-1) + `]`)
	}
	if _, _, err := Decode(notes(25_000), Options{}); err != nil {
		t.Fatal(err)
	}
	_, _, err := Decode(notes(25_001), Options{})
	r := refusal(t, err)
	if r.Kind != finding.BadRequest || r.Field != "noteEntries" || r.Errors[0].Code != finding.TooManyEntries {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]finding.Extra{{Name: "maximum", Value: 25_000}}, r.Extra); diff != "" {
		t.Error(diff)
	}
}

func TestLinesBeyondTheLimitsAreRefusedBeforeDecoding(t *testing.T) {
	cases := map[string][]byte{
		"TOO_MANY_LINE_ITEMS":    []byte(`{"invoice":{"items":[{}` + strings.Repeat(",{}", 25_000)),
		"SUB_ITEMS_TOO_DEEP":     nested(101),
		"TOO_MANY_INVOICE_LINES": []byte(`{"invoice":{"items":[{"subItems":[{}` + strings.Repeat(",{}", 25_000)),
		"Bad Request":            []byte(`{"invoice":{"x":` + strings.Repeat("[", 2000)),
	}
	for word, body := range cases {
		_, _, err := Decode(body, Options{})
		if r := refusal(t, err); r.Word != word || r.Kind != finding.BadRequest {
			t.Errorf("%s: %+v", word, r)
		}
	}
}

func TestRefuseNamesReasonAndFieldOfTheFirstError(t *testing.T) {
	if err := Refuse(nil); err != nil {
		t.Errorf("no errors: %v", err)
	}
	errs := []finding.Finding{missing("seller.name"), missing("buyer.name")}
	r := refusal(t, Refuse(errs))
	want := &finding.Refusal{
		Kind: finding.BadRequest, Word: "Bad Request", Field: "seller.name",
		Message: "seller.name is required (and 1 more: see errors)", Errors: errs,
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(bodyJSON(2))
	f.Add(with(`"payee":{"electronicAddress":"a:b","electronicAddress":{"value":1}}`))
	f.Add([]byte(`{"invoice":{"notes":"\ud83d\ude00\u0001","attachments":[{"content":"QQ=="}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, findings, err := Decode(body, Options{})
		if err != nil {
			refusal(t, err)
			return
		}
		if !json.Valid(body) && !hasCode(findings, finding.FindingsOmitted) {
			t.Fatalf("%q is accepted but no JSON", body)
		}
		for _, f := range findings {
			if f.Code == "" || f.Message == "" {
				t.Fatalf("%q: %+v", body, f)
			}
		}
		if len(findings) == 0 {
			checkRoundTrip(t, got.Invoice)
			Check(got.Invoice, CheckOptions{Country: "DE"})
		}
	})
}
