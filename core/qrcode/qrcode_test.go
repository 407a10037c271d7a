package qrcode

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	zxing "github.com/makiuchi-d/gozxing/qrcode"
)

var texts = []string{
	"https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=89890001K&numserie=12345678%26G33&fecha=01-09-2024&importe=241.40",
	"A", "Ñandú & Compañía", strings.Repeat("0123456789", 40),
}

func decode(t *testing.T, picture image.Image) (text string, level any) {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	read, err := zxing.NewQRCodeReader().Decode(bitmap, nil)
	if err != nil {
		t.Fatal(err)
	}
	return read.GetText(), read.GetResultMetadata()[gozxing.ResultMetadataType_ERROR_CORRECTION_LEVEL]
}

// TestPNG_IsReadBack ensures that a decoder of others reads what was encoded, at level M.
func TestPNG_IsReadBack(t *testing.T) {
	for _, want := range texts {
		code, err := Encode(want, "M")
		if err != nil {
			t.Fatal(err)
		}
		data, err := code.PNG(6)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got, level := decode(t, picture); got != want || level != "M" {
			t.Errorf("%q at level %v, want %q at M", got, level, want)
		}
	}
}

// pathRun is a rectangle of the path in an SVG.
var pathRun = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`)

// TestSVG_IsReadBack draws the rectangles of the path, and reads the picture.
func TestSVG_IsReadBack(t *testing.T) {
	const pixels = 5
	for _, want := range texts {
		code, err := Encode(want, "M")
		if err != nil {
			t.Fatal(err)
		}
		svg := code.SVG(40)
		side := (code.Size() + 2*Quiet) * pixels
		picture := image.NewGray(image.Rect(0, 0, side, side))
		draw.Draw(picture, picture.Bounds(), image.White, image.Point{}, draw.Src)
		for _, m := range pathRun.FindAllStringSubmatch(svg, -1) {
			x, _ := strconv.Atoi(m[1])
			y, _ := strconv.Atoi(m[2])
			length, _ := strconv.Atoi(m[3])
			if m[3] != m[4] {
				t.Errorf("the rectangle %s is not closed", m[0])
			}
			draw.Draw(picture, image.Rect(x*pixels, y*pixels, (x+length)*pixels, (y+1)*pixels), &image.Uniform{C: color.Black}, image.Point{}, draw.Src)
		}
		if got, _ := decode(t, picture); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if left := pathRun.ReplaceAllString(svg, ""); !strings.Contains(left, `<path d="" `) || !strings.Contains(left, `width="40mm"`) {
			t.Errorf("%s", left)
		}
	}
}

// TestEncode_TooLong ensures that a text that no code holds is an error.
func TestEncode_TooLong(t *testing.T) {
	if _, err := Encode(strings.Repeat("x", 3000), "M"); err == nil {
		t.Error("no error")
	}
}

func BenchmarkPNG(b *testing.B) {
	for b.Loop() {
		code, err := Encode(texts[0], "M")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := code.PNG(8); err != nil {
			b.Fatal(err)
		}
	}
}
