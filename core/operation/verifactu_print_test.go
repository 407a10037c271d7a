package operation

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// rectangle is the operator re of a content stream (ISO 32000-1 §8.5.2.1) with its operands.
var rectangle = regexp.MustCompile(`(?m)(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+) re\b`)

// contentStreams gives the streams of a PDF that can be inflated.
func contentStreams(pdf []byte) (streams [][]byte) {
	for _, at := range regexp.MustCompile(`stream\r?\n`).FindAllIndex(pdf, -1) {
		r, err := zlib.NewReader(bytes.NewReader(pdf[at[1]:]))
		if err != nil {
			continue
		}
		if data, err := io.ReadAll(r); err == nil {
			streams = append(streams, data)
		}
	}
	return streams
}

// printedCode reads the QR code that the small rectangles of a PDF make, by a decoder of others, and tells how wide it is in points.
func printedCode(t *testing.T, pdf []byte) (text string, width float64) {
	t.Helper()
	var modules [][4]float64
	for _, stream := range contentStreams(pdf) {
		for _, m := range rectangle.FindAllSubmatch(stream, -1) {
			var box [4]float64
			for i := range box {
				box[i], _ = strconv.ParseFloat(string(m[i+1]), 64)
			}
			if height := math.Abs(box[3]); height > 1 && height < 4 {
				modules = append(modules, box)
			}
		}
	}
	if len(modules) == 0 {
		return "", 0
	}
	module := math.Abs(modules[0][3])
	left, top, right := math.Inf(1), math.Inf(1), math.Inf(-1)
	for i := range modules {
		if modules[i][3] < 0 {
			modules[i][1] += modules[i][3]
		}
		left, top, right = min(left, modules[i][0]), min(top, -modules[i][1]), max(right, modules[i][0]+modules[i][2])
	}
	const pixels = 6
	side := int(math.Round((right-left)/module))*pixels + 8*pixels
	picture := image.NewGray(image.Rect(0, 0, side, side))
	draw.Draw(picture, picture.Bounds(), image.White, image.Point{}, draw.Src)
	for _, m := range modules {
		x, y := int(math.Round((m[0]-left)/module))+4, int(math.Round((-m[1]-top)/module))+4
		draw.Draw(picture, image.Rect(x*pixels, y*pixels, (x+int(math.Round(m[2]/module)))*pixels, (y+1)*pixels), &image.Uniform{C: color.Black}, image.Point{}, draw.Src)
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	read, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
	if err != nil {
		t.Fatalf("%v: %d rectangles", err, len(modules))
	}
	return read.GetText(), right - left
}

// TestVeriFactu_PrintsTheCode ensures that the PDF of a registered invoice has the QR code as vectors, 30 to 40 mm wide, which leads to the tax office, and that
// others have none.
func TestVeriFactu_PrintsTheCode(t *testing.T) {
	s := registering(t, today)
	withoutTransfer := func(inv map[string]any) { delete(inv, "paymentMethods") } // which has a code of its own
	for live, want := range map[bool]string{
		false: "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B12345674&numserie=ES-2026-0001&fecha=05-03-2026&importe=1210.00",
		true:  "https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?nif=B12345674&numserie=ES-2026-0001&fecha=05-03-2026&importe=1210.00",
	} {
		a, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "pdf", Live: live, Body: spanishBody(t, withoutTransfer)})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		const millimetre = 72 / 25.4
		if text, width := printedCode(t, a.Data); text != want || width < 30*millimetre || width > 40*millimetre {
			t.Errorf("%s, %.1f mm, want %s", text, width/millimetre, want)
		}
	}
	unasked := spanishBody(t, withoutTransfer, func(inv map[string]any) { delete(inv, "countrySpecific") })
	a, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "pdf", Body: unasked})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	if text, _ := printedCode(t, a.Data); text != "" {
		t.Errorf("a code that nobody asked for: %s", text)
	}
}

// TestVeriFactu_GoldensAreSound ensures that the records of testdata are taken in silence by schema and rules.
func TestVeriFactu_GoldensAreSound(t *testing.T) {
	s := shippedService(t, today)
	files, err := filepath.Glob("../../testdata/verifactu/*.xml")
	if err != nil || len(files) < 11 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		errs, warnings, judged := judgeRecords(t, s, document)
		if !judged || len(errs)+len(warnings) > 0 {
			t.Errorf("%s: %+v %+v", file, errs, warnings)
		}
	}
}
