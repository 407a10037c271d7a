package mapping

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// ticket has a text in several elements, a group that may be there twice, and a member of the invoice in its lines and outside them.
var ticket = &Table[invoice.Invoice]{
	Elements: []Element{{Name: "Ticket", Namespace: "urn:ticket"}},
	Order:    map[string]string{"Ticket": "Order Text To Mark Line", "To": "Town Name", "Line": "Word Order Sale"},
	Silent:   map[string]string{"countrySpecific.national": "Nationals writes it"},
	Rows: []Row[invoice.Invoice]{
		{Field: "orderNumber", Path: "Order"},
		{Field: "notes", Path: "Text", Lines: true, Separate: true},
		{Field: "delivery", Path: "To", Single: true, Rows: []Row[invoice.Invoice]{{Field: "address.city", Path: "Town"}, {Field: "name", Path: "Name"}}},
		{Field: "buyerReference", Path: "Mark"},
		{Card: Many, Field: "items[]", Path: "Line", Rows: []Row[invoice.Invoice]{
			{Field: "description", Path: "Word", Lines: true, Separate: true}, {Field: "/orderNumber", Path: "Order", When: func(Scope[invoice.Invoice]) bool { return false }},
			{Field: "/salesOrderNumber", Path: "Sale", First: true},
		}},
	},
}

// TestLinesAreElementsOfTheirOwn ensures that each line of a text is an element, that empty ones are left out, and that they come back as lines.
func TestLinesAreElementsOfTheirOwn(t *testing.T) {
	m, err := Compile(ticket)
	if err != nil {
		t.Fatal(err)
	}
	inv := &invoice.Invoice{OrderNumber: "7", Notes: "a\n\nb", Items: []invoice.Item{{Description: "x\ny"}, {Description: "z"}}}
	out := xmltree.NewWriter(xmltree.WriterOptions{Compact: true, NoDecl: true})
	unwritten, err := m.Write(t.Context(), out, inv, Env{})
	if err != nil || len(unwritten) > 0 {
		t.Fatalf("%v %v", err, unwritten)
	}
	if err := out.Finish(); err != nil {
		t.Fatal(err)
	}
	const want = `<Ticket xmlns="urn:ticket"><Order>7</Order><Text>a</Text><Text>b</Text><Line><Word>x</Word><Word>y</Word></Line><Line><Word>z</Word></Line></Ticket>`
	if got := string(out.Bytes()); got != want {
		t.Error(got)
	}
	reading, err := m.Read(t.Context(), parse(t, want))
	if err != nil {
		t.Fatal(err)
	}
	inv.Notes = "a\nb"
	if diff := cmp.Diff(inv, reading.Invoice); diff != "" || reading.Account.Reported > 0 {
		t.Errorf("%s %+v", diff, reading.Account)
	}
	if _, err := m.Write(t.Context(), xmltree.NewWriter(xmltree.WriterOptions{}), &invoice.Invoice{Notes: "a\n\x01"}, Env{}); err == nil || err.(*FieldError).Field != "notes" {
		t.Errorf("a character that XML does not allow: %v", err)
	}
}

// TestSingleGroupsAreReadOnce ensures that a second element of a group is reported whole, what it repeats included, and that Nationals hold it
// and put it back among those that are written.
func TestSingleGroupsAreReadOnce(t *testing.T) {
	m, err := Compile(ticket)
	if err != nil {
		t.Fatal(err)
	}
	const text = `<Ticket xmlns="urn:ticket"><To><Town>Lund</Town></To><To><Town>Lund</Town><Name>n</Name></To><Mark a="1">p</Mark><Mark>q</Mark></Ticket>`
	doc := parse(t, text)
	reading, err := m.Read(t.Context(), doc)
	if err != nil || reading.Account.Reported != 4 {
		t.Fatalf("%v %+v", err, reading.Account)
	}
	nationals := Nationals{Order: ticket.Order, Attributes: []string{"a"}}
	told := nationals.Take(doc, &reading.Account)
	want := invoice.National{"To[2]/Town": {"Lund"}, "To[2]/Name": {"n"}, "Mark[1]/@a": {"1"}, "Mark[2]": {"q"}}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	plain, out := xmltree.NewWriter(xmltree.WriterOptions{}), xmltree.NewWriter(xmltree.WriterOptions{Compact: true, NoDecl: true})
	if _, err := m.Write(t.Context(), plain, reading.Invoice, Env{}); err != nil {
		t.Fatal(err)
	}
	if err := plain.Finish(); err != nil {
		t.Fatal(err)
	}
	told["Mark[1]"] = []string{"o"} // before the one that is written
	delete(told, "Mark[1]/@a")
	told["Mark[3]"] = told["Mark[2]"]
	delete(told, "Mark[2]")
	unplaced, err := nationals.Write(out, plain.Bytes(), told)
	if err != nil || len(unplaced) > 0 {
		t.Fatalf("%v %v", err, unplaced)
	}
	if err := out.Finish(); err != nil {
		t.Fatal(err)
	}
	const back = `<Ticket xmlns="urn:ticket"><To><Town>Lund</Town></To><To><Town>Lund</Town><Name>n</Name></To><Mark>o</Mark><Mark>p</Mark><Mark>q</Mark></Ticket>`
	if got := string(out.Bytes()); got != back {
		t.Error(got)
	}
}

// TestSeparateNeedsLines ensures that a table cannot write lines that it reads as conflicts.
func TestSeparateNeedsLines(t *testing.T) {
	table := *ticket
	table.Rows = []Row[invoice.Invoice]{{Field: "notes", Path: "Text", Separate: true}}
	if _, err := Compile(&table); err == nil {
		t.Error("it compiles")
	}
}

// TestFirstEntriesAloneHoldWhatIsSaidOnce ensures that a member which stands with the first entry of a list is neither written with others nor
// read from them, so that what an entry says stays with it.
func TestFirstEntriesAloneHoldWhatIsSaidOnce(t *testing.T) {
	m, err := Compile(ticket)
	if err != nil {
		t.Fatal(err)
	}
	const line, sold = "<Line><Word>x</Word></Line>", "<Line><Word>x</Word><Sale>5</Sale></Line>"
	for _, c := range []struct {
		lines, number string
		kept          invoice.National
	}{
		{sold + line, "5", nil},
		{line + sold, "", invoice.National{"Line[2]/Sale": {"5"}}},
		{sold + sold, "5", invoice.National{"Line[2]/Sale": {"5"}}},
	} {
		text := `<Ticket xmlns="urn:ticket">` + c.lines + `</Ticket>`
		doc := parse(t, text)
		reading, err := m.Read(t.Context(), doc)
		if err != nil || reading.Invoice.SalesOrderNumber != c.number {
			t.Fatalf("%s: %v %+v", c.lines, err, reading)
		}
		nationals := Nationals{Order: ticket.Order}
		kept := nationals.Take(doc, &reading.Account)
		if diff := cmp.Diff(c.kept, kept); diff != "" || reading.Account.Reported > 0 {
			t.Errorf("%s: %s %+v", c.lines, diff, reading.Account)
		}
		plain, out := xmltree.NewWriter(xmltree.WriterOptions{}), xmltree.NewWriter(xmltree.WriterOptions{Compact: true, NoDecl: true})
		unwritten, err := m.Write(t.Context(), plain, reading.Invoice, Env{})
		if err != nil || len(unwritten) > 0 {
			t.Fatalf("%s: %v %v", c.lines, err, unwritten)
		}
		if err := plain.Finish(); err != nil {
			t.Fatal(err)
		}
		if _, err := nationals.Write(out, plain.Bytes(), kept); err != nil {
			t.Fatal(err)
		}
		if err := out.Finish(); err != nil || string(out.Bytes()) != text {
			t.Errorf("%s: %v %s", c.lines, err, out.Bytes())
		}
	}
}
