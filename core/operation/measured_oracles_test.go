//go:build oracles

package operation

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/einvoiced/einvoiced/core/country"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// The margins of the templates of the countries, in points.
const (
	leftMargin, rightMargin, topMargin, bottomMargin = 62.0, 51.0, 45.0, 34.0
)

// word is a word as poppler finds it on a page, in points from the top left.
type word struct {
	XMin float64 `xml:"xMin,attr"`
	YMin float64 `xml:"yMin,attr"`
	XMax float64 `xml:"xMax,attr"`
	YMax float64 `xml:"yMax,attr"`
	Text string  `xml:",chardata"`
}

type measuredPage struct {
	Width  float64 `xml:"width,attr"`
	Height float64 `xml:"height,attr"`
	Words  []word  `xml:"word"`
}

// measured are the pages of a PDF as poppler sees them.
func measured(t *testing.T, data []byte) []measuredPage {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "pdftotext", "-bbox", path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Pages []measuredPage `xml:"body>doc>page"`
	}
	if err := xml.Unmarshal(out, &found); err != nil || len(found.Pages) == 0 {
		t.Fatalf("%v: %.300s", err, out)
	}
	return found.Pages
}

// overlap tells whether two words stand in each other: by more than half a point beside, and a quarter of the height; half of it where one is Arabic,
// whose typeface says that it is half as high again as its letters are.
func overlap(a, b word) bool {
	part := 0.25
	if strings.ContainsFunc(a.Text+b.Text, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		part = 0.5
	}
	wide, high := min(a.XMax, b.XMax)-max(a.XMin, b.XMin), min(a.YMax, b.YMax)-max(a.YMin, b.YMin)
	return wide > 0.5 && high > part*min(a.YMax-a.YMin, b.YMax-b.YMin)
}

// The payment part of a Swiss QR-bill stands at the end of a page, with margins of its own, below a note where to tear it off (Swiss
// Implementation Guidelines QR-bill, Style Guide): points.
const (
	slipHeight = 105 * 72 / 25.4
	slipMargin = 5 * 72 / 25.4
	noteAbove  = 12.0
)

// slip is where a payment part begins; the end of the page where it has none.
func (p *measuredPage) slip() float64 {
	top := p.Height - slipHeight
	if slices.ContainsFunc(p.Words, func(w word) bool {
		return w.YMin > top && slices.Contains([]string{"Empfangsschein", "Récépissé", "Ricevuta", "Receipt"}, w.Text)
	}) {
		return top
	}
	return p.Height + noteAbove
}

// faults of a page: words that overlap, that leave the margins, or that no typeface has.
func (p *measuredPage) faults() (list []string) {
	slip := p.slip()
	for i, w := range p.Words {
		left, right, bottom := leftMargin, p.Width-rightMargin, p.Height-bottomMargin
		if w.YMin > slip-noteAbove {
			left, right, bottom = slipMargin, p.Width-slipMargin, p.Height-slipMargin
		}
		if w.XMin < left-0.5 || w.XMax > right+0.5 || w.YMin < topMargin-3 || w.YMax > bottom+3 {
			list = append(list, fmt.Sprintf("%q leaves the margins: %.1f..%.1f, %.1f..%.1f", w.Text, w.XMin, w.XMax, w.YMin, w.YMax))
		}
		if strings.ContainsAny(w.Text, "\ufffd□") {
			list = append(list, fmt.Sprintf("%q has a character that no typeface has", w.Text))
		}
		for _, o := range p.Words[i+1:] {
			if overlap(w, o) {
				list = append(list, fmt.Sprintf("%q and %q overlap", w.Text, o.Text))
			}
		}
	}
	return list
}

// run is words beside each other on a line.
type run struct {
	word
}

// runs gathers the words of a page that stand close beside each other.
func (p *measuredPage) runs() (list []run) {
	words := slices.Clone(p.Words)
	slices.SortStableFunc(words, func(a, b word) int {
		if math.Abs(a.YMax-b.YMax) > 1 {
			return cmp.Compare(a.YMax, b.YMax)
		}
		return cmp.Compare(a.XMin, b.XMin)
	})
	for _, w := range words {
		if n := len(list); n > 0 && math.Abs(list[n-1].YMax-w.YMax) <= 1 && w.XMin-list[n-1].XMax < 5 {
			list[n-1].XMax, list[n-1].Text = w.XMax, list[n-1].Text+" "+w.Text
			continue
		}
		list = append(list, run{w})
	}
	return list
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// amountsOf are the digits of the amounts in the last column of the table and in the sums.
func amountsOf(inv *invoice.Invoice) map[string]bool {
	digits := map[string]bool{}
	add := func(amounts ...decimal.Decimal) {
		for _, a := range amounts {
			if a.IsSet() {
				digits[digitsOf(a.Trim().WithMinScale(locale.Places(inv.Currency)).String())] = true
			}
		}
	}
	for _, item := range inv.Items {
		add(item.NetAmount)
	}
	for _, tax := range inv.TaxSummary {
		add(tax.TaxAmount)
	}
	add(inv.Subtotal, inv.Total)
	return digits
}

// aligned gathers where amounts end that stand at the right, and tells of those that end elsewhere.
func (p *measuredPage) aligned(amounts map[string]bool) (count int, faults []string) {
	end := p.Width - rightMargin - 5
	for _, r := range p.runs() {
		if amounts[digitsOf(r.Text)] && r.XMax > p.Width-rightMargin-40 {
			if count++; math.Abs(r.XMax-end) > 0.5 {
				faults = append(faults, fmt.Sprintf("%q ends at %.2f, not at %.2f", r.Text, r.XMax, end))
			}
		}
	}
	return count, faults
}

// longer is a sample with many lines, and with texts that are longer than a line.
func longer(t *testing.T, code string, lines int) *invoice.Invoice {
	t.Helper()
	inv := sampleOf(t, code)
	first := inv.Items[0]
	inv.Items = nil
	for i := range lines {
		item := first
		item.Position, item.LineID = nil, strconv.Itoa(i+1)
		if i%7 == 3 {
			item.ItemDescription = strings.Repeat(first.Description+" ", 12)
		}
		inv.Items = append(inv.Items, item)
	}
	inv.Notes = strings.TrimSpace(strings.Repeat(first.Description+" ", 30))
	return inv
}

// laidOutIn gives the file of an invoice in a country and a language.
func laidOutIn(t *testing.T, s *Service, code, language string, inv *invoice.Invoice) []byte {
	t.Helper()
	out, err := s.layOut(t.Context(), format.Country{Code: code}, inv, look{language: language, builtIn: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Missing) > 0 {
		t.Errorf("%s %s: no typeface has %q", code, language, string(out.Missing))
	}
	return out.PDF
}

// TestMeasured_Countries measures the pages of every country in each of its languages, short and long.
func TestMeasured_Countries(t *testing.T) {
	s := newService(t)
	for _, of := range countryFacts(t).All() {
		for _, language := range of.Languages {
			for name, inv := range map[string]*invoice.Invoice{"short": sampleOf(t, of.Code), "long": longer(t, of.Code, 60), "whole": whole(t, &of)} {
				pages, found := measured(t, laidOutIn(t, s, of.Code, language, inv)), 0
				for i := range pages {
					count, faults := pages[i].aligned(amountsOf(inv))
					found += count
					for _, fault := range append(faults, pages[i].faults()...) {
						t.Errorf("%s %s %s, page %d: %s", of.Code, language, name, i+1, fault)
					}
				}
				if want := len(inv.Items) + 3; found < want || (name == "short") != (len(pages) == 1) {
					t.Errorf("%s %s %s: %d amounts on %d pages, want %d at least", of.Code, language, name, found, len(pages), want)
				}
			}
		}
	}
}

// body are the heights at which lines stand between header and footer, from the top.
func (p *measuredPage) body() (at []float64) {
	footer := p.Height
	for _, w := range p.Words {
		if w.YMax-w.YMin < 10 && w.YMin > p.Height-90 {
			footer = min(footer, w.YMin)
		}
	}
	for _, w := range p.Words {
		if w.YMin > topMargin+25 && w.YMax < footer-2 && !slices.ContainsFunc(at, func(y float64) bool { return math.Abs(y-w.YMax) < 4 }) {
			at = append(at, w.YMax)
		}
	}
	slices.Sort(at)
	return at
}

// TestMeasured_NoLineIsAlone ensures of invoices of every length up to two pages that no page has but one line, and that no page ends with the header of the
// table or a heading.
func TestMeasured_NoLineIsAlone(t *testing.T) {
	s := newService(t)
	for lines := 1; lines <= 60; lines++ {
		inv := longer(t, "DE", lines)
		for i, page := range measured(t, laidOutIn(t, s, "DE", "", inv)) {
			at := page.body()
			if len(at) < 2 {
				t.Errorf("%d lines: page %d has %d", lines, i+1, len(at))
				continue
			}
			for _, r := range page.runs() {
				if last := math.Abs(r.YMax-at[len(at)-1]) < 1; last && slices.Contains([]string{"Zahlung", "Beschreibung", "Rechnung"}, strings.TrimSpace(r.Text)) {
					t.Errorf("%d lines: page %d ends with %q", lines, i+1, r.Text)
				}
			}
		}
	}
}

// TestOfficial_CountriesAreValid asks veraPDF for PDF/A-3b and PDF/UA-1, and qpdf for the syntax, of the pages of every country in each of its
// languages: short ones, long ones, and those that say all that the country can ask for.
func TestOfficial_CountriesAreValid(t *testing.T) {
	profiles, err := oracles.StartProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := profiles.Close(); err != nil {
			t.Error(err)
		}
	}()
	s, folder, judged := newService(t), t.TempDir(), 0
	for _, of := range countryFacts(t).All() {
		for _, language := range of.Languages {
			for kind, inv := range map[string]*invoice.Invoice{"short": sampleOf(t, of.Code), "long": longer(t, of.Code, 30), "whole": whole(t, &of)} {
				path := filepath.Join(folder, of.Code+language+kind+".pdf")
				if err := os.WriteFile(path, laidOutIn(t, s, of.Code, language, inv), 0o644); err != nil {
					t.Fatal(err)
				}
				for _, profile := range []string{"3b", "ua1"} {
					failed, looked, err := profiles.Failed(profile, path)
					if err != nil || len(failed) > 0 || looked < 15 {
						t.Errorf("%s %s %s: %s looked at %d things, failed %v: %v", of.Code, language, kind, profile, looked, failed, err)
					}
				}
				if said, err := exec.CommandContext(t.Context(), "qpdf", "--check", path).CombinedOutput(); err != nil {
					t.Errorf("%s %s %s: qpdf: %v: %s", of.Code, language, kind, err, said)
				}
				judged++
			}
		}
	}
	t.Logf("%d documents", judged)
}

// whole is a sample that meets every condition of the country's mentions and has every member that is printed.
func whole(t *testing.T, of *country.Country) *invoice.Invoice {
	t.Helper()
	inv := longer(t, of.Code, 20)
	for _, m := range of.Mentions {
		if m.When.Kind != country.OfValue {
			meet(t, inv, m.When)
		}
	}
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	for i, k := range of.Keys {
		giveKey(inv.CountrySpecific, k, i)
	}
	return inv
}
