// Package qrcode makes QR codes (ISO/IEC 18004) as pictures: modules, rectangles, SVG, PNG.
package qrcode

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// ErrTooLong says that no code of the level holds the text.
var ErrTooLong = errors.New("the text is longer than a QR code holds")

// levels of error correction.
var levels = map[string]qr.ErrorCorrectionLevel{"L": qr.L, "M": qr.M, "Q": qr.Q, "H": qr.H}

// Code is a QR code without the quiet zone around it.
type Code struct {
	size  int
	black []bool // size × size, row by row
}

// Quiet is how many modules of white are around a code (ISO/IEC 18004, 6.3.8).
const Quiet = 4

// Encode makes the smallest code of a text, as UTF-8, with a level of error correction: L, M, Q or H. The error is ErrTooLong.
func Encode(text, level string) (*Code, error) {
	made, err := qr.Encode(text, levels[level], qr.Unicode)
	if err != nil {
		return nil, fmt.Errorf("make a QR code of %d bytes: %w", len(text), ErrTooLong)
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

// Rectangles are the black modules of the code drawn as a square with its corner at x and y, those beside each other as one: each has x, y,
// width and height.
func (c *Code) Rectangles(x, y, size float64) [][4]float64 {
	module := size / float64(c.size)
	var cells [][4]float64
	for _, r := range c.Runs() {
		cells = append(cells, [4]float64{x + float64(r.X)*module, y + float64(r.Y)*module, float64(r.Length) * module, module})
	}
	return cells
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
