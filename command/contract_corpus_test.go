//go:build corpus

package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"slices"
)

// shouted is the form of codes in contract and supplement.
var shouted = regexp.MustCompile(`\b[A-Z]{2,}(_[A-Z0-9]+)+\b|\b(XSD-ERROR|VAL-SYS-005|UNAUTHORIZED|FORBIDDEN|UNWRAPPED|SPECIFICATION)\b`)

// noCodes are words of that form that are no codes: detection ids, values of members and of detections, settings, ends of house codes.
var noCodes = regexp.MustCompile(`^(XRECHNUNG|ZUGFERD|FACTURX|PEPPOL_BIS|PINT|CIUS|HR|EBINTERFACE|QR|KSEF)_|^(CUSTOMIZATION_ID|PROFILE_ID|ROOT_ELEMENT|FORMAT_MAPPING|PRIVATE_PERSON|API_KEY)$|^EINVOICED_|_$`)

// TestContractCodes_AreAllThere ensures that every code that contract and supplement name is in the catalogue.
func TestContractCodes_AreAllThere(t *testing.T) {
	shared := os.Getenv("EINVOICED_SHARED")
	if shared == "" {
		shared = "../../shared"
	}
	seen := 0
	for _, name := range []string{"interface.md", "interface-supplement.md"} {
		for _, code := range shouted.FindAllString(readText(t, filepath.Join(shared, name)), -1) {
			if noCodes.MatchString(code) {
				continue
			}
			seen++
			_, own := finding.Find(code)
			_, known := finding.FindKnown(code)
			if !own && !known && !houseCode(code) {
				t.Errorf("%s names %s, which is not in the catalogue", name, code)
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d codes were found", seen)
	}
}

// houseCode tells whether a word is the end of a house code; the supplement lists them below the country that they begin with.
func houseCode(end string) bool {
	ends := func(code string) bool { return strings.HasSuffix(code, "_"+end) }
	return slices.ContainsFunc(finding.Contract(), func(k finding.Known) bool { return ends(k.Code) }) ||
		slices.ContainsFunc(finding.Catalogue(), func(e finding.Entry) bool { return ends(e.Code) })
}
