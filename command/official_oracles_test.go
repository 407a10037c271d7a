//go:build oracles

package command

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// officialRules is an official rule set as XSLT.
type officialRules struct {
	name   string // in the verdicts of the corpus
	module string
	rules  string // path below schematron in the module
	schema string // path below schemas; empty for UBL and CII, whose schemas are elsewhere
}

// publishedRules are those that Maven Central has in the version of the corpus; those of Factur-X 2.5.2 lie in another jar there, and are placed as
// if they were in that of their module (oracles.CompiledRules).
var publishedRules = []officialRules{
	{"en16931-ubl", "phive-rules-en16931", "1.3.16/ubl/EN16931-UBL-validation.xslt", ""},
	{"en16931-cii", "phive-rules-en16931", "1.3.16/cii/EN16931-CII-validation.xslt", ""},
	{"peppol-bis", "phive-rules-peppol", "openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL.xslt", ""},
	{"peppol-sb", "phive-rules-peppol", "openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL-SB.xslt", ""},
	{"xrechnung-ubl", "phive-rules-xrechnung", "3.0.2/XRechnung-UBL-validation.xslt", ""},
	{"xrechnung-cii", "phive-rules-xrechnung", "3.0.2/XRechnung-CII-validation.xslt", ""},
	{"fx-2.4-basic", "phive-rules-zugferd", "2.4/FACTUR-X_BASIC.xslt", "2.4/basic/FACTUR-X_BASIC.xsd"},
	{"fx-2.3.3-basic", "phive-rules-zugferd", "2.3.3/Factur-X_1.07.3_BASIC.xslt", "2.3.3/basic/Factur-X_1.07.3_BASIC.xsd"},
	{"fx-2.4-en16931", "phive-rules-zugferd", "2.4/FACTUR-X_EN16931.xslt", "2.4/en16931/FACTUR-X_EN16931.xsd"},
	{"fx-2.3.3-en16931", "phive-rules-zugferd", "2.3.3/Factur-X_1.07.3_EN16931.xslt", "2.3.3/en16931/Factur-X_1.07.3_EN16931.xsd"},
	{"fx-2.4-extended", "phive-rules-zugferd", "2.4/FACTUR-X_EXTENDED.xslt", "2.4/extended/FACTUR-X_EXTENDED.xsd"},
	{"fx-2.3.3-extended", "phive-rules-zugferd", "2.3.3/Factur-X_1.07.3_EXTENDED.xslt", "2.3.3/extended/Factur-X_1.07.3_EXTENDED.xsd"},
	{"fx-2.5.2-basic", "phive-rules-zugferd", "2.5.2/FACTUR-X_BASIC.xslt", "2.5.2/basic/FACTUR-X_BASIC.xsd"},
	{"fx-2.5.2-en16931", "phive-rules-zugferd", "2.5.2/FACTUR-X_EN16931.xslt", "2.5.2/en16931/FACTUR-X_EN16931.xsd"},
	{"fx-2.5.2-extended", "phive-rules-zugferd", "2.5.2/FACTUR-X_EXTENDED.xslt", "2.5.2/extended/FACTUR-X_EXTENDED.xsd"},
	{"cius-pt", "phive-rules-cius-pt", "2.1.1/urn_feap.gov.pt_CIUS-PT_2.1.1.xslt", ""},
	{"cius-ro", "phive-rules-cius-ro", "1.0.9/ROeFactura-UBL-validation-Invoice_v1.0.9.xslt", ""},
	{"hr-cius", "phive-rules-eracun", "1.0.3/HR-CIUS-EXT-EN16931-UBL.xslt", ""},
	{"be", "phive-rules-ublbe", "ublbe/en16931/v1.31/GLOBALUBL.BE.xslt", ""},
	{"pint-ae-base", "phive-rules-peppol", "pint-ae/2026.5/billing/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-ae", "phive-rules-peppol", "pint-ae/2026.5/billing/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"pint-ae-sb-base", "phive-rules-peppol", "pint-ae/2026.5/selfbilling/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-ae-sb", "phive-rules-peppol", "pint-ae/2026.5/selfbilling/PINT-jurisdiction-aligned-rules.xslt", ""},
}

// otherRules are those that it has in other versions or not at all. They are compared where a folder of EINVOICED_RULES has them.
var otherRules = []officialRules{
	{"nl-ubl", "phive-rules-simplerinvoicing", "simplerinvoicing/si-ubl-2.0.3.13.xslt", ""},
	{"nl-gaccount", "phive-rules-simplerinvoicing", "simplerinvoicing/si-ubl-2.0-ext-gaccount-1.0.13.xslt", ""},
	{"nl-cii", "phive-rules-simplerinvoicing", "nlcius/nlcius-cii-1.0.3.13.xslt", ""},
	{"pint-aunz-base", "phive-rules-peppol-pint", "pint-aunz/1.1.3/xslt/billing/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-aunz", "phive-rules-peppol-pint", "pint-aunz/1.1.3/xslt/billing/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"pint-aunz-sb-base", "phive-rules-peppol-pint", "pint-aunz/1.1.3/xslt/selfbilling/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-aunz-sb", "phive-rules-peppol-pint", "pint-aunz/1.1.3/xslt/selfbilling/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"pint-jp-base", "phive-rules-peppol-pint", "pint-jp/1.1.3/xslt/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-jp", "phive-rules-peppol-pint", "pint-jp/1.1.3/xslt/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"pint-jp-ntr-base", "phive-rules-peppol-pint", "pint-jp-ntr/1.1.3/xslt/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-jp-ntr", "phive-rules-peppol-pint", "pint-jp-ntr/1.1.3/xslt/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"pint-jp-sb-base", "phive-rules-peppol-pint", "pint-jp-sb/1.1.3/xslt/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-jp-sb", "phive-rules-peppol-pint", "pint-jp-sb/1.1.3/xslt/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"pint-om-base", "phive-rules-peppol-pint", "pint-om/1.0.1/billing/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-om", "phive-rules-peppol-pint", "pint-om/1.0.1/billing/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"pint-om-sb-base", "phive-rules-peppol-pint", "pint-om/1.0.1/selfbilling/PINT-UBL-validation-preprocessed.xslt", ""},
	{"pint-om-sb", "phive-rules-peppol-pint", "pint-om/1.0.1/selfbilling/PINT-jurisdiction-aligned-rules.xslt", ""},
	{"fr-br-ubl", "phive-rules-france", "ctc/1.4.0.03/xslt/20260804_BR-FR-Flux2-Schematron-UBL_V1.4.0.03.xslt", ""},
	{"fr-br-cii", "phive-rules-france", "ctc/1.4.0.03/xslt/20260804_BR-FR-Flux2-Schematron-CII_V1.4.0.03.xslt", ""},
	{"fr-ext-ubl", "phive-rules-france", "ctc/1.4.0.03/xslt/20260804_EXTENDED-CTC-FR-UBL-V1.4.0.03.xslt", ""},
	{"fr-ext-cii", "phive-rules-france", "ctc/1.4.0.03/xslt/20260804_EXTENDED-CTC-FR-CII-V1.4.0.03.xslt", ""},
	{"fr-f1-ubl-start", "phive-rules-france", "flux1/0.2/xslt/PPF_Flux1_UBL_1_8_DEMARRAGE_v0_2.xslt", ""},
	{"fr-f1-ubl-target", "phive-rules-france", "flux1/0.2/xslt/PPF_Flux1_UBL_1_8_CIBLE_v0_2.xslt", ""},
	{"fr-f1-cii-start", "phive-rules-france", "flux1/0.2/xslt/PPF_Flux1_CII_1_8_DEMARRAGE_v0_2.xslt", ""},
	{"fr-f1-cii-target", "phive-rules-france", "flux1/0.2/xslt/PPF_Flux1_CII_1_8_CIBLE_v0_2.xslt", ""},
}

// schemasElsewhere are schemas of versions that are read only, and that no package registry has, by their paths in a check-out of link-it/govway. They
// judge where a folder of EINVOICED_RULES has them.
var schemasElsewhere = map[string]string{
	"fatturapa-1.0-xsd": "protocolli/sdi/src/schemi/FatturaPA_v1.0.xsd",
	"fatturapa-1.1-xsd": "protocolli/sdi/src/schemi/FatturaPA_v1.1.xsd",
}

// inRules finds a file in the folders of EINVOICED_RULES; empty when none has it.
func inRules(path string) string {
	for _, folder := range filepath.SplitList(os.Getenv("EINVOICED_RULES")) {
		found := filepath.Join(folder, filepath.FromSlash(path))
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return ""
}

// folders of the rules in a module: in an unpacked jar, and in a check-out.
var ruleFolders = []string{"external", "src/main/resources/external"}

// folder finds the rule set in the folders of EINVOICED_RULES; empty when none has it.
func (o *officialRules) folder() string {
	for _, folder := range filepath.SplitList(os.Getenv("EINVOICED_RULES")) {
		for _, layout := range ruleFolders {
			found := filepath.Join(folder, o.module, layout)
			if _, err := os.Stat(filepath.Join(found, "schematron", o.rules)); err == nil {
				return found
			}
		}
	}
	return ""
}

// importOfficial imports the official rule sets, those that are named or all, to a folder of rulebooks and gives their folders by name.
func importOfficial(t *testing.T, books string, names ...string) map[string]string {
	t.Helper()
	folders := map[string]string{}
	wanted := func(o officialRules) bool { return len(names) == 0 || slices.Contains(names, o.name) }
	for _, o := range publishedRules {
		if !wanted(o) {
			continue
		}
		if folders[o.name] = o.folder(); folders[o.name] == "" {
			t.Fatalf("no %s in %q: set EINVOICED_RULES to the folder that go run ./test/oracles/cmd/rules prints", o.module, os.Getenv("EINVOICED_RULES"))
		}
		o.importTo(t, books, folders[o.name])
	}
	for _, o := range otherRules {
		if folder := o.folder(); folder != "" && wanted(o) {
			folders[o.name] = folder
			o.importTo(t, books, folder)
		}
	}
	return folders
}

func (o *officialRules) importTo(t *testing.T, books, folder string) {
	t.Helper()
	args := []string{"rulebooks", "import", folder, "--into", books, "--id", o.name, "--schematron", "schematron/" + o.rules}
	if o.schema != "" {
		args = append(args, "--xsd", "schemas/"+o.schema)
	}
	if stdout, stderr, code := run(t, "", args...); code != exitOK {
		t.Fatalf("%s: exit code %d: %s%s", o.name, code, stdout, stderr)
	}
	o.standAlone(t, books)
}

// standAlone takes out of the manifest what the import has taken over of the rulebook that ships under the same id: what is to be compared
// is what the publisher says.
func (o *officialRules) standAlone(t *testing.T, books string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(books, o.name+"-*", rulebooks.ManifestFile))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no manifest: %v", o.name, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := rulebook.DecodeManifest(data)
		if err != nil {
			t.Fatal(err)
		}
		m.Bindings, m.Levels, m.EnforceFrom, m.HouseCodes = nil, nil, nil, nil
		if data, err = rulebook.EncodeManifest(m); err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// syntaxVersions are the versions of the schemas of UBL and CII.
var syntaxVersions = map[string]string{"ubl-invoice": "2.1", "ubl-creditnote": "2.1", "cii-d16b": "D16B"}

// importSyntaxes imports the schemas of UBL and CII and gives the folder that they lie in.
func importSyntaxes(t *testing.T, books string) string {
	t.Helper()
	files := t.TempDir()
	if err := oracles.SyntaxFiles(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	for name, entry := range oracles.Syntaxes {
		if stdout, stderr, code := run(t, "", "rulebooks", "import", files, "--into", books, "--id", name, "--version", syntaxVersions[name], "--xsd", entry); code != exitOK {
			t.Fatalf("%s: exit code %d: %s%s", name, code, stdout, stderr)
		}
	}
	return files
}
