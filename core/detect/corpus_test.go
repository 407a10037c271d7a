//go:build corpus

package detect

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// expectation is a row of testdata/expectations.txt.
type expectation struct {
	set, states, process                string
	documents                           int
	format, version, confidence, method string
	country                             string
	seen                                int
}

// TestTheCorpusIsDetected holds detection against the table of what the UBL, CII and national documents of the corpus are. What a document
// states is read here by other means than detection's.
func TestTheCorpusIsDetected(t *testing.T) {
	shipped, rows := formats(t), expectations(t)
	total := 0
	for set, list := range rows {
		root := filepath.Join(corpus.Shared(), "corpus", set)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) == ".xml" {
				total++
				checkExpectation(t, shipped, list, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range list {
			if row.seen != row.documents {
				t.Errorf("%s with %q: %d documents, the table says %d", set, row.states, row.seen, row.documents)
			}
		}
	}
	if total < 4_500 {
		t.Errorf("only %d documents", total)
	}
}

func checkExpectation(t *testing.T, shipped *format.Catalogue, list []*expectation, path string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	said := read(src)
	for _, row := range list {
		if row.states != said.states || !strings.HasPrefix(said.process, row.process) {
			continue
		}
		row.seen++
		doc, err := xmltree.Parse(src, xmltree.Options{})
		if (err != nil) != (row.format == "" && row.confidence == "") {
			t.Errorf("%s is read: %v", path, err)
		}
		if err == nil {
			row.check(t, shipped, path, Document(shipped, doc), said.seller)
		}
		return
	}
	t.Errorf("%s: no row has %q", path, said.states)
}

func (e *expectation) check(t *testing.T, shipped *format.Catalogue, path string, got Result, seller string) {
	t.Helper()
	country, source := e.country, FromFormat
	if len(country) > 2 { // seller, none
		found, ok := shipped.Country(seller)
		country, source = "", Unknown
		if ok && e.country == "seller" {
			country, source = found.Code, FromDocument
		}
	}
	if got.Format != e.format || got.Told.String() != e.version || strconv.Itoa(got.Confidence) != e.confidence || got.Method != e.method ||
		got.Country != country || got.CountrySource != source {
		t.Errorf("%s: %s %q %d %s %q %s, want %+v", path, got.Format, got.Told.String(), got.Confidence, got.Method, got.Country, got.CountrySource, *e)
	}
}

// expectations reads the table.
func expectations(t *testing.T) map[string][]*expectation {
	t.Helper()
	data, err := os.ReadFile("testdata/expectations.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]*expectation{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		c := append(strings.Split(line, " |"), make([]string, 8)...)
		for i := range c {
			c[i] = strings.TrimSpace(strings.Replace(c[i], " core", " "+core, 1))
		}
		e := &expectation{set: c[0], format: c[3], version: c[4], confidence: c[5], method: c[6], country: c[7]}
		e.states, e.process, _ = strings.Cut(c[1], "|")
		if e.documents, err = strconv.Atoi(c[2]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows[e.set] = append(rows[e.set], e)
	}
	return rows
}

// stated is what a document says of itself.
type stated struct{ states, process, seller string }

// read reads what a document says of itself: of UBL and CII by the paths of BT-24, BT-23 and BT-40, of others what its first element has.
func read(src []byte) stated {
	var said stated
	var path []string
	decoder := xml.NewDecoder(bytes.NewReader(src))
	decoder.CharsetReader = func(name string, in io.Reader) (io.Reader, error) { // what is looked at is ASCII
		if !strings.EqualFold(name, "ISO-8859-1") {
			said.states = "encoding " + name
		}
		return in, nil
	}
	identified := false
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			said.states = cmp.Or(said.states, "-")
			return said
		}
		if err != nil {
			return stated{states: "broken"}
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(path) == 0 {
				identified = token.Name.Local == "CrossIndustryInvoice" || strings.HasPrefix(token.Name.Space, "urn:oasis:")
				said.root(token, identified)
			}
			path = append(path, token.Name.Local)
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if identified && len(path) > 1 {
				said.text(strings.Join(path[1:], "/"), strings.TrimSpace(string(token)))
			}
		}
	}
}

func (s *stated) root(element xml.StartElement, identified bool) {
	if identified || s.states != "" {
		return
	}
	s.states = element.Name.Space
	for _, a := range element.Attr {
		if a.Name.Local == "version" && a.Name.Space == "" {
			s.states = strings.TrimSpace(s.states + " " + a.Value)
		}
	}
}

func (s *stated) text(path, text string) {
	switch path {
	case "CustomizationID", "ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID":
		s.states = cmp.Or(s.states, text)
	case "ProfileID", "ExchangedDocumentContext/BusinessProcessSpecifiedDocumentContextParameter/ID":
		s.process = cmp.Or(s.process, text)
	case "AccountingSupplierParty/Party/PostalAddress/Country/IdentificationCode",
		"SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty/PostalTradeAddress/CountryID":
		s.seller = cmp.Or(s.seller, text)
	}
}
