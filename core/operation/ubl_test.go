package operation

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

// ublRequests are the scenarios of all countries, made once.
var ublRequests = sync.OnceValues(testdata.UBL)

// TestGenerate_UBLInEveryCountry ensures that every scenario is written in every country, accepted by the rules that ship, with no warning
// but those that are expected.
func TestGenerate_UBLInEveryCountry(t *testing.T) {
	requests, err := ublRequests()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	for _, r := range requests {
		t.Run(r.Country+"/"+r.Scenario, func(t *testing.T) {
			t.Parallel()
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
			if err != nil {
				t.Fatalf("%s\n%s", refusalOf(err), r.Body)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(r.Warnings)), houseWarnings(answer.Warnings)); diff != "" {
				t.Errorf("%s\n%s", diff, refusalOf(&finding.Refusal{Errors: slices.DeleteFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.ValueCalculated })}))
			}
			if len(answer.Rulebooks) == 0 || answer.AppliedFormatOptions != (AppliedFormatOptions{}) {
				t.Errorf("%v %+v", answer.Rulebooks, answer.AppliedFormatOptions)
			}
			if golden(r) {
				folder := "../../testdata/ubl/" + goldenFolder(r)
				if *update {
					if err := os.MkdirAll(folder, 0o755); err != nil {
						t.Fatal(err)
					}
				}
				compareGolden(t, filepath.Join(folder, r.Scenario+".xml"), answer.Data)
			}
		})
	}
}

// golden tells whether the document of a request is kept: all of one country, and that of the first scenario of each.
func golden(r testdata.Request) bool { return r.Country == "BE" || r.Scenario == "invoice" }

// goldenFolder names the folder of a golden: after the country, which has one more where ubl is a specification of its own.
func goldenFolder(r testdata.Request) string {
	if r.Country == "PT" || r.Country == "RO" {
		return strings.ToLower(r.Country) + "-peppol"
	}
	return strings.ToLower(r.Country)
}

// refusalOf lists what a refusal says.
func refusalOf(err error) string {
	var refusal *finding.Refusal
	if !errors.As(err, &refusal) {
		return err.Error()
	}
	text := refusal.Message
	for _, e := range refusal.Errors {
		text += "\n" + e.Code + " " + e.Field + ": " + e.Message
	}
	return text
}

// houseWarnings are the codes of warnings that are no rule's and not of calculated values.
func houseWarnings(warnings []finding.Finding) []string {
	var codes []string
	for _, w := range warnings {
		if w.Code != finding.ValueCalculated && w.Rule == "" && !standardRule.MatchString(w.Code) {
			codes = append(codes, w.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestParse_GivesBackWhatWasWritten ensures that what is parsed of each document can be posted again, and gives the same document
// (supplement §1, rule 15).
func TestParse_GivesBackWhatWasWritten(t *testing.T) {
	requests, err := ublRequests()
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t)
	for i, r := range requests {
		if leftOut(i) {
			continue
		}
		t.Run(r.Country+"/"+r.Scenario, func(t *testing.T) {
			first, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			parsed, err := s.Parse(t.Context(), ParseRequest{Document: first.Data})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			if len(parsed.Warnings) > 0 {
				t.Errorf("%+v", parsed.Warnings)
			}
			body, err := json.Marshal(map[string]any{"invoice": parsed.Invoice})
			if err != nil {
				t.Fatal(err)
			}
			second, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: body})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			if diff := cmp.Diff(string(first.Data), string(second.Data)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGenerate_NamesTheNumberOfTheCustomer ensures that a rule about the identifier of the buyer names the member that the caller set.
func TestGenerate_NamesTheNumberOfTheCustomer(t *testing.T) {
	s := fullService(t)
	for edit, want := range map[string]string{`"customerNumber":"K-1"`: "customerNumber", `"buyer":{"name":"B","countryCode":"DK","vatId":"DK12345674","identifiers":[{"id":"K-1"}]}`: "buyer.identifiers[0]"} {
		_, _, body := keyRequest(t, "DK", `"cvr":"12345674"`, edit)
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "DK", Format: "ubl", Body: body, Calculate: true})
		var refusal *finding.Refusal
		if !errors.As(err, &refusal) || refusal.Errors[0].Code != "DK-R-013" || refusal.Errors[0].Field != want {
			t.Errorf("%s: %v", edit, err)
		}
	}
}

// TestGenerate_UBLRefused has what the rules of each country refuse, and which rule does.
func TestGenerate_UBLRefused(t *testing.T) {
	s := fullService(t)
	for _, c := range []struct{ country, keys, edit, code string }{
		{"BE", "", `"type":"proforma"`, "PEPPOL-EN16931-P0100"},
		{"BE", `"invoiceTypeCode":"751"`, "", "PEPPOL-EN16931-P0100"},
		{"BE", `"invoiceTypeCode":"384"`, `"type":"correction"`, "PEPPOL-EN16931-P0112"},
		{"BE", `"invoiceTypeCode":"381"`, "", "TYPE_CONTRADICTION"},
		{"BE", "", `"buyerReference":null`, "PEPPOL-EN16931-R003"},
		{"BE", "", `"taxCurrencyCode":"EUR"`, "PEPPOL-EN16931-R005"},
		{"BE", "", `"businessProcess":"urn:own"`, "PEPPOL-EN16931-R007"},
		{"BE", "", `"seller":{"vatId":null,"email":"a@b.example"}`, "PEPPOL-EN16931-R020"},
		{"BE", `"enterpriseNumber":"0123456788"`, "", "PEPPOL-COMMON-R043"},
		{"BE", "", `"attachments":[{"filename":"a.txt","mimeType":"text/plain","content":"YQ=="}]`, "BR-CL-24"},
		{"BE", "", `"allowancesCharges":[{"isCharge":false,"amount":5,"percentage":5,"reason":"R","taxRate":21,"taxCategoryCode":"S"}]`, "PEPPOL-EN16931-R041"},
		{"DK", "", "", "DK-R-002"},
		{"DK", `"cvr":"12345674"`, `"paymentMethods":[{"type":"credit_transfer","code":"30"}]`, "DK-R-005"},
		{"IS", "", "", "IS-R-002"},
		{"IS", `"kennitala":"5501011230"`, `"seller":{"street":null}`, "IS-R-003"},
		{"NL", "", "", "BR-NL-1"},
		{"NL", `"kvk":"12345678"`, `"paymentMethods":[{"type":"cash"}]`, "BR-NL-12"},
		{"NL", `"kvk":"12345678"`, `"paymentMethods":[]`, "BR-NL-11"},
		{"NL", `"kvk":"12345678"`, `"seller":{"countryCode":"NL","city":null}`, "BR-NL-3"},
		{"NO", `"orgnr":"123456784"`, "", "PEPPOL-COMMON-R041"},
		{"NO", "", `"seller":{"vatId":"NO123456785"}`, "NO-R-001"},
		{"SE", `"orgnr":"5566778898"`, "", "PEPPOL-COMMON-R049"},
		{"SE", `"orgnr":"5566778899"`, `"seller":{"taxId":"X"}`, "SE-R-005"},
		{"PL", "", `"type":"proforma"`, "PEPPOL-EN16931-P0100"},
	} {
		t.Run(c.country+" "+c.keys+" "+c.edit, func(t *testing.T) {
			keys := c.keys
			if keys == "" {
				keys = `"invoiceTypeCode":""`
			}
			country, format, body := keyRequest(t, c.country, keys, c.edit)
			_, err := s.Generate(t.Context(), GenerateRequest{Country: country, Format: format, Body: body, Calculate: true})
			var refusal *finding.Refusal
			if !errors.As(err, &refusal) || refusal.Kind != finding.Unprocessable {
				t.Fatalf("%v", err)
			}
			if !slices.ContainsFunc(refusal.Errors, func(f finding.Finding) bool { return f.Code == c.code }) {
				t.Errorf("%s\nhas no %s", refusalOf(err), c.code)
			}
			if strings.HasSuffix(c.code, "R020") && !strings.Contains(refusalOf(err), "does not deliver to e-mail") {
				t.Errorf("%s tells nothing of e-mail addresses", refusalOf(err))
			}
			if len(refusal.Extra) == 0 || refusal.Extra[0].Name != "complianceErrors" {
				t.Errorf("no complianceErrors: %+v", refusal.Extra)
			}
		})
	}
}

// TestGenerate_ChoosesTheCustomisation ensures which specification (BT-24) an invoice of each kind names.
func TestGenerate_ChoosesTheCustomisation(t *testing.T) {
	requests, err := ublRequests()
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t)
	for _, c := range []struct{ country, scenario, want string }{
		{"BE", "invoice", "poacc:billing:3.0"}, {"BE", "credit-note", "poacc:billing:3.0"},
		{"BE", "self-billed", "poacc:selfbilling:3.0"}, {"BE", "self-billed-credit", "poacc:selfbilling:3.0"},
		{"NL", "invoice", "fdc:nen.nl:nlcius:v1.0"}, {"NL", "intra-community", "poacc:billing:3.0"},
		{"NL", "self-billed", "fdc:nen.nl:nlcius:v1.0"}, {"NL", "self-billed-credit", "poacc:selfbilling:3.0"},
		{"PL", "invoice", "poacc:billing:3.0"}, {"PL", "self-billed", "poacc:selfbilling:3.0"}, {"SK", "invoice", "poacc:billing:3.0"}, {"HR", "invoice", "poacc:billing:3.0"},
	} {
		i := slices.IndexFunc(requests, func(r testdata.Request) bool { return r.Country == c.country && r.Scenario == c.scenario })
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: c.country, Format: requests[i].Format, Body: requests[i].Body, Calculate: true})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		if !strings.Contains(string(answer.Data), c.want+"</cbc:CustomizationID>") {
			t.Errorf("%s %s is no %s:\n%s", c.country, c.scenario, c.want, answer.Data[:600])
		}
	}
	for _, country := range []string{"PT", "RO"} {
		_, _, body := keyRequest(t, "BE", `"oib":""`, `"countrySpecific":null`)
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: country, Format: "peppol-ubl", Body: body, Calculate: true})
		if err != nil || !strings.Contains(string(answer.Data), "poacc:billing:3.0</cbc:CustomizationID>") {
			t.Errorf("%s: %v", country, err)
		}
	}
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: "PL", Format: "ubl", Body: ksefBody(t, `{}`)})
	if err != nil || !strings.Contains(string(answer.Data), `kodSystemowy="FA (3)"`) {
		t.Errorf("ubl of Poland is FA(3): %v", err)
	}
}
