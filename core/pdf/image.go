package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
)

// Bounds of images.
const (
	MaxImageBytes  = 5 << 20
	MaxImagePixels = 25_000_000
)

// Why an image cannot be drawn. The texts are for whoever sent it.
var (
	ErrImageBytes  = errors.New("the image is larger than 5 MiB")
	ErrImagePixels = errors.New("the image has more than 25 million pixels")
	ErrImageFormat = errors.New("the image is neither a PNG nor a JPEG")
	ErrImageData   = errors.New("the image is damaged")
)

// Image is a JPEG or PNG that pages of one document draw; it is in the file once. Width and Height are in pixels.
type Image struct {
	Width, Height int
	name          string
	self          ref
}

// Image takes a JPEG or PNG, told by its first bytes. The error is one of those above.
func (d *Document) Image(data []byte) (*Image, error) {
	if len(data) > MaxImageBytes {
		return nil, ErrImageBytes
	}
	if known := d.images[string(data)]; known != nil {
		return known, nil
	}
	isJPEG := bytes.HasPrefix(data, []byte{0xFF, 0xD8, 0xFF})
	if !isJPEG && !bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) {
		return nil, ErrImageFormat
	}
	about, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || about.Width < 1 || about.Height < 1 {
		return nil, ErrImageData
	}
	if about.Width > MaxImagePixels/about.Height {
		return nil, ErrImagePixels
	}
	img := &Image{Width: about.Width, Height: about.Height, name: fmt.Sprintf("I%d", len(d.images)+1)}
	if err := d.writeImage(img, data, isJPEG, about.ColorModel); err != nil {
		return nil, err
	}
	d.images[string(data)] = img
	return img, nil
}

// writeImage puts a JPEG of grey or of red, green and blue into the file as it is, and the pixels of all others.
func (d *Document) writeImage(img *Image, data []byte, isJPEG bool, model color.Model) error {
	var pixels image.Image
	var err error
	if isJPEG {
		// Whole JPEGs are decoded too, since a damaged one would make the file a damaged one.
		pixels, err = jpeg.Decode(bytes.NewReader(data))
	} else {
		pixels, err = png.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return ErrImageData
	}
	img.self = d.w.reserve()
	dict := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8", img.Width, img.Height)
	switch {
	case isJPEG && model == color.YCbCrModel:
		d.w.raw(img.self, dict+"/ColorSpace/DeviceRGB/Filter/DCTDecode", data)
	case isJPEG && model == color.GrayModel:
		d.w.raw(img.self, dict+"/ColorSpace/DeviceGray/Filter/DCTDecode", data)
	default:
		d.writePixels(img, dict, pixels)
	}
	return nil
}

// writePixels writes red, green and blue, and opacity as a mask where there is any.
func (d *Document) writePixels(img *Image, dict string, pixels image.Image) {
	row := image.NewNRGBA(image.Rect(0, 0, img.Width, 1)) // of the picture, which is large enough once
	colors, opacity, clear := make([]byte, 0, img.Width*img.Height*3), make([]byte, 0, img.Width*img.Height), false
	for y := range img.Height {
		draw.Draw(row, row.Bounds(), pixels, pixels.Bounds().Min.Add(image.Pt(0, y)), draw.Src)
		for i := 0; i < len(row.Pix); i += 4 {
			colors = append(colors, row.Pix[i:i+3]...)
			opacity = append(opacity, row.Pix[i+3])
			clear = clear || row.Pix[i+3] != 255
		}
	}
	extra := "/ColorSpace/DeviceRGB"
	if clear {
		mask := d.w.reserve()
		d.w.stream(mask, dict+"/ColorSpace/DeviceGray", opacity)
		extra += "/SMask " + mask.String()
	}
	d.w.stream(img.self, dict+extra, colors)
}
