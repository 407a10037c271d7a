package inspect_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// file draws one word and lets change do what a writer should not.
func file(about pdf.About, change func(d *pdf.Document, p *pdf.Page)) []byte {
	d := pdf.New(about, typeface.NewLibrary(nil))
	p := d.AddPage(200, 200)
	line := d.Text.Set(text.Span{Text: "word", Style: text.Style{Size: 10}}).Lines(100)[0]
	p.In(d.Root().New(pdf.RoleParagraph), func() { p.Line(&line, 10, 20, 0) })
	change(d, p)
	return d.Bytes()
}

func TestInspect_TellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	about := pdf.About{Title: "Title", Language: "en"}
	nothing := func(*pdf.Document, *pdf.Page) {}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":               {file(about, nothing), ""},
		"no language":           {file(pdf.About{Title: "Title"}, nothing), "has no language"},
		"a header":              {bytes.Replace(file(about, nothing), []byte("%PDF-1.7"), []byte("%PDF-1.4"), 1), "%PDF-1.7"},
		"a figure without text": {file(about, func(d *pdf.Document, p *pdf.Page) { p.In(d.Root().New(pdf.RoleFigure), func() {}) }), "no alternative text"},
		"a header without scope": {file(about, func(d *pdf.Document, p *pdf.Page) {
			p.In(d.Root().New(pdf.RoleTable).New(pdf.RoleRow).New(pdf.RoleHeader), func() {})
		}), "no scope"},
		"a cell in the wrong place": {file(about, func(d *pdf.Document, p *pdf.Page) { p.In(d.Root().New(pdf.RoleCell), func() {}) }), "TD within Document"},
		"a heading too deep":        {file(about, func(d *pdf.Document, p *pdf.Page) { p.In(d.Root().New(pdf.RoleHeading2), func() {}) }), "the heading H2"},
		"something untagged":        {file(about, func(_ *pdf.Document, p *pdf.Page) { p.Rectangle(1, 1, 1, 1, pdf.Color{}) }), "outside of marked content"},
		"something behind the end":  {append(file(about, nothing), "more"...), "follows the end"},
	} {
		report, err := inspect.Inspect(t.Context(), c.data)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" && (len(report.Faults) > 0 || report.Text != "word") {
			t.Errorf("%s: %q %q", name, report.Faults, report.Text)
		}
		if c.want != "" && !slices.ContainsFunc(report.Faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%s: %q", name, report.Faults)
		}
	}
	if _, err := inspect.Inspect(t.Context(), []byte("no PDF")); err == nil {
		t.Error("what is no PDF is inspected")
	}
}
