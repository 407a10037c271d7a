package qrbill_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/qrbill"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
	"github.com/einvoiced/einvoiced/core/qrcode"
)

const mm = 72 / 25.4

// place is a rectangle in millimetres from the upper left corner of the slip.
type place struct{ x, y, width, height float64 }

// drawn is what a slip has on its page.
type drawn struct {
	rectangles []place
	texts      []place // the beginnings of lines: width is the size of the type in points
	white      []place // rectangles in white
	text       string  // in the order of reading
	pdf        []byte
}

// draw draws a payload on an A4 page and reads where everything stands.
func draw(t *testing.T, payload, language string) drawn {
	t.Helper()
	bill, err := qrbill.New([]byte(payload), language)
	if err != nil {
		t.Fatal(err)
	}
	doc := pdf.New(pdf.About{Title: "QR-bill", Language: language}, typeface.NewLibrary(nil))
	page := doc.AddPage(210*mm, 297*mm)
	bill.Draw(doc, page, doc.Root().New(pdf.RoleDivision), (297-105)*mm)
	d := drawn{pdf: doc.Bytes()}
	report, err := inspect.Inspect(t.Context(), d.pdf)
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("%v %q", err, report.Faults)
	}
	d.text = report.Text
	d.read(t)
	return d
}

var (
	number     = `(-?[0-9.]+) `
	operations = regexp.MustCompile(number + number + number + number + `re|` + number + `Tf|1 0 0 1 ` + number + number + `Tm|` + number + number + number + `rg`)
)

// read reads the operators that draw.
func (d *drawn) read(t *testing.T) {
	t.Helper()
	file, err := pdffile.Open(t.Context(), d.pdf)
	if err != nil {
		t.Fatal(err)
	}
	catalog := file.Dict(file.Trailer["Root"])
	page := file.Dict(file.Array(file.Dict(catalog["Pages"])["Kids"])[0])
	var content strings.Builder
	for _, part := range file.Array(page["Contents"]) {
		data, err := file.Decode(file.Stream(part), 1<<24)
		if err != nil {
			t.Fatal(err)
		}
		content.Write(data)
	}
	white, size := false, 0.0
	for _, op := range operations.FindAllStringSubmatch(content.String(), -1) {
		at := func(i int) float64 {
			v, _ := strconv.ParseFloat(op[i], 64)
			return v
		}
		switch {
		case op[1] != "":
			p := place{at(1) / mm, (297*mm-at(2)-at(4))/mm - (297 - 105), at(3) / mm, at(4) / mm}
			if white {
				d.white = append(d.white, p)
			} else {
				d.rectangles = append(d.rectangles, p)
			}
		case op[5] != "":
			size = at(5)
		case op[6] != "":
			d.texts = append(d.texts, place{x: at(6) / mm, y: (297*mm-at(7))/mm - (297 - 105), width: size})
		default:
			white = at(8) == 1
		}
	}
}

// near tells whether a rectangle is where it has to be, within a twentieth of a millimetre.
func near(a, b place) bool {
	for _, d := range []float64{a.x - b.x, a.y - b.y, a.width - b.width, a.height - b.height} {
		if math.Abs(d) > 0.05 {
			return false
		}
	}
	return true
}

func has(list []place, want place) bool {
	for _, p := range list {
		if near(p, want) {
			return true
		}
	}
	return false
}

func golden(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../testdata/qr-bill", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPaymentPart_StandsAtTheMillimetresOfTheStyleGuide measures code, cross, lines, margins and sizes of type.
func TestPaymentPart_StandsAtTheMillimetresOfTheStyleGuide(t *testing.T) {
	for _, language := range []string{"de", "fr", "it", "en"} {
		d := draw(t, golden(t, "03-qr-reference"), language)
		code := place{x: 1000, y: 1000}
		for _, p := range d.rectangles {
			if p.x < 66.9 || p.y < 16.9 || p.x+p.width > 113.1 || p.y+p.height > 63.1 || p.width == 6 {
				continue
			}
			right, bottom := max(code.x+code.width, p.x+p.width), max(code.y+code.height, p.y+p.height)
			if code.x == 1000 {
				right, bottom = p.x+p.width, p.y+p.height
			}
			code.x, code.y = min(code.x, p.x), min(code.y, p.y)
			code.width, code.height = right-code.x, bottom-code.y
		}
		if !near(code, place{67, 17, 46, 46}) {
			t.Errorf("%s: the code is at %+v", language, code)
		}
		for _, want := range []place{{86.5, 36.5, 7, 7}, {89.417, 38.056, 1.167, 3.889}, {88.056, 39.417, 3.889, 1.167}} {
			if !has(d.white, want) {
				t.Errorf("%s: the cross has no %+v: %+v", language, want, d.white)
			}
		}
		if !has(d.rectangles, place{87, 37, 6, 6}) {
			t.Errorf("%s: the cross has no black square", language)
		}
		half := 0.25 / mm
		for _, want := range []place{{-half, -half, 210 + 2*half, 2 * half}, {62 - half, -half, 2 * half, 105 + 2*half}} {
			if !has(d.rectangles, want) {
				t.Errorf("%s: no line at %+v", language, want)
			}
		}
		for _, p := range d.texts[1:] { // the first stands above the line
			receipt, part := p.x >= 4.95 && p.x < 57, p.x >= 66.95 && p.x < 205
			if !receipt && !part || p.y < 5 || p.y > 100 || p.width < 6 || p.width > 11 {
				t.Errorf("%s: a text of %g points begins at %.2f, %.2f", language, p.width, p.x, p.y)
			}
			if part && p.x < 118 && p.y > 16 && p.y < 68 {
				t.Errorf("%s: a text stands in the code, at %.2f, %.2f", language, p.x, p.y)
			}
		}
		for _, want := range []place{{x: 5, width: 11}, {x: 67, width: 11}, {x: 5, width: 6}, {x: 5, width: 8}, {x: 118, width: 8}, {x: 118, width: 10}, {x: 67, width: 8}, {x: 67, width: 10}} {
			found := false
			for _, p := range d.texts {
				found = found || math.Abs(p.x-want.x) < 0.05 && p.width == want.width
			}
			if !found {
				t.Errorf("%s: no text of %g points at %g mm", language, want.width, want.x)
			}
		}
	}
}

// TestPaymentPart_HasFieldsToWriteIn measures the marks around fields that are left open.
func TestPaymentPart_HasFieldsToWriteIn(t *testing.T) {
	lines := strings.Split(golden(t, "03-qr-reference"), "\n")
	lines[18] = ""
	for i := 20; i < 27; i++ {
		lines[i] = ""
	}
	d := draw(t, strings.Join(lines, "\n"), "de")
	// Marks are lines of 3 mm: a field has two at each corner. Those along its upper side begin at its left and end at its right side.
	half := 0.375 / mm
	for name, size := range map[string][2]float64{"amount of the receipt": {30, 10}, "amount": {40, 15}, "debtor of the receipt": {52, 20}, "debtor": {65, 25}} {
		found := false
		for _, p := range d.rectangles {
			level := func(x, y float64) place { return place{x - half, y - half, 3 + 2*half, 2 * half} }
			x, y := p.x+half, p.y+half
			if near(p, level(x, y)) && has(d.rectangles, level(x+size[0]-3, y)) && has(d.rectangles, level(x, y+size[1])) && has(d.rectangles, level(x+size[0]-3, y+size[1])) {
				found = true
			}
		}
		if !found {
			t.Errorf("there is no field of %g by %g mm for the %s", size[0], size[1], name)
		}
	}
	if !strings.Contains(d.text, "Zahlbar durch (Name/Adresse)") {
		t.Errorf("the field has no heading: %s", d.text)
	}
}

// TestPaymentPart_SaysWhatThePayloadSays ensures the texts in each language, with account, reference and amount as people read them.
func TestPaymentPart_SaysWhatThePayloadSays(t *testing.T) {
	for language, headings := range map[string]string{
		"de": "Empfangsschein|Zahlteil|Konto / Zahlbar an|Referenz|Zusätzliche Informationen|Zahlbar durch|Währung|Betrag|Annahmestelle|Vor der Einzahlung abzutrennen",
		"fr": "Récépissé|Section paiement|Compte / Payable à|Référence|Informations supplémentaires|Payable par|Monnaie|Montant|Point de dépôt|A détacher avant le versement",
		"it": "Ricevuta|Sezione pagamento|Conto / Pagabile a|Riferimento|Informazioni supplementari|Pagabile da|Valuta|Importo|Punto di accettazione|Da staccare prima del versamento",
		"en": "Receipt|Payment part|Account / Payable to|Reference|Additional information|Payable by|Currency|Amount|Acceptance point|Separate before paying in",
		"rm": "Receipt|Payment part",
	} {
		text := draw(t, golden(t, "03-qr-reference"), language).text
		wanted := append(strings.Split(headings, "|"), "CH44 3199 9123 0008 8901 2", "21 00000 00003 13947 14300 09017", "1 081.00", "CHF", "Rue du Lac 12b", "2501 Biel",
			"Auftrag vom 15.06.2025", "//S1/10/2026-0417")
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", language, want, text)
			}
		}
	}
	text := draw(t, golden(t, "07-euro"), "de").text
	for _, want := range []string{"DE-70173 Stuttgart", "EUR", "RF51 2026 0417"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if text := draw(t, golden(t, "08-alternative-schemes"), "de").text; !strings.Contains(text, "cc/12345") {
		t.Errorf("the alternative scheme is not in %s", text)
	}
}

// TestPaymentPart_LongTextsStayInTheirPlaces ensures that names and streets of the greatest length stay within their sections.
func TestPaymentPart_LongTextsStayInTheirPlaces(t *testing.T) {
	lines := strings.Split(golden(t, "03-qr-reference"), "\n")
	for _, i := range []int{5, 21} {
		lines[i], lines[i+1], lines[i+2] = strings.Repeat("Mühlegasse ", 6)+"WWWW", strings.Repeat("WWWWWWWWW ", 7), strings.Repeat("8", 16)
		lines[i+3], lines[i+4] = strings.Repeat("9", 16), strings.Repeat("W", 35)
	}
	lines[29], lines[31] = strings.Repeat("Nachricht ", 9), "//S1/10/"+strings.Repeat("7", 40)
	d := draw(t, strings.Join(lines, "\n"), "de")
	for _, p := range d.texts[1:] {
		switch {
		case p.x < 62 && p.y < 82 && p.width <= 8 && p.width > 5 && p.y > 68+11:
			t.Errorf("a text of the receipt stands at %.2f", p.y)
		case p.x >= 117 && p.y > 90:
			t.Errorf("a text of the payment part stands at %.2f", p.y)
		}
	}
}

// TestNew_RefusesWhatIsNoPayload ensures the error.
func TestNew_RefusesWhatIsNoPayload(t *testing.T) {
	if _, err := qrbill.New([]byte("SPC\n0200"), "de"); err != qrbill.ErrLines {
		t.Error(err)
	}
	for _, bytes := range []int{200, 40} { // more than any code holds, and more than version 25 does
		if _, err := qrbill.New([]byte(strings.Repeat(strings.Repeat("a", bytes)+"\n", 30)), "de"); !errors.Is(err, qrcode.ErrTooLong) {
			t.Errorf("a text of lines with %d bytes: %v", bytes, err)
		}
	}
}

// FuzzNew ensures that any payload is drawn, or refused with a reason.
func FuzzNew(f *testing.F) {
	f.Add(golden(f, "03-qr-reference"), byte(0))
	f.Add(golden(f, "08-alternative-schemes"), byte(1))
	library := typeface.NewLibrary(nil)
	f.Fuzz(func(t *testing.T, payload string, number byte) {
		language := []string{"de", "fr", "it", "en"}[number%4]
		if !utf8.ValidString(payload) {
			return // payloads are made of XML, which has nothing else
		}
		bill, err := qrbill.New([]byte(payload), language)
		if errors.Is(err, qrbill.ErrLines) || errors.Is(err, qrcode.ErrTooLong) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		doc := pdf.New(pdf.About{Title: "QR-bill", Language: language}, library)
		bill.Draw(doc, doc.AddPage(210*mm, 297*mm), doc.Root().New(pdf.RoleDivision), (297-105)*mm)
		if len(doc.Bytes()) == 0 {
			t.Fatal("nothing is drawn")
		}
	})
}
