package rulebook

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// TestPlan_OfCountries ensures which rulebooks that ship judge the documents of single countries, by BT-24 and document element.
func TestPlan_OfCountries(t *testing.T) {
	const ubl, en = "urn:oasis:names:specification:ubl:schema:xsd:", "urn:cen.eu:en16931:2017"
	shipped := registry(t, Layer{Name: "shipped", Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}).Current()
	for specification, want := range map[string]string{
		en + "#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.1":                                "SCHEMA en16931-ubl@1.3.16 cius-ro@1.0.9",
		en + "#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.0":                                "SCHEMA en16931-ubl@1.3.16 cius-ro@1.0.9",
		en + "#compliant#urn:feap.gov.pt:CIUS-PT:2.1.1":                                         "SCHEMA cius-pt@2.1.1",
		en + "#compliant#urn:feap.gov.pt:CIUS-PT:2.0.0":                                         "SCHEMA cius-pt@2.1.1",
		en + "#compliant#urn:mfin.gov.hr:cius-2025:1.0#conformant#urn:mfin.gov.hr:ext-2025:1.0": "SCHEMA en16931-ubl@1.3.16 hr-cius@1.0.3",
	} {
		for root, schema := range map[string]string{"Invoice": "ubl-invoice@2.1", "CreditNote": "ubl-creditnote@2.1"} {
			plan, err := shipped.Plan(Kind{Root: xmltree.Name{Space: ubl + root + "-2", Local: root}, Specification: specification}, "2026-09-01")
			if err != nil {
				t.Errorf("%s: %v", specification, err)
				continue
			}
			var names []string
			for _, b := range plan.Books {
				names = append(names, b.Name())
			}
			if got := strings.Join(names, " "); got != strings.Replace(want, "SCHEMA", schema, 1) {
				t.Errorf("%s %s: %s", root, specification, got)
			}
		}
	}
}
