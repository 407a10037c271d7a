package operation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// goldensOf lists up to most documents of each folder of goldens.
func goldensOf(t testing.TB, most int) (documents [][]byte) {
	t.Helper()
	folders := map[string]int{}
	err := filepath.WalkDir("../../testdata", func(name string, entry fs.DirEntry, err error) error {
		folder := filepath.Dir(name)
		if err != nil || filepath.Ext(name) != ".xml" || filepath.Base(folder) == "documents" || folders[folder] >= most {
			return err
		}
		folders[folder]++
		data, err := os.ReadFile(name)
		documents = append(documents, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

// textPlaces gives where the texts of a document stand: beginning and end.
func textPlaces(document []byte) (leaves [][2]int) {
	for at := 0; ; {
		begin := bytes.IndexByte(document[at:], '>')
		if begin < 0 {
			return leaves
		}
		begin += at + 1
		end := bytes.IndexByte(document[begin:], '<')
		if end < 0 {
			return leaves
		}
		if end += begin; len(bytes.TrimSpace(document[begin:end])) > 0 {
			leaves = append(leaves, [2]int{begin, end})
		}
		at = end
	}
}

// withText gives a document with another text in one of its leaves.
func withText(document []byte, leaf int, text string) []byte {
	leaves := textPlaces(document)
	if len(leaves) == 0 {
		return document
	}
	at := leaves[leaf%len(leaves)]
	var escaped bytes.Buffer
	if xml.EscapeText(&escaped, []byte(text)) != nil {
		return document
	}
	return slices.Concat(document[:at[0]], escaped.Bytes(), document[at[1]:])
}

// rewritten parses a document and generates it in its own format, and tells whether something of it was not written, or written otherwise; nil
// where one of the two refuses it.
func rewritten(t *testing.T, s *Service, document []byte) (again []byte, changed bool) {
	t.Helper()
	read, err := s.Parse(context.Background(), ParseRequest{Document: document})
	if isRefusal(t, err) {
		return nil, false
	}
	row := s.formats.Detected(read.Format)
	if row == nil || row.Steps == nil {
		return nil, false
	}
	options := map[string]any{}
	if row.Carrier != "" {
		options = map[string]any{"output": "xml", "profile": row.Profile}
	} else if row.Token == "xrechnung" {
		options["syntax"] = row.Syntax
	}
	body, err := json.Marshal(map[string]any{"invoice": read.Invoice, "formatOptions": options})
	if err != nil {
		t.Fatal(err)
	}
	seller := ""
	if read.Invoice.Seller != nil {
		seller = read.Invoice.Seller.CountryCode
	}
	written, err := s.Generate(context.Background(), GenerateRequest{Country: strings.ToLower(cmp.Or(row.Country, seller)), Format: row.Token, Body: body})
	if isRefusal(t, err) {
		return nil, false
	}
	return written.Data, len(written.Warnings) > 0
}

// isRefusal tells whether an error is a refusal; any other error ends the test.
func isRefusal(t *testing.T, err error) bool {
	t.Helper()
	if _, is := errors.AsType[*finding.Refusal](err); err != nil && !is {
		t.Fatal(err)
	}
	return err != nil
}

// FuzzRoundTrip ensures that what is generated of what was parsed is generated again of what is parsed of that, byte for byte, in every format:
// goldens with another text in one place (E12). What could not be written as it was, as a warning says, is left out of the comparison.
func FuzzRoundTrip(f *testing.F) {
	s := newService(f)
	most := 6
	if testing.Short() {
		most = 1
	}
	documents := goldensOf(f, most)
	for i := range documents {
		for _, text := range []string{"X", "", "0", "-1", "12.345678901", "2026-02-30", "DE", " a  b ", "#A#b", "äöü|;:\n", strings.Repeat("ß", 300)} {
			f.Add(i, 7*i+len(text), text)
		}
	}
	f.Fuzz(func(t *testing.T, document, leaf int, text string) {
		if document < 0 || leaf < 0 {
			return
		}
		source := withText(documents[document%len(documents)], leaf, text)
		once, changed := rewritten(t, s, source)
		if changed && once != nil {
			once, _ = rewritten(t, s, once)
		}
		if once == nil {
			return
		}
		twice, _ := rewritten(t, s, once)
		if !bytes.Equal(once, twice) {
			at := 0
			for at < min(len(once), len(twice)) && once[at] == twice[at] {
				at++
			}
			t.Errorf("document %d, leaf %d, %q:\n%.300s\n%.300s", document, leaf, text, once[max(0, at-150):], twice[min(len(twice), max(0, at-150)):])
		}
	})
}
