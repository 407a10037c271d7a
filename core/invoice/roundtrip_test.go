package invoice

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// encoded writes an invoice as JSON.
func encoded(t rapid.TB, inv *Invoice) []byte {
	t.Helper()
	text, err := jsonv2.Marshal(inv)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return text
}

// checkRoundTrip fails unless the invoice comes back from its JSON, numbers with their scale.
func checkRoundTrip(t rapid.TB, inv *Invoice) {
	t.Helper()
	text := encoded(t, inv)
	again, findings, err := DecodeInvoice(text, Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, f := range findings {
		if f.Code != finding.MissingField {
			t.Fatalf("%s: %+v", text, f)
		}
	}
	if diff := cmp.Diff(inv, again); diff != "" {
		t.Fatal(diff)
	}
	if second := encoded(t, again); string(second) != string(text) {
		t.Fatalf("%s\nis written again as\n%s", text, second)
	}
}

// fill draws a value of a shape; lines says how many levels of invoice lines it may have.
func fill(t *rapid.T, s *shape, v reflect.Value, lines int) {
	if s.pointer {
		v.Set(reflect.New(s.typ))
		v = v.Elem()
	}
	switch s.kind {
	case objectKind:
		for at, f := range s.object.fields {
			if f.proper == at && rapid.IntRange(0, 3).Draw(t, f.name) == 0 {
				fill(t, f.shape, v.Field(f.index), lines)
			}
		}
	case listKind:
		if s.lines {
			lines--
		}
		n := 0
		if lines >= 0 {
			n = rapid.IntRange(0, 2).Draw(t, "entries")
		}
		v.Set(reflect.MakeSlice(s.typ, n, n))
		for i := range n {
			fill(t, s.elem, v.Index(i), lines)
		}
	case decimalKind:
		v.Set(reflect.ValueOf(decimal.New(rapid.Int64().Draw(t, "coefficient"), rapid.IntRange(0, 25).Draw(t, "scale"))))
	case intKind:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case boolKind:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case nationalKind:
		texts := rapid.SliceOfN(rapid.StringMatching(`[ -~]{1,12}`), 1, 3)
		v.Set(reflect.ValueOf(National(rapid.MapOfN(rapid.StringMatching(`[A-Z][a-z]{1,4}(\[[2-9]\])?/[A-Z_]{1,6}`), texts, 1, 3).Draw(t, "national"))))
	default:
		v.SetString(drawText(t, s))
	}
}

func drawText(t *rapid.T, s *shape) string {
	switch s.kind {
	case enumKind:
		return rapid.SampledFrom(s.words).Draw(t, "word")
	case dateKind:
		return time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "second"), 0).UTC().Format(time.DateOnly)
	case base64Kind:
		return base64.StdEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes"))
	}
	return rapid.OneOf(
		rapid.SampledFrom([]string{" ", "\"\\/", "\t\r\n", "ä€😀\u2028", "]]>&<", "\u202Ertl", "\u007F\uFFFD"}),
		rapid.StringMatching(`[ -~]{1,12}`),
	).Draw(t, "text")
}

func TestEveryInvoiceComesBackFromItsJSON(t *testing.T) {
	plan := invoiceDecoder().plan
	rapid.Check(t, func(t *rapid.T) {
		inv := new(Invoice)
		fill(t, plan, reflect.ValueOf(inv).Elem(), 3)
		checkRoundTrip(t, inv)
	})
}

// example gives JSON text for a leaf and what it is in Go.
func example(s *shape) (text string, value any) {
	switch s.kind {
	case enumKind:
		return `"` + s.words[0] + `"`, reflect.ValueOf(s.words[0]).Convert(s.typ).Interface()
	case dateKind:
		return `"2024-02-29"`, Date("2024-02-29")
	case base64Kind:
		return `"QUI="`, Base64("QUI=")
	case decimalKind:
		return `0.10`, decimal.New(10, 2)
	case intKind:
		return `0`, 0
	case boolKind:
		return `false`, false
	}
	return `"text"`, "text"
}

// leafText gives an invoice in JSON that has nothing but the leaf at a path of LeafPaths.
func leafText(path, value string) []byte {
	steps := strings.Split(path, ".")
	slices.Reverse(steps)
	for _, step := range steps {
		name, list := strings.CutSuffix(step, "[]")
		if list {
			value = "[" + value + "]"
		}
		value = `{"` + name + `":` + value + `}`
	}
	return []byte(value)
}

// leafShape finds the shape of a leaf.
func leafShape(path string) *shape {
	s := invoiceDecoder().plan
	for _, step := range strings.Split(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		s = s.object.fields[s.object.byName[name]].shape
		if list {
			s = s.elem
		}
	}
	return s
}

func TestEveryLeafIsReadAndFoundAgain(t *testing.T) {
	paths := LeafPaths()
	for _, path := range paths {
		text, want := example(leafShape(path))
		inv, _, err := DecodeInvoice(leafText(path, text), Options{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		got := map[string]any{}
		for leaf, value := range Leaves(inv) {
			got[leaf] = value
		}
		if diff := cmp.Diff(map[string]any{strings.ReplaceAll(path, "[]", "[0]"): want}, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if again := encoded(t, inv); string(again) != string(leafText(path, text)) {
			t.Errorf("%s is written as %s", leafText(path, text), again)
		}
	}
	if n := len(paths); n < 450 {
		t.Errorf("only %d leaves", n)
	}
	seen := map[string]bool{}
	for _, path := range paths {
		if seen[path] {
			t.Errorf("%s is listed twice", path)
		}
		seen[path] = true
	}
	for _, path := range []string{"invoiceNumber", "seller.identifiers[].schemeId", "items[].subItems[].netAmount", "countrySpecific.alternativeSchemes[]", "payee.electronicAddress.id"} {
		if !seen[path] {
			t.Errorf("%s is not listed", path)
		}
	}
	for _, path := range []string{"payee.electronicAddress.value", "items[].subItems[].subItems[].unit"} {
		if seen[path] {
			t.Errorf("%s is listed", path)
		}
	}
}

func TestLeavesEndWhenTheCallerStops(t *testing.T) {
	inv := decoded(t, with(`"notes":"n","noteEntries":[{"text":"a"}]`))
	n := 0
	for range Leaves(inv) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d", n)
	}
}

func TestCharactersThatXMLCannotCarryAreRefusedInEveryText(t *testing.T) {
	for _, path := range LeafPaths() {
		s := leafShape(path)
		if s.kind != stringKind {
			continue
		}
		for _, bad := range []string{`\u0000`, `\u001f`, `\uFFFE`, "\uFFFF"} {
			_, findings, err := DecodeInvoice(leafText(path, `"a`+bad+`b"`), Options{})
			want := "INVALID_CHARACTER " + strings.ReplaceAll(path, "[]", "[0]")
			if err != nil || !slices.Contains(brief(findings), want) {
				t.Errorf("%s with %s: %v %v", path, bad, brief(findings), err)
			}
		}
	}
}

func TestCharactersThatXMLCarriesAreKept(t *testing.T) {
	text := "tab\t lf\n cr\r del\u007f c1\u0085 ]]> <![CDATA[ \u200f\u202e 😀 \ufffd \ufdd0"
	inv := &Invoice{Notes: text}
	checkRoundTrip(t, inv)
	if diff := cmp.Diff(text, decoded(t, with(fmt.Sprintf(`"notes":%s`, encodedString(text)))).Notes); diff != "" {
		t.Error(diff)
	}
}

func encodedString(s string) string {
	b, err := jsonv2.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestMissingAgreesWithDecode(t *testing.T) {
	plan := invoiceDecoder().plan
	rapid.Check(t, func(t *rapid.T) {
		inv := new(Invoice)
		fill(t, plan, reflect.ValueOf(inv).Elem(), 2)
		calculate := rapid.Bool().Draw(t, "calculate")
		_, want, err := DecodeInvoice(encoded(t, inv), Options{Calculate: calculate})
		if err != nil {
			t.Fatal(err)
		}
		got := Missing(inv, calculate)
		byField := func(a, b finding.Finding) int { return strings.Compare(a.Field, b.Field) }
		slices.SortFunc(want, byField)
		slices.SortFunc(got, byField)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
