// Package qr makes QR codes (ISO/IEC 18004) that can be drawn as rectangles.
package qr

import (
	"errors"
	"image/color"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
)

// ErrTooLong says that no code of the level holds the text.
var ErrTooLong = errors.New("the text is longer than a QR code holds")

// levels of error correction.
var levels = map[string]qr.ErrorCorrectionLevel{"L": qr.L, "M": qr.M, "Q": qr.Q, "H": qr.H}

// Code is a QR code without the quiet zone around it.
type Code struct{ code barcode.Barcode }

// Encode makes the smallest code of a text, as UTF-8, with a level of error correction: L, M, Q or H. The error is ErrTooLong.
func Encode(text, level string) (Code, error) {
	code, err := qr.Encode(text, levels[level], qr.Unicode)
	if err != nil {
		return Code{}, ErrTooLong
	}
	return Code{code}, nil
}

// Modules is how many modules the code has along a side.
func (c Code) Modules() int { return c.code.Bounds().Dx() }

// Rectangles are the dark modules of the code drawn as a square with its corner at x and y, those beside each other as one: each has x, y,
// width and height.
func (c Code) Rectangles(x, y, size float64) [][4]float64 {
	n := c.Modules()
	module := size / float64(n)
	var cells [][4]float64
	for row := range n {
		for from := 0; from < n; from++ {
			to := from
			for to < n && c.code.At(to, row) == color.Black {
				to++
			}
			if to > from {
				cells = append(cells, [4]float64{x + float64(from)*module, y + float64(row)*module, float64(to-from) * module, module})
			}
			from = to
		}
	}
	return cells
}
