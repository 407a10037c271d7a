package profile

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestEveryTypeHasItsCode has the contract's list of types with their codes, and what XRechnung makes of them.
func TestEveryTypeHasItsCode(t *testing.T) {
	cases := []struct{ typ, code, refused string }{
		{"invoice", "380", ""}, {"credit_note", "381", ""}, {"correction", "384", ""}, {"partial", "326", ""}, {"partial_construction", "875", ""},
		{"partial_final_construction", "876", ""}, {"final_construction", "877", ""}, {"self_billed", "389", ""}, {"proforma", "325", "BR-DE-17 type"},
	}
	if len(cases) != len(typeCodes) {
		t.Errorf("%d types, want %d", len(typeCodes), len(cases))
	}
	for _, c := range cases {
		want := stepCase{sentence: "contract: " + c.typ + " is " + c.code, step: typeCode, in: `{"type":"` + c.typ + `"}`,
			out: `{"type":"` + c.typ + `","countrySpecific":{"invoiceTypeCode":"` + c.code + `"}}`}
		if c.refused != "" {
			want.out, want.says = `{"type":"`+c.typ+`","countrySpecific":{}}`, []string{c.refused}
		}
		checkStep(t, want, typeCode.Derive, "")
		if codeOf(invoice.Type(c.typ)) != c.code || typeOf(c.code) != invoice.Type(c.typ) {
			t.Errorf("%s and %s are not each other's", c.typ, c.code)
		}
	}
}

func TestTypeCodeOfTheCallersOwn(t *testing.T) {
	for _, c := range []stepCase{
		{sentence: "contract: invoiceTypeCode takes precedence over type", in: `{"type":"self_billed","countrySpecific":{"invoiceTypeCode":"389"}}`},
		{sentence: "contract: contradiction with type gives 422", in: `{"type":"invoice","countrySpecific":{"invoiceTypeCode":"381"}}`, says: []string{"TYPE_CONTRADICTION countrySpecific.invoiceTypeCode"}},
		{sentence: "contract: checked against the target format's code list", in: `{"type":"invoice","countrySpecific":{"invoiceTypeCode":"751"}}`, says: []string{"BR-DE-17 countrySpecific.invoiceTypeCode"}},
		{sentence: "contract: a code without a type word", in: `{"type":"invoice","countrySpecific":{"invoiceTypeCode":"80"}}`, says: []string{"BR-DE-17 countrySpecific.invoiceTypeCode"}},
		{sentence: "contract: not permitted at all", in: `{"type":"proforma","countrySpecific":{"invoiceTypeCode":"380"}}`, says: []string{"BR-DE-17 type"}},
	} {
		c.step = typeCode
		checkStep(t, c, typeCode.Derive, "")
	}
}

func TestARefusedTypeSaysWhatIsAllowed(t *testing.T) {
	d := XRechnung().Derive(decode(t, `{"type":"invoice","countrySpecific":{"invoiceTypeCode":"751"}}`))
	if len(d.Errors) != 1 || !strings.Contains(d.Errors[0].Message, "326, 380, 381, 384, 389, 875, 876, 877") || !strings.Contains(d.Errors[0].Message, "751") {
		t.Errorf("%+v", d.Errors)
	}
	d = (&Profile{TypeCodes: []string{"381"}, Steps: []Step{typeCode}}).Derive(decode(t, `{"type":"invoice"}`))
	if len(d.Errors) != 1 || d.Errors[0].Code != "TYPE_NOT_PERMITTED" {
		t.Errorf("a profile without a rule: %+v", d.Errors)
	}
}

// TestTypeIsRestoredFromCodeAndRoot has what reading makes of BT-3 and the document element.
func TestTypeIsRestoredFromCodeAndRoot(t *testing.T) {
	cases := []struct {
		in   string
		root invoice.Type
		out  string
	}{
		{`{"countrySpecific":{"invoiceTypeCode":"380"}}`, "", `{"type":"invoice"}`},
		{`{"countrySpecific":{"invoiceTypeCode":"877"}}`, "", `{"type":"final_construction"}`},
		{`{"countrySpecific":{"invoiceTypeCode":"381"}}`, invoice.TypeCreditNote, `{"type":"credit_note"}`},
		{`{"countrySpecific":{"invoiceTypeCode":"396"}}`, invoice.TypeCreditNote, `{"type":"credit_note","countrySpecific":{"countryCode":"DE","invoiceTypeCode":"396"}}`},
		{`{"countrySpecific":{"invoiceTypeCode":"380"}}`, invoice.TypeCreditNote, `{"type":"credit_note","countrySpecific":{"countryCode":"DE","invoiceTypeCode":"380"}}`},
		{`{"countrySpecific":{"invoiceTypeCode":"751"}}`, "", `{"type":"invoice","countrySpecific":{"countryCode":"DE","invoiceTypeCode":"751"}}`},
		{`{"countrySpecific":{"invoiceTypeCode":"381"}}`, "", `{"type":"credit_note"}`},
		{`{}`, "", `{"type":"invoice"}`},
		{`{}`, invoice.TypeCreditNote, `{"type":"credit_note"}`},
		{`{"countrySpecific":{}}`, "", `{"type":"invoice","countrySpecific":{}}`},
	}
	for _, c := range cases {
		checkStep(t, stepCase{sentence: "restore " + c.in + " of " + string(c.root), step: typeCode, in: c.in, out: c.out}, typeCode.Restore, c.root)
	}
}
