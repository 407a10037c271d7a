package invoice

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/finding"
)

// scan gives what a Scanner says about a text that comes in parts of the given size.
func scan(text []byte, limits Limits, part int) *Scanner {
	s := NewScanner(limits)
	for len(text) > 0 {
		n := min(part, len(text))
		s.Write(text[:n])
		text = text[n:]
	}
	return s
}

func TestScannerCountsLines(t *testing.T) {
	cases := []struct {
		name, text string
		want       Counts
	}{
		{"no items", `{"invoice":{}}`, Counts{}},
		{"empty items", `{"invoice":{"items":[]}}`, Counts{}},
		{"items of the body's invoice", `{"invoice":{"items":[{},{},{}]}}`, Counts{Items: 3, Lines: 3}},
		{"items of a bare invoice", `{"items":[{},{}]}`, Counts{Items: 2, Lines: 2}},
		{"the member invoice wins", `{"items":[{},{}],"invoice":{"items":[{}]}}`, Counts{Items: 1, Lines: 1}},
		{"entries that are no objects", `{"items":[1,"a",null,[2,3],{}, true ]}`, Counts{Items: 6, Lines: 6}},
		{"sub-items", `{"items":[{"subItems":[{},{"subItems":[{}]}]},{"subItems":[]}]}`, Counts{Items: 2, Lines: 5, SubItemDepth: 2}},
		{"white space", " {\r\n\t\"items\" : [ { } , { } ] } ", Counts{Items: 2, Lines: 2}},
		{"members around", `{"a":{"items":[1,2]},"items":[{"attributes":[{},{}],"x":[[{"subItems":[1]}]]}],"b":[{"items":[1]}]}`, Counts{Items: 1, Lines: 1}},
		{"names in strings", `{"notes":"\"items\":[1,2,3]","items":[{"note":"},{\\\"subItems\\\":["}]}`, Counts{Items: 1, Lines: 1}},
		{"items is no array", `{"items":{"items":[1,2]}}`, Counts{}},
		{"invoice is no object", `{"invoice":[{"items":[1]}],"items":[1]}`, Counts{Items: 1, Lines: 1}},
		{"items within an item", `{"items":[{"items":[1,2,3]}]}`, Counts{Items: 1, Lines: 1}},
		{"other case", `{"Items":[1],"ITEMS":[1]}`, Counts{}},
		{"escaped names", `{"\u0069nvoice":{"it\u0065ms":[{"sub\u0049tems":[{}]}]}}`, Counts{Items: 1, Lines: 2, SubItemDepth: 1}},
		{"escapes that only look like ours", `{"items\u0000":[1],"\u1069tems":[1],"i\tems":[1],"subItemss":[1],"ite\ms":[1]}`, Counts{}},
		{"root is an array", `[{"items":[1,2]}]`, Counts{}},
		{"text that breaks off", `{"items":[{},{"subItems":[{},{`, Counts{Items: 2, Lines: 4, SubItemDepth: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for part := 1; part <= len(c.text); part++ {
				s := scan([]byte(c.text), Limits{}, part)
				if diff := cmp.Diff(c.want, s.Counts()); diff != "" {
					t.Fatalf("in parts of %d bytes: %s", part, diff)
				}
				if s.Refused() || s.Refusal() != nil {
					t.Fatalf("refused: %v", s.Refusal())
				}
			}
		})
	}
}

func TestTooManyLineItemsGivesTheTrueCount(t *testing.T) {
	limits := Limits{MaxItems: 25}
	s := scan([]byte(`{"items":[{}`+strings.Repeat(",{}", 24)), limits, 7)
	if s.Refused() {
		t.Fatal("25 items are allowed")
	}
	s.Write([]byte(`,{}`))
	if !s.Refused() {
		t.Fatal("26 items must be refused at once")
	}
	s.Write([]byte(strings.Repeat(",{}", 974) + `]}`))
	got := s.Refusal()
	if got.Kind != finding.BadRequest || got.Word != "TOO_MANY_LINE_ITEMS" || got.Code != "TOO_MANY_LINE_ITEMS" || got.Field != "items" {
		t.Errorf("refusal %+v", got)
	}
	if diff := cmp.Diff([]finding.Extra{{Name: "lineItems", Value: LineItems{Count: 1000, Limit: 25}}}, got.Extra); diff != "" {
		t.Error(diff)
	}
	extra, _ := json.Marshal(got.Extra[0].Value)
	if string(extra) != `{"count":1000,"limit":25}` || got.Message != "items has 1000 entries; at most 25 are allowed" {
		t.Errorf("%s, %q", extra, got.Message)
	}
}

func TestTooManyInvoiceLinesCountsSubItems(t *testing.T) {
	line := `{"subItems":[{}` + strings.Repeat(",{}", 99) + `]}`
	body := func(items int) []byte {
		return []byte(`{"invoice":{"items":[` + strings.Repeat(line+",", items-1) + line + `]}}`)
	}
	if s := scan(body(247), Limits{}, 4096); s.Refused() || s.Counts().Lines != 247*101 {
		t.Errorf("24,947 lines: %+v", s.Counts())
	}
	s := scan(body(248), Limits{}, 4096)
	got := s.Refusal()
	if got == nil || got.Word != "TOO_MANY_INVOICE_LINES" || got.Kind != finding.BadRequest || len(got.Extra) != 0 || s.Counts().Lines != 248*101 {
		t.Errorf("25,048 lines: %+v %+v", got, s.Counts())
	}
}

func TestSubItemsTooDeep(t *testing.T) {
	if s := scan(nested(100), Limits{}, 1000); s.Refused() || s.Counts().SubItemDepth != 100 {
		t.Errorf("100 levels: %v", s.Refusal())
	}
	for _, levels := range []int{101, 5_000, 1_000_000} {
		s := scan(nested(levels), Limits{}, 1<<16)
		if got := s.Refusal(); got == nil || got.Word != "SUB_ITEMS_TOO_DEEP" || got.Kind != finding.BadRequest {
			t.Errorf("%d levels: %+v", levels, got)
		}
	}
}

func TestCountingGoesOnAfterTooDeepSubItems(t *testing.T) {
	deep := strings.Repeat(`{"subItems":[`, 2000) + `{}` + strings.Repeat(`]}`, 2000)
	s := scan([]byte(`{"items":[`+deep+`,{},{},{}]}`), Limits{MaxItems: 3}, 333)
	if got := s.Refusal(); got == nil || got.Word != "TOO_MANY_LINE_ITEMS" || s.Counts().Items != 4 {
		t.Errorf("%+v %+v", got, s.Counts())
	}
}

func TestDeepJSONIsRefused(t *testing.T) {
	deep := func(levels int) []byte {
		return []byte(`{"x":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`)
	}
	if s := scan(deep(1000), Limits{}, 100); s.Refused() || s.Depth() != 1000 {
		t.Errorf("1,000 levels: %v", s.Refusal())
	}
	for _, levels := range []int{1001, 3_000_000} {
		s := scan(deep(levels), Limits{}, 1<<16)
		if got := s.Refusal(); got == nil || got.Word != "Bad Request" || got.Code != finding.JSONTooDeep || s.Depth() != levels {
			t.Errorf("%d levels: %+v", levels, got)
		}
	}
}

func TestEnvelopeIsTold(t *testing.T) {
	if scan([]byte(`{"items":[]}`), Limits{}, 9).Enveloped() || !scan([]byte(`{"invoice":{}}`), Limits{}, 9).Enveloped() {
		t.Error("an invoice in a body and a bare one are not told apart")
	}
}

// A body of 128 MiB of empty items passes through in constant memory and is counted to its end.
func TestHugeBodyOfEmptyItems(t *testing.T) {
	part := []byte(strings.Repeat("{},", 10_000))
	const parts = 4473 // 128 MiB
	s := NewScanner(Limits{})
	s.Write([]byte(`{"items":[`))
	grown := allocatedBy(func() {
		for range parts {
			s.Write(part)
		}
	})
	if got := s.Counts().Items; got != parts*10_000 {
		t.Errorf("counted %d", got)
	}
	if grown > 1<<20 {
		t.Errorf("allocated %d bytes", grown)
	}
}

func TestScannerDoesNotAllocate(t *testing.T) {
	body, deep := bodyJSON(50), nested(100)
	s := NewScanner(Limits{})
	if allocs := testing.AllocsPerRun(20, func() { s.Write(body); s.Write(deep) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Wherever a text is cut, the counts are those of the whole.
func TestPartsDoNotMatter(t *testing.T) {
	texts := [][]byte{bodyJSON(3), nested(103), []byte(`{"\u0069nv\u006fice":{"x\"\\":"\"\\","items":[{"sub\u0049tems":[1,{"a":"\u00e4\\"}]}]}}`)}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		s := NewScanner(Limits{})
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(0, len(rest)).Draw(t, "n")
			s.Write(rest[:n])
			rest = rest[n:]
			if n == 0 {
				s.Write(rest)
				break
			}
		}
		whole := scan(text, Limits{}, len(text))
		if s.Counts() != whole.Counts() || s.Depth() != whole.Depth() {
			t.Fatalf("%+v depth %d, whole %+v depth %d", s.Counts(), s.Depth(), whole.Counts(), whole.Depth())
		}
	})
}

// countsOf gives what a Scanner must count for an invoice.
func countsOf(items []Item) Counts {
	c := Counts{Items: len(items), Lines: len(items)}
	for i := range items {
		inner := countsOf(items[i].SubItems)
		c.Lines += inner.Lines
		if inner.Items > 0 {
			c.SubItemDepth = max(c.SubItemDepth, inner.SubItemDepth+1)
		}
	}
	return c
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"invoice":{"items":[{},{"subItems":[1]}]}}`), uint8(3))
	f.Add([]byte(`{"items":[{"note":"\\\"},{"}]}`), uint8(1))
	f.Add(nested(102), uint8(200))
	f.Add([]byte(`{"\u0069tems":[[{}]],"x":[{"a":}]`), uint8(2))
	f.Fuzz(func(t *testing.T, text []byte, part uint8) {
		s := scan(text, Limits{}, int(part)+1)
		if whole := scan(text, Limits{}, len(text)+1); whole.Counts() != s.Counts() || whole.Depth() != s.Depth() {
			t.Fatalf("in parts %+v, whole %+v", s.Counts(), whole.Counts())
		}
		inv, findings, err := DecodeInvoice(text, Options{})
		if err != nil || s.Enveloped() || hasCode(findings, finding.DuplicateMember, finding.FindingsOmitted) {
			return
		}
		if want := countsOf(inv.Items); want != s.Counts() {
			t.Fatalf("%q: scanned %+v, decoded %+v", text, s.Counts(), want)
		}
	})
}

func hasCode(findings []finding.Finding, codes ...string) bool {
	for _, f := range findings {
		for _, code := range codes {
			if f.Code == code {
				return true
			}
		}
	}
	return false
}
