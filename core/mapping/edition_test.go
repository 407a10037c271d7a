package mapping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestCompileRefusesEditionsThatCannotBe names what is wrong with editions, and rows that no document would have.
func TestCompileRefusesEditionsThatCannotBe(t *testing.T) {
	elements := []Element{{Name: bill, Namespace: "urn:bill"}, {Name: memo, Namespace: "urn:memo"}}
	chain := []Edition{{Name: "a", Specifications: []string{"1"}}, {Name: "b", Includes: []string{"a"}, Specifications: []string{"2"}, Elements: []string{bill}}, {Name: "c"}}
	lines := testRow{Field: "items[]", Card: Many, Path: "x:Row", Rows: []testRow{{Field: "note", Path: "x:Note"}}}
	for name, c := range map[string]struct {
		editions []Edition
		rows     []testRow
		lines    string
		want     string
	}{
		"an edition twice":                         {[]Edition{{Name: "a"}, {Name: "a", Specifications: []string{"1"}}}, nil, "", `edition "a" is listed twice`},
		"an unknown edition included":              {[]Edition{{Name: "a", Includes: []string{"b"}}}, nil, "", `edition "a" includes "b", which is not listed before it`},
		"an edition that includes itself":          {[]Edition{{Name: "a", Includes: []string{"a"}}}, nil, "", `edition "a" includes "a", which is not listed before it`},
		"editions that include each other":         {[]Edition{{Name: "a", Includes: []string{"b"}}, {Name: "b", Includes: []string{"a"}}}, nil, "", `edition "a" includes "b"`},
		"an edition of an unknown element":         {[]Edition{{Name: "a", Elements: []string{"Bil"}}}, nil, "", `edition "a" is for "Bil", which is no document element`},
		"an unknown edition of a row":              {chain, []testRow{{Term: "BT-1", Field: "notes", Path: "x:A", In: "EXTENDED"}}, "", `row BT-1 x:A: "EXTENDED" is no edition of the table`},
		"an edition in a table without":            {nil, []testRow{{Field: "notes", Path: "x:A", In: "a"}}, "", `"a" is no edition of the table`},
		"an unknown edition deep in a table":       {chain, []testRow{{Field: "seller", Path: "x:A", Rows: []testRow{{Term: "BT-27", Field: "name", Path: "x:B", In: "d"}}}}, "", `row  x:A: row BT-27 x:B: "d" is no edition`},
		"an unknown element of a row":              {chain, []testRow{{Field: "notes", Path: "x:A", On: "Order"}}, "", `"Order" is no document element of the table`},
		"a row of another edition than its group":  {chain, []testRow{{Field: "seller", Path: "x:A", In: "c", Rows: []testRow{{Field: "name", Path: "x:B", In: "b"}}}}, "", `row  x:A: row  x:B: no edition of a document element has it`},
		"a row of an element without its edition":  {chain, []testRow{{Field: "notes", Path: "x:A", On: memo, In: "b"}}, "", "row  x:A: no edition of a document element has it"},
		"a piece of another edition than its text": {chain, []testRow{{Field: "notes", Path: "x:A", In: "c", Split: pairSplit, Rows: []testRow{{Path: "x:B"}, {Path: "x:C", In: "b"}}}}, "", errPiece.Error()},
		"one specification for two editions":       {[]Edition{{Name: "a", Specifications: []string{"1"}}, {Name: "b", Specifications: []string{"2", "1"}}}, nil, "", `the edition "a" is for the same documents (specification "1")`},
		"two editions for any specification":       {[]Edition{{Name: "a"}, {Name: "b"}}, nil, "", `the edition "a" is for the same documents (specification "")`},
		"rows of one path in editions apart": {chain, []testRow{{Field: "notes", Path: "x:A", In: "a"}, {Field: "currency", Path: "x:A", In: "c"}, {Field: "currency", Path: "x:B", In: "b"}, {Field: "notes", Path: "x:B", In: "b"}}, "",
			errTaken.Error()},
		"a list of lines that no row has":          {nil, []testRow{lines}, "rows[]", `no row has the list of lines "rows[]"`},
		"a list of lines that one edition lacks":   {chain, []testRow{{Field: "items[]", Card: Many, Path: "x:Row", In: "c", Rows: lines.Rows}}, "items[]", `element Bill, edition a: no row has the list of lines`},
		"a constant that is an unknown variable":   {nil, []testRow{{Const: "$money", Path: "x:A"}}, "", `"$money" is no variable of the table`},
		"an attribute that is an unknown variable": {nil, []testRow{{Field: "notes", Path: "x:A", Attrs: []Attr{{Name: "b", Const: "$money"}}}}, "", `attribute b: "$money" is no variable of the table`},
	} {
		_, err := Compile(&Table[invoice.Invoice]{Namespaces: testTable.Namespaces, Elements: elements, Editions: c.editions, Rows: c.rows, Lines: c.lines})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestCompileRefusesVariablesThatAreNoTexts(t *testing.T) {
	for name, member := range map[string]string{"currency": "currency", "$total": "total", "$unknown": "unknown", "$seller": "seller"} {
		_, err := Compile(&Table[invoice.Invoice]{Elements: testTable.Elements, Variables: map[string]string{name: member}})
		if err == nil || !strings.Contains(err.Error(), "variable "+name+": ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// versions has one document element whose namespace tells the version, as Facturae has; the elements in it have none.
var versions = Table[invoice.Invoice]{
	Namespaces: map[string]string{"f": "urn:f:2"},
	Elements:   []Element{{Name: "f:Fact"}},
	Editions:   []Edition{{Name: "1", Namespaces: map[string]string{"f": "urn:f:1"}}, {Name: "2", Includes: []string{"1"}}},
	Rows:       []testRow{{Term: "BT-1", Field: "invoiceNumber", Path: "Head/Number"}, {Term: "BT-22", Field: "notes", Path: "Head/Text", In: "2"}, {Const: "v1", Path: "Head/Version"}, {Const: "v2", Path: "Head/Version", In: "2"}},
}

// TestEditionsMayHaveNamespacesOfTheirOwn writes and reads each version in its namespace.
func TestEditionsMayHaveNamespacesOfTheirOwn(t *testing.T) {
	m, err := Compile(&versions)
	if err != nil {
		t.Fatal(err)
	}
	inv := &invoice.Invoice{InvoiceNumber: "7", Notes: "n"}
	for edition, want := range map[string]string{
		"1": `<f:Fact xmlns:f="urn:f:1"><Head><Number>7</Number><Version>v1</Version></Head></f:Fact>`,
		"2": `<f:Fact xmlns:f="urn:f:2"><Head><Number>7</Number><Text>n</Text><Version>v2</Version></Head></f:Fact>`,
	} {
		w := xmltree.NewWriter(xmltree.WriterOptions{NoDecl: true})
		unwritten, err := m.Write(t.Context(), w, inv, Env{Edition: edition})
		if err != nil || (len(unwritten) == 0) != (edition == "2") {
			t.Errorf("%s: %v, %+v", edition, err, unwritten)
		}
		if diff := cmp.Diff(want, flat(string(w.Bytes()))); diff != "" {
			t.Errorf("%s: %s", edition, diff)
		}
		if got := read(t, m, want); got.Edition != edition || got.Account.Reported > 0 || got.Invoice.InvoiceNumber != "7" || (got.Invoice.Notes == "n") != (edition == "2") {
			t.Errorf("%s: %+v", edition, got)
		}
	}
	if _, err := m.Read(t.Context(), parse(t, `<f:Fact xmlns:f="urn:f:3"/>`)); err == nil {
		t.Error("an unknown version is read")
	}
}

// TestWriteRefusesWhatTheTableDoesNotHave has elements, editions and specifications.
func TestWriteRefusesWhatTheTableDoesNotHave(t *testing.T) {
	m, err := Compile(&Table[invoice.Invoice]{Elements: testTable.Elements,
		Editions: []Edition{{Name: "a", Specifications: []string{"1"}}, {Name: "b", Specifications: []string{"2"}, Elements: []string{memo}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env Env
		ok  bool
	}{
		{Env{Specification: "1"}, true}, {Env{Edition: "a"}, true}, {Env{Element: memo, Specification: "2"}, true}, {Env{Element: memo, Edition: "b", Specification: "1"}, true},
		{Env{}, false}, {Env{Specification: "3"}, false}, {Env{Specification: "2"}, false}, {Env{Element: bill, Edition: "b"}, false}, {Env{Edition: "c"}, false}, {Env{Element: "Order", Edition: "a"}, false},
	} {
		_, err := m.Write(t.Context(), xmltree.NewWriter(xmltree.WriterOptions{}), &invoice.Invoice{}, c.env)
		if (err == nil) != c.ok {
			t.Errorf("%+v: error %v", c.env, err)
		}
	}
	if _, err := m.Read(t.Context(), parse(t, `<Bill xmlns="urn:bill"/>`)); err == nil {
		t.Error("a document without a specification is read where each edition is for one")
	}
}

// TestTablesTellWhichRowsHold has the editions of a chain, directly included or not.
func TestTablesTellWhichRowsHold(t *testing.T) {
	for _, c := range []struct {
		row     testRow
		edition string
		want    bool
	}{
		{testRow{}, ciiBasic, true}, {testRow{In: ciiBasic}, ciiExtended, true}, {testRow{In: ciiEN16931}, ciiExtended, true}, {testRow{In: ciiEN16931}, ciiBasic, false},
		{testRow{In: ciiExtended}, ciiEN16931, false}, {testRow{On: "other"}, ciiBasic, false}, {testRow{}, "unknown", false},
	} {
		if got := ciiTable.Holds(&c.row, "rsm:CrossIndustryInvoice", c.edition); got != c.want {
			t.Errorf("in %q, on %q: %t in %s", c.row.In, c.row.On, got, c.edition)
		}
	}
	if !testTable.Holds(&testRow{On: memo}, memo, "") || testTable.Holds(&testRow{On: memo}, bill, "") {
		t.Error("a table without editions")
	}
}
