//go:build oracles

package operation

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestOfficial_HybridsAreValid asks veraPDF for PDF/A-3b and PDF/UA-1 of what is generated and converted, qpdf for the syntax, and poppler for the
// embedded invoice.
func TestOfficial_HybridsAreValid(t *testing.T) {
	profiles, err := oracles.StartProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := profiles.Close(); err != nil {
			t.Error(err)
		}
	}()
	s, folder := shippedService(t, "2026-03-02"), t.TempDir()
	for name, c := range map[string]struct{ country, format, options string }{
		"de": {"de", "zugferd", `{}`}, "ch": {"ch", "zugferd", `{"profile":"BASIC"}`}, "fr": {"fr", "facturx", `{"profile":"EXTENDED"}`}, "be": {"be", "facturx", `{"language":"fr"}`},
	} {
		a, err := s.Generate(t.Context(), GenerateRequest{Country: c.country, Format: c.format, Body: withOptions(t, repositoryRoot+"/"+samples, c.country, c.options)})
		if err != nil {
			t.Fatal(err)
		}
		valid(t, profiles, filepath.Join(folder, name+".pdf"), a.Data, a.EmbeddedXML)
	}
	a, err := s.Convert(t.Context(), ConvertRequest{Document: sample(t, "xrechnung-ubl/full.xml"), Options: invoice.ConvertBody{TargetFormat: "zugferd"}})
	if err != nil {
		t.Fatal(err)
	}
	valid(t, profiles, filepath.Join(folder, "converted.pdf"), a.Data, a.EmbeddedXML)
}

// valid asks all of them about a file.
func valid(t *testing.T, profiles *oracles.Profiles, path string, data []byte, xml string) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, profile := range []string{"3b", "ua1"} {
		if failed, looked, err := profiles.Failed(profile, path); err != nil || len(failed) > 0 || looked < 15 {
			t.Errorf("%s: %s looked at %d things, failed %v: %v", path, profile, looked, failed, err)
		}
	}
	if said, err := exec.CommandContext(t.Context(), "qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("%s: qpdf: %v: %s", path, err, said)
	}
	taken := path + ".xml"
	list, err := exec.CommandContext(t.Context(), "pdfdetach", "-list", path).Output()
	before, _, found := strings.Cut(string(list), ": factur-x.xml")
	if err != nil || !found {
		t.Fatalf("%s: pdfdetach: %v: %s", path, err, list)
	}
	number := before[strings.LastIndexByte(before, '\n')+1:]
	if said, err := exec.CommandContext(t.Context(), "pdfdetach", "-save", strings.TrimSpace(number), "-o", taken, path).CombinedOutput(); err != nil {
		t.Errorf("%s: pdfdetach: %v: %s", path, err, said)
	}
	if got, err := os.ReadFile(taken); err != nil || string(got) != xml {
		t.Errorf("%s: %v: poppler takes out another invoice", path, err)
	}
}
