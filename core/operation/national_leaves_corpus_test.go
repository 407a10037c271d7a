//go:build corpus

package operation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// nationalFormats are the formats with a syntax of their own: country, path token (and name of the set of the corpus), folders with documents of older
// versions, and the leaves that are reported, by what the paths end with, or have in them where a slash ends the pattern, each with the reason.
var nationalFormats = []struct {
	country, token string
	older          []string
	reported       map[string]string
	// unheard are leaves whose text decides nothing that the invoice holds, by what their paths without positions end with, with the reason.
	unheard map[string]string
}{
	{country: "AT", token: "ebinterface", older: []string{"../../testdata/ebinterface-6.0", "../../testdata/ebinterface-5.0", "../../testdata/ebinterface-4.3"}, reported: map[string]string{
		"/@GeneratingSystem": "it names the program that made the document",
		"/Extension/":        "elements in here are of namespaces that nobody but sender and recipient knows",
	}},
	{country: "CZ", token: "isdoc", older: []string{"../../testdata/isdoc-6.0.1"}, reported: map[string]string{
		"/Invoice/@version": "what is written is 6.0.2; detection tells the version",
		"/Extensions/":      "elements in here are of the sender's own namespace, and mean something to the sender alone",
	}, unheard: map[string]string{
		"/Invoice/TaxTotal/TaxSubTotal/TaxCategory/LocalReverseChargeFlag": "the lines say which of them are under reverse charge",
	}},
	{country: "ES", token: "facturae", older: []string{"../../testdata/facturae-3.2", "../../testdata/facturae-3.2.1"}, unheard: map[string]string{
		"/Facturae/Invoices/Invoice/Items/InvoiceLine/SpecialTaxableEvent/SpecialTaxableEventCode": "the schema has 01 and 02; what is not 02 is 01",
	}},
	{country: "GR", token: "mydata"},
	{country: "HU", token: "nav", older: []string{"../format/nav/testdata/2.0"}, reported: map[string]string{
		"/invoiceDetail/electronicInvoiceHash": "of 2.0: it is the hash of another file, which 3.0 has no element for",
	}, unheard: map[string]string{
		"/InvoiceData/invoiceMain/invoice/invoiceLines/line/lineAmountsNormal/lineVatRate/marginSchemeNoVat":              "of 2.0: marginSchemeIndicator of the line says it",
		"/InvoiceData/invoiceMain/invoice/invoiceLines/line/lineAmountsNormal/lineVatRate/vatDomesticReverseCharge":       onlyText,
		"/InvoiceData/invoiceMain/invoice/invoiceSummary/summaryNormal/summaryByVatRate/vatRate/vatDomesticReverseCharge": onlyText,
		"/InvoiceData/invoiceMain/invoice/invoiceLines/line/unitOfMeasure":                                                "where it is OWN, unitOfMeasureOwn is the unit",
	}},
	{country: "IT", token: "fatturapa", older: []string{"../../testdata/fatturapa-1.0", "../../testdata/fatturapa-1.1"}, reported: map[string]string{
		"/DatiBollo/NumeroBollo": "of 1.0: it is the number of a stamp of paper; since 1.1 there are virtual ones only",
		"/NormaDiRiferimento":    "of 1.0: later versions have no element for it",
	}, unheard: map[string]string{
		"/FatturaElettronica/FatturaElettronicaBody/DatiBeniServizi/DettaglioLinee/NumeroLinea": "the line is a discount of the whole document, which has no number in the invoice",
	}},
	{country: "PL", token: "ksef", older: []string{"../../testdata/ksef-fa2"}, unheard: map[string]string{
		"/Faktura/Fa/DaneFaKorygowanej/NrKSeF":         onlyText,
		"/Faktura/Fa/DaneFaKorygowanej/NrKSeFN":        onlyText,
		"/Faktura/Fa/Platnosc/PlatnoscInna":            onlyText,
		"/Faktura/Podmiot2/DaneIdentyfikacyjne/BrakID": onlyText,
		"/Faktura/Podmiot3/DaneIdentyfikacyjne/BrakID": onlyText,
	}},
}

const onlyText = "the schema has no other text for it"

// nationalDocument is a valid document of a national format.
type nationalDocument struct {
	name string
	data []byte
}

// validDocuments are the valid ones of the corpus, mutants included but rule cases left out, the goldens, and those of older versions.
func validDocuments(t *testing.T, token string, older []string) []nationalDocument {
	t.Helper()
	var all []nationalDocument
	for _, d := range corpus.Nationals(t, token) {
		if d.Valid && len(d.Expect) == 0 {
			all = append(all, nationalDocument{d.Name, must(os.ReadFile(d.Path))(t)})
		}
	}
	for _, folder := range append(older, filepath.Join("../../testdata", token)) {
		for _, name := range must(filepath.Glob(filepath.Join(folder, "*.xml")))(t) {
			all = append(all, nationalDocument{name, must(os.ReadFile(name))(t)})
		}
	}
	if len(all) < 24 {
		t.Fatalf("only %d documents", len(all))
	}
	return all
}

// TestCorpus_NationalLeaves ensures the account of every valid document: what is mapped, derived or reported is all of it, and what is reported stands in the
// list of the format.
func TestCorpus_NationalLeaves(t *testing.T) {
	s := fullService(t)
	for _, f := range nationalFormats {
		t.Run(f.token, func(t *testing.T) {
			mapped, derived, seen := 0, 0, map[string]int{}
			for _, d := range validDocuments(t, f.token, f.older) {
				o := s.open(t.Context(), d.data, formatAndCountry)
				if o.Err != nil {
					t.Errorf("%s: %v", d.name, o.Err)
					continue
				}
				reading := must(s.formats.Syntax(o.found.Syntax).Codec.Read(t.Context(), o.doc))(t)
				a := reading.Account
				signed := len(o.infos) > 0 // the leaves of a signature are none of the invoice
				if sum := a.Mapped + a.Derived + a.Reported; !signed && sum != mappingtest.Leaves(o.doc) || len(a.Leaves) != a.Reported {
					t.Errorf("%s: %d leaves, %d mapped, %d derived, %d reported", d.name, mappingtest.Leaves(o.doc), a.Mapped, a.Derived, a.Reported)
				}
				for _, leaf := range a.Leaves {
					pattern := listedLeaf(f.reported, leaf.Path)
					if pattern == "" {
						t.Errorf("%s: reported %s %q: %s", d.name, leaf.Path, leaf.Value, leaf.Reason)
					}
					seen[pattern]++
				}
				mapped, derived = mapped+a.Mapped, derived+a.Derived
				o.Release()
			}
			for pattern := range f.reported {
				if seen[pattern] == 0 {
					t.Errorf("nothing at %s is reported", pattern)
				}
			}
			t.Logf("%d leaves are mapped, %d derived, reported %v", mapped, derived, seen)
		})
	}
}

var prefixForm = regexp.MustCompile(`([/@])[A-Za-z0-9]+:`)

// listedLeaf is the pattern of a list that a path meets, whatever its prefixes are; empty where none does.
func listedLeaf(list map[string]string, path string) string {
	path = prefixForm.ReplaceAllString(path, "$1")
	for pattern := range list {
		if strings.HasSuffix(path, pattern) || strings.HasSuffix(pattern, "/") && strings.Contains(path, pattern) {
			return pattern
		}
	}
	return ""
}

// TestCorpus_NationalLeavesAreHeard changes each leaf of every valid document: the invoice is another one then, or something else is reported. What is
// mapped or derived is so by its text, and not by its place alone.
func TestCorpus_NationalLeavesAreHeard(t *testing.T) {
	s := fullService(t)
	for _, f := range nationalFormats {
		t.Run(f.token, func(t *testing.T) {
			changed, silent := 0, map[string]string{}
			for _, d := range validDocuments(t, f.token, f.older) {
				before := heardOf(t, s, d.data)
				if before == "" {
					continue
				}
				for _, at := range textPlaces(d.data) {
					text := string(d.data[at[0]:at[1]])
					changed++
					if after := heardOf(t, s, slices.Concat(d.data[:at[0]], []byte(otherText(text)), d.data[at[1]:])); after != before {
						continue
					}
					if name := pathAt(t, d.data, at[0]); !strings.Contains(name, "/Signature/") { // which UNWRAPPED says is not part of the invoice
						silent[name] = cmp.Or(silent[name], fmt.Sprintf("%s: %q", d.name, text))
					}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(silent)) {
				if f.unheard[name] == "" {
					t.Errorf("%s is not heard in %s", name, silent[name])
				}
			}
			for name := range f.unheard {
				if silent[name] == "" {
					t.Errorf("%s is heard", name)
				}
			}
			t.Logf("%d texts were changed", changed)
		})
	}
}

// heardOf is what parsing says of a document, without its hash; empty where it is refused.
func heardOf(t *testing.T, s *Service, document []byte) string {
	t.Helper()
	answer, err := s.Parse(t.Context(), ParseRequest{Document: document})
	if isRefusal(t, err) {
		return ""
	}
	answer.Hash = ""
	return string(must(json.Marshal(answer))(t))
}

var dayForm = regexp.MustCompile(`^(\d{4}-\d\d-)(\d\d)(.*)$`)

// otherText is a text of the same kind with another meaning: a number that is one more, the day before or after, or a text with a letter behind it.
func otherText(text string) string {
	plain := strings.TrimSpace(text)
	if m := dayForm.FindStringSubmatch(plain); m != nil {
		if m[2] == "11" {
			return m[1] + "12" + m[3]
		}
		return m[1] + "11" + m[3]
	}
	switch plain {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	if d, err := decimal.Parse(plain); err == nil && len(plain) < 12 && (len(plain) < 2 || plain[0] != '0' || plain[1] == '.') {
		return d.Add(decimal.New(1, 0)).String()
	}
	return plain + "X"
}

// pathAt is the path of the element in which an offset is, without positions.
func pathAt(t *testing.T, document []byte, at int) string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(document))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var path []string
	for {
		switch token := must(d.RawToken())(t).(type) {
		case xml.StartElement:
			path = append(path, token.Name.Local)
		case xml.EndElement:
			path = path[:len(path)-1]
		}
		if d.InputOffset() >= int64(at) {
			return "/" + strings.Join(path, "/")
		}
	}
}
