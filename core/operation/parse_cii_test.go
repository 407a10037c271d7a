package operation

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse_CIIGoldensGiveTheSameDocumentAgain parses each golden, of which everything has to be read, and posts the answer to generate
// with the same options: the document is the same byte by byte.
func TestParse_CIIGoldensGiveTheSameDocumentAgain(t *testing.T) {
	s := newService(t)
	for _, g := range ciiGoldens {
		for _, name := range accepted(g.names, g.refused) {
			golden, err := os.ReadFile(filepath.Join(ciiFolder, g.folder, name+".xml"))
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := s.Parse(t.Context(), ParseRequest{Document: golden})
			if err != nil {
				t.Fatal(err)
			}
			if len(parsed.Warnings) > 0 {
				t.Errorf("%s/%s: %+v", g.folder, name, parsed.Warnings)
			}
			body := strings.Replace(string(generateBody(t, parsed.Invoice)), "{", `{"formatOptions":`+g.options+",", 1)
			again, err := s.Generate(t.Context(), GenerateRequest{Country: g.country, Format: g.format, Body: []byte(body)})
			if err != nil {
				t.Errorf("%s/%s: %v", g.folder, name, err)
				continue
			}
			if diff := cmp.Diff(string(golden), string(again.Data)); diff != "" {
				t.Errorf("%s/%s differs (-golden +again):\n%s", g.folder, name, diff)
			}
		}
	}
}

var lines = regexp.MustCompile(`(?s)\s*<ram:IncludedSupplyChainTradeLineItem>.*</ram:IncludedSupplyChainTradeLineItem>`)

// TestParse_CIIByEveryToken reads a document by each token that has CII, those of the profiles without lines included.
func TestParse_CIIByEveryToken(t *testing.T) {
	s := newService(t)
	golden, err := os.ReadFile(filepath.Join(ciiFolder, "zugferd-2.4-basic", "goods.xml"))
	if err != nil {
		t.Fatal(err)
	}
	basic := "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic"
	lineless := lines.ReplaceAllString(string(golden), "")
	french := strings.Replace(lineless, "<ram:CountryID>DE", "<ram:CountryID>FR", 1)
	for _, c := range []struct{ country, format, document, found string }{
		{"", "", string(golden), "ZUGFERD_BASIC"},
		{"de", "zugferd", strings.Replace(lineless, basic, "urn:factur-x.eu:1p0:minimum", 1), "ZUGFERD_MINIMUM"},
		{"de", "cii", strings.Replace(lineless, basic, "urn:factur-x.eu:1p0:basicwl", 1), "ZUGFERD_BASIC_WL"},
		{"fr", "facturx", strings.Replace(french, basic, "urn:factur-x.eu:1p0:minimum", 1), "FACTURX_MINIMUM"},
		{"be", "facturx", strings.Replace(french, basic, "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended", 1), "FACTURX_EXTENDED"},
		{"de", "xrechnung", strings.Replace(lineless, basic, "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", 1), "XRECHNUNG_CII"},
		{"se", "cii", strings.Replace(string(golden), basic, "urn:of:nobody", 1), "CII"},
	} {
		answer, err := s.Parse(t.Context(), ParseRequest{Country: c.country, Format: c.format, Document: []byte(c.document)})
		if err != nil {
			t.Errorf("%s %s: %v", c.format, c.found, err)
			continue
		}
		without := !strings.Contains(c.document, "LineItem")
		if answer.Format != c.found || answer.Invoice.InvoiceNumber == "" || !answer.Invoice.Total.IsSet() || (len(answer.Invoice.Items) == 0) != without || len(answer.Warnings) > 0 {
			t.Errorf("%s: %s %+v", c.found, answer.Format, answer.Warnings)
		}
	}
}
