//go:build oracles

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestOfficial_HybridsAreValid asks veraPDF for PDF/A-3b and PDF/UA-1 of hybrids that are generated and converted, and of rendered documents, qpdf
// for the syntax, and poppler for the embedded invoice.
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
	folder, samples := t.TempDir(), filepath.Join("..", "testdata", "countries")
	document := filepath.Join("..", "testdata", "xrechnung-ubl", "full.xml")
	for name, args := range map[string][]string{
		"de": {"generate", "de", "zugferd", filepath.Join(samples, "de.json")}, "ch": {"generate", "ch", "zugferd", filepath.Join(samples, "ch.json")},
		"fr": {"generate", "fr", "facturx", filepath.Join(samples, "fr.json")}, "be": {"generate", "be", "facturx", filepath.Join(samples, "be.json")},
		"converted": {"convert", "--to", "zugferd", "--profile", "EXTENDED", document}, "rendered": {"render", document}, "ae": {"generate", "ae", "pdf", filepath.Join(samples, "ae.json")},
	} {
		path := filepath.Join(folder, name+".pdf")
		if _, stderr, code := run(t, "", append(args, "-o", path)...); code != exitOK {
			t.Fatal(name, stderr)
		}
		validPDF(t, profiles, path)
		if args[len(args)-1] != document && name != "ae" || name == "converted" {
			takenOut(t, path)
		}
	}
}

// validPDF asks veraPDF and qpdf.
func validPDF(t *testing.T, profiles *oracles.Profiles, path string) {
	t.Helper()
	for _, profile := range []string{"3b", "ua1"} {
		if failed, looked, err := profiles.Failed(profile, path); err != nil || len(failed) > 0 || looked < 15 {
			t.Errorf("%s: %s looked at %d things, failed %v: %v", path, profile, looked, failed, err)
		}
	}
	if said, err := exec.CommandContext(t.Context(), "qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("%s: qpdf: %v: %s", path, err, said)
	}
}

// takenOut holds the invoice that poppler takes out against ours.
func takenOut(t *testing.T, path string) {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "pdfdetach", "-list", path).Output()
	before, _, found := strings.Cut(string(list), ": factur-x.xml")
	if err != nil || !found {
		t.Fatalf("%s: pdfdetach: %v: %s", path, err, list)
	}
	number := strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:])
	if said, err := exec.CommandContext(t.Context(), "pdfdetach", "-save", number, "-o", path+".xml", path).CombinedOutput(); err != nil {
		t.Errorf("%s: pdfdetach: %v: %s", path, err, said)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := operation.Extract(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path + ".xml"); err != nil || string(got) != string(want.XML) {
		t.Errorf("%s: %v: poppler takes out another invoice", path, err)
	}
}
