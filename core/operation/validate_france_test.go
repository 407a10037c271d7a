package operation

import (
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestValidate_BindsFrenchRules ensures that BR-FR judges what is EXTENDED-CTC-FR, or is in a framework of French law (BT-23), and no
// other invoice; and that EXTENDED-CTC-FR in CII goes to the schema of Factur-X EXTENDED.
func TestValidate_BindsFrenchRules(t *testing.T) {
	s := fullService(t)
	const extended = "#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr"
	for name, c := range map[string]struct {
		file, format  string
		specification string // in the place of that of the extension
		process       string
		books         string
	}{
		"extended UBL":                         {"ubl.xml", "", extended, "M1", "ubl-invoice fr-ext-ubl fr-br-ubl"},
		"extended UBL without a framework":     {"ubl.xml", "", extended, "urn:other", "ubl-invoice fr-ext-ubl fr-br-ubl"},
		"UBL in a framework":                   {"ubl.xml", "", "", " S1 ", "ubl-invoice en16931-ubl fr-br-ubl"},
		"UBL in another process":               {"ubl.xml", "", "", "B3", "ubl-invoice en16931-ubl"},
		"Peppol in a framework":                {"ubl.xml", "", "#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0", "S1", "ubl-invoice en16931-ubl peppol-bis"},
		"extended CII":                         {"cii.xml", "", extended, "M1", "fr-ext-cii fr-br-cii"},
		"CII in a framework":                   {"cii.xml", "cii", "", "B9", "cii-d16b en16931-cii fr-br-cii"},
		"CII in another process":               {"cii.xml", "cii", "", "x", "cii-d16b en16931-cii"},
		"Factur-X EN 16931 in a framework":     {"cii.xml", "facturx", "", "M4", "fx-2.4-en16931 fr-br-cii"},
		"Factur-X EN 16931 in another process": {"cii.xml", "facturx", "", "x", "fx-2.4-en16931"},
		"Factur-X BASIC in a framework":        {"cii.xml", "facturx", "#compliant#urn:factur-x.eu:1p0:basic", "M1", "fx-2.4-basic fr-br-cii"},
		"Factur-X EXTENDED in a framework":     {"cii.xml", "", "#conformant#urn:factur-x.eu:1p0:extended", "M1", "fx-2.4-extended fr-br-cii"},
		"Factur-X EXTENDED in another process": {"cii.xml", "", "#conformant#urn:factur-x.eu:1p0:extended", "x", "fx-2.4-extended"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("../validate/testdata/fire/fr-" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			document := strings.NewReplacer(extended, c.specification, ">M1<", ">"+c.process+"<").Replace(string(text))
			a, err := s.Validate(t.Context(), ValidateRequest{Country: "fr", Format: c.format, Document: []byte(document)})
			if err != nil {
				t.Fatal(err)
			}
			var books []string
			for _, b := range a.Rulebooks {
				books = append(books, b.ID)
			}
			if diff := gocmp.Diff(c.books, strings.Join(books, " ")); diff != "" {
				t.Errorf("%s\n%v", diff, a.Errors)
			}
		})
	}
}
