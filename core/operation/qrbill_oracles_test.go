//go:build oracles

package operation

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/test/oracles"
)

const codesFolder = "../../test/oracles/codes"

// TestSwiss_PayloadsAreThoseOfQRBillGenerator asks qrbill-generator about the payloads that we write.
func TestSwiss_PayloadsAreThoseOfQRBillGenerator(t *testing.T) {
	bills, err := oracles.StartBills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer bills.Close()
	for name := range qrBillInputs(t) {
		if wrong, err := bills.Wrong("../../testdata/qr-bill/" + name + ".txt"); err != nil || wrong != "" {
			t.Errorf("%s: %v %s", name, err, wrong)
		}
	}
}

// judgedOtherwise are payloads of the corpus that qrbill-generator takes for another thing, each with the reason.
var judgedOtherwise = map[string]string{
	"mutants/31-keep-version-0201.txt":     "it writes the version 0200",
	"sprain-qr-additional-information.txt": "it wants the bill information to begin with // and two letters",
	"sprain-qr-full-set.txt":               "it wants the bill information to begin with // and two letters",
	"mutants/10-ultimate-creditor.txt":     "it drops the ultimate creditor",
}

// TestSwiss_OurRulesSayWhatQRBillGeneratorSays compares our verdicts on the payloads of the corpus with those of qrbill-generator.
func TestSwiss_OurRulesSayWhatQRBillGeneratorSays(t *testing.T) {
	bills, err := oracles.StartBills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer bills.Close()
	s := shippedService(t, today)
	compared := 0
	for _, d := range corpus.Nationals(t, "qr-bill") {
		text, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "CH", Format: "qr-bill", Document: text})
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

// TestSwiss_CodesOnPagesReadAsTheirPayloads renders PDF files with payment parts, reads the codes in the pictures, and asks veraPDF and qpdf about
// the files.
func TestSwiss_CodesOnPagesReadAsTheirPayloads(t *testing.T) {
	profiles, err := oracles.StartProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer profiles.Close()
	s := shippedService(t, today)
	folder := t.TempDir()
	var pictures, payloads []string
	for name, body := range qrBillInputs(t) {
		payload, err := s.Generate(t.Context(), GenerateRequest{Country: billingCountry(name), Format: "qr-bill", Body: body})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		page, err := s.Generate(t.Context(), GenerateRequest{Country: billingCountry(name), Format: "pdf", Body: body})
		if err != nil {
			t.Fatal(refusalOf(err))
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
		for _, command := range [][]string{{"qpdf", "--check", path + ".pdf"}, {"pdftoppm", "-r", "150", "-png", "-singlefile", path + ".pdf", path}} {
			if said, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", command[0], err, said)
			}
		}
		pictures, payloads = append(pictures, path+".png"), append(payloads, string(payload.Data))
	}
	for i, codes := range readCodes(t, pictures) {
		if len(codes) != 1 || codes[0].Text != payloads[i] || codes[0].Level != "M" {
			t.Errorf("%s: %+v is not %q", pictures[i], codes, payloads[i])
		}
	}
}

type readCode struct{ Text, Level string }

// readCodes reads the QR codes in pictures by zxing-cpp.
func readCodes(t *testing.T, pictures []string) [][]readCode {
	t.Helper()
	c := exec.CommandContext(t.Context(), "python3", filepath.Join(codesFolder, "read.py"))
	c.Env = append(os.Environ(), "PYTHONPATH="+packagesOf(t, "zxing-cpp-3.1.1", filepath.Join(codesFolder, "requirements.txt")))
	c.Stdin, c.Stderr = strings.NewReader(strings.Join(pictures, "\n")+"\n"), os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]readCode
	for line := range strings.Lines(string(out)) {
		var codes []readCode
		if err := json.Unmarshal([]byte(line), &codes); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, codes)
	}
	if len(all) != len(pictures) {
		t.Fatalf("%d answers for %d pictures", len(all), len(pictures))
	}
	return all
}
