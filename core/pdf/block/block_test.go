package block_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

var update = flag.Bool("update", false, "write the goldens anew")

// library is shared by the tests, as by the documents of a service.
var library = typeface.NewLibrary(nil)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func input(t testing.TB, data []byte) block.Input {
	t.Helper()
	v, err := block.ParseValue(data)
	if err != nil {
		t.Fatal(err)
	}
	return block.Input{Data: v, Library: library, Language: "de", Currency: "EUR", Title: "Rechnung", Author: "Weserhandel GmbH",
		Created: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}
}

func render(t testing.TB, template, data []byte) *block.Output {
	t.Helper()
	parsed, err := block.Parse(template)
	if err != nil {
		t.Fatal(err)
	}
	out, err := parsed.Render(t.Context(), input(t, data))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// inspected renders and holds the file against the rules for its structure.
func inspected(t testing.TB, template, data []byte) *inspect.Report {
	t.Helper()
	report, err := inspect.Inspect(t.Context(), render(t, template, data).PDF)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range report.Faults {
		t.Error(fault)
	}
	return report
}

// with makes a template of these blocks on a page with room for few lines.
func with(blocks string) []byte {
	return []byte(`{"version":"1.0.0","name":"Test","page":{"size":"A5","margins":{"top":40,"right":40,"bottom":40,"left":40},
		"colorScheme":{"accent":"#0b5c7a"},"fontSizes":{"big":18}},"styles":{"title":{"fontSize":{"token":"big"},"bold":true,"color":"accent"}},
		"body":{"blocks":[` + blocks + `]}}`)
}

func TestRender_TextInTheOrderOfTheStructureIsThatOfTheGolden(t *testing.T) {
	t.Parallel()
	report := inspected(t, read(t, "invoice.json"), read(t, "data.json"))
	if *update {
		if err := os.WriteFile("testdata/invoice.txt", []byte(report.Text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(string(read(t, "invoice.txt")), "\n"), strings.Split(report.Text+"\n", "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestRender_SameInputGivesSameBytes(t *testing.T) {
	t.Parallel()
	first := render(t, read(t, "invoice.json"), read(t, "data.json")).PDF
	for range 3 {
		if !bytes.Equal(first, render(t, read(t, "invoice.json"), read(t, "data.json")).PDF) {
			t.Fatal("other bytes")
		}
	}
}

func TestRender_EveryBlockInOneDocument(t *testing.T) {
	t.Parallel()
	report := inspected(t, read(t, "blocks.json"), read(t, "data.json"))
	if want := []string{"A red rectangle", "Image", "Image", "QR"}; !slices.Equal(report.Alts, want) || report.Pages != 2 || !strings.Contains(report.Text, "19\u00a0%\nEUR\u00a0950.380") {
		t.Errorf("%q on %d pages", report.Alts, report.Pages)
	}
}

// long is data with so many items.
func long(t testing.TB, n int) []byte {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal(read(t, "data.json"), &data); err != nil {
		t.Fatal(err)
	}
	var items []any
	for i := range n {
		items = append(items, map[string]any{"description": fmt.Sprintf("Leistung %d nach Angebot", i+1), "quantity": i % 7, "unit": "Stk",
			"unitPrice": json.Number("1234.50"), "taxRate": 19, "netAmount": json.Number("1234.50")})
	}
	data["items"] = items
	out, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRender_LongTableRepeatsItsHeaderAndCountsPages(t *testing.T) {
	t.Parallel()
	report := inspected(t, read(t, "invoice.json"), long(t, 200))
	if report.Pages < 5 {
		t.Errorf("%d pages", report.Pages)
	}
	if n := strings.Count(report.Text, "Beschreibung"); n != 1 {
		t.Errorf("the header of the table is content %d times", n)
	}
	if want := fmt.Sprintf("Seite %d von %[1]d", report.Pages); !strings.HasSuffix(report.Text, want) {
		t.Errorf("the text does not end in %q", want)
	}
	at := -1
	for i := range 200 {
		next := strings.Index(report.Text, fmt.Sprintf("\nLeistung %d nach", i+1))
		if next <= at {
			t.Fatalf("row %d is missing or out of order", i+1)
		}
		at = next
	}
}

func TestRender_ScriptsAreReadBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Äußerst grüne Straße, naïve façade, Łódź, Şişli, Țară, ffi fl", "Τιμολόγιο Ωμέγα ΐ ῷ", "Счёт-фактура № 7, щъыьэюя", "適格請求書 消費税額 ¥1,000 カタカナ",
		"فاتورة ضريبية لا إله الله", "€ £ ¥ – — … „“ ‚‘ « » • · × ÷ ± ≤ ≥",
	} {
		blocks, err := json.Marshal(map[string]any{"type": "text", "data": map[string]any{"content": text}})
		if err != nil {
			t.Fatal(err)
		}
		if got := inspected(t, with(string(blocks)), []byte(`{}`)).Text; visual(got) != visual(text) {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// visual brings text to a form that does not depend on the direction of its words: the letters of it, sorted.
func visual(text string) string {
	runes := []rune(text)
	slices.Sort(runes)
	return string(runes)
}

func TestRender_NamesCharactersThatNoFaceHas(t *testing.T) {
	t.Parallel()
	out := render(t, with(`{"type":"text","data":{"content":"a𓀀b✈c𓀀"}}`), []byte(`{}`))
	if got := string(out.Missing); got != "𓀀✈" {
		t.Errorf("%q", got)
	}
}

func TestRender_Blocks(t *testing.T) {
	t.Parallel()
	data := []byte(`{"a":"A","n":1234.5,"empty":"","zero":0,"list":[{"k":"x","v":10},{"k":"y","v":2.5}],"none":[],"yes":true,"no":false,"date":"2026-03-09"}`)
	for name, c := range map[string]struct{ blocks, want string }{
		"placeholders":         {`{"type":"text","data":{"content":"{{a}}-{{ n }}-{{empty?}}-{{list[1].k}}"}}`, "A-1234.5--y"},
		"formats":              {`{"type":"text","data":{"content":"{{n:currency}} {{n:number:3}} {{list[0].v:percent}} {{date:date}} {{zero:currency:0}}"}}`, "1.234,50\u00a0€ 1.234,500 10\u00a0% 09.03.2026 0\u00a0€"},
		"condition":            {`{"type":"text","condition":"{{empty}}","data":{"content":"no"}},{"type":"text","condition":"zero","data":{"content":"yes"}},{"type":"text","condition":"{{none}}","data":{"content":"no"}},{"type":"text","condition":"no","data":{"content":"no"}}`, "yes"},
		"hidden by any":        {`{"type":"text","data":{"content":"{{a}} {{empty}}","hideMode":"anyEmpty"}},{"type":"text","data":{"content":"x"}}`, "x"},
		"hidden by all":        {`{"type":"text","data":{"content":"{{empty}} {{gone}}","hideMode":"allEmpty"}},{"type":"text","data":{"content":"{{a}}{{gone}}","hideMode":"allEmpty"}}`, "A"},
		"pairs":                {`{"type":"keyvalue","data":{"items":[{"label":"L","value":"{{a}}"},{"label":"M","value":"{{gone?}}"},{"label":"N","value":"{{gone}}","optionalMode":"optional-visible"},{"label":"O","value":"{{gone}}","optionalMode":"optional-hidden"}]}}`, "L\nA\nN\n"},
		"pairs in a line":      {`{"type":"keyvalue","data":{"layout":"inline","items":[{"label":"L","value":"{{a}}"},{"label":"M","value":"m"}]}}`, "L A   M m"},
		"pairs side by side":   {`{"type":"keyvalue","data":{"layout":"horizontal","items":[{"label":"L","value":"{{a}}"},{"label":"M","value":"m"}]}}`, "L\nA\nM\nm"},
		"table":                {`{"type":"table","data":{"dataSource":"list","columns":[{"field":"position","header":"#","width":20},{"field":"k","header":"K","width":"30%"},{"field":"v","header":"V","width":"*","template":"{{field:currency:1}} of {{a}}"}]}}`, "#\nK\nV\n1\nx\n10,0\u00a0€ of A\n2\ny\n2,5\u00a0€ of A"},
		"details":              {`{"type":"table","data":{"dataSource":"list","showHeader":false,"detailStyle":"title","columns":[{"field":"k","header":"K","width":"*","detail":"{{v?}}{{gone?}}"},{"field":"gone","header":"G","width":"auto","detail":"{{k}}"}]}}`, "x 10\nx\ny 2.5\ny"},
		"table without header": {`{"type":"table","data":{"dataSource":"{{list}}","showHeader":false,"layout":"noBorders","columns":[{"field":"v","header":"V","width":"auto","format":"currency","currencySymbol":"Fr.","locale":"de-CH"}]}}`, "Fr.\u00a010.00\nFr.\u00a02.50"},
		"empty table":          {`{"type":"table","data":{"dataSource":"none","columns":[{"field":"v","header":"V","width":"auto"}]}},{"type":"text","data":{"content":"x"}}`, "x"},
		"summary":              {`{"type":"summary","data":{"headerRows":[{"label":"Net","value":"{{n}}"}],"dynamicRows":{"dataSource":"list","valueField":"v","valueFormat":"number","labelTemplate":"Tax {{k}}"},"footerRows":[{"label":"Total","value":"{{n}}"}],"separatorBeforeFooter":true}}`, "Net\n1.234,50\u00a0€\nTax x\n10\nTax y\n2,5\nTotal\n1.234,50\u00a0€"},
		"columns in columns":   {`{"type":"columns","data":{"columnGap":5,"columns":[{"width":"*","blocks":[{"type":"text","data":{"content":"1"}},{"type":"columns","data":{"columns":[{"width":30,"blocks":[{"type":"text","data":{"content":"2"}}]},{"width":"auto","blocks":[{"type":"text","data":{"content":"3"}}]}]}}]},{"width":"40%","blocks":[{"type":"text","data":{"content":"4"}}]}]}}`, "1\n2\n3\n4"},
		"line and space":       {`{"type":"line","data":{"color":"red","thickness":2,"margin":[0,5]}},{"type":"spacer","data":{"height":20}},{"type":"text","data":{"content":"x"}}`, "x"},
		"headings":             {`{"type":"text","data":{"content":"T","style":"title"}},{"type":"text","data":{"content":"{{a}}","bold":true,"italic":true,"alignment":"justify","lineHeight":1.5}}`, "T\nA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, inspected(t, with(c.blocks), data).Text); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParse_FaultsNameTheMember(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ template, path, message string }{
		{`[]`, "", "must be an object"},
		{`{"version":"1","name":"x","page":{"size":"A4","margins":10},"body":{"blocks":[]}}`, "version", "semantic version"},
		{`{"version":"1.0.0","name":"x","page":{"size":"A6","margins":10},"body":{"blocks":[]}}`, "page.size", "A4, A3, A5, LETTER, LEGAL, CUSTOM"},
		{`{"version":"1.0.0","name":"x","page":{"size":"CUSTOM","margins":10},"body":{"blocks":[]}}`, "page.customWidth", "is required"},
		{`{"version":"1.0.0","name":"x","page":{"size":"A4"},"body":{"blocks":[]}}`, "page.margins", "is required"},
		{`{"version":"1.0.0","name":"x","page":{"size":"A4","margins":{"top":1,"left":1,"right":1}},"body":{"blocks":[]}}`, "page.margins.bottom", "is required"},
		{`{"version":"1.0.0","name":"x","page":{"size":"A5","margins":300},"body":{"blocks":[]}}`, "page.margins", "36 points"},
		{`{"version":"1.0.0","name":"x","page":{"size":"A4","margins":10,"colorScheme":{"a":"#12"}},"body":{"blocks":[]}}`, "page.colorScheme.a", "must be a colour"},
		{`{"version":"1.0.0","name":"x","page":{"size":"A4","margins":10},"header":{},"body":{"blocks":[]}}`, "header.blocks", "is required"},
		{string(with(`{"type":"texts","data":{}}`)), "body.blocks[0].type", "text, spacer, line"},
		{string(with(`{"type":"text"}`)), "body.blocks[0].data", "is required"},
		{string(with(`{"type":"spacer","data":{}},{"type":"text","data":{}}`)), "body.blocks[1].data.content", "is required"},
		{string(with(`{"type":"text","data":{"content":"a","color":{"token":"gone"}}}`)), "body.blocks[0].data.color.token", "colorScheme"},
		{string(with(`{"type":"text","data":{"content":"a","style":"gone"}}`)), "body.blocks[0].data.style", "styles"},
		{string(with(`{"type":"text","data":{"content":"{{a b}}"}}`)), "body.blocks[0].data.content", "no path"},
		{string(with(`{"type":"text","data":{"content":"{{a:money}}"}}`)), "body.blocks[0].data.content", "currency, percent, number, date"},
		{string(with(`{"type":"text","data":{"content":"{{a"}}`)), "body.blocks[0].data.content", "without the }}"},
		{string(with(`{"type":"text","condition":"a = b","data":{"content":"a"}}`)), "body.blocks[0].condition", "one placeholder"},
		{string(with(`{"type":"text","data":{"content":"a","margin":[1,2,3]}}`)), "body.blocks[0].data.margin", "[horizontal, vertical]"},
		{string(with(`{"type":"table","data":{"dataSource":"items","columns":[{"field":"a","header":"A"}]}}`)), "body.blocks[0].data.columns[0].width", "is required"},
		{string(with(`{"type":"table","data":{"dataSource":"items","columns":[{"field":"a","header":"A","width":"30em"}]}}`)), "body.blocks[0].data.columns[0].width", "percentage"},
		{string(with(`{"type":"columns","data":{"columns":[{"width":10,"blocks":[{"type":"image","data":{"src":"a","fit":"wide"}}]}]}}`)), "body.blocks[0].data.columns[0].blocks[0].data.fit", "contain, cover"},
		{string(with(`{"type":"qrcode","data":{"content":"a","eccLevel":"X"}}`)), "body.blocks[0].data.eccLevel", "L, Q, H"},
		{string(with(`{"type":"summary","data":{"dynamicRows":{"dataSource":"a"}}}`)), "body.blocks[0].data.dynamicRows.valueField", "is required"},
		{string(with(`{"type":"keyvalue","data":{"items":[{"label":"a"}]}}`)), "body.blocks[0].data.items[0].value", "is required"},
	} {
		_, err := block.Parse([]byte(c.template))
		var faults block.Faults
		if !errors.As(err, &faults) || faults[0].Path != c.path || !strings.Contains(faults[0].Message, c.message) {
			t.Errorf("%s\n%v", c.template, err)
		}
	}
}

func TestParse_TellsMembersThatMeanNothing(t *testing.T) {
	t.Parallel()
	parsed, err := block.Parse(with(`{"type":"text","data":{"content":"a","colour":"red"},"when":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"body.blocks[0].data.colour", "body.blocks[0].when"}, parsed.Unknown()); diff != "" {
		t.Error(diff)
	}
}

func TestRender_FaultsNameTheMember(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ blocks, path, message string }{
		{`{"type":"text","data":{"content":"{{gone}}"}}`, "body.blocks[0].data.content", "{{gone?}}"},
		{`{"type":"text","data":{"content":"{{list}}"}}`, "body.blocks[0].data.content", "an array"},
		{`{"type":"table","data":{"dataSource":"a","columns":[{"field":"v","header":"V","width":"auto"}]}}`, "body.blocks[0].data.dataSource", "no array"},
		{`{"type":"table","data":{"dataSource":"list","columns":[{"field":"v","header":"V","width":"auto","template":"{{gone}}"}]}}`, "body.blocks[0].data.columns[0].template", "{{gone?}}"},
		{`{"type":"keyvalue","data":{"items":[{"label":"a","value":"{{gone?}}","optionalMode":"required"}]}}`, "body.blocks[0].data.items[0].value", "required"},
		{`{"type":"image","data":{"src":"http://example.org/a.png"}}`, "body.blocks[0].data.src", "data URI"},
		{`{"type":"image","data":{"src":"https://example.org/a.png"}}`, "body.blocks[0].data.src", "not fetched here"},
		{`{"type":"image","data":{"src":"data:image/svg+xml;base64,PHN2Zy8+"}}`, "body.blocks[0].data.src", "neither a PNG nor a JPEG"},
		{`{"type":"image","data":{"src":"data:image/png;base64,iVBORw0KGgo="}}`, "body.blocks[0].data.src", "damaged"},
		{`{"type":"qrcode","data":{"content":"` + strings.Repeat("a", 3000) + `"}}`, "body.blocks[0].data.content", "QR code"},
	} {
		parsed, err := block.Parse(with(c.blocks))
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Render(t.Context(), input(t, []byte(`{"a":"A","list":[{"v":1}]}`)))
		var faults block.Faults
		if !errors.As(err, &faults) || faults[0].Path != c.path || !strings.Contains(faults[0].Message, c.message) {
			t.Errorf("%s\n%v", c.blocks, err)
		}
	}
}

func TestRender_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	parsed, err := block.Parse(read(t, "invoice.json"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := parsed.Render(ctx, input(t, long(t, 5000))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRender_PlacesWhatNoPageHasRoomFor(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("Donaudampfschifffahrt", 40)
	for name, blocks := range map[string]string{
		"a word wider than the page": `{"type":"text","data":{"content":"` + word + `"}}`,
		"a row higher than the page": `{"type":"table","data":{"dataSource":"list","columns":[{"field":"v","header":"V","width":30}]}}`,
		"columns longer than a page": `{"type":"columns","data":{"columns":[{"width":40,"blocks":[{"type":"text","data":{"content":"` + word + `"}}]},{"width":"*","blocks":[{"type":"text","data":{"content":"b"}}]}]}}`,
		"type higher than the page":  `{"type":"text","data":{"content":"ab","fontSize":400,"lineHeight":10}}`,
		"a spacer above the page":    `{"type":"spacer","data":{"height":5000}},{"type":"text","data":{"content":"a"}}`,
		"cells with wide padding":    `{"type":"table","data":{"dataSource":"list","cellPadding":50,"columns":[{"field":"v","header":"","width":30}]}}`,
		"a sum longer than a page":   `{"type":"summary","data":{"dynamicRows":{"dataSource":"many","valueField":"v"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			many := strings.Repeat(`{"v":1},`, 200)
			inspected(t, with(blocks), []byte(`{"list":[{"v":"`+word+`"}],"many":[`+strings.TrimSuffix(many, ",")+`]}`))
		})
	}
}

func FuzzRender(f *testing.F) {
	f.Add(read(f, "invoice.json"), read(f, "data.json"))
	f.Add(with(`{"type":"table","data":{"dataSource":"list","columns":[{"field":"v","header":"V","width":"auto"}]}}`), []byte(`{"list":[{"v":"\u202eא\u0301ل"}]}`))
	f.Fuzz(func(t *testing.T, template, data []byte) {
		if len(template)+len(data) > 20_000 {
			return // large inputs take time and find nothing more
		}
		parsed, err := block.Parse(template)
		if err != nil {
			return
		}
		v, err := block.ParseValue(data)
		if err != nil {
			return
		}
		in := input(t, []byte(`{}`))
		in.Data = v
		out, err := parsed.Render(t.Context(), in)
		if err != nil {
			return
		}
		report, err := inspect.Inspect(t.Context(), out.PDF)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Faults) > 0 {
			t.Fatal(report.Faults)
		}
	})
}

func BenchmarkRender_OnePage(b *testing.B) { benchmark(b, read(b, "data.json")) }

func BenchmarkRender_5000Lines(b *testing.B) { benchmark(b, long(b, 5000)) }

func benchmark(b *testing.B, data []byte) {
	b.ReportAllocs()
	for b.Loop() {
		render(b, read(b, "invoice.json"), data)
	}
}
