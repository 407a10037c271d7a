package operation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fatturapaLost are the elements of a version that 1.2.3 has no place for, as every-element.xml has them.
var fatturapaLost = map[string][]string{
	"1.0": {"/p:FatturaElettronica/FatturaElettronicaBody/DatiGenerali/DatiGeneraliDocumento/DatiBollo/NumeroBollo", "/p:FatturaElettronica/FatturaElettronicaBody/DatiGenerali/NormaDiRiferimento"},
}

// TestFatturaPA_OlderVersionsAreRead reads documents of 1.0 and 1.1 with all of their leaves but those that 1.2.3 has no element for, and writes them as
// 1.2.3 without a remark, which is read as the same invoice.
func TestFatturaPA_OlderVersionsAreRead(t *testing.T) {
	s := shippedService(t, today)
	for _, version := range []string{"1.0", "1.1"} {
		paths, err := filepath.Glob(fatturapaFolder + "-" + version + "/*.xml")
		if err != nil || len(paths) < 5 {
			t.Fatal(paths, err)
		}
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			parsed := parsedAs(t, s, source)
			if parsed.Format != "FATTURAPA" || *parsed.Detection.FormatVersion != version {
				t.Errorf("%s: %s %s", path, parsed.Format, *parsed.Detection.FormatVersion)
			}
			var lost, want []string
			for _, w := range parsed.Warnings {
				lost = append(lost, w.Field)
			}
			if filepath.Base(path) == "every-element.xml" {
				want = fatturapaLost[version]
			}
			if !slices.Equal(lost, want) {
				t.Errorf("%s: %+v", path, parsed.Warnings)
			}
			written := fatturapaFormat.generate(t, s, requestOf(t, parsed.Invoice))
			if len(written.Warnings) > 0 || !strings.Contains(string(written.Data), "<FormatoTrasmissione>FPA12<") {
				t.Errorf("%s: %+v", path, written.Warnings)
			}
			if diff := cmp.Diff(parsed.Invoice, parsedAs(t, s, written.Data).Invoice, byDecimal); diff != "" {
				t.Errorf("%s: %s", path, diff)
			}
		}
	}
}
