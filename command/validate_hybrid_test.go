package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestValidate_HybridFormats ensures that the XML of ZUGFeRD and Factur-X documents is judged by the rulebook of its profile, in the
// version that counts where none is asked for, and that the same XML without a format is judged as what it says it is.
func TestValidate_HybridFormats(t *testing.T) {
	document, err := os.ReadFile("../core/validate/testdata/model/cii.xml")
	if err != nil {
		t.Fatal(err)
	}
	const core = "urn:cen.eu:en16931:2017"
	for name, c := range map[string]struct {
		further, country, format, label, rulebook string
	}{
		"no format":              {"", "", "", "cii", "en16931-cii"},
		"EN 16931":               {"", "de", "zugferd", "zugferd-2.4-en16931", "fx-2.4-en16931"},
		"EN 16931 in France":     {"", "fr", "facturx", "facturx-1.08-en16931", "fx-2.4-en16931"},
		"BASIC":                  {"#compliant#urn:factur-x.eu:1p0:basic", "fr", "facturx", "facturx-1.08-basic", "fx-2.4-basic"},
		"EXTENDED":               {"#conformant#urn:factur-x.eu:1p0:extended", "de", "zugferd", "zugferd-2.4-extended", "fx-2.4-extended"},
		"EXTENDED, no format":    {"#conformant#urn:factur-x.eu:1p0:extended", "", "", "zugferd-2.4-extended", "fx-2.4-extended"},
		"XRechnung in a ZUGFeRD": {"#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", "de", "zugferd", "zugferd-2.4-xrechnung", "xrechnung-cii"},
	} {
		file := filepath.Join(t.TempDir(), "a.xml")
		if err := os.WriteFile(file, []byte(strings.Replace(string(document), ">"+core+"<", ">"+core+c.further+"<", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"validate", "--json", file}
		if c.format != "" {
			args = append(args, "--country", c.country, "--format", c.format)
		}
		stdout, stderr, _ := run(t, "", args...)
		var answer struct {
			Results   []struct{ Format string }
			Rulebooks []struct{ ID string }
		}
		unmarshal(t, []byte(stdout), &answer)
		judged := slices.ContainsFunc(answer.Rulebooks, func(b struct{ ID string }) bool { return b.ID == c.rulebook })
		if len(answer.Results) != 1 || answer.Results[0].Format != c.label || !judged {
			t.Errorf("%s: want %s by %s: %s%s", name, c.label, c.rulebook, stdout, stderr)
		}
	}
}
