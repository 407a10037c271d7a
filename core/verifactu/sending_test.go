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
		"sending: test\n" + certificate + "}": "test https://prewww1.aeat.es",
		"sending: live\n" + certificate + "}": "live https://www1.agenciatributaria.gob.es",
		"sending: both\n" + certificate + ", seal: true}":                       "live https://www10.agenciatributaria.gob.es test https://prewww10.aeat.es",
		"sending: both\n" + certificate + ", liveUrl: 'https://127.0.0.1:4/a'}": "live https://127.0.0.1:4/a test https://prewww1.aeat.es",
		"sending: on\n" + certificate + "}":                                     `! sending is "on", allowed are off, test, live, both`,
		"sending: live":                                                         "! taxOffice.certificate is missing",
		certificate + ", testUrl: 'http://x'}":                                  "! taxOffice.testUrl must be an https address",
		certificate + ", liveUrl: 'https://a', testUrl: 'https://a'}":           "! taxOffice.liveUrl is where records of test keys go",
		certificate + ", other: 1}":                                             "! ",
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
		var got []string
		for _, mode := range []struct {
			live bool
			name string
		}{{true, "live"}, {false, "test"}} {
			if c.Sends(mode.live) {
				got = append(got, mode.name, strings.TrimSuffix(c.TaxOffice.Address(mode.live), servicePath))
			}
		}
		if len(got) == 0 {
			got = []string{"off"}
		}
		if said := strings.Join(got, " "); said != want || c.SendsAny() != (want != "off") || c.Declaration().Sending != strings.Contains(want, "live ") {
			t.Errorf("%s: %s, want %s", more, said, want)
		}
	}
	if (*Installation)(nil).SendsAny() {
		t.Error("no installation sends")
	}
}
