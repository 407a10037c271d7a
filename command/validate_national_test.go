package command

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestValidate_NationalRules ensures that documents are judged by the rules of the specification that they name (BT-24) after the
// schema, and that the rules of EN 16931 do not run beside those that hold them.
func TestValidate_NationalRules(t *testing.T) {
	const (
		nlcius   = "urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0"
		gaccount = nlcius + "#conformant#urn:fdc:nen.nl:gaccount:v1.0"
		ublBE    = "urn:cen.eu:en16931:2017#conformant#urn:UBL.BE:1.0.0.20180214"
	)
	for _, c := range []struct{ document, specification, judges string }{
		{"basic-default", nlcius, "ubl-invoice 2.1 and nl-ubl 2.0.3.13"},
		{"credit-note", nlcius, "ubl-creditnote 2.1 and nl-ubl 2.0.3.13"},
		{"basic-default", gaccount, "ubl-invoice 2.1 and nl-gaccount 1.0.13"},
		{"basic-default", ublBE, "ubl-invoice 2.1 and be 1.31"},
		{"credit-note", ublBE, "ubl-creditnote 2.1 and be 1.31"},
		{"basic-default", "urn:cen.eu:en16931:2017", "ubl-invoice 2.1 and en16931-ubl 1.3.16"},
	} {
		text, err := os.ReadFile("../testdata/documents/" + c.document + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`(CustomizationID>)[^<]+`).ReplaceAllString(string(text), "${1}"+c.specification)
		stdout, stderr, _ := run(t, "", "validate", writeFile(t, "a.xml", named))
		if first, _, _ := strings.Cut(stdout, "\n"); !strings.Contains(first, "judged by "+c.judges+";") {
			t.Errorf("%s with %s: %s%s", c.document, c.specification, first, stderr)
		}
	}
}
