//go:build corpus

package operation

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// qrBillVerdict is what the corpus says of a payload: the rules that fire, each with the line that it is about.
type qrBillVerdict struct {
	Valid  bool
	Errors []struct {
		Rule string
		Line int
	}
}

// qrBills are the payloads of the corpus with their verdicts.
func qrBills(t *testing.T) (map[string][]byte, map[string]qrBillVerdict) {
	t.Helper()
	root := filepath.Join(corpus.Shared(), "corpus")
	data, err := os.ReadFile(filepath.Join(root, "verdicts", "qr-bill.json"))
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Documents, Mutants map[string]qrBillVerdict }
	if err := json.Unmarshal(data, &said); err != nil {
		t.Fatal(err)
	}
	maps.Copy(said.Documents, said.Mutants)
	if len(said.Documents) < 49 {
		t.Fatalf("%d payloads", len(said.Documents))
	}
	texts := map[string][]byte{}
	for name := range said.Documents {
		if texts[name], err = os.ReadFile(filepath.Join(root, "qr-bill", name)); err != nil {
			t.Fatal(err)
		}
	}
	return texts, said.Documents
}

// TestCorpus_QRBillsAreJudgedAsTheVerdictsSay ensures that the rules which fire are those of the verdicts, each about its line.
func TestCorpus_QRBillsAreJudgedAsTheVerdictsSay(t *testing.T) {
	s := shippedService(t, today)
	texts, verdicts := qrBills(t)
	for name, text := range texts {
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "CH", Format: "qr-bill", Document: text, Details: true})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		want, got := map[string]int{}, map[string]int{}
		for _, e := range verdicts[name].Errors {
			want[e.Rule] = e.Line
		}
		for _, f := range answer.Findings {
			got[f.Code] = f.Line
		}
		for _, at := range []string{"LINE_COUNT", "TRAILING_SEPARATOR"} { // are about the payload
			if _, fires := got[at]; fires {
				got[at] = want[at]
			}
		}
		if answer.Valid != verdicts[name].Valid || !maps.Equal(got, want) {
			t.Errorf("%s: valid is %v, want %v\n%s", name, answer.Valid, verdicts[name].Valid, cmp.Diff(want, got))
		}
	}
}

// TestCorpus_QRBillsComeBack ensures that every valid payload is read with all of its lines, and that what is made of its invoice is read as
// the same invoice.
func TestCorpus_QRBillsComeBack(t *testing.T) {
	s := shippedService(t, today)
	texts, verdicts := qrBills(t)
	for name, text := range texts {
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: text})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		if !verdicts[name].Valid {
			continue
		}
		for _, w := range parsed.Warnings {
			if w.Field != "/QRBill/Header/Version" { // 0201
				t.Errorf("%s: %+v", name, w)
			}
		}
		answer, err := s.Convert(t.Context(), ConvertRequest{Document: text, Options: invoice.ConvertBody{TargetFormat: "qr-bill"}})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		if lost := slices.DeleteFunc(slices.Clone(answer.ConversionWarnings), func(f finding.Finding) bool { return f.Field == "/QRBill/Header/Version" }); len(lost) > 0 {
			t.Errorf("%s: lost %+v", name, lost)
		}
		again, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil {
			t.Errorf("%s: %v", name, refusalOf(err))
			continue
		}
		if diff := cmp.Diff(parsed.Invoice, again.Invoice, byDecimal); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, answer.Data)
		}
	}
}

// swissAccount matches what the account of a UBL document is replaced in.
var swissAccount = regexp.MustCompile(`(<cac:PayeeFinancialAccount>\s*<cbc:ID[^>]*>)[^<]*`)

// TestCorpus_UBLBecomesQRBills ensures that every valid UBL document with a Swiss account becomes a payload with its total, or is refused with a
// reason.
func TestCorpus_UBLBecomesQRBills(t *testing.T) {
	s := shippedService(t, today)
	var all tally
	eachUBL(t, func(path string, source []byte) {
		options := invoice.ConvertBody{TargetFormat: "qr-bill", TargetCountry: "CH"}
		source = swissAccount.ReplaceAll(source, []byte("${1}CH9300762011623852957"))
		answer, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: options})
		if !all.count(t, path, err) {
			return
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
		if err != nil || len(parsed.Warnings) > 0 || len(answer.ConversionWarnings) == 0 {
			t.Fatalf("%s: %v %+v", path, err, parsed)
		}
		before, err := s.Parse(t.Context(), ParseRequest{Country: "LI", Format: "ubl", Document: source})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := before.Invoice.Total.Round(2, decimal.HalfUp), parsed.Invoice.Total; a.Cmp(b) != 0 {
			t.Errorf("%s: the total is %s, was %s", path, b, a)
		}
	})
	all.check(t, 100)
}
