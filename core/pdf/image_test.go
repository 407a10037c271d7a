package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

func encoded(t testing.TB, img image.Image, asJPEG bool) []byte {
	t.Helper()
	var b bytes.Buffer
	encode := png.Encode
	if asJPEG {
		if err := jpeg.Encode(&b, img, nil); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if err := encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestImage_TakesPNGAndJPEGOnce(t *testing.T) {
	t.Parallel()
	clear := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	clear.Set(1, 1, color.NRGBA{255, 0, 0, 100})
	gray := image.NewGray(image.Rect(0, 0, 3, 2))
	for _, data := range [][]byte{encoded(t, clear, false), encoded(t, clear, true), encoded(t, gray, false), encoded(t, gray, true)} {
		d := New(About{Title: "T", Language: "en"}, typeface.NewLibrary(nil))
		first, err := d.Image(data)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := d.Image(data); again != first || first.Width != 3 || first.Height != 2 {
			t.Errorf("%v, then %v", first, again)
		}
	}
}

func TestImage_RefusesWhatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	whole := encoded(t, image.NewGray(image.Rect(0, 0, 40, 40)), true)
	wide := encoded(t, image.NewGray(image.Rect(0, 0, 1, 1)), false)
	copy(wide[16:24], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65,536 × 65,536, whose checksum is wrong too
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing": {nil, ErrImageFormat}, "an SVG": {[]byte("<svg/>"), ErrImageFormat}, "a GIF": {[]byte("GIF89a"), ErrImageFormat},
		"half a JPEG": {whole[:len(whole)/2], ErrImageData}, "a damaged PNG": {wide, ErrImageData}, "too many bytes": {make([]byte, MaxImageBytes+1), ErrImageBytes},
	} {
		if _, err := New(About{}, typeface.NewLibrary(nil)).Image(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	many := encoded(t, image.NewPaletted(image.Rect(0, 0, 5001, 5000), color.Palette{color.Black}), false)
	if _, err := New(About{}, typeface.NewLibrary(nil)).Image(many); !errors.Is(err, ErrImagePixels) {
		t.Errorf("many pixels: %v", err)
	}
}

// TestImage_CountsPixelsOf16BitsTwice ensures that an image of 16 bits a channel takes no more memory than one of 8 may.
func TestImage_CountsPixelsOf16BitsTwice(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 2, 2)
	for name, c := range map[string]struct {
		of   image.Image
		want error
	}{
		"colour of 8 bits": {image.NewNRGBA(r), ErrImageData}, "grey of 8 bits": {image.NewGray(r), ErrImageData},
		"colour of 16 bits": {image.NewRGBA64(r), ErrImagePixels}, "grey of 16 bits": {image.NewGray16(r), ErrImagePixels},
		"opacity of 16 bits": {image.NewNRGBA64(r), ErrImagePixels},
	} {
		_, err := New(About{}, typeface.NewLibrary(nil)).Image(announcing(encoded(t, c.of, false), 5000, 2501))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// announcing is a PNG whose header has another size than its pixels.
func announcing(data []byte, width, height uint32) []byte {
	header := data[12:29] // IHDR: its name and content (PNG §11.2.1)
	binary.BigEndian.PutUint32(header[4:], width)
	binary.BigEndian.PutUint32(header[8:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(header))
	return data
}

// TestImage_AllocatesLittleMoreThanItsPixels is not parallel, since it counts what all allocate.
func TestImage_AllocatesLittleMoreThanItsPixels(t *testing.T) {
	r := image.Rect(0, 0, 2000, 2000)
	clear, deep := image.NewNRGBA(r), image.NewNRGBA64(r)
	clear.Set(1, 1, color.NRGBA{255, 0, 0, 100})
	deep.Set(1, 1, color.NRGBA64{65535, 0, 0, 100})
	for _, c := range []struct {
		of    image.Image
		bytes int
	}{{clear, len(clear.Pix)}, {deep, len(deep.Pix)}} {
		data := encoded(t, c.of, false)
		d := New(About{Title: "T", Language: "en"}, typeface.NewLibrary(nil))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := d.Image(data); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(c.bytes)*3/2 {
			t.Errorf("%T: %d bytes for pixels of %d", c.of, got, c.bytes)
		}
	}
}

// FuzzImage ensures that any file is an image of some size, the same one each time, or refused with a reason that is known.
func FuzzImage(f *testing.F) {
	small := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	small.Set(1, 1, color.NRGBA{255, 0, 0, 100})
	for _, asJPEG := range []bool{false, true} {
		f.Add(encoded(f, small, asJPEG))
		f.Add(encoded(f, image.NewGray(image.Rect(0, 0, 9, 9)), asJPEG))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := New(About{Title: "T", Language: "en"}, typeface.NewLibrary(nil))
		img, err := d.Image(data)
		if err != nil {
			for _, known := range []error{ErrImageFormat, ErrImageData, ErrImageBytes, ErrImagePixels} {
				if errors.Is(err, known) {
					return
				}
			}
			t.Fatalf("an unknown reason: %v", err)
		}
		if again, err := d.Image(data); err != nil || again != img || img.Width < 1 || img.Height < 1 {
			t.Fatalf("%+v, then %+v, %v", img, again, err)
		}
	})
}
