//go:build corpus

package operation

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/format/cii"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// ciiValid is the number of CII documents of the corpus that a schema accepts.
const ciiValid = 1122

// elsewhere are the members that come back in another place, with the sentence that says so.
var elsewhere = map[string]string{
	"items[].taxExemptionReason":     "EN 16931: the reason of an exemption stands once for each tax group (BT-120)",
	"items[].taxExemptionReasonCode": "EN 16931: the reason of an exemption stands once for each tax group (BT-121)",
}

// TestWritingWhatWasReadOfCIILosesNothingInSilence reads, writes and reads again every schema-valid document: what the first invoice
// holds the second one holds as well, or writing has said that it does not. Numbers are compared by value.
func TestWritingWhatWasReadOfCIILosesNothingInSilence(t *testing.T) {
	s := newService(t)
	seen, flipped := 0, 0
	for _, d := range corpus.CII(t) {
		if !d.Valid {
			continue
		}
		first, found := readCII(t, s, d.Path, nil)
		draft := stepsOf(found).Derive(first)
		if slices.ContainsFunc(draft.Warnings, turnsSigns) {
			flipped++
			continue
		}
		seen++
		as := format.Edition{Specification: found.Specification}
		if strings.HasSuffix(found.Format, "EXTENDED") {
			as.Name = cii.Extended
		}
		w := xmltree.NewWriter(xmltree.WriterOptions{})
		unwritten, err := s.formats.Syntax("cii").Codec.Write(context.Background(), w, draft.Invoice, as)
		if err != nil {
			t.Error(d.Path, err)
			continue
		}
		said := missedBy(unwritten, draft)
		second, _ := readCII(t, s, "", w.Bytes())
		for _, lost := range missing(first, second) {
			path, _, _ := strings.Cut(lost, " ")
			if elsewhere[path] == "" && !told(said, path) {
				t.Errorf("%s/%s loses %s", d.Set, d.Name, lost)
			}
		}
	}
	t.Logf("%d documents compared, %d left out because their signs are turned", seen, flipped)
	if seen+flipped != ciiValid {
		t.Errorf("%d documents, want %d", seen+flipped, ciiValid)
	}
}

// readCII reads a file, or these bytes, as the parse operation does.
func readCII(t *testing.T, s *Service, path string, src []byte) (*invoice.Invoice, detect.Result) {
	t.Helper()
	if src == nil {
		var err error
		if src, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := s.parser.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Release()
	found := detect.Document(s.formats, doc)
	reading, err := s.formats.Syntax("cii").Codec.Read(context.Background(), doc)
	if err != nil {
		t.Fatal(err)
	}
	restore(found, reading)
	return reading.Invoice, found
}

func stepsOf(found detect.Result) *profile.Profile {
	if row := found.Customisation; row != nil && row.Steps != nil {
		return row.Steps
	}
	return &profile.Profile{Steps: profile.CommonSteps()}
}

var positions = regexp.MustCompile(`\[\d+\]`)

// pattern is a path without the positions in its lists.
func pattern(path string) string { return positions.ReplaceAllString(path, "[]") }

// told tells whether a member, or the list or struct that it is in, was said not to be written.
func told(said map[string]bool, path string) bool {
	for at := path; at != ""; {
		if said[at] || said[at+"[]"] {
			return true
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			return false
		}
		at = at[:i]
	}
	return false
}

// missing lists the values of an invoice that another one does not have under the same pattern, as often.
func missing(first, second *invoice.Invoice) (lost []string) {
	has, there := map[string]int{}, map[string]bool{}
	for path, value := range invoice.Leaves(second) {
		key := pattern(path) + " " + compared(path, value)
		has[key]++
		there[key] = true
	}
	for path, value := range invoice.Leaves(first) {
		key := pattern(path) + " " + compared(path, value)
		name, department := strings.CutSuffix(pattern(path), ".department") // one that is the name as well is said by that
		if has[key]--; has[key] < 0 && !(department && there[name+".name "+plain(value)]) {
			lost = append(lost, key)
		}
	}
	return lost
}

// compared is a value as text; an IBAN as programs exchange it, because writing takes out the white space that it has on paper.
func compared(path string, value any) string {
	if strings.HasSuffix(path, ".iban") {
		return invoice.PlainIBAN(plain(value))
	}
	return plain(value)
}

// plain is a value as text; a number without zeros at the end.
func plain(value any) string {
	if d, ok := value.(decimal.Decimal); ok && d.IsSet() {
		return strings.TrimSuffix(strings.TrimRight(d.WithMinScale(1).String(), "0"), ".")
	}
	return fmt.Sprint(value)
}
