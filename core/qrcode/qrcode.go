// Package qrcode makes QR codes (ISO/IEC 18004) as pictures: modules, SVG, PNG.
package qrcode

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// Code is a QR code of error correction level M.
type Code struct {
	size  int
	black []bool // size × size, row by row
}

// Quiet is how many modules of white are around a code (ISO/IEC 18004, 6.3.8).
const Quiet = 4

// Encode makes the code of a text. The error says that it is too long for one.
func Encode(text string) (*Code, error) {
	made, err := qr.Encode(text, qr.M, qr.Unicode)
	if err != nil {
		return nil, fmt.Errorf("make a QR code of %d bytes: %w", len(text), err)
	}
	c := &Code{size: made.Bounds().Dx()}
	c.black = make([]bool, c.size*c.size)
	for y := range c.size {
		for x := range c.size {
			c.black[y*c.size+x] = made.At(x, y) == color.Black
		}
	}
	return c, nil
}

// Size is how many modules a side has, without the quiet zone.
func (c *Code) Size() int { return c.size }

// Run is a row of black modules beside each other: its first module, counted from 0 at the top left, and how many there are.
type Run struct{ X, Y, Length int }

// Runs gives all black modules, row by row.
func (c *Code) Runs() []Run {
	var runs []Run
	for y := range c.size {
		for x := 0; x < c.size; x++ {
			from := x
			for x < c.size && c.black[y*c.size+x] {
				x++
			}
			if x > from {
				runs = append(runs, Run{from, y, x - from})
			}
		}
	}
	return runs
}

// SVG draws the code with its quiet zone, as one path: a module is one unit, the sides are so many millimetres.
func (c *Code) SVG(millimetres float64) string {
	side := c.size + 2*Quiet
	var path strings.Builder
	for _, r := range c.Runs() {
		fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", r.X+Quiet, r.Y+Quiet, r.Length, r.Length)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%gmm" height="%gmm" viewBox="0 0 %d %d" shape-rendering="crispEdges">`+
		`<rect width="%d" height="%d" fill="#fff"/><path d="%s" fill="#000"/></svg>`, millimetres, millimetres, side, side, side, side, path.String())
}

// PNG draws the code with its quiet zone, in black and white, a module so many pixels wide.
func (c *Code) PNG(pixels int) ([]byte, error) {
	side := (c.size + 2*Quiet) * pixels
	picture := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White, color.Black})
	for _, r := range c.Runs() {
		for y := (r.Y + Quiet) * pixels; y < (r.Y+Quiet+1)*pixels; y++ {
			for x := (r.X + Quiet) * pixels; x < (r.X+r.Length+Quiet)*pixels; x++ {
				picture.SetColorIndex(x, y, 1)
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("write a QR code as PNG: %w", err)
	}
	return out.Bytes(), nil
}
