//go:build oracles

package operation

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/test/oracles"
)

// transfer is the payload of the code for a credit transfer (EPC069-12, version 002).
func transfer(holder, iban, amount, purpose string) string {
	return strings.Join([]string{"BCD", "002", "1", "SCT", "", holder, iban, amount, "", "", purpose}, "\n")
}

// sampleHaving is the sample of a country with members of countrySpecific.
func sampleHaving(t *testing.T, country, members string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../testdata/countries/" + country + ".json")
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]map[string]any{}
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	var specific map[string]any
	if err := json.Unmarshal([]byte(members), &specific); err != nil {
		t.Fatal(err)
	}
	body["invoice"]["countrySpecific"] = specific
	if text, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestOfficial_CodesOnPagesRead renders the pages of countries that have codes on them, and lets zxing-cpp read the pictures: each code says what the
// tax office or the bank of the country wants to read there.
func TestOfficial_CodesOnPagesRead(t *testing.T) {
	s := registering(t, today)
	polish, err := os.ReadFile("../../testdata/countries/pl.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: polish})
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(file.Data)
	var pictures []string
	cases := []struct {
		country string
		body    []byte
		want    []string
	}{
		{"de", sampleHaving(t, "de", `{}`), []string{transfer("Muster Bürobedarf GmbH", "DE89370400440532013000", "EUR1190.00", "DE-2026-0001")}},
		{"gr", sampleHaving(t, "gr", `{"countryCode":"GR","mark":"400001234567890","qrUrl":"https://mydata.example/q?a=1&b=2"}`), []string{
			"https://mydata.example/q?a=1&b=2", transfer("Παράδειγμα Γραφείο ΑΕ", "GR1601101250000000012300695", "EUR1240.00", "GR-2026-0001")}},
		{"pt", sampleHaving(t, "pt", `{"countryCode":"PT","atcud":"CSDF7T5H-35","documentHash":"A123456789B123456789C123456789D123","certificateNumber":"9999"}`), []string{
			"A:123456789*B:987654322*C:PT*D:FT*E:N*F:20260305*G:PT-2026-0001*H:CSDF7T5H-35*I1:PT*I7:1000.00*I8:230.00*N:230.00*O:1230.00*Q:ABCD*R:9999",
			transfer("Exemplo Escritório Lda", "PT50000201231234567890154", "EUR1230.00", "PT-2026-0001")}},
		{"pl", polish, []string{"https://qr.ksef.mf.gov.pl/invoice/1234563218/05-03-2026/" + base64.RawURLEncoding.EncodeToString(hash[:])}},
		{"es", spanishBody(t), []string{
			"https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B12345674&numserie=ES-2026-0001&fecha=05-03-2026&importe=1210.00",
			transfer("Ejemplo Oficinas SL", "ES9121000418450200051332", "EUR1210.00", "ES-2026-0001")}},
	}
	folder := t.TempDir()
	for _, c := range cases {
		page, err := s.Generate(t.Context(), GenerateRequest{Country: c.country, Format: "pdf", Body: c.body})
		if err != nil {
			t.Fatal(c.country, refusalOf(err))
		}
		path := filepath.Join(folder, c.country)
		if err := os.WriteFile(path+".pdf", page.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.CommandContext(t.Context(), "pdftoppm", "-r", "150", "-png", "-singlefile", path+".pdf", path).CombinedOutput(); err != nil {
			t.Fatalf("pdftoppm: %v: %s", err, said)
		}
		pictures = append(pictures, path+".png")
	}
	read, err := oracles.ReadCodes(t.Context(), pictures)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		var got []string
		for _, code := range read[i] {
			if got = append(got, code.Text); code.Level != "M" {
				t.Errorf("%s: level %s of %q", c.country, code.Level, code.Text)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q is not\n%q", c.country, got, c.want)
		}
	}
}
