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

// TestParse_EbInterfaceVersions ensures that documents of 6.0 and 5.0 are read as those of 6.1: the inputs have nothing that these lack.
func TestParse_EbInterfaceVersions(t *testing.T) {
	s := newService(t)
	for _, name := range ebInterfaceInputs(t) {
		golden, err := os.ReadFile(filepath.Join(ebInterfaceFolder, name+".xml"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Parse(t.Context(), ParseRequest{Document: golden})
		if err != nil {
			t.Fatal(err)
		}
		for version, id := range map[string]string{"6p0": "EBINTERFACE_6_0", "5p0": "EBINTERFACE_5_0"} {
			older := strings.Replace(string(golden), "schema/6p1/", "schema/"+version+"/", 1)
			got, err := s.Parse(t.Context(), ParseRequest{Document: []byte(older)})
			if err != nil || got.Format != id || *got.Detection.CountryCode != "AT" {
				t.Fatalf("%s %s: %v %+v", name, version, err, got)
			}
			if diff := cmp.Diff(want.Invoice, got.Invoice); diff != "" {
				t.Errorf("%s %s: %s", name, version, diff)
			}
		}
	}
}
