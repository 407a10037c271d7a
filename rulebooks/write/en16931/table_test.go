package en16931

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// tableOf is a table with lines.
func tableOf(t *testing.T, lines string) *table {
	t.Helper()
	table, err := readTable(fstest.MapFS{"t.txt": {Data: []byte(lines)}}, "t.txt")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestTable_Use ensures what the lines of a table of use become: test and message of each form.
func TestTable_Use(t *testing.T) {
	table := tableOf(t, `# comment
let LINE (cac:InvoiceLine | cac:CreditNoteLine)
let DONE [@done = '1']
rule /ubl:Invoice | /cn:CreditNote
A warning unused #LINE/cbc:UUID
B fatal most 2 cac:Party#DONE/cbc:Name -- BT-1 Name
rule //ram:Party
C fatal unused @x unless self::a -- BT-2 X
D warning one ram:ID
E fatal given ram:Name
rule a | b
F fatal most 1 //c
G fatal true 1 = 2 -- No {c} here #LINE.
`)
	p := &sch.Pattern{}
	for table.next() {
		if err := table.rule(p); err != nil {
			t.Fatal(table.place(), err)
		}
	}
	want := []sch.Rule{
		{Context: "/ubl:Invoice | /cn:CreditNote", Assertions: []sch.Assertion{
			{ID: "A", Flag: "warning", Test: "not((cac:InvoiceLine | cac:CreditNoteLine)/cbc:UUID)", Text: "cac:{local-name()}Line/cbc:UUID is not part of EN 16931. Remove it."},
			{ID: "B", Flag: "fatal", Test: "count(cac:Party[@done = '1']/cbc:Name) le 2", Text: "BT-1 Name: cac:Party/cbc:Name may occur 2 times, but occurs more often. Remove the others."}}},
		{Context: "//ram:Party", Assertions: []sch.Assertion{
			{ID: "C", Flag: "fatal", Test: "empty(@x) or self::a", Text: "BT-2 X: ram:Party/@x is not part of EN 16931. Remove the attribute."},
			{ID: "D", Flag: "warning", Test: "count(ram:ID) eq 1", Text: "ram:Party/ram:ID must be given exactly once, but occurs {count(ram:ID)} times. Give one."},
			{ID: "E", Flag: "fatal", Test: "exists(ram:Name)", Text: "ram:Party/ram:Name is missing. Give it."}}},
		{Context: "a | b", Assertions: []sch.Assertion{
			{ID: "F", Flag: "fatal", Test: "count(//c) le 1", Text: "c may occur once, but occurs {count(//c)} times. Remove the others."},
			{ID: "G", Flag: "fatal", Test: "1 = 2", Text: "No {c} here (cac:InvoiceLine | cac:CreditNoteLine)."}}},
	}
	if diff := cmp.Diff(want, p.Rules); diff != "" {
		t.Error(diff)
	}
}

// TestTable_Codes ensures what the lines of a table of code lists become, and that a list is there once.
func TestTable_Codes(t *testing.T) {
	table := tableOf(t, "A untdid-2005 . a/b -- BT-8 When\nB untdid-2005+X exactly @c d[@c] -- BT-9 Which\nC iso-3166-1:cii capitals . e -- BT-40 Where\n")
	c := &codeRules{pattern: &sch.Pattern{}, known: map[string]bool{}}
	for table.next() {
		if err := c.add(table); err != nil {
			t.Fatal(table.place(), err)
		}
	}
	const when = "UNTDID 2005 (when VAT becomes due) in EN 16931. Give one of: 3 invoice date, 35 actual delivery date, 432 payment date."
	rule := func(context, id, test, text string) sch.Rule {
		return sch.Rule{Context: context, Assertions: []sch.Assertion{{ID: id, Flag: "fatal", Test: test, Text: text}}}
	}
	want := []sch.Rule{
		rule("a/b", "A", "normalize-space(.) = $untdid-2005", `BT-8 When: "{.}" is not a code of `+when),
		rule("d[@c]", "B", "@c = ($untdid-2005, 'X')", `BT-9 Which: "{@c}" is not a code of `+when),
		rule("e", "C", "upper-case(normalize-space(.)) = $iso-3166-1-cii",
			`BT-40 Where: "{.}" is not a code of ISO 3166-1 (countries, with 1A for Kosovo and XI for Northern Ireland) in EN 16931. Give one of that list.`),
	}
	if diff := cmp.Diff(want, c.pattern.Rules); diff != "" {
		t.Error(diff)
	}
	if lets := c.pattern.Lets; len(lets) != 2 || lets[0] != sch.CodeList("untdid-2005", []string{"3", "35", "432"}) {
		t.Errorf("%d lists: %v", len(lets), lets)
	}
}

// TestTable_Faults ensures that a line that says nothing sensible is refused.
func TestTable_Faults(t *testing.T) {
	for line, want := range map[string]string{
		"A fatal unused b":                   "before the first context",
		"rule a\nA error unused b":           `level "error"`,
		"rule a\nA fatal never b":            `form "never"`,
		"rule a\nA fatal true b":             "no text",
		"rule a\nA fatal unused #NO/b":       "name #NO",
		"rule #NO":                           "name #NO",
		"rule a\nA fatal unused b -- a #NO.": "name #NO",
	} {
		table, p := tableOf(t, line), &sch.Pattern{}
		var err error
		for err == nil && table.next() {
			err = table.rule(p)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", line, err, want)
		}
	}
	for line, want := range map[string]string{
		"A none . b":             "none",
		"A iso-3166-1 . b":       "no variant",
		"A iso-4217:x . b":       "no variant",
		"A iso-4217 . #NO -- BT": "name #NO",
	} {
		table := tableOf(t, line)
		table.next()
		if err := (&codeRules{pattern: &sch.Pattern{}, known: map[string]bool{}}).add(table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", line, err, want)
		}
	}
	if _, err := readTable(fstest.MapFS{}, "t.txt"); err == nil {
		t.Error("a table that is not there is read")
	}
}
