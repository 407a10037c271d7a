package operation

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
)

// besides are members that decide what the page says and are not on it themselves, with what shows them.
var besides = map[string]string{
	"items[].discount.type": "the sign of the discount", "allowancesCharges[].isCharge": "the sign of the amount", "currency": "the signs of amounts",
	"attachments[].content": "the embedded file", "attachments[].mimeType": "the same", "attachments[].filename": "the same",
	"attachments[].description": "the same", "paymentMethods[].type": "the QR code",
}

// pageText is the text of the standard pages of an invoice in Germany.
func pageText(t *testing.T, s *Service, inv *invoice.Invoice) string {
	t.Helper()
	country, _ := s.formats.Country("DE")
	as, err := s.lookOf(nil, "", Style{})
	if err != nil {
		t.Fatal(err)
	}
	inv.Attachments = nil // of no matter for the pages
	out, err := s.layOut(t.Context(), country, inv, as, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := inspect.Inspect(t.Context(), out.PDF)
	if err != nil {
		t.Fatal(err)
	}
	return report.Text
}

// TestUnseen_ListsWhatTheStandardPagesDoNotShow changes each leaf of the full invoice alone, and holds the list of those that do not show
// against the pages that come of it. The short form takes every eighth leaf, and makes no list.
func TestUnseen_ListsWhatTheStandardPagesDoNotShow(t *testing.T) {
	const file = "../pdf/standard/unseen.txt"
	s := newService(t)
	var unseen []string
	for i, leaf := range invoice.LeafPaths() {
		if leaf != ofLine(leaf) || besides[leaf] != "" || leftOut(i) {
			continue
		}
		marked, _ := withSentinel(t, leaf)
		before, _ := withSentinel(t, leaf)
		at(reflect.ValueOf(before).Elem(), leaf).SetZero()
		if pageText(t, s, marked) == pageText(t, s, before) {
			unseen = append(unseen, leaf)
		}
	}
	if testing.Short() {
		return
	}
	list := strings.Join(unseen, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if known, err := os.ReadFile(file); err != nil || string(known) != list {
		t.Errorf("%v: %s is not what it has to be: go test ./core/operation -run Unseen -update writes it", err, file)
	}
}
