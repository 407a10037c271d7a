//go:build oracles

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"einvoiced/internal/corpus"
)

// publishedRules are the official rule sets that Maven Central has in the version of the corpus, as XSLT: name, module, path
// of the rules and of the schema in the module, below external/schematron and external/schemas.
var publishedRules = [][4]string{
	{"en16931-ubl", "phive-rules-en16931", "1.3.16/ubl/EN16931-UBL-validation.xslt"},
	{"en16931-cii", "phive-rules-en16931", "1.3.16/cii/EN16931-CII-validation.xslt"},
	{"peppol-bis", "phive-rules-peppol", "openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL.xslt"},
	{"peppol-sb", "phive-rules-peppol", "openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL-SB.xslt"},
	{"xrechnung-ubl", "phive-rules-xrechnung", "3.0.2/XRechnung-UBL-validation.xslt"},
	{"xrechnung-cii", "phive-rules-xrechnung", "3.0.2/XRechnung-CII-validation.xslt"},
	{"fx-2.4-basic", "phive-rules-zugferd", "2.4/FACTUR-X_BASIC.xslt", "2.4/basic/FACTUR-X_BASIC.xsd"},
	{"fx-2.3.3-basic", "phive-rules-zugferd", "2.3.3/Factur-X_1.07.3_BASIC.xslt", "2.3.3/basic/Factur-X_1.07.3_BASIC.xsd"},
	{"fx-2.4-en16931", "phive-rules-zugferd", "2.4/FACTUR-X_EN16931.xslt", "2.4/en16931/FACTUR-X_EN16931.xsd"},
	{"fx-2.3.3-en16931", "phive-rules-zugferd", "2.3.3/Factur-X_1.07.3_EN16931.xslt", "2.3.3/en16931/Factur-X_1.07.3_EN16931.xsd"},
	{"fx-2.4-extended", "phive-rules-zugferd", "2.4/FACTUR-X_EXTENDED.xslt", "2.4/extended/FACTUR-X_EXTENDED.xsd"},
	{"fx-2.3.3-extended", "phive-rules-zugferd", "2.3.3/Factur-X_1.07.3_EXTENDED.xslt", "2.3.3/extended/Factur-X_1.07.3_EXTENDED.xsd"},
	{"cius-pt", "phive-rules-cius-pt", "2.1.1/urn_feap.gov.pt_CIUS-PT_2.1.1.xslt"},
	{"cius-ro", "phive-rules-cius-ro", "1.0.9/ROeFactura-UBL-validation-Invoice_v1.0.9.xslt"},
	{"hr-cius", "phive-rules-eracun", "1.0.3/HR-CIUS-EXT-EN16931-UBL.xslt"},
	{"be", "phive-rules-ublbe", "ublbe/en16931/v1.31/GLOBALUBL.BE.xslt"},
	{"pint-ae-base", "phive-rules-peppol", "pint-ae/2026.5/billing/PINT-UBL-validation-preprocessed.xslt"},
	{"pint-ae", "phive-rules-peppol", "pint-ae/2026.5/billing/PINT-jurisdiction-aligned-rules.xslt"},
	{"pint-ae-sb-base", "phive-rules-peppol", "pint-ae/2026.5/selfbilling/PINT-UBL-validation-preprocessed.xslt"},
	{"pint-ae-sb", "phive-rules-peppol", "pint-ae/2026.5/selfbilling/PINT-jurisdiction-aligned-rules.xslt"},
}

// corpusClock is the clock of the official runs.
const corpusClock = "2026-09-01T00:00:00Z"

// TestOfficial_Agree imports the official rule sets from the jars of Maven Central and compares their verdicts on every document
// of the corpus, all by the commands.
func TestOfficial_Agree(t *testing.T) {
	books := importPublished(t)
	verdicts, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "verdicts", "*.json"))
	if err != nil || len(verdicts) == 0 {
		t.Fatalf("no corpus in %s", corpus.Shared())
	}
	compared := map[string]int{}
	for _, file := range verdicts {
		folder := filepath.Join(corpus.Shared(), "corpus", strings.TrimSuffix(filepath.Base(file), ".json"))
		stdout, _, code := run(t, "", "rulebooks", "agree", "--rulebooks", books, "--verdicts", file, "--now", corpusClock, "--json", "--diff", folder)
		if code == exitUsage {
			continue // verdicts of another kind
		}
		for text := range strings.Lines(stdout) {
			var line struct {
				agreeLine
				File, Difference string
			}
			unmarshal(t, []byte(text), &line)
			switch {
			case line.File != "" && line.Difference != "not loaded":
				t.Errorf("%s: %s: %s", line.File, line.subject, line.Difference)
			case line.File == "" && line.NotLoaded == "" && !line.Total:
				compared[line.subject.String()] += line.Documents
			}
		}
	}
	for _, rules := range publishedRules {
		if compared[rules[0]] == 0 || rules[3] != "" && compared["xsd:"+rules[0]] == 0 {
			t.Errorf("%s was not compared", rules[0])
		}
	}
	t.Log(compared)
}

// importPublished gives a folder of rulebooks: those named, or all of them.
func importPublished(t *testing.T, names ...string) string {
	t.Helper()
	books := t.TempDir()
	for _, rules := range publishedRules {
		if len(names) > 0 && !slices.Contains(names, rules[0]) {
			continue
		}
		args := []string{"rulebooks", "import", publishedModule(t, rules[1]), "--into", books, "--id", rules[0], "--schematron", "external/schematron/" + rules[2]}
		if rules[3] != "" {
			args = append(args, "--xsd", "external/schemas/"+rules[3])
		}
		if stdout, stderr, code := run(t, "", args...); code != exitOK {
			t.Fatalf("%s: exit code %d: %s%s", rules[0], code, stdout, stderr)
		}
	}
	return books
}

// publishedModule finds an unpacked jar in the folders of EINVOICED_RULES.
func publishedModule(t *testing.T, module string) string {
	t.Helper()
	folders := filepath.SplitList(os.Getenv("EINVOICED_RULES"))
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, module, "external")); err == nil {
			return filepath.Join(folder, module)
		}
	}
	t.Fatalf("no %s in %q: set EINVOICED_RULES to the folder that go run ./oracles/cmd/rules prints", module, folders)
	return ""
}
