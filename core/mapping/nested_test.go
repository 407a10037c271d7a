package mapping

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// The editions of nestedTable.
const (
	flatly = "flat"
	deeply = "deep"
)

// nestedTable has a document element with a specification of its own on it, in which rows stand within rows and another total is
// due.
var nestedTable = Table[invoice.Invoice]{
	Namespaces: testTable.Namespaces,
	Elements:   []Element{{Name: bill, Namespace: "urn:bill"}},
	Editions:   []Edition{{Name: flatly}, {Name: deeply, Includes: []string{flatly}, Specifications: []string{"urn:spec"}}},
	Lines:      "items[]",
	Order:      map[string]string{"Bill": "x:Spec x:Kind x:Due x:Row", "Row": "x:No x:Name x:Trait x:Sub"},
	Rows: []testRow{
		{Term: "BT-24", Const: Specification, From: "profile", Path: "x:Spec"},
		{Term: "BT-10", Field: "buyerReference", Path: "x:Kind", In: flatly},
		{Term: "BT-115", Total: func(inv *invoice.Invoice) decimal.Decimal { return inv.Total }, From: "total", Path: "x:Due"},
		{Term: "BT-115", Total: func(inv *invoice.Invoice) decimal.Decimal { return inv.Total.Add(inv.RoundingAmount) }, From: "total", Path: "x:Due", In: deeply},
		{Term: "BG-25", Field: "items[]", Card: Many, Path: "x:Row", Rows: []testRow{
			{Term: "BT-126", Field: "lineId", Path: "x:No"},
			{Term: "BG-X", Field: "subItems[]", Card: Many, Path: "x:Sub", In: deeply, Again: true},
			{Term: "BT-153", Field: "description", Path: "x:Name", Attrs: []Attr{{Name: "lang", Term: "BT-153-1", Field: "originCountry"}}},
			{Term: "BG-32", Field: "attributes[]", Card: Many, Path: "x:Trait", Rows: []testRow{{Term: "BT-160", Field: "name", Path: "x:Name"}}},
		}},
	},
}

func nestedMapping(t testing.TB) *mappings {
	t.Helper()
	m, err := Compile(&nestedTable)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// writeEdition writes the edition of a specification.
func writeEdition(t rapid.TB, m *mappings, inv *invoice.Invoice, specification string) (string, []Unwritten) {
	t.Helper()
	w := xmltree.NewWriter(xmltree.WriterOptions{NoDecl: true})
	unwritten, err := m.Write(context.Background(), w, inv, Env{Specification: specification})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return string(w.Bytes()), unwritten
}

const nestedDocument = `<Bill xmlns="urn:bill" xmlns:x="urn:x"><x:Spec>urn:spec</x:Spec><x:Kind>k</x:Kind><x:Due>3</x:Due>` +
	`<x:Row><x:No>1</x:No><x:Name lang="DE">a</x:Name><x:Sub><x:No>1.1</x:No><x:Trait><x:Name>t</x:Name></x:Trait></x:Sub>` +
	`<x:Sub><x:No>1.2</x:No><x:Sub><x:Name lang="FR">deep</x:Name></x:Sub></x:Sub></x:Row><x:Row><x:No>2</x:No></x:Row></Bill>`

func nestedInvoice() *invoice.Invoice {
	return &invoice.Invoice{BuyerReference: "k", Total: decimal.New(1, 0), RoundingAmount: decimal.New(2, 0), Items: []invoice.Item{
		{LineID: "1", Description: "a", OriginCountry: "DE", SubItems: []invoice.Item{
			{LineID: "1.1", Attributes: []invoice.Attribute{{Name: "t"}}},
			{LineID: "1.2", SubItems: []invoice.Item{{Description: "deep", OriginCountry: "FR"}}},
		}},
		{LineID: "2"},
	}}
}

func TestGroupsWithinTheirLikeAreWrittenAndRead(t *testing.T) {
	m := nestedMapping(t)
	text, _ := writeEdition(t, m, nestedInvoice(), "urn:spec")
	if diff := cmp.Diff(nestedDocument, flat(text)); diff != "" {
		t.Error(diff)
	}
	got := read(t, m, text)
	if diff := cmp.Diff(nestedInvoice().Items, got.Invoice.Items); diff != "" || got.Edition != deeply {
		t.Errorf("%s\n%s", got.Edition, diff)
	}
	if a := got.Account; a.Reported != 1 || a.Leaves[0].Term != "BT-115" || a.Mapped+a.Derived+1 != mappingtest.Leaves(parse(t, text)) {
		t.Errorf("%+v", a)
	}
}

// TestASpecificationHasItsOwnRows ensures that a document of another specification has neither the groups nor the total.
func TestASpecificationHasItsOwnRows(t *testing.T) {
	m := nestedMapping(t)
	text, unwritten := writeEdition(t, m, nestedInvoice(), "urn:other")
	want := []Unwritten{{Field: "roundingAmount"}, {Field: "items[0].subItems"}}
	if diff := cmp.Diff(want, unwritten); diff != "" || strings.Contains(text, "Sub") || !strings.Contains(text, "<x:Due>1</x:Due>") {
		t.Errorf("%s\n%s", diff, text)
	}
	for _, c := range []struct {
		document, edition string
		reported          int
	}{
		{strings.Replace(nestedDocument, "urn:spec", " urn:spec\n", 1), deeply, 1},
		{strings.Replace(nestedDocument, "urn:spec", "urn:other", 1), flatly, 6},
		{strings.Replace(nestedDocument, "<x:Spec>urn:spec</x:Spec>", "", 1), flatly, 6},
	} {
		got := read(t, m, c.document)
		if got.Edition != c.edition || got.Account.Reported != c.reported {
			t.Errorf("%s: %s, %+v", c.document, got.Edition, got.Account)
		}
	}
}

// TestUnwrittenMembersWithinTheirLike ensures that what has no place in a line has none in a line within it, and is listed once.
func TestUnwrittenMembersWithinTheirLike(t *testing.T) {
	m := nestedMapping(t)
	inv := &invoice.Invoice{Items: []invoice.Item{{SubItems: []invoice.Item{{GTIN: "1"}, {Note: "n", SubItems: []invoice.Item{{GTIN: "2", OriginCountry: "DE"}}}}}, {GTIN: "3"}}}
	_, got := writeEdition(t, m, inv, "urn:spec")
	want := []Unwritten{{Field: "items[0].subItems[0].gtin", More: 2}, {Field: "items[0].subItems[1].note"}, {Field: "items[0].subItems[1].subItems[0].originCountry"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPlacesWithinTheirLike has the place of a node, and that of a term as seen from it.
func TestPlacesWithinTheirLike(t *testing.T) {
	m := nestedMapping(t)
	doc := parse(t, nestedDocument)
	l := m.NewLocator(doc)
	const second, deep = "items[0].subItems[1]", "items[0].subItems[1].subItems[0]"
	for _, c := range []struct{ path, field, term, near string }{
		{"/Bill/x:Row[1]/x:Sub[1]", "items[0].subItems[0]", "BT-126", "items[0].subItems[0].lineId"},
		{"/Bill/x:Row[1]/x:Sub[1]/x:Trait/x:Name", "items[0].subItems[0].attributes[0].name", "BT-153", "items[0].subItems[0].description"},
		{"/Bill/x:Row[1]/x:Sub[2]/x:No", second + ".lineId", "BT-160", second + ".attributes"},
		{"/Bill/x:Row[1]/x:Sub[2]/x:Sub", deep, "BG-25", deep},
		{"/Bill/x:Row[1]/x:Sub[2]/x:Sub/x:Name", deep + ".description", "BG-X", deep},
		{"/Bill/x:Row[1]/x:Sub[2]/x:Sub/x:Name/@lang", deep + ".originCountry", "BT-153-1", deep + ".originCountry"},
		{"/Bill/x:Row[1]/x:Sub[2]/x:Sub/x:Name", deep + ".description", "BT-115", "total"},
		{"/Bill/x:Row[1]/x:No", "items[0].lineId", "BG-X", "items[0].subItems"},
		{"/Bill/x:Row[2]", "items[1]", "BT-126", "items[1].lineId"},
		{"/Bill", "", "BG-X", "items"},
	} {
		at := xmltree.None
		for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
			if doc.Path(n) == c.path {
				at = n
			}
		}
		if at == xmltree.None {
			t.Fatal("no node", c.path)
		}
		if got := l.Locate(at).Field; got != c.field {
			t.Errorf("%s is located at %q, want %q", c.path, got, c.field)
		}
		if seen, ok := l.Nearest(c.term, at); !ok || seen.Field != c.near {
			t.Errorf("%s from %s: %+v, want %q", c.term, c.path, seen, c.near)
		}
	}
	if uses := m.Uses("BG-X"); len(uses) != 1 || uses[0] != (Use{Term: "BG-X", Field: "items[].subItems[]", Path: "/Bill/x:Row/x:Sub", Cardinality: "0..n"}) {
		t.Errorf("%+v", uses)
	}
}

// TestReadingBoundsGroupsWithinTheirLike has the deepest level that is read, and counts lines at every level.
func TestReadingBoundsGroupsWithinTheirLike(t *testing.T) {
	m := nestedMapping(t)
	within := func(levels int) string {
		return `<Bill xmlns="urn:bill" xmlns:x="urn:x"><x:Spec>urn:spec</x:Spec><x:Row>` + strings.Repeat("<x:Sub>", levels) + "<x:No>a</x:No>" +
			strings.Repeat("</x:Sub>", levels) + "</x:Row></Bill>"
	}
	if got := read(t, m, within(NestLimit)); got.Account.Reported != 0 || depth(got.Invoice.Items) != NestLimit {
		t.Errorf("depth %d, %+v", depth(got.Invoice.Items), got.Account)
	}
	if got := read(t, m, within(NestLimit+1)); got.Account.Reported != 1 || got.Account.Leaves[0].Reason != tooDeep || len(got.Invoice.Items) != 0 {
		t.Errorf("%+v %+v", got.Invoice.Items, got.Account)
	}
	lines := func(n int) *xmltree.Document {
		return parse(t, `<Bill xmlns="urn:bill" xmlns:x="urn:x"><x:Spec>urn:spec</x:Spec><x:Row>`+strings.Repeat("<x:Sub><x:No>1</x:No></x:Sub>", n-1)+"</x:Row></Bill>")
	}
	if got, err := m.Read(t.Context(), lines(lineLimit)); err != nil || len(got.Invoice.Items[0].SubItems) != lineLimit-1 {
		t.Error(err)
	}
	if _, err := m.Read(t.Context(), lines(lineLimit+1)); !errors.Is(err, ErrTooManyLines) {
		t.Errorf("error %v", err)
	}
}

// depth is how many levels of lines stand below some.
func depth(items []invoice.Item) (levels int) {
	for i := range items {
		if inner := items[i].SubItems; len(inner) > 0 {
			levels = max(levels, 1+depth(inner))
		}
	}
	return levels
}

// TestAnyTreeOfLinesComesBack draws lines within lines.
func TestAnyTreeOfLinesComesBack(t *testing.T) {
	m := nestedMapping(t)
	rapid.Check(t, func(t *rapid.T) {
		inv := &invoice.Invoice{Items: drawLines(t, 4)}
		text, unwritten := writeEdition(t, m, inv, "urn:spec")
		got := read(t, m, text)
		if diff := cmp.Diff(inv, got.Invoice); diff != "" || len(unwritten) > 0 || got.Account.Reported > 0 {
			t.Fatalf("%v %+v\n%s\n%s", unwritten, got.Account, text, diff)
		}
	})
}

func drawLines(t *rapid.T, levels int) []invoice.Item {
	var items []invoice.Item
	for range rapid.IntRange(0, levels).Draw(t, "lines") {
		it := invoice.Item{LineID: fmt.Sprint(rapid.IntRange(1, 9).Draw(t, "id")), SubItems: drawLines(t, levels-1)}
		if rapid.Bool().Draw(t, "described") {
			it.Description, it.Attributes = "d", []invoice.Attribute{{Name: "n"}}
		}
		items = append(items, it)
	}
	return items
}

func TestCompileRefusesGroupsThatAreNotTheirLike(t *testing.T) {
	again := func(field, path string) testRow { return testRow{Field: field, Card: Many, Path: path, Again: true} }
	items := func(rows ...testRow) []testRow {
		return []testRow{{Field: "items[]", Card: Many, Path: "x:Row", Rows: rows}}
	}
	with := again("subItems[]", "x:Sub")
	with.Rows = []testRow{{Field: "note", Path: "x:No"}}
	for name, c := range map[string]struct {
		rows []testRow
		want string
	}{
		"outside a group":        {[]testRow{again("items[]", "x:Row")}, errNotAgain.Error()},
		"another struct":         {items(again("allowances[]", "x:Less")), errNotAgain.Error()},
		"below another element":  {items(again("subItems[]", "x:Subs/x:Sub")), errNotAgain.Error()},
		"rows of its own":        {items(with), errNotAgain.Error()},
		"no list":                {items(testRow{Field: "servicePeriod", Path: "x:Sub", Again: true}), errNotAgain.Error()},
		"an unknown list":        {items(again("lines[]", "x:Sub")), `has no member "lines"`},
		"an element in use":      {items(testRow{Field: "note", Path: "x:Sub"}, again("subItems[]", "x:Sub")), errTaken.Error()},
		"an edition's own twice": {[]testRow{{Field: "notes", Path: "x:A", In: deeply}, {Field: "currency", Path: "x:A", In: deeply}}, errTaken.Error()},
		"the other's instead":    {[]testRow{{Field: "notes", Path: "x:A", In: deeply}, {Field: "currency", Path: "x:A"}}, errTaken.Error()},
	} {
		_, err := Compile(&Table[invoice.Invoice]{Namespaces: nestedTable.Namespaces, Elements: nestedTable.Elements, Editions: nestedTable.Editions, Rows: c.rows})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
