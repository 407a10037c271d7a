package mapping

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestCompileRefusesRowsThatCannotBe names the row and what is wrong with it.
func TestCompileRefusesRowsThatCannotBe(t *testing.T) {
	total := func(*invoice.Invoice) (d decimal.Decimal) { return d }
	computed := &Computed[invoice.Invoice]{Text: func(Scope[invoice.Invoice]) string { return "" }}
	cases := []struct {
		name string
		rows []testRow
		want string
	}{
		{"an unknown field", []testRow{{Term: "BT-1", Field: "number", Path: "x:No"}}, `row BT-1 x:No: field "number": invoice.Invoice has no member "number"`},
		{"an unknown field in a group", []testRow{{Term: "BG-4", Field: "seller", Path: "x:Maker", Rows: []testRow{{Term: "BT-27", Field: "title", Path: "x:Name"}}}},
			`row BG-4 x:Maker: row BT-27 x:Name: field "title": invoice.Party has no member "title"`},
		{"an unknown field of the invoice", []testRow{{Field: "items[]", Card: Many, Path: "x:Row", Rows: []testRow{{Field: "/sellers.name", Path: "x:Name"}}}}, `has no member "sellers"`},
		{"a way through a leaf", []testRow{{Field: "currency.code", Path: "x:Cur"}}, `string has no member "code"`},
		{"an empty field name", []testRow{{Field: "seller.", Path: "x:Cur"}}, `has no member ""`},
		{"a list that is none", []testRow{{Field: "seller[]", Card: Many, Path: "x:Maker", Rows: []testRow{{Field: "name", Path: "x:Name"}}}}, `is no list`},
		{"a list as a group", []testRow{{Field: "items", Path: "x:Row", Rows: []testRow{{Field: "description", Path: "x:Name"}}}}, `is no group of members`},
		{"a leaf as a group", []testRow{{Field: "currency", Path: "x:Row", Rows: []testRow{{Field: "description", Path: "x:Name"}}}}, `is no group of members`},
		{"a group of the invoice in a group", []testRow{{Field: "seller", Path: "x:Maker", Rows: []testRow{{Field: "/delivery", Path: "x:To", Rows: []testRow{{Field: "name", Path: "x:Name"}}}}}}, `is no group of members`},
		{"a struct as a text", []testRow{{Field: "seller", Path: "x:Maker"}}, `a text cannot hold *invoice.Party`},
		{"a list as a text", []testRow{{Field: "countrySpecific.alternativeSchemes[]", Card: Many, Path: "x:Maker"}}, `a text cannot hold string`},
		{"a struct as an attribute", []testRow{{Field: "currency", Path: "x:Cur", Attrs: []Attr{{Name: "a", Field: "buyer"}}}}, `a text cannot hold *invoice.Party`},
		{"a list that occurs once", []testRow{{Field: "items[]", Path: "x:A", Rows: []testRow{{Field: "note", Path: "x:B"}}}}, `cardinality 0..1 does not fit the field "items[]"`},
		{"a text that repeats", []testRow{{Field: "currency", Card: OneOrMore, Path: "x:A"}}, `cardinality 1..n does not fit the field "currency"`},
		{"an unknown prefix", []testRow{{Field: "currency", Path: "y:Cur"}}, `prefix "y" has no namespace`},
		{"an unknown prefix in a predicate", []testRow{{Field: "currency", Path: "x:Cur[y:A='1']/x:B"}}, `prefix "y" has no namespace`},
		{"an empty path", []testRow{{Field: "currency", Path: ""}}, `"" is not a qualified name`},
		{"an empty step", []testRow{{Field: "currency", Path: "x:A//x:B"}}, `"" is not a qualified name`},
		{"a step that is no name", []testRow{{Field: "currency", Path: "x:1"}}, `"x:1" is not a qualified name`},
		{"an attribute that is no name", []testRow{{Field: "currency", Path: "x:Cur", Attrs: []Attr{{Name: "a b", Const: "c"}}}}, `"a b" is not a qualified name`},
		{"a predicate without end", []testRow{{Field: "currency", Path: "x:A[x:B='1'/x:C"}}, "unclosed predicate"},
		{"a predicate without a text", []testRow{{Field: "currency", Path: "x:A[x:B=1]/x:C"}}, "compares with no text and no variable"},
		{"a predicate with half a text", []testRow{{Field: "currency", Path: "x:A[x:B='1]/x:C"}}, "compares with no text and no variable"},
		{"a predicate with an unknown variable", []testRow{{Field: "currency", Path: "x:A[x:B=$money]/x:C"}}, `"$money" is no variable of the table`},
		{"a negation without end", []testRow{{Field: "currency", Path: "x:A[not(x:B]/x:C"}}, "unclosed negation"},
		{"an attribute on the way of a predicate", []testRow{{Field: "currency", Path: "x:A[@b/x:C]/x:D"}}, "an attribute ends a path"},
		{"a name for the other root that is missing", []testRow{{Field: "currency", Path: "x:A|x:B|x:C", On: memo}, {Field: "currency", Path: "x:A|x:B"}, {Field: "notes", Path: "|x:B"}}, `"" is not a qualified name`},
		{"two rows for one element", []testRow{{Field: "currency", Path: "x:A"}, {Field: "notes", Path: "x:A"}}, "another row has this element"},
		{"two groups for one element", []testRow{{Field: "items[]", Card: Many, Path: "x:A", Rows: []testRow{{Field: "note", Path: "x:B"}}}, {Field: "attachments[]", Card: Many, Path: "x:A", Rows: []testRow{{Field: "uri", Path: "x:B"}}}},
			"another row has this element"},
		{"a row inside the group of another", []testRow{{Field: "seller", Path: "x:A", Rows: []testRow{{Field: "name", Path: "x:B"}}}, {Field: "notes", Path: "x:A/x:C"}}, "another row has this element"},
		{"a text that has elements", []testRow{{Field: "notes", Path: "x:A"}, {Field: "currency", Path: "x:A/x:B"}}, "an element with text cannot have the child x:B"},
		{"a total that has elements", []testRow{{Total: total, Path: "x:A[x:B='1']"}}, "an element with text cannot have the child x:B"},
		{"an attribute against its predicate", []testRow{{Field: "currency", Path: "x:A[@b='1']", Attrs: []Attr{{Name: "b", Field: "notes"}}}}, "a predicate says that it is"},
		{"an attribute twice", []testRow{{Field: "currency", Path: "x:A", Attrs: []Attr{{Name: "b", Const: "1"}, {Name: "b", Const: "2"}}}}, "attribute b"},
		{"the invoice's own member as an attribute below a list", []testRow{{Field: "items[]", Card: Many, Path: "x:A", Rows: []testRow{{Field: "note", Path: "x:B", Attrs: []Attr{{Name: "c", Field: "/notes"}}}}}},
			"below a list it cannot hold the invoice's own field"},
		{"a computed text with a field", []testRow{{Field: "notes", Path: "x:A", Computed: computed}}, "what is computed is a text of its own"},
		{"a computed text of a codec", []testRow{{Path: "x:A", Computed: computed, Codec: &Codec{}}}, "what is computed is a text of its own"},
		{"a condition on pieces without an element around them", []testRow{{Path: "x:A", Rows: []testRow{
			{Field: "notes", Path: ".", When: func(Scope[invoice.Invoice]) bool { return false }, Split: &Split{}, Rows: []testRow{{Path: "x:B"}}}}}},
			"without an element of its own cannot have a condition"},
	}
	for _, c := range cases {
		table := Table[invoice.Invoice]{Namespaces: testTable.Namespaces, Elements: testTable.Elements, Variables: testTable.Variables, Rows: c.rows}
		_, err := Compile(&table)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		} else if !strings.HasPrefix(err.Error(), "element Bill: ") {
			t.Errorf("%s: the error does not name the document element: %v", c.name, err)
		}
	}
}

func TestCompileRefusesADocumentElementThatIsNoName(t *testing.T) {
	if _, err := Compile(&Table[invoice.Invoice]{Elements: []Element{{Name: "a b"}}}); err == nil {
		t.Error("no error")
	}
}

func TestPredicatesMayHoldSlashesAndEqualSigns(t *testing.T) {
	steps, err := parsePath("x:A[x:B/@c='a/b=c']/x:D[x:E!='$x'][not(x:F)]", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 2 || len(steps[0].tests) != 1 || len(steps[1].tests) != 2 {
		t.Fatalf("%+v", steps)
	}
	want := []predicate{{[]string{"x:B"}, "c", '=', "a/b=c", false}, {[]string{"x:E"}, "", '!', "$x", false}, {[]string{"x:F"}, "", '-', "", false}}
	for i, got := range []predicate{steps[0].tests[0], steps[1].tests[0], steps[1].tests[1]} {
		if got.attr != want[i].attr || got.op != want[i].op || got.value != want[i].value || strings.Join(got.path, "/") != strings.Join(want[i].path, "/") {
			t.Errorf("%+v, want %+v", got, want[i])
		}
	}
}

// TestEqualitiesAreWrittenAndVariablesToo has predicates on attributes of the step itself and on texts that are variables.
func TestEqualitiesAreWrittenAndVariablesToo(t *testing.T) {
	table := Table[invoice.Invoice]{Namespaces: testTable.Namespaces, Elements: testTable.Elements, Variables: testTable.Variables, Rows: []testRow{
		{Field: "currency", Path: "x:Cur"},
		{Field: "notes", Path: "x:A[@b='1']"},
		{Field: "objectId", Path: "x:C[x:D=$currency]/x:E"},
		{Field: "orderNumber", Path: "x:F[@g]"},
	}}
	m, err := Compile(&table)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := write(t, m, &invoice.Invoice{Currency: "EUR", Notes: "n", ObjectID: "o", OrderNumber: "p"}, bill)
	want := document(`<x:Cur>EUR</x:Cur><x:A b="1">n</x:A><x:C><x:D>EUR</x:D><x:E>o</x:E></x:C><x:F>p</x:F>`)
	if flat(got) != want {
		t.Errorf("got  %s\nwant %s", flat(got), want)
	}
	back := read(t, m, document(`<x:A b="2">no</x:A><x:A b="1">n</x:A><x:F>no</x:F><x:F g="1">p</x:F>`))
	if back.Invoice.Notes != "n" || back.Invoice.OrderNumber != "p" || back.Account.Mapped != 2 || back.Account.Derived != 1 || back.Account.Reported != 4 {
		t.Errorf("%+v %+v", back.Invoice, back.Account)
	}
}
