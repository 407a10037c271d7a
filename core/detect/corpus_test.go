//go:build corpus

package detect

import (
	"os"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// usual is the format that most documents of a set have.
var usual = map[string]string{"xr-ubl": "XRECHNUNG_UBL", "peppol": "PEPPOL_BIS_UBL", "peppol-sb": "PEPPOL_BIS_UBL", "pint-ae": "PINT_AE", "pint-ae-sb": "PINT_AE", "pint-aunz": "PINT_ANZ",
	"pint-aunz-sb": "PINT_ANZ", "pint-jp": "PINT_JP", "pint-jp-ntr": "PINT_JP", "pint-om": "PINT_OM", "pint-om-sb": "PINT_OM", "pt": "CIUS_PT", "ro": "CIUS_RO", "nl-ubl": "CIUS_NL",
	"nl-ga": "CIUS_NL", "hr": "HR_FISK", "en-ubl": "UBL", "be": "UBL", "fr-ubl": "UBL"}

// TestTheCorpusIsDetected holds that every UBL document is detected, and most documents of a set that name a
// specification as what the set is.
func TestTheCorpusIsDetected(t *testing.T) {
	shipped := formats(t)
	as, all := map[string]int{}, map[string]int{}
	for _, d := range corpus.UBL(t) {
		src, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := xmltree.Parse(src, xmltree.Options{})
		if err != nil {
			continue
		}
		r := Document(shipped, doc)
		if r.Confidence < Sure || r.Syntax != "ubl" {
			t.Errorf("%s: %+v", d.Path, r)
		}
		if r.Specification == "" {
			continue
		}
		all[d.Set]++
		if r.Format == usual[d.Set] {
			as[d.Set]++
		}
	}
	for set, n := range all {
		if usual[set] == "" || as[set]*10 < n*8 {
			t.Errorf("%s: %d of %d are %q", set, as[set], n, usual[set])
		}
	}
}
