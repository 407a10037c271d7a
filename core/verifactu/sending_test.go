package verifactu

import (
	"os"
	"strings"
	"testing"
)

// TestLoad_Sending ensures whose records are sent where, that nothing is by default, and what of the file is refused.
func TestLoad_Sending(t *testing.T) {
	text, err := os.ReadFile("../../testdata/verifactu/installation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const certificate = "taxOffice: {certificate: c.pem"
	for more, want := range map[string]string{
		"":                                    "off",
		"sending: off":                        "off",
		"sending: live\n" + certificate + "}": "https://www1.agenciatributaria.gob.es",
		"sending: live\n" + certificate + ", seal: true}":                   "https://www10.agenciatributaria.gob.es",
		"sending: live\n" + certificate + ", url: 'https://127.0.0.1:4/a'}": "https://127.0.0.1:4/a",
		"sending: test\n" + certificate + "}":                               `! sending is "test", allowed are off and live`,
		"sending: live":                                                     "! taxOffice.certificate is missing",
		certificate + ", url: 'http://x'}":                                  "! taxOffice.url must be an https address",
		certificate + ", other: 1}":                                         "! ",
	} {
		c, err := Load([]byte(string(text) + "\n" + more))
		if fault, refused := strings.CutPrefix(want, "! "); refused {
			if err == nil || !strings.Contains(err.Error(), fault) {
				t.Errorf("%s: %v, want %s", more, err, fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", more, err)
			continue
		}
		said := "off"
		if c.Sends(true) {
			said = strings.TrimSuffix(c.TaxOffice.Address(), servicePath)
		}
		if said != want || c.Sends(false) || c.Declaration().Sending != c.Sends(true) {
			t.Errorf("%s: %s, want %s", more, said, want)
		}
	}
	if (*Installation)(nil).Sends(true) {
		t.Error("no installation sends")
	}
}
