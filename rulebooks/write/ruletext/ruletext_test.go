package ruletext

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

const messages = `# levels and words
R-1 fatal: BT-99 (charge) is {$sum}.
    It must be 3 at most.
R-2 warning: BT-1 is missing.
R-3 information: nothing
`

// TestRead ensures that a text becomes the schema that it describes.
func TestRead(t *testing.T) {
	words, err := Messages(messages)
	if err != nil {
		t.Fatal(err)
	}
	got := &sch.Schema{}
	source := Source{fstest.MapFS{"a.txt": {Data: []byte(`# a remark
define header = {root}/a:header
define code = @code = '%'
let $currency = {header}/a:currency

pattern charges
let $limit = 3
rule a:charge[matches(@n, '[0-9]{2}')]
      | a:part
  let $sum = sum(a:part)
  R-1: $sum le $limit
      and {header}
rule *
  R-2: {code(7)}
`)}}, words, map[string]string{"root": "/a:invoice"}}
	err = source.Read(got, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := &sch.Schema{Lets: []sch.Let{{Name: "currency", Value: "/a:invoice/a:header/a:currency"}}, Patterns: []sch.Pattern{{
		ID: "charges", Lets: []sch.Let{{Name: "limit", Value: "3"}}, Rules: []sch.Rule{
			{Context: "a:charge[matches(@n, '[0-9]{2}')] | a:part", Lets: []sch.Let{{Name: "sum", Value: "sum(a:part)"}}, Assertions: []sch.Assertion{
				{ID: "R-1", Flag: "fatal", Test: "$sum le $limit and /a:invoice/a:header", Text: "BT-99 (charge) is {$sum}. It must be 3 at most."}}},
			{Context: "*", Assertions: []sch.Assertion{{ID: "R-2", Flag: "warning", Test: "@code = '7'", Text: "BT-1 is missing."}}},
		}}}}
	if string(got.Bytes()) != string(want.Bytes()) {
		t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want.Bytes())
	}
	if unused := Unused(words, got); !slices.Equal(unused, []string{"R-3"}) {
		t.Errorf("unused %q", unused)
	}
}

// TestRead_UsesWithinUses ensures that definitions are put in wherever they stand, in the arguments of others as well.
func TestRead_UsesWithinUses(t *testing.T) {
	words, err := Messages(messages)
	if err != nil {
		t.Fatal(err)
	}
	for use, want := range map[string]string{
		"{a({b(x)})}":                   "a(b(x))",
		"{a({b({a(x)})})} or {b(y)}":    "a(b(a(x))) or b(y)",
		"{a({c})} and {b({c} + {c})}":   "a(c(1)) and b(c(1) + c(1))",
		"{a(matches(., '^[0-9]{2}$'))}": "a(matches(., '^[0-9]{2}$'))",
		"{a(f(x))} eq {b(2)}":           "a(f(x)) eq b(2)",
		"matches(., '[a-z]{2}')":        "matches(., '[a-z]{2}')",
	} {
		got := &sch.Schema{}
		source := Source{fstest.MapFS{"a.txt": {Data: []byte("define b = b(%)\ndefine a = a(%)\ndefine c = c(1)\npattern p\nrule x\n  R-1: " + use)}}, words, nil}
		if err := source.Read(got, "a.txt"); err != nil {
			t.Errorf("%s: %v", use, err)
		} else if test := got.Patterns[0].Rules[0].Assertions[0].Test; test != want {
			t.Errorf("%s became %s, want %s", use, test, want)
		}
	}
}

// TestRead_Faults ensures that each mistake is told with its line.
func TestRead_Faults(t *testing.T) {
	words, _ := Messages(messages)
	for text, want := range map[string]string{
		"rule a":                             "line 1: ",
		"\nfind x":                           "line 2: ",
		"pattern p\n  R-1: x":                "line 2: R-1: stands in no rule",
		"pattern p\nrule {x}":                "line 2: {x} is not defined",
		"define a = %\nlet $y = {a({x(1)})}": "line 2: {x(1)} is not defined",
		"define a = %\nlet $y = {a(1)":       "line 2: {a( is not closed",
		"define a = %{a(1)}":                 "line 1: {a(1)} is not defined",
		"pattern p\nrule a\n  R-9: x":        "line 3: ",
		"pattern p\nrule a\n  R-1 x":         "line 3: ",
		"pattern p\nrule a\nlet $x = 1":      "line 3: the variable $x comes after a rule",
		"let $x":                             "line 1: expected let NAME = VALUE",
	} {
		source := Source{Files: fstest.MapFS{"a.txt": {Data: []byte(text)}}, Messages: words}
		if err := source.Read(&sch.Schema{}, "a.txt"); err == nil || !strings.HasPrefix(err.Error(), "a.txt, "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"R-1: x", "R-1 grave: x", "R-1 fatal x", "R-1 fatal: x\nR-1 fatal: y"} {
		if m, err := Messages(text); err == nil {
			t.Errorf("%q: %v", text, m)
		}
	}
}

// TestFiles_Lent ensures that a book takes texts and messages of another one, where it has none of its own, and need not use all.
func TestFiles_Lent(t *testing.T) {
	own := fstest.MapFS{"own.txt": {Data: []byte("R-2 warning: ours")}}
	other := fstest.MapFS{
		"rules.txt":    {Data: []byte("pattern p\nrule a\n  R-1: b\n  R-2: c")},
		"messages.txt": {Data: []byte("R-1 fatal: theirs\nR-2 fatal: theirs\nR-3 fatal: unused")},
	}
	book := Book{Folder: "b", Lent: []string{"cius/messages.txt"}, Messages: []string{"own.txt"}, Texts: []string{"cius/rules.txt"}}
	files, err := Files("here", Beside(own, other), []Book{book})
	if err != nil {
		t.Fatal(err)
	}
	text := string(files["books/b/rules.sch"])
	for _, part := range []string{`flag="fatal" test="b">theirs<`, `flag="warning" test="c">ours<`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
	book.Lent = []string{"cius/none.txt"}
	if _, err := Files("here", Beside(own, other), []Book{book}); err == nil {
		t.Error("messages that are not there are accepted")
	}
}

// TestFiles_ShareAPattern ensures that a shared pattern becomes a file that its books include, with the code lists that belong to it, and that
// books cannot share what differs.
func TestFiles_ShareAPattern(t *testing.T) {
	texts := fstest.MapFS{"a.txt": {Data: []byte("pattern p\nrule a\n  R-1: b = $codes\npattern q\nrule c\n  R-2: {d}\n")}, "m.txt": {Data: []byte("R-1 fatal: x\nR-2 fatal: y\n")}}
	book := func(folder, d string) Book {
		return Book{Folder: folder, Messages: []string{"m.txt"}, Texts: []string{"a.txt"}, Definitions: map[string]string{"d": d},
			Codes: []Codes{{Variable: "codes", List: "untdid-2005", Version: "en16931-1.3.16", Pattern: "p"}}, Shared: map[string]string{"p": "p.sch"}}
	}
	files, err := Files("here", texts, []Book{book("x-1", "e"), book("y-1", "f")})
	if err != nil {
		t.Fatal(err)
	}
	shared, own := string(files["shared/p.sch"]), string(files["books/y-1/rules.sch"])
	if !strings.Contains(shared, `<let name="codes" value="('`) || !strings.Contains(shared, `id="R-1"`) || strings.Contains(shared, "R-2") {
		t.Errorf("the shared pattern is %s", shared)
	}
	if !strings.Contains(own, `<include href="shared/p.sch"/>`) || !strings.Contains(own, `test="f"`) || strings.Contains(own, "R-1") {
		t.Errorf("the book is %s", own)
	}
	other := book("z-1", "e")
	other.Codes[0].Besides = []string{"X"}
	if _, err := Files("here", texts, []Book{book("x-1", "e"), other}); err == nil || !strings.Contains(err.Error(), "rules of z-1: its pattern p is not that of the other books") {
		t.Errorf("sharing what differs: %v", err)
	}
	other = book("z-1", "e")
	other.Shared["r"] = "r.sch"
	if _, err := Files("here", texts, []Book{other}); err == nil || !strings.Contains(err.Error(), "it has 1 of the 2 patterns that it shares") {
		t.Errorf("sharing what is not there: %v", err)
	}
}
