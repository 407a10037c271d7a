package command

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTraps has what integrators stumble over, a row for each: the answer, and what is in the document or in the first error.
func TestTraps(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	zeroRated := []string{"items.0.taxRate", "0", "items.0.taxAmount", "0", "items.0.taxCategoryCode", "", "taxSummary.0.taxRate", "0",
		"taxSummary.0.taxCategoryCode", "", "taxSummary.0.taxAmount", "0", "total", "100"}
	for name, row := range map[string]struct {
		edits    []string
		status   int
		warnings []string // all of them
		first    string   // code, field and a part of the message of the first error
		document string   // matches
	}{
		"IBANs are written without spaces and in upper case": {[]string{"seller.bankAccount.iban", `"de02 1203 0000 0000 2020 51"`}, 200, nil, "", `<cbc:ID>DE02120300000000202051</cbc:ID>`},
		"the VAT id is an electronic address": {[]string{"buyer.email", "", "buyer.vatId", `"DE987654321"`}, 200, nil, "",
			`<cbc:EndpointID schemeID="9930">DE987654321</cbc:EndpointID>`},
		"the phone that the contact has got is written": {[]string{"seller.phone", `"+49 1"`}, 200, nil, "", `<cbc:Telephone>\+49 1</cbc:Telephone>`},
		"the rate 0 alone is Z, with a warning":         {zeroRated, 200, []string{"TAX_CATEGORY_ASSUMED"}, "", `<cbc:ID>Z</cbc:ID>`},
		"the rate 0 of a small business is E by § 19": {slices.Concat(zeroRated, []string{"countrySpecific", `{"countryCode":"DE","isKleinunternehmer":true}`}), 200, nil, "",
			`(?s)<cbc:ID>E</cbc:ID>.*<cbc:TaxExemptionReason>[^<]*§ 19 UStG`},
		"the rate 0 with a code is the category of that": {slices.Concat(zeroRated, []string{"taxSummary.0.exemptionReasonCode", `"VATEX-EU-AE"`, "buyer.vatId", `"ATU12345678"`}), 200, nil, "",
			`<cbc:ID>AE</cbc:ID>`},
		"a small business with VAT is warned":  {[]string{"countrySpecific", `{"countryCode":"DE","isKleinunternehmer":true}`}, 200, []string{"DE_KU_001"}, "", ""},
		"zeros at the end are no decimals":     {[]string{"total", "119.000"}, 200, nil, "", `TaxInclusiveAmount currencyID="EUR">119.00<`},
		"noise in a line is rounded":           {[]string{"items.0.netAmount", "100.00000000000002"}, 200, []string{"DECIMALS_REDUCED"}, "", `LineExtensionAmount currencyID="EUR">100.00<`},
		"noise in a total is refused":          {[]string{"total", "119.00000000000001"}, 400, nil, "TOO_MANY_DECIMALS total send 119.00", ""},
		"noise in the subtotal is refused":     {[]string{"subtotal", "100.00000000000001"}, 400, nil, "TOO_MANY_DECIMALS subtotal send 100.00", ""},
		"noise in a prepayment is refused":     {[]string{"prepaidAmount", "10.000000000000002"}, 400, nil, "TOO_MANY_DECIMALS prepaidAmount send 10.00", ""},
		"noise in the rounding is refused":     {[]string{"roundingAmount", "0.10000000000000003"}, 400, nil, "TOO_MANY_DECIMALS roundingAmount send 0.10", ""},
		"a Leitweg-ID has its form":            {[]string{"buyerReference", "", "countrySpecific", `{"countryCode":"DE","leitwegId":"abc"}`}, 422, nil, "BR-DE-15 countrySpecific.leitwegId buyerReference", ""},
		"check digits of one are not judged":   {[]string{"buyerReference", "", "countrySpecific", `{"countryCode":"DE","leitwegId":"04011000-12345-99"}`}, 200, nil, "", `<cbc:BuyerReference>04011000-12345-99<`},
		"a missing reference names its member": {[]string{"buyerReference", ""}, 422, nil, "BR-DE-15 countrySpecific.leitwegId buyerReference", ""},
		"no lines are BR-16":                   {[]string{"items", "[]"}, 422, nil, "BR-16 items items is empty", ""},
		"a unit of no list is an error":        {[]string{"items.0.unit", `"Stk"`}, 422, nil, "BR-CL-23 items[0].unit Stk", ""},
		"a missing breakdown names its member": {[]string{"taxSummary", "[]"}, 422, nil, "BR-CO-18 taxSummary VAT breakdown", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.generate(t, row.edits...)
			wants(t, r.Status == row.status && slices.Equal(codes(r.Warnings), row.warnings), r, "%d with warnings %v", row.status, row.warnings)
			if row.first != "" && len(r.Errors) > 0 {
				says := strings.SplitN(row.first, " ", 3)
				e := r.Errors[0]
				wants(t, e.Code == says[0] && e.Field == says[1] && strings.Contains(e.Message, says[2]), r, "%s", row.first)
			}
			wants(t, row.document == "" || regexp.MustCompile(row.document).Match(r.Data), r, "%s in %s", row.document, r.Data)
			seen := map[entry]bool{}
			for _, e := range r.Errors {
				wants(t, !seen[e], r, "each finding once")
				seen[e] = true
			}
		})
	}
}
