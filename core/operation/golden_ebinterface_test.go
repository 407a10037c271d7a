package operation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

const ebInterfaceFolder = "../../testdata/ebinterface"

// ebInterfaceWarnings are the codes of the warnings that inputs have, with the number of each; the others have none.
var ebInterfaceWarnings = map[string]string{
	"card":                 "FIELD_NOT_WRITTEN FIELD_NOT_WRITTEN FIELD_NOT_WRITTEN", // the account of the seller, which nothing is paid to
	"cash":                 "FIELD_NOT_WRITTEN FIELD_NOT_WRITTEN FIELD_NOT_WRITTEN",
	"direct-debit":         "FIELD_NOT_WRITTEN FIELD_NOT_WRITTEN FIELD_NOT_WRITTEN",
	"federal":              "FIELD_NOT_WRITTEN", // the department of the contact
	"groups":               "GROUP_NOT_REPRESENTABLE",
	"credit-note-negative": "CREDIT_NOTE_SIGN_FLIPPED",
}

// TestGenerate_EbInterface ensures the documents of all inputs, which the rules that ship accept, and that they are read as an invoice which
// gives the same document again.
func TestGenerate_EbInterface(t *testing.T) {
	s := fullService(t)
	for _, name := range ebInterfaceInputs(t) {
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(ebInterfaceFolder, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "at", Format: "ebinterface", Body: body})
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, filepath.Join(ebInterfaceFolder, name+".xml"), answer.Data)
			if got := namesOf(answer.Warnings); got != ebInterfaceWarnings[name] {
				t.Errorf("warnings %+v", answer.Warnings)
			}
			if want := []Rulebook{{"ebinterface", "6.1"}}; !slices.Equal(answer.Rulebooks, want) {
				t.Errorf("judged by %v", answer.Rulebooks)
			}
			writtenAgain(t, s, answer.Data)
		})
	}
}

// ebInterfaceInputs are the names of the inputs.
func ebInterfaceInputs(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(ebInterfaceFolder, "*.json"))
	if err != nil || len(files) < 12 {
		t.Fatalf("%d inputs: %v", len(files), err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	return names
}

// requestOf is the request to generate an invoice.
func requestOf(t testing.TB, inv *invoice.Invoice) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"invoice": inv})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// namesOf are the codes of findings, with a blank between them.
func namesOf(findings []finding.Finding) string {
	var codes []string
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	return strings.Join(codes, " ")
}

// writtenAgain reads a document and writes its invoice: nothing is reported, and the document is the same.
func writtenAgain(t *testing.T, s *Service, document []byte) {
	t.Helper()
	read, err := s.Parse(t.Context(), ParseRequest{Document: document})
	if err != nil || len(read.Warnings) > 0 {
		t.Fatalf("%v %+v", err, read)
	}
	again, err := s.Generate(t.Context(), GenerateRequest{Country: "AT", Format: "ebinterface", Body: requestOf(t, read.Invoice)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(document), string(again.Data)); diff != "" {
		t.Error(diff)
	}
}

// TestParse_EbInterfaceVersions ensures that documents of older versions are read with all of their leaves but the name of the program that made them, as invoices
// that 6.1 can have: what is written of one is read as the same. Where a golden of 6.1 says the same, so does the older document.
func TestParse_EbInterfaceVersions(t *testing.T) {
	s := newService(t)
	for version, id := range map[string]string{"6.0": "EBINTERFACE_6_0", "5.0": "EBINTERFACE_5_0", "4.3": "EBINTERFACE_4_3"} {
		names, err := filepath.Glob("../../testdata/ebinterface-" + version + "/*.xml")
		if err != nil || len(names) < 5 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			t.Run(version+" "+filepath.Base(name), func(t *testing.T) {
				source, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Parse(t.Context(), ParseRequest{Document: source})
				if err != nil {
					t.Fatal(refusalOf(err))
				}
				if got.Format != id || *got.Detection.FormatVersion != version || *got.Detection.CountryCode != "AT" || namesOf(got.Warnings) != "" && got.Warnings[0].Field != "/Invoice/@GeneratingSystem" && got.Warnings[0].Field != "/eb:Invoice/@eb:GeneratingSystem" {
					t.Errorf("%+v", got)
				}
				sameWhenWritten(t, s, got.Invoice)
				golden, err := os.ReadFile(filepath.Join(ebInterfaceFolder, filepath.Base(name)))
				if err != nil {
					return // there is none
				}
				want, err := s.Parse(t.Context(), ParseRequest{Document: golden})
				if err != nil {
					t.Fatal(err)
				}
				if version != "4.3" { // whose rates have no categories
					if diff := cmp.Diff(want.Invoice, got.Invoice); diff != "" {
						t.Error(diff)
					}
				} else if diff := cmp.Diff(linesAndGroups(want.Invoice), linesAndGroups(got.Invoice)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// sameWhenWritten writes an invoice as 6.1 and reads it: it is the same but for what 6.1 has no place for, which the answer lists.
func sameWhenWritten(t *testing.T, s *Service, inv *invoice.Invoice) {
	t.Helper()
	made, err := s.Generate(t.Context(), GenerateRequest{Country: "AT", Format: "ebinterface", Body: requestOf(t, inv)})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	for _, w := range made.Warnings {
		if path, national := strings.CutPrefix(w.Field, "countrySpecific.national."); national && w.Code == finding.FieldNotWritten {
			delete(inv.CountrySpecific.National, path)
		} else if isLoss(w) {
			t.Errorf("lost: %+v", w)
		}
	}
	again, err := s.Parse(t.Context(), ParseRequest{Document: made.Data})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inv, again.Invoice); diff != "" {
		t.Errorf("%s\n%s", diff, made.Data)
	}
}

// linesAndGroups is what lines and groups of an invoice are and cost, a line for each.
func linesAndGroups(inv *invoice.Invoice) []string {
	all := []string{inv.InvoiceNumber, inv.Seller.Name, inv.Buyer.VATID, inv.Total.String()}
	for i := range inv.Items {
		it := &inv.Items[i]
		all = append(all, strings.Join([]string{it.Description, it.Quantity.Trim().String(), it.Unit, it.NetAmount.Trim().String(), it.TaxCategoryCode, it.TaxRate.Trim().String()}, " "))
	}
	for _, g := range inv.TaxSummary {
		all = append(all, strings.Join([]string{g.TaxCategoryCode, g.TaxRate.Trim().String(), g.NetAmount.Trim().String(), g.TaxAmount.Trim().String()}, " "))
	}
	return all
}
