package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
)

const ciiFolder = "../../testdata/cii"

// german are the inputs of XRechnung that are written as CII as well.
const german = "attachments calculate card cash construction-final construction-partial construction-reverse-charge correction credit-note credit-note-references danish-fik " +
	"delivery-location direct-debit direct-debit-payee export factoring-payee foreign-account foreign-currency full giro goods intra-community item-details " +
	"line-discounts line-negative-price lines-25 minimal not-subject partial party-members payment-unspecified prepayments-summed public-buyer " +
	"retention returns self-billed services-period several-accounts skonto small-business tax-representative texts unit-prices vat-id-prefix vat-rates zero-rated zugferd-lines"

// ciiGoldens are the formats whose goldens are CII: the folder below testdata/cii, which is the format's name in results, the route, its
// options, the folder of the inputs, and their names with those that are refused after a bar, each with the rule that refuses it.
var ciiGoldens = []struct{ folder, country, format, options, inputs, names, refused string }{
	{"xrechnung-cii", "de", "xrechnung", `{"syntax":"cii"}`, inputs, german + " extension extension-schemes extension-full-line prepayments-rounding", "card:BR-51 mixed-payment-means:CII-SR-467"},
	{"zugferd-2.4-basic", "de", "zugferd", `{"output":"xml","profile":"BASIC"}`, inputs, german, "prepayments-rounding:FX-SCH-A-000122 full:FX-SCH-A-000122"},
	{"zugferd-2.4-en16931", "de", "zugferd", `{"output":"xml"}`, inputs, german + " prepayments-rounding", "card:FX-SCH-A-000281 credit-note-negative:FX-SCH-A-000155 extension:FX-SCH-A-000287"},
	{"zugferd-2.4-extended", "de", "zugferd", `{"output":"xml","profile":"EXTENDED"}`, inputs, german + " prepayments-rounding extension", "card:FX-SCH-A-000281"},
	{"zugferd-2.3-basic", "de", "zugferd", `{"output":"xml","profile":"BASIC","version":"2.3"}`, inputs, "credit-note goods skonto", ""},
	{"zugferd-2.3-en16931", "de", "zugferd", `{"output":"xml","version":"2.3"}`, inputs, "credit-note full goods skonto", ""},
	{"zugferd-2.3-extended", "de", "zugferd", `{"output":"xml","profile":"EXTENDED","version":"2.3"}`, inputs, "credit-note full goods skonto zugferd-lines", ""},
	{"zugferd-2.5-basic", "de", "zugferd", `{"output":"xml","profile":"BASIC","version":"2.5"}`, inputs, "credit-note goods skonto", ""},
	{"zugferd-2.5-en16931", "de", "zugferd", `{"output":"xml","version":"2.5"}`, inputs, "credit-note full goods skonto", ""},
	{"zugferd-2.5-extended", "de", "zugferd", `{"output":"xml","profile":"EXTENDED","version":"2.5"}`, inputs, "credit-note extension full goods skonto zugferd-lines", ""},
	{"facturx-1.08-en16931", "fr", "facturx", `{"output":"xml"}`, ciiFolder, "french", ""},
	{"facturx-1.08-en16931", "be", "facturx", `{"output":"xml"}`, ciiFolder, "belgian", ""},
	{"facturx-1.09-en16931", "fr", "facturx", `{"output":"xml","version":"1.09"}`, ciiFolder, "french", ""},
	{"facturx-1.09-en16931", "be", "facturx", `{"output":"xml","version":"1.09"}`, ciiFolder, "belgian", ""},
	{"facturx-1.09-basic", "fr", "facturx", `{"output":"xml","profile":"BASIC","version":"1.09"}`, ciiFolder, "french", ""},
	{"facturx-1.09-extended", "fr", "facturx", `{"output":"xml","profile":"EXTENDED","version":"1.09"}`, ciiFolder, "french", ""},
	{"zugferd-2.4-en16931", "ch", "zugferd", `{"output":"xml"}`, ciiFolder, "swiss", ""},
	{"zugferd-2.5-en16931", "ch", "zugferd", `{"output":"xml","version":"2.5"}`, ciiFolder, "swiss", ""},
}

// TestGenerate_CII ensures the documents in CII, which the rules that ship accept: each by its route, with version and profile in the
// answer where the format has them.
func TestGenerate_CII(t *testing.T) {
	s := fullService(t)
	for _, g := range ciiGoldens {
		for i, name := range accepted(g.names, g.refused) {
			if leftOut(i) {
				continue
			}
			t.Run(g.folder+"/"+name, func(t *testing.T) {
				answer, err := s.Generate(t.Context(), GenerateRequest{Country: g.country, Format: g.format, Body: withOptions(t, g.inputs, name, g.options), Calculate: name == "calculate"})
				if err != nil {
					t.Fatal(err)
				}
				if *update {
					if err := os.MkdirAll(filepath.Join(ciiFolder, g.folder), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				compareGolden(t, filepath.Join(ciiFolder, g.folder, name+".xml"), answer.Data)
				if answer.MimeType != "application/xml" || !strings.HasSuffix(answer.Filename, "-"+g.format+".xml") || len(answer.Rulebooks) == 0 {
					t.Errorf("%s %s %v", answer.MimeType, answer.Filename, answer.Rulebooks)
				}
				if diff := cmp.Diff(appliedOf(g.folder), answer.AppliedFormatOptions); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// accepted are the names of inputs that are not among those refused.
func accepted(names, refused string) []string {
	return slices.DeleteFunc(strings.Fields(names), func(name string) bool { return strings.Contains(" "+refused, " "+name+":") })
}

// appliedOf is what is applied where goldens have a folder of that name.
func appliedOf(folder string) AppliedFormatOptions {
	parts := strings.Split(folder, "-")
	if len(parts) < 3 {
		return AppliedFormatOptions{}
	}
	return AppliedFormatOptions{Version: parts[1], Profile: strings.ToUpper(parts[2])}
}

// newerHybrids are the newest versions of ZUGFeRD and Factur-X, by those before.
var newerHybrids = map[string]string{"2.4": "2.5", "1.08": "1.09"}

// TestGenerate_CIINewerHybrids ensures that the newest versions are written as those before, so that goldens of the versions before are theirs as
// well: test/oracles has them judged by the rules of both. What third parties are paid for has a place in EXTENDED of the newest alone.
func TestGenerate_CIINewerHybrids(t *testing.T) {
	s := fullService(t)
	for _, g := range ciiGoldens {
		version := newerHybrids[appliedOf(g.folder).Version]
		if version == "" {
			continue
		}
		options := strings.TrimSuffix(g.options, "}") + `,"version":"` + version + `"}`
		for i, name := range accepted(g.names, g.refused) {
			if leftOut(i) {
				continue
			}
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: g.country, Format: g.format, Body: withOptions(t, g.inputs, name, options), Calculate: name == "calculate"})
			if err != nil {
				t.Errorf("%s %s in %s: %v", g.folder, name, version, err)
				continue
			}
			golden, err := os.ReadFile(filepath.Join(ciiFolder, g.folder, name+".xml"))
			if err != nil {
				t.Fatal(err)
			}
			if same := bytes.Equal(golden, answer.Data); same == (name == "extension") {
				t.Errorf("%s %s is written alike in %s: %v", g.folder, name, version, same)
			}
		}
	}
}

// TestGenerate_CIIRefused ensures that what CII or a profile cannot express is refused by the rule that says so.
func TestGenerate_CIIRefused(t *testing.T) {
	s := fullService(t)
	for _, g := range ciiGoldens {
		for entry := range strings.FieldsSeq(g.refused) {
			name, rule, _ := strings.Cut(entry, ":")
			_, err := s.Generate(t.Context(), GenerateRequest{Country: g.country, Format: g.format, Body: withOptions(t, g.inputs, name, g.options)})
			var refusal *finding.Refusal
			if !errors.As(err, &refusal) || refusal.Kind != finding.Unprocessable || len(refusal.Errors) == 0 || refusal.Errors[0].Code != rule {
				t.Errorf("%s %s: %v", g.folder, name, err)
			}
		}
	}
}

// withOptions is a request body of the test data with other format options.
func withOptions(t testing.TB, folder, name, options string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	body["formatOptions"] = json.RawMessage(options)
	data, err = json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGenerate_HybridOptions has a row for each way to ask for a hybrid that is refused, and who says so.
func TestGenerate_HybridOptions(t *testing.T) {
	s := newService(t)
	for _, c := range []struct{ country, format, options, code, field string }{
		{"de", "zugferd", `{"language":"tlh"}`, "", "formatOptions.language"},
		{"fr", "facturx", `{"template":{"page":1}}`, "", "formatOptions.template.version"},
		{"de", "zugferd", `{"version":"2.1"}`, finding.UnsupportedFormatVersion, "formatOptions.version"},
		{"de", "zugferd", `{"output":"pdf"}`, "", "formatOptions.output"},
		{"de", "zugferd", `{"output":"xml","version":"2.1"}`, finding.UnsupportedFormatVersion, "formatOptions.version"},
		{"de", "zugferd", `{"output":"xml","version":"1.08"}`, finding.UnsupportedFormatVersion, "formatOptions.version"},
		{"fr", "facturx", `{"output":"xml","version":"2.4"}`, finding.UnsupportedFormatVersion, "formatOptions.version"},
		{"de", "zugferd", `{"output":"xml","profile":"MINIMUM"}`, finding.UnsupportedFormatProfile, "formatOptions.profile"},
		{"de", "zugferd", `{"output":"xml","zugferdProfile":"BASIC WL"}`, finding.UnsupportedFormatProfile, "formatOptions.profile"},
		{"de", "zugferd", `{"output":"xml","profile":"BASIC","zugferdProfile":"EXTENDED"}`, finding.ConflictingFormatOptions, "formatOptions.zugferdProfile"},
		{"de", "zugferd", `{"output":"xml","template":{"blocks":[]}}`, finding.ConflictingFormatOptions, "formatOptions.template"},
		{"de", "zugferd", `{"output":"xml","syntax":"ubl"}`, "", "formatOptions.syntax"},
	} {
		_, err := s.Generate(context.Background(), GenerateRequest{Country: c.country, Format: c.format, Body: withOptions(t, inputs, "goods", c.options)})
		var refusal *finding.Refusal
		if !errors.As(err, &refusal) || refusal.Kind != finding.BadRequest || refusal.Code != c.code || refusal.Field != c.field {
			t.Errorf("%s %s: %v", c.format, c.options, err)
		}
	}
	body := strings.Replace(string(withOptions(t, inputs, "goods", `{"output":"xml"}`)), "{", `{"templateId":"6a1f2a7e-8f0c-4f6e-9d5c-0f1a2b3c4d5e",`, 1)
	_, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "zugferd", Body: []byte(body)})
	var refusal *finding.Refusal
	if !errors.As(err, &refusal) || refusal.Code != finding.ConflictingFormatOptions || refusal.Field != "templateId" {
		t.Errorf("templateId: %v", err)
	}
}
