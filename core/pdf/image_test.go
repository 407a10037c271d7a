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

// progressiveJPEG is a grey image of a side in pixels whose coefficients are zero, with a number of scans that have 23 bytes for each 200,000 blocks: runs
// of blocks in which nothing follows (T.81 G.1.2.2).
func progressiveJPEG(side, scans int, before ...byte) []byte {
	segment := func(marker byte, content ...byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(content)+2)), content...)
	}
	oneCode := func(table, symbol byte) []byte {
		return segment(0xC4, append(append([]byte{table, 1}, make([]byte, 15)...), symbol)...)
	}
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, uint16(side)), uint16(side))
	blocks := (side + 7) / 8 * ((side + 7) / 8)
	out := append([]byte{0xFF, 0xD8}, before...)
	for _, part := range [][]byte{
		segment(0xDB, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...), segment(0xC2, append(size, 1, 1, 0x11, 0)...), oneCode(0x00, 0), oneCode(0x10, 0xE0),
		segment(0xDA, 1, 1, 0, 0, 0, 0), make([]byte, blocks/8+2),
	} {
		out = append(out, part...)
	}
	for range scans - 1 {
		out = append(append(out, segment(0xDA, 1, 1, 0, 1, 63, 0)...), make([]byte, (blocks/16384+1)*15/8+2)...)
	}
	return append(out, 0xFF, 0xD9)
}

// TestImage_BoundsWhatIsScanned ensures that a JPEG is not gone through again and again for a few bytes each time, and that a progressive one takes no
// more memory than another: wherever its frame stands.
func TestImage_BoundsWhatIsScanned(t *testing.T) {
	t.Parallel()
	filled := []byte{0xFF, 0xE1, 0, 6, 0xFF, 0xC0, 0xFF, 0xFF, 'x', 0xFF, 0x00, 0xFF, 0xFF, 0xFF, 0xE2, 0, 2, 0xFF, 0xD3}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"as many scans as programs make": {progressiveJPEG(500, 14), nil},
		"many scans of few pixels":       {progressiveJPEG(500, 2000), nil},
		"too many scans of few pixels":   {progressiveJPEG(500, 2001), ErrImageScans},
		"many scans of many pixels":      {progressiveJPEG(3500, 41), ErrImageScans},
		"many pixels":                    {progressiveJPEG(3536, 1), ErrImagePixels},
		"many pixels after other things": {progressiveJPEG(3536, 1, filled...), ErrImagePixels},
		"few pixels after other things":  {progressiveJPEG(40, 3, filled...), nil},
		"as many pixels as may be":       {progressiveJPEG(3535, 1), nil},
	} {
		if _, err := New(About{}, typeface.NewLibrary(nil)).Image(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
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
			for _, known := range []error{ErrImageFormat, ErrImageData, ErrImageBytes, ErrImagePixels, ErrImageScans} {
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
