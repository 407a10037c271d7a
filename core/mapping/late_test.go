package mapping

import (
	"strings"
	"testing"

	"context"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// small has an edition that documents are only written in, a text in several elements, and a member that two elements state.
var small = Table[invoice.Invoice]{
	Elements: []Element{{Name: "Bill"}},
	Editions: []Edition{{Name: "small", ByName: true}, {Name: "large", Includes: []string{"small"}}},
	Rows: []testRow{
		{Term: "BT-22", Field: "notes", Path: "Note", Lines: true},
		{Term: "BT-13", Field: "orderNumber", Path: "Order", In: "large"},
		{Path: "Terms", Rows: []testRow{
			{Term: "BT-9", Field: "dueDate", Path: "Old", Type: Day, Last: true, Attrs: []Attr{{Name: "of", Field: "currency"}}},
			{Term: "BT-9", Field: "dueDate", Path: "New", Type: Day, Attrs: []Attr{{Name: "of", Field: "currency"}}},
		}},
	},
}

// TestAnEditionByNameIsWrittenAndNotRead ensures that documents are read as the edition with more, and that a small one is written when
// it is asked for only.
func TestAnEditionByNameIsWrittenAndNotRead(t *testing.T) {
	m, err := Compile(&small)
	if err != nil {
		t.Fatal(err)
	}
	inv := &invoice.Invoice{OrderNumber: "7"}
	for edition, want := range map[string]int{"small": 1, "large": 0, "": 0} {
		w := xmltree.NewWriter(xmltree.WriterOptions{})
		unwritten, err := m.Write(context.Background(), w, inv, Env{Edition: edition})
		if err != nil || len(unwritten) != want {
			t.Errorf("edition %q: %v %v", edition, unwritten, err)
		}
		if got := read(t, m, string(w.Bytes())); got.Edition != "large" {
			t.Errorf("edition %q is read as %q", edition, got.Edition)
		}
	}
}

// TestFurtherElementsAreFurtherLines ensures that texts are put below each other, and one that repeats the first is not.
func TestFurtherElementsAreFurtherLines(t *testing.T) {
	m, err := Compile(&small)
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{
		"<Note>a</Note>": "a", "<Note>a</Note><Note> b </Note><Note>c</Note>": "a\nb\nc", "<Note>a</Note><Note>a</Note>": "a", "<Note/><Note>b</Note>": "b",
	} {
		got := read(t, m, "<Bill>"+content+"</Bill>")
		if got.Invoice.Notes != want || got.Account.Reported > 0 || got.Account.Mapped != strings.Count(content, "</Note>") {
			t.Errorf("%s: %q, %+v", content, got.Invoice.Notes, got.Account)
		}
	}
}

// TestWhatIsReadLastGivesWay ensures that the other element counts, whichever comes first, and that attributes go with their text.
func TestWhatIsReadLastGivesWay(t *testing.T) {
	m, err := Compile(&small)
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]struct {
		due      invoice.Date
		of       string
		reported int
	}{
		`<Old of="EUR">2026-01-01</Old><New of="SEK">2026-02-02</New>`: {"2026-02-02", "SEK", 2},
		`<New of="SEK">2026-02-02</New><Old of="EUR">2026-01-01</Old>`: {"2026-02-02", "SEK", 2},
		`<Old of="EUR">2026-01-01</Old><New of="EUR">2026-01-01</New>`: {"2026-01-01", "EUR", 0},
		`<Old of="EUR">2026-01-01</Old>`:                               {"2026-01-01", "EUR", 0},
	} {
		got := read(t, m, "<Bill><Terms>"+content+"</Terms></Bill>")
		if got.Invoice.DueDate != want.due || got.Invoice.Currency != want.of || got.Account.Reported != want.reported {
			t.Errorf("%s: %s %s %+v", content, got.Invoice.DueDate, got.Invoice.Currency, got.Account)
		}
	}
}

// TestCompileRefusesLinesAndLastOfWhatIsNoText names the rows.
func TestCompileRefusesLinesAndLastOfWhatIsNoText(t *testing.T) {
	for name, row := range map[string]testRow{
		"lines of a date":   {Field: "total", Path: "A", Lines: true},
		"lines, converted":  {Field: "notes", Path: "A", Lines: true, Convert: taxPoints},
		"a constant, last":  {Const: "x", Path: "A", Last: true},
		"no member, last":   {Path: "A", Required: true, Last: true},
		"a number of lines": {Field: "subtotal", Path: "A", Lines: true},
	} {
		if _, err := Compile(&Table[invoice.Invoice]{Elements: small.Elements, Rows: []testRow{row}}); err == nil {
			t.Errorf("%s compiles", name)
		}
	}
}
