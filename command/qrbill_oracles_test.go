//go:build oracles

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestOfficial_QRBillPayloadsAreThoseOfQRBillGenerator asks qrbill-generator about the payloads that we write.
func TestOfficial_QRBillPayloadsAreThoseOfQRBillGenerator(t *testing.T) {
	bills, err := oracles.StartBills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer bills.Close()
	for name := range qrBillInputs(t) {
		if wrong, err := bills.Wrong("../testdata/qr-bill/" + name + ".txt"); err != nil || wrong != "" {
			t.Errorf("%s: %v %s", name, err, wrong)
		}
	}
}

// qrBillInputs are the inputs for QR-bills by name.
func qrBillInputs(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../testdata/qr-bill/*.json")
	if err != nil || len(paths) < 12 {
		t.Fatal(len(paths), err)
	}
	inputs := map[string][]byte{}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs[strings.TrimSuffix(filepath.Base(path), ".json")] = body
	}
	return inputs
}

// billingCountry is the country whose route takes an input.
func billingCountry(name string) string {
	if strings.Contains(name, "liechtenstein") {
		return "LI"
	}
	return "CH"
}

// judgedOtherwise are payloads of the corpus that qrbill-generator takes for another thing, each with the reason.
var judgedOtherwise = map[string]string{
	"mutants/31-keep-version-0201.txt":     "it writes the version 0200",
	"sprain-qr-additional-information.txt": "it wants the bill information to begin with // and two letters",
	"sprain-qr-full-set.txt":               "it wants the bill information to begin with // and two letters",
	"mutants/10-ultimate-creditor.txt":     "it drops the ultimate creditor",
}

// TestOfficial_QRBillOurRulesSayWhatQRBillGeneratorSays compares our verdicts on the payloads of the corpus with those of qrbill-generator.
func TestOfficial_QRBillOurRulesSayWhatQRBillGeneratorSays(t *testing.T) {
	bills, err := oracles.StartBills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer bills.Close()
	s := judgeOf(t, "")
	compared := 0
	for _, d := range corpus.Nationals(t, "qr-bill") {
		text, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Validate(t.Context(), operation.ValidateRequest{Country: "CH", Format: "qr-bill", Document: text})
		if err != nil {
			t.Fatal(err)
		}
		wrong, err := bills.Wrong(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		if (wrong == "") != answer.Valid && judgedOtherwise[d.Name] == "" {
			t.Errorf("%s: ours says %v, qrbill-generator %q", d.Name, answer.Valid, wrong)
		}
		compared++
	}
	if compared < 49 {
		t.Errorf("%d payloads", compared)
	}
}

// TestOfficial_QRBillCodesOnPagesReadAsTheirPayloads renders PDF files with payment parts, reads the codes in the pictures, and asks veraPDF and qpdf about
// the files.
func TestOfficial_QRBillCodesOnPagesReadAsTheirPayloads(t *testing.T) {
	profiles, err := oracles.StartProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer profiles.Close()
	s := judgeOf(t, "")
	folder := t.TempDir()
	var pictures, payloads []string
	for name, body := range qrBillInputs(t) {
		payload, err := s.Generate(t.Context(), operation.GenerateRequest{Country: billingCountry(name), Format: "qr-bill", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.Generate(t.Context(), operation.GenerateRequest{Country: billingCountry(name), Format: "pdf", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path+".pdf", page.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, profile := range []string{"3b", "ua1"} {
			if failed, _, err := profiles.Failed(profile, path+".pdf"); err != nil || len(failed) > 0 {
				t.Errorf("%s: %s: %v %v", name, profile, failed, err)
			}
		}
		for _, command := range [][]string{{"qpdf", "--check", path + ".pdf"}, {"pdftoppm", "-r", "150", "-png", path + ".pdf", path}} {
			if said, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", command[0], err, said)
			}
		}
		pages, err := filepath.Glob(path + "-*.png") // numbered; the payment part is on the last
		if err != nil || len(pages) == 0 {
			t.Fatal(name, err)
		}
		pictures, payloads = append(pictures, pages[len(pages)-1]), append(payloads, string(payload.Data))
	}
	read, err := oracles.ReadCodes(t.Context(), pictures)
	if err != nil {
		t.Fatal(err)
	}
	for i, codes := range read {
		if len(codes) != 1 || codes[0].Text != payloads[i] || codes[0].Level != "M" {
			t.Errorf("%s: %+v is not %q", pictures[i], codes, payloads[i])
		}
	}
}
