//go:build oracles

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestOfficial_HybridsAreValid asks veraPDF for PDF/A-3b and PDF/UA-1, qpdf for the syntax, poppler for the embedded invoice and Mustang for the whole
// of the hybrids of every country that has them, in every profile and version.
func TestOfficial_HybridsAreValid(t *testing.T) {
	profiles, folder := profilesOf(t), t.TempDir()
	mustang, err := oracles.StartMustang(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer mustang.Close()
	judged := 0
	for name, data := range everyHybrid(t) {
		path := filepath.Join(folder, name+".pdf")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		validPDF(t, profiles, path)
		takenOut(t, path)
		faults, profile, err := mustang.Faults(path)
		if err != nil || len(faults) > 0 || profile == "" {
			t.Errorf("%s: Mustang takes it for %q: %q %v", name, profile, faults, err)
		}
		judged++
	}
	if t.Logf("%d hybrids", judged); judged < 42 {
		t.Errorf("%d hybrids are too few", judged)
	}
	alone := filepath.Join(folder, "alone.pdf") // pages without an invoice, which no validator of hybrids may accept
	if _, stderr, code := run(t, "", "generate", "de", "pdf", filepath.Join("..", "testdata", "countries", "de.json"), "-o", alone); code != exitOK {
		t.Fatal(stderr)
	}
	if faults, _, err := mustang.Faults(alone); err != nil || len(faults) == 0 {
		t.Errorf("Mustang has nothing against pages alone: %v", err)
	}
}

// everyHybrid makes the hybrids of the sample of each country that has some, in each profile and version, by name.
func everyHybrid(t *testing.T) map[string][]byte {
	t.Helper()
	formats, err := catalogue.New()
	if err != nil {
		t.Fatal(err)
	}
	s, all := judgeOf(t, ""), map[string][]byte{}
	for _, country := range formats.Countries() {
		for _, id := range []string{"zugferd", "facturx"} {
			token, _ := formats.Token(id)
			if !slices.Contains(country.Tokens, id) {
				continue
			}
			for _, version := range token.Versions {
				for _, profile := range token.Profiles {
					options := fmt.Sprintf(`{"version":%q,"profile":%q}`, version, profile)
					out, err := s.Generate(t.Context(), operation.GenerateRequest{Country: country.Code, Format: id, Body: sampleWith(t, country.Code, options)})
					if err != nil {
						t.Fatal(country.Code, options, err)
					}
					all[strings.Join([]string{country.Code, id, version, profile}, "-")] = out.Data
				}
			}
		}
	}
	return all
}

// sampleWith is the sample of a country as a request with options of the format.
func sampleWith(t *testing.T, country, options string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "countries", strings.ToLower(country)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	body["formatOptions"] = json.RawMessage(options)
	text, err = json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestOfficial_ConvertedAndRenderedFilesAreValid asks veraPDF and qpdf about what the command line converts and renders.
func TestOfficial_ConvertedAndRenderedFilesAreValid(t *testing.T) {
	profiles, folder := profilesOf(t), t.TempDir()
	document := filepath.Join("..", "testdata", "xrechnung-ubl", "full.xml")
	for name, args := range map[string][]string{"converted": {"convert", "--to", "zugferd", "--profile", "EXTENDED", document}, "rendered": {"render", document}} {
		path := filepath.Join(folder, name+".pdf")
		if _, stderr, code := run(t, "", append(args, "-o", path)...); code != exitOK {
			t.Fatal(name, stderr)
		}
		validPDF(t, profiles, path)
		if name == "converted" {
			takenOut(t, path)
		}
	}
}

// profilesOf starts veraPDF for the test.
func profilesOf(t *testing.T) *oracles.Profiles {
	t.Helper()
	profiles, err := oracles.StartProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = profiles.Close() }) // the context has ended it
	return profiles
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
