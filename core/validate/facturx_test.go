package validate

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// facturxSets are the rulebooks of Factur-X.
func facturxSets() []string {
	return []string{
		"fx-2.3.3-basic-1.07.3", "fx-2.3.3-en16931-1.07.3", "fx-2.3.3-extended-1.07.3", "fx-2.4-basic-1.08", "fx-2.4-en16931-1.08", "fx-2.4-extended-1.08",
		"fx-2.5.2-basic-1.09-2", "fx-2.5.2-en16931-1.09-2", "fx-2.5.2-extended-1.09-2",
	}
}

// facturxSet is one of them, compiled, with the assertions that fired so far.
type facturxSet struct {
	rules   *schematron.Ruleset
	program *schematron.Program
	fired   map[*schematron.Assertion]bool
}

func openFacturx(t testing.TB, folder string) *facturxSet {
	t.Helper()
	files, err := fs.Sub(rulebooks.Books(), folder)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := schematron.Read(files, "rules.sch", schematron.Options{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := schematron.Compile(rules, files, schematron.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &facturxSet{rules, program, map[*schematron.Assertion]bool{}}
}

// judge notes what fires on a document.
func (s *facturxSet) judge(t testing.TB, document string) *schematron.Verdict {
	t.Helper()
	doc, err := xmltree.Parse([]byte(document), xmltree.Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	defer doc.Release()
	v, err := s.program.Evaluate(t.Context(), doc, schematron.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range v.Fired {
		s.fired[f.Assertion] = true
	}
	return v
}

// silent are the rules that can never fire beside those whose test is true(), by context and test: what they ask for is what their
// context asks for.
var silent = regexp.MustCompile(`ram:TaxTotalAmount\[@currencyID = \S+\] @currencyID$|ram:ReasonCode\[not\(@listID\)\] not\(@listID\)$`)

// TestFacturX_EveryRuleFires ensures that each rule of each set fires on a document that breaks it, but for those that the
// publisher has made so that they always hold. The short form takes the first set.
func TestFacturX_EveryRuleFires(t *testing.T) {
	for i, folder := range facturxSets() {
		if testing.Short() && i > 0 {
			break
		}
		t.Run(folder, func(t *testing.T) {
			s := openFacturx(t, folder)
			for _, document := range wrongInvoices() {
				s.judge(t, document)
			}
			for _, pattern := range s.rules.Patterns {
				for _, r := range pattern.Rules {
					for _, a := range r.Assertions {
						for variant := 0; pattern.ID == "elements" && !s.fired[a] && variant < 4; variant++ {
							s.judge(t, wrongElement(r.Context.Text, a.Test.Text, variant))
						}
						never := a.Test.Text == "true()" || silent.MatchString(r.Context.Text+" "+a.Test.Text)
						if never == s.fired[a] {
							t.Errorf("%s fires: %t: %s: %s", a.ID, s.fired[a], r.Context.Text, a.Test.Text)
						}
					}
				}
			}
		})
	}
}

// TestFacturX_GoodInvoices ensures that nothing fires on invoices that keep to the profile.
func TestFacturX_GoodInvoices(t *testing.T) {
	for _, folder := range facturxSets() {
		profile := strings.Split(folder, "-")[2]
		s := openFacturx(t, folder)
		for _, category := range []string{"S", "Z", "E", "AE", "K", "G", "O"} {
			v := s.judge(t, goodInvoice(profile, category))
			for _, f := range v.Fired {
				t.Errorf("%s, category %s: %s: %s", folder, category, f.Assertion.ID, f.Messages[0])
			}
			for _, n := range v.NotRun {
				t.Errorf("%s, category %s: %s was not run: %s", folder, category, n.Assertion.ID, n.Reason)
			}
		}
	}
}

// TestFacturX_Messages ensures that what fires on broken invoices says what was found, and that no rule fails for its message.
func TestFacturX_Messages(t *testing.T) {
	s := openFacturx(t, "fx-2.4-en16931-1.08")
	replaced := func(old, new string) string {
		return strings.Replace(goodInvoice("en16931", "S"), qualified(old), qualified(new), 1)
	}
	for want, document := range map[string]string{
		`FX-SCH-A-000117 BT-106 Sum of Invoice line net amount is missing: expected it in LineTotalAmount.`:                                                                                             replaced("<LineTotalAmount>100.00</LineTotalAmount><TaxB", "<TaxB"),
		`FX-SCH-A-000019 BT-1 Invoice number: ExchangedDocument/ID is there 2 times: expected exactly once in the profile EN 16931.`:                                                                    replaced("<ID>1</ID>", "<ID>1</ID><ID>2</ID>"),
		`FX-UNUSED-004 BT-1 Invoice number: ExchangedDocument/ID has the attribute schemeID "A": expected none in the profile EN 16931.`:                                                                replaced("<ID>1</ID>", `<ID schemeID="A">1</ID>`),
		`FX-SCH-A-000036 BT-40 Seller country code: SellerTradeParty/PostalTradeAddress/CountryID is "QQ": expected a code of Countries (ISO 3166-1, with 1A and XI).`:                                  replaced("<CountryID>DE", "<CountryID>QQ"),
		`FX-SCH-A-000198 BT-116 VAT category taxable amount is 90 with the VAT category S (standard rate) and the rate 19: expected the lines minus allowances plus charges of that category and rate.`: replaced("<BasisAmount>100.00", "<BasisAmount>90"),
	} {
		var got []string
		for _, f := range s.judge(t, document).Fired {
			got = append(got, f.Assertion.ID+" "+f.Messages[0])
		}
		if !slices.Contains(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
		}
	}
}

// TestFacturX_StandsFor ensures that the manifests of the sets name the publisher's id of each of our rules whose id is our own.
func TestFacturX_StandsFor(t *testing.T) {
	for _, folder := range facturxSets() {
		manifest, err := fs.ReadFile(rulebooks.Books(), folder+"/manifest.yaml")
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^  (FX-UNUSED-\S+|FX-ELEMENT-\S+): "~[0-9a-f]{8}"$`).FindAllStringSubmatch(string(manifest), -1) {
			named[m[1]] = true
		}
		missing := map[string]bool{}
		for _, pattern := range openFacturx(t, folder).rules.Patterns {
			for _, r := range pattern.Rules {
				for _, a := range r.Assertions {
					if own := strings.HasPrefix(a.ID, "FX-UNUSED-") || strings.HasPrefix(a.ID, "FX-ELEMENT-"); own && !named[a.ID] {
						missing[a.ID] = true
					}
				}
			}
		}
		if len(missing) > 0 || len(named) == 0 {
			t.Errorf("%s: of %d own ids these stand for none: %v", folder, len(named), slices.Sorted(maps.Keys(missing)))
		}
	}
}

// BenchmarkFacturX_Compile measures reading and compiling the rules of all nine sets.
func BenchmarkFacturX_Compile(b *testing.B) {
	for b.Loop() {
		for _, folder := range facturxSets() {
			openFacturx(b, folder)
		}
	}
}

// BenchmarkFacturX_Evaluate measures the rules on invoices of one line and of many, without parsing.
func BenchmarkFacturX_Evaluate(b *testing.B) {
	for _, folder := range []string{"fx-2.4-basic-1.08", "fx-2.4-en16931-1.08", "fx-2.4-extended-1.08", "fx-2.5.2-extended-1.09-2"} {
		s := openFacturx(b, folder)
		for _, lines := range []int{1, 1000, 5000} {
			doc, err := xmltree.Parse([]byte(longInvoice(strings.Split(folder, "-")[2], lines)), xmltree.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(folder+"/lines-"+strconv.Itoa(lines), func(b *testing.B) {
				for b.Loop() {
					if v, err := s.program.Evaluate(b.Context(), doc, schematron.EvaluateOptions{}); err != nil || len(v.Fired) > 0 {
						b.Fatal(v.Fired, err)
					}
				}
			})
		}
	}
}
