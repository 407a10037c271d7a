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
	MaxImagePixels = 25_000_000 // of 8 bits a channel; those of 16 bits and of progressive JPEGs count twice, as they do in memory
)

// Why an image cannot be drawn. The texts are for whoever sent it.
var (
	ErrImageBytes  = errors.New("the image is larger than 5 MiB")
	ErrImagePixels = errors.New("the image has more than 25 million pixels, or 12.5 million of 16 bits or of a progressive JPEG")
	ErrImageScans  = errors.New("the image is a JPEG of too many scans; save it as a baseline JPEG")
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
	most := mostPixels(about.ColorModel)
	if isJPEG && progressive(data) {
		most = MaxImagePixels / 2
	}
	if about.Width > most/about.Height {
		return nil, ErrImagePixels
	}
	if isJPEG && scans(data) > maxScanned/(about.Width*about.Height) {
		return nil, ErrImageScans
	}
	img := &Image{Width: about.Width, Height: about.Height, name: fmt.Sprintf("I%d", len(d.images)+1)}
	if err := d.writeImage(img, data, isJPEG, about.ColorModel); err != nil {
		return nil, err
	}
	d.images[string(data)] = img
	return img, nil
}

// mostPixels is how many pixels an image of a kind may have. A grey one may turn out to have opacity only when its pixels are read, so all of 16 bits
// are taken for those with four channels.
func mostPixels(model color.Model) int {
	switch model {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		return MaxImagePixels / 2
	}
	return MaxImagePixels
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
	extra := "/ColorSpace/DeviceRGB"
	if translucent(pixels) {
		mask := d.w.reserve()
		d.w.streamOf(mask, dict+"/ColorSpace/DeviceGray", func(write func([]byte)) {
			eachRow(pixels, func(row []byte) { write(opacity(row)) })
		})
		extra += "/SMask " + mask.String()
	}
	d.w.streamOf(img.self, dict+extra, func(write func([]byte)) {
		eachRow(pixels, func(row []byte) { write(colors(row)) })
	})
}

// eachRow gives the rows of an image one after the other, as red, green, blue and opacity of each pixel. A row may be written over, and is valid until
// the next.
func eachRow(pixels image.Image, take func(row []byte)) {
	b := pixels.Bounds()
	row := image.NewNRGBA(image.Rect(0, 0, b.Dx(), 1)) // of the picture, which is large enough once
	for y := range b.Dy() {
		draw.Draw(row, row.Bounds(), pixels, b.Min.Add(image.Pt(0, y)), draw.Src)
		take(row.Pix)
	}
}

// translucent tells whether anything of an image is less than opaque.
func translucent(pixels image.Image) (found bool) {
	eachRow(pixels, func(row []byte) {
		for i := 3; i < len(row) && !found; i += 4 {
			found = row[i] != 255
		}
	})
	return found
}

// opacity leaves the opacity of each pixel of a row.
func opacity(row []byte) []byte {
	for i := 3; i < len(row); i += 4 {
		row[i/4] = row[i]
	}
	return row[:len(row)/4]
}

// colors leaves red, green and blue of each pixel of a row.
func colors(row []byte) []byte {
	for i := 4; i < len(row); i += 4 {
		copy(row[i/4*3:], row[i:i+3])
	}
	return row[:len(row)/4*3]
}
